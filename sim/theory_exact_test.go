package sim_test

import (
	"math"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

// failing is a herd of n workers whose calls all fail, each with the given attempts.
func failing(n, attempts int, s strategies.Strategy) sim.Config {
	cfg := base(n, n, 0, 0, s)
	cfg.MaxAttempts = attempts
	cfg.Downstream.Outages = []downstream.Outage{{To: math.MaxInt64}}
	return cfg
}

// B-a and the gRPC clock: a client that keeps failing calls again when the ceilings have added up.
func TestAFailingWorkerKeepsToItsClock(t *testing.T) {
	tests := []struct {
		row      string
		strategy strategies.Strategy
		after    map[int]float64 // attempt 1 at 0 s; n waits later, s
	}{
		{"B-a", strategies.Exponential{Base: second, Factor: 2, Cap: 60 * second},
			map[int]float64{1: 1, 2: 3, 3: 7, 5: 31, 6: 63, 7: 123, 8: 183, 10: 303, 12: 423, 20: 903}},
		{"gRPC", strategies.Exponential{Base: second, Factor: 1.6, Cap: 120 * second},
			map[int]float64{1: 1, 2: 2.6, 3: 5.16, 4: 9.256, 5: 15.8096, 6: 26.2954, 7: 43.0726, 8: 69.9161, 9: 112.8658,
				10: 181.5853, 11: 291.5364}},
	}
	for _, test := range tests {
		t.Run(test.row, func(t *testing.T) {
			seen := 0
			cfg := failing(1, 21, test.strategy)
			cfg.Trace = func(a sim.AttemptRecord) {
				if want, ok := test.after[int(a.Attempt)-1]; ok {
					seen++
					if got := a.Sent.Seconds(); math.Round(got*1e4) != math.Round(want*1e4) {
						t.Errorf("attempt %d at %v, want %v s", a.Attempt, a.Sent, want)
					}
				}
			}
			run(t, cfg)
			if seen != len(test.after) {
				t.Errorf("%d attempts were seen, want %d", seen, len(test.after))
			}
		})
	}
}

// B-k: how many retries it takes, without jitter, to be still there when an outage ends.
func TestRetriesThatOutlastAnOutage(t *testing.T) {
	for _, test := range []struct {
		outage  time.Duration
		retries int
	}{{30 * second, 5}, {60 * second, 6}, {300 * second, 10}} {
		cfg := base(100, 100, 0, 0, strategies.Exponential{Base: second, Factor: 2, Cap: 60 * second})
		cfg.Downstream.Outages = []downstream.Outage{{To: test.outage}}
		cfg.MaxAttempts = test.retries + 1
		enough := run(t, cfg)
		cfg.MaxAttempts--
		tooFew := run(t, cfg)
		if enough.Herd.Succeeded != 100 || tooFew.Herd.DeadLettered != 100 {
			t.Errorf("outage of %v: %d succeed with %d retries, %d are given up with one less; want all, all",
				test.outage, enough.Herd.Succeeded, test.retries, tooFew.Herd.DeadLettered)
		}
	}
}

// D8: no strategy is done before N / C; with a queue without limit any is done just then, and so is the paced reference
// without one.
func TestNoStrategyBeatsCapacity(t *testing.T) {
	const bound = 10 * second // 1000 workers at 100/s
	for name, s := range map[string]strategies.Strategy{
		"fixed":        strategies.Fixed{Delay: second},
		"exponential":  strategies.Exponential{Base: 100 * time.Millisecond, Factor: 2, Cap: second},
		"full jitter":  strategies.FullJitter{Base: second, Factor: 2, Cap: 8 * second},
		"equal jitter": strategies.EqualJitter{Base: second, Factor: 2, Cap: 8 * second},
		"decorrelated": strategies.Decorrelated{Base: second, Factor: 3, Cap: 8 * second},
		"memoryless":   strategies.Memoryless{Mean: 50 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := base(1000, 10, downstream.Unlimited, 100*time.Millisecond, s)
			if got := last(run(t, cfg)); got != bound {
				t.Errorf("with a queue done after %v, want %v", got, bound)
			}
			cfg.Downstream.Queue = 50
			if got := last(run(t, cfg)); got < bound {
				t.Errorf("with a short one done after %v, want at least %v", got, bound)
			}
		})
	}
	cfg := base(1000, 10, 0, 100*time.Millisecond, nil)
	cfg.Paced = true
	if r := run(t, cfg); last(r) != bound || r.Attempts != 1990 {
		t.Errorf("paced done after %v with %d calls, want %v with 1990", last(r), r.Attempts, bound)
	}
}

