package strategies

import "time"

// FullJitter waits a uniform random time below an exponentially growing ceiling:
//
//	wait = R(U(0, min(Cap, Base × Factorⁿ)))    n = FirstExponent before the first retry
//
// It spreads a herd best in the first window, of width Base: with factor 2 the expected request density of N workers is
// N/Base at first, 1.565 N/Base just before Base, and drops by N/Base there. Mean wait is half the ceiling, so for the
// same number of attempts it covers half the outage.
//
// Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
type FullJitter struct {
	Base          time.Duration // > 0
	Factor        float64       // >= 1
	Cap           time.Duration // >= Base, or 0 for none
	FirstExponent int           // >= 0; 1 for clients that count from 1
	Rounding      Rounding
}

var _ Uniform = FullJitter{}

// Law returns the wait before retry n, counted from 0.
func (s FullJitter) Law(n int) Law {
	most := limit(s.Cap)
	return s.Rounding.law(Law{Width: float64(ceiling(s.Base, s.Factor, exponent(n, s.FirstExponent), most)), Cap: most})
}

// Wait returns u × the ceiling of the retry of a, rounded, and true. The ceiling saturates at Cap, or at NoBound.
func (s FullJitter) Wait(a Attempt, u float64) (time.Duration, bool) {
	return s.Law(a.SinceReset - 1).At(u), true
}
