package sim

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/strategies"
	"herdsim/strategies/guards"
)

// brooker is the model of "Fixing retries with token buckets and circuit breakers": a downstream that fails each call with
// the same chance, whatever the load; Poisson clients; a one-way delay of 10 ms, exponentially distributed; retries at
// once.
func brooker(clients int, rate int64, length time.Duration, fails float64, attempts int, specs ...guards.Spec) Config {
	traffic := Poisson(downstream.Rate{Events: rate, Per: time.Second}, 0, length)
	traffic.Clients = clients
	return Config{
		Horizon: time.Hour, MaxEvents: 1 << 40, Window: time.Second,
		Arrivals: traffic,
		Network:  downstream.Exponential{M: 10 * time.Millisecond}, ErrorRate: fails,
		Strategy: strategies.Immediate{}, Limits: Limits{MaxAttempts: attempts}, Guards: specs,
		Downstream: downstream.Config{Slots: 1_000_000, Service: downstream.Constant{}},
	}
}

// budgeted returns the share of tasks that succeed and the attempts a task, each with its standard error.
func budgeted(t *testing.T, cfg Config, runs int) (success, load, successSE, loadSE float64) {
	t.Helper()
	var e Engine
	var s, s2, l, l2 float64
	for seed := range runs {
		cfg.Seed = uint64(seed) + 1
		r := e.Run(context.Background(), cfg)
		if r.Open.Unfinished > 0 {
			t.Fatalf("%d tasks unfinished", r.Open.Unfinished)
		}
		x, y := float64(r.Open.Succeeded)/float64(r.Open.Tasks), float64(r.Attempts)/float64(r.Open.Tasks)
		s, s2, l, l2 = s+x, s2+x*x, l+y, l2+y*y
	}
	n := float64(runs)
	se := func(sum, squares float64) float64 { return math.Sqrt(max(squares/n-sum*sum/n/n, 0) / (n - 1)) }
	return s / n, l / n, se(s, s2), se(l, l2)
}

// near checks a measured value against one that five seeds gave, rounded to three places.
func near(t *testing.T, what string, got, want, se float64, runs int) {
	t.Helper()
	theirs := se * math.Sqrt(float64(runs)/5)
	if tolerance := 4*math.Hypot(se, theirs) + 0.0005; math.Abs(got-want) > tolerance {
		t.Errorf("%s: %.4f, want %.3f ± %.4f", what, got, want, tolerance)
	}
}

func adaptive() guards.Spec {
	return guards.Spec{Name: "tokens", Maker: &guards.RetryTokens{Capacity: 5, Deposit: 0.1}}
}

func tenPercent() guards.Spec {
	return guards.Spec{Name: "breaker", Maker: &guards.RetryBreaker{Ratio: 0.1}}
}

// overload.md 2.1, closed forms: success 1 - f^(R+1), attempts a task Σ f^k over k from 0 to R, the same for R = 0 and 3.
func TestRetriesWithoutBudget(t *testing.T) {
	for _, f := range []float64{0.2, 0.5, 0.75} {
		for _, retries := range []int{0, 3} {
			success, load, successSE, loadSE := budgeted(t, brooker(100, 1000, 10*time.Second, f, retries+1), 5)
			sum := (1 - math.Pow(f, float64(retries+1))) / (1 - f)
			if want := 1 - math.Pow(f, float64(retries+1)); math.Abs(success-want) > 4*successSE+1e-12 {
				t.Errorf("f = %v, %d retries: success %v, want %v ± %v", f, retries, success, want, 4*successSE)
			}
			if math.Abs(load-sum) > 4*loadSE+1e-12 {
				t.Errorf("f = %v, %d retries: load %v, want %v ± %v", f, retries, load, sum, 4*loadSE)
			}
		}
	}
}

// overload.md 2.1, the table: 100 clients of 10 calls a second, 10 s.
func TestBudgetsOfAHundredClients(t *testing.T) {
	const runs = 5
	for _, row := range []struct{ f, adaptive, adaptiveLoad, breaker, breakerLoad float64 }{
		{0.02, 1.000, 1.020, 0.997, 1.018},
		{0.05, 1.000, 1.052, 0.986, 1.038},
		{0.10, 0.992, 1.102, 0.926, 1.031},
		{0.20, 0.906, 1.135, 0.802, 1.003},
		{0.50, 0.568, 1.142, 0.501, 1.000},
		{0.75, 0.285, 1.142, 0.249, 1.000},
	} {
		success, load, successSE, loadSE := budgeted(t, brooker(100, 1000, 10*time.Second, row.f, 0, adaptive()), runs)
		near(t, fmt.Sprintf("f = %v, adaptive, success", row.f), success, row.adaptive, successSE, runs)
		near(t, fmt.Sprintf("f = %v, adaptive, load", row.f), load, row.adaptiveLoad, loadSE, runs)
		success, load, successSE, loadSE = budgeted(t, brooker(100, 1000, 10*time.Second, row.f, 4, tenPercent()), runs)
		near(t, fmt.Sprintf("f = %v, breaker, success", row.f), success, row.breaker, successSE, runs)
		near(t, fmt.Sprintf("f = %v, breaker, load", row.f), load, row.breakerLoad, loadSE, runs)
	}
}

