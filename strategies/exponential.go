package strategies

import "time"

// Exponential waits a time that grows by a constant factor, jittered or not:
//
//	x    = Base × Factorⁿ - Less           n = FirstExponent before the first retry
//	wait = J(min(Cap, x))                  ClampBefore
//	     | min(Cap, J(x))                  ClampAfter
//	     | min(Cap, J(min(Cap, x)))        ClampBoth
//	     | J(x) if x < Cap, else Cap       ClampInstead
//
// and then Rounding. First stands for the wait before the first retry where clients make that one without jitter (grpc-go),
// at once (urllib3) or by another rule.
//
// Without jitter the k-th retry of all workers comes at the same instant, after Base × (Factorᵏ-1)/(Factor-1): the herd
// is thinned out in time, not spread. Once x has passed the cap, ClampAfter brings the workers together again even with
// jitter.
type Exponential struct {
	Base          time.Duration // > 0
	Factor        float64       // >= 1
	Cap           time.Duration // >= Base, or 0 for none
	Jitter        Jitter
	Clamp         Clamp
	FirstExponent int           // >= 0; 1 for clients that count from 1
	Less          time.Duration // 0 to Base; what clients take off that wait Base × (Factorⁿ - 1)
	First         Exact
	Rounding      Rounding
}

var _ Uniform = Exponential{}

// Law returns the wait before retry n, counted from 0.
func (s Exponential) Law(n int) Law {
	if s.First.Is && n <= 0 {
		return s.First.law(s.Cap)
	}
	inner := s.Clamp.inner(s.Cap)
	x := ceiling(s.Base, s.Factor, exponent(n, s.FirstExponent), min(inner, NoBound-s.Less)+s.Less)
	return s.Rounding.law(s.Clamp.law(max(x-s.Less, 0), s.Cap, s.Jitter))
}

// Wait returns the u-quantile of the wait before the retry of a, and true. x saturates at NoBound, before the jitter.
func (s Exponential) Wait(a Attempt, u float64) (time.Duration, bool) {
	return s.Law(a.SinceReset - 1).At(u), true
}
