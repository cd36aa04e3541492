package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"herdsim/report"
	"herdsim/report/figures"
	"herdsim/scenarios"
	"herdsim/strategies"
)

// shownWaits is how many waits a table of a strategy has.
const shownWaits = 12

// entry returns the strategy of a SPEC, and the scenario that it is then in. It takes the way of a scenario's, so that what is right here is right there; the
// network delay lets strategies in that never wait.
func entry(spec string) (*scenarios.Scenario, scenarios.Entry, error) {
	const around = `{"name": "show", "workers": 1, "network": "1ms", "downstream": {"slots": 1}, "strategies": ["paced"]}`
	s, err := scenarios.Load(scenarios.Request{
		Source: "-", Stdin: strings.NewReader(around), Strategies: []string{spec},
	})
	if err != nil {
		return nil, scenarios.Entry{}, err
	}
	return s, s.Strategies[0], nil
}

// waits returns the table of an entry: of its strategy, with its own first wait, up to its limits. It is empty for paced.
func waits(e scenarios.Entry) []strategies.WaitStats {
	retries := shownWaits
	if m := e.Limits.MaxAttempts; m > 0 {
		retries = min(retries, m-1)
	}
	if e.Strategy == nil || retries == 0 {
		return nil
	}
	rows := drawnWaits(e, retries)
	if most := e.Limits.Span(); most > 0 {
		soonest := time.Duration(0) // when a retry may come
		for i, r := range rows {
			if r.Min > most-soonest {
				return rows[:i]
			}
			soonest += r.Min
		}
	}
	return rows
}

// drawnWaits returns the waits before the first retries.
func drawnWaits(e scenarios.Entry, retries int) []strategies.WaitStats {
	if e.FirstWait == 0 {
		return strategies.Describe(e.Strategy, retries)
	}
	d := e.FirstWait
	first := strategies.WaitStats{Retry: 1, Mean: d / 2, P95: time.Duration(0.95 * float64(d)), Max: d, Exact: true}
	rows := strategies.Describe(e.Strategy, retries)
	if strategies.ReadsPrevious(e.Strategy) { // its own waits begin with the second retry
		for i := range rows {
			rows[i].Retry++
		}
		rows = slices.Insert(rows, 0, first)
	} else {
		rows = append([]strategies.WaitStats{first}, rows[min(1, len(rows)):]...)
	}
	return rows[:min(retries, len(rows))]
}

// waiting returns what there is to draw of an entry. The name of a SPEC is all of it, and the formula says that too, so
// the key stands in for it.
func waiting(s *scenarios.Scenario, e scenarios.Entry) figures.Waiting {
	w := figures.Waiting{Name: cmp.Or(e.Preset, e.Key), Formula: wait(e), Rows: waits(e), Strategy: e.Strategy}
	if terms := s.Terms(e); terms != "" {
		w.Formula += "; " + terms
	}
	w.GivesUp, w.Longest = givesUp(e.Limits), e.Limits.Span()
	w.Ends = e.Limits.MaxAttempts > 0 && len(w.Rows) == e.Limits.MaxAttempts-1
	if e.FirstWait > 0 || e.Limits.MaxAttempts > 0 {
		w.Strategy = asRun{e}
	}
	return w
}

// wait writes what an entry waits, as it stands behind "wait =".
func wait(e scenarios.Entry) string {
	if _, none := e.Strategy.(strategies.Immediate); none || e.Strategy == nil { // the numbers of paced are of a downstream that nobody named
		return catalogued(e.Key).Formula
	}
	return e.Formula
}

// catalogued returns what the catalogue says of a strategy.
func catalogued(key string) scenarios.StrategyInfo {
	all := scenarios.Catalogue()
	return all[slices.IndexFunc(all, func(s scenarios.StrategyInfo) bool { return s.Key == key })]
}

// givesUp says when the limits end a task that keeps failing at once; "" if they do not.
func givesUp(l scenarios.Limits) string {
	after := fmt.Sprintf("after %s retries", report.Count(int64(l.MaxAttempts-1)))
	switch l.MaxAttempts {
	case 0:
		after = ""
	case 1:
		after = "after the first attempt"
	case 2:
		after = "after 1 retry"
	}
	if l.Span() == 0 || l.MaxAttempts == 1 {
		return after
	}
	if after != "" {
		after += ", or "
	}
	return after + "after " + report.Span(l.Span())
}

// asRun is the strategy of an entry with the entry's own first wait and limit of attempts, as a run has them. Only in
// the Slept of later retries the first wait is left in; of all strategies, formulas alone read that.
type asRun struct{ e scenarios.Entry }

func (b asRun) Wait(a strategies.Attempt, u float64) (time.Duration, bool) {
	if m := b.e.Limits.MaxAttempts; m > 0 && a.Retry >= m {
		return 0, false
	}
	if b.e.FirstWait > 0 {
		if a.Retry == 1 {
			return time.Duration(u * float64(b.e.FirstWait)), true
		}
		if a.Retry == 2 { // the strategy has not been asked yet
			a.Slept -= a.Previous
			a.Previous, a.PreviousU = 0, 0
		}
	}
	return b.e.Strategy.Wait(a, u)
}

func (b asRun) ReadsPrevious() bool { return strategies.ReadsPrevious(b.e.Strategy) }
func (b asRun) ReadsSlept() bool {
	return strategies.ReadsSlept(b.e.Strategy)
}

// pictureFormat returns the format that the ending of a file says.
func pictureFormat(cmd *cobra.Command, path string) (figures.Format, error) {
	format := figures.Format(strings.TrimPrefix(filepath.Ext(path), "."))
	if format != figures.PNG && format != figures.SVG {
		return "", usage(seeHelp(cmd), "--figure %q: want a file that ends in .%s or .%s", path, figures.PNG, figures.SVG)
	}
	return format, nil
}

// writePicture writes a picture whole.
func writePicture(path string, picture []byte) error {
	folder, err := openFolder(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.discard()
	if err := folder.stage(filepath.Base(path), content(picture)); err != nil {
		return err
	}
	return folder.commit(nil)
}
