package sim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

// paused is a service that stalls at a minute for a while: of requests, one server of mu per second, unlimited queue.
func paused(load, mu float64, pause, timeout time.Duration, attempts int, end time.Duration) sim.Config {
	return sim.Config{
		Horizon: end, MaxEvents: 1 << 40, Window: time.Second, Arrivals: sim.Poisson(perSecond(load), 0, end),
		Timeout: timeout, Limits: sim.Limits{MaxAttempts: attempts}, Strategy: strategies.Immediate{},
		Downstream: downstream.Config{
			Slots: 1, Service: downstream.Exponential{M: time.Duration(1e9 / mu)}, Queue: downstream.Unlimited,
			Outages: []downstream.Outage{{From: time.Minute, To: time.Minute + pause, Mode: downstream.Stall}},
		},
	}
}

// overload.md 3.1: N. Bronson et al., HotOS 2021, figure 2 as an M/M/1 queue of 300/s, a timeout of 1 s and one retry. The
// reference has 3 seeds; goodput in the last minute.
func TestTheoryHiddenCapacity(t *testing.T) {
	const all = 3
	for _, row := range []struct {
		load  float64
		stuck [4]int // of all, after 0.5, 1, 2 and 10 s
	}{
		{140, [4]int{}}, {145, [4]int{0, 0, 0, 1}}, {150, [4]int{0, 0, 0, all}}, {155, [4]int{0, 0, all, all}},
		{200, [4]int{0, 0, all, all}}, {250, [4]int{0, 2, all, all}}, {280, [4]int{0, 2, all, all}},
	} {
		for i, pause := range []time.Duration{500, 1000, 2000, 10_000} {
			name := fmt.Sprintf("load %.0f/s, pause %d ms", row.load, pause)
			t.Run(name, func(t *testing.T) {
				end := 150 * time.Second
				if pause == 10_000 {
					end = 330 * time.Second // what recovers has a backlog to work off
				}
				cfg := paused(row.load, 300, pause*time.Millisecond, time.Second, 2, end)
				k, n := stuck(t, cfg, 4, end-time.Minute, end)
				sameChance(t, name, k, n, row.stuck[i], all)
			})
		}
	}
}

// overload.md 3.2: the retry experiment of L. Huang et al., OSDI 2022: a timeout of 3 s, 4 resends at once, the primary's
// CPU cut for a while. The capacity it had is not published. With a load of 37.5 % of it the run parts the four cases as
// the experiment did.
func TestTheoryCPUCut(t *testing.T) {
	const capacity, load, seeds = 6000.0, 0.375, 2
	for _, c := range []struct {
		name  string
		load  float64
		share float64
		cut   time.Duration
		stuck int
	}{
		{"cut by 78 % for 10 s", load, 0.22, 10 * time.Second, 0},
		{"cut by 80 % for 10 s", load, 0.20, 10 * time.Second, seeds},
		{"cut by 80 % for 9 s", load, 0.20, 9 * time.Second, 0},
		{"30 % less load", 0.7 * load, 0.20, 10 * time.Second, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			const end = 120 * time.Second
			cfg := paused(c.load*capacity, capacity, 0, 3*time.Second, 5, end)
			cfg.Downstream.Outages = []downstream.Outage{{From: time.Minute, To: time.Minute + c.cut, Mode: downstream.Slow, Capacity: c.share}}
			if k, _ := stuck(t, cfg, seeds, end-30*time.Second, end); k != c.stuck {
				t.Errorf("stuck %d of %d, want %d", k, seeds, c.stuck)
			}
		})
	}
}

// overload.md 2.4: mbrooker/simulator_example, simple_collapse_sim. Latency 1 s x (1 + 1 % of the number in flight), no limit,
// a network of 100 ms each way on average, a timeout of 3 s and 3 attempts.
func collapsing(s strategies.Strategy, phases ...sim.Phase) sim.Config {
	const end = 100 * time.Second
	return sim.Config{
		Horizon: end, MaxEvents: 1 << 40, Window: time.Second, Network: downstream.Exponential{M: 100 * time.Millisecond},
		Arrivals: &sim.Arrivals{Phases: phases}, Timeout: 3 * time.Second, Limits: sim.Limits{MaxAttempts: 3}, Strategy: s,
		Downstream: downstream.Config{
			Slots: downstream.Unlimited, Service: downstream.Constant{D: time.Second}, Slowdown: &downstream.Slowdown{Sigma: 0.01},
		},
	}
}

