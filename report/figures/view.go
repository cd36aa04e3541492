package figures

import (
	"math"
	"slices"
	"strings"
	"time"

	"herdsim/report"
	"herdsim/sim"
	"herdsim/strategies"
)

// A view is what the figures need of a report.
type view struct {
	report.Setup
	rows    []row // strategies whose first replicate is finished, in the scenario's order
	missing int   // strategies without it
	partial bool  // the scenario was interrupted
	window  time.Duration
	perBar  float64 // capacity x window: requests that fit into one window; 0 when there is no bound
}

// A row is one strategy and its first replicate.
type row struct {
	name, key, formula string
	*sim.Result
}

func newView(r *report.Report) *view {
	if r == nil {
		return &view{window: time.Second}
	}
	v := &view{Setup: r.Setup, partial: r.Partial, window: r.Setup.Window}
	for _, e := range r.Entries {
		if len(e.Runs) == 0 || e.Runs[0] == nil {
			v.missing++
			continue
		}
		v.rows = append(v.rows, row{clean(e.Name), e.Key, simple(clean(e.Formula)), e.Runs[0]})
		if w := e.Runs[0].Window; w > 0 {
			v.window = w
		}
		if r.Setup.Workers <= 0 {
			v.Workers = max(v.Workers, int(e.Runs[0].Herd.Tasks))
		}
	}
	if v.window <= 0 {
		v.window = time.Second
	}
	if c := v.Capacity * v.window.Seconds(); c > 0 && !math.IsInf(c, 0) {
		v.perBar = c
	}
	return v
}

// bounded reports whether the downstream has a capacity to compare with.
func (v *view) bounded() bool { return v.perBar > 0 }

// ratio returns the peak of r over capacity x window.
func (v *view) ratio(r row) float64 { return float64(r.PeakWindow) / v.perBar }

// peak writes the peak of r: over capacity, or in requests when there is none.
func (v *view) peak(r row) string {
	if v.bounded() {
		return times(v.ratio(r))
	}
	return short(r.PeakWindow, 100_000)
}

// herd reports whether any row has one.
func (v *view) herd() bool {
	return slices.ContainsFunc(v.rows, func(r row) bool { return r.Herd.Tasks > 0 })
}

// allServed reports whether every task of r's herd had its answer.
func (r row) allServed() bool {
	return r.Herd.Tasks > 0 && r.Herd.Succeeded == r.Herd.Tasks && int64(len(r.Completions)) == r.Herd.Tasks
}

// last returns when the last of the served was served.
func (r row) last() time.Duration {
	if len(r.Completions) == 0 {
		return 0
	}
	return r.Completions[len(r.Completions)-1]
}

// servedBy returns when the given share of the herd was served, or false if it never was.
func (r row) servedBy(share float64) (time.Duration, bool) {
	k := int(math.Ceil(share*float64(r.Herd.Tasks) - 1e-9))
	if k < 1 || k > len(r.Completions) {
		return 0, false
	}
	return r.Completions[k-1], true
}

// apart returns the outcomes of w without the failure itself.
func apart(w sim.Window) [strategies.Outcomes]int64 {
	parts, left := w.Outcomes, w.Failure
	for _, o := range []sim.Outcome{strategies.Unavailable, strategies.TimedOut, strategies.InFlight} {
		n := min(left, parts[o])
		parts[o] -= n
		left -= n
	}
	return parts
}

// extremes returns the rows with the highest and the lowest peak, the first of each in the scenario's order.
func extremes(rows []row) (worst, best row) {
	worst, best = rows[0], rows[0]
	for _, r := range rows[1:] {
		if r.PeakWindow > worst.PeakWindow {
			worst = r
		}
		if r.PeakWindow < best.PeakWindow {
			best = r
		}
	}
	return worst, best
}

// jitterPair returns a strategy that backs off exponentially without jitter and one with full jitter over the same
// ceiling: the formula of the second has that of the first in it.
func (v *view) jitterPair() (plain, jittered row, ok bool) {
	for _, p := range v.rows {
		if p.key != "exponential" || p.formula == "" || strings.Contains(p.formula, "U[") || strings.Contains(p.formula, "±") {
			continue
		}
		for _, j := range v.rows {
			wait, terms, _ := strings.Cut(p.formula, "; ")
			jWait, jTerms, _ := strings.Cut(j.formula, "; ")
			if j.key == "full-jitter" && strings.Contains(jWait, wait) && terms == jTerms && j.Herd.Tasks == p.Herd.Tasks {
				return p, j, true
			}
		}
	}
	return row{}, row{}, false
}

// pair returns the two rows that tell the story: exponential without jitter and full jitter when they are there, else
// the worst and the best peak, the paced reference aside. With one row it is that row; with equal peaks, the first two.
func (v *view) pair() []row {
	if p, j, ok := v.jitterPair(); ok {
		return []row{p, j}
	}
	rows := v.contenders()
	if len(rows) < 2 {
		return rows
	}
	worst, best := extremes(rows)
	if worst.PeakWindow == best.PeakWindow {
		return rows[:2]
	}
	return []row{worst, best}
}

// origin names the instant 0.
func (v *view) origin() string {
	if v.Recovery > 0 {
		return "the failure"
	}
	return "the start"
}

// notes are remarks for the foot of a figure of which shown of all rows are drawn.
func (v *view) notes(shown int) []string {
	var ns []string
	if n := len(v.rows) - shown; n > 0 {
		ns = append(ns, comma(int64(n))+" more in summary.csv")
	}
	switch {
	case v.missing == 1:
		ns = append(ns, "1 strategy without a finished run")
	case v.missing > 1:
		ns = append(ns, comma(int64(v.missing))+" strategies without a finished run")
	case v.partial:
		ns = append(ns, "interrupted: some replicates are missing")
	}
	if v.Replicates > 1 {
		ns = append(ns, "replicate 1 of "+comma(int64(v.Replicates)))
	}
	return ns
}
