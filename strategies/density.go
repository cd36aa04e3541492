package strategies

import (
	"math"
	"time"

	"gonum.org/v1/gonum/dsp/fourier"
)

// Density returns the expected requests per second of one client that fails at 0 and ever after: the mean over each
// window [i × step, (i+1) × step) up to until. It counts the retries, not the first call. A herd of N that fails together
// asks N times as often; the value times step is what comes in a window, also where all come at one instant.
//
//	g(t) = f₁(t) + f₂(t) + …    fₖ the density of the sum of the first k waits
//
// If waits depend on the retry's number and u alone, the sums are convolved on a lattice of at least 4096 points: mass and
// mean are kept, the error of a window is of the order of (lattice/wait)², and an edge of g is blurred by a lattice
// point. Parts of waits without luck are added exactly. Other strategies are played by 2¹⁸ clients with evenly spread u,
// which is good to about 1 % of the highest value.
//
// Of waits that stay short but never settle, only the first 4096 are followed.
//
// What happens within one instant has no density: if waits may be 0 for ever the first window is +Inf. It is nil unless
// 0 < step <= until and there are at most 2¹⁶ windows.
func Density(s Strategy, step, until time.Duration) []float64 {
	if step <= 0 || until < step || until/step > 1<<16 {
		return nil
	}
	bins := make([]float64, (until-1)/step+1)
	if ReadsPrevious(s) || ReadsSlept(s) {
		densityDraws(s, step, bins)
	} else {
		densityLattice(s, step, bins)
	}
	for i := range bins {
		bins[i] /= step.Seconds()
	}
	return bins
}

const (
	leastCells    = 4096    // of the lattice
	mostConvolved = 4096    // retries that are convolved one by one; what comes after is left out
	mostRetries   = 1 << 20 // that are followed one by one
	manyRetries   = 64      // of one law: from so many on the rest is summed up at once
	negligible    = 1e-9    // chance that a retry comes before the end
	densityNodes  = 4096    // of a quantile function
)

// A sum is the distribution of the instant of a retry: an exact part and a random one on a lattice.
type sum struct {
	exact  time.Duration
	cell   float64     // width of the lattice, ns
	mass   []float64   // at exact + i × cell
	steps  bool        // what luck there is takes a few values only
	spread bool        // there is luck in it
	lone   *latticeLaw // the only wait with luck so far; nil if there is none, or more than one
}

// densityLattice adds the expected retries in each window.
func densityLattice(s Strategy, step time.Duration, bins []float64) {
	per := (leastCells + len(bins) - 1) / len(bins)
	cells := per * len(bins)
	now := &sum{cell: float64(step) / float64(per), mass: make([]float64, cells+1)}
	now.mass[0] = 1
	end := float64(step) * float64(len(bins))
	conv := newConvolver(cells + 1)
	var law latticeLaw
	same := false // the law is that of all retries to come
	for retry, convolved := 1, 0; convolved < mostConvolved && retry < mostRetries; retry++ {
		at, again := waitAt(s, retry)
		if !again {
			return
		}
		if !same {
			law, same = newLatticeLaw(at, now.cell, cells), settled(s, retry)
		}
		lucky := law.mass != nil || now.spread
		if many := end / max(law.mean, 1); same && retry > 1 && (many > mostRetries || lucky && many > manyRetries) {
			now.forever(law)
			now.addTo(bins, step)
			return
		}
		if lucky {
			convolved++
		}
		if now.add(law, conv, bins, step) < negligible {
			return
		}
	}
}

// waitAt returns the wait before a retry as a function of u, and whether there is one.
func waitAt(s Strategy, retry int) (at func(u float64) time.Duration, again bool) {
	a := Attempt{Retry: retry, SinceReset: retry, Outcome: Rejected}
	_, again = s.Wait(a, 0.5)
	return func(u float64) time.Duration {
		wait, _ := s.Wait(a, u)
		return max(wait, 0)
	}, again
}

// settled reports whether the waits are the same from the given retry on.
func settled(s Strategy, retry int) bool {
	for i := 0; i <= 64; i++ {
		u := min(float64(i)/64, topU)
		for _, later := range []int{retry + 1, 2 * retry, 1 << 20} {
			here, again := s.Wait(Attempt{Retry: retry, SinceReset: retry, Outcome: Rejected}, u)
			there, still := s.Wait(Attempt{Retry: later, SinceReset: later, Outcome: Rejected}, u)
			if here != there || again != still {
				return false
			}
		}
	}
	return true
}

