package strategies

import "time"

// EqualJitter waits half of an exponentially growing ceiling for certain and a uniform random part of the other half:
//
//	E    = min(Cap, Base × Factorⁿ)    n = FirstExponent before the first retry
//	wait = E/2 + U(0, E/2)
//
// No retry comes at once, but the herd has only half the width to spread over: its first window is twice as dense as
// that of FullJitter. Mean wait is 3/4 of the ceiling.
//
// Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
type EqualJitter struct {
	Base          time.Duration // > 0
	Factor        float64       // >= 1
	Cap           time.Duration // >= Base, or 0 for none
	FirstExponent int           // >= 0; 1 for clients that count from 1
}

var _ Uniform = EqualJitter{}

// Law returns the wait before retry n, counted from 0.
func (s EqualJitter) Law(n int) Law {
	most := limit(s.Cap)
	l := Jitter{Kind: JitterEqual}.law(ceiling(s.Base, s.Factor, exponent(n, s.FirstExponent), most))
	l.Cap = most
	return l
}

// Wait returns (1 + u)/2 × the ceiling of the retry of a, and true. The ceiling saturates at Cap, or at NoBound.
func (s EqualJitter) Wait(a Attempt, u float64) (time.Duration, bool) {
	return s.Law(a.SinceReset - 1).At(u), true
}
