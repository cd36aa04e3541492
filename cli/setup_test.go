package cli

import (
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/experiment"
	"herdsim/report"
	"herdsim/sim"
)

func TestMostRequestsOfAnOpenTask(t *testing.T) {
	limits := func(n int) *sim.Limits { return &sim.Limits{MaxAttempts: n} }
	for _, c := range []struct {
		name string
		cfg  sim.Config
		want report.MaxRequests
	}{
		{"a herd alone", sim.Config{Limits: *limits(9)}, report.MaxRequests{}},
		{"the scenario's", sim.Config{Limits: *limits(9), Arrivals: &sim.Arrivals{}}, report.MaxRequests{Arrivals: 9}},
		{"its own", sim.Config{Limits: *limits(9), Arrivals: &sim.Arrivals{Limits: limits(3)}}, report.MaxRequests{Arrivals: 3}},
		{"none of its own", sim.Config{Limits: *limits(9), Cron: &sim.Cron{Limits: limits(0)}}, report.MaxRequests{}},
		{"each its own", sim.Config{Limits: *limits(9), Arrivals: &sim.Arrivals{Limits: limits(3)}, Clients: &sim.Clients{}}, report.MaxRequests{Arrivals: 3, Clients: 9}},
		// analytic.md A2: three layers of four attempts make 64 of one.
		{"tiers", sim.Config{Limits: *limits(1), Arrivals: &sim.Arrivals{}, Tiers: []sim.Tier{{Attempts: 4}, {Attempts: 4}, {Attempts: 4}}}, report.MaxRequests{Arrivals: 64}},
	} {
		if got := maxRequests(c.cfg); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestWhatSparesTheWorkOfCallersThatHaveGone(t *testing.T) {
	timeout := func(d time.Duration) *downstream.QueueTimeout {
		return &downstream.QueueTimeout{Standing: d, Interval: d}
	}
	for _, c := range []struct {
		d    downstream.Config
		want string
	}{
		{downstream.Config{}, ""},
		{downstream.Config{CancelAbandoned: true}, "cancel_abandoned"},
		{downstream.Config{QueueTimeout: timeout(time.Second)}, "the queue timeout"},
		{downstream.Config{QueueTimeout: timeout(9 * time.Second)}, ""}, // longer than anybody waits
		{downstream.Config{Order: downstream.LIFO}, "serving the newest first"},
		{downstream.Config{Order: downstream.Adaptive, LIFOAbove: 49}, "serving the newest first"},
		{downstream.Config{Order: downstream.Adaptive, LIFOAbove: 50}, ""}, // which take the 5 s that they wait
	} {
		if got := sheds(&c.d, 5*time.Second, 10); got != c.want {
			t.Errorf("%+v: %q, want %q", c.d, got, c.want)
		}
	}
}

func TestSetupOfABroker(t *testing.T) {
	s := load(t, `
name: queued
workers: 4
messages: {count: 200}
broker: {topology: requeue, prefetch: 7, alert: {depth: 100}}
downstream: {slots: 20}
limits: {max_attempts: 3}
strategies:
  - fixed
  - {name: other, fixed: {}, broker: {topology: ttl-queue, prefetch: 7}}
`)
	if got := setup(s); got.Consumers != 4 || got.Prefetch != 7 || got.Workers != 200 {
		t.Errorf("%d consumers with a prefetch of %d, %d messages; want 4, 7, 200", got.Consumers, got.Prefetch, got.Workers)
	}
	entries := assemble(s, experiment.Results{Runs: make([][]*sim.Result, 2)}).Entries
	if entries[0].Alert != 100 || entries[1].Alert >= 0 {
		t.Errorf("alerts above %d and %d dead letters; want 100, and none for a broker of its own", entries[0].Alert, entries[1].Alert)
	}
	s.Strategies[1].Broker.Prefetch = 8
	if got := setup(s); got.Prefetch != -1 {
		t.Errorf("a prefetch of %d, want -1 for entries that differ", got.Prefetch)
	}
}

func TestSetupOfOpenTraffic(t *testing.T) {
	s := load(t, `
name: open
horizon: 100s
arrivals: {phases: [{rate: 40/s}, {rate: 40/s, from: 20s, for: 5s}], limits: {max_attempts: 2}}
clients: {count: 10, think: 1s}
cron: {every: 10s, count: 20}
task: {timeout: 5s}
tiers: [{attempts: 3, timeout: 1s}]
verdict: {within: 10%, for: 8s}
downstream: {slots: unlimited, service: 0s, crash: {in_flight: 50, down: 5s}}
strategies: [fixed]
`)
	got := setup(s)
	// 40 + 40 x 5 / 100 arrivals, 10 clients that think a second, 20 tasks each 10 s.
	if got.OpenRate != 54 || got.Clients == nil || got.Cron == nil || !got.Parts || got.Traced {
		t.Errorf("traffic: %+v", got)
	}
	if got.Patience != time.Second || got.Timeout != 5*time.Second || got.Within != 0.1 || got.For != 8*time.Second {
		t.Errorf("verdict: %+v", got)
	}
	if got.Slots != downstream.Unlimited || got.Capacity != 0 {
		t.Errorf("downstream: %+v", got)
	}
	if n := maxRequests(s.Config(0, 1)); n != (report.MaxRequests{Arrivals: 6}) || !got.Tiered {
		t.Errorf("%+v requests a task; the clients and cron have no limit", n)
	}
}
