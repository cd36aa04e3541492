package sim_test

import (
	"context"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

const second = time.Second

// base is a herd of n workers that fail together, of constant service time, without limits.
func base(n, slots, queue int, service time.Duration, s strategies.Strategy) sim.Config {
	return sim.Config{
		Seed: 1, Horizon: 1000 * time.Hour, MaxEvents: 1 << 40, Window: second, Workers: n, Strategy: s,
		Downstream: downstream.Config{Slots: slots, Queue: queue, Service: downstream.Constant{D: service}},
	}
}

func run(t *testing.T, cfg sim.Config) *sim.Result {
	t.Helper()
	r := sim.Run(context.Background(), cfg)
	checkConservation(t, r)
	return r
}

func last(r *sim.Result) time.Duration { return r.Completions[len(r.Completions)-1] }

func TestUnjitteredRowsAreExact(t *testing.T) {
	second, ms := time.Second, time.Millisecond
	exponential := strategies.Exponential{Base: second, Factor: 2, Cap: 60 * second}
	fixed := strategies.Fixed{Delay: second}
	down := func(cfg sim.Config) sim.Config {
		cfg.Downstream.Outages = []downstream.Outage{{To: 60 * second}}
		return cfg
	}
	timeout := func(cfg sim.Config) sim.Config {
		cfg.Timeout = second
		return cfg
	}
	tests := []struct {
		name     string // the row of analytic.md
		cfg      sim.Config
		last     time.Duration
		attempts int64
		wasted   int64
		peak     int64 // in 1 s, the failure itself left out
	}{
		{"D7, 10 served per wave", base(1000, 10, 0, 100*ms, exponential), 5643*second + 100*ms, 50500, 0, 1000},
		{"D7, 100 served per wave", base(1000, 100, 0, 100*ms, exponential), 243*second + 100*ms, 5500, 0, 1000},
		{"A1'", base(1000, 10, 0, 100*ms, fixed), 99*second + 100*ms, 50500, 0, 1000},
		{"A2'", base(1000, 10, 0, 100*ms, exponential), 5643*second + 100*ms, 50500, 0, 1000},
		{"B1", down(base(1000, 10, 100, 100*ms, fixed)), 70 * second, 65410, 0, 1000},
		{"C1'", timeout(base(10000, 100, downstream.Unlimited, 100*ms, strategies.Fixed{Delay: 10 * second})), 100 * second, 55000, 45000, 10000},
		{"D12", base(100, 1, 0, 100*ms, fixed), 99*second + 100*ms, 5050, 0, 100},
		{"D5", base(1000, 50, downstream.Unlimited, 100*ms, fixed), 2 * second, 1000, 0, 1000},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := run(t, test.cfg)
			if r.Herd.Succeeded != r.Herd.Tasks || last(r) != test.last || r.Attempts != test.attempts || r.Wasted != test.wasted || r.Peak1s != test.peak {
				t.Errorf("%d of %d served, last at %v, %d attempts, %d wasted, peak %d; want all, %v, %d, %d, %d",
					r.Herd.Succeeded, r.Herd.Tasks, last(r), r.Attempts, r.Wasted, r.Peak1s, test.last, test.attempts, test.wasted, test.peak)
			}
		})
	}
}

// D6 of analytic.md: with a timeout and a server that does not cancel, c x floor(tau/s) are on time and the rest is
// work for nobody.
func TestTimedOutWorkIsPlayedToItsEnd(t *testing.T) {
	cfg := base(1000, 50, downstream.Unlimited, 100*time.Millisecond, strategies.Fixed{Delay: second})
	cfg.Timeout, cfg.MaxAttempts = second, 1
	r := run(t, cfg)
	if r.Herd.Succeeded != 500 || r.Wasted != 500 || r.Observed != 2*second || r.BusyTime != 100*second {
		t.Errorf("%d served, %d wasted, busy %v to %v; want 500, 500, 1m40s to 2s", r.Herd.Succeeded, r.Wasted, r.BusyTime, r.Observed)
	}
}

// D5 of analytic.md: the k-th in line waits floor(k/c) services.
func TestMeanWaitInLine(t *testing.T) {
	r := run(t, base(1000, 50, downstream.Unlimited, 100*time.Millisecond, strategies.Fixed{Delay: second}))
	if r.QueueWait != (sim.Mean{Sum: 950 * second, Count: 1000}) {
		t.Errorf("%v of waiting for %d requests, want 950 s for 1000", r.QueueWait.Sum, r.QueueWait.Count)
	}
}

func checkConservation(t *testing.T, r *sim.Result) {
	t.Helper()
	for name, tally := range map[string]sim.Tally{"herd": r.Herd, "open": r.Open} {
		if tally.Succeeded+tally.DeadLettered+tally.Unfinished != tally.Tasks || tally.Unfinished < 0 {
			t.Errorf("%s: tasks are lost: %+v", name, tally)
		}
	}
	var outcomes int64
	for _, n := range r.Outcomes {
		outcomes += n
	}
	if outcomes != r.Attempts {
		t.Errorf("%d attempts, outcomes %v sum to %d", r.Attempts, r.Outcomes, outcomes)
	}
}
