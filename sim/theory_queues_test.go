package sim_test

import (
	"math"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

// perSecond is a rate of so many a second, to two digits after the point.
func perSecond(r float64) downstream.Rate {
	return downstream.Rate{Events: int64(math.Round(100 * r)), Per: 100 * second}
}

const (
	service   = second / 10 // mean service time of all queues here
	unlimited = downstream.Unlimited
)

var (
	memoryless = downstream.Exponential{M: service}
	constant   = downstream.Constant{D: service}
)

func waitInServices(p *played) float64 { return meanWait(p) / service.Seconds() }

// Q1, Little's law, as the identity it is: the time that requests wait is the integral of how many wait, and the same
// for those in service; and in the mean, L = lambda W.
func TestLittlesLaw(t *testing.T) {
	t.Parallel()
	cfg := base(500, 8, 40, 0, strategies.FullJitter{Base: second, Factor: 2, Cap: 8 * second})
	cfg.Downstream.Service = downstream.Gamma{M: service, CV: 1.5}
	cfg.Arrivals = sim.Poisson(perSecond(70), 0, 100*second)
	cfg.ErrorRate, cfg.MaxAttempts = 0.1, 6
	p := player(t, cfg, true)(1)
	var total time.Duration
	for _, a := range p.attempts {
		total += a.End - a.Arrived
	}
	if off := p.QueueArea - p.QueueWait.Sum.Seconds(); math.Abs(off) > 1e-9*p.QueueArea || p.QueueArea < 100 {
		t.Errorf("Q1: %v s of queueing, %v of requests that queued", p.QueueArea, p.QueueWait.Sum)
	}
	if off := p.QueueArea + p.BusyTime.Seconds() - total.Seconds(); math.Abs(off) > 1e-9*total.Seconds() {
		t.Errorf("Q1: %v s of queueing and %v of work, %v of requests", p.QueueArea, p.BusyTime, total)
	}

	agreeSteady(t, open(perSecond(200), 1000, 0, downstream.Exponential{M: 350 * time.Millisecond}), 10, 40*second,
		quantity{row: "Q1, lambda W", want: 70, read: inSystem})
}

// Q2 to Q4: M/M/1.
func TestOneServer(t *testing.T) {
	t.Parallel()
	// found returns the share of requests that found at least n in the system. One server takes them in turn, so the
	// ends come in the order of arrivals.
	found := func(n int) func(*played) float64 {
		return func(p *played) float64 {
			over, gone := 0, 0
			for i, a := range p.attempts {
				for p.attempts[gone].End <= a.Arrived {
					gone++
				}
				if i-gone >= n {
					over++
				}
			}
			return float64(over) / float64(len(p.attempts))
		}
	}
	sojourn := func(p *played) float64 {
		var sum time.Duration
		for _, a := range p.attempts {
			sum += a.End - a.Sent
		}
		return sum.Seconds() / float64(len(p.attempts))
	}
	agreeSteadyTraced(t, open(perSecond(8), 1, unlimited, memoryless), 20, 3000*second,
		quantity{row: "Q2, L", want: 4, read: inSystem},
		quantity{row: "Q2, W", want: 0.5, read: sojourn},
		quantity{row: "Q2, Wq", want: 0.4, read: meanWait},
		quantity{row: "Q3, P(N >= 10)", want: 0.107374, read: found(10)},
		quantity{row: "Q4, P(W > 1)", want: 0.135335, read: shareOf(func(a sim.AttemptRecord) bool { return a.End-a.Sent > second })})
}

// Q5: Erlang B. It depends on the mean of the service time alone.
func TestErlangB(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		row     string
		a       float64
		c       int
		service downstream.Distribution
		want    float64
	}{
		{"Q5, a = 8, c = 10", 8, 10, memoryless, 0.121661},
		{"Q5, a = 8, c = 10, constant", 8, 10, constant, 0.121661},
		{"Q5, a = 8, c = 10, lognormal", 8, 10, downstream.Lognormal{M: service, CV: 2}, 0.121661},
		{"Q5, a = 12, c = 10", 12, 10, memoryless, 0.301925},
		{"Q5, a = 100, c = 50", 100, 50, memoryless, 0.509305},
		{"Q5, a = 1000, c = 100", 1000, 100, memoryless, 0.900111},
	} {
		t.Run(test.row, func(t *testing.T) {
			t.Parallel()
			rate := test.a / service.Seconds()
			length := time.Duration(20_000 / rate * float64(second))
			agreeSteady(t, open(perSecond(rate), test.c, 0, test.service), 10, length, quantity{row: test.row, want: test.want, read: blocked})
		})
	}
}

