package oracles

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/retrypolicy"

	"herdsim/strategies"
	"herdsim/strategies/guards"
)

// TestFailsafeRetries compares the waits and the attempts of a policy without settings.
func TestFailsafeRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := preset(t, "failsafe-go-default")
		var delays []time.Duration
		policy := retrypolicy.NewBuilder[any]().OnRetryScheduled(func(s failsafe.ExecutionScheduledEvent[any]) {
			delays = append(delays, s.Delay)
		}).Build()
		made := 0
		if err := failsafe.With(policy).Run(func() error { made++; return errFailed }); !errors.Is(err, errFailed) {
			t.Errorf("error %v", err)
		}
		if made != e.Limits.MaxAttempts {
			t.Errorf("the library makes %d attempts, the preset %d", made, e.Limits.MaxAttempts)
		}
		for i, d := range delays {
			sameLaw(t, e.Strategy, i+1, []time.Duration{d})
		}
	})
}

// TestFailsafeBackoff compares its backoff with jitter, which presets have none of, with our exponential.
func TestFailsafeBackoff(t *testing.T) {
	ours := strategies.Exponential{Base: time.Second, Factor: 2, Cap: 30 * time.Second, Jitter: strategies.Jitter{Kind: strategies.JitterAround, Share: 0.25}}
	synctest.Test(t, func(t *testing.T) {
		sameLaws(t, ours, draw(1500, 10, func() func() time.Duration {
			var delays []time.Duration
			policy := retrypolicy.NewBuilder[any]().WithBackoff(time.Second, 30*time.Second).WithJitterFactor(0.25).WithMaxRetries(10).
				OnRetryScheduled(func(s failsafe.ExecutionScheduledEvent[any]) { delays = append(delays, s.Delay) }).Build()
			if err := failsafe.With(policy).Run(func() error { return errFailed }); err == nil || len(delays) != 10 {
				t.Fatalf("%d waits, error %v", len(delays), err)
			}
			i := 0
			return func() time.Duration { i++; return delays[i-1] }
		}))
	})
}

type failsafeBreaker struct {
	circuitbreaker.CircuitBreaker[any]
}

func (b failsafeBreaker) allow() func(failed bool) {
	if !b.TryAcquirePermit() {
		return nil
	}
	return func(failed bool) {
		if failed {
			b.RecordFailure()
		} else {
			b.RecordSuccess()
		}
	}
}

func (b failsafeBreaker) phase() guards.Phase {
	return map[circuitbreaker.State]guards.Phase{
		circuitbreaker.ClosedState: guards.Closed, circuitbreaker.OpenState: guards.Open, circuitbreaker.HalfOpenState: guards.HalfOpen,
	}[b.State()]
}

func TestFailsafeBreakerInstants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sameInstants(t, failsafeBreaker{circuitbreaker.NewWithDefaults[any]()}, 1, 0)
		sameInstants(t, newOurs(guardPreset(t, "breaker", "failsafe-go")), 1, 0)
	})
}

func TestFailsafeBreakerAnswers(t *testing.T) {
	sameOverSeeds(t, func() breaker { return failsafeBreaker{circuitbreaker.NewWithDefaults[any]()} },
		func() breaker { return newOurs(guardPreset(t, "breaker", "failsafe-go")) }, true)
}

// TestFailsafeRollingBreaker compares its breaker over a time window with ours of the same numbers: no preset has them, but
// the window is the one of presets with another. It rounds shares to percents, which makes no difference where a half of
// less than a hundred is asked for, and takes a late result for the return of a probe, so that there are none here.
func TestFailsafeRollingBreaker(t *testing.T) {
	const window, openFor = 20 * time.Second, 7 * time.Second
	library := func() breaker {
		return failsafeBreaker{circuitbreaker.NewBuilder[any]().WithFailureRateThreshold(0.5, 10, window).WithDelay(openFor).Build()}
	}
	maker := guards.Breaker{
		Ratio: 0.5, Window: window, Buckets: 10, MinCalls: 10, AfterSuccess: true, OpenFor: strategies.Exponential{Base: openFor, Factor: 1},
		Probes: 10, ProbeFailures: 5, InFlight: true, Together: true, CountStale: true,
	}
	sameOverSeeds(t, library, func() breaker { return newOurs(maker.Make()) }, false)
}