func TestTheoryJitterSavesTheSpikeNotTheRamp(t *testing.T) {
	const s = time.Second
	spike := []sim.Phase{{To: 100 * s, Rate: perSecond(40)}, {From: 20 * s, To: 25 * s, Rate: perSecond(40)}}
	ramp := []sim.Phase{
		{To: 25 * s, Shape: sim.Ramp, Rate: perSecond(40), End: perSecond(80)},
		{From: 25 * s, To: 50 * s, Shape: sim.Ramp, Rate: perSecond(80), End: perSecond(40)},
		{From: 50 * s, To: 100 * s, Rate: perSecond(40)},
	}
	backoff := strategies.FullJitter{Base: 20 * s, Factor: 2}
	answered := func(cfg sim.Config, from, to int) (mean, se float64) {
		var values []float64
		play := player(t, cfg, false)
		for _, seed := range seeds(t.Name(), 20) {
			n := int64(0)
			for _, w := range play(seed).Windows {
				if w.Index >= int64(from) && w.Index < int64(to) {
					n += w.Goodput
				}
			}
			values = append(values, float64(n)/float64(to-from))
		}
		mean, sd := stat.MeanStdDev(values, nil)
		return mean, sd / math.Sqrt(20)
	}
	for _, c := range []struct {
		name     string
		s        strategies.Strategy
		phases   []sim.Phase
		from, to int
		low      float64
		high     float64
	}{
		// A mean of 10 runs, of which each answers 40 a second or next to none: 11 to 12 is 3 of 10 that recover.
		{"spike, no backoff", strategies.Immediate{}, spike, 40, 90, 11, 12},
		{"spike, backoff and jitter: catching up", backoff, spike, 40, 50, 45, 48},
		{"spike, backoff and jitter: recovered", backoff, spike, 60, 90, 40, 40},
		{"ramp, no backoff", strategies.Immediate{}, ramp, 35, 90, 0, 0},
		{"ramp, backoff and jitter", backoff, ramp, 35, 90, 0, 0},
	} {
		mean, se := answered(collapsing(c.s, c.phases...), c.from, c.to)
		all := math.Hypot(se, se*math.Sqrt(2)) // the reference has half as many runs
		t.Logf("%-40s %5.1f ± %.1f answered a second, want %.0f to %.0f", c.name, mean, all, c.low, c.high)
		if mean < c.low-standardErrors*all || mean > c.high+standardErrors*all {
			t.Errorf("%s: %.1f ± %.1f answered a second, want %.0f to %.0f", c.name, mean, all, c.low, c.high)
		}
	}
}

// overload.md 3.4: Google SRE book, chapter 22, "Retries": 10,100 requests a second against a limit of 10,000, each failure
// tried again after a second, grow by 100 a second; 9,000 a second do not grow.
func TestTheoryRetriesGrowByWhatIsTooMuch(t *testing.T) {
	growing := func(rate float64) []sim.Window {
		cfg := sim.Config{
			Horizon: time.Minute, MaxEvents: 1 << 40, Window: time.Second,
			Arrivals: sim.Poisson(perSecond(rate), 0, time.Minute), Strategy: strategies.Fixed{Delay: time.Second},
			Downstream: downstream.Config{
				Slots: downstream.Unlimited, Service: downstream.Constant{},
				RateLimit: &downstream.RateLimit{Rate: perSecond(10_000), Burst: 2},
			},
		}
		cfg.Arrivals.Even = true
		return player(t, cfg, false)(1).Windows
	}
	for i, w := range growing(10_100) {
		want := 10_100 + 100*float64(i)
		if math.Abs(float64(w.Requests)-want) > 2+float64(i)/5 {
			t.Errorf("second %d: %d requests, want %.0f", i, w.Requests, want)
		}
	}
	for i, w := range growing(9000) {
		if w.Requests != 9000 {
			t.Errorf("second %d: %d requests, want 9,000", i, w.Requests)
		}
	}
}

