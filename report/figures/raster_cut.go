package figures

import (
	"math"
	"slices"
	"time"
)

// recorded returns until when the record of r's workers is whole. Attempts are recorded as they end, until there are too
// many: what is missing ended later than the last of the sample, and began before that by no longer than others took.
func (r row) recorded() time.Duration {
	if !r.SampleFull || len(r.Sample) == 0 {
		return math.MaxInt64
	}
	var last, longest time.Duration
	for _, a := range r.Sample {
		last = max(last, a.End)
		longest = max(longest, a.End-attempt(a).reached())
	}
	return max(0, last-longest)
}

// last returns when the last request of the panels was sent: what comes then is not of the workers.
func (ps *panels) last() (last time.Duration) {
	for _, ws := range ps.workers {
		for _, w := range ws {
			for _, a := range w.attempts {
				last = max(last, a.reached())
			}
		}
	}
	return last
}

// setAxis lets the time axis end soon after the last request, or where a record does, so that no row goes blank for want of
// one.
func (ps *panels) setAxis() {
	need := ps.v.extentFor(ps.rows)
	if last := ps.last(); last < need/2 {
		need = max(last+last/20, 5*ps.v.window)
	}
	ps.axis = newTimeAxis(need, 11-2*len(ps.rows))
	until := time.Duration(math.MaxInt64)
	for _, r := range ps.rows {
		until = min(until, r.recorded())
	}
	if until = max(until, ps.v.window); until < ps.axis.max {
		ps.axis = newTimeAxis(until, 11-2*len(ps.rows))
		ps.axis.max, ps.cut = until, true
		ps.axis.ticks = slices.DeleteFunc(ps.axis.ticks, func(t time.Duration) bool { return t > until })
	}
}
