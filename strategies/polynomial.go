package strategies

import (
	"math"
	"time"
)

// Polynomial waits a time that grows by a power of the retry's number:
//
//	x    = Base + Unit × nᴾ                     n = Origin before the first retry, P = Power
//	wait = R(J(x)) with the cap as Clamp says   RisingNone
//	     | x + R(U[0, Spread × (n+1)))          RisingWidth, J adding up to Spread
//	     | x + (n+1) × R(U[0, Spread))          RisingSteps, likewise; n from 0 in both
//
// Queue workers like the fourth power: 25 retries are three weeks. Their jitter is counted in whole seconds, so however many
// workers there are, RisingSteps leaves them Spread/Grain different instants at each retry.
//
// Source: Sidekiq job_retry.rb (c⁴ + 15 + rand), asynq server.go, octokit plugin-retry (n²).
type Polynomial struct {
	Base     time.Duration // >= 0
	Unit     time.Duration // > 0
	Power    float64       // > 0
	Origin   int           // >= 0; 1 for clients that count from 1
	Cap      time.Duration // 0 for none
	Jitter   Jitter
	Rising   Rising
	Clamp    Clamp
	Rounding Rounding
}

// Rising says whether a jitter that adds grows with the retries.
type Rising uint8

// What of the jitter rises.
const (
	RisingNone  Rising = iota
	RisingWidth        // the interval
	RisingSteps        // the interval and the grain: the lattice gets wider, not finer
)

var _ Uniform = Polynomial{}

// Law returns the wait before retry n, counted from 0.
func (s Polynomial) Law(n int) Law {
	x := s.delay(exponent(n, s.Origin), s.Clamp.inner(s.Cap))
	if s.Rising == RisingNone || s.Jitter.Kind != JitterAdded {
		return s.Rounding.law(s.Clamp.law(x, s.Cap, s.Jitter))
	}
	count := exponent(n, 1)
	l := s.Clamp.law(x, s.Cap, Jitter{Kind: JitterAdded, Spread: times(s.Jitter.Spread, count, NoBound)})
	r := s.Rounding
	if s.Rising == RisingSteps {
		r.Grain = times(r.Grain, count, NoBound)
	}
	above := r.law(Law{Width: l.Width, Cap: NoBound})
	l.Low, l.Width, l.Grain = above.Low, above.Width, above.Grain
	return l
}

// delay returns min(most, Base + Unit × nᴾ).
func (s Polynomial) delay(n int, most time.Duration) time.Duration {
	var p float64
	if whole := math.Trunc(s.Power); whole == s.Power && whole <= 64 {
		p = power(float64(n), int(whole))
	} else {
		p = math.Pow(float64(n), s.Power)
	}
	x := float64(float64(max(s.Unit, 0)) * p)
	if !(x < float64(most)) {
		return most
	}
	return min(plus(max(s.Base, 0), time.Duration(math.RoundToEven(max(x, 0)))), most)
}

// Wait returns the u-quantile of the wait before the retry of a, and true. x saturates at Cap, or at NoBound.
func (s Polynomial) Wait(a Attempt, u float64) (time.Duration, bool) {
	return s.Law(a.SinceReset - 1).At(u), true
}
