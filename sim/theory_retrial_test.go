package sim_test

import (
	"math"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

// R1, R3 and R5: one server, no waiting room, and customers who try again at a rate of nu each. The rows for a constant
// rate of retrials, R6 and R7, are about customers who know of each other, which no strategy does.
func TestRetrialQueues(t *testing.T) {
	t.Parallel()
	perTask := func(of func(sim.AttemptRecord) float64) func(*played) float64 {
		return func(p *played) float64 {
			tasks, sum := 0, 0.0
			for _, a := range p.attempts {
				if a.Attempt == 1 {
					tasks++
				}
				sum += of(a)
			}
			return sum / float64(tasks)
		}
	}
	waited := perTask(func(a sim.AttemptRecord) float64 { return a.Waited.Seconds() })
	retries := perTask(func(a sim.AttemptRecord) float64 { return float64(min(a.Attempt-1, 1)) })
	for _, test := range []struct {
		row          string
		rho, perWait float64 // arrivals a service; retries a service and customer
		service      downstream.Distribution
		runs         int
		length       time.Duration
		orbit        float64 // customers that wait for their retry
	}{
		{"R1", 0.8, 0.5, downstream.Exponential{M: second}, 16, 10_000 * second, 9.6},
		{"R3", 0.5, 0.1, downstream.Exponential{M: second}, 16, 5_000 * second, 5.5},
		{"R5, rho = 0.8", 0.8, 0.5, downstream.Constant{D: second}, 16, 10_000 * second, 8},
		{"R5, rho = 0.5", 0.5, 0.1, downstream.Constant{D: second}, 16, 5_000 * second, 5.25},
	} {
		t.Run(test.row, func(t *testing.T) {
			t.Parallel()
			cfg := open(perSecond(test.rho), 1, 0, test.service)
			cfg.MaxAttempts = 0
			cfg.Strategy = strategies.Memoryless{Mean: time.Duration(float64(second) / test.perWait)}
			// Each in orbit comes back at the same rate at any time, so the rate of retries tells how many there are.
			inOrbit := func(p *played) float64 { return float64(p.Retries) / p.Observed.Seconds() / test.perWait }
			agreeSteadyTraced(t, cfg, test.runs, test.length,
				quantity{row: test.row + ", E[orbit]", want: test.orbit, read: inOrbit},
				quantity{row: test.row + ", time in orbit", want: test.orbit / test.rho, read: waited},
				quantity{row: test.row + ", retries per customer", want: test.perWait * test.orbit / test.rho, read: retries},
				quantity{row: test.row + ", P(busy)", want: test.rho, read: busy})
		})
	}
}

// A1: attempts per call when each fails with chance p and n are made at most.
func TestAttemptsPerCall(t *testing.T) {
	for _, test := range []struct {
		row      string
		p        float64
		n        int
		attempts float64
	}{
		{"A1, p = 0.1, n = 3", 0.1, 3, 1.11},
		{"A1, p = 0.5, n = 3", 0.5, 3, 1.75},
		{"A1, p = 0.9, n = 3", 0.9, 3, 2.71},
		{"A1, p = 0.5, n = 4", 0.5, 4, 1.875},
	} {
		const tasks = 500
		cfg := base(tasks, tasks, 0, time.Millisecond, strategies.Fixed{Delay: second})
		cfg.ErrorRate, cfg.MaxAttempts = test.p, test.n
		perTask := func(p *played) float64 { return calls(p) / tasks }
		succeeded := func(p *played) float64 { return float64(p.Herd.Succeeded) / tasks }
		agree(t, cfg, 40,
			quantity{row: test.row + ", attempts", want: test.attempts, read: perTask},
			quantity{row: test.row + ", success", want: 1 - math.Pow(test.p, float64(test.n)), read: succeeded})
	}
}

// A3: what a limit of C asks for when calls come at lambda > C and each is made n times at most. The row is the limit of
// long waits, in which the attempts of a call meet independent moments; with the waits here the load is lower than that
// by a fraction of the standard error.
func TestOverloadFeedsItself(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		row          string
		rate         float64
		n            int
		wait, length time.Duration
		failing      float64
		offered      float64
	}{
		{"A3, 1200 to 1000, n = 1", 1200, 1, 0, 20 * second, 0.166667, 1200},
		{"A3, 1200 to 1000, n = 3", 1200, 3, second / 5, 100 * second, 0.550321, 2223.81},
		{"A3, 1200 to 1000, n = 10", 1200, 10, second / 40, 40 * second, 0.835959, 6096.03},
		{"A3, 2000 to 1000, n = 3", 2000, 3, second / 20, 30 * second, 0.793701, 4847.32},
	} {
		t.Run(test.row, func(t *testing.T) {
			t.Parallel()
			cfg := open(perSecond(test.rate), 1, 0, downstream.Constant{})
			cfg.MaxAttempts, cfg.Strategy = test.n, strategies.Memoryless{Mean: test.wait}
			cfg.Downstream.RateLimit = &downstream.RateLimit{Rate: perSecond(1000), Burst: 50}
			offered := func(p *played) float64 { return calls(p) / p.Observed.Seconds() }
			agreeSteady(t, cfg, 8, test.length,
				quantity{row: test.row + ", p", want: test.failing, read: blocked},
				quantity{row: test.row + ", offered", want: test.offered, read: offered})
		})
	}
}
