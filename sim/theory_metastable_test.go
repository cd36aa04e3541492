package sim_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
	"herdsim/strategies/guards"
)

// The published results on metastable failures, each cell as the number of seeds that are stuck. What the reference says of
// a few seeds and what we find of ours must be samples of one chance, by Fisher's exact test with the same level for all; and
// where the reference says all or none, four of five of ours must not say the contrary.

const unlikely = 1e-3 // of one cell; some 120 are looked at

// goodput returns the tasks answered over the tasks offered in [from, to).
func goodput(res *sim.Result, from, to sim.Time) float64 {
	var offered, answered int64
	for _, w := range res.Windows {
		if at := sim.Time(w.Index) * res.Window; at >= from && at < to {
			offered += w.Tasks
			answered += w.Goodput
		}
	}
	return float64(answered) / float64(offered)
}

// stuck returns how many of n seeds, or of fewer, have a goodput of less than half of what is offered in [from, to).
func stuck(t *testing.T, cfg sim.Config, n int, from, to sim.Time) (k, of int) {
	n = fewer(n)
	play := player(t, cfg, false)
	for _, seed := range seeds(t.Name(), n) {
		if goodput(play(seed).Result, from, to) < 0.5 {
			k++
		}
	}
	return k, n
}

// sameChance holds k of n seeds against the reference's.
func sameChance(t *testing.T, row string, k, n, wantK, wantN int) {
	t.Helper()
	p := fisher(k, n, wantK, wantN)
	t.Logf("%-36s stuck %2d of %2d, want %2d of %2d, p = %.3g", row, k, n, wantK, wantN, p)
	if p < unlikely || wantK == 0 && 5*k > 4*n || wantK == wantN && 5*k < n {
		t.Errorf("%s: stuck %d of %d, want %d of %d: by chance with p = %.2g", row, k, n, wantK, wantN, p)
	}
}

// fisher returns the chance, if two samples have the same share, of a table that is no likelier than the one given.
func fisher(k1, n1, k2, n2 int) float64 {
	choose := func(n, k int) float64 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		return a - b - c
	}
	all := k1 + k2
	likelihood := func(k int) float64 { return choose(n1, k) + choose(n2, all-k) - choose(n1+n2, all) }
	p := 0.0
	for k := max(0, all-n2); k <= min(n1, all); k++ {
		if l := likelihood(k); l <= likelihood(k1)+1e-9 {
			p += math.Exp(l)
		}
	}
	return min(p, 1)
}

func TestFisher(t *testing.T) {
	// R. A. Fisher, "The Design of Experiments", 1935: the lady tasting tea, 3 of 4 right; two-sided 0.4857.
	if p := fisher(3, 4, 1, 4); math.Abs(p-34.0/70) > 1e-9 {
		t.Errorf("p = %g, want 0.4857", p)
	}
	if p := fisher(10, 10, 0, 10); math.Abs(p-2/184756.0) > 1e-9 {
		t.Errorf("p = %g, want 2/184756", p)
	}
}

// isaacs is the running example of R. Isaacs et al., HotOS 2025: one server of 10/s, patience 5 s, load, and a burst of 15/s in
// all from 5 min on. A full house drops what comes, so that its client learns of it by its timeout.
func isaacs(load float64, queue int, burst time.Duration, attempts int) sim.Config {
	const start = 5 * time.Minute
	cfg := sim.Config{
		Horizon: start + burst + 15*time.Minute, MaxEvents: 1 << 40, Window: time.Second,
		Arrivals: sim.Poisson(perSecond(load), 0, start+burst+15*time.Minute),
		Timeout:  5 * time.Second, Limits: sim.Limits{MaxAttempts: attempts}, Strategy: strategies.Immediate{},
		Downstream: downstream.Config{
			Slots: 1, Service: downstream.Exponential{M: 100 * time.Millisecond}, Queue: queue, Overflow: downstream.Drop,
		},
	}
	cfg.Arrivals.Phases = append(cfg.Arrivals.Phases, sim.Phase{From: start, To: start + burst, Rate: perSecond(15 - load)})
	return cfg
}

// last10 is the end of a run of isaacs.
func last10(cfg sim.Config) (from, to sim.Time) { return cfg.Horizon - 10*time.Minute, cfg.Horizon }

// overload.md 3.3: which queues stick after a burst of 10 minutes.
func TestTheoryMetastableQueues(t *testing.T) {
	for _, c := range []struct {
		queue    int
		overflow downstream.Overflow
		stuck    int
	}{
		{35, downstream.Drop, 0}, {50, downstream.Drop, 0}, {60, downstream.Drop, 10}, {75, downstream.Drop, 20},
		{100, downstream.Drop, 20}, {150, downstream.Drop, 20},
		{60, downstream.Reject, 0}, {75, downstream.Reject, 17},
	} {
		row := fmt.Sprintf("queue %d, overflow %d", c.queue, c.overflow)
		t.Run(row, func(t *testing.T) {
			cfg := isaacs(5, c.queue, 10*time.Minute, 6)
			cfg.Downstream.Overflow = c.overflow
			from, to := last10(cfg)
			k, n := stuck(t, cfg, 10, from, to)
			sameChance(t, row, k, n, c.stuck, 20)
		})
	}
}

