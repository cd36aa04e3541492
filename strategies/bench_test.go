package strategies_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"herdsim/strategies"
)

var sink time.Duration

// BenchmarkWait calls each strategy as an engine does: through the interface, with retries up to 16 and all u.
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
			var sum time.Duration
			for i := range b.N {
				a.Retry = 1 + i%16
				a.SinceReset = a.Retry
				wait, _ := row.strategy.Wait(a, someU[i%len(someU)])
				sum += wait
			}
			sink = sum
		})
	}
}

// someU are numbers from all over [0, 1), so that no branch on them can be foreseen.
var someU = func() (us [1024]float64) {
	luck := rand.New(rand.NewPCG(1, 2))
	for i := range us {
		us[i] = luck.Float64()
	}
	return us
}()

// BenchmarkLaw reads the waits of a Uniform strategy off a table of laws.
func BenchmarkLaw(b *testing.B) {
	s := strategies.FullJitter{Base: time.Second, Factor: 1.6, Cap: time.Minute}
	var laws [16]strategies.Law
	for n := range laws {
		laws[n] = s.Law(n)
	}
	var sum time.Duration
	for i := range b.N {
		sum += laws[i%len(laws)].At(someU[i%len(someU)])
	}
	sink = sum
}

// BenchmarkDescribe makes the table of twelve waits that a catalogue shows.
func BenchmarkDescribe(b *testing.B) {
	s := strategies.Decorrelated{Base: time.Second, Factor: 3, Cap: time.Minute}
	for range b.N {
		sink = strategies.Describe(s, 12)[11].Mean
	}
}
