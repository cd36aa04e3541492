package report

import (
	"math"
	"slices"
	"time"

	"herdsim/sim"
)

// A spread is one measure over the finished replicates of a strategy. Infinite is above everything.
type spread struct{ low, median, high float64 }

// spreadOf sorts xs, which must not be empty. Of an even number the lower of the two middle values is the median, so
// that it is a value that was seen.
func spreadOf(xs []float64) spread {
	slices.Sort(xs)
	return spread{xs[0], xs[(len(xs)-1)/2], xs[len(xs)-1]}
}

// A digest is what people are told about one strategy.
type digest struct {
	entry *Entry
	runs  []*sim.Result // the finished ones, never empty
	open  string        // what a task of the open traffic is called

	peak       spread // requests in the busiest window, the failure itself left out
	requests   spread
	completion spread // of the herd, in nanoseconds; +Inf with tasks left over, NaN without a herd
	left       spread // tasks of the herd that were never served
	openServed spread // share of the open tasks; NaN without any
	unfinished int    // runs that leave some of the herd over
}

// digests returns those of the entries that have a finished run.
func (r *Report) digests() []digest {
	var ds []digest
	for i := range r.Entries {
		e := &r.Entries[i]
		runs := slices.DeleteFunc(slices.Clone(e.Runs), func(r *sim.Result) bool { return r == nil })
		if len(runs) > 0 {
			ds = append(ds, newDigest(e, runs, r.Setup.openNoun()))
		}
	}
	return ds
}

func newDigest(e *Entry, runs []*sim.Result, open string) digest {
	d := digest{entry: e, runs: runs, open: open}
	over := func(measure func(*sim.Result) float64) spread {
		xs := make([]float64, len(runs))
		for i, r := range runs {
			xs[i] = measure(r)
		}
		return spreadOf(xs)
	}
	d.peak = over(func(r *sim.Result) float64 { return float64(r.PeakWindow) })
	d.requests = over(func(r *sim.Result) float64 { return float64(r.Attempts) })
	d.completion = over(completion)
	d.left = over(func(r *sim.Result) float64 { return float64(r.Herd.Tasks - r.Herd.Succeeded) })
	d.openServed = over(func(r *sim.Result) float64 { return float64(r.Open.Succeeded) / float64(r.Open.Tasks) })
	for _, r := range runs {
		if r.Herd.Succeeded < r.Herd.Tasks {
			d.unfinished++
		}
	}
	return d
}

// completion returns when all of the herd were served, in nanoseconds: +Inf for never, NaN without a herd.
func completion(r *sim.Result) float64 {
	switch n := len(r.Completions); {
	case r.Herd.Tasks == 0:
		return math.NaN()
	case r.Herd.Succeeded < r.Herd.Tasks || n == 0:
		return math.Inf(1)
	default:
		return float64(r.Completions[n-1])
	}
}

// finishes reports whether the herd is served whole, in the median.
func (d *digest) finishes() bool { return d.completion.median < math.Inf(1) }

// hasHerd reports whether the strategy was given a herd at all.
func (d *digest) hasHerd() bool { return d.runs[0].Herd.Tasks > 0 }

// tasks is the size of its herd.
func (d *digest) tasks() int64 { return d.runs[0].Herd.Tasks }

// silent reports whether no run had a request at the service.
func (d *digest) silent() bool {
	return !slices.ContainsFunc(d.runs, func(r *sim.Result) bool { return r.PeakWindow > 0 || requestWindows(r) > 0 })
}

// shown is the run that sparklines show: the first finished one.
func (d *digest) shown() *sim.Result { return d.runs[0] }

// span prints nanoseconds for people, "never" for infinite.
func span(ns float64) string {
	if math.IsInf(ns, 1) {
		return "never"
	}
	return Span(time.Duration(ns))
}
