package strategies

import "time"

// Linear waits a little longer each time:
//
//	wait = min(Cap, Base × (n+1)), then Jitter as Clamp says, then Rounding    n = 0 before the first retry
//
// The k-th retry comes after Base × k(k+1)/2, so an outage of length D costs each worker about √(2D/Base) attempts:
// between the D/Base of Fixed and the log₂(D/Base) of doubling.
type Linear struct {
	Base     time.Duration // > 0
	Cap      time.Duration // >= Base, or 0 for none
	Jitter   Jitter
	Clamp    Clamp
	Rounding Rounding
}

var _ Uniform = Linear{}

// Law returns the wait before retry n.
func (s Linear) Law(n int) Law {
	return s.Rounding.law(s.Clamp.law(times(s.Base, exponent(n, 1), s.Clamp.inner(s.Cap)), s.Cap, s.Jitter))
}

// Wait returns the u-quantile of the wait before the retry of a, and true. It saturates at Cap, or at NoBound.
func (s Linear) Wait(a Attempt, u float64) (time.Duration, bool) {
	return s.Law(a.SinceReset - 1).At(u), true
}
