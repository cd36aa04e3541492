package experiment

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"herdsim/sim"
)

// threshold is a probe of which every run gets stuck where stuck says so.
func threshold(stuck func(x int64) bool) Probe {
	return func(_ context.Context, x int64, first, last int) (Tally, error) {
		if n := last - first + 1; stuck(x) {
			return Tally{Stuck: n}, nil
		} else {
			return Tally{Recovered: n}, nil
		}
	}
}

func find(t *testing.T, s Search, p Probe) Finding {
	t.Helper()
	f, err := s.Find(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if most := s.MostRuns(); f.Runs > most {
		t.Errorf("%+v took %d runs and announced %d at most", s, f.Runs, most)
	}
	return f
}

func TestSearchFindsAThreshold(t *testing.T) {
	for _, edge := range []int64{1, 2, 3, 7, 50, 64, 99, 1000, 123_456, 5_000_000_000} {
		above := threshold(func(x int64) bool { return x >= edge })
		below := threshold(func(x int64) bool { return x < edge })
		for _, from := range []int64{0, 1, edge / 3, edge - 1, edge, edge + 1, 5 * edge} {
			for name, p := range map[string]Probe{"above": above, "below": below} {
				f := find(t, Search{From: from, Most: 1 << 40, Up: from < edge, Replicates: 5}, p)
				low, high := min(f.Recovers.X, f.Sticks.X), max(f.Recovers.X, f.Sticks.X)
				if !f.Found || low >= edge || high < edge || high-low > max(1, high/resolution) {
					t.Errorf("stuck %s %d, from %d: [%d, %d], found %v", name, edge, from, low, high, f.Found)
				}
				if (name == "above") != (f.Sticks.X == high) {
					t.Errorf("stuck %s %d, from %d: recovers at %d and sticks at %d", name, edge, from, f.Recovers.X, f.Sticks.X)
				}
				if f.Recovers.Tally != (Tally{Recovered: 5}) || f.Sticks.Tally != (Tally{Stuck: 5}) {
					t.Errorf("the ends have %+v and %+v", f.Recovers, f.Sticks)
				}
			}
		}
	}
}

// What always ends alike has no threshold, and all that was tried says so, as far as the limits.
func TestSearchOfAConstant(t *testing.T) {
	for _, stuck := range []bool{true, false} {
		f := find(t, Search{From: 100, Most: 1000, Both: true, Replicates: 3}, threshold(func(int64) bool { return stuck }))
		var tried []int64
		for _, p := range f.Tried {
			tried = append(tried, p.X)
		}
		want := []int64{100, 50, 25, 12, 6, 3, 1, 0, 200, 400, 800, 1000}
		if f.Found || f.Abandoned || len(tried) != len(want) {
			t.Fatalf("found %v at %v, want nothing at %v", f.Found, tried, want)
		}
		for i := range want {
			if tried[i] != want[i] {
				t.Errorf("value %d is %d, want %d", i, tried[i], want[i])
			}
		}
		if f.Runs != 2*len(want) { // two of three settle it
			t.Errorf("%d runs", f.Runs)
		}
	}
}

// Between islands the search finds the edge that is nearest on its way, and both ends are what they are said to be.
func TestSearchOfWhatIsNotMonotone(t *testing.T) {
	stuck := func(x int64) bool { return x >= 40 && x < 150 || x >= 300 && x < 500 }
	for _, c := range []struct {
		from      int64
		up        bool
		low, high int64 // of the edge
	}{{100, false, 39, 40}, {100, true, 149, 150}, {400, false, 299, 300}, {10, true, 39, 40}, {200, true, 299, 300}} {
		f := find(t, Search{From: c.from, Most: 10_000, Up: c.up, Replicates: 5}, threshold(stuck))
		low, high := min(f.Recovers.X, f.Sticks.X), max(f.Recovers.X, f.Sticks.X)
		if !f.Found || low > c.low || high < c.high || stuck(f.Recovers.X) || !stuck(f.Sticks.X) {
			t.Errorf("from %d: recovers at %d, sticks at %d, want the edge between %d and %d", c.from, f.Recovers.X, f.Sticks.X, c.low, c.high)
		}
	}
}

// Near a noisy edge the majority at each end is what decides, and the tallies say how sure it is.
func TestSearchOfNoise(t *testing.T) {
	noisy := func(_ context.Context, x int64, first, last int) (t Tally, _ error) {
		for replicate := first; replicate <= last; replicate++ { // P(stuck) rises from 0 at 100 to 1 at 200
			if rand.New(rand.NewPCG(uint64(x), uint64(replicate))).Float64() < float64(x-100)/100 {
				t.Stuck++
			} else {
				t.Recovered++
			}
		}
		return t, nil
	}
	f := find(t, Search{From: 1000, Most: 1000, Replicates: 9}, noisy)
	if !f.Found || f.Recovers.Recovered < 5 || f.Sticks.Stuck < 5 || f.Recovers.Runs() != 9 || f.Sticks.Runs() != 9 {
		t.Errorf("%+v", f)
	}
	if f.Recovers.X < 120 || f.Sticks.X > 180 { // P(Bin(9, 0.2) >= 5) = 0.0196, for each of a few values
		t.Errorf("the edge of P = 1/2 at 150 is found between %d and %d", f.Recovers.X, f.Sticks.X)
	}
}

func TestSearchEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	probes := 0
	f, err := Search{From: 1000, Most: 1000, Replicates: 1}.Find(ctx, func(ctx context.Context, x int64, _, _ int) (Tally, error) {
		if probes++; probes == 6 {
			cancel()
		}
		if ctx.Err() != nil {
			return Tally{}, nil
		}
		if x >= 300 {
			return Tally{Stuck: 1}, nil
		}
		return Tally{Recovered: 1}, nil
	})
	if err != nil || !f.Found || !f.Abandoned || f.Recovers.X != 250 || f.Sticks.X != 313 {
		t.Errorf("cancelled after 1000, 500, 250, 375, 313: %+v, %v", f, err)
	}

	broken := errors.New("broken")
	if _, err := (Search{From: 1, Most: 9, Replicates: 5}).Find(t.Context(), func(context.Context, int64, int, int) (Tally, error) {
		return Tally{}, broken
	}); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the probe", err)
	}

	f = find(t, Search{From: 8, Most: 64, Up: true, Replicates: 5}, func(_ context.Context, x int64, first, last int) (Tally, error) {
		if x > 16 {
			return Tally{Undecided: last - first + 1}, nil
		}
		return Tally{Recovered: last - first + 1}, nil
	})
	if f.Found || !f.Abandoned || f.Tried[len(f.Tried)-1].X != 32 {
		t.Errorf("undecided above 16: %+v", f)
	}
}

func TestTakeGetsEveryResultOnce(t *testing.T) {
	taken := make([][4]int64, 3)
	r, err := run(t.Context(), grid(3, 4), Options{Take: func(row, replicate int, r *sim.Result) { taken[row][replicate-1] += r.Events }}, echo)
	if err != nil || r.Missing != 0 {
		t.Fatalf("missing %d, error %v", r.Missing, err)
	}
	for row := range taken {
		for i, got := range taken[row] {
			if want := int64(100*row + i + 1); got != want || r.Runs[row][i] != nil {
				t.Errorf("run [%d][%d] = %d, want %d; kept %v", row, i, got, want, r.Runs[row][i])
			}
		}
	}
}
