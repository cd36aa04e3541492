package strategies

import (
	"math"
	"time"
)

// Rounding puts waits on a lattice: whole milliseconds, whole seconds, slots of a wire. The zero Rounding is none.
//
//	RoundDown       floor(x / Grain) × Grain
//	RoundNearest    floor(x / Grain + 1/2) × Grain
//	RoundUp         ceil(x / Grain) × Grain
//	RoundInclusive  floor(x / Grain) × Grain, of a random interval one Grain longer: both of its ends can be drawn
//
// Clients that reckon in whole units have few different waits when waits are short: a herd with a jitter of 10 s in whole
// seconds comes back in ten spikes.
type Rounding struct {
	Grain time.Duration // >= 0; 0 for none
	Mode  RoundingMode
}

// A RoundingMode says which point of the lattice is taken.
type RoundingMode uint8

// The modes of a Rounding.
const (
	RoundDown RoundingMode = iota
	RoundNearest
	RoundUp
	RoundInclusive
)

// law returns the distribution of the rounded wait. It is short, to be read in line where there is no rounding.
func (r Rounding) law(l Law) Law {
	if r.Grain <= 0 {
		return l
	}
	return r.round(l)
}

// round returns the law on the lattice. A wait so long that the lattice ends before it stays as it is.
func (r Rounding) round(l Law) Law {
	g := r.Grain
	if l.Base > NoBound-g {
		return l
	}
	switch r.Mode {
	case RoundNearest:
		l.Base += g / 2
	case RoundUp:
		l.Base += g - 1
	case RoundInclusive:
		if l.Width > 0 {
			l.Width += float64(g)
		}
	}
	off := l.Base % g
	l.Base, l.Low, l.Grain = l.Base-off, l.Low+float64(off), g
	if l.Width > 0 {
		l.Low -= halfNanosecond
	}
	return l
}

// halfNanosecond is taken off the random part of a law on a lattice, so that what rounds to a nanosecond, and to the even
// one in the middle, rounds down: the end of an interval stays open.
const halfNanosecond = 0.5

// interval returns the ends of the random part before it is rounded down to the lattice.
func (l Law) interval() (from, to float64) {
	return l.Low + halfNanosecond, l.Low + halfNanosecond + l.Width
}

// latticeAtCap returns the chance that a wait on the lattice is cut at the cap or reaches it.
func (l Law) latticeAtCap() float64 {
	cut := l.latticeCap()
	switch from, to := l.interval(); {
	case from >= cut:
		return 1
	case to <= cut:
		return 0
	default:
		return (to - cut) / l.Width
	}
}

// latticeCap returns from which random part on a wait on the lattice is the cap.
func (l Law) latticeCap() float64 {
	g := float64(l.Grain)
	return math.Ceil(float64(max(l.Cap-l.Base, 0))/g) * g
}

// latticeMean returns the expected wait on the lattice: the integral of floor(x / Grain), which is made of steps.
func (l Law) latticeMean() time.Duration {
	if l.Width <= 0 {
		return l.At(0.5)
	}
	g := float64(l.Grain)
	steps := func(x float64) float64 { // ∫ floor(t/g) dt from 0 to x, in units of g²
		k := math.Floor(max(x, 0) / g)
		return k*(k-1)/2 + k*(max(x, 0)/g-k)
	}
	from, to := l.interval()
	from, to = min(from, l.latticeCap()), min(to, l.latticeCap())
	above := (steps(to) - steps(from)) * g / l.Width * g
	above += l.latticeAtCap() * float64(l.Cap-l.Base)
	return Law{Base: l.Base, Low: above, Cap: l.Cap}.At(0)
}
