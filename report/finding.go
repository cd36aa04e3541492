package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Finding returns one sentence that says what the runs show, whatever they show: how the strategies at the two ends
// differ in their busiest window and in serving everyone.
func (r *Report) Finding() string { return r.finding(r.digests()) }

func (r *Report) finding(ds []digest) string {
	switch len(ds) {
	case 0:
		return "No run was finished, so there is nothing to compare."
	case 1:
		return r.findingOfOne(&ds[0])
	}
	worse, better := pair(ds)
	return r.findingOfTwo(worse, better)
}

// pair picks the two strategies to set side by side, the one with the higher peak first: exponential and full jitter if
// both are there, else the worst and the best. paced, which no client can do, is taken only for want of another. ds has
// two at least.
func pair(ds []digest) (worse, better *digest) {
	keyed := func(key string) int {
		return slices.IndexFunc(ds, func(d digest) bool { return d.entry.Key == key })
	}
	if e, f := keyed("exponential"), keyed("full-jitter"); e >= 0 && f >= 0 {
		if compareLoad(&ds[e], &ds[f]) < 0 {
			e, f = f, e
		}
		return &ds[e], &ds[f]
	}
	var able []*digest
	for i := range ds {
		if ds[i].entry.Key != "paced" {
			able = append(able, &ds[i])
		}
	}
	if len(able) < 2 {
		able = []*digest{&ds[0], &ds[1]}
	}
	better = slices.MinFunc(able, compareLoad)
	able = slices.DeleteFunc(able, func(d *digest) bool { return d == better })
	return slices.MaxFunc(able, compareLoad), better
}

// compareLoad orders by peak, then by the time until all are served, then by requests.
func compareLoad(a, b *digest) int {
	return cmp.Or(
		cmp.Compare(a.peak.median, b.peak.median),
		cmp.Compare(a.completion.median, b.completion.median),
		cmp.Compare(a.requests.median, b.requests.median),
	)
}

func (r *Report) findingOfOne(d *digest) string {
	s := d.entry.Name + " asks nothing beyond the failure itself"
	if d.peak.median > 0 {
		s = fmt.Sprintf("%s peaks at %s in %s%s", d.entry.Name, plural(d.peak.median, "request"),
			Setting(r.Setup.Window), r.capacityNote())
	}
	switch {
	case d.hasHerd() && d.finishes():
		s += fmt.Sprintf(" and serves %s in %s", everyone(d), span(d.completion.median))
	case d.hasHerd():
		s += " and " + leaves(d)
	case !math.IsNaN(d.openServed.median):
		s += fmt.Sprintf(" and serves %s of the arrivals", Percent(d.openServed.median))
	}
	return s + medians(d, d) + "."
}

func (r *Report) findingOfTwo(worse, better *digest) string {
	a, b := worse.entry.Name, better.entry.Name
	var s, subject string
	switch {
	case worse.peak.median == 0:
		s, subject = fmt.Sprintf("Neither %s nor %s asks anything beyond the failure itself", a, b), b+" "
	case worse.peak.median == better.peak.median:
		s = fmt.Sprintf("%s and %s peak alike, at %s in %s%s", a, b, plural(worse.peak.median, "request"),
			Setting(r.Setup.Window), r.capacityNote())
		subject = b + " "
	default:
		s = fmt.Sprintf("%s cuts the busiest %s of %s from %s to %s%s", b, Setting(r.Setup.Window), a,
			count(worse.peak.median), plural(better.peak.median, "request"), r.capacityNote())
	}
	switch {
	case worse.hasHerd() && better.hasHerd():
		s += compareCompletion(worse, better, subject)
	case !worse.hasHerd() && !better.hasHerd():
		s += compareOpen(worse, better, subject)
	}
	return s + medians(worse, better) + "."
}

// compareCompletion continues the sentence with who is served, and when. subject names the better one if the sentence
// so far was not about it alone.
func compareCompletion(worse, better *digest, subject string) string {
	join, but := " and ", " but "
	if subject != "" {
		join, but = "; "+subject, "; "+subject
	}
	switch w, b := worse.completion.median, better.completion.median; {
	case worse.finishes() && better.finishes():
		switch who := everyone(better); {
		case b < w:
			return fmt.Sprintf("%sserves %s %s sooner", join, who, span(w-b))
		case b > w:
			return fmt.Sprintf("%sserves %s %s later", but, who, span(b-w))
		case subject != "":
			return fmt.Sprintf("; both serve %s in %s", who, span(b))
		default:
			return fmt.Sprintf(" and serves %s at the same time", who)
		}
	case better.finishes():
		return fmt.Sprintf("%sserves %s, which %s does not", join, everyone(better), worse.entry.Name)
	case worse.finishes():
		return fmt.Sprintf("%s%s, where %s serves %s", but, leaves(better), worse.entry.Name, everyone(worse))
	}
	return "; neither serves " + everyone(better)
}

// compareOpen continues the sentence with the share of the open traffic that was served.
func compareOpen(worse, better *digest, subject string) string {
	w, b := worse.openServed.median, better.openServed.median
	switch {
	case math.IsNaN(w) || math.IsNaN(b):
		return ""
	case Percent(w) == Percent(b):
		return fmt.Sprintf("; both serve %s of the arrivals", Percent(b))
	case subject != "":
		return fmt.Sprintf("; %sserves %s of the arrivals, %s %s", subject, Percent(b), worse.entry.Name, Percent(w))
	}
	return fmt.Sprintf("; it serves %s of the arrivals, %s %s", Percent(b), worse.entry.Name, Percent(w))
}

// capacityNote says what the nominal capacity allows in a window, "" without a bound.
func (r *Report) capacityNote() string {
	if limit, ok := r.Setup.PerWindow(); ok {
		return " (capacity: " + Short(limit) + ")"
	}
	return ""
}

// leaves says how many of the herd were not served.
func leaves(d *digest) string {
	tasks := d.runs[0].Herd.Tasks
	if tasks == 1 {
		return "leaves the worker unserved"
	}
	return fmt.Sprintf("leaves %s of %s workers unserved", count(d.left.median), Count(tasks))
}

func everyone(d *digest) string {
	if d.runs[0].Herd.Tasks == 1 {
		return "the worker"
	}
	return "everyone"
}

// medians says so when the numbers are those of several replicates.
func medians(a, b *digest) string {
	n := len(a.runs)
	switch {
	case n == 1 && len(b.runs) == 1:
		return ""
	case n == len(b.runs):
		return " (medians of " + strconv.Itoa(n) + " replicates)"
	}
	return " (medians of the replicates that were finished)"
}

// plural prints n with a noun that takes an s.
func plural(n float64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}