// until waits for an instant.
type until struct{ at sim.Time }

func (s until) Wait(a strategies.Attempt, _ float64) (time.Duration, bool) { return s.at - a.Now, true }

// D9 and D10: traffic that comes evenly through an outage of length D leaves a backlog that is gone D rho / (1 - rho)
// after it.
func TestBacklogAfterAnOutage(t *testing.T) {
	const service, perSecond = 50 * time.Millisecond, 20 // capacity
	for _, test := range []struct {
		row    string
		rho    float64
		outage time.Duration
		want   time.Duration
	}{
		{"D9", 0.5, 60 * second, 60 * second},
		{"D9", 0.8, 300 * second, 1200 * second},
		{"D9", 0.9, 300 * second, 2700 * second},
		{"D9", 0.95, 300 * second, 5700 * second},
		{"D10", 1 / 1.5, 300 * second, 600 * second},
	} {
		end := test.outage + test.want + 100*second
		count := int(math.Round(test.rho * perSecond * end.Seconds()))
		cfg := base(count, 1, downstream.Unlimited, service, until{test.outage})
		cfg.Start.Trace = []sim.Bin{{To: end, Count: count}}
		cfg.Downstream.Outages = []downstream.Outage{{To: test.outage}}
		gone, before := sim.Time(-1), sim.Time(0)
		cfg.Trace = func(a sim.AttemptRecord) {
			if a.Outcome != strategies.Served {
				return
			}
			if gone < 0 && a.Queued == 0 && before > 0 {
				gone = before - test.outage
			}
			before = a.End
		}
		run(t, cfg)
		// Instants of arrival are rounded down to a nanosecond, so the server may find one more request.
		if gone < test.want || gone > test.want+service {
			t.Errorf("%s: rho %.3g, outage %v: backlog gone after %v, want %v", test.row, test.rho, test.outage, gone, test.want)
		}
	}
}

// B1: what a second sees, before and after the downstream is back.
func TestFixedDelayKeepsTheSpike(t *testing.T) {
	cfg := base(1000, 10, 100, 100*time.Millisecond, strategies.Fixed{Delay: second})
	cfg.Downstream.Outages = []downstream.Outage{{To: 60 * second}}
	p := &played{Result: run(t, cfg)}
	if first, after := busiest(0)(p), busiest(60*second)(p); first != 1000 || after != 1000 {
		t.Errorf("B1: %v calls in the busiest second, %v after recovery; want 1000, 1000", first, after)
	}
}

// D7 and D12 as formulas: K of N workers in step are served at each instant, until after w = ceil(N/K) waves all are.
func TestWavesOfAHerdInStep(t *testing.T) {
	const n = 100
	for k := 1; k <= n; k++ {
		waves := (n + k - 1) / k
		r := run(t, base(n, k, 0, time.Millisecond, strategies.Fixed{Delay: second}))
		if want := int64(n*waves - k*waves*(waves-1)/2); r.Attempts != want {
			t.Errorf("K = %d: %d calls, want %d", k, r.Attempts, want)
		}
		if want := time.Duration(waves-1)*second + time.Millisecond; last(r) != want {
			t.Errorf("K = %d: done after %v, want %v", k, last(r), want)
		}
	}
}
