package sim_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

// contention is the model of aws-samples/aws-arch-backoff-simulator: n clients that write one row, each message
// taking |Normal(10 ms, 2 ms)|, no service time, no limit of capacity or attempts.
func contention(n int, s strategies.Strategy) sim.Config {
	const ms = time.Millisecond
	return sim.Config{
		Horizon: 24 * time.Hour, MaxEvents: 1 << 40, Window: 100 * ms, Workers: n, Strategy: s,
		Network: downstream.Normal{M: 10 * ms, SD: 2 * ms},
		Downstream: downstream.Config{
			Slots: downstream.Unlimited, Service: downstream.Constant{}, Contention: downstream.OCC,
		},
	}
}

// The strategies of that simulator: base 5 ms, cap 2 s, and its n is 1 before the first retry.
var contenders = map[string]strategies.Strategy{
	"None":        strategies.Immediate{},
	"Exponential": strategies.Exponential{Base: 5 * time.Millisecond, Factor: 2, Cap: 2 * time.Second, FirstExponent: 1},
	"EqualJitter": strategies.EqualJitter{Base: 5 * time.Millisecond, Factor: 2, Cap: 2 * time.Second, FirstExponent: 1},
	"FullJitter":  strategies.FullJitter{Base: 5 * time.Millisecond, Factor: 2, Cap: 2 * time.Second, FirstExponent: 1},
	"Decorr":      strategies.Decorrelated{Base: 5 * time.Millisecond, Factor: 3, Cap: 2 * time.Second},
}

