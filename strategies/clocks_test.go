package strategies_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"herdsim/strategies"
)

// The backoff clocks of analytic.md section 5: attempt 0 at t = 0, delay i with the ceiling min(60 s, 1 s × 2ⁱ).
var (
	plainClock = strategies.Exponential{Base: second, Factor: 2, Cap: time.Minute}
	fullClock  = strategies.FullJitter{Base: second, Factor: 2, Cap: time.Minute}
	equalClock = strategies.EqualJitter{Base: second, Factor: 2, Cap: time.Minute}
)

// TestCumulativeCeilings: analytic.md B-a, exact.
func TestCumulativeCeilings(t *testing.T) {
	want := map[int]time.Duration{1: 1, 2: 3, 3: 7, 5: 31, 6: 63, 7: 123, 8: 183, 10: 303, 12: 423, 20: 903}
	sum := time.Duration(0)
	for n := 1; n <= 20; n++ {
		sum += wait(t, plainClock, n, 0.5)
		if w, ok := want[n]; ok && sum != w*second {
			t.Errorf("after %d delays: %v, want %v", n, sum, w*second)
		}
	}
}

// TestGRPCClock: the nominal connection backoff of gRPC, cumulative (grpc doc/connection-backoff.md, in analytic.md
// section 5): base 1 s, multiplier 1.6, cap 120 s, to the four digits given there.
func TestGRPCClock(t *testing.T) {
	s := strategies.Exponential{Base: second, Factor: 1.6, Cap: 120 * second}
	sum := time.Duration(0)
	for i, want := range []float64{1, 2.6, 5.16, 9.256, 15.8096, 26.2954, 43.0726, 69.9161, 112.8658, 181.5853, 291.5364} {
		sum += wait(t, s, i+1, 0.5)
		if math.Abs(sum.Seconds()-want) > 0.00005 {
			t.Errorf("after %d delays: %v, want %v s", i+1, sum, want)
		}
	}
}

// TestClockMoments: analytic.md B-b, the mean and standard deviation of n delays with full jitter, and the same formulas
// (mean 3/4 sum, variance sum d²/48) with equal jitter; 100,000 seeded clocks, within 4 standard errors.
func TestClockMoments(t *testing.T) {
	for _, row := range []struct {
		name     string
		s        strategies.Strategy
		n        int
		mean, sd float64
	}{
		{"full jitter, 5 delays", fullClock, 5, 15.5, 5.330729},
		{"full jitter, 10 delays", fullClock, 10, 151.5, 36.245689},
		{"full jitter, 20 delays", fullClock, 20, 451.5, 65.679144},
		{"equal jitter, 5 delays", equalClock, 5, 23.25, 5.330729 / 2},
		{"equal jitter, 20 delays", equalClock, 20, 677.25, 65.679144 / 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			const clocks = 100_000
			luck := rand.New(rand.NewPCG(1, 5))
			sum, squares := 0.0, 0.0
			for range clocks {
				clock := time.Duration(0)
				for retry := 1; retry <= row.n; retry++ {
					clock += wait(t, row.s, retry, luck.Float64())
				}
				off := clock.Seconds() - row.mean
				sum += off
				squares += off * off
			}
			mean := sum / clocks
			sd := math.Sqrt(squares/clocks - mean*mean)
			if se := row.sd / math.Sqrt(clocks); math.Abs(mean) > 4*se {
				t.Errorf("mean %.4f, want %.4f (4 SE = %.4f)", row.mean+mean, row.mean, 4*se)
			}
			// A sum of uniforms has no heavier tails than a normal, for which the SE of a standard deviation is this.
			if se := row.sd / math.Sqrt(2*clocks); math.Abs(sd-row.sd) > 4*se {
				t.Errorf("sd %.4f, want %.4f (4 SE = %.4f)", sd, row.sd, 4*se)
			}
			described := time.Duration(0)
			for _, w := range strategies.Describe(row.s, row.n) {
				described += w.Mean
			}
			if math.Abs(described.Seconds()-row.mean) > 1e-9 {
				t.Errorf("Describe adds up to a mean of %v, want %v s", described, row.mean)
			}
		})
	}
}

