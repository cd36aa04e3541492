package sim_test

import (
	"slices"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

const millisecond = time.Millisecond

// crashing is a herd of ten that comes back every second, before one slot that serves in 400 ms and crashes for 2.5 s.
func crashing(c downstream.Crash) sim.Config {
	cfg := base(10, 1, downstream.Unlimited, 400*millisecond, strategies.Fixed{Delay: second})
	c.Down = 2500 * millisecond
	cfg.Horizon, cfg.Downstream.Crash = 10*second, &c
	return cfg
}

// from returns crashes of 2.5 s that begin at the given instants, the last of which outlasts the run.
func from(begin ...sim.Time) (all []sim.Span) {
	for _, at := range begin {
		all = append(all, sim.Span{From: at, To: at + 2500*millisecond})
	}
	all[len(all)-1].To = -1
	return all
}

// A herd that all comes back at once breaks what has just started, for ever. Down for 2.5 s, it meets the second after.
func TestHerdKeepsCrashing(t *testing.T) {
	hang := func(cfg sim.Config) sim.Config { cfg.Timeout = second; return cfg }
	outage := func(cfg sim.Config) sim.Config {
		cfg.Downstream.Outages = []downstream.Outage{{From: second, To: 1500 * millisecond}, {From: 2 * second, To: 4 * second}}
		return cfg
	}
	for name, test := range map[string]struct {
		cfg  sim.Config
		want []sim.Span
	}{
		"more than five in flight": {crashing(downstream.Crash{InFlight: 5}), from(0, 3*second, 6*second, 9*second)},
		"more than three queued":   {crashing(downstream.Crash{Queued: 3}), from(0, 3*second, 6*second, 9*second)},
		// Given up after a second and made again a second after that.
		"without an answer": {hang(crashing(downstream.Crash{InFlight: 5, Mode: downstream.Hang})), from(0, 4*second, 8*second)},
		// It would be up at 2.5 s, but for the outage until 4 s.
		"an outage meanwhile": {outage(crashing(downstream.Crash{InFlight: 5})), []sim.Span{{To: 2500 * millisecond},
			{From: 4 * second, To: 6500 * millisecond}, {From: 7 * second, To: 9500 * millisecond}}},
	} {
		r := run(t, test.cfg)
		if !slices.Equal(r.Crashes, test.want) {
			t.Errorf("%s: crashes %v, want %v", name, r.Crashes, test.want)
		}
		if r.Herd.Unfinished != 10 || r.Outcomes[strategies.Served] != 0 {
			t.Errorf("%s: %+v, outcomes %v, want nobody served", name, r.Herd, r.Outcomes)
		}
	}
}

// What a hang has swallowed is not lost from the books: it is in flight for ever, and the run ends.
func TestSwallowedByACrash(t *testing.T) {
	cfg := crashing(downstream.Crash{InFlight: 5, Mode: downstream.Hang})
	r := run(t, cfg)
	if r.End != sim.NotCutOff || r.Outcomes[strategies.InFlight] != 10 || r.Herd.Unfinished != 10 || len(r.Crashes) != 1 {
		t.Errorf("end %v, outcomes %v, %+v, crashes %v", r.End, r.Outcomes, r.Herd, r.Crashes)
	}
}

// Probes are sent every 2 s and answered within 1 s, or the third that fails in a row is the end.
func TestLivenessProbes(t *testing.T) {
	live := downstream.Crash{Liveness: downstream.Liveness{Every: 2 * second, Timeout: second, Failures: 3}}
	with := func(service time.Duration, order downstream.Order, queue int) sim.Config {
		cfg := crashing(live)
		cfg.MaxAttempts, cfg.Horizon = 1, 12*second
		cfg.Downstream.Service, cfg.Downstream.Order, cfg.Downstream.Queue = downstream.Constant{D: service}, order, queue
		return cfg
	}
	for name, test := range map[string]struct {
		cfg  sim.Config
		want []sim.Span
	}{
		// Sent at 2, 4 and 6 s, given up a second later.
		"behind all others": {with(10*second, downstream.FIFO, downstream.Unlimited), from(7 * second)},
		"full house":        {with(10*second, downstream.FIFO, 2), from(6 * second)},
		// Slots fall free at 2.4, 4.8, 7.2, 9.6 and 12 s: the probes of 2 and 4 s have answers, those of 6, 8 and 10 s none.
		"before all others": {with(2400*millisecond, downstream.LIFO, downstream.Unlimited), from(11 * second)},
		// The probe of 2 s is behind the fifth, whose service begins at 3.2 s: it fails. That of 4 s has its answer then.
		"a queue that is gone in time": {with(800*millisecond, downstream.FIFO, 4), nil},
	} {
		if r := run(t, test.cfg); !slices.Equal(r.Crashes, test.want) {
			t.Errorf("%s: crashes %v, want %v", name, r.Crashes, test.want)
		}
	}
}

// A slow outage stretches what begins in it, and nothing else.
func TestSlowOutage(t *testing.T) {
	cfg := base(4, 1, downstream.Unlimited, second, strategies.Fixed{Delay: second})
	cfg.Downstream.Outages = []downstream.Outage{{From: 500 * millisecond, To: 3 * second, Mode: downstream.Slow, Capacity: 0.25}}
	want := []sim.Time{second, 5 * second, 6 * second, 7 * second}
	if r := run(t, cfg); !slices.Equal(r.Completions, want) {
		t.Errorf("completions %v, want %v", r.Completions, want)
	}
}

// Who has waited for too long is rejected when its turn comes: of ten at once before a slot of 1 s, those that have waited for 2.5 s at 3 s.
func TestPlainQueueTimeout(t *testing.T) {
	cfg := base(10, 1, downstream.Unlimited, second, strategies.Fixed{Delay: second})
	cfg.MaxAttempts = 1
	cfg.Downstream.QueueTimeout = &downstream.QueueTimeout{Standing: 2500 * millisecond, Interval: 2500 * millisecond}
	r := run(t, cfg)
	if r.Herd.Succeeded != 3 || r.Outcomes[strategies.Rejected] != 7 || r.EndedAt != 3*second || r.QueueArea != 9+8+7 {
		t.Errorf("%+v, outcomes %v, ended at %v, %v request-seconds of queueing", r.Herd, r.Outcomes, r.EndedAt, r.QueueArea)
	}
}
