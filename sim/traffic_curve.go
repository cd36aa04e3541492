package sim

import (
	"math"

	"herdsim/downstream"
)

// Tasks returns how many tasks the phase brings before an instant, on average: the integral of its rate.
func (p Phase) Tasks(before Time) float64 {
	end := min(before, p.To)
	if end <= p.From {
		return 0
	}
	c := newCurve(p)
	c.begin(p.From)
	return c.mass(float64(end - p.From))
}

// A curve is a Phase whose rate is integrated from the beginning of a stretch. Rates are in events per nanosecond.
type curve struct {
	Phase
	rate, end float64
	slope     float64 // of a Ramp
	low, high float64 // of a Sine: the angles between which it would be below 0, if it ever is
	under     float64 // of a Sine: what lies below 0 in a period
	period    float64 // of a Sine: the integral over one
	past      float64 // ns of the phase before the stretch
	before    float64 // of a Sine: the integral over them
}

func newCurve(p Phase) curve {
	c := curve{Phase: p, rate: perSecond(p.Rate) / 1e9, end: perSecond(p.End) / 1e9}
	switch p.Shape {
	case Ramp:
		c.slope = (c.end - c.rate) / float64(p.To-p.From)
	case Sine:
		c.low, c.high = 2*math.Pi, 2*math.Pi
		if c.end > c.rate {
			zero := math.Asin(c.rate / c.end)
			c.low, c.high = math.Pi+zero, 2*math.Pi-zero
		}
		c.under = c.area(c.high) - c.area(c.low)
		c.period = c.area(2*math.Pi) - c.under
	}
	return c
}

// perSecond returns the events of a rate per second, which are none for the zero Rate.
func perSecond(r downstream.Rate) float64 {
	if r.Events == 0 {
		return 0
	}
	return r.PerSecond()
}

// begin sets the beginning of the stretch.
func (c *curve) begin(from Time) {
	c.past = float64(from - c.From)
	if c.Shape == Sine {
		c.before = c.wave(c.past)
	}
}

// mass returns the integral of the rate over the first x nanoseconds of the stretch.
func (c *curve) mass(x float64) float64 {
	switch c.Shape {
	case Ramp:
		return x * (c.rate + c.slope*(c.past+x/2))
	case Sine:
		return c.wave(c.past+x) - c.before
	case Spike:
		decay := float64(c.Span)
		return c.rate * decay * math.Exp(-c.past/decay) * -math.Expm1(-x/decay)
	}
	if c.Rate.Events == 0 {
		return 0
	}
	return float64(c.Rate.Events) * x / float64(c.Rate.Per)
}

// rateAt returns the rate x nanoseconds after the beginning of the stretch.
func (c *curve) rateAt(x float64) float64 {
	t := c.past + x
	switch c.Shape {
	case Ramp:
		return max(0, c.rate+c.slope*t)
	case Sine:
		_, rest := c.periods(t)
		return max(0, c.rate+c.end*math.Sin(2*math.Pi*rest/float64(c.Span)))
	case Spike:
		return c.rate * math.Exp(-t/float64(c.Span))
	}
	return c.rate
}

// wave returns the integral of a Sine over its first t nanoseconds, without what lies below 0.
func (c *curve) wave(t float64) float64 {
	n, rest := c.periods(t)
	angle := 2 * math.Pi * rest / float64(c.Span)
	switch {
	case angle <= c.low:
		return n*c.period + c.area(angle)
	case angle <= c.high:
		return n*c.period + c.area(c.low)
	}
	return n*c.period + c.area(angle) - c.under
}

// area returns the integral of a Sine from the beginning of a period to an angle:
//
//	Span / 2 pi x (Rate angle + End (1 - cos angle))
func (c *curve) area(angle float64) float64 {
	sine := math.Sin(angle / 2)
	return float64(c.Span) / (2 * math.Pi) * (c.rate*angle + 2*c.end*sine*sine)
}

// periods returns how many whole periods of a Sine lie in its first t nanoseconds, and the rest of them. It is math.Mod,
// which takes its time.
func (c *curve) periods(t float64) (n, rest float64) {
	span := float64(c.Span)
	n = math.Floor(t / span)
	rest = math.FMA(-n, span, t)
	switch { // the quotient was rounded to a whole number
	case rest < 0:
		n, rest = n-1, rest+span
	case rest >= span:
		n, rest = n+1, rest-span
	}
	return n, rest
}
