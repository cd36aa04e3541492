package strategies

import (
	"time"
)

// FinagleExponential waits what Finagle's exponentialJittered makes of "full jitter": it multiplies the random wait before by
// a power of two that grows itself, and gives up all jitter once that reaches the cap:
//
//	x    = 2ⁿ × previous               n = 1 before the second retry
//	wait = U[0, x) if x < Cap, else Cap
//
// The first wait is Base, for all workers alike. A worker at the cap stays there, so the herd meets at the cap retry by
// retry: of base 1 s and cap 32 s 15 % are there at the fourth, and 92 % at the sixth.
//
// Source: twitter/finagle, Backoff.scala, ExponentialJittered.
type FinagleExponential struct {
	Base time.Duration // > 0
	Cap  time.Duration // >= Base, or 0 for none
}

var _ PreviousReader = FinagleExponential{}
var _ SleptReader = FinagleExponential{}
var _ Capped = FinagleExponential{}

// ReadsPrevious returns true.
func (FinagleExponential) ReadsPrevious() bool { return true }

// ReadsSlept returns false.
func (FinagleExponential) ReadsSlept() bool { return false }

// WaitCap returns the cap.
func (s FinagleExponential) WaitCap() time.Duration { return max(s.Cap, 0) }

// Wait returns the u-quantile of the wait after a.Previous, and true.
func (s FinagleExponential) Wait(a Attempt, u float64) (time.Duration, bool) {
	most := limit(s.Cap)
	if a.SinceReset <= 1 || a.Previous <= 0 { // nothing yet to grow from
		return min(max(s.Base, 0), most), true
	}
	x := ceiling(a.Previous, 2, min(a.SinceReset-1, 62), most)
	if x >= most {
		return most, true
	}
	return Law{Width: float64(x), Cap: most}.At(u), true
}

func (s FinagleExponential) describe(retries int) []WaitStats {
	rows := describeChain(s, retries)
	for i := 1; i < len(rows) && rows[1].Min == 0; i++ { // a worker that drew next to nothing goes on so
		rows[i].Min = 0
	}
	return rows
}

// longest returns the cap, which a worker reaches.
func (s FinagleExponential) longest() time.Duration {
	if s.Base <= 0 {
		return 0
	}
	return limit(s.Cap)
}