// A clockGrid holds P(t_k <= x) for x = 0, step, 2 step, ...
type clockGrid []float64

const clockStep = 1.0 / 64 // seconds

// after returns the distribution of the clock one wait later: the average over u of the distribution before, moved by
// the wait at u.
func (f clockGrid) after(t *testing.T, s strategies.Strategy, retry int) clockGrid {
	waits := make([]float64, int(wait(t, s, retry, top).Seconds()/clockStep+0.5)) // one a step
	for i := range waits {
		waits[i] = wait(t, s, retry, (float64(i)+0.5)/float64(len(waits))).Seconds()
	}
	g := make(clockGrid, len(f))
	for i := range g {
		x := float64(i) * clockStep
		for _, w := range waits {
			if w > x {
				break
			}
			g[i] += f.at(x - w)
		}
		g[i] /= float64(len(waits))
	}
	return g
}

func (f clockGrid) at(x float64) float64 {
	i, part := math.Modf(x / clockStep)
	if int(i)+1 >= len(f) {
		return f[len(f)-1]
	}
	return f[int(i)]*(1-part) + f[int(i)+1]*part
}

// TestClockDistribution convolves the waits of full jitter and compares with the closed forms of sums of uniforms:
// analytic.md B-c, B-d (densities, as slopes of the distribution, away from their kinks), B-e, B-f, B-g and B-h, D = 30 s.
// Where later retries matter, B-f there counts the first 6 only, and B-g the first 8.
func TestClockDistribution(t *testing.T) {
	const longest = 31.0 // seconds
	clocks := []clockGrid{make(clockGrid, int(longest/clockStep)+1)}
	for i := range clocks[0] {
		clocks[0][i] = 1
	}
	for k := 1; k <= 10; k++ {
		clocks = append(clocks, clocks[k-1].after(t, fullClock, k))
	}
	retries := func(first int) clockGrid { // expected number of those up to the given one in (0, t]
		sum := make(clockGrid, len(clocks[0]))
		for _, f := range clocks[1 : first+1] {
			for i := range f {
				sum[i] += f[i]
			}
		}
		return sum
	}
	check := func(row string, x, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-4 {
			t.Errorf("%s at %v s: %.6f, want %.6f", row, x, got, want)
		}
	}
	density := func(f clockGrid, x float64) float64 {
		return (f.at(x+2*clockStep) - f.at(x-2*clockStep)) / (4 * clockStep)
	}
	for x, want := range map[float64]float64{.5: .25, 1.5: .5, 2.5: .25} {
		check("B-c", x, density(clocks[2], x), want)
	}
	for x, want := range map[float64]float64{.5: .015625, 2: .1875, 3: .25, 4: .25, 5: .1875, 6: .0625} {
		check("B-d", x, density(clocks[3], x), want)
	}
	for x, want := range map[float64]float64{1: .020833, 2: .145833, 3: .375, 5: .854167} {
		check("B-e", x, clocks[3].at(x), want)
	}
	for x, want := range map[float64]float64{.25: 1.128947, .5: 1.265953, .75: 1.411268, 1.5: .633669, 2.5: .517354, 5: .307080,
		7: .154053, 10: .162305} {
		check("B-f", x, density(retries(6), x), want)
	}
	for x, want := range map[float64]float64{1: 1.271493, 2: 1.905854, 3: 2.418404, 5: 3.067272, 7: 3.494729, 10: 3.987306,
		15: 4.533881, 30: 5.521469} {
		check("B-g", x, retries(8).at(x), want)
	}
	for n, want := range map[int]float64{5: .999992, 6: .453125, 7: .062153, 8: .006199, 10: .000033} {
		check("B-h", float64(n), clocks[n].at(30), want)
	}
}
