package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"herdsim/sim"
)

// A Pair is the two entries that text and pictures set side by side, as indices of Entries.
type Pair struct {
	Worse, Better int
	Story         bool // they are the same backoff without jitter and with it, in whatever order
}

// Pair picks an exponential backoff without jitter and full jitter over the same ceiling if both are there, else the worst
// and the best by the first of these measures in which all differ by more than a tenth: the peak, the peak after the
// recovery, the time until all are served, the requests. paced, which no client can do, is taken only for want of
// another. ok is false with fewer than two entries of which a run was finished.
func (r *Report) Pair() (p Pair, ok bool) {
	ds := r.digests()
	if len(ds) < 2 {
		return Pair{}, false
	}
	worse, better := r.pair(ds)
	for i := range r.Entries {
		switch e := &r.Entries[i]; e {
		case worse.entry:
			p.Worse = i
		case better.entry:
			p.Better = i
		}
	}
	plain, _ := story(ds)
	p.Story = plain != nil // then it is they
	return p, true
}

// pair is Pair for ds, which has two at least.
func (r *Report) pair(ds []digest) (worse, better *digest) {
	if plain, jittered := story(ds); plain != nil {
		if compareLoad(plain, jittered) < 0 {
			return jittered, plain
		}
		return plain, jittered
	}
	able := contenders(ds)
	compare := compareLoad
	for _, m := range r.measures() {
		if low, high := extent(able, m); high > clearly*low {
			compare = func(a, b *digest) int { return cmp.Or(cmp.Compare(m(a), m(b)), compareLoad(a, b)) }
			break
		}
	}
	better = slices.MinFunc(able, compare)
	able = slices.DeleteFunc(able, func(d *digest) bool { return d == better })
	return slices.MaxFunc(able, compare), better
}

// story returns the two that show what jitter does.
func story(ds []digest) (plain, jittered *digest) {
	for i := range ds {
		p := &ds[i]
		if p.entry.Key != "exponential" || strings.Contains(p.entry.Formula, "U[") || strings.Contains(p.entry.Formula, "±") {
			continue
		}
		for k := range ds {
			if j := &ds[k]; j.entry.Key == "full-jitter" && sameCeiling(p.entry.Formula, j.entry.Formula) && p.tasks() == j.tasks() {
				return p, j
			}
		}
	}
	return nil, nil
}

// sameCeiling reports whether a formula with jitter has the one without in it, and what stands beside it is the same.
func sameCeiling(plain, jittered string) bool {
	wait, terms, _ := strings.Cut(plain, "; ")
	jWait, jTerms, _ := strings.Cut(jittered, "; ")
	return strings.Contains(jWait, wait) && (wait == "") == (jWait == "") && terms == jTerms
}

// contenders are all but the paced reference, with it if there would be fewer than two.
func contenders(ds []digest) []*digest {
	var able, paced []*digest
	for i := range ds {
		if d := &ds[i]; d.entry.Key == "paced" {
			paced = append(paced, d)
		} else {
			able = append(able, d)
		}
	}
	for len(able) < 2 {
		able, paced = append(able, paced[0]), paced[1:]
	}
	return able
}

// compareLoad orders by peak, then by the time until all are served, then by requests.
func compareLoad(a, b *digest) int {
	return cmp.Or(
		cmp.Compare(a.peak.median, b.peak.median),
		cmp.Compare(a.completion.median, b.completion.median),
		cmp.Compare(a.requests.median, b.requests.median),
	)
}

// A measure is what strategies are compared by; less is better.
type measure func(d *digest) float64

// measures are those that a pair is chosen by, the most telling first.
func (r *Report) measures() []measure {
	return []measure{
		func(d *digest) float64 { return d.peak.median },
		func(d *digest) float64 { return d.after(&r.Setup) },
		func(d *digest) float64 { return d.completion.median },
		func(d *digest) float64 { return d.requests.median },
	}
}

// extent returns the least and the most of a measure; NaN counts as nothing.
func extent(ds []*digest, m measure) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, d := range ds {
		if x := m(d); !math.IsNaN(x) {
			low, high = min(low, x), max(high, x)
		}
	}
	return low, high
}

// after returns the median of PeakAfter over the finished runs.
func (d *digest) after(s *Setup) float64 {
	xs := make([]float64, len(d.runs))
	for i, r := range d.runs {
		xs[i] = float64(PeakAfter(r, s))
	}
	return spreadOf(xs).median
}

// PeakAfter returns the most requests of r in a window that begins at the recovery or later, the failure itself left out:
// what the peak of an outage's time hides. Without an outage at t0 it is the peak.
func PeakAfter(r *sim.Result, s *Setup) int64 {
	if s.Recovery <= 0 || r.Window <= 0 {
		return r.PeakWindow
	}
	first := int64((s.Recovery-1)/r.Window) + 1
	var most int64
	for i := range r.Windows {
		if w := &r.Windows[i]; w.Index >= first {
			most = max(most, load(w))
		}
	}
	return most
}
