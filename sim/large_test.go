package sim

import (
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/strategies"
)

// Herds that are large enough for every layer of the agenda, for radix sort and for memory that grows.
func TestLargeHerdsAgreeWithReference(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	tests := []struct {
		name string
		set  func(cfg *Config)
	}{
		{"the workload that speed is measured by", func(cfg *Config) {
			cfg.Workers, cfg.Downstream.Slots = 20000, 40
			cfg.Strategy = strategies.FullJitter{Base: 100 * ms, Factor: 2, Cap: 20 * s}
		}},
		{"all at one instant, again and again", func(cfg *Config) {
			cfg.Workers, cfg.Downstream.Slots, cfg.Downstream.Queue = 20000, 2000, 1000
			cfg.Strategy = strategies.Exponential{Base: s, Factor: 2, Cap: 8 * s}
			cfg.Downstream.Outages = []downstream.Outage{{To: 2 * s}}
		}},
		{"a few instants", func(cfg *Config) {
			cfg.Workers, cfg.Window, cfg.Timeout = 3000, 7*ms, 250*ms
			cfg.Strategy = curious{50 * ms}
			cfg.Downstream.Slots, cfg.Downstream.Queue = 100, 300
		}},
		{"an outage long after the start, over a network", func(cfg *Config) {
			cfg.Workers, cfg.Timeout, cfg.ErrorRate, cfg.Poison = 6000, 2*s, 0.2, 0.01
			cfg.Network = downstream.Lognormal{M: 300 * ms, CV: 2}
			cfg.Start.Uniform, cfg.MaxElapsed = 60*s, 300*s
			cfg.Strategy = strategies.Decorrelated{Base: 100 * ms, Factor: 3, Cap: 30 * s}
			cfg.Downstream.Queue, cfg.Downstream.Service = 100, downstream.Gamma{M: 100 * ms, CV: 0.5}
			cfg.Downstream.Outages = []downstream.Outage{{From: 10 * s, To: 20 * s, Capacity: 0.29}, {From: 40 * s, To: 55 * s, Mode: downstream.Hang}, {From: 60 * s, To: 62 * s}}
		}},
		{"open traffic and work for nobody", func(cfg *Config) {
			cfg.Workers, cfg.Timeout, cfg.Horizon = 1000, 700*ms, 20*s
			cfg.Arrivals = Poisson(downstream.Rate{Events: 180, Per: s}, s, 15*s)
			cfg.Strategy = strategies.Memoryless{Mean: 2 * s}
			cfg.Downstream.Queue, cfg.Downstream.Order, cfg.Downstream.Service = 400, downstream.LIFO, downstream.Exponential{M: 100 * ms}
		}},
		{"work that is dropped", func(cfg *Config) {
			cfg.Workers, cfg.Timeout, cfg.MaxAttempts = 2000, 300*ms, 6
			cfg.Strategy = strategies.EqualJitter{Base: 10 * ms, Factor: 2, Cap: s}
			cfg.Downstream.Queue, cfg.Downstream.CancelAbandoned, cfg.Downstream.RejectCost = 500, true, 100*time.Microsecond
			cfg.Downstream.Service = downstream.Bimodal{Fast: 20 * ms, Slow: s, SlowShare: 0.1}
		}},
		{"waits of all sizes", func(cfg *Config) {
			cfg.Workers, cfg.MaxAttempts, cfg.Window = 2000, 9, 10*s
			cfg.Strategy = strategies.FullJitter{Base: ms, Factor: 20}
			cfg.Downstream.Slots, cfg.Horizon = 1, 3650*24*time.Hour
		}},
		{"paced, behind a rate limit", func(cfg *Config) {
			cfg.Workers, cfg.Paced, cfg.Strategy = 2000, true, nil
			cfg.Downstream.RateLimit = &downstream.RateLimit{Rate: downstream.Rate{Events: 70, Per: s}, Burst: 5, RetryAfter: true}
			cfg.Downstream.Outages = []downstream.Outage{{To: s}, {From: 3 * s, To: 4 * s, Mode: downstream.Refuse}}
		}},
		{"told when to come back", func(cfg *Config) {
			cfg.Workers, cfg.FirstWait, cfg.MaxAttempts = 1000, s, 8
			cfg.Strategy = strategies.Fixed{Delay: 100 * ms, Jitter: strategies.Jitter{Kind: strategies.JitterAround, Share: 0.1}}
			cfg.Downstream.RateLimit = &downstream.RateLimit{Rate: downstream.Rate{Events: 12, Per: s / 7}, Burst: 30, RetryAfter: true}
		}},
	}
	var e Engine
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cfg := Config{Seed: 3, Horizon: time.Hour, MaxEvents: 1 << 40, Window: 100 * ms,
				Downstream: downstream.Config{Slots: 10, Service: downstream.Constant{D: 100 * ms}}}
			test.set(&cfg)
			checkAgainstReference(t, &e, cfg)
		})
	}
}
