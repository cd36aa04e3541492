package downstream

import (
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Distribution draws durations. It has no state: all luck comes from src.
type Distribution interface {
	Draw(src rand.Source) time.Duration // >= 0
	Mean() time.Duration
}

// Constant always takes D.
type Constant struct{ D time.Duration }

// Draw returns D.
func (c Constant) Draw(rand.Source) time.Duration { return c.D }

// Mean returns D.
func (c Constant) Mean() time.Duration { return c.D }

// Exponential is memoryless: P(X > t) = exp(-t / M), with mean M > 0 and cv 1.
type Exponential struct{ M time.Duration }

// Draw returns an exponential duration, rounded to a nanosecond.
func (e Exponential) Draw(src rand.Source) time.Duration {
	return round(distuv.Exponential{Rate: 1 / float64(e.M), Src: src}.Rand())
}

// Mean returns M.
func (e Exponential) Mean() time.Duration { return e.M }

// Lognormal has mean M > 0 and coefficient of variation CV > 0: ln X is normal with
// σ² = ln(1 + CV²) and μ = ln M - σ²/2.
type Lognormal struct {
	M  time.Duration
	CV float64
}

// Draw returns a lognormal duration, rounded to a nanosecond.
func (l Lognormal) Draw(src rand.Source) time.Duration {
	s2 := math.Log1p(l.CV * l.CV)
	return round(distuv.LogNormal{Mu: math.Log(float64(l.M)) - s2/2, Sigma: math.Sqrt(s2), Src: src}.Rand())
}

// Mean returns M.
func (l Lognormal) Mean() time.Duration { return l.M }

// Uniform is flat on [Min, Max), 0 <= Min < Max.
type Uniform struct{ Min, Max time.Duration }

// Draw returns a uniform duration, rounded to a nanosecond.
func (u Uniform) Draw(src rand.Source) time.Duration {
	return round(distuv.Uniform{Min: float64(u.Min), Max: float64(u.Max), Src: src}.Rand())
}

// Mean returns (Min + Max) / 2.
func (u Uniform) Mean() time.Duration { return u.Min + (u.Max-u.Min)/2 }

// Gamma has mean M > 0 and coefficient of variation CV > 0: shape 1/CV², rate shape/M.
type Gamma struct {
	M  time.Duration
	CV float64
}

// Draw returns a gamma duration, rounded to a nanosecond.
func (g Gamma) Draw(src rand.Source) time.Duration {
	shape := 1 / (g.CV * g.CV)
	return round(distuv.Gamma{Alpha: shape, Beta: shape / float64(g.M), Src: src}.Rand())
}

// Mean returns M.
func (g Gamma) Mean() time.Duration { return g.M }

// Bimodal takes Slow with probability SlowShare, else Fast: a cache that mostly hits.
type Bimodal struct {
	Fast, Slow time.Duration
	SlowShare  float64 // in [0, 1]
}

// Draw returns Slow or Fast.
func (b Bimodal) Draw(src rand.Source) time.Duration {
	if (distuv.Bernoulli{P: b.SlowShare, Src: src}).Rand() == 1 {
		return b.Slow
	}
	return b.Fast
}

// Mean returns (1 - SlowShare) Fast + SlowShare Slow.
func (b Bimodal) Mean() time.Duration {
	return round((1-b.SlowShare)*float64(b.Fast) + b.SlowShare*float64(b.Slow))
}

// Normal has mean M and standard deviation SD; below 0 counts as 0. Mean is that of the untruncated distribution.
type Normal struct{ M, SD time.Duration }

// Draw returns a normal duration, 0 if it is negative.
func (n Normal) Draw(src rand.Source) time.Duration {
	return round(distuv.Normal{Mu: float64(n.M), Sigma: float64(n.SD), Src: src}.Rand())
}

// Mean returns M.
func (n Normal) Mean() time.Duration { return n.M }

// round turns nanoseconds into a Duration: once, to the nearest, kept within [0, longest].
func round(ns float64) time.Duration {
	switch {
	case !(ns > 0):
		return 0
	case ns >= math.MaxInt64:
		return math.MaxInt64
	}
	return time.Duration(math.Round(ns))
}

var (
	_ Distribution = Constant{}
	_ Distribution = Exponential{}
	_ Distribution = Lognormal{}
	_ Distribution = Uniform{}
	_ Distribution = Gamma{}
	_ Distribution = Bimodal{}
	_ Distribution = Normal{}
)
