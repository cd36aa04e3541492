package sim

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// What is counted in bins is known to 0.1 %, and in bins of one nanosecond exactly.
func TestBinnedQuantilesAreClose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var exact, binned, a, b sampler
		most := r.IntN(62)
		var all []time.Duration
		for range 1 + r.IntN(300) {
			d := time.Duration(r.Int64() >> 1 >> r.IntN(most+1))
			all = append(all, d)
			exact.add(d)
			binned.add(d)
			if r.IntN(2) == 0 {
				a.add(d)
			} else {
				b.add(d)
			}
		}
		binned.toBins()
		if r.IntN(2) == 0 {
			b.toBins()
		}
		a.toBins()
		a.merge(&b)
		want := quantilesOf(slices.Clone(all))
		if got := exact.quantiles(); got != want {
			t.Errorf("exact: %+v, want %+v", got, want)
		}
		for _, got := range []Quantiles{binned.quantiles(), a.quantiles()} {
			if got.Count != want.Count || !got.Approximate || !isClose(got.P50, want.P50) || !isClose(got.P99, want.P99) {
				t.Errorf("binned: %+v, want %+v", got, want)
			}
		}
	})
}

func isClose(a, b time.Duration) bool { return math.Abs(float64(a-b)) <= 0.001*float64(b) }

func TestRankIsTheNearest(t *testing.T) {
	for n := int64(1); n <= 400; n++ {
		for percent := int64(1); percent <= 100; percent++ {
			k := Rank(n, percent) + 1 // so many observations are not above it
			if 100*k < n*percent || 100*(k-1) >= n*percent || k > n {
				t.Fatalf("rank %d of %d is given for %d%%", k, n, percent)
			}
		}
	}
	if got, want := Rank(math.MaxInt64, 99), int64(9131138316486228048); got != want {
		t.Errorf("99%% of the most is rank %d, want %d", got, want)
	}
}
