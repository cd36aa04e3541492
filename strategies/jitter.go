package strategies

import (
	"math"
	"time"
)

// Jitter turns a delay x into a random one. The zero Jitter is none.
//
//	JitterNone     x
//	JitterFull     U[0, x)
//	JitterEqual    x/2 + U[0, x/2)
//	JitterAround   x × (1 + Share × U[-1, 1))
//	JitterAbove    x × (1 + Share × U[0, 1))
//	JitterAdded    x + U[0, Spread)
//	JitterBetween  x × U[Share, Upto)
//
// What would be negative (a Share above 1) is 0.
type Jitter struct {
	Kind   JitterKind
	Share  float64       // of JitterAround, in [0, 1]; of JitterAbove and JitterBetween, >= 0
	Upto   float64       // of JitterBetween, >= Share
	Spread time.Duration // of JitterAdded, >= 0
}

// A JitterKind names one of the ways to spread a delay.
type JitterKind uint8

const (
	JitterNone    JitterKind = iota // the delay itself
	JitterFull                      // anything below it
	JitterEqual                     // its upper half
	JitterAround                    // a share more or less
	JitterAbove                     // up to a share more
	JitterAdded                     // up to a constant more
	JitterBetween                   // anything between two shares of it
)

// A Clamp says on which side of the jitter J the cap is applied to x. It matters: where the cap comes after, the
// workers whose delay has outgrown it meet again at the cap, all at one instant.
type Clamp uint8

const (
	ClampBefore  Clamp = iota // J(min(cap, x)): stays spread; may exceed the cap where J adds
	ClampAfter                // min(cap, J(x)): never exceeds the cap; piles up at it
	ClampBoth                 // min(cap, J(min(cap, x))): never exceeds the cap; piles up if J adds
	ClampInstead              // J(x) while x < cap, then the cap itself without any jitter
)

// law returns the distribution of the jittered x, x >= 0, without a cap.
func (j Jitter) law(x time.Duration) Law {
	switch j.Kind {
	case JitterFull:
		return Law{Width: float64(x), Cap: NoBound}
	case JitterEqual:
		return Law{Base: x / 2, Low: 0.5 * float64(x&1), Width: 0.5 * float64(x), Cap: NoBound}
	case JitterAround:
		spread := float64(max(j.Share, 0) * float64(x)) // rounded here, as in Law.At
		if spread >= float64(x) {
			return Law{Low: float64(x) - spread, Width: 2 * spread, Cap: NoBound}
		}
		down := math.Ceil(spread)
		return Law{Base: x - time.Duration(down), Low: down - spread, Width: 2 * spread, Cap: NoBound}
	case JitterAbove:
		return Law{Base: x, Width: max(j.Share, 0) * float64(x), Cap: NoBound}
	case JitterAdded:
		return Law{Base: x, Width: float64(max(j.Spread, 0)), Cap: NoBound}
	case JitterBetween:
		low := float64(max(j.Share, 0) * float64(x))
		return Law{Low: low, Width: max(float64(j.Upto*float64(x))-low, 0), Cap: NoBound}
	}
	return Law{Base: x, Cap: NoBound}
}

// adds says whether the jitter can make a delay longer.
func (j Jitter) adds() bool {
	return j.Kind >= JitterAround && (j.Kind != JitterBetween || j.Upto > 1)
}

// inner returns the bound for x itself, before the jitter.
func (c Clamp) inner(most time.Duration) time.Duration {
	if c == ClampAfter || c == ClampInstead {
		return NoBound
	}
	return limit(most)
}

// law returns the distribution of the jittered x, for an x that is already within c.inner(most).
func (c Clamp) law(x, most time.Duration, j Jitter) Law {
	if c == ClampInstead && x >= limit(most) {
		return Law{Base: limit(most), Cap: limit(most)}
	}
	l := j.law(x)
	if after := c == ClampAfter || c == ClampBoth; after || !j.adds() { // what only takes away stays below the cap: there it is no clamp, but known
		l.Cap = limit(most)
	}
	return l
}
