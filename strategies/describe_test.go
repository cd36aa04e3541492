package strategies_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"herdsim/strategies"
)

// unknown hides everything of a strategy but its waits and its cap.
type unknown struct {
	strategies.Strategy
	cap time.Duration
}

func (s unknown) WaitCap() time.Duration { return s.cap }

// numbered is an unknown strategy that promises to depend on the retry's number alone.
type numbered struct{ unknown }

func (numbered) ReadsPrevious() bool { return false }
func (numbered) ReadsSlept() bool    { return false }

// TestDescribe: rows worked out by hand from the formulas.
func TestDescribe(t *testing.T) {
	after := strategies.Exponential{Base: second, Factor: 2, Cap: 10 * second, Jitter: around(0.5), Clamp: strategies.ClampAfter}
	for _, row := range []struct {
		name string
		s    strategies.Strategy
		want strategies.WaitStats
	}{
		{"immediate", strategies.Immediate{}, strategies.WaitStats{Retry: 4}},
		{"fixed has no cap", strategies.Fixed{Delay: second},
			strategies.WaitStats{Min: second, Mean: second, P95: second, Max: second}},
		{"exponential below its cap", strategies.Exponential{Base: second, Factor: 2, Cap: 10 * second},
			strategies.WaitStats{Min: 8 * second, Mean: 8 * second, P95: 8 * second, Max: 8 * second}},
		{"exponential at its cap", strategies.Exponential{Base: second, Factor: 2, Cap: 8 * second},
			strategies.WaitStats{Min: 8 * second, Mean: 8 * second, P95: 8 * second, Max: 8 * second, AtCapShare: 1}},
		// U[4 s, 12 s) cut at 10 s: a quarter is there, 3/4 x 7 s + 1/4 x 10 s = 7.75 s.
		{"exponential, cut after the jitter", after,
			strategies.WaitStats{Min: 4 * second, Mean: 7750 * ms, P95: 10 * second, Max: 10 * second, AtCapShare: 0.25}},
		{"full jitter", strategies.FullJitter{Base: second, Factor: 2, Cap: 8 * second},
			strategies.WaitStats{Mean: 4 * second, P95: 7600 * ms, Max: 8 * second}},
		{"equal jitter", strategies.EqualJitter{Base: second, Factor: 2, Cap: 8 * second},
			strategies.WaitStats{Min: 4 * second, Mean: 6 * second, P95: 7800 * ms, Max: 8 * second}},
		// 8 s x (1 + 1.5 U[-1, 1)) = U[-4 s, 20 s), a sixth of it cut at 0: 5/6 x 10 s.
		{"jitter of more than all", strategies.Exponential{Base: second, Factor: 2, Jitter: around(1.5)},
			strategies.WaitStats{Mean: 8333333333, P95: 18800 * ms, Max: 20 * second}},
		// -ln 0.05 = 2.995732274
		{"memoryless", strategies.Memoryless{Mean: second},
			strategies.WaitStats{Mean: second, P95: 2995732274, Max: strategies.NoBound}},
		{"decorrelated with factor 1", strategies.Decorrelated{Base: second, Factor: 1},
			strategies.WaitStats{Min: second, Mean: second, P95: second, Max: second}},
		{"decorrelated from above its cap", strategies.Decorrelated{Base: second, Factor: 3, Cap: ms},
			strategies.WaitStats{Min: ms, Mean: ms, P95: ms, Max: ms, AtCapShare: 1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.want.Retry, row.want.Exact = 4, true
			if diff := cmp.Diff(row.want, strategies.Describe(row.s, 4)[3]); diff != "" {
				t.Errorf("fourth row (-want +got):\n%s", diff)
			}
		})
	}
	if rows := strategies.Describe(strategies.Immediate{}, -1); len(rows) != 0 {
		t.Errorf("Describe of -1 retries has %d rows", len(rows))
	}
}