// overload.md 3.4: Google SRE book, chapter 22, "Bimodal latency": 5 % of 1,000 requests a second hang for 100 s and take the
// threads of the others: of 1,000 threads, 80.4 % of the requests find none. By Erlang's formula (analytic.md Q5) a tenth of
// both has as many, and comes to rest in a tenth of the work.
func TestTheoryBimodalLatency(t *testing.T) {
	erlang := func(threads int, load float64) float64 {
		b := 1.0
		for k := 1.0; k <= float64(threads); k++ {
			b = load * b / (k + load*b)
		}
		return b
	}
	const busy = 0.95*0.1 + 0.05*100 // seconds of a thread that a request takes
	if b := erlang(1000, 1000*busy); math.Abs(b-0.804) > 0.0005 {
		t.Fatalf("Erlang B is %.4f, want 0.804", b)
	}
	cfg := open(perSecond(100), 100, 0, downstream.Bimodal{Fast: 100 * time.Millisecond, Slow: 100 * time.Second, SlowShare: 0.05})
	agreeSteady(t, cfg, 4, 8000*time.Second, quantity{row: "SRE bimodal", want: erlang(100, 100*busy), read: blocked})
}

// bimodal is the service of M. Brooker's "Open and Closed, Omission and Collapse", 2023: exponential of mean 0.1 s, and of mean
// 10 s once in a thousand.
type bimodal struct{}

func (bimodal) Mean() time.Duration { return 109_900 * time.Microsecond }

func (bimodal) Draw(src rand.Source) time.Duration {
	mean := 100 * time.Millisecond
	if src.Uint64()%1000 == 0 {
		mean = 10 * time.Second
	}
	return downstream.Exponential{M: mean}.Draw(src)
}

// overload.md 2.3: open traffic of 8/s before one such server over 5,000 s: its 99th percentile is 66 s, 42 to 72 over a few
// seeds, and that of a closed loop of one client 0.47 s. If what takes longer than 15 s is asked for again, the queue grows
// without end, to tens of thousands; else it ends with 0 to 117. (There a job is asked for again when it is done, here when
// its client has waited 15 s.)
func TestTheoryOpenQueuesOfRareLongJobs(t *testing.T) {
	cfg := sim.Config{
		Horizon: 5000 * time.Second, MaxEvents: 1 << 40, Window: 10 * time.Second, Strategy: strategies.Immediate{},
		Arrivals:   sim.Poisson(perSecond(8), 0, 5000*time.Second),
		Downstream: downstream.Config{Slots: 1, Service: bimodal{}, Queue: downstream.Unlimited},
	}
	var p99s []float64
	play := player(t, cfg, false)
	for _, seed := range seeds(t.Name(), 12) {
		res := play(seed).Result
		p99s = append(p99s, res.Latency.P99.Seconds())
		if n := res.Open.Unfinished; n > 1500 {
			t.Errorf("%d requests are left, want few", n)
		}
	}
	mean, sd := stat.MeanStdDev(p99s, nil)
	t.Logf("99th percentile %.1f ± %.1f s, want 42 to 72", mean, sd)
	if mean+standardErrors*sd/math.Sqrt(12) < 42 || mean-standardErrors*sd/math.Sqrt(12) > 72 {
		t.Errorf("99th percentile %.1f ± %.1f s, want 42 to 72", mean, sd/math.Sqrt(12))
	}
	again := cfg
	again.Timeout, again.Horizon = 15*time.Second, 2000*time.Second
	res := player(t, again, false)(1).Result
	if last := res.Windows[len(res.Windows)-1]; last.QueueMax < 20_000 {
		t.Errorf("with a timeout of 15 s %d requests wait at the end, want tens of thousands", last.QueueMax)
	}
	closed := cfg
	closed.Arrivals, closed.Clients = nil, &sim.Clients{Count: 1, Think: downstream.Exponential{M: 25 * time.Millisecond}, To: cfg.Horizon}
	if p99 := player(t, closed, false)(1).Latency.P99.Seconds(); math.Abs(p99-0.47) > 0.05 {
		t.Errorf("a closed loop has a 99th percentile of %.3f s, want 0.47", p99)
	}
}
