package strategies_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"herdsim/strategies"
)

var (
	durations = rapid.OneOf(
		rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.Int64Range(1, math.MaxInt64).Draw(t, "any"))
		}),
		rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "usual"))
		}),
		rapid.SampledFrom([]time.Duration{1, 2, 3, ms, second, time.Hour, 1 << 53, 1<<53 + 1, 1 << 62, math.MaxInt64 - 1, math.MaxInt64}),
	)
	caps    = rapid.OneOf(rapid.Just(time.Duration(0)), durations)
	factors = rapid.OneOf(
		rapid.Float64Range(1+1e-7, 4), rapid.Float64Range(4, math.MaxFloat64),
		rapid.SampledFrom([]float64{1, 1.5, 1.6, 2, 3, 10, math.Inf(1)}),
	)
	retries = rapid.OneOf(
		rapid.IntRange(1, 80), rapid.IntRange(1, 1_000_000), rapid.SampledFrom([]int{1_000_000, math.MaxInt - 1, math.MaxInt}),
	)
	us      = rapid.OneOf(rapid.Float64Range(0, top), rapid.SampledFrom([]float64{0, 0.5, 0.95, top}))
	firsts  = rapid.SampledFrom([]int{0, 1, 5, math.MaxInt})
	clamps  = rapid.SampledFrom([]strategies.Clamp{strategies.ClampBefore, strategies.ClampAfter, strategies.ClampBoth})
	jitters = rapid.Custom(func(t *rapid.T) strategies.Jitter {
		j := strategies.Jitter{Kind: strategies.JitterKind(rapid.IntRange(0, 6).Draw(t, "kind"))}
		switch j.Kind {
		case strategies.JitterAround:
			j.Share = rapid.Float64Range(0, 1).Draw(t, "share")
		case strategies.JitterAbove:
			j.Share = rapid.Float64Range(0, 1e6).Draw(t, "share")
		case strategies.JitterAdded:
			j.Spread = durations.Draw(t, "spread")
		case strategies.JitterBetween:
			j.Share = rapid.Float64Range(0, 2).Draw(t, "from")
			j.Upto = j.Share + rapid.Float64Range(0, 30).Draw(t, "width")
		}
		return j
	})
	roundings = rapid.Custom(func(t *rapid.T) strategies.Rounding {
		return strategies.Rounding{
			Grain: rapid.OneOf(rapid.Just(time.Duration(0)), durations).Draw(t, "grain"),
			Mode:  strategies.RoundingMode(rapid.IntRange(0, 3).Draw(t, "mode")),
		}
	})
)

// A bounded strategy, and the bound that its parameters put on every wait.
type bounded struct {
	strategies.Strategy
	bound time.Duration
}

