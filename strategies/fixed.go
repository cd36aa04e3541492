package strategies

import "time"

// Fixed waits the same time before every retry:
//
//	wait = R(J(Delay))
//
// Without jitter a herd stays together: all N workers are back after each Delay, less those served, so the peak is N
// and falls only as fast as the downstream serves. With jitter of width w the spike is a block of density N/w.
type Fixed struct {
	Delay    time.Duration // >= 0
	Jitter   Jitter
	Rounding Rounding
	Sweep    int // > 1: only every Sweep-th retry waits, as of clients that try all servers of a list first
}

var _ Uniform = Fixed{}

// Law returns the wait before retry n, counted from 0: the same for all, or for every Sweep-th.
func (s Fixed) Law(n int) Law {
	if s.Sweep > 1 && exponent(n, 1)%s.Sweep != 0 {
		return Law{Cap: NoBound}
	}
	return s.Rounding.law(s.Jitter.law(max(s.Delay, 0)))
}

// Wait returns the u-quantile of the wait, and true.
func (s Fixed) Wait(a Attempt, u float64) (time.Duration, bool) {
	return s.Law(a.SinceReset - 1).At(u), true
}
