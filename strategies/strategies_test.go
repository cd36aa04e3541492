package strategies_test

import (
	"math"
	"testing"
	"time"

	"herdsim/strategies"
)

const (
	ms     = time.Millisecond
	second = time.Second
)

// top is the largest u of 53 bits.
var top = math.Nextafter(1, 0)

// A failer is a test, of testing or of rapid.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// wait returns the wait of s before a retry of a client that never reset its backoff.
func wait(t failer, s strategies.Strategy, retry int, u float64) time.Duration {
	t.Helper()
	w, again := s.Wait(strategies.Attempt{Retry: retry, SinceReset: retry, Outcome: strategies.Rejected}, u)
	if !again {
		t.Fatalf("%+v gives up at retry %d", s, retry)
	}
	return w
}

func around(share float64) strategies.Jitter {
	return strategies.Jitter{Kind: strategies.JitterAround, Share: share}
}

func above(share float64) strategies.Jitter {
	return strategies.Jitter{Kind: strategies.JitterAbove, Share: share}
}

func added(spread time.Duration) strategies.Jitter {
	return strategies.Jitter{Kind: strategies.JitterAdded, Spread: spread}
}

// TestFormulas reads each formula at u = 0, 1/2 and just below 1. The values are the formulas worked out by hand.
func TestFormulas(t *testing.T) {
	full := strategies.Jitter{Kind: strategies.JitterFull}
	equal := strategies.Jitter{Kind: strategies.JitterEqual}
	for _, row := range []struct {
		name           string
		s              strategies.Strategy
		retry          int
		low, half, top time.Duration
	}{
		{"immediate", strategies.Immediate{}, 1, 0, 0, 0},
		{"immediate, later", strategies.Immediate{}, 1000, 0, 0, 0},
		{"fixed", strategies.Fixed{Delay: second}, 7, second, second, second},
		{"fixed, full", strategies.Fixed{Delay: second, Jitter: full}, 7, 0, 500 * ms, second},
		{"fixed, 10%", strategies.Fixed{Delay: second, Jitter: around(0.1)}, 7, 900 * ms, second, 1100 * ms},
		{"fixed, 10% of 4 ns, rounded", strategies.Fixed{Delay: 4, Jitter: around(0.1)}, 7, 4, 4, 4},
		{"fixed, 100%", strategies.Fixed{Delay: second, Jitter: around(1)}, 7, 0, second, 2 * second},
		{"fixed, 150% is cut at 0", strategies.Fixed{Delay: second, Jitter: around(1.5)}, 7, 0, second, 2500 * ms},
		{"fixed, +10%", strategies.Fixed{Delay: second, Jitter: above(0.1)}, 7, second, 1050 * ms, 1100 * ms},
		{"fixed, +100ms", strategies.Fixed{Delay: second, Jitter: added(100 * ms)}, 7, second, 1050 * ms, 1100 * ms},
		{"linear, first", strategies.Linear{Base: second}, 1, second, second, second},
		{"linear, fifth", strategies.Linear{Base: second}, 5, 5 * second, 5 * second, 5 * second},
		{"linear, at the cap", strategies.Linear{Base: second, Cap: 3 * second}, 5, 3 * second, 3 * second, 3 * second},
		{"linear, equal", strategies.Linear{Base: second, Jitter: equal}, 4, 2 * second, 3 * second, 4 * second},
		{"linear, clamp after", strategies.Linear{Base: second, Cap: 3 * second, Jitter: full, Clamp: strategies.ClampAfter},
			4, 0, 2 * second, 3 * second},
		{"exponential, first", strategies.Exponential{Base: second, Factor: 2}, 1, second, second, second},
		{"exponential, fifth", strategies.Exponential{Base: second, Factor: 2}, 5, 16 * second, 16 * second, 16 * second},
		{"exponential, first exponent 1", strategies.Exponential{Base: second, Factor: 2, FirstExponent: 1},
			1, 2 * second, 2 * second, 2 * second},
		{"exponential, factor 1.5", strategies.Exponential{Base: second, Factor: 1.5}, 3, 2250 * ms, 2250 * ms, 2250 * ms},
		{"exponential, factor 1", strategies.Exponential{Base: second, Factor: 1}, 1000, second, second, second},
		{"exponential, 10%, clamp before", strategies.Exponential{Base: second, Factor: 2, Cap: 10 * second, Jitter: around(0.1)},
			9, 9 * second, 10 * second, 11 * second},
		{"exponential, 10%, clamp after", strategies.Exponential{Base: second, Factor: 2, Cap: 10 * second, Jitter: around(0.1),
			Clamp: strategies.ClampAfter}, 9, 10 * second, 10 * second, 10 * second},
		{"exponential, 50%, clamp after, not yet at the cap", strategies.Exponential{Base: second, Factor: 2, Cap: 10 * second,
			Jitter: around(0.5), Clamp: strategies.ClampAfter}, 4, 4 * second, 8 * second, 10 * second},
		{"exponential, 10%, clamp both", strategies.Exponential{Base: second, Factor: 2, Cap: 10 * second, Jitter: around(0.1),
			Clamp: strategies.ClampBoth}, 9, 9 * second, 10 * second, 10 * second},
		{"exponential, full, clamp after", strategies.Exponential{Base: second, Factor: 2, Cap: 12 * second, Jitter: full,
			Clamp: strategies.ClampAfter}, 5, 0, 8 * second, 12 * second},
		{"full jitter, first", strategies.FullJitter{Base: second, Factor: 2, Cap: 20 * second}, 1, 0, 500 * ms, second},
		{"full jitter, at the cap", strategies.FullJitter{Base: second, Factor: 2, Cap: 20 * second}, 6, 0, 10 * second, 20 * second},
		{"full jitter, first exponent 1", strategies.FullJitter{Base: second, Factor: 2, FirstExponent: 1}, 1, 0, second, 2 * second},
		{"full jitter of one nanosecond", strategies.FullJitter{Base: 1, Factor: 2}, 1, 0, 0, 1},
		{"equal jitter, first", strategies.EqualJitter{Base: second, Factor: 2}, 1, 500 * ms, 750 * ms, second},
		{"equal jitter, at the cap", strategies.EqualJitter{Base: second, Factor: 2, Cap: 6 * second}, 4, 3 * second, 4500 * ms, 6 * second},
		{"equal jitter of an odd ceiling is rounded to even", strategies.EqualJitter{Base: 5, Factor: 2}, 1, 2, 4, 5},
		{"schedule, first", strategies.Schedule{Delays: []time.Duration{second, 5 * second}}, 1, second, second, second},
		{"schedule, used up", strategies.Schedule{Delays: []time.Duration{second, 5 * second}}, 9, 5 * second, 5 * second, 5 * second},
		{"schedule, 10%", strategies.Schedule{Delays: []time.Duration{second, 5 * second}, Jitter: above(0.1)},
			2, 5 * second, 5250 * ms, 5500 * ms},
		{"schedule of nothing", strategies.Schedule{}, 1, 0, 0, 0},
		// -ln(1/2) = 0.693147181; -ln(2^-53) = 53 ln 2 = 36.736800570
		{"memoryless", strategies.Memoryless{Mean: second}, 3, 0, 693147181, 36736800570},
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

// TestDecorrelated reads the interval that follows a wait.
func TestDecorrelated(t *testing.T) {
	outside := strategies.Decorrelated{Base: second, Factor: 3, Cap: 10 * second}
	inside := outside
	inside.ClampInside = true
	for _, row := range []struct {
		name           string
		s              strategies.Decorrelated
		sinceReset     int
		previous       time.Duration
		low, half, top time.Duration
	}{
		{"first", outside, 1, 0, second, 2 * second, 3 * second},
		{"after 2 s", outside, 2, 2 * second, second, 3500 * ms, 6 * second},
		{"after 5 s, the draw is cut", outside, 3, 5 * second, second, 8 * second, 10 * second},
		{"after 5 s, the interval is cut", inside, 3, 5 * second, second, 5500 * ms, 10 * second},
		{"after a reset, as at first", outside, 1, 5 * second, second, 2 * second, 3 * second},
		{"after less than base, as after base", outside, 2, ms, second, 2 * second, 3 * second},
		{"base above the cap", strategies.Decorrelated{Base: 9 * second, Factor: 3, Cap: second}, 1, 0, second, second, second},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := strategies.Attempt{Retry: 5, SinceReset: row.sinceReset, Previous: row.previous}
			for _, at := range []struct {
				u    float64
				want time.Duration
			}{{0, row.low}, {0.5, row.half}, {top, row.top}} {
				if got, again := row.s.Wait(a, at.u); got != at.want || !again {
					t.Errorf("Wait(u %v) = %v, %v, want %v, true", at.u, got, again, at.want)
				}
			}
		})
	}
}

