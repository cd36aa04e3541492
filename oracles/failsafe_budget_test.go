package oracles

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/budget"
	"github.com/failsafe-go/failsafe-go/retrypolicy"

	"herdsim/strategies"
	"herdsim/strategies/guards"
)

// A watchedBudget is a budget of the library and ours, which is told and asked what the library is.
type watchedBudget struct {
	t       *testing.T
	library budget.Budget
	mu      sync.Mutex
	guard   guards.Guard
	refused int
}

func newWatchedBudget(t *testing.T) *watchedBudget {
	return &watchedBudget{t: t, library: budget.New(), guard: guardPreset(t, "concurrent-retries", "failsafe-go")}
}

// asks has an attempt ask ours, which the library lets through or not.
func (b *watchedBudget) asks(c guards.Call, passes bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	want := guards.Proceed
	if !passes {
		want = guards.Refuse
		b.refused++
	}
	if a := b.guard.Admit(0, c, 0.5); a.Verdict != want {
		b.t.Errorf("retry: %t: the library lets it through: %t, ours %v", c.Retry, passes, a.Verdict)
	}
	if !passes {
		b.guard.Drop(0, c)
	}
}

func (b *watchedBudget) ends(c guards.Call, failed, again bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := strategies.Served
	if failed {
		o = strategies.Unavailable
	}
	b.guard.Done(0, c, o)
	if failed && again {
		if _, ok := b.guard.Allow(0, o); !ok {
			b.t.Error("ours refuses a retry before its delay")
		}
	}
}

// run makes a task, whose attempts last and fail as is said, with a retry after one more of delays.
func (b *watchedBudget) run(lasts, delays []time.Duration, fails []bool) {
	made := 0
	policy := retrypolicy.NewBuilder[any]().WithMaxRetries(len(fails) - 1).WithBudget(b.library).
		WithDelayFunc(func(failsafe.ExecutionAttempt[any]) time.Duration { return delays[made-1] }).Build()
	err := failsafe.With(policy).Run(func() error {
		i := made
		made++
		call := guards.Call{Retry: i > 0}
		b.asks(call, true)
		time.Sleep(lasts[i])
		b.ends(call, fails[i], i+1 < len(fails))
		if fails[i] {
			return errFailed
		}
		return nil
	})
	if errors.Is(err, budget.ErrExceeded) {
		b.asks(guards.Call{Retry: true}, false)
	}
}

// TestFailsafeBudget has 5,000 tasks run into the library's budget and ours, in spells of more and of fewer failures. No
// two events are at one instant, which is checked, so there is no luck in it.
func TestFailsafeBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, rng := newWatchedBudget(t), rand.New(rand.NewPCG(5, 6))
		instants := map[time.Duration]bool{}
		var tasks sync.WaitGroup
		for i := range 5000 {
			start := time.Duration(i)*5*time.Millisecond + time.Duration(rng.Int64N(int64(5*time.Millisecond)))
			failing := []float64{0.05, 0.9, 0.3}[i/500%3]
			lasts, delays, fails := make([]time.Duration, 4), make([]time.Duration, 4), make([]bool, 4)
			at := start
			for k := range lasts {
				lasts[k] = time.Duration(rng.Int64N(int64(200 * time.Millisecond)))
				delays[k] = time.Duration(rng.Int64N(int64(400 * time.Millisecond)))
				fails[k] = rng.Float64() < failing
				for _, next := range []time.Duration{at, at + lasts[k]} {
					if instants[next] {
						t.Fatalf("two events at %v: take another seed", next)
					}
					instants[next] = true
				}
				at += lasts[k] + delays[k]
			}
			tasks.Go(func() {
				time.Sleep(start)
				b.run(lasts, delays, fails)
			})
		}
		tasks.Wait()
		if b.refused < 200 {
			t.Errorf("%d retries were refused: the sequence shows too little", b.refused)
		}
	})
}

// TestFailsafeBudgetOfAThousand has as many calls fail at once, whose retries come one nanosecond after the other. Since
// calls that wait count, 251 of them may be under way, not three.
func TestFailsafeBudgetOfAThousand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newWatchedBudget(t)
		var tasks sync.WaitGroup
		for i := range 1000 {
			tasks.Go(func() {
				time.Sleep(time.Duration(i))
				b.run([]time.Duration{time.Second, time.Minute}, []time.Duration{time.Second}, []bool{true, false})
			})
		}
		tasks.Wait()
		if b.refused != 1000-251 { // 250 of 1,250 are 20 %, and more than that is too much
			t.Errorf("%d of 1,000 retries were refused, want 749", b.refused)
		}
	})
}
