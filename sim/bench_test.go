package sim_test

import (
	"context"
	"runtime"
	"strconv"
	"testing"
	"time"
	"unsafe"

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

// BenchmarkReference measures W(N). Ten million workers want half a gigabyte and a while: `make bench-large`.
func BenchmarkReference(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000, 10_000_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) { benchmark(b, reference(n)) })
	}
}

// BenchmarkShapes measures what W(N) leaves out, at 100,000 workers: waits that all fall on one instant, a random
// service time, a queue with timeouts, and a strategy that reads its own last wait.
func BenchmarkShapes(b *testing.B) {
	shapes := []struct {
		name string
		turn func(*sim.Config)
	}{
		{"unjittered", func(c *sim.Config) {
			c.Strategy = strategies.Exponential{Base: 100 * time.Millisecond, Factor: 2, Cap: 2 * time.Second}
		}},
		{"random-service", func(c *sim.Config) { c.Downstream.Service = downstream.Exponential{M: 100 * time.Millisecond} }},
		{"queue-timeouts", func(c *sim.Config) {
			c.Downstream.Queue, c.Downstream.Order, c.Timeout = 10_000, downstream.LIFO, time.Second
		}},
		{"decorrelated", func(c *sim.Config) {
			c.Strategy = strategies.Decorrelated{Base: 100 * time.Millisecond, Factor: 3, Cap: 20 * time.Second}
		}},
	}
	for _, shape := range shapes {
		cfg := reference(100_000)
		shape.turn(&cfg)
		b.Run(shape.name, func(b *testing.B) { benchmark(b, cfg) })
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
	b.ReportMetric(beyondResult(cfg)/float64(cfg.Workers), "B/worker")
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}

// beyondResult returns how many bytes the first run of an engine allocates beside its result. What grew and was copied
// counts each time.
func beyondResult(cfg sim.Config) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := sim.Run(context.Background(), cfg)
	runtime.ReadMemStats(&after)
	result := uintptr(cap(r.Completions))*unsafe.Sizeof(sim.Time(0)) + uintptr(cap(r.Windows))*unsafe.Sizeof(sim.Window{}) +
		uintptr(cap(r.Sample))*unsafe.Sizeof(sim.AttemptRecord{})
	return float64(after.TotalAlloc-before.TotalAlloc) - float64(result)
}