// TestReset: the exponent follows SinceReset, not Retry.
func TestReset(t *testing.T) {
	a := strategies.Attempt{Retry: 9, SinceReset: 2}
	for _, row := range []struct {
		name string
		s    strategies.Strategy
		want time.Duration
	}{
		{"linear", strategies.Linear{Base: second}, 2 * second},
		{"exponential", strategies.Exponential{Base: second, Factor: 2}, 2 * second},
		{"schedule", strategies.Schedule{Delays: []time.Duration{1, 2, 3, 4}}, 2},
		{"full jitter", strategies.FullJitter{Base: second, Factor: 2}, 2 * second},
		{"equal jitter", strategies.EqualJitter{Base: second, Factor: 2}, 2 * second},
	} {
		if got, _ := row.s.Wait(a, top); got != row.want {
			t.Errorf("%s: Wait(retry 9, since reset 2) = %v, want %v", row.name, got, row.want)
		}
	}
}

// TestExact: without jitter not a nanosecond is lost, however odd the base. The values are integer arithmetic.
func TestExact(t *testing.T) {
	for _, row := range []struct {
		name  string
		s     strategies.Strategy
		retry int
		want  time.Duration
	}{
		{"1 s doubled 33 times", strategies.Exponential{Base: second, Factor: 2}, 34, second << 33},
		{"1.000000001 s doubled 33 times", strategies.Exponential{Base: second + 1, Factor: 2}, 34, (second + 1) << 33},
		{"1 ns doubled 62 times", strategies.Exponential{Base: 1, Factor: 2}, 63, 1 << 62},
		{"1 ns doubled once too often", strategies.Exponential{Base: 1, Factor: 2}, 64, strategies.NoBound},
		{"the longest Duration, first", strategies.Exponential{Base: math.MaxInt64, Factor: 1.5}, 1, math.MaxInt64},
		{"1 s + 1 ns, a million times", strategies.Linear{Base: second + 1}, 1_000_000, (second + 1) * 1_000_000},
		{"2^40 + 1 ns, 2^22 times", strategies.Linear{Base: 1<<40 + 1}, 1 << 22, (1<<40 + 1) << 22},
		{"2^40 + 1 ns, 2^23 times", strategies.Linear{Base: 1<<40 + 1}, 1 << 23, strategies.NoBound},
		{"a fixed 2^60 + 1 ns, 0%", strategies.Fixed{Delay: 1<<60 + 1, Jitter: around(0)}, 1, 1<<60 + 1},
		{"1 s x 1.6^9", strategies.Exponential{Base: second, Factor: 1.6}, 10, 68719476736},
		{"1 s x 3^20", strategies.Exponential{Base: second, Factor: 3}, 21, 3486784401 * second},
	} {
		if got := wait(t, row.s, row.retry, 0.3); got != row.want {
			t.Errorf("%s: %d ns, want %d", row.name, got, row.want)
		}
	}
}

