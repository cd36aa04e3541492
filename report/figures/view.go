package figures

import (
	"math"
	"slices"
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
	perBar  float64  // capacity x window: requests that fit into one window; 0 when there is no bound
	clock   timeAxis // that of the picture, in whose unit its words write times; none yet if its end is 0
}

// A row is one strategy and its first replicate.
type row struct {
	name, key, formula string
	*sim.Result
	entry *report.Entry // with the other replicates
}

func newView(r *report.Report) *view {
	if r == nil {
		return &view{window: time.Second}
	}
	v := &view{Setup: r.Setup, partial: r.Partial, window: r.Setup.Window}
	for i := range r.Entries {
		e := &r.Entries[i]
		if len(e.Runs) == 0 || e.Runs[0] == nil {
			v.missing++
			continue
		}
		v.rows = append(v.rows, row{clean(e.Name), e.Key, simple(clean(e.Formula)), e.Runs[0], e})
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
func (v *view) peak(r row) string { return v.load(r.PeakWindow) }

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

// pair returns the two rows that the text report compares too, the worse first; story says that they are the same backoff
// without jitter and with it. With one row it is that row.
func (v *view) pair() (rows []row, story bool) {
	return v.pairOf(v.rows)
}

func (v *view) pairOf(rows []row) (two []row, story bool) {
	p, ok := v.reportOf(rows).Pair()
	if !ok {
		return rows, false
	}
	return []row{rows[p.Worse], rows[p.Better]}, p.Story
}

// unit returns the one in which all completions of the run are written.
func (v *view) unit() unit {
	var longest time.Duration
	for _, r := range v.rows {
		longest = max(longest, r.last())
	}
	if longest == 0 || longest >= 100*time.Millisecond && longest < time.Second {
		return unitFor(time.Second)
	}
	return unitFor(longest)
}

// reportOf returns the report of some rows alone.
func (v *view) reportOf(rows []row) *report.Report {
	r := &report.Report{Setup: v.Setup}
	for _, row := range rows {
		r.Entries = append(r.Entries, *row.entry)
	}
	return r
}

// after returns the peak of r once the service is back.
func (v *view) after(r row) int64 { return report.PeakAfter(r.Result, &v.Setup) }

// load writes a number of requests in a window as peak does.
func (v *view) load(n int64) string {
	if v.bounded() {
		return times(float64(n) / v.perBar)
	}
	return short(n, 100_000)
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