// TestDecorrelatedStats: means without a cap are the recursion (Base + 3x)/2, and what the waits settle at with a cap is
// a quadrature of the stationary distribution; both from analytic.md section 5.
func TestDecorrelatedStats(t *testing.T) {
	rows := strategies.Describe(strategies.Decorrelated{Base: second, Factor: 3}, 5)
	for i, want := range []float64{2, 3.5, 5.75, 9.125, 14.1875} {
		if got := rows[i].Mean; got != time.Duration(want*1e9) {
			t.Errorf("uncapped, retry %d: mean %v, want %v s", i+1, got, want)
		}
		if want := second * time.Duration(math.Pow(3, float64(i+1))); rows[i].Max != want || rows[i].Min != second {
			t.Errorf("uncapped, retry %d: %v to %v, want 1s to %v", i+1, rows[i].Min, rows[i].Max, want)
		}
	}
	for _, row := range []struct{ base, cap, mean, atCap float64 }{
		{1, 60, 33.7273, 0.338861}, {1, 30, 18.5806, 0.381123}, {0.1, 20, 9.7600, 0.289161},
	} {
		s := strategies.Decorrelated{Base: time.Duration(row.base * 1e9), Factor: 3, Cap: time.Duration(row.cap * 1e9)}
		last := strategies.Describe(s, 200)[199]
		if math.Abs(last.Mean.Seconds()-row.mean) > 0.00005 || math.Abs(last.AtCapShare-row.atCap) > 0.0000005 {
			t.Errorf("base %v, cap %v: mean %v, %.7f at the cap, want %v s, %v",
				row.base, row.cap, last.Mean, last.AtCapShare, row.mean, row.atCap)
		}
	}
}

// TestDecorrelatedDraws compares the integrated chain with 100,000 seeded workers, within 4 standard errors, also where
// the cap is not a power of the factor, is inside the interval, or is reached at once.
func TestDecorrelatedDraws(t *testing.T) {
	for _, row := range []struct {
		name string
		s    strategies.Decorrelated
	}{
		{"outside", strategies.Decorrelated{Base: second, Factor: 3, Cap: 40 * second}},
		{"inside", strategies.Decorrelated{Base: second, Factor: 3, Cap: 40 * second, ClampInside: true}},
		{"cap a power of the factor", strategies.Decorrelated{Base: second, Factor: 3, Cap: 27 * second}},
		{"the same, its logarithm rounded down", strategies.Decorrelated{Base: second, Factor: 3, Cap: 243 * second}},
		{"slow", strategies.Decorrelated{Base: second, Factor: 1.3, Cap: 3 * second}},
		{"slow, inside", strategies.Decorrelated{Base: second, Factor: 1.3, Cap: 1500 * ms, ClampInside: true}},
		{"steep", strategies.Decorrelated{Base: second, Factor: 100, Cap: 50 * second}},
		{"steep, inside", strategies.Decorrelated{Base: second, Factor: 100, Cap: 50 * second, ClampInside: true}},
	} {
		t.Run(row.name, func(t *testing.T) {
			const workers, retries = 100_000, 6
			luck := rand.New(rand.NewPCG(2, 7))
			waits := make([]time.Duration, workers)
			for _, want := range strategies.Describe(row.s, retries) {
				sum, squares, atCap, below := 0.0, 0.0, 0.0, 0.0
				for i := range waits {
					a := strategies.Attempt{Retry: want.Retry, SinceReset: want.Retry, Previous: waits[i]}
					waits[i], _ = row.s.Wait(a, luck.Float64())
					off := waits[i].Seconds() - want.Mean.Seconds()
					sum += off
					squares += off * off
					if waits[i] == row.s.Cap {
						atCap++
					}
					if waits[i] < want.P95 {
						below++
					}
				}
				if off := sum / workers; math.Abs(off) > 4*math.Sqrt(squares)/workers {
					t.Errorf("retry %d: mean is off by %.4f s from %v", want.Retry, off, want.Mean)
				}
				if off := atCap/workers - want.AtCapShare; math.Abs(off) > 4*math.Sqrt(want.AtCapShare/workers) {
					t.Errorf("retry %d: share at the cap is off by %.5f from %.5f", want.Retry, off, want.AtCapShare)
				}
				share, se := below/workers, math.Sqrt(0.05*0.95/workers)
				if share > 0.95+4*se || want.P95 != row.s.Cap && share < 0.95-4*se {
					t.Errorf("retry %d: %.4f of the waits are below the percentile %v", want.Retry, share, want.P95)
				}
				if slices.Min(waits) < want.Min || slices.Max(waits) > want.Max {
					t.Errorf("retry %d: waits of %v to %v", want.Retry, slices.Min(waits), slices.Max(waits))
				}
			}
		})
	}
}

