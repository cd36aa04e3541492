package report

import (
	"slices"
	"strings"
	"time"

	"herdsim/sim"
	"herdsim/strategies"
)

const (
	tied    = 1.005 // up to which ratio two completions are one
	sooner  = 1.05  // from which ratio on a completion is earlier for more than luck
	clearly = 1.1   // from which ratio on a peak, or a number of requests, is the larger
)

// SameTime reports whether two completions are too close to name one of them the first: they differ by half a percent at
// most.
func SameTime(a, b time.Duration) bool { return sameTime(float64(a), float64(b)) }

func sameTime(a, b float64) bool { return max(a, b) <= tied*min(a, b) }

// FreeRejects explains the paradox of free rejects, "" where there is none: if a rejection, or a conflict, costs the downstream nothing,
// no work was wasted and it did not break down under the load, nothing holds back the strategies that ask most, and they are served first. It takes those that
// finish first, by more than luck before all who ask less.
func (r *Report) FreeRejects() string { return r.freeRejects(r.digests()) }

func (r *Report) freeRejects(ds []digest) string {
	if r.Setup.RejectCost > 0 || slices.ContainsFunc(ds, wastes) || slices.ContainsFunc(ds, crashes) {
		return ""
	}
	first, others := leaders(ds)
	free, happens := "Rejects", rejected
	if r.Setup.Conflicts {
		free, happens = "Conflicts", conflicted
	}
	if len(others) == 0 || !slices.ContainsFunc(first, happens) {
		return ""
	}
	peak := func(d *digest) float64 { return d.peak.median }
	requests := func(d *digest) float64 { return d.requests.median }
	var why []string
	if above(first, others, peak) {
		why = append(why, "the highest peak")
	}
	if above(first, others, requests) {
		why = append(why, "the most requests")
	}
	if len(why) == 0 {
		return ""
	}
	least, leastRequests := lowest(first, peak), lowest(first, requests)
	for _, d := range others {
		if asksLess := clearly*peak(d) < least || clearly*requests(d) < leastRequests; asksLess &&
			d.completion.median < sooner*first[0].completion.median {
			return ""
		}
	}
	crudest, verb := "strategy", "finishes"
	if len(first) > 1 {
		crudest, verb = "strategies", "finish"
	}
	if slices.ContainsFunc(ds, func(d digest) bool {
		return d.entry.Key == "paced" && d.completion.median <= tied*first[0].completion.median
	}) {
		crudest = "real " + crudest
	}
	if len(why) == 2 && len(first) > 1 {
		why = []string{"the highest peaks", "the most requests"}
	}
	return free + " cost nothing here, so the crudest " + crudest + " " + verb + " first: " + namesOf(first) + ", with " +
		strings.Join(why, " and ") + "."
}

// wastes reports whether work was done for nobody in a run.
func wastes(d digest) bool {
	return slices.ContainsFunc(d.runs, func(r *sim.Result) bool { return r.Wasted > 0 })
}

// crashes reports whether the downstream broke down in a run.
func crashes(d digest) bool {
	return slices.ContainsFunc(d.runs, func(r *sim.Result) bool { return len(r.Crashes) > 0 })
}

// rejected reports whether a request was turned away in a run.
func rejected(d *digest) bool {
	return slices.ContainsFunc(d.runs, func(r *sim.Result) bool { return r.Outcomes[strategies.Rejected] > 0 })
}

// conflicted reports whether a request failed after its service, which under contention is a conflict, in a run.
func conflicted(d *digest) bool {
	return slices.ContainsFunc(d.runs, func(r *sim.Result) bool { return r.Outcomes[strategies.Errored] > 0 })
}

// leaders are those that serve their herds first, the earliest before those that tie with it, and others who serve theirs
// later. paced, which no client can do, is none of them.
func leaders(ds []digest) (first, others []*digest) {
	var able []*digest
	for i := range ds {
		if d := &ds[i]; d.entry.Key != "paced" && d.hasHerd() && d.finishes() {
			able = append(able, d)
		}
	}
	if len(able) == 0 {
		return nil, nil
	}
	least := lowest(able, func(d *digest) float64 { return d.completion.median })
	for _, d := range able {
		if sameTime(d.completion.median, least) {
			first = append(first, d)
		} else {
			others = append(others, d)
		}
	}
	slices.SortStableFunc(first, func(a, b *digest) int {
		switch x, y := a.completion.median, b.completion.median; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return -compareLoad(a, b)
	})
	return first, others
}

// above reports whether no one of others measures more than any of some, and one of them clearly less.
func above(some, others []*digest, m measure) bool {
	least := lowest(some, m)
	_, most := extent(others, m)
	return least >= most && least > clearly*lowest(others, m)
}

func lowest(ds []*digest, m measure) float64 {
	low, _ := extent(ds, m)
	return low
}

// namesOf lists names: "a", "a and b", "a, b and c".
func namesOf(ds []*digest) string {
	var names []string
	for _, d := range ds {
		names = append(names, d.entry.Name)
	}
	if n := len(names) - 1; n > 0 {
		return strings.Join(names[:n], ", ") + " and " + names[n]
	}
	return names[0]
}
