package report

import (
	"math"
	"strings"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/sim"
)

func TestScheduled(t *testing.T) {
	constant := func(p sim.Phase) *sim.Arrivals { return &sim.Arrivals{Phases: []sim.Phase{p}} }
	for _, c := range []struct {
		name     string
		setup    Setup
		from, to sim.Time
		want     float64
	}{
		{"constant, from within", Setup{Arrivals: sim.Poisson(perSecond(40), 10*second, 20*second)}, 5 * second, 15 * second, 200},
		{"ramp, its middle half", Setup{Arrivals: constant(sim.Phase{To: 8 * second, Shape: sim.Ramp, Rate: perSecond(0), End: perSecond(80)})},
			2 * second, 6 * second, 160}, // 40 in the mean
		{"spike", Setup{Arrivals: constant(sim.Phase{To: 1000 * second, Shape: sim.Spike, Rate: perSecond(10), Span: 5 * second})},
			0, 1000 * second, 50}, // peak x decay
		{"sine, whole periods", Setup{Arrivals: constant(sim.Phase{To: 20 * second, Shape: sim.Sine, Rate: perSecond(30), End: perSecond(10), Span: 10 * second})},
			0, 20 * second, 600},
		// Not below 0: the integral over a period of max(0, sin) is span / pi.
		{"sine cut off at 0", Setup{Arrivals: constant(sim.Phase{To: 10 * second, Shape: sim.Sine, End: perSecond(10), Span: 10 * second})},
			0, 10 * second, 100 / math.Pi},
		{"two phases add up", Setup{Arrivals: &sim.Arrivals{Phases: []sim.Phase{
			{To: 10 * second, Rate: perSecond(5)}, {From: 5 * second, To: 6 * second, Rate: perSecond(10)}}}}, 0, 10 * second, 60},
		{"cron, the first tick in and the last out", Setup{Cron: &sim.Cron{Every: 10 * second, Count: 7, From: 5 * second, To: 60 * second}},
			5 * second, 25 * second, 14},
		{"cron before it begins", Setup{Cron: &sim.Cron{Every: 10 * second, Count: 7, From: 5 * second, To: 60 * second}}, 0, 5 * second, 0},
		// 10 clients that think 0.9 s and are served in 0.1 s.
		{"clients", Setup{Service: second / 10, Clients: &sim.Clients{Count: 10, Think: downstream.Constant{D: 900 * time.Millisecond}, To: 60 * second}},
			0, 6 * second, 60},
		{"clients beyond the capacity", Setup{Capacity: 4, Service: second / 10,
			Clients: &sim.Clients{Count: 10, Think: downstream.Constant{D: 900 * time.Millisecond}, To: 60 * second}}, 0, 6 * second, 24},
		{"nothing", Setup{}, 0, second, 0},
	} {
		if got := c.setup.Scheduled(c.from, c.to); math.Abs(got-c.want) > 1e-3*c.want {
			t.Errorf("%s: %v tasks, want %v", c.name, got, c.want)
		}
	}
}

