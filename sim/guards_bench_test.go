package sim_test

import (
	"testing"
	"time"

	"herdsim/sim"
	"herdsim/strategies"
	"herdsim/strategies/guards"
)

// watching are guards that look at everything and hold back nothing, so that the work is that of W(N).
func watching() map[string]guards.Spec {
	return map[string]guards.Spec{
		"shared-breaker": {Name: "breaker", Shared: true, Maker: &guards.Breaker{
			Ratio: 1, Above: true, Window: 10 * time.Second, Buckets: 10, OpenFor: strategies.Exponential{Base: time.Second, Factor: 1},
			Probes: 1, ProbeFailures: 1,
		}},
		"shared-concurrency": {Name: "retries", Shared: true, Maker: &guards.ConcurrentRetries{Min: 1 << 40}},
		"worker-quota":       {Name: "quota", Maker: &guards.RetryQuota{Capacity: 1 << 30, RetryCost: 1}},
	}
}

// BenchmarkGuarded measures W(100,000) with guards, beside BenchmarkReference. Where guards look on, crowds that are
// turned away are not taken as a whole: each attempt is asked about.
func BenchmarkGuarded(b *testing.B) {
	cfg := reference(100_000)
	b.Run("none", func(b *testing.B) { benchmark(b, cfg) })
	for _, name := range []string{"shared-breaker", "shared-concurrency", "worker-quota"} {
		cfg := cfg
		cfg.Guards = []guards.Spec{watching()[name]}
		b.Run(name, func(b *testing.B) { benchmark(b, cfg) })
	}
	unjittered := func(c sim.Config) sim.Config {
		c.Strategy = strategies.Exponential{Base: 100 * time.Millisecond, Factor: 2, Cap: 2 * time.Second}
		return c
	}
	b.Run("unjittered/none", func(b *testing.B) { benchmark(b, unjittered(cfg)) })
	cfg.Guards = []guards.Spec{watching()["shared-breaker"]}
	b.Run("unjittered/shared-breaker", func(b *testing.B) { benchmark(b, unjittered(cfg)) })
}