var anyStrategy = rapid.Custom(func(t *rapid.T) bounded {
	base, factor, most, first := durations.Draw(t, "base"), factors.Draw(t, "factor"), caps.Draw(t, "cap"), firsts.Draw(t, "first")
	jitter, clamp := jitters.Draw(t, "jitter"), clamps.Draw(t, "clamp")
	bound := most
	if most == 0 {
		bound = strategies.NoBound
	}
	clamped := bound
	if clamp == strategies.ClampBefore {
		clamped = stretched(bound, jitter)
	}
	rounding := roundings.Draw(t, "rounding")
	coarse := func(x time.Duration) time.Duration { return rounded(float64(x) + 2*float64(rounding.Grain)) }
	switch rapid.IntRange(0, 13).Draw(t, "strategy") {
	case 0:
		return bounded{strategies.Immediate{}, 0}
	case 1:
		return bounded{strategies.Fixed{Delay: base, Jitter: jitter, Rounding: rounding}, coarse(stretched(base, jitter))}
	case 2:
		return bounded{strategies.Linear{Base: base, Cap: most, Jitter: jitter, Clamp: clamp, Rounding: rounding}, coarse(clamped)}
	case 3:
		less := rapid.SampledFrom([]time.Duration{0, base / 2, base}).Draw(t, "less")
		return bounded{strategies.Exponential{
			Base: base, Factor: factor, Cap: most, Jitter: jitter, Clamp: clamp, FirstExponent: first, Less: less, Rounding: rounding,
		}, coarse(clamped)}
	case 4:
		return bounded{strategies.FullJitter{Base: base, Factor: factor, Cap: most, FirstExponent: first, Rounding: rounding}, bound}
	case 5:
		return bounded{strategies.EqualJitter{Base: base, Factor: factor, Cap: most, FirstExponent: first}, bound}
	case 6:
		inside := rapid.Bool().Draw(t, "inside")
		return bounded{strategies.Decorrelated{Base: base, Factor: factor, Cap: most, ClampInside: inside}, bound}
	case 7:
		delays := rapid.SliceOfN(durations, 1, 20).Draw(t, "delays")
		longest := time.Duration(0)
		for _, d := range delays {
			longest = max(longest, d)
		}
		return bounded{strategies.Schedule{Delays: delays, Jitter: jitter, Rounding: rounding}, coarse(stretched(longest, jitter))}
	case 8:
		rising := strategies.Rising(rapid.IntRange(0, 2).Draw(t, "rising"))
		if rising != strategies.RisingNone && clamp == strategies.ClampBefore {
			clamped = strategies.NoBound
		}
		return bounded{strategies.Polynomial{
			Base: base, Unit: durations.Draw(t, "unit"), Power: rapid.Float64Range(0.1, 10).Draw(t, "power"), Origin: first, Cap: most,
			Jitter: jitter, Rising: rising, Clamp: clamp, Rounding: rounding,
		}, coarse(clamped)}
	case 9:
		return bounded{strategies.Fibonacci{Base: base, Cap: most, Jitter: jitter, Clamp: clamp, Rounding: rounding}, coarse(clamped)}
	case 10:
		return bounded{strategies.Compounding{
			Base: base, Factor: factor, Cap: most, Jitter: jitter, Clamp: clamp, Rounding: rounding,
		}, coarse(clamped)}
	case 11:
		return bounded{strategies.DecorrelatedV2{Base: base, Cap: most}, bound}
	case 12:
		return bounded{strategies.FinagleExponential{Base: base, Cap: most}, bound}
	}
	// 53 ln 2 means are the most that 53 bits can ask for.
	return bounded{strategies.Memoryless{Mean: base}, rounded(36.7368006 * float64(base))}
})

// stretched returns what a jitter makes of x at most.
func stretched(x time.Duration, j strategies.Jitter) time.Duration {
	switch j.Kind {
	case strategies.JitterAround, strategies.JitterAbove:
		return rounded(float64(x) * (1 + j.Share))
	case strategies.JitterAdded:
		return rounded(float64(x) + float64(j.Spread))
	case strategies.JitterBetween:
		return rounded(float64(x) * max(j.Upto, 1))
	}
	return x
}

// rounded returns x in nanoseconds with room for the rounding of floats.
func rounded(x float64) time.Duration {
	if x = x*(1+1e-14) + 1; x < math.MaxInt64 {
		return time.Duration(x)
	}
	return strategies.NoBound
}

func TestWaitsAreInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStrategy.Draw(t, "s")
		a := strategies.Attempt{Retry: retries.Draw(t, "retry"), Previous: caps.Draw(t, "previous")}
		a.SinceReset = a.Retry
		w, again := s.Wait(a, us.Draw(t, "u"))
		if w < 0 || w > s.bound || !again {
			t.Fatalf("Wait = %d, %v, want 0 to %d, true", w, again, s.bound)
		}
	})
}

func TestWaitsNeverDecreaseInU(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStrategy.Draw(t, "s")
		a := strategies.Attempt{Retry: retries.Draw(t, "retry"), Previous: caps.Draw(t, "previous")}
		a.SinceReset = a.Retry
		u, v := us.Draw(t, "u"), us.Draw(t, "v")
		if u > v {
			u, v = v, u
		}
		low, _ := s.Wait(a, u)
		high, _ := s.Wait(a, v)
		if low > high {
			t.Fatalf("Wait(%v) = %d > Wait(%v) = %d", u, low, v, high)
		}
	})
}

