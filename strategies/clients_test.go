package strategies_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"herdsim/strategies"
)

func between(from, to float64) strategies.Jitter {
	return strategies.Jitter{Kind: strategies.JitterBetween, Share: from, Upto: to}
}

func exactly(d time.Duration) strategies.Exact { return strategies.Exact{Is: true, Wait: d} }

// TestClientFormulas reads what real clients do beside the textbook at u = 0, 1/2 and just below 1. The values are the
// formulas worked out by hand.
func TestClientFormulas(t *testing.T) {
	whole := strategies.Rounding{Grain: second}
	sidekiq := strategies.Polynomial{Base: 15 * second, Unit: second, Power: 4, Jitter: added(10 * second), Rising: strategies.RisingWidth, Rounding: whole}
	sidekiq7 := sidekiq
	sidekiq7.Rising = strategies.RisingSteps
	azure := strategies.Exponential{Base: 4 * second, Factor: 2, Less: 4 * second, FirstExponent: 1, Cap: 120 * second, Jitter: between(0.8, 1.3), Clamp: strategies.ClampAfter}
	aws := strategies.Exponential{Base: second, Factor: 2, FirstExponent: 1, Cap: 20 * second, Jitter: strategies.Jitter{Kind: strategies.JitterFull}, Clamp: strategies.ClampInstead}
	gaxios := strategies.Exponential{Base: 500 * ms, Factor: 2, Less: 500 * ms, First: exactly(100 * ms)}
	urllib3 := strategies.Exponential{Base: second, Factor: 2, First: exactly(0)}
	fibonacci := strategies.Fibonacci{Base: second, Cap: 10 * second}
	nearest := strategies.Fixed{Delay: 1500 * ms, Jitter: added(second), Rounding: strategies.Rounding{Grain: second, Mode: strategies.RoundNearest}}
	up := strategies.Fixed{Delay: second, Jitter: added(second), Rounding: strategies.Rounding{Grain: second, Mode: strategies.RoundUp}}
	for _, row := range []struct {
		name           string
		s              strategies.Strategy
		retry          int
		low, half, top time.Duration
	}{
		{"sidekiq 8, first: 15 + rand(10)", sidekiq, 1, 15 * second, 20 * second, 24 * second},
		{"sidekiq 8, third: 2^4 + 15 + rand(30)", sidekiq, 3, 31 * second, 46 * second, 60 * second},
		{"sidekiq 7, third: 2^4 + 15 + 3 rand(10)", sidekiq7, 3, 31 * second, 46 * second, 58 * second},
		{"n² from 1", strategies.Polynomial{Unit: second, Power: 2, Origin: 1}, 8, 64 * second, 64 * second, 64 * second},
		{"a power that is not whole, 4^1.5", strategies.Polynomial{Unit: second, Power: 1.5, Origin: 1}, 4, 8 * second, 8 * second, 8 * second},
		{"a power up to its cap", strategies.Polynomial{Unit: second, Power: 2, Origin: 1, Cap: 50 * second}, 8, 50 * second, 50 * second, 50 * second},
		{"a power with jitter of its own", strategies.Polynomial{Base: second, Unit: second, Power: 2, Jitter: between(0.5, 1)}, 2, second, 1500 * ms, 2 * second},
		{"azure, first: 4 s", azure, 1, 3200 * ms, 4200 * ms, 5200 * ms},
		{"azure, fifth: 124 s", azure, 5, 99200 * ms, 120 * second, 120 * second},
		{"azure, sixth: the cap", azure, 6, 120 * second, 120 * second, 120 * second},
		{"aws of old, fourth", aws, 4, 0, 8 * second, 16 * second},
		{"aws of old, fifth", aws, 5, 20 * second, 20 * second, 20 * second},
		{"gaxios, first", gaxios, 1, 100 * ms, 100 * ms, 100 * ms},
		{"gaxios, third", gaxios, 3, 1500 * ms, 1500 * ms, 1500 * ms},
		{"urllib3, first", urllib3, 1, 0, 0, 0},
		{"urllib3, second", urllib3, 2, 2 * second, 2 * second, 2 * second},
		{"fibonacci, fifth", fibonacci, 5, 8 * second, 8 * second, 8 * second},
		{"fibonacci, at its cap", fibonacci, 6, 10 * second, 10 * second, 10 * second},
		{"fibonacci, at the end of time", strategies.Fibonacci{Base: second}, 100, math.MaxInt64, math.MaxInt64, math.MaxInt64},
		{"celery: 0 to 8 s, both ends", strategies.FullJitter{Base: second, Factor: 2, Rounding: strategies.Rounding{Grain: second, Mode: strategies.RoundInclusive}},
			4, 0, 4 * second, 8 * second},
		{"nearest", nearest, 1, 2 * second, 2 * second, 2 * second},
		{"up: never down to the exact value", up, 1, second, 2 * second, 2 * second},
		{"a grain above the wait", strategies.Fixed{Delay: 999 * ms, Rounding: whole}, 1, 0, 0, 0},
		{"a schedule with a cap", strategies.Schedule{Delays: []time.Duration{375 * ms}, Jitter: strategies.Jitter{Kind: strategies.JitterFull}, Cap: 250 * ms}, 1,
			0, 187500 * time.Microsecond, 250 * ms},
		{"a sweep of 3: between", strategies.Fixed{Delay: second, Sweep: 3}, 2, 0, 0, 0},
		{"a sweep of 3: at its end", strategies.Fixed{Delay: second, Sweep: 3}, 6, second, second, second},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, at := range []struct {
				u    float64
				want time.Duration
			}{{0, row.low}, {0.5, row.half}, {top, row.top}} {
				if got := wait(t, row.s, row.retry, at.u); got != at.want {
					t.Errorf("Wait(retry %d, u %v) = %v, want %v", row.retry, at.u, got, at.want)
				}
			}
		})
	}
}

