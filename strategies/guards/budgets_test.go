package guards_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"herdsim/strategies"
	"herdsim/strategies/guards"
)

// analytic.md A5: 10 tokens, retries stop after five straight failures, the fifth among them.
func TestRetryThrottlingStopsAtHalf(t *testing.T) {
	if n := (client{t, preset(t, "retry-throttling", "grpc")}).retries(0, failed, 100); n != 4 {
		t.Errorf("%d retries, want 4: the fifth failure leaves 5 of 10 tokens", n)
	}
}

// A success gives a tenth of what a failure takes: at 5.1 a retry is allowed, at 5 it is not.
func TestRetryThrottlingRefusesAtExactlyHalf(t *testing.T) {
	c := client{t, preset(t, "retry-throttling", "grpc")}
	c.retries(0, failed, 100)
	if _, ok := c.guard.Allow(0, failed); ok {
		t.Error("a retry at 5 of 10 tokens is allowed")
	}
	c.call(0, served)
	if _, ok := c.guard.Allow(0, failed); !ok {
		t.Error("a retry at 5.1 of 10 tokens is refused")
	}
	for range 200 {
		c.call(0, served)
	}
	if s := c.guard.State(0); s.Level != 1 {
		t.Errorf("level %v after 200 successes, want 1", s.Level)
	}
}

// analytic.md A5: what failures take is what successes give at a share of failures of r/(1+r): below it the bucket stays
// full, above it runs dry.
func TestRetryThrottlingEquilibrium(t *testing.T) {
	const ratio = 0.1
	for _, c := range []struct {
		failing   float64
		throttled bool
	}{{ratio / (1 + ratio) * 0.8, false}, {ratio / (1 + ratio) * 1.2, true}} {
		guard := (&guards.RetryThrottling{MaxTokens: 1000, TokenRatio: ratio}).Make()
		r := rand.New(rand.NewPCG(1, 2))
		const calls = 200_000
		for range calls {
			o := served
			if r.Float64() < c.failing {
				o = failed
			}
			guard.Done(0, guards.Call{}, o)
		}
		if _, ok := guard.Allow(0, failed); ok == c.throttled {
			t.Errorf("failing share %.4f around r/(1+r) = %.4f: retries allowed: %v", c.failing, ratio/(1+ratio), ok)
		}
	}
}

// retry-clients.md section 3: 35 retries of 500/14, 100 of 500/5; after throttles 100; before v1.48, 50 after timeouts.
func TestRetryQuotaUntilEmpty(t *testing.T) {
	for _, c := range []struct {
		preset  string
		outcome strategies.Outcome
		want    int
	}{
		{"aws", failed, 35},
		{"aws", strategies.Errored, 35},
		{"aws", strategies.TimedOut, 35},
		{"aws", strategies.Rejected, 100},
		{"aws-legacy", failed, 100},
		{"aws-legacy", strategies.Rejected, 100},
		{"aws-legacy", strategies.TimedOut, 50},
	} {
		if n := (client{t, preset(t, "retry-quota", c.preset)}).retries(0, c.outcome, 1000); n != c.want {
			t.Errorf("%s, %s: %d retries, want %d", c.preset, c.outcome, n, c.want)
		}
	}
}

func TestRetryQuotaRefunds(t *testing.T) {
	g := preset(t, "retry-quota", "aws")
	level := func(want float64) {
		t.Helper()
		if s := g.State(0); math.Abs(s.Level-want/500) > 1e-12 {
			t.Errorf("%v tokens, want %v", s.Level*500, want)
		}
	}
	cost, _ := g.Allow(0, failed)
	level(486)
	g.Done(0, guards.Call{Retry: true, Allowance: cost}, failed)
	level(486) // only a retry that is served gives back
	cost, _ = g.Allow(0, strategies.Rejected)
	level(481)
	g.Done(0, guards.Call{Retry: true, Allowance: cost}, served)
	level(486)
	g.Done(0, guards.Call{}, served)
	level(487)
	cost, _ = g.Allow(0, failed)
	g.Drop(0, guards.Call{Retry: true, Allowance: cost})
	level(487) // a retry that is never made costs nothing
	for range 20 {
		g.Done(0, guards.Call{}, served)
	}
	level(500)
}

