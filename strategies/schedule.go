package strategies

import "time"

// Schedule waits what a list says, its last entry again and again once it is used up:
//
//	wait = min(Cap, R(J(Delays[min(n, len(Delays)-1)])))    n = 0 before the first retry
//
// It is how message brokers and payment providers write their retries down. An empty list does not wait.
type Schedule struct {
	Delays []time.Duration // each >= 0; not changed, and not to be changed while in use
	Jitter Jitter

	Cap      time.Duration // 0 for none; after the jitter
	Rounding Rounding
}

var _ Uniform = Schedule{}

// Law returns the wait before retry n.
func (s Schedule) Law(n int) Law {
	if len(s.Delays) == 0 {
		return Law{Cap: NoBound}
	}
	l := s.Jitter.law(max(s.Delays[min(max(n, 0), len(s.Delays)-1)], 0))
	l.Cap = limit(s.Cap)
	return s.Rounding.law(l)
}

// Wait returns the u-quantile of the wait before the retry of a, and true.
func (s Schedule) Wait(a Attempt, u float64) (time.Duration, bool) {
	return s.Law(a.SinceReset - 1).At(u), true
}
