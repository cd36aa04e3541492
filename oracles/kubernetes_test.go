package oracles

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/client-go/util/retry"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"

	"herdsim/strategies/guards"
)

func TestWorkqueueItem(t *testing.T) {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[int](5*time.Millisecond, 1000*time.Second)
	s := preset(t, "k8s-workqueue-item-exponential").Strategy
	for n := 1; n <= 100; n++ {
		sameLaw(t, s, n, []time.Duration{limiter.When(1)})
	}
}

// rounding is what the floats of golang.org/x/time/rate may be off in an hour.
const rounding = time.Microsecond

// when returns the delay that our bucket gives a retry, as When does: the item's own wait is the least.
func when(t *testing.T, g guards.Guard, now, wait time.Duration) time.Duration {
	t.Helper()
	allowance, ok := g.Allow(now, 0)
	if !ok {
		t.Fatal("the bucket refuses a retry")
	}
	at := now + wait
	if a := g.Admit(at, guards.Call{Retry: true, Allowance: allowance}, 0.5); a.Verdict == guards.Delay {
		at = a.Until
	}
	return at - now
}

// TestWorkqueueBucketOfManyItems has 5,000 items fail at one instant: the last is tried again after 490 s.
func TestWorkqueueBucketOfManyItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := workqueue.DefaultTypedControllerRateLimiter[int]()
		guard := guardPreset(t, "token-bucket", "client-go")
		own := preset(t, "k8s-workqueue-item-exponential").Strategy
		var last time.Duration
		for i := range 5000 {
			library, ours := limiter.When(i), when(t, guard, 0, quantile(t, own, 1, 0))
			if (library - ours).Abs() > rounding {
				t.Fatalf("item %d: the library waits %v, ours %v", i, library, ours)
			}
			last = ours
		}
		if last != 490*time.Second {
			t.Errorf("the last waits %v, want 490s", last)
		}
	})
}

// TestWorkqueueBucketOverTime has 40 items fail again and again at random instants, so that the bucket runs empty and
// fills up.
func TestWorkqueueBucketOverTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := workqueue.DefaultTypedControllerRateLimiter[int]()
		guard := guardPreset(t, "token-bucket", "client-go")
		own := preset(t, "k8s-workqueue-item-exponential").Strategy
		start, rng := time.Now(), rand.New(rand.NewPCG(8, 9))
		delayed := 0
		for i := range 20_000 {
			item := rng.IntN(40)
			if rng.IntN(3) == 0 {
				limiter.Forget(item)
			}
			wait := quantile(t, own, limiter.NumRequeues(item)+1, 0)
			library, ours := limiter.When(item), when(t, guard, time.Since(start), wait)
			if (library - ours).Abs() > rounding {
				t.Fatalf("call %d: the library waits %v, ours %v", i, library, ours)
			}
			if ours > wait {
				delayed++
			}
			time.Sleep(time.Duration(rng.Int64N(int64([]time.Duration{150, 250}[i/1000%2] * time.Millisecond))))
		}
		if delayed < 2000 {
			t.Errorf("the bucket delayed %d calls: the sequence shows too little", delayed)
		}
	})
}

// TestCrashLoopBackOff fails 12 times in a row, each time as soon as it may. The kubelet's numbers are not in client-go:
// 10 s and 300 s, with the alpha gate 1 s and 60 s (pkg/kubelet/kubelet.go).
func TestCrashLoopBackOff(t *testing.T) {
	for _, row := range []struct {
		preset     string
		first, cap time.Duration
	}{
		{"k8s-crashloopbackoff", 10 * time.Second, 300 * time.Second},
		{"k8s-crashloopbackoff-reduced-alpha", time.Second, 60 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, b := preset(t, row.preset).Strategy, flowcontrol.NewBackOff(row.first, row.cap)
			for n := 1; n <= 12; n++ {
				b.Next("container", time.Now())
				wait := b.Get("container")
				sameLaw(t, s, n, []time.Duration{wait})
				time.Sleep(wait - 1)
				if !b.IsInBackOffSinceUpdate("container", time.Now()) {
					t.Errorf("failure %d: the container may start before %v", n, wait)
				}
				time.Sleep(time.Nanosecond)
			}
		})
	}
}

// TestReflector takes the numbers of tools/cache/reflector.go, which are not exported, and its way to step. It starts anew
// with the first failure that is later than 2 min after it last did, whether or not it has failed all the time. The preset
// does not; what is compared is the retries since then.
func TestReflector(t *testing.T) {
	const first, most, reset = 800 * time.Millisecond, 30 * time.Second, 2 * time.Minute
	reflector := wait.Backoff{Duration: first, Cap: most, Steps: int((most + first - 1) / first), Factor: 2, Jitter: 1}
	synctest.Test(t, func(t *testing.T) {
		waits := make([][]time.Duration, 10)
		for range chains {
			step, began, n := reflector.DelayWithReset(clock.RealClock{}, reset), time.Now(), 0
			for range 16 {
				if time.Since(began) > reset {
					began, n = time.Now(), 0
				}
				wait := step()
				waits[n] = append(waits[n], wait)
				time.Sleep(wait)
				n++
			}
		}
		const enough = 1000
		for n, draws := range waits {
			if len(draws) >= enough {
				sameLaw(t, preset(t, "k8s-reflector-backoff").Strategy, n+1, draws)
			}
		}
		if len(waits[6]) < 2*chains || len(waits[7]) < chains/2 {
			t.Errorf("%d seventh and %d eighth retries, which shows that it does not start anew", len(waits[6]), len(waits[7]))
		}
	})
}

// TestConflictRetries compares the waits, and the attempts that are made.
func TestConflictRetries(t *testing.T) {
	for _, row := range []struct {
		preset string
		b      wait.Backoff
	}{
		{"k8s-retry-default-retry", retry.DefaultRetry},
		{"k8s-retry-default-backoff", retry.DefaultBackoff},
	} {
		e := preset(t, row.preset)
		sameLaws(t, e.Strategy, draw(chains, 10, func() func() time.Duration {
			b := row.b
			return b.Step
		}))
		synctest.Test(t, func(t *testing.T) {
			made := 0
			always := func(error) bool { return true }
			if err := retry.OnError(row.b, always, func() error { made++; return errFailed }); err == nil {
				t.Error("no error after the last attempt")
			}
			if made != e.Limits.MaxAttempts {
				t.Errorf("%s: the library makes %d attempts, the preset %d", row.preset, made, e.Limits.MaxAttempts)
			}
		})
	}
}
