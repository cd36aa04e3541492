package strategies

import (
	"math"
	"time"
)

// DecorrelatedV2 waits the distance between two points of a smooth curve, drawn one after the other:
//
//	t    = n + u                           n = 0 before the first retry
//	f(t) = 2ᵗ × tanh(√(4t))
//	wait = min(Cap, Base / 1.4 × (f(t) - f(t')))    t' = n - 1 + u' with the u' of the wait before; f(t') = 0 at first
//
// The ends are drawn once each, so the sum of the waits up to a retry is Base / 1.4 × f(t): waits that follow each other are
// correlated, whatever the name says, and the retries of all workers fill time without gaps. The median of the first wait
// is 0.9 Base; later ones reach from 0 to 1.07 times the plain exponential delay Base × 2ⁿ, with half of that as their mean.
// The cap cuts the wait, so waits pile up at it.
//
// Source: Polly, Retry/RetryHelper.cs, DecorrelatedJitterBackoffV2; cockatiel has the same.
type DecorrelatedV2 struct {
	Base time.Duration // > 0
	Cap  time.Duration // >= Base, or 0 for none
}

var _ PreviousReader = DecorrelatedV2{}
var _ SleptReader = DecorrelatedV2{}
var _ Capped = DecorrelatedV2{}

// ReadsPrevious returns true: the wait depends on Attempt.PreviousU.
func (DecorrelatedV2) ReadsPrevious() bool { return true }

// ReadsSlept returns false.
func (DecorrelatedV2) ReadsSlept() bool { return false }

// WaitCap returns the cap.
func (s DecorrelatedV2) WaitCap() time.Duration { return max(s.Cap, 0) }

// Wait returns the wait after the one that was drawn with a.PreviousU, and true. It saturates at Cap, or at NoBound.
func (s DecorrelatedV2) Wait(a Attempt, u float64) (time.Duration, bool) {
	most := limit(s.Cap)
	n := float64(max(a.SinceReset-1, 0))
	if n > 1000 { // 2ᵗ is no number before long
		return most, true
	}
	f := curve(n + u)
	if n > 0 {
		f -= curve(n - 1 + a.PreviousU)
	}
	return Law{Low: float64(max(s.Base, 0)) * f / 1.4, Cap: most}.At(0), true
}

// curve returns 2ᵗ × tanh(√(4t)).
func curve(t float64) float64 { return math.Exp2(t) * math.Tanh(math.Sqrt(4*t)) }

func (s DecorrelatedV2) describe(retries int) []WaitStats {
	rows := describeDraws(s, retries)
	for i := range rows {
		a := Attempt{Retry: rows[i].Retry, SinceReset: rows[i].Retry, PreviousU: topU}
		rows[i].Min, _ = s.Wait(a, 0)
		a.PreviousU = 0
		rows[i].Max, _ = s.Wait(a, topU)
	}
	return rows
}