// overload.md 2.1: 100 calls a second for a minute from ever more clients. The buckets drift to no budget, for each
// starts full; the breakers drift to no retries, for each is past its ratio with the first failure.
//
// The clients of the table all call at t0, too: of 1,000, each makes 1 + Poisson(6) calls, and that one call more shows.
// Ours make Poisson(6). So for them both are held against a plain loop over clients, which gives the table with the one
// number of calls, and must give what the engine gives with the other.
func TestManySmallClientsDrift(t *testing.T) {
	const runs = 10
	for _, row := range []struct {
		clients       int
		spec          guards.Spec
		attempts      int
		f             float64
		success, load float64
	}{
		{10, adaptive(), 0, 0.5, 0.546, 1.107},
		{100, adaptive(), 0, 0.5, 0.581, 1.169},
		{1000, adaptive(), 0, 0.5, 0.801, 1.598},
		{10, tenPercent(), 4, 0.05, 0.998, 1.049},
		{1000, tenPercent(), 4, 0.05, 0.950, 1.002},
	} {
		what := fmt.Sprintf("%d clients, %s, f = %v", row.clients, row.spec.Name, row.f)
		success, load, successSE, loadSE := budgeted(t, brooker(row.clients, 100, time.Minute, row.f, row.attempts, row.spec), runs)
		if row.clients == 1000 {
			wantSuccess, wantLoad := loop(row.spec.Maker, 6, false, row.f, row.attempts)
			if math.Abs(success-wantSuccess) > 5*successSE || math.Abs(load-wantLoad) > 5*loadSE {
				t.Errorf("%s: success %.4f, load %.4f; the loop gives %.4f, %.4f", what, success, load, wantSuccess, wantLoad)
			}
			success, load = loop(row.spec.Maker, 6, true, row.f, row.attempts)
		}
		near(t, what+", success", success, row.success, successSE, runs)
		near(t, what+", load", load, row.load, loadSE, runs)
	}
	for _, clients := range []int{10, 100, 1000} {
		success, load, successSE, loadSE := budgeted(t, brooker(clients, 100, time.Minute, 0.5, 4, tenPercent()), runs)
		if math.Abs(success-0.5) > 4*successSE+0.005 || math.Abs(load-1) > 4*loadSE+0.005 { // given to two places
			t.Errorf("%d clients, breaker: %.4f, %.4f, want .50, 1.00", clients, success, load)
		}
	}
}

// loop plays many clients one after the other, each with Poisson(mean) calls, and one more if so wished. It returns the
// share of calls that succeed and the attempts a call.
func loop(m guards.Maker, mean float64, oneMore bool, fails float64, most int) (success, load float64) {
	r := rand.New(rand.NewPCG(1, 1))
	calls, attempts, succeeded := 0, 0, 0
	for range 100_000 {
		g, n := m.Make(), 0
		for p := r.Float64(); p >= math.Exp(-mean); p *= r.Float64() {
			n++
		}
		if oneMore {
			n++
		}
		for range n {
			calls++
			for attempt, again := 1, true; again; attempt++ {
				c := guards.Call{Retry: attempt > 1}
				g.Admit(0, c, 0)
				attempts++
				if r.Float64() >= fails {
					g.Done(0, c, strategies.Served)
					succeeded++
					break
				}
				g.Done(0, c, strategies.Errored)
				_, again = g.Allow(0, strategies.Errored)
				again = again && attempt != most
			}
		}
	}
	return float64(succeeded) / float64(calls), float64(attempts) / float64(calls)
}

// overload.md 2.1: with the bucket dry, 1 + 0.1 + 4/n attempts a task for clients of n calls each.
func TestAdaptiveClosedForm(t *testing.T) {
	for clients, want := range map[int]float64{10: 1.1 + 4.0/600, 100: 1.1 + 4.0/60} {
		_, load, _, loadSE := budgeted(t, brooker(clients, 100, time.Minute, 0.75, 0, adaptive()), 10)
		// What each client has left, below one token, is worth up to 1/n.
		if n := 6000 / float64(clients); math.Abs(load-want) > 4*loadSE+1/n {
			t.Errorf("%d clients: load %v, want %v", clients, load, want)
		}
	}
}
