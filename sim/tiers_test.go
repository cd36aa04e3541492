package sim

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"herdsim/downstream"
	"herdsim/strategies"
)

// layered is a herd of n, each with one attempt, before tiers that try again at once.
func layered(n int, attempts ...int) Config {
	cfg := Config{
		Seed: 1, Horizon: time.Hour, MaxEvents: 1 << 40, Window: time.Second, Workers: n, Limits: Limits{MaxAttempts: 1},
		Strategy:   strategies.Immediate{},
		Downstream: downstream.Config{Slots: downstream.Unlimited, Service: downstream.Constant{}},
	}
	for _, a := range attempts {
		cfg.Tiers = append(cfg.Tiers, Tier{Attempts: a, Strategy: strategies.Immediate{}})
	}
	return cfg
}

// analytic.md A2: L layers of n attempts make n^L requests of a call that fails (Google SRE book, chapter 22; AWS Builders'
// Library, "Timeouts, retries and backoff with jitter").
func TestLayersMultiplyAttempts(t *testing.T) {
	for _, test := range []struct {
		tiers []int
		want  int64
	}{
		{[]int{4, 4, 4}, 64}, {[]int{3, 3, 3, 3, 3}, 243}, {[]int{3, 3, 3, 3}, 81}, {[]int{5, 1, 2}, 10}, {[]int{1}, 1},
	} {
		cfg := layered(10, test.tiers...)
		cfg.ErrorRate = 1
		res := Run(context.Background(), cfg)
		if res.Attempts != 10*test.want || res.Herd.DeadLettered != 10 {
			t.Errorf("%v: %d requests of 10 tasks, %d dead-lettered, want %d each", test.tiers, res.Attempts, res.Herd.DeadLettered, test.want)
		}
		cfg.MaxAttempts = 3
		if res = Run(context.Background(), cfg); res.Attempts != 30*test.want {
			t.Errorf("%v, 3 attempts: %d requests of 10 tasks, want %d each", test.tiers, res.Attempts, 3*test.want)
		}
	}
}

// analytic.md A1, layer by layer: where each request fails with chance p, one of n attempts makes (1-p^n)/(1-p) requests
// on average and fails with p^n, which is the p of the layer above.
func TestAmplificationOfLayersThatSometimesFail(t *testing.T) {
	for _, test := range []struct {
		p     float64
		tiers []int
	}{{0.1, []int{3}}, {0.5, []int{3}}, {0.9, []int{3}}, {0.5, []int{4}}, {0.5, []int{3, 3}}, {0.7, []int{2, 4, 3}}} {
		want, p := 1.0, test.p
		for _, n := range slices.Backward(test.tiers) {
			want *= (1 - math.Pow(p, float64(n))) / (1 - p)
			p = math.Pow(p, float64(n))
		}
		cfg := layered(1, test.tiers...)
		cfg.ErrorRate = test.p
		var e Engine
		var requests, failed []float64
		for seed := range uint64(4000) {
			cfg.Seed = seed
			res := e.Run(context.Background(), cfg)
			requests = append(requests, float64(res.Attempts))
			failed = append(failed, float64(res.Herd.DeadLettered))
		}
		for _, c := range []struct {
			what   string
			values []float64
			want   float64
		}{{"requests a task", requests, want}, {"tasks that fail", failed, p}} {
			mean, sd := stat.MeanStdDev(c.values, nil)
			if se := sd / math.Sqrt(float64(len(c.values))); math.Abs(mean-c.want) > 4*se {
				t.Errorf("%v of %v: %s %.4f ± %.4f, want %.4f", test.p, test.tiers, c.what, mean, se, c.want)
			}
		}
	}
}

// A layerModel says when requests are sent to a downstream that never answers, or fails at once, from the description of
// tiers alone: by recursion over the layers.
type layerModel struct {
	tiers []Tier
	hangs bool
	sends []Time
}

const forEver = Time(math.MaxInt64)