// TestIntegralsAgree: what is known of a law is what the integral over its waits gives, for 300 strategies. A lattice has a
// test of its own: it is all steps, and an integral takes long to find each.
func TestIntegralsAgree(t *testing.T) {
	for seed := range 300 {
		s, ok := anyStrategy.Example(seed).Strategy.(strategies.Uniform)
		if !ok || s.Law(7).Grain > 0 {
			continue
		}
		want, got := strategies.Describe(s, 8), strategies.Describe(numbered{unknown{Strategy: s}}, 8)
		for i := range want {
			w, g := want[i], got[i]
			if !close(w.Min, g.Min) || !close(w.Mean, g.Mean) || !close(w.P95, g.P95) || !close(w.Max, g.Max) || !g.Exact {
				t.Errorf("%+v, retry %d: %+v by its law, %+v by integrals", s, i+1, w, g)
			}
		}
	}
}

// close allows for 2 ns of rounding, and for a billionth.
func close(a, b time.Duration) bool {
	return math.Abs(float64(a)-float64(b)) <= 2+1e-9*float64(a)
}

// TestOwnStrategies: a strategy that says little of itself is described by what it does. The reference is the same
// strategy with everything known.
func TestOwnStrategies(t *testing.T) {
	for _, row := range []struct {
		name string
		s    strategies.Strategy
		cap  time.Duration
	}{
		{"exponential", strategies.Exponential{Base: second, Factor: 2, Cap: 10 * second}, 10 * second},
		{"clamp after", strategies.Exponential{Base: second, Factor: 2, Cap: 10 * second, Jitter: around(0.3), Clamp: strategies.ClampAfter},
			10 * second},
		{"clamp both", strategies.Exponential{Base: second, Factor: 2, Cap: 10 * second, Jitter: around(0.3), Clamp: strategies.ClampBoth},
			10 * second},
		{"full jitter", strategies.FullJitter{Base: second, Factor: 2, Cap: 10 * second}, 10 * second},
		{"schedule", strategies.Schedule{Delays: []time.Duration{second, 0, time.Hour}, Jitter: added(second)}, 0},
		{"decorrelated", strategies.Decorrelated{Base: second, Factor: 3, Cap: 20 * second}, 20 * second},
		{"memoryless", strategies.Memoryless{Mean: second}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			ways := map[string]strategies.Strategy{"drawn": unknown{row.s, row.cap}}
			if !strategies.ReadsPrevious(row.s) {
				ways["integrated"] = numbered{unknown{row.s, row.cap}}
			}
			for way, s := range ways {
				within := 0.01 // of the mean, as Describe says of draws
				if way == "integrated" {
					within = 1e-8
				}
				want, got := strategies.Describe(row.s, 8), strategies.Describe(s, 8)
				if len(got) != len(want) {
					t.Fatalf("%s: %d rows, want %d", way, len(got), len(want))
				}
				for i, w := range want {
					g := got[i]
					off := max(math.Abs((g.Mean - w.Mean).Seconds()), math.Abs((g.P95 - w.P95).Seconds()))
					if off > within*w.Mean.Seconds() || math.Abs(g.AtCapShare-w.AtCapShare) > within || g.Exact != (way == "integrated") {
						t.Errorf("%s, retry %d: %+v, want %+v", way, i+1, g, w)
					}
					if w.AtCapShare == 0 && g.AtCapShare != 0 {
						t.Errorf("%s, retry %d: %v at the cap, want none", way, i+1, g.AtCapShare)
					}
				}
			}
		})
	}
}