// add moves the sum on by one wait, adds it to the windows that it lies in, and returns how much there is before the
// end. What has met luck once comes into the windows as it is: its density jumps, and the lattice would blur that. The
// density of a sum of two does not.
func (t *sum) add(law latticeLaw, c *convolver, bins []float64, step time.Duration) (all float64) {
	t.exact = plus(t.exact, law.least)
	if law.mass != nil {
		c.convolve(t.mass, law.mass)
		if t.lone, t.steps = nil, t.steps && law.steps; !t.spread {
			t.lone, t.steps = &law, law.steps
		}
		t.spread = true
	}
	if t.lone == nil {
		return t.addTo(bins, step)
	}
	begin := float64(t.exact) - float64(t.lone.least)
	for _, p := range t.lone.pieces {
		all += spreadWindows(bins, p.share, (begin+p.from)/float64(step), (begin+p.to)/float64(step))
	}
	return all
}

// forever makes of the instant of one retry the expected retries after it, all with the same law w: the solution of
// r = w * (f + r), from the left.
func (t *sum) forever(law latticeLaw) {
	w := make([]float64, len(t.mass))
	for _, p := range law.pieces {
		spreadMass(w, p.share, p.from/t.cell, p.to/t.cell)
	}
	last := len(w)
	for last > 0 && w[last-1] == 0 {
		last--
	}
	both := make([]float64, len(t.mass)) // f + r
	for j, f := range t.mass {
		known := f
		for i := 1; i < last && i <= j; i++ {
			known += w[i] * both[j-i]
		}
		if known > 0 { // w[0] of it comes back at once, again and again
			both[j] = known / (1 - w[0])
			if w[0] > 1-negligible {
				both[j] = math.Inf(1)
			}
		}
		t.mass[j] = both[j] - f
	}
	t.spread = true
}

// addTo adds the mass to the windows that it lies in, and returns how much there is before the end.
func (t *sum) addTo(bins []float64, step time.Duration) (all float64) {
	width := t.cell / float64(step)
	if !t.spread {
		if j := t.exact / step; int64(j) < int64(len(bins)) {
			bins[j]++
			return 1
		}
		return 0
	}
	for i, m := range t.mass {
		if m == 0 {
			continue
		}
		at := float64(t.exact)/float64(step) + float64(i)*width
		if at >= float64(len(bins))+width {
			break
		}
		all += m
		if t.steps {
			if j := int(at + 1e-6); j < len(bins) {
				bins[j] += m
			}
			continue
		}
		from, to := at-width/2, at+width/2
		if i == 0 { // there is nothing below the least wait
			from = at
		}
		spreadWindows(bins, m, from, to)
	}
	return all
}

// spreadWindows adds a mass that is uniform over [from, to), in windows, and returns how much of it is in them.
func spreadWindows(bins []float64, m, from, to float64) (all float64) {
	if !(from < float64(len(bins))) {
		return 0
	}
	i, last := int(from), int(min(to, float64(len(bins)-1)))
	if i >= int(min(to, 1<<53)) {
		bins[i] += m
		return m
	}
	for ; i <= last; i++ {
		part := m * (min(to, float64(i+1)) - max(from, float64(i))) / (to - from)
		bins[i] += part
		all += part
	}
	return all
}

// A convolver convolves distributions on the same lattice.
type convolver struct {
	fft    *fourier.FFT
	a, b   []float64
	fa, fb []complex128
}

func newConvolver(n int) *convolver {
	size := 1
	for size < 2*n {
		size *= 2
	}
	return &convolver{fft: fourier.NewFFT(size), a: make([]float64, size), b: make([]float64, size)}
}

// convolve puts a * b into a, cut at its length.
func (c *convolver) convolve(a, b []float64) {
	clear(c.a)
	clear(c.b)
	copy(c.a, a)
	copy(c.b, b)
	c.fa, c.fb = c.fft.Coefficients(c.fa, c.a), c.fft.Coefficients(c.fb, c.b)
	for i := range c.fa {
		c.fa[i] *= c.fb[i]
	}
	c.fft.Sequence(c.a, c.fa)
	for i := range a {
		a[i] = max(c.a[i]/float64(len(c.a)), 0)
	}
}
