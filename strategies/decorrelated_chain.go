package strategies

import "math"

// The waits of Decorrelated are a Markov chain. The density of one wait follows from that of the wait before,
//
//	f'(x) = ∫ f(y) / (high(y) - base) dy    over y > x/factor,    [base, high(y)) the interval drawn from after y
//
// where the point mass at the cap counts as a y of its own. f is smooth but for kinks at base × factorⁱ and at
// cap / factorⁱ, so it is kept at the Gauss points of panels that are cut there. On a logarithmic axis the cuts repeat
// with period ln factor: x/factor is the same point of a panel one period below, and nothing has to be interpolated.
// Twelve digits are good; that waits are whole nanoseconds is left out.
type chain struct {
	base, factor, most float64 // most: the cap, or NoBound; nanoseconds; 0 < base < most, factor > 1
	inside             bool    // the cap bounds the interval
	piles              bool    // there is a point mass at most
	rule               *gauss
	cuts               []float64         // of one period, in units of it, from 0 to 1
	mass               [][points]float64 // probability per unit of a panel's own coordinate, at its points
	atMost             float64           // the point mass
}

// newChain returns the chain of s after its first wait, with room for that many waits.
func newChain(s Decorrelated, waits int) *chain {
	c := &chain{base: float64(s.Base), most: float64(limit(s.Cap)), inside: s.ClampInside, rule: newGauss()}
	c.factor = min(s.Factor, 1e100) // so that products stay finite
	whole, part := math.Modf(math.Log(c.most/c.base) / math.Log(c.factor))
	c.piles = !c.inside && whole < float64(waits)
	const narrow = 1e-12 // a panel below this is rounding
	switch {
	case whole >= float64(waits): // most is out of reach
		whole, part = float64(waits), 0
	case part < narrow:
		part = 0
	case part > 1-narrow:
		whole, part = whole+1, 0
	}
	c.cuts = []float64{0}
	c.cut(part)
	beyond := len(c.cuts) - 1
	c.cut(1)
	c.mass = make([][points]float64, int(whole)*(len(c.cuts)-1)+beyond)
	c.set(1/(c.high(c.base)-c.base), nil)
	return c
}

// cut adds panels up to the given place in the period, none of them wider than a factor of 2.
func (c *chain) cut(to float64) {
	from := c.cuts[len(c.cuts)-1]
	n := math.Ceil((to - from) * math.Log2(c.factor))
	for i := 1.0; i <= n; i++ {
		c.cuts = append(c.cuts, from+(to-from)*(i/n))
	}
}

// at returns the wait at coordinate t of panel p, and its derivative.
func (c *chain) at(p int, t float64) (y, slope float64) {
	period, panel := p/(len(c.cuts)-1), p%(len(c.cuts)-1)
	width := c.cuts[panel+1] - c.cuts[panel]
	y = c.base * math.Pow(c.factor, float64(period)+c.cuts[panel]+width*t)
	return y, y * width * math.Log(c.factor)
}

// high returns the end of the interval that the wait after y is drawn from.
func (c *chain) high(y float64) float64 {
	if c.inside {
		return min(c.most, c.factor*y)
	}
	return c.factor * y
}

// next moves the chain on by one wait.
func (c *chain) next() {
	above := c.atMost / (c.high(c.most) - c.base) // the integral over all that lies above
	from := make([][points]float64, len(c.mass))  // the integral above each point
	for p := len(c.mass) - 1; p >= 0; p-- {
		var f [points]float64
		for i, t := range c.rule.x {
			y, _ := c.at(p, t)
			f[i] = c.mass[p][i] / (c.high(y) - c.base)
		}
		for i := range f {
			from[p][i] = above + dot(&c.rule.above[i], &f)
		}
		above += dot(&c.rule.weight, &f)
	}
	c.set(above, from)
}

// set gives each point its density: first in the lowest period, above it that of from one period below, 0 if nil.
func (c *chain) set(first float64, from [][points]float64) {
	total := 0.0
	for p := range c.mass {
		below := p - (len(c.cuts) - 1)
		for i, t := range c.rule.x {
			density := first
			if below >= 0 {
				density = 0
				if from != nil {
					density = from[below][i]
				}
			}
			_, slope := c.at(p, t)
			c.mass[p][i] = density * slope
		}
		total += dot(&c.rule.weight, &c.mass[p])
	}
	c.atMost = 0
	if rest := 1 - total; c.piles && rest > 1e-12 {
		c.atMost = rest
	}
}

// mean returns the expected wait.
func (c *chain) mean() float64 {
	sum := c.atMost * c.most
	for p := range c.mass {
		for i, t := range c.rule.x {
			y, _ := c.at(p, t)
			sum += c.rule.weight[i] * c.mass[p][i] * y
		}
	}
	return sum
}

// exceeded returns the wait that is exceeded with the given chance.
func (c *chain) exceeded(chance float64) float64 {
	left := chance - c.atMost
	if left <= 0 {
		return c.most
	}
	for p := len(c.mass) - 1; p >= 0; p-- {
		all := dot(&c.rule.weight, &c.mass[p])
		if left > all {
			left -= all
			continue
		}
		low, high := 0.0, 1.0
		for range 52 {
			middle := (low + high) / 2
			row := c.rule.integral(middle)
			if dot(&row, &c.mass[p]) > left {
				low = middle
			} else {
				high = middle
			}
		}
		y, _ := c.at(p, low)
		return y
	}
	return c.base
}