// TestCeilingsNeverFall: at any u a later wait is not shorter, but for a schedule, and a decorrelated wait is not
// shorter after a longer one. Those that begin anew after a wait of 0 are left out.
func TestCeilingsNeverFall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStrategy.Draw(t, "s").Strategy
		switch s.(type) {
		case strategies.Schedule, strategies.Compounding, strategies.FinagleExponential:
			return
		}
		n, m := retries.Draw(t, "n"), retries.Draw(t, "m")
		p, q := caps.Draw(t, "p"), caps.Draw(t, "q")
		early := strategies.Attempt{Retry: min(n, m), SinceReset: min(n, m), Previous: min(p, q)}
		late := strategies.Attempt{Retry: max(n, m), SinceReset: max(n, m), Previous: max(p, q)}
		u := us.Draw(t, "u")
		first, _ := s.Wait(early, u)
		second, _ := s.Wait(late, u)
		// What is a sum of floats beyond 2^53 ns, where they tell no single nanosecond apart, may be off by rounding.
		if first > second && float64(first-second) > 1e-15*float64(first) {
			t.Fatalf("Wait(%+v) = %d > Wait(%+v) = %d", early, first, late, second)
		}
	})
}

// TestJitterStaysBelow: full and equal jitter lie in [0, E] and [E/2, E], E the wait without jitter.
func TestJitterStaysBelow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain := strategies.Exponential{Base: durations.Draw(t, "base"), Factor: factors.Draw(t, "factor"), Cap: caps.Draw(t, "cap")}
		retry, u := retries.Draw(t, "retry"), us.Draw(t, "u")
		e := wait(t, plain, retry, u)
		full := strategies.FullJitter{Base: plain.Base, Factor: plain.Factor, Cap: plain.Cap}
		if w := wait(t, full, retry, u); w > e {
			t.Fatalf("full jitter = %d, above %d", w, e)
		}
		equal := strategies.EqualJitter{Base: plain.Base, Factor: plain.Factor, Cap: plain.Cap}
		if w := wait(t, equal, retry, u); w > e || w < e/2 {
			t.Fatalf("equal jitter = %d, not in %d to %d", w, e/2, e)
		}
	})
}

// TestSaturation: what grows ends at its cap.
func TestSaturation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, most := durations.Draw(t, "base"), durations.Draw(t, "cap")
		factor := rapid.Float64Range(1.0001, math.MaxFloat64).Draw(t, "factor")
		small := min(base, second)
		half, linear := most/2+1, min(most, small*1_000_000)
		for _, row := range []struct {
			s    strategies.Strategy
			want time.Duration
		}{
			{strategies.Exponential{Base: base, Factor: factor, Cap: most}, most},
			{strategies.Exponential{Base: base, Factor: 2, Cap: most}, most},
			{strategies.Exponential{Base: base, Factor: 2}, strategies.NoBound},
			{strategies.Exponential{Base: base, Factor: 2, Cap: half, Jitter: around(0.25), Clamp: strategies.ClampAfter}, half},
			{strategies.Linear{Base: small, Cap: linear}, linear},
		} {
			for _, retry := range []int{1_000_000, math.MaxInt} {
				if w := wait(t, row.s, retry, 0); w != row.want {
					t.Fatalf("%+v: Wait(retry %d) = %d, want %d", row.s, retry, w, row.want)
				}
			}
		}
	})
}

// TestLawIsTheWait: a Uniform strategy may be called either way.
func TestLawIsTheWait(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, ok := anyStrategy.Draw(t, "s").Strategy.(strategies.Uniform)
		if !ok {
			return
		}
		retry, u := retries.Draw(t, "retry"), us.Draw(t, "u")
		w, _ := s.Wait(strategies.Attempt{Retry: retry, SinceReset: retry}, u)
		if at := s.Law(retry - 1).At(u); w != at {
			t.Fatalf("Wait = %d, Law.At = %d", w, at)
		}
	})
}

// TestLongestIsABound: no wait exceeds it, at any retry up to 2²⁰.
func TestLongestIsABound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStrategy.Draw(t, "s").Strategy
		longest := strategies.Longest(s)
		var a strategies.Attempt
		for range 100 {
			a.Retry++
			a.SinceReset = a.Retry
			a.Previous, _ = s.Wait(a, us.Draw(t, "u"))
			if a.Previous > longest {
				t.Fatalf("Wait(retry %d) = %d > Longest = %d", a.Retry, a.Previous, longest)
			}
		}
	})
}