// Calls and completion time of 35 cells of the study, each the mean of 1,000 runs of its own program.
// testdata/aws_reference.csv: the program with xrange replaced by range, seeded 1 to 1,000.
func TestTheoryContentionAgreesWithTheStudyOf2015(t *testing.T) {
	file, err := os.Open("testdata/aws_reference.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) != 36 {
		t.Fatalf("%d rows, %v, want 36", len(rows), err)
	}
	for _, row := range rows[1:] {
		number := func(i int) float64 {
			x, err := strconv.ParseFloat(row[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		n := int(number(1))
		t.Run(fmt.Sprintf("%s/%d", row[0], n), func(t *testing.T) {
			const runs = 100
			calls, times := contend(t, n, contenders[row[0]], runs)
			compare(t, "calls", calls, number(3), number(4))
			compare(t, "completion, ms", times, number(5), number(6))
		})
	}
}

// contend returns the calls and the completion times, in ms, of some runs.
func contend(t *testing.T, n int, s strategies.Strategy, runs int) (calls, times []float64) {
	play := player(t, contention(n, s), false)
	for _, seed := range seeds(t.Name(), fewer(runs)) {
		p := play(seed)
		calls = append(calls, float64(p.Attempts))
		times = append(times, completion(p)*1000)
	}
	return calls, times
}

// Where the ranking of the study stops holding: its program run for 200 clients, and the same model in Go with other
// strategies for 100 (overload.md 1.5, facts 4 and 7; a Go simulation of 1,000 runs that agrees with the program).
func TestTheoryContentionBeyondTheStudy(t *testing.T) {
	const ms = time.Millisecond
	full := func(base time.Duration) strategies.Strategy {
		return strategies.Linear{Base: base, Jitter: strategies.Jitter{Kind: strategies.JitterFull}}
	}
	for _, c := range []struct {
		name     string
		n        int
		strategy strategies.Strategy
		calls    float64
		time     float64
	}{
		{"None", 200, contenders["None"], 8812.8, 3700},
		{"Exponential", 200, contenders["Exponential"], 5615, 105166},
		{"EqualJitter", 200, contenders["EqualJitter"], 1872.4, 9715},
		{"FullJitter", 200, contenders["FullJitter"], 1890.2, 7711},
		{"Decorr", 200, contenders["Decorr"], 2609.2, 8268},
		{"constant window", 100, strategies.Fixed{Delay: time.Second, Jitter: strategies.Jitter{Kind: strategies.JitterFull}}, 376, 3971},
		{"fixed 5 ms", 100, strategies.Fixed{Delay: 5 * ms}, 2234, 2094},
		{"fixed 100 ms", 100, strategies.Fixed{Delay: 100 * ms}, 1853, 5327},
		{"linear 5 ms", 100, strategies.Linear{Base: 5 * ms}, 1853, 5188},
		{"linear 5 ms, full jitter", 100, full(5 * ms), 1620, 2287},
		{"linear 100 ms, full jitter", 100, full(100 * ms), 640, 3564},
		{"full jitter from 0", 100, strategies.FullJitter{Base: 5 * ms, Factor: 2, Cap: 2 * time.Second}, 876, 4876},
		{"decorrelated, inner cap", 100, strategies.Decorrelated{Base: 5 * ms, Factor: 3, Cap: 2 * time.Second, ClampInside: true}, 1002, 4236},
		{"decorrelated, inner cap", 200, strategies.Decorrelated{Base: 5 * ms, Factor: 3, Cap: 2 * time.Second, ClampInside: true}, 2627, 7004},
	} {
		t.Run(fmt.Sprintf("%s/%d", c.name, c.n), func(t *testing.T) {
			const runs = 100
			calls, times := contend(t, c.n, c.strategy, runs)
			// The reference has 1,000 runs, whose standard error is a third of ours.
			compare(t, "calls", calls, c.calls, stat.StdDev(calls, nil)/math.Sqrt(1000)+0.5)
			compare(t, "completion, ms", times, c.time, stat.StdDev(times, nil)/math.Sqrt(1000)+0.5)
		})
	}
}

// Facts 1 to 3, 5 and 6 of overload.md 1.5, as ratios of means.
func TestTheoryContentionFacts(t *testing.T) {
	calls, times := map[string]map[int]float64{}, map[string]map[int]float64{}
	for name, s := range contenders {
		calls[name], times[name] = map[int]float64{}, map[int]float64{}
		for _, n := range []int{10, 50, 100, 200} {
			c, d := contend(t, n, s, 60)
			calls[name][n], times[name][n] = stat.Mean(c, nil), stat.Mean(d, nil)
		}
	}
	near := func(what string, got, want, tolerance float64) {
		t.Helper()
		t.Logf("%-44s %8.3f want %8.3f", what, got, want)
		if math.Abs(got-want) > tolerance {
			t.Errorf("%s: %.3f, want %.3f", what, got, want)
		}
	}
	near("calls saved against exponential", 1-calls["FullJitter"][100]/calls["Exponential"][100], 0.57, 0.01)
	near("calls saved against none", 1-calls["FullJitter"][100]/calls["None"][100], 0.67, 0.01)
	near("exponential over full jitter, time", times["Exponential"][100]/times["FullJitter"][100], 12.86, 0.5)
	for _, other := range []string{"FullJitter", "Decorr"} {
		if times["EqualJitter"][100] <= times[other][100] {
			t.Errorf("equal jitter takes %.0f ms and %s %.0f, want it the slowest of the three", times["EqualJitter"][100], other, times[other][100])
		}
	}
	for _, n := range []int{10, 50, 100, 200} {
		for _, other := range []string{"Exponential", "EqualJitter", "FullJitter", "Decorr"} {
			if times["None"][n] >= times[other][n] {
				t.Errorf("%d clients: none takes %.0f ms and %s %.0f, want none the first", n, times["None"][n], other, times[other][n])
			}
		}
	}
	for name, want := range map[string]float64{"None": 1.86, "Exponential": 1.60, "Decorr": 1.38, "FullJitter": 1.25, "EqualJitter": 1.20} {
		near("growth of calls, "+name, math.Log2(calls[name][200]/calls[name][100]), want, 0.02)
	}
}

// Writes per 100 ms of 100 clients (overload.md 1.5, fact 8). An attempt's end is its write and the way back, 10 ms.
func TestTheoryContentionHistogram(t *testing.T) {
	for _, c := range []struct {
		name string
		want []float64
	}{
		{"None", []float64{204, 268, 204, 221}},
		{"Exponential", []float64{199, 97, 95, 93}},
		{"FullJitter", []float64{199, 175, 101, 59}},
	} {
		play := player(t, contention(100, contenders[c.name]), true)
		const runs = 100
		var bins, peaks [runs][]float64
		for i, seed := range seeds(c.name, runs) {
			bins[i], peaks[i] = make([]float64, 10_000), make([]float64, 100_000)
			for _, a := range play(seed).attempts {
				at := a.End - 10*time.Millisecond
				if k := int(at / (100 * time.Millisecond)); k < len(bins[i]) {
					bins[i][k]++
				}
				if k := int(at / (10 * time.Millisecond)); k < len(peaks[i]) {
					peaks[i][k]++
				}
			}
		}
		for k, want := range c.want {
			var values []float64
			for i := range runs {
				values = append(values, bins[i][k])
			}
			// The spread of the way back blurs the borders of bins by a few writes.
			got := stat.Mean(values, nil)
			t.Logf("%s, %d ms: %.1f writes, want %.0f", c.name, 100*k, got, want)
			if math.Abs(got-want) > 0.03*want {
				t.Errorf("%s: %.1f writes from %d ms on, want %.0f", c.name, got, 100*k, want)
			}
		}
		if c.name == "Exponential" {
			for i := range runs {
				if gaps := slices.Index(bins[i], 0); gaps < 0 || gaps > 100 {
					t.Fatalf("run %d: no gap within 10 s, want some once the clients are in step at the cap", i)
				}
			}
		}
		if peak := slices.Max(peaks[0]); peak < 40 || peak > 70 {
			t.Errorf("%s: %.0f writes in the busiest 10 ms, want 50 to 59", c.name, peak)
		}
	}
}
