package strategies_test

import (
	"testing"
	"time"

	"herdsim/strategies"
)

var sink time.Duration

// BenchmarkWait calls each strategy as an engine does: through the interface, with retries up to 20 and all u.
func BenchmarkWait(b *testing.B) {
	around := strategies.Jitter{Kind: strategies.JitterAround, Share: 0.1}
	for _, row := range []struct {
		name     string
		strategy strategies.Strategy
	}{
		{"immediate", strategies.Immediate{}},
		{"fixed", strategies.Fixed{Delay: time.Second}},
		{"fixed-10%", strategies.Fixed{Delay: time.Second, Jitter: around}},
		{"linear", strategies.Linear{Base: time.Second, Cap: time.Minute}},
		{"exponential", strategies.Exponential{Base: time.Second, Factor: 2, Cap: time.Minute}},
		{"exponential-10%", strategies.Exponential{Base: time.Second, Factor: 2, Cap: time.Minute, Jitter: around}},
		{"exponential-1.5", strategies.Exponential{Base: time.Second, Factor: 1.5, Cap: time.Minute, Jitter: around}},
		{"full-jitter", strategies.FullJitter{Base: time.Second, Factor: 2, Cap: time.Minute}},
		{"full-jitter-1.6", strategies.FullJitter{Base: time.Second, Factor: 1.6, Cap: time.Minute}},
		{"equal-jitter", strategies.EqualJitter{Base: time.Second, Factor: 2, Cap: time.Minute}},
		{"decorrelated", strategies.Decorrelated{Base: time.Second, Factor: 3, Cap: time.Minute}},
		{"schedule", strategies.Schedule{Delays: []time.Duration{1, 2, 3}}},
		{"memoryless", strategies.Memoryless{Mean: time.Second}},
	} {
		b.Run(row.name, func(b *testing.B) {
			a := strategies.Attempt{Outcome: strategies.Rejected, Previous: 5 * time.Second}
			u := 0.5
			var sum time.Duration
			for i := range b.N {
				a.Retry = 1 + i%20
				a.SinceReset = a.Retry
				u += 0.6180339887498949
				if u >= 1 {
					u--
				}
				wait, _ := row.strategy.Wait(a, u)
				sum += wait
			}
			sink = sum
		})
	}
}