func TestTrigger(t *testing.T) {
	base := sim.Phase{To: 100 * second, Rate: perSecond(40)}
	arrivals := func(phases ...sim.Phase) *sim.Arrivals { return &sim.Arrivals{Phases: phases} }
	for _, c := range []struct {
		name     string
		setup    Setup
		from, to sim.Time
	}{
		{"steady", Setup{Arrivals: arrivals(base)}, -1, -1},
		{"traffic that ends early", Setup{Arrivals: arrivals(sim.Phase{From: 5 * second, To: 50 * second, Rate: perSecond(1)})}, -1, -1},
		{"more for a while", Setup{Arrivals: arrivals(base, sim.Phase{From: 20 * second, To: 25 * second, Rate: perSecond(40)})},
			20 * second, 25 * second},
		{"more for good", Setup{Arrivals: arrivals(base, sim.Phase{From: 20 * second, To: 100 * second, Rate: perSecond(40)})},
			20 * second, 20 * second},
		{"a ramp that never ends", Setup{Arrivals: arrivals(base, sim.Phase{From: 20 * second, To: 100 * second, Shape: sim.Ramp, End: perSecond(40)})},
			20 * second, 100 * second},
		{"a spike that fades", Setup{Arrivals: arrivals(base, sim.Phase{From: 20 * second, To: 100 * second, Shape: sim.Spike, Rate: perSecond(40), Span: 5 * second})},
			20 * second, 35 * second},
		{"a sine all the time", Setup{Arrivals: arrivals(sim.Phase{To: 100 * second, Shape: sim.Sine, Rate: perSecond(40), Span: 5 * second})}, -1, -1},
		{"a trace", Setup{Traced: true, Arrivals: arrivals(sim.Phase{To: 50 * second, Rate: perSecond(1)}, base)}, -1, -1},
		{"a herd", Setup{Workers: 1, Arrivals: arrivals(base)}, 0, 0},
		{"a herd of a while, and two outages", Setup{Workers: 1, HerdEnd: 3 * second, Arrivals: arrivals(base),
			Outages: []sim.Span{{From: 0, To: second}, {From: 30 * second, To: 40 * second}}}, 0, 40 * second},
		{"clients that come", Setup{Arrivals: arrivals(base), Clients: &sim.Clients{From: 20 * second, To: 100 * second}}, 20 * second, 20 * second},
	} {
		c.setup.Horizon = 100 * second
		if got := c.setup.Trigger(); got != (sim.Span{From: c.from, To: c.to}) {
			t.Errorf("%s: %v, want %v to %v", c.name, got, c.from, c.to)
		}
	}
}

func TestOpenTrafficInWords(t *testing.T) {
	think := downstream.Exponential{M: second}
	for _, c := range []struct {
		want  string
		setup Setup
	}{
		{"arrivals 8/s", Setup{OpenRate: 8}},
		{"arrivals 40/s", Setup{Arrivals: sim.Poisson(perSecond(40), 0, 100*second)}},
		{"arrivals 40–80/s", Setup{Arrivals: &sim.Arrivals{Phases: []sim.Phase{
			{To: 100 * second, Rate: perSecond(40)}, {From: 20 * second, To: 25 * second, Rate: perSecond(40)}}}}},
		{"arrivals 40–80/s", Setup{Arrivals: &sim.Arrivals{Phases: []sim.Phase{
			{To: 100 * second, Shape: sim.Ramp, Rate: perSecond(40), End: perSecond(80)}}}}},
		{"arrivals 50–150/s", Setup{Arrivals: &sim.Arrivals{Phases: []sim.Phase{
			{To: 100 * second, Shape: sim.Sine, Rate: perSecond(100), End: perSecond(50), Span: 40 * second}}}}},
		{"arrivals 20/s in the mean", Setup{Traced: true, Arrivals: &sim.Arrivals{Phases: []sim.Phase{
			{To: 50 * second, Rate: perSecond(10)}, {From: 50 * second, To: 100 * second, Rate: perSecond(30)}}}}},
		{"100 clients that think 1 s", Setup{OpenRate: 50, Clients: &sim.Clients{Count: 100, Think: think, To: 100 * second}}},
		{"1,000 tasks every 1 min", Setup{OpenRate: 50, Cron: &sim.Cron{Count: 1000, Every: time.Minute, To: 100 * second}}},
	} {
		c.setup.Horizon = 100 * second
		if got := strings.Join(c.setup.openTraffic(), ", "); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestOnlyArrivalsAreCalledSo(t *testing.T) {
	arrivals, clients, cron := sim.Poisson(perSecond(40), 0, 100*second), &sim.Clients{}, &sim.Cron{}
	for _, c := range []struct {
		setup Setup
		want  string
	}{
		{Setup{Arrivals: arrivals}, "of 70 arrivals 10 gave up"},
		{Setup{Clients: clients}, "of 70 tasks 10 gave up"},
		{Setup{Cron: cron}, "of 70 tasks 10 gave up"},
		{Setup{Arrivals: arrivals, Cron: cron}, "of 70 open tasks 10 gave up"},
	} {
		run := &sim.Result{Open: sim.Tally{Tasks: 70, Succeeded: 60, DeadLettered: 10}}
		r := &Report{Setup: c.setup, Entries: []Entry{{Name: "a", Runs: []*sim.Result{run}}}}
		if got := strings.Join(r.notes(r.digests()), "; "); got != "a: "+c.want {
			t.Errorf("%q, want %q", got, "a: "+c.want)
		}
	}
}
