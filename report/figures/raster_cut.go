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

// setAxis lets the time axis end where a record does, so that no row goes blank for want of one.
func (ps *panels) setAxis() {
	ps.axis = newTimeAxis(ps.v.extentFor(ps.rows), 11-2*len(ps.rows))
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