// What a stuck run looks like: 6.0 attempts per task, all in vain.
func TestTheoryMetastableAmplification(t *testing.T) {
	cfg := isaacs(5, 150, 10*time.Minute, 6)
	cfg.Seed = 1
	p := player(t, cfg, false)(1)
	from, to := last10(cfg)
	var requests, tasks int64
	for _, w := range p.Windows {
		if at := sim.Time(w.Index) * p.Window; at >= from && at < to {
			requests += w.Requests
			tasks += w.Tasks
		}
	}
	if a := float64(requests) / float64(tasks); math.Abs(a-6) > 0.1 {
		t.Errorf("%.2f attempts per task, want 6.0", a)
	}
	if g := goodput(p.Result, from, to); g > 0.1 {
		t.Errorf("goodput %.2f of what is offered, want next to none", g)
	}
}

// overload.md 3.3: budgets, short queues and LIFO break the loop; backoff and jitter alone do not.
func TestTheoryMetastableCures(t *testing.T) {
	budget := func(ratio float64) func(*sim.Config) {
		return func(cfg *sim.Config) {
			cfg.Guards = []guards.Spec{{Name: "budget", Shared: true, Maker: &guards.RetryTokens{Capacity: 10, Deposit: ratio}}}
		}
	}
	backoff := func(s strategies.Strategy) func(*sim.Config) {
		return func(cfg *sim.Config) { cfg.Strategy = s }
	}
	limit := func(attempts int) func(*sim.Config) {
		return func(cfg *sim.Config) { cfg.MaxAttempts = attempts }
	}
	for _, c := range []struct {
		name  string
		cure  func(*sim.Config)
		stuck int
	}{
		{"no retry", limit(1), 0}, {"1 retry", limit(2), 0}, {"2 retries", limit(3), 20}, {"3 retries", limit(4), 20},
		{"exponential", backoff(strategies.Exponential{Base: time.Second, Factor: 2, Cap: time.Minute}), 20},
		{"full jitter", backoff(strategies.FullJitter{Base: time.Second, Factor: 2, Cap: time.Minute}), 20},
		{"full jitter, ten times as long", backoff(strategies.FullJitter{Base: 10 * time.Second, Factor: 2, Cap: 10 * time.Minute}), 20},
		{"budget 10 %", budget(0.1), 0}, {"budget 20 %", budget(0.2), 0}, {"budget 50 %", budget(0.5), 0}, {"budget 100 %", budget(1), 0},
		{"lifo", func(cfg *sim.Config) { cfg.Downstream.Order = downstream.LIFO }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := isaacs(5, 150, 10*time.Minute, 6)
			c.cure(&cfg)
			from, to := last10(cfg)
			k, n := stuck(t, cfg, 10, from, to)
			sameChance(t, c.name, k, n, c.stuck, 20)
		})
	}
}

// overload.md 3.3, the phase table: load by length of a burst to 15/s, stuck of 10, judged in the last 5 of 15 minutes.
func TestTheoryMetastablePhases(t *testing.T) {
	bursts := []time.Duration{5, 10, 20, 30, 60, 120, 300}
	for _, row := range []struct {
		load  downstream.Rate
		stuck [7]int
	}{
		{perSecond(1), [7]int{}},
		{downstream.Rate{Events: 3, Per: 2 * time.Second}, [7]int{}},
		{perSecond(2), [7]int{0, 1, 10, 9, 10, 9, 10}},
		{perSecond(3), [7]int{0, 0, 9, 10, 10, 10, 10}},
		{perSecond(4), [7]int{0, 1, 9, 10, 10, 10, 10}},
		{perSecond(5), [7]int{0, 4, 10, 10, 10, 10, 10}},
		{perSecond(6), [7]int{0, 3, 9, 10, 10, 10, 10}},
		{perSecond(7), [7]int{0, 4, 9, 10, 10, 10, 10}},
		{perSecond(8), [7]int{0, 7, 10, 10, 10, 10, 10}},
	} {
		for i, burst := range bursts {
			name := fmt.Sprintf("load %.1f/s, burst %d s", row.load.PerSecond(), burst)
			t.Run(name, func(t *testing.T) {
				const start, end = 5 * time.Minute, 15 * time.Minute
				cfg := isaacs(5, 150, 0, 6)
				cfg.Horizon = end
				cfg.Arrivals = &sim.Arrivals{Phases: []sim.Phase{
					{To: start, Rate: row.load}, {From: start, To: start + burst*time.Second, Rate: perSecond(15)},
					{From: start + burst*time.Second, To: end, Rate: row.load},
				}}
				n := 10
				if burst > 30 {
					n = 5 // far beyond the edge
				}
				k, n := stuck(t, cfg, n, end-5*time.Minute, end)
				sameChance(t, name, k, n, row.stuck[i], 10)
			})
		}
	}
}