// call lets the maker of a call of a level make it at an instant, and returns when it has failed for those below, if nobody
// stops them before the given time.
func (m *layerModel) call(level int, at, stop Time) (ends Time) {
	if at >= stop {
		return stop
	}
	if level == len(m.tiers) {
		m.sends = append(m.sends, at)
		if m.hangs {
			return forEver
		}
		return at
	}
	tier := m.tiers[level]
	for n := range tier.Attempts {
		if n > 0 {
			wait, _ := tier.Strategy.Wait(strategies.Attempt{SinceReset: n, Retry: n}, 0)
			at = addSaturated(at, wait)
		}
		if at >= stop {
			return stop
		}
		until := forEver
		if tier.Timeout > 0 {
			until = addSaturated(at, tier.Timeout)
		}
		below := forEver
		if stop < forEver { // deadlines are passed down
			below = min(stop, until)
		}
		if at = min(m.call(level+1, at, below), until); at == forEver {
			return forEver
		}
	}
	return at
}

// Tiers with timeouts send what the recursion says, with deadlines passed down and without.
func TestTiersSendWhatTheModelSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const grid = 10 * time.Millisecond
		// Timeouts lie off the grid of delays, so that none falls on an instant at which something is sent.
		cfg := layered(1)
		hangs := rapid.Bool().Draw(t, "hangs")
		for i := range rapid.IntRange(1, 4).Draw(t, "tiers") {
			tier := Tier{Attempts: rapid.IntRange(1, 4).Draw(t, "attempts")}
			tier.Strategy = strategies.Fixed{Delay: time.Duration(rapid.IntRange(0, 5).Draw(t, "delay")) * grid}
			if rapid.Bool().Draw(t, "gives up") {
				tier.Timeout = time.Duration(rapid.IntRange(1, 60).Draw(t, "timeout"))*grid + time.Duration(1<<i)
			}
			cfg.Tiers = append(cfg.Tiers, tier)
		}
		cfg.PassDeadlines = rapid.Bool().Draw(t, "pass deadlines")
		o := downstream.Outage{To: time.Hour}
		if hangs {
			o.Mode = downstream.Hang
		}
		cfg.Downstream.Outages = []downstream.Outage{o}

		m := layerModel{tiers: cfg.Tiers, hangs: hangs}
		stop := forEver
		if cfg.PassDeadlines {
			stop = forEver - 1
		}
		m.call(0, 0, stop)
		slices.Sort(m.sends)

		var sends []Time
		cfg.Trace = func(a AttemptRecord) { sends = append(sends, a.Sent) }
		e := new(Engine)
		res := e.Run(context.Background(), cfg)
		slices.Sort(sends)
		if !slices.Equal(sends, m.sends) {
			t.Fatalf("requests sent at %v, want %v", sends, m.sends)
		}
		if ended := res.Herd.DeadLettered == 1; ended != (m.ends(stop) < forEver-1) {
			t.Fatalf("dead-lettered: %v", ended)
		}
		if len(e.tiers.calls) > 0 && res.Herd.DeadLettered == 1 && res.Outcomes[strategies.InFlight] == 0 {
			t.Fatalf("%d calls are remembered that have ended", len(e.tiers.calls))
		}
	})
}

// ends returns when the task's own attempt has failed.
func (m *layerModel) ends(stop Time) Time {
	again := layerModel{tiers: m.tiers, hangs: m.hangs}
	return again.call(0, 0, stop)
}

// Google SRE book, chapter 22, "Deadline Propagation": what is asked for nobody is work all the same. Each of two tiers waits
// 1 s for a service of 3 s; the task gives up after 2 s.
func TestDeadlinesPassedDownSaveWork(t *testing.T) {
	cfg := layered(1, 2, 3)
	cfg.Tiers[0].Timeout, cfg.Tiers[1].Timeout, cfg.Timeout = 1500*time.Millisecond, time.Second, 2*time.Second
	cfg.Downstream.Service = downstream.Constant{D: 3 * time.Second}
	own := Run(context.Background(), cfg)
	cfg.PassDeadlines = true
	passed := Run(context.Background(), cfg)
	// Own: the first tier's calls begin at 0 s and 1.5 s, each makes 3 requests. Passed: the first makes two, at 0 s and 1 s;
	// the second, at 1.5 s, one before the task gives up at 2 s.
	if own.Attempts != 6 || passed.Attempts != 3 {
		t.Errorf("%d requests, %d with deadlines passed down; want 6 and 3", own.Attempts, passed.Attempts)
	}
	if own.Wasted != 6 || passed.Wasted != 3 {
		t.Errorf("%d services wasted, %d with deadlines passed down; want 6 and 3", own.Wasted, passed.Wasted)
	}
}
