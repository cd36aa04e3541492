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
	for name, cfg := range map[string]sim.Config{
		"herd": herd(50_000), "trace": withTrace, "traffic": withTraffic, "rate limit": withLimit,
	} {
		got, want := Predict(t.Context(), cfg), sim.Run(t.Context(), cfg).Events
		if off := math.Abs(float64(got.Events)/float64(want) - 1); got.Basis != Scaled || off > 0.1 {
			t.Errorf("%s: got %v, want %d, scaled, within 10 %%", name, got, want)
		}
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