// overload.md 2.1: 1 + 0.1 + 4/n attempts a call for a client with n calls that all fail: 1.167 for 60, 1.107 for 600 (at
// a failure share at which the bucket runs dry; here all fail, so it is exact).
func TestRetryTokensAmplify(t *testing.T) {
	for _, calls := range []int{60, 600, 10} {
		c := client{t, preset(t, "retry-tokens", "brooker")}
		retries := 0
		for range calls {
			retries += c.retries(0, failed, 1000)
		}
		// The first deposit does not fit into a full bucket; what is left of the last is between 0.1 and 1.
		if low := 4 + 0.1*float64(calls-1); float64(retries) < low || float64(retries) > low+0.9 {
			t.Errorf("%d calls: %d retries, want %v to %v", calls, retries, low, low+0.9)
		}
	}
}

func TestRetryTokensNeedMoreThanOne(t *testing.T) {
	c := client{t, preset(t, "retry-tokens", "brooker")}
	if n := c.retries(0, failed, 100); n != 4 {
		t.Errorf("%d retries of 5 tokens, want 4", n)
	}
	for range 10 { // 1 token, and ten deposits of 0.1: 2 tokens, of which one can be had
		c.call(0, served)
	}
	for i, want := range []bool{true, false} {
		if _, ok := c.guard.Allow(0, failed); ok != want {
			t.Errorf("retry %d of 2 tokens allowed: %v, want %v", i+1, ok, want)
		}
	}
}

// retry-clients.md section 3: a reserve of 10/s × 10 s = 100 retries, and one retry for five calls.
func TestRetryBudget(t *testing.T) {
	for _, name := range []string{"finagle", "linkerd"} {
		g := preset(t, "retry-budget", name)
		allowed := func(at time.Duration) (n int) {
			for ; n < 10_000; n++ {
				if _, ok := g.Allow(at, failed); !ok {
					break
				}
			}
			return n
		}
		if n := allowed(0); n != 100 {
			t.Errorf("%s: %d retries of a fresh budget, want 100", name, n)
		}
		for range 50 {
			g.Admit(second, guards.Call{}, 0)
		}
		if n := allowed(second); n != 10 {
			t.Errorf("%s: %d retries for 50 calls, want 10", name, n)
		}
		if n := allowed(10*second - 1); n != 0 {
			t.Errorf("%s: %d retries before the withdrawals of t0 are forgotten", name, n)
		}
		if n := allowed(10 * second); n != 100 {
			t.Errorf("%s: %d retries when they are, want 100", name, n)
		}
		if n := allowed(time.Hour); n != 100 {
			t.Errorf("%s: %d retries after an hour, want 100", name, n)
		}
	}
}

// analytic.md A4: with a budget of r and nothing else, calls that all fail are 1 + r attempts each at most, and in the long
// run just that.
func TestA4Amplification(t *testing.T) {
	for _, r := range []float64{0.1, 0.2} {
		c := client{t, (&guards.RetryBudget{TTL: 10 * second, Ratio: r, Scale: 1000}).Make()}
		const calls = 10_000
		retries := 0
		for i := range calls {
			retries += c.retries(time.Duration(i)*10*time.Millisecond, failed, 100)
		}
		if got := 1 + float64(retries)/calls; got > 1+r || got < 1+r-0.002 {
			t.Errorf("r = %v: %v attempts a call, want %v", r, got, 1+r)
		}
	}
}

// tower cuts the fraction of a withdrawal off: of 30 % it makes a third.
func TestRetryBudgetScale(t *testing.T) {
	for scale, want := range map[int64]int{1: 100, 1000: 90} {
		g := (&guards.RetryBudget{TTL: 10 * second, Ratio: 0.3, Scale: scale}).Make()
		for range 300 {
			g.Admit(0, guards.Call{}, 0)
		}
		n := 0
		for ; n < 1000; n++ {
			if _, ok := g.Allow(0, failed); !ok {
				break
			}
		}
		if n != want {
			t.Errorf("scale %d: %d retries for 300 calls at 30 %%, want %d", scale, n, want)
		}
	}
}

// atOnce lets so many calls fail at one instant, their retries wait, and returns how many are allowed.
func atOnce(g guards.Guard, calls int) (allowed int) {
	for range calls {
		g.Admit(0, guards.Call{}, 0)
	}
	for range calls {
		g.Done(second, guards.Call{}, failed)
		if _, ok := g.Allow(second, failed); ok {
			allowed++
		}
	}
	return allowed
}

