package report_test

import (
	"context"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/report"
	"herdsim/sim"
	"herdsim/strategies"
)

func each(n int64) downstream.Rate { return downstream.Rate{Events: n, Per: time.Second} }

// hotOS is the running example of HotOS 2025 (overload.md 3.3): one slot of 10 per second, 5 per second arrive, 15 in
// minutes 5 to 15; timeout 5 s, 6 attempts without a wait.
func hotOS(queue int, seed uint64) (sim.Config, report.Setup) {
	cfg := sim.Config{
		Seed: seed, Horizon: 45 * time.Minute, MaxEvents: 1e9, Window: time.Second,
		Network: downstream.Constant{D: time.Millisecond},
		Arrivals: &sim.Arrivals{Clients: 1, Phases: []sim.Phase{
			{To: 45 * time.Minute, Rate: each(5)}, {From: 5 * time.Minute, To: 15 * time.Minute, Rate: each(10)},
		}},
		Timeout: 5 * time.Second, Limits: sim.Limits{MaxAttempts: 6}, Strategy: strategies.Immediate{},
		Downstream: downstream.Config{Slots: 1, Service: downstream.Exponential{M: 100 * time.Millisecond}, Queue: queue},
	}
	s := setupOf(cfg)
	return cfg, s
}

// setupOf is what the verdict needs of a run.
func setupOf(cfg sim.Config) report.Setup {
	d := cfg.Downstream
	s := report.Setup{
		Name: "real", Window: cfg.Window, Horizon: cfg.Horizon, Replicates: 1, Workers: cfg.Workers, Arrivals: cfg.Arrivals,
		Clients: cfg.Clients, Cron: cfg.Cron, Slots: d.Slots, Queue: d.Queue, Service: d.Service.Mean(),
		Timeout: cfg.Timeout, Patience: cfg.Timeout,
	}
	for _, o := range d.Outages {
		span := sim.Span{From: o.From, To: o.To}
		if s.Outages = append(s.Outages, span); o.Full() {
			s.FullOutages = append(s.FullOutages, span)
		}
	}
	s.Capacity, _ = d.Capacity()
	s.OpenRate = s.MeanRate()
	return s
}

func TestVerdictsOfTheHotOSExample(t *testing.T) {
	for _, c := range []struct {
		queue int
		want  report.State
	}{{150, report.Stuck}, {35, report.Recovered}} {
		for seed := range uint64(3) {
			cfg, s := hotOS(c.queue, seed)
			v := report.Judge(sim.Run(context.Background(), cfg), &s, report.MaxRequests{Arrivals: 6})
			if v.State != c.want || v.Conditions.Vulnerable() != (c.want == report.Stuck) || v.Conditions.Load != 5 {
				t.Errorf("queue %d, seed %d: %s, want %s; conditions %+v", c.queue, seed, v.Sentence(), c.want, v.Conditions)
			}
			if c.want == report.Recovered {
				if v.At < 15*time.Minute || v.At > 17*time.Minute {
					t.Errorf("queue %d, seed %d: back at %v, want soon after the 15 minutes of the trigger", c.queue, seed, v.At)
				}
				continue
			}
			// At 6.0 attempts per arrival, and nearly all of the work is for nobody.
			if each := v.End.AttemptsPerTask(); each.Value < 5.9 || each.Value > 6.1 || v.Loops[0].Kind != report.TimedOutWork {
				t.Errorf("queue %d, seed %d: %s", c.queue, seed, v.Sentence())
			}
		}
	}
}

// One task in ten seconds: the outage ends in a piece that is good, as what has waited is served in it, too.
func TestNoRecoveryInsideOfAnOutage(t *testing.T) {
	cfg := sim.Config{
		Seed: 1, Horizon: 2 * time.Hour, MaxEvents: 1e9, Window: time.Second,
		Arrivals: sim.Poisson(downstream.Rate{Events: 1, Per: 10 * time.Second}, 0, 2*time.Hour),
		Limits:   sim.Limits{MaxAttempts: 3}, Strategy: strategies.Fixed{Delay: 10 * time.Second},
		Downstream: downstream.Config{Slots: 1, Service: downstream.Constant{D: time.Second}, Queue: 5},
	}
	for to := 36 * time.Minute; to <= 44*time.Minute; to += 20 * time.Second {
		cfg.Downstream.Outages = []downstream.Outage{{From: 30 * time.Minute, To: to}}
		s := setupOf(cfg)
		v := report.Judge(sim.Run(context.Background(), cfg), &s, report.MaxRequests{Arrivals: 3})
		if v.State != report.Recovered || v.At < to || v.At > to+4*time.Minute {
			t.Errorf("an outage until %v: %s, want a recovery within a piece after it", to, v.Sentence())
		}
	}
}

// Half of the attempts fail by themselves, and each task has but one: half is all that can be.
func TestAttemptsThatFailByThemselves(t *testing.T) {
	for _, rate := range []float64{0.21, 0.5} {
		for seed := range uint64(6) {
			cfg := sim.Config{
				Seed: seed, Horizon: 5 * time.Minute, MaxEvents: 1e9, Window: time.Second, Arrivals: sim.Poisson(each(50), 0, 5*time.Minute),
				ErrorRate: rate, Limits: sim.Limits{MaxAttempts: 1}, Strategy: strategies.Immediate{},
				Downstream: downstream.Config{Slots: 10, Service: downstream.Constant{D: 100 * time.Millisecond}, Queue: 1000},
			}
			s := setupOf(cfg)
			s.ErrorRate = rate
			v := report.Judge(sim.Run(context.Background(), cfg), &s, report.MaxRequests{Arrivals: 1})
			if v.State != report.NeverDown || v.Base != 1-rate {
				t.Errorf("error rate %v, seed %d: %s, base level %v", rate, seed, v.Sentence(), v.Base)
			}
		}
	}
}