// Q6 and Q7: Erlang C, the wait before c servers.
func TestErlangC(t *testing.T) {
	t.Parallel()
	longer := func(d time.Duration) func(*played) float64 {
		return shareOf(func(a sim.AttemptRecord) bool { return a.Queued > d })
	}
	for _, test := range []struct {
		row           string
		a             float64
		c, runs       int
		length        time.Duration
		waits, wq, lq float64
	}{
		{"Q6, a = 8, c = 10", 8, 10, 24, 300 * second, 0.409180, 0.204590, 1.636721},
		{"Q6, a = 90, c = 100", 90, 100, 20, 70 * second, 0.216940, 0.021694, 1.952464},
		{"Q6, a = 2, c = 3", 2, 3, 16, 600 * second, 4. / 9, 4. / 9, 8. / 9},
	} {
		t.Run(test.row, func(t *testing.T) {
			t.Parallel()
			quantities := []quantity{
				{row: test.row + ", C", want: test.waits, read: longer(0)},
				{row: test.row + ", Wq/s", want: test.wq, read: waitInServices},
				{row: test.row + ", Lq", want: test.lq, read: waiting},
			}
			if test.c == 10 {
				quantities = append(quantities, quantity{row: "Q7, P(Wq > 0.1)", want: 0.055377, read: longer(service)})
			}
			cfg := open(perSecond(test.a/service.Seconds()), test.c, unlimited, memoryless)
			agreeSteadyTraced(t, cfg, test.runs, test.length, quantities...)
		})
	}
}

// Q8 and Q9: M/M/c/K, room for K with those in service.
func TestShortQueues(t *testing.T) {
	t.Parallel()
	agreeSteady(t, open(perSecond(8), 1, 9, memoryless), 20, 1500*second, quantity{row: "Q8, rho = 0.8", want: 0.023493, read: blocked})
	agreeSteady(t, open(perSecond(10), 1, 9, memoryless), 10, 1000*second, quantity{row: "Q8, rho = 1", want: 0.090909, read: blocked})
	agreeSteady(t, open(perSecond(12), 1, 9, memoryless), 10, 1000*second, quantity{row: "Q8, rho = 1.2", want: 0.192586, read: blocked})
	agreeSteady(t, open(perSecond(120), 10, 20, memoryless), 10, 200*second,
		quantity{row: "Q9, blocked", want: 0.168637, read: blocked},
		quantity{row: "Q9, Lq", want: 15.309314, read: waiting})
}

// Q10: M/D/1.
func TestConstantService(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		row       string
		rho       float64
		runs      int
		length    time.Duration
		wait, all float64
	}{
		{"Q10, rho = 0.5", 0.5, 10, 1000 * second, 0.5, 0.75},
		{"Q10, rho = 0.8", 0.8, 16, 2000 * second, 2, 2.4},
		{"Q10, rho = 0.9", 0.9, 16, 4000 * second, 4.5, 4.95},
		{"Q10, rho = 0.95", 0.95, 16, 8000 * second, 9.5, 9.975},
	} {
		t.Run(test.row, func(t *testing.T) {
			t.Parallel()
			agreeSteady(t, open(perSecond(test.rho/service.Seconds()), 1, unlimited, constant), test.runs, test.length,
				quantity{row: test.row + ", Wq/s", want: test.wait, read: waitInServices},
				quantity{row: test.row + ", L", want: test.all, read: inSystem})
		})
	}
}

// Q11: M/G/1, Pollaczek and Khinchine.
func TestGeneralService(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		row     string
		service downstream.Distribution
		length  time.Duration
		want    float64
	}{
		{"Q11, bimodal", downstream.Bimodal{Fast: 50 * time.Millisecond, Slow: 550 * time.Millisecond, SlowShare: 0.1}, 2500 * second, 0.65},
		{"Q11, uniform", downstream.Uniform{Max: 2 * service}, 1500 * second, 0.266667},
		{"Q11, lognormal, cv 2", downstream.Lognormal{M: service, CV: 2}, 4000 * second, 1},
		{"Q11, gamma, cv 2", downstream.Gamma{M: service, CV: 2}, 3000 * second, 1},
		{"Q11, gamma, cv 1/2", downstream.Gamma{M: service, CV: 0.5}, 1500 * second, 0.25},
	} {
		t.Run(test.row, func(t *testing.T) {
			t.Parallel()
			agreeSteady(t, open(perSecond(8), 1, unlimited, test.service), 16, test.length, quantity{row: test.row, want: test.want, read: meanWait})
		})
	}
}