// A moody strategy gives up with a chance of one half from the third retry on, and waits longest for u = 0.
type moody struct{}

func (moody) Wait(a strategies.Attempt, u float64) (time.Duration, bool) {
	return time.Duration((1 - u) * 1e9), a.Retry < 3 || u < 0.5
}
func (moody) ReadsPrevious() bool { return false }
func (moody) ReadsSlept() bool    { return false }

// A twice strategy retries twice.
type twice struct{ numbered }

func (twice) Wait(a strategies.Attempt, _ float64) (time.Duration, bool) { return second, a.Retry <= 2 }

// TestGivingUp: the table ends where a strategy does; one that a quantile cannot describe is drawn from.
func TestGivingUp(t *testing.T) {
	if rows := strategies.Describe(twice{}, 9); len(rows) != 2 || !rows[1].Exact {
		t.Errorf("a strategy of two retries has the rows %+v", rows)
	}
	rows := strategies.Describe(moody{}, 40)
	if len(rows) < 10 || len(rows) > 20 { // 2^15 workers, halved each time
		t.Fatalf("%d rows", len(rows))
	}
	if first := rows[0]; first.Exact || !near(first.Mean, 500*ms) || first.P95 < 949*ms || first.P95 > 951*ms {
		t.Errorf("first row %+v, want a mean of 500ms, a percentile of 950ms", first)
	}
	if third := rows[2]; third.Min < 500*ms || third.Mean < 745*ms || third.Mean > 755*ms {
		t.Errorf("third row %+v, want waits of 500ms to 1s", third)
	}
}

func TestLongest(t *testing.T) {
	hour := make([]time.Duration, 100)
	hour[70] = time.Hour
	for _, row := range []struct {
		name string
		s    strategies.Strategy
		want time.Duration
	}{
		{"immediate", strategies.Immediate{}, 0},
		{"linear", strategies.Linear{Base: ms}, ms << 20},
		{"exponential", strategies.Exponential{Base: second, Factor: 2, Cap: time.Minute, Jitter: around(0.1)}, 66 * second},
		{"exponential without a cap", strategies.Exponential{Base: second, Factor: 2}, strategies.NoBound},
		{"a schedule, longest in its middle", strategies.Schedule{Delays: hour}, time.Hour},
		{"decorrelated", strategies.Decorrelated{Base: second, Factor: 1.001, Cap: time.Minute}, time.Minute},
		{"decorrelated without a cap", strategies.Decorrelated{Base: second, Factor: 1.001}, strategies.NoBound},
		{"decorrelated without luck", strategies.Decorrelated{Base: second, Factor: 1}, second},
		{"memoryless", strategies.Memoryless{Mean: second}, 36736800570},
		{"unknown, after the longest wait so far", unknown{strategies.Decorrelated{Base: second, Factor: 3, Cap: time.Hour}, 0}, time.Hour},
		{"twice", twice{}, second},
	} {
		if got := strategies.Longest(row.s); got != row.want {
			t.Errorf("%s: Longest = %v, want %v", row.name, got, row.want)
		}
	}
}

func TestReads(t *testing.T) {
	for _, row := range []struct {
		name            string
		s               strategies.Strategy
		previous, slept bool
	}{
		{"full jitter", strategies.FullJitter{}, false, false},
		{"schedule", strategies.Schedule{}, false, false},
		{"memoryless", strategies.Memoryless{}, false, false},
		{"decorrelated", strategies.Decorrelated{}, true, false},
		{"one that promises not to", numbered{}, false, false},
		{"one that says nothing", unknown{}, true, true},
	} {
		if p, s := strategies.ReadsPrevious(row.s), strategies.ReadsSlept(row.s); p != row.previous || s != row.slept {
			t.Errorf("%s: reads the previous wait %v, their sum %v, want %v, %v", row.name, p, s, row.previous, row.slept)
		}
	}
}
