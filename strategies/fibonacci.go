package strategies

import "time"

// Fibonacci waits the numbers 1, 2, 3, 5, 8, ... of a base, each the sum of the two before:
//
//	x    = Base × F(n+2)    F = 1, 1, 2, 3, 5, ..., n = 0 before the first retry
//	wait = R(J(x)) with the cap as Clamp says
//
// It grows by the golden ratio, 1.618, each time: slower than doubling, and without a factor to choose.
//
// Source: sethvargo/go-retry backoff_fibonacci.go.
type Fibonacci struct {
	Base     time.Duration // > 0
	Cap      time.Duration // >= Base, or 0 for none
	Jitter   Jitter
	Clamp    Clamp
	Rounding Rounding
}

var _ Uniform = Fibonacci{}

// Law returns the wait before retry n, counted from 0.
func (s Fibonacci) Law(n int) Law {
	most := s.Clamp.inner(s.Cap)
	x, before := min(max(s.Base, 0), most), max(s.Base, 0)
	for i := 0; i < n && x < most && x > 0; i++ {
		x, before = min(plus(x, before), most), x
	}
	return s.Rounding.law(s.Clamp.law(x, s.Cap, s.Jitter))
}

// Wait returns the u-quantile of the wait before the retry of a, and true. x saturates at Cap, or at NoBound.
func (s Fibonacci) Wait(a Attempt, u float64) (time.Duration, bool) {
	return s.Law(a.SinceReset - 1).At(u), true
}