// TestChains follows strategies that look back, at the same u each time.
func TestChains(t *testing.T) {
	grpcJS := strategies.Compounding{Base: second, Factor: 1.6, Cap: 120 * second, Jitter: around(0.2), First: exactly(second)}
	kafkaJS := strategies.Compounding{Base: 300 * ms, Factor: 2, Cap: 30 * second, Jitter: around(0.2), Clamp: strategies.ClampAfter,
		Rounding: strategies.Rounding{Grain: ms, Mode: strategies.RoundUp}}
	finagle := strategies.FinagleExponential{Base: second, Cap: 32 * second}
	never := strategies.Decorrelated{Base: 5 * ms, Factor: 3, Cap: 200 * ms, ClampInside: true, FromPrevious: true, First: exactly(5 * ms)}
	for _, row := range []struct {
		name string
		s    strategies.Strategy
		u    float64
		want []time.Duration
	}{
		// Up and down by 20 % in every step: 1.6 × 1.2 = 1.92 and 1.6 × 0.8 = 1.28.
		{"grpc-js, never lucky", grpcJS, 1 - 1e-15, []time.Duration{second, 1920 * ms, 3686400 * time.Microsecond}},
		{"grpc-js, always lucky", grpcJS, 0, []time.Duration{second, 1280 * ms, 1638400 * time.Microsecond}},
		{"kafkajs, always lucky", kafkaJS, 1e-6, []time.Duration{241 * ms, 386 * ms, 618 * ms}},
		{"kafkajs, at its cap", kafkaJS, 1 - 1e-15, []time.Duration{360 * ms, 864 * ms, 2074 * ms, 4978 * ms, 11948 * ms, 28676 * ms, 30 * second}},
		{"finagle exponential, u = 1/2", finagle, 0.5, []time.Duration{second, second, 2 * second, 8 * second, 32 * second, 32 * second}},
		{"finagle decorrelated, always lucky, and never shorter", never, 0, []time.Duration{5 * ms, 5 * ms, 5 * ms}},
		{"finagle decorrelated, u = 1/2", never, 0.5, []time.Duration{5 * ms, 10 * ms, 20 * ms, 40 * ms, 80 * ms, 140 * ms, 170 * ms}},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := strategies.Attempt{Outcome: strategies.Rejected}
			for i, want := range row.want {
				a.Retry, a.SinceReset = i+1, i+1
				got, again := row.s.Wait(a, row.u)
				if off := got - want; off < -10 || off > 10 || !again {
					t.Errorf("retry %d waits %v, %v, want %v, true", i+1, got, again, want)
				}
				a.Previous, a.PreviousU = got, row.u
			}
		})
	}
}

// TestDecorrelatedV2 checks the identity that the waits up to a retry sum up to a point of the curve, and the values of
// Polly's formula for u = 1/2: f(1/2) = 1.2563669, f(3/2) = 2.7865719.
func TestDecorrelatedV2(t *testing.T) {
	s := strategies.DecorrelatedV2{Base: 2 * second}
	luck := rand.New(rand.NewPCG(7, 7))
	sum, a := 0.0, strategies.Attempt{}
	for retry := 1; retry <= 20; retry++ {
		a.Retry, a.SinceReset = retry, retry
		u := luck.Float64()
		w, _ := s.Wait(a, u)
		a.Previous, a.PreviousU = w, u
		sum += w.Seconds()
		at := float64(retry-1) + u
		if want := 2 / 1.4 * math.Exp2(at) * math.Tanh(math.Sqrt(4*at)); math.Abs(sum-want) > 1e-7 {
			t.Fatalf("the first %d waits take %v s, want %v s", retry, sum, want)
		}
	}
	first := wait(t, s, 1, 0.5)
	second, _ := s.Wait(strategies.Attempt{Retry: 2, SinceReset: 2, PreviousU: 0.5}, 0.5)
	if math.Abs(first.Seconds()-2/1.4*1.2563669) > 2e-7 || math.Abs(second.Seconds()-2/1.4*(2.7865719-1.2563669)) > 2e-7 {
		t.Errorf("u = 1/2 twice: %v and %v", first, second)
	}
	if w := wait(t, strategies.DecorrelatedV2{Base: 2 * time.Second, Cap: 30 * time.Second}, 1024, 0.5); w != 30*time.Second {
		t.Errorf("retry 1024 waits %v, want the cap", w)
	}
}

