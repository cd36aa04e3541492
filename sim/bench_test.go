package sim_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

// reference is the workload W(N) that speed is measured by: N workers call at t0; N/500 slots, 100 ms of service, no
// queue; full jitter, base 100 ms, cap 20 s, until all are served. About 11.04 N events.
func reference(n int) sim.Config {
	return sim.Config{
		Seed:      1,
		Horizon:   time.Hour,
		MaxEvents: 1 << 40,
		Window:    100 * time.Millisecond,
		Workers:   n,
		Strategy:  strategies.FullJitter{Base: 100 * time.Millisecond, Factor: 2, Cap: 20 * time.Second},
		Downstream: downstream.Config{
			Slots:   max(1, n/500),
			Service: downstream.Constant{D: 100 * time.Millisecond},
		},
	}
}

// BenchmarkReference measures W(N) at the sizes of `make bench`; `make bench-large` adds ten million.
func BenchmarkReference(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000, 10_000_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) { benchmark(b, reference(n)) })
	}
}

func benchmark(b *testing.B, cfg sim.Config) {
	b.ReportAllocs()
	var e sim.Engine
	var events int64
	for b.Loop() {
		r := e.Run(context.Background(), cfg)
		if r.Herd.Unfinished > 0 {
			b.Fatalf("%d workers unfinished", r.Herd.Unfinished)
		}
		events += r.Events
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}