// analytic.md A6 (envoy PR #9069): 20 %, at least 3: 25 active calls, 5 retries; 2 active calls, 3 retries.
func TestConcurrentRetriesOfActive(t *testing.T) {
	for active, want := range map[int]int{25: 5, 2: 3} {
		g := (&guards.ConcurrentRetries{Share: 0.2, Min: 3, Charge: guards.ChargeSent}).Make()
		for range active - 1 { // the call that has failed is the last
			g.Admit(0, guards.Call{}, 0)
		}
		n := 0
		for ; n < 100; n++ {
			if _, ok := g.Allow(0, failed); !ok {
				break
			}
			g.Admit(0, guards.Call{Retry: true}, 0)
			g.Done(0, guards.Call{}, failed) // one of the first attempts ends: as many are active as before
			g.Admit(0, guards.Call{}, 0)
			g.Cancel(0, guards.Call{})
		}
		if n != want {
			t.Errorf("%d active: %d retries, want %d", active, n, want)
		}
	}
}

// envoy #30205: 1,000 calls fail at once. Counted when they are decided, 200 are retried; counted when they are sent,
// all of them. Without a budget it is max_retries, 3.
func TestConcurrentRetriesOfAThousand(t *testing.T) {
	for name, want := range map[string]int{"envoy-budget": 200, "envoy-budget-sent": 1000, "envoy": 3, "failsafe-go": 1000} {
		if n := atOnce(preset(t, "concurrent-retries", name), 1000); n != want {
			t.Errorf("%s: %d of 1,000 retried, want %d", name, n, want)
		}
	}
}

// cases.md 79 (failsafe-go #139): a rate of 0.001 and at least 3: three permits, and the fourth is refused when it is sent.
func TestCase79MinimumIsUsed(t *testing.T) {
	g := (&guards.ConcurrentRetries{Share: 0.001, Min: 3, Charge: guards.CheckSent, Above: true}).Make()
	for i := range 4 {
		allowance, ok := g.Allow(0, failed)
		if !ok {
			t.Fatalf("retry %d is refused before its delay", i+1)
		}
		want := guards.Proceed
		if i == 3 {
			want = guards.Refuse
		}
		if a := g.Admit(0, guards.Call{Retry: true, Allowance: allowance}, 0); a.Verdict != want {
			t.Errorf("retry %d: verdict %v, want %v", i+1, a.Verdict, want)
		}
	}
}

func TestConcurrentRetriesComeBack(t *testing.T) {
	g := preset(t, "concurrent-retries", "envoy")
	retry := guards.Call{Retry: true}
	for range 3 {
		g.Allow(0, failed)
	}
	if _, ok := g.Allow(0, failed); ok {
		t.Fatal("a fourth of 3 retries is allowed")
	}
	g.Admit(0, retry, 0)
	g.Cancel(0, retry)
	if _, ok := g.Allow(0, failed); ok {
		t.Error("a retry that was put off by another guard no longer counts")
	}
	g.Drop(0, retry)
	if _, ok := g.Allow(0, failed); !ok {
		t.Error("a retry that will never be made still counts")
	}
	g.Admit(0, retry, 0)
	g.Done(0, retry, failed)
	if _, ok := g.Allow(0, failed); !ok {
		t.Error("a retry that has ended still counts")
	}
}

// overload.md 2.1: a client of ten calls has no retry from its first failure on; at exactly 10 % it has.
func TestRetryBreaker(t *testing.T) {
	c := client{t, preset(t, "retry-breaker", "brooker")}
	if n := c.retries(0, failed, 10); n != 0 {
		t.Errorf("%d retries after a first call that failed, want none", n)
	}
	for range 8 {
		c.call(0, served)
	}
	c.phase(0, guards.Open)
	if _, ok := c.guard.Allow(0, failed); ok {
		t.Error("a retry at 1 failure of 9 calls is allowed")
	}
	c.call(0, served)
	if _, ok := c.guard.Allow(0, failed); !ok {
		t.Error("a retry at 1 failure of 10 calls is refused")
	}
	if s := c.guard.State(0); s.Phase != guards.Closed || s.Opened != 1 {
		t.Errorf("%+v, want closed after having opened once", s)
	}
}