// TestChainsAreDescribed: the ends are those of workers that are always and never lucky, what is between is drawn.
func TestChainsAreDescribed(t *testing.T) {
	for _, row := range []struct {
		name                  string
		s                     strategies.Strategy
		retry                 int
		min, mean, max        time.Duration
		atCap, meanOff, share float64 // how far mean and share may be off
	}{
		// Without a cap the mean is that of the plain delay, 1.6⁷ s; the ends are 1.28⁷ and 1.92⁷ s.
		{"grpc-js, eighth", strategies.Compounding{Base: second, Factor: 1.6, Jitter: around(0.2), First: exactly(second)}, 8,
			5629499534, 26843545600, 96185277198, 0, 0.01, 0},
		// The third wait v = U[0, 4w), w = U[0, 2), is at least 4 s with (1 - ln 2)/2 = 0.1534; the mean is 0.1534 × 32 s + 4 E[v; v < 4 s].
		{"finagle exponential, fourth", strategies.FinagleExponential{Base: second, Cap: 32 * second}, 4, 0, 9680 * ms, 32 * second, 0.1534, 0.02, 0.005},
		{"finagle exponential without room", strategies.FinagleExponential{Base: second, Cap: second}, 3, second, second, second, 1, 0, 0},
		// U[5 ms, 15 ms), then twice as long on average.
		{"finagle decorrelated, third", strategies.Decorrelated{Base: 5 * ms, Factor: 3, Cap: 200 * ms, ClampInside: true, FromPrevious: true,
			First: exactly(5 * ms)}, 3, 5 * ms, 20 * ms, 45 * ms, 0, 0.01, 0},
		// f(1) × 2 s / 1.4 at most; the mean as observed (polly-v8-exponential-jitter-2s).
		{"polly, first", strategies.DecorrelatedV2{Base: 2 * second}, 1, 0, 1743 * ms, 2754364515, 0, 0.01, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := strategies.Describe(row.s, row.retry)[row.retry-1]
			close := func(a, b time.Duration) bool { return math.Abs(float64(a-b)) <= 20 }
			if !close(got.Min, row.min) || !close(got.Max, row.max) {
				t.Errorf("%v to %v, want %v to %v", got.Min, got.Max, row.min, row.max)
			}
			if math.Abs(float64(got.Mean-row.mean)) > row.meanOff*float64(row.mean) || math.Abs(got.AtCapShare-row.atCap) > row.share {
				t.Errorf("mean %v, %v at the cap, want %v, %v", got.Mean, got.AtCapShare, row.mean, row.atCap)
			}
		})
	}
}

// TestLatticeStats compares the closed forms of waits on a lattice with a sum over a million u.
func TestLatticeStats(t *testing.T) {
	for _, row := range []struct {
		name string
		s    strategies.Uniform
	}{
		{"down", strategies.Fixed{Delay: 7700 * ms, Jitter: around(0.33), Rounding: strategies.Rounding{Grain: second}}},
		{"nearest", strategies.Fixed{Delay: 7700 * ms, Jitter: around(0.33), Rounding: strategies.Rounding{Grain: second, Mode: strategies.RoundNearest}}},
		{"up", strategies.Fixed{Delay: 7700 * ms, Jitter: around(0.33), Rounding: strategies.Rounding{Grain: second, Mode: strategies.RoundUp}}},
		{"inclusive", strategies.FullJitter{Base: 5 * second, Factor: 1, Rounding: strategies.Rounding{Grain: second, Mode: strategies.RoundInclusive}}},
		{"cut between two points", strategies.Exponential{Base: 8 * second, Factor: 1, Cap: 8500 * ms, Jitter: around(0.5), Clamp: strategies.ClampAfter,
			Rounding: strategies.Rounding{Grain: second}}},
		{"cut at a point", strategies.Exponential{Base: 8 * second, Factor: 1, Cap: 9 * second, Jitter: around(0.5), Clamp: strategies.ClampAfter,
			Rounding: strategies.Rounding{Grain: second}}},
		{"in steps", strategies.Polynomial{Base: 15 * second, Unit: second, Power: 4, Jitter: added(10 * second), Rising: strategies.RisingSteps,
			Rounding: strategies.Rounding{Grain: second}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			const grid = 1_000_000
			got := strategies.Describe(row.s, 1)[0]
			sum, most, atCap := 0.0, time.Duration(0), 0.0
			for i := range grid {
				w := row.s.Law(0).At((float64(i) + 0.5) / grid)
				sum += w.Seconds()
				most = max(most, w)
				if e, ok := row.s.(strategies.Exponential); ok && w == e.Cap {
					atCap++
				}
			}
			if off := math.Abs(got.Mean.Seconds() - sum/grid); off > 1e-4 {
				t.Errorf("mean %v, want %v s", got.Mean, sum/grid)
			}
			if got.Max != most || math.Abs(got.AtCapShare-atCap/grid) > 1e-5 || !got.Exact {
				t.Errorf("max %v, %v at the cap, exact %v, want %v, %v, true", got.Max, got.AtCapShare, got.Exact, most, atCap/grid)
			}
		})
	}
}
