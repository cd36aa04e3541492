package experiment

import (
	"context"
	"math"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

// herd is a herd of n workers that meets n/500 slots, a queue of as many places, and full jitter.
func herd(n int) sim.Config {
	return sim.Config{
		Seed: 1, Horizon: time.Hour, MaxEvents: 1 << 40, Window: 100 * time.Millisecond, Workers: n,
		Strategy: strategies.FullJitter{Base: 100 * time.Millisecond, Factor: 2, Cap: 20 * time.Second},
		Downstream: downstream.Config{
			Slots: n / 500, Service: downstream.Constant{D: 100 * time.Millisecond}, Queue: n / 500,
			Outages: []downstream.Outage{{To: time.Second}},
		},
	}
}

func TestPredictPlaysASmallRun(t *testing.T) {
	cfg := herd(1000)
	got := Predict(t.Context(), cfg)
	if want := sim.Run(t.Context(), cfg).Events; got != (Forecast{want, Exact}) {
		t.Errorf("got %v, want %d events, exact", got, want)
	}
}

func TestPredictScalesALargeRun(t *testing.T) {
	withTrace := herd(50_000)
	for i := range 1000 {
		at := time.Duration(i) * 10 * time.Millisecond
		withTrace.Start.Trace = append(withTrace.Start.Trace, sim.Bin{From: at, To: at + 10*time.Millisecond, Count: 50})
	}
	withTraffic := herd(20_000)
	withTraffic.Arrivals = sim.Poisson(downstream.Rate{Events: 100, Per: time.Second}, 0, time.Minute)
	withLimit := herd(20_000)
	withLimit.Downstream.RateLimit = &downstream.RateLimit{Rate: downstream.Rate{Events: 300, Per: time.Second}, Burst: 100}
	withPhases := herd(20_000)
	withPhases.Arrivals = &sim.Arrivals{Even: true, Phases: []sim.Phase{
		{To: time.Minute, Shape: sim.Ramp, End: downstream.Rate{Events: 200, Per: time.Second}},
		{To: time.Minute, Shape: sim.Sine, Rate: downstream.Rate{Events: 50, Per: time.Second},
			End: downstream.Rate{Events: 90, Per: time.Second}, Span: 7 * time.Second},
		{From: 10 * time.Second, To: time.Hour, Shape: sim.Spike, Rate: downstream.Rate{Events: 400, Per: time.Second}, Span: 5 * time.Second},
	}}
	withClients := herd(0)
	withClients.Downstream.Slots, withClients.Downstream.Queue, withClients.Horizon = 100, 200, 5*time.Minute
	withClients.Clients = &sim.Clients{Count: 2000, Think: downstream.Exponential{M: 5 * time.Second}, To: time.Hour}
	withCron := herd(20_000)
	withCron.Cron = &sim.Cron{Every: time.Minute, Count: 2000, Spread: sim.Start{Uniform: 10 * time.Second}, To: 10 * time.Minute}
	for name, cfg := range map[string]sim.Config{
		"herd": herd(50_000), "trace": withTrace, "traffic": withTraffic, "rate limit": withLimit, "phases": withPhases,
		"clients": withClients, "cron": withCron,
	} {
		got, want := Predict(t.Context(), cfg), sim.Run(t.Context(), cfg).Events
		if off := math.Abs(float64(got.Events)/float64(want) - 1); got.Basis != Scaled || off > 0.1 {
			t.Errorf("%s: got %v, want %d, scaled, within 10 %%", name, got, want)
		}
	}
}

// TestTasks counts the tasks of a run with all kinds of traffic by hand: a herd of 1000; a ramp of 0 to 20/s over 10 s,
// cut off at its middle; ticks at 1, 3 and 5 s, the last of them at the horizon; clients that think 0.9 s and are served
// for 0.1 s.
func TestTasks(t *testing.T) {
	cfg := herd(1000)
	cfg.Horizon = 5 * time.Second
	cfg.Arrivals = &sim.Arrivals{Phases: []sim.Phase{{To: 10 * time.Second, Shape: sim.Ramp, End: downstream.Rate{Events: 20, Per: time.Second}}}}
	cfg.Cron = &sim.Cron{Every: 2 * time.Second, Count: 7, From: time.Second, To: time.Hour}
	cfg.Clients = &sim.Clients{Count: 3, Think: downstream.Constant{D: 900 * time.Millisecond}, To: time.Hour}
	// 64 bytes for each of 1003, 72 for each of 39, and 12 for each task of the clients.
	if got, want := Memory(cfg), 64*1003+72*39+12*15.0; math.Abs(got-want) > 1e-6 {
		t.Errorf("got %v bytes, want %v", got, want)
	}
	if got, want := tasks(cfg), 1000+25+2*7+3*5.0; math.Abs(got-want) > 1e-9 {
		t.Errorf("got %v tasks, want %v", got, want)
	}
}

// TestEstimateOfClosedLoops: a client holds one task, however many it makes.
func TestEstimateOfClosedLoops(t *testing.T) {
	cfg := herd(1000)
	cfg.Workers = 0
	cfg.Clients = &sim.Clients{Count: 50, Think: downstream.Constant{D: 900 * time.Millisecond}, To: time.Hour}
	if got, want := estimate(cfg), int64(50*96+50*3600*12); got != want {
		t.Errorf("got %d bytes, want %d", got, want)
	}
}

// TestPredictDividesNoCrash leaves a run whole whose downstream breaks down at a number of requests.
func TestPredictDividesNoCrash(t *testing.T) {
	cfg := herd(5000)
	cfg.Downstream.Crash = &downstream.Crash{InFlight: 19, Down: time.Second}
	if got := trialShare(cfg); got != 1 {
		t.Errorf("a trial has %v of the run, want all of it", got)
	}
	cfg.Downstream.Crash = nil
	if got := trialShare(cfg); got != 0.4 {
		t.Errorf("without a crash a trial has %v of the run, want 0.4: 2000 tasks of 5000", got)
	}
}

func TestPredictBreaksOff(t *testing.T) {
	cfg := herd(1000)
	cfg.Strategy = strategies.Fixed{Delay: time.Microsecond}
	cfg.Downstream.Outages[0].To = time.Minute
	if got := Predict(t.Context(), cfg); got != (Forecast{trialEvents, AtLeast}) {
		t.Errorf("got %v, want %d or more", got, trialEvents)
	}
	cfg.MaxEvents = 5000
	if got := Predict(t.Context(), cfg); got != (Forecast{5000, Exact}) {
		t.Errorf("with max_events: got %v, want 5000, exact", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	cfg.MaxEvents = 1 << 40
	if got := Predict(ctx, cfg); got.Events >= trialEvents || got.Basis != AtLeast {
		t.Errorf("cancelled: got %v, want a lower bound", got)
	}
}

// TestPredictPlaysNoGiant leaves out a trial whose herd alone has too many events; an engine that is not there shows it.
func TestPredictPlaysNoGiant(t *testing.T) {
	cfg := herd(1000)
	cfg.Workers = 100_000_000
	if got := predict(t.Context(), cfg, nil); got != (Forecast{100_000_000, AtLeast}) {
		t.Errorf("got %v, want 100,000,000 or more", got)
	}
}

func TestShrinkKeepsTheRun(t *testing.T) {
	cfg := herd(10_000)
	cfg.Start.Trace = []sim.Bin{{Count: 10_000}}
	cfg.Downstream.RateLimit = &downstream.RateLimit{Rate: downstream.Rate{Events: 1, Per: time.Second}, Burst: 7}
	shrink(cfg, 0.1)
	if cfg.Start.Trace[0].Count != 10_000 || cfg.Downstream.RateLimit.Burst != 7 || cfg.Downstream.Slots != 20 {
		t.Errorf("shrink changed its argument: %+v", cfg)
	}
}