// TestOutOfRange: parameters and attempts that no scenario lets through give some wait, not a panic.
func TestOutOfRange(t *testing.T) {
	nan := math.NaN()
	for _, s := range []strategies.Strategy{
		strategies.Fixed{Delay: -second}, strategies.Fixed{Delay: second, Jitter: around(-1)},
		strategies.Fixed{Delay: second, Jitter: around(nan)}, strategies.Fixed{Delay: second, Jitter: above(math.Inf(1))},
		strategies.Fixed{Delay: second, Jitter: added(-second)}, strategies.Fixed{Delay: second, Jitter: strategies.Jitter{Kind: 99}},
		strategies.Linear{Base: -second, Cap: -second},
		strategies.Exponential{}, strategies.Exponential{Base: second, Factor: -2}, strategies.Exponential{Base: second, Factor: 0.5},
		strategies.Exponential{Base: second, Factor: nan}, strategies.Exponential{Base: second, Factor: math.Inf(1), FirstExponent: -1},
		strategies.Exponential{Base: second, Factor: 2, Clamp: 99}, strategies.FullJitter{Base: -second, Factor: 2},
		strategies.EqualJitter{Base: -second, Factor: 2}, strategies.Schedule{Delays: []time.Duration{-second}},
		strategies.Decorrelated{Base: -second, Factor: nan}, strategies.Decorrelated{Base: second, Factor: nan},
		strategies.Decorrelated{Base: second, Factor: math.Inf(1)}, strategies.Memoryless{Mean: -second},
	} {
		for _, retry := range []int{math.MinInt, -1, 0, 1, 2, math.MaxInt} {
			for _, u := range []float64{-1, 0, 0.5, top, 1, 2, nan, math.Inf(1)} {
				a := strategies.Attempt{Retry: retry, SinceReset: retry, Previous: -second}
				if w, _ := s.Wait(a, u); w < 0 {
					t.Errorf("%+v: Wait(retry %d, u %v) = %v", s, retry, u, w)
				}
			}
		}
		strategies.Longest(s)
		for _, row := range strategies.Describe(s, 3) {
			if row.Min < 0 || row.Mean < 0 || row.P95 < 0 || row.Max < 0 {
				t.Errorf("%+v: Describe: %+v", s, row)
			}
		}
	}
}

func TestOutcomeNames(t *testing.T) {
	names := []string{"served", "rejected", "unavailable", "timed_out", "errored", "in_flight", "unknown"}
	for i, want := range names {
		if got := strategies.Outcome(i).String(); got != want {
			t.Errorf("Outcome(%d) is %q, want %q", i, got, want)
		}
	}
}
