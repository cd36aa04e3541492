package sim_test

import (
	"testing"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

// orbit is a herd of n workers that start waiting, and wait memoryless with a mean of one second.
func orbit(n, slots int, service downstream.Distribution) sim.Config {
	cfg := base(n, slots, 0, 0, strategies.Memoryless{Mean: second})
	cfg.Start.Spread, cfg.Downstream.Service = downstream.Exponential{M: second}, service
	return cfg
}

// D1 and D3: how long it takes until the last of a herd in orbit has been served, and how often it calls in vain.
func TestDrainOfAnOrbit(t *testing.T) {
	t.Parallel()
	constant, exponential := downstream.Constant{D: second / 100}, downstream.Exponential{M: second / 100}
	agree(t, orbit(100, 1, constant), 4000,
		quantity{row: "D1, N = 100, E[T]", want: 6.187378, read: completion},
		quantity{row: "D1, N = 100, var(T)", want: 1.278665 * 1.278665, read: square(6.187378, completion)},
		quantity{row: "D1, N = 100, failed calls", want: 49.5, read: rejected})
	agree(t, orbit(100, 1, exponential), 2000,
		quantity{row: "D1, exponential service, E[T]", want: 6.187378, read: completion},
		quantity{row: "D1, exponential service, failed calls", want: 49.5, read: rejected})
	agree(t, orbit(10, 1, constant), 5000,
		quantity{row: "D1, N = 10, E[T]", want: 3.028968, read: completion},
		quantity{row: "D1, N = 10, failed calls", want: 0.45, read: rejected})
	agree(t, orbit(100, 10, downstream.Exponential{M: second / 10}), 2500,
		quantity{row: "D3, N = 100, c = 10, E[T]", want: 5.348782, read: completion})
}

// D4: a herd in a queue without limit, exponential service.
func TestDrainOfAQueue(t *testing.T) {
	t.Parallel()
	cfg := base(1000, 50, downstream.Unlimited, 0, strategies.Immediate{})
	cfg.Downstream.Service = downstream.Exponential{M: second / 10}
	agree(t, cfg, 500,
		quantity{row: "D4, E[T]", want: 2.349921, read: completion},
		quantity{row: "D4, mean wait", want: 0.90345, read: meanWait})
}

// D8 with base load, and D11: how long a backlog lasts while traffic goes on.
func TestBacklogUnderLoad(t *testing.T) {
	t.Parallel()
	// emptied returns when the only server had nothing left to do for the first time.
	emptied := func(p *played) float64 {
		for i, a := range p.attempts {
			if i > 0 && a.Queued == 0 {
				return p.attempts[i-1].End.Seconds()
			}
		}
		t.Fatal("the backlog did not end before the run did")
		return 0
	}
	load := func(rate int64, backlog int, service downstream.Distribution) sim.Config {
		cfg := open(downstream.Rate{Events: rate, Per: second}, 1, downstream.Unlimited, service)
		cfg.Workers, cfg.Horizon = backlog, 200*second
		return cfg
	}
	agreeTraced(t, load(80, 1000, downstream.Constant{D: second / 100}), 40,
		quantity{row: "D8, base load of 80 %", want: 50, read: emptied})
	agreeTraced(t, load(8, 100, downstream.Exponential{M: second / 10}), 200,
		quantity{row: "D11", want: 50, read: emptied})
}

// The random rows of the end-to-end scenarios: a thousand workers at 100/s, healthy (A) or down for a minute (B).
func TestHerdEndToEnd(t *testing.T) {
	full := strategies.FullJitter{Base: second, Factor: 2, Cap: 60 * second}
	t.Run("A3'", func(t *testing.T) {
		t.Parallel()
		agree(t, base(1000, 10, 0, second/10, full), 300,
			quantity{row: "A3', last success", want: 37.24, runs: 100, sd: 7.75, read: completion},
			quantity{row: "A3', calls", want: 4306.2, runs: 100, sd: 14.9, read: calls},
			quantity{row: "A3', max 1-s bin", want: 2232.9, runs: 100, read: peak1s})
	})
	t.Run("A5'", func(t *testing.T) {
		t.Parallel()
		decorrelated := strategies.Decorrelated{Base: second, Factor: 3, Cap: 60 * second}
		agree(t, base(1000, 10, 0, second/10, decorrelated), 300,
			quantity{row: "A5', last success", want: 27.40, runs: 100, sd: 2.06, read: completion},
			quantity{row: "A5', calls", want: 3229.1, runs: 100, sd: 20.1, read: calls},
			quantity{row: "A5', max 1-s bin", want: 1000, read: peak1s})
	})
	t.Run("B3", func(t *testing.T) {
		t.Parallel()
		cfg := base(1000, 10, 100, second/10, full)
		cfg.Downstream.Outages = []downstream.Outage{{To: 60 * second}}
		agree(t, cfg, 200,
			quantity{row: "B3, last success", want: 118.19, runs: 100, sd: 0.98, read: completion},
			quantity{row: "B3, calls", want: 8634.2, runs: 100, sd: 23.8, read: calls},
			quantity{row: "B3, max 1-s bin after recovery", want: 37.2, runs: 100, sd: 3.1, read: busiest(60 * second)},
			// The table says that its hundred runs lie low here, and gives the expectation.
			quantity{row: "B3, max 1-s bin", want: 2267.4, runs: 100, sd: 15.6, read: busiest(0)},
			quantity{row: "B3, max 1-s bin, expected from B-g", want: 2271.493, read: busiest(0)},
			quantity{row: "B3, peak_1s", want: 1271.493, read: peak1s})
	})
	t.Run("C3'", func(t *testing.T) {
		t.Parallel()
		cfg := base(10000, 100, downstream.Unlimited, second/10, strategies.FullJitter{Base: 10 * second, Factor: 2, Cap: 120 * second})
		cfg.Timeout = second
		agree(t, cfg, 10,
			quantity{row: "C3', last success", want: 148.5, runs: 10, sd: 1.3, read: completion},
			quantity{row: "C3', calls", want: 39804, runs: 10, read: calls},
			quantity{row: "C3', wasted", want: 29804, runs: 10, read: wasted},
			quantity{row: "C3', max 1-s bin", want: 10000, read: peak1s})
	})
	t.Run("C4'", func(t *testing.T) {
		t.Parallel()
		cfg := base(10000, 100, downstream.Unlimited, second/10, strategies.FullJitter{Base: 10 * second, Factor: 2, Cap: 120 * second})
		cfg.Timeout, cfg.Start.Uniform = second, 10*second
		agree(t, cfg, 40,
			quantity{row: "C4', last success", want: 10.14, runs: 10, sd: 0.03, read: completion},
			quantity{row: "C4', calls", want: 10000, read: calls},
			quantity{row: "C4', wasted", want: 0, read: wasted},
			quantity{row: "C4', max 1-s bin", want: 1055.7, runs: 10, read: peak1s})
	})
}

// D2': all retries are spent before an outage of 30 s ends.
func TestRetriesSpentInAnOutage(t *testing.T) {
	cfg := base(1000, 10, 100, second/10, strategies.FullJitter{Base: second, Factor: 2, Cap: 60 * second})
	cfg.MaxAttempts = 6
	cfg.Downstream.Outages = []downstream.Outage{{To: 30 * second}}
	r := run(t, cfg)
	if r.Herd.DeadLettered != 1000 || r.Attempts != 6000 {
		t.Errorf("D2': %d given up after %d calls, want 1000 after 6000", r.Herd.DeadLettered, r.Attempts)
	}
}
