package strategies

import (
	"math"
	"slices"
	"testing"
	"time"
)

const fine = time.Second / 512

// densityAt returns the density at t seconds, read off between the two windows around it, and just before or after it.
func densityAt(g []float64, t float64) (before, at, after float64) {
	i := int(math.Round(t / fine.Seconds()))
	before, after = (3*g[i-1]-g[i-2])/2, (3*g[i]-g[i+1])/2 // windows are means: their ends are extrapolated
	return before, (before + after) / 2, after
}

// Full jitter with base 1 s, factor 2, cap 60 s. Analytic: sums of uniforms (Irwin-Hall) in rational arithmetic.
func TestDensityOfFullJitter(t *testing.T) {
	g := Density(FullJitter{Base: time.Second, Factor: 2, Cap: time.Minute}, fine, 30*time.Second)
	for x, want := range map[float64]float64{
		.25: 1.128947, .5: 1.265953, .75: 1.411268, 1.5: .633669, 2: .706347, 2.5: .517354, 3: .299533,
		4: .334829, 5: .307088, 7: .154095, 10: .162521,
	} {
		if _, got, _ := densityAt(g, x); math.Abs(got-want) > 2e-5+3e-4*boolean(x == 2 || x == 3) { // kinks
			t.Errorf("g(%v) = %.6f, want %.6f", x, got, want)
		}
	}
	if left, _, right := densityAt(g, 1); math.Abs(left-1.565145) > 1e-3 || math.Abs(right-.565145) > 1e-3 {
		t.Errorf("g is %.6f before 1 s and %.6f after it, want 1.565145 and 0.565145", left, right)
	}
	// expected attempts per client in (0, t]
	sum, i := 0.0, 0
	for _, row := range []struct{ t, want float64 }{
		{1, 1.271493}, {2, 1.905854}, {3, 2.418404}, {5, 3.067272}, {7, 3.494729}, {10, 3.987306}, {15, 4.533885}, {30, 5.521997},
	} {
		for ; float64(i) < row.t*512; i++ {
			sum += g[i] / 512
		}
		if math.Abs(sum-row.want) > 2e-6 {
			t.Errorf("%v attempts by %v s, want %v", sum, row.t, row.want)
		}
	}
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// giving is a strategy that gives up after some retries.
type giving struct {
	Uniform
	after int
}

func (s giving) Wait(a Attempt, u float64) (time.Duration, bool) {
	wait, _ := s.Uniform.Wait(a, u)
	return wait, a.Retry <= s.after
}

// Full jitter again, in closed form: the density of the second and the third retry, and the distribution of the third.
func TestDensityOfOneRetry(t *testing.T) {
	full := FullJitter{Base: time.Second, Factor: 2, Cap: time.Minute}
	only := func(retry int) []float64 {
		g, before := Density(giving{full, retry}, fine, 8*time.Second), Density(giving{full, retry - 1}, fine, 8*time.Second)
		for i := range g {
			g[i] -= before[i]
		}
		return g
	}
	f2, f3 := only(2), only(3)
	for x, want := range map[float64]float64{.5: .25, 1: .5, 1.5: .5, 2: .5, 2.5: .25} {
		if _, got, _ := densityAt(f2, x); math.Abs(got-want) > 2e-3*boolean(x == 1 || x == 2)+1e-6 { // kinks
			t.Errorf("f2(%v) = %.6f, want %v", x, got, want)
		}
	}
	for x, want := range map[float64]float64{.5: .015625, 1: .0625, 2: .1875, 3: .25, 4: .25, 5: .1875, 6: .0625} {
		if _, got, _ := densityAt(f3, x); math.Abs(got-want) > 1e-5 {
			t.Errorf("f3(%v) = %.6f, want %v", x, got, want)
		}
	}
	for x, want := range map[int]float64{1: .020833, 2: .145833, 3: .375, 5: .854167} {
		sum := 0.0
		for _, d := range f3[:512*x] {
			sum += d / 512
		}
		if math.Abs(sum-want) > 1e-6 {
			t.Errorf("F3(%v) = %.6f, want %v", x, sum, want)
		}
	}
}

// Without luck every retry is in its window, exactly.
func TestDensityWithoutLuck(t *testing.T) {
	const step = 100 * time.Millisecond
	for _, tt := range []struct {
		s     Strategy
		until time.Duration
		at    []time.Duration
	}{
		{Exponential{Base: time.Second, Factor: 2, Cap: time.Minute}, 200 * time.Second, seconds(1, 3, 7, 15, 31, 63, 123, 183)},
		{Schedule{Delays: seconds(2, 0, 1)}, 5 * time.Second, seconds(2, 2, 3, 4)},
		{Fixed{Delay: 70 * time.Millisecond}, 300 * time.Millisecond, []time.Duration{70e6, 140e6, 210e6, 280e6}},
	} {
		want := make([]float64, tt.until/step)
		for _, at := range tt.at {
			want[at/step] += 10
		}
		if got := Density(tt.s, step, tt.until); !slices.Equal(got, want) {
			t.Errorf("%+v: %v, want retries at %v", tt.s, got, tt.at)
		}
	}
}

func seconds(xs ...time.Duration) []time.Duration {
	for i := range xs {
		xs[i] *= time.Second
	}
	return xs
}

// coin waits 0 or a second.
type coin struct{}

func (coin) Wait(_ Attempt, u float64) (time.Duration, bool) {
	return time.Duration(u*2) * time.Second, true
}
func (coin) ReadsPrevious() bool { return false }
func (coin) ReadsSlept() bool    { return false }

// Waits of whole seconds keep a herd on whole seconds: of a coin, one retry at 0 and two at each second, analytic.
func TestDensityOfSteps(t *testing.T) {
	const windows = 10 // a second
	for i, d := range Density(coin{}, time.Second/windows, 20*time.Second) {
		want := 0.0
		switch {
		case i == 0:
			want = windows
		case i%windows == 0:
			want = 2 * windows
		}
		if math.Abs(d-want) > 0.005*windows {
			t.Errorf("%.4f/s in window %d, want %v/s", d, i, want)
		}
	}
}

// Memoryless retries come at the same rate for ever; what waits U[0, d) comes 2/d often in the end, and +-10 % of d 1/d.
// Analytic: renewal theory.
func TestDensityInTheLongRun(t *testing.T) {
	for _, tt := range []struct {
		s    Strategy
		rate float64
	}{
		{Memoryless{Mean: time.Second}, 1},
		{FullJitter{Base: time.Second, Factor: 1}, 2},
		{FullJitter{Base: time.Millisecond, Factor: 1}, 2000}, // far below the lattice
		{Fixed{Delay: time.Millisecond}, 1000},
		{Fixed{Delay: time.Second, Jitter: Jitter{Kind: JitterAround, Share: 1}}, 1},
		{EqualJitter{Base: time.Second, Factor: 2, Cap: 2 * time.Second}, 1 / 1.5},
	} {
		g := Density(tt.s, time.Second, 200*time.Second)
		for _, i := range []int{100, 150, 199} {
			if math.Abs(g[i]-tt.rate) > 1e-3*tt.rate {
				t.Errorf("%+v: %v/s at %d s, want %v/s", tt.s, g[i], i, tt.rate)
			}
		}
	}
	g := Density(Memoryless{Mean: time.Second}, 250*time.Millisecond, 50*time.Second)
	for i, d := range g {
		if math.Abs(d-1) > 1e-3 {
			t.Errorf("memoryless: %v/s in window %d, want 1/s", d, i)
		}
	}
}

// Clients that are played come near what is computed: full jitter that says nothing of itself, and, in the long run,
// decorrelated jitter: 1 over the stationary mean of 9.76 s (analytic: its integral equation, by quadrature).
func TestDensityByDraws(t *testing.T) {
	full := FullJitter{Base: time.Second, Factor: 2, Cap: time.Minute}
	got, want := Density(silent{full}, 100*time.Millisecond, 20*time.Second), Density(full, 100*time.Millisecond, 20*time.Second)
	for i := range got {
		if math.Abs(got[i]-want[i]) > 0.0157 { // 1 % of 1.565
			t.Errorf("%.4f in window %d, want %.4f", got[i], i, want[i])
		}
	}
	g := Density(Decorrelated{Base: 100 * time.Millisecond, Factor: 3, Cap: 20 * time.Second}, 10*time.Second, 400*time.Second)
	sum := 0.0
	for _, d := range g[20:] {
		sum += d / 20
	}
	if math.Abs(sum-1/9.76) > 0.001 {
		t.Errorf("decorrelated: %v/s in the long run, want %v/s", sum, 1/9.76)
	}
}

// silent hides what a strategy says of itself.
type silent struct{ s Strategy }

func (s silent) Wait(a Attempt, u float64) (time.Duration, bool) { return s.s.Wait(a, u) }

func TestDensityAtItsEdges(t *testing.T) {
	for name, s := range map[string]Strategy{"immediate": Immediate{}, "silent": silent{Immediate{}}} {
		if g := Density(s, time.Second, 3*time.Second); !math.IsInf(g[0], 1) || math.IsNaN(g[1]+g[2]) {
			t.Errorf("%s: %v, want no end in the first window", name, g)
		}
	}
	if g := Density(Fixed{Delay: NoBound}, time.Second, 3*time.Second); !slices.Equal(g, make([]float64, 3)) {
		t.Errorf("%v, want nothing within 3 s", g)
	}
	if g := Density(giving{FullJitter{Base: time.Second, Factor: 1}, 0}, time.Second, 3*time.Second); !slices.Equal(g, make([]float64, 3)) {
		t.Errorf("%v, want nothing of who gives up", g)
	}
	for _, tt := range []struct{ step, until time.Duration }{{0, 1}, {-1, 1}, {2, 1}, {1, NoBound}} {
		if g := Density(Immediate{}, tt.step, tt.until); g != nil {
			t.Errorf("%d windows of %v up to %v, want none", len(g), tt.step, tt.until)
		}
	}
	if g := Density(Fixed{Delay: time.Second}, 2*time.Second, 5*time.Second); len(g) != 3 || g[0] != 0.5 {
		t.Errorf("%v, want three windows, the first with the retry at 1 s", g)
	}
}

func TestQuantiles(t *testing.T) {
	full := FullJitter{Base: 4 * time.Second, Factor: 2}
	for name, s := range map[string]Strategy{"computed": full, "drawn": silent{full}} {
		rows := Quantiles(s, 2, 4)
		for r, want := range [][]float64{{0.5, 1.5, 2.5, 3.5}, {1, 3, 5, 7}} {
			for i, w := range want {
				if got := rows[r][i].Seconds(); math.Abs(got-w) > 0.001 {
					t.Errorf("%s: quantile %d of retry %d is %v s, want %v s", name, i, r+1, got, w)
				}
			}
		}
	}
	if rows := Quantiles(giving{full, 1}, 12, 4); len(rows) != 1 {
		t.Errorf("%d rows of who gives up after one retry", len(rows))
	}
}
