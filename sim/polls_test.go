package sim

import (
	"math"
	"slices"
	"testing"
	"time"
)

// Schedulers have been running for long at t0: looks of P processes come every Every / P in the mean from the start,
// however long one sleep may be, and one process is found in a sleep in proportion to its length.
func TestPollersHaveBeenRunningForLong(t *testing.T) {
	const runs, processes = 4000, 20
	var early, first float64
	for seed := range uint64(runs) {
		var p polls
		p.reset(&Config{Seed: seed, Horizon: time.Hour, Poll: Poll{Every: 100 * time.Second, Jitter: 1, Processes: processes}})
		p.found(10 * time.Second)
		for _, at := range p.looks {
			if at < 10*time.Second {
				early++
			}
		}
		var one polls
		one.reset(&Config{Seed: seed, Horizon: time.Hour, Poll: Poll{Every: 100 * time.Second, Jitter: 1}})
		first += one.found(0).Seconds()
	}
	// 10 s × 20 / 100 s = 2 looks; a uniform sleep up to L is found with L/3 to go: 200/3 s, sd 200/√18 s.
	if mean, se := early/runs, math.Sqrt(2.0/runs); math.Abs(mean-2) > 4*se {
		t.Errorf("%.4f looks in the first 10 s, want 2 within %.4f", mean, 4*se)
	}
	if mean, se := first/runs, 200/math.Sqrt(18*runs); math.Abs(mean-200.0/3) > 4*se {
		t.Errorf("the first look is after %.2f s in the mean, want 66.67 within %.2f", mean, 4*se)
	}
}

// A million schedulers cost as little by the look as one.
func TestManyPollersLookInOrder(t *testing.T) {
	var p polls
	p.reset(&Config{Seed: 1, Horizon: time.Hour, Poll: Poll{Every: 1000 * time.Second, Jitter: 1, Processes: 1_000_000}})
	p.found(2 * time.Second)
	if n := len(p.looks); math.Abs(float64(n)-2000) > 4*math.Sqrt(2000) || !slices.IsSorted(p.looks) {
		t.Errorf("%d looks in 2 s, in order %v; want about 2000 in order", n, slices.IsSorted(p.looks))
	}
}
