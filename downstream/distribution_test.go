package downstream

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

const ms = time.Millisecond

// Mean and coefficient of variation, within 4 standard errors of 100,000 draws with a fixed seed.
func TestMomentsOfDistributions(t *testing.T) {
	for _, test := range []struct {
		name string
		d    Distribution
		mean time.Duration
		cv   float64
	}{
		{"constant", Constant{100 * ms}, 100 * ms, 0},
		{"exponential", Exponential{100 * ms}, 100 * ms, 1},
		{"lognormal, narrow", Lognormal{100 * ms, 0.1}, 100 * ms, 0.1},
		{"lognormal", Lognormal{100 * ms, 1}, 100 * ms, 1},
		{"lognormal, wide", Lognormal{time.Hour, 2}, time.Hour, 2},
		{"uniform", Uniform{0, 200 * ms}, 100 * ms, 1 / math.Sqrt(3)},
		{"uniform, from above 0", Uniform{150 * ms, 250 * ms}, 200 * ms, 0.25 / math.Sqrt(12) * 2},
		{"gamma, narrow", Gamma{100 * ms, 0.2}, 100 * ms, 0.2},
		{"gamma, exponential", Gamma{100 * ms, 1}, 100 * ms, 1},
		{"gamma, wide", Gamma{100 * ms, 3}, 100 * ms, 3},
		{"bimodal", Bimodal{50 * ms, 550 * ms, 0.1}, 100 * ms, 1.5}, // sd = 500 ms x sqrt(0.1 x 0.9)
		{"normal, far above 0", Normal{100 * ms, 5 * ms}, 100 * ms, 0.05},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.d.Mean() != test.mean {
				t.Errorf("Mean() = %v, want %v", test.d.Mean(), test.mean)
			}
			src := rand.NewPCG(1, 1)
			mean, sd := float64(test.mean), test.cv*float64(test.mean)
			var first, second sum
			for range 100_000 {
				x := float64(test.d.Draw(src))
				first.add(x - mean)
				second.add((x-mean)*(x-mean) - sd*sd)
			}
			first.check(t, "the mean")
			second.check(t, "the variance")
		})
	}
}

// sum adds up numbers whose mean should be 0.
type sum struct{ n, x, xx float64 }

func (s *sum) add(x float64) { s.n, s.x, s.xx = s.n+1, s.x+x, s.xx+x*x }

func (s *sum) check(t *testing.T, what string) {
	t.Helper()
	mean := s.x / s.n
	se := math.Sqrt((s.xx/s.n - mean*mean) / s.n)
	if math.Abs(mean) > 4*se {
		t.Errorf("%s is off by %g, 4 standard errors are %g", what, mean, 4*se)
	}
}

func TestDrawsAreInRange(t *testing.T) {
	const longest = time.Duration(math.MaxInt64)
	for _, test := range []struct {
		name     string
		d        Distribution
		min, max time.Duration
	}{
		{"constant", Constant{5}, 5, 5},
		{"uniform", Uniform{3, 6}, 3, 6},
		{"uniform, up to the longest", Uniform{0, longest}, 0, longest},
		{"exponential, of a nanosecond", Exponential{1}, 0, 60},
		{"exponential, of the longest", Exponential{longest}, 0, longest},
		{"lognormal, of the longest", Lognormal{longest, 100}, 0, longest},
		{"lognormal, of a nanosecond", Lognormal{1, 0.001}, 1, 1},
		{"gamma, of the longest", Gamma{longest, 100}, 0, longest},
		{"gamma, of a nanosecond", Gamma{1, 0.001}, 1, 1},
		{"normal, half of it below 0", Normal{0, 10 * ms}, 0, 100 * ms},
		{"normal, all of it below 0", Normal{-time.Hour, ms}, 0, 0},
		{"bimodal, never slow", Bimodal{1, 9, 0}, 1, 1},
		{"bimodal, always slow", Bimodal{1, 9, 1}, 9, 9},
		{"bimodal, of the longest", Bimodal{longest, longest, 0.5}, longest, longest},
	} {
		src := rand.NewPCG(2, 2)
		for range 5000 {
			if x := test.d.Draw(src); x < test.min || x > test.max {
				t.Errorf("%s: %d, want %d to %d", test.name, x, test.min, test.max)
				break
			}
		}
	}
}

func TestNormalBelowZeroCountsAsZero(t *testing.T) {
	src := rand.NewPCG(3, 3)
	var zero sum
	for range 50_000 {
		x := 0.0
		if (Normal{10 * ms, 10 * ms}).Draw(src) == 0 {
			x = 1
		}
		zero.add(x - 0.15865525393145707) // P(Z < -1)
	}
	zero.check(t, "the share of zeros")
}

func TestBimodalShare(t *testing.T) {
	src := rand.NewPCG(4, 4)
	var slow sum
	for range 50_000 {
		x := 0.0
		if (Bimodal{1, 2, 0.3}).Draw(src) == 2 {
			x = 1
		}
		slow.add(x - 0.3)
	}
	slow.check(t, "the share of slow ones")
}

func TestRounding(t *testing.T) {
	for _, test := range []struct {
		ns   float64
		want time.Duration
	}{
		{math.NaN(), 0}, {math.Inf(-1), 0}, {-1, 0}, {0, 0}, {0.4, 0}, {0.5, 1}, {1.5, 2}, {1e9, time.Second},
		{math.MaxInt64, math.MaxInt64}, {1e300, math.MaxInt64}, {math.Inf(1), math.MaxInt64}, {9.2e18, 9_200_000_000_000_000_000},
	} {
		if got := round(test.ns); got != test.want {
			t.Errorf("round(%g) = %d, want %d", test.ns, got, test.want)
		}
	}
}
