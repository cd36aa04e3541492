package report

import (
	"testing"
	"time"

	"herdsim/sim"
)

// The nearest rank of 99 % among 101 tasks is ceil(99.99) = 100, not 99.
func TestPercentileIsTheNearestRank(t *testing.T) {
	r := &sim.Result{Herd: sim.Tally{Tasks: 101, Succeeded: 101}}
	for i := range 101 {
		r.Completions = append(r.Completions, time.Duration(i+1)*time.Second)
	}
	for p, want := range map[int64]time.Duration{50: 51 * time.Second, 90: 91 * time.Second, 99: 100 * time.Second} {
		if got := percentile(r, p); got != seconds(want) {
			t.Errorf("%d %% of 101 are served by %v, want %v", p, got, want)
		}
	}
	r.Completions = r.Completions[:99]
	if got := percentile(r, 99); got != (Seconds{}) {
		t.Errorf("99 %% of 101 are served by %v, though 99 of them ever were; want none", got)
	}
	if got := percentile(&sim.Result{}, 50); got != (Seconds{}) {
		t.Errorf("half of nobody is served by %v, want none", got)
	}
}
