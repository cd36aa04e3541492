package oracles

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sony/gobreaker/v2"

	"herdsim/strategies"
	"herdsim/strategies/guards"
)

// A breaker is a circuit breaker under virtual time: a library's or ours. allow returns what to call when the call has
// ended, or nil if it may not be made.
type breaker interface {
	allow() (done func(failed bool))
	phase() guards.Phase // after a call to allow
}

// ours is a guard with the clock of a bubble.
type ours struct {
	guard guards.Guard
	start time.Time
}

func newOurs(g guards.Guard) ours { return ours{g, time.Now()} }

func (o ours) allow() func(failed bool) {
	a := o.guard.Admit(time.Since(o.start), guards.Call{}, 0.5)
	if a.Verdict != guards.Proceed {
		return nil
	}
	return func(failed bool) {
		outcome := strategies.Served
		if failed {
			outcome = strategies.Unavailable
		}
		o.guard.Done(time.Since(o.start), guards.Call{Ticket: a.Ticket}, outcome)
	}
}

func (o ours) phase() guards.Phase { return o.guard.State(time.Since(o.start)).Phase }

type sony struct {
	*gobreaker.TwoStepCircuitBreaker[int]
}

func (s sony) allow() func(failed bool) {
	done, err := s.Allow()
	if err != nil {
		return nil
	}
	return func(failed bool) {
		if failed {
			done(errFailed)
		} else {
			done(nil)
		}
	}
}

func (s sony) phase() guards.Phase {
	return map[gobreaker.State]guards.Phase{
		gobreaker.StateClosed: guards.Closed, gobreaker.StateOpen: guards.Open, gobreaker.StateHalfOpen: guards.HalfOpen,
	}[s.State()]
}

// open is how long both breakers of this package are open by default.
const open = time.Minute

// sameInstants opens a breaker, finds the instant at which it lets a probe through, and has that one fail: it is open as
// long again.
func sameInstants(t *testing.T, b breaker, failures int, late time.Duration) {
	t.Helper()
	for i := range failures {
		done := b.allow()
		if done == nil {
			t.Fatalf("%T: opens at failure %d, want %d", b, i, failures)
		}
		done(true)
	}
	for range 2 {
		for _, step := range []struct {
			wait time.Duration
			lets bool
		}{{0, false}, {open - 1, false}, {1, late == 0}, {1, true}} {
			time.Sleep(step.wait)
			done := b.allow()
			if lets := done != nil; lets != step.lets {
				t.Errorf("%T: lets a call through: %t, %v before it has been open for %v", b, lets, step.wait, open)
			}
			if done != nil {
				done(true)
				break
			}
		}
	}
}

// sameAnswers gives two breakers the same random calls, which may overlap, and end at the same instants in the same way.
// late says whether calls end that were under way when the state has changed.
func sameAnswers(t *testing.T, seed uint64, steps int, library, guard breaker, late bool) (opened int) {
	t.Helper()
	type flying struct{ library, guard func(failed bool) }
	var calls []flying
	rng := rand.New(rand.NewPCG(seed, 7))
	last := guards.Closed
	for i := range steps {
		// Most of the time nothing passes, so that there are ties; else as much as brings it over an edge, or near one.
		if rng.IntN(8) == 0 {
			time.Sleep([]time.Duration{1, time.Second, 7 * time.Second, 20 * time.Second, open - 1, open, open + 1}[rng.IntN(7)])
		}
		if len(calls) > 0 && rng.IntN(2) == 0 {
			k := rng.IntN(len(calls))
			failed := rng.IntN(5) < []int{1, 4}[i/200%2]
			calls[k].library(failed)
			calls[k].guard(failed)
			calls[k] = calls[len(calls)-1]
			calls = calls[:len(calls)-1]
		} else {
			a, b := library.allow(), guard.allow()
			if (a == nil) != (b == nil) {
				t.Fatalf("seed %d, step %d: the library lets a call through: %t, ours: %t", seed, i, a != nil, b != nil)
			}
			if a != nil {
				calls = append(calls, flying{a, b})
			}
			if library.phase() != guard.phase() {
				t.Fatalf("seed %d, step %d: phase %v, ours %v", seed, i, library.phase(), guard.phase())
			}
		}
		if now := guard.phase(); now != last {
			if last = now; now == guards.Open {
				opened++
			}
			if !late {
				calls = nil
			}
		}
	}
	return opened
}

func TestGobreakerInstants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sameInstants(t, sony{gobreaker.NewTwoStepCircuitBreaker[int](gobreaker.Settings{})}, 6, 1)
		sameInstants(t, newOurs(guardPreset(t, "breaker", "gobreaker")), 6, 1)
	})
}

func TestGobreakerAnswers(t *testing.T) {
	sameOverSeeds(t, func() breaker { return sony{gobreaker.NewTwoStepCircuitBreaker[int](gobreaker.Settings{})} },
		func() breaker { return newOurs(guardPreset(t, "breaker", "gobreaker")) }, true)
	// Five probes, ten failures in a row, 7 s.
	settings := gobreaker.Settings{MaxRequests: 5, Timeout: 7 * time.Second, ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= 10 }}
	maker := guards.Breaker{
		Consecutive: 10, OpenFor: strategies.Exponential{Base: 7 * time.Second, Factor: 1}, Strict: true, Probes: 5, ProbeFailures: 1,
	}
	sameOverSeeds(t, func() breaker { return sony{gobreaker.NewTwoStepCircuitBreaker[int](settings)} },
		func() breaker { return newOurs(maker.Make()) }, true)
}

// sameOverSeeds compares two kinds of breakers over 40 sequences of 2,000 steps.
func sameOverSeeds(t *testing.T, library, guard func() breaker, late bool) {
	t.Helper()
	opened := 0
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) { opened += sameAnswers(t, seed, 2000, library(), guard(), late) })
	}
	if opened < 100 {
		t.Errorf("the breakers opened %d times: the sequences show too little", opened)
	}
}
