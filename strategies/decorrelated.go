package strategies

import "time"

// Decorrelated waits a uniform random time between Base and a multiple of the worker's own last wait:
//
//	wait = min(Cap, U(Base, Factor × previous))      previous = Base at first
//	wait = U(Base, min(Cap, Factor × previous))      with ClampInside
//
// With FromPrevious the interval begins at previous instead of Base (Finagle), so a worker's waits never get shorter again,
// and end up at the cap. First stands for the first wait, and is then the previous of the second.
//
// A worker that drew a short wait goes on with short ones, so workers drift apart also in how fast they back off. The
// usual form cuts the draw, not the interval, and so keeps a point mass at the cap: with factor 3 and a cap of 200 to 30
// times Base, 29 to 38 % of all waits are the cap itself after a while. Uncapped, the mean m of one wait gives
// (Base + Factor × m)/2 for the next.
//
// Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
type Decorrelated struct {
	Base        time.Duration // > 0
	Factor      float64       // > 1
	Cap         time.Duration // >= Base, or 0 for none
	ClampInside bool          // the cap bounds the interval, not the draw

	FromPrevious bool
	First        Exact
}

var _ PreviousReader = Decorrelated{}
var _ SleptReader = Decorrelated{}

// WaitCap returns the cap.
func (s Decorrelated) WaitCap() time.Duration { return max(s.Cap, 0) }

// ReadsPrevious returns true.
func (Decorrelated) ReadsPrevious() bool { return true }

// ReadsSlept returns false.
func (Decorrelated) ReadsSlept() bool { return false }

// Law returns the wait that follows one of the given length; what is shorter than Base counts as Base.
func (s Decorrelated) Law(previous time.Duration) Law {
	base, most := max(s.Base, 0), limit(s.Cap)
	previous = max(previous, base)
	high := float64(s.Factor * float64(previous)) // rounded here, as in Law.At
	if s.ClampInside {
		high = min(high, float64(most))
	}
	if s.FromPrevious {
		base = previous
	}
	return Law{Base: base, Width: max(high-float64(base), 0), Cap: most}
}

// Wait returns the u-quantile of the wait after a.Previous, and true. The first wait, also the first after a reset,
// follows Base.
func (s Decorrelated) Wait(a Attempt, u float64) (time.Duration, bool) {
	previous := a.Previous
	if a.SinceReset <= 1 {
		if s.First.Is {
			return s.First.law(s.Cap).At(u), true
		}
		previous = 0
	}
	return s.Law(previous).At(u), true
}
