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
	zero      float64 // of a Sine that would fall below 0: by how much of a circle after half of it
	clipped   bool    // a Sine would
	period    float64 // the integral over one of a Sine
	past      float64 // ns of the phase before the stretch
	before    float64 // of a Sine: the integral over them
}

func newCurve(p Phase) curve {
	c := curve{Phase: p, rate: perSecond(p.Rate) / 1e9, end: perSecond(p.End) / 1e9}
	switch p.Shape {
	case Ramp:
		c.slope = (c.end - c.rate) / float64(p.To-p.From)
	case Sine:
		if c.clipped = c.end > c.rate; c.clipped {
			c.zero = math.Asin(c.rate / c.end)
		}
		c.period = c.partOfPeriod(2 * math.Pi)
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
		return max(0, c.rate+c.end*math.Sin(2*math.Pi*math.Mod(t, float64(c.Span))/float64(c.Span)))
	case Spike:
		return c.rate * math.Exp(-t/float64(c.Span))
	}
	return c.rate
}

// wave returns the integral of a Sine over its first t nanoseconds.
func (c *curve) wave(t float64) float64 {
	span := float64(c.Span)
	rest := math.Mod(t, span)
	return math.Round((t-rest)/span)*c.period + c.partOfPeriod(2*math.Pi*rest/span)
}

// partOfPeriod returns the integral of a Sine from the beginning of a period to an angle of at most a whole circle:
//
//	Span / 2 pi x (Rate angle + End (1 - cos angle))
//
// without what lies below 0, which is between pi + zero and 2 pi - zero with zero = asin(Rate / End).
func (c *curve) partOfPeriod(angle float64) float64 {
	upTo := func(angle float64) float64 {
		sine := math.Sin(angle / 2)
		return float64(c.Span) / (2 * math.Pi) * (c.rate*angle + 2*c.end*sine*sine)
	}
	from, to := math.Pi+c.zero, 2*math.Pi-c.zero
	switch {
	case !c.clipped || angle <= from:
		return upTo(angle)
	case angle <= to:
		return upTo(from)
	}
	return upTo(from) + upTo(angle) - upTo(to)
}
