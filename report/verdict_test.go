package report

import (
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

// A stretch is a part of a hand-made run: so many seconds in each of which so much happens, in one window.
type stretch struct {
	seconds                          int
	tasks, goodput, requests, wasted int64
}

// flow builds a run of open traffic in windows of a second.
func flow(stretches ...stretch) *sim.Result {
	r := &sim.Result{Window: second, FirstRetry: -1, LastRequest: -1, End: sim.AtHorizon}
	at := int64(0)
	for _, s := range stretches {
		for range s.seconds {
			w := sim.Window{Index: at, Tasks: s.tasks, Goodput: s.goodput, Requests: s.requests, Wasted: s.wasted}
			w.Outcomes[strategies.Served] = min(s.goodput, s.requests)
			w.Outcomes[strategies.TimedOut] = s.requests - w.Outcomes[strategies.Served]
			if s.requests > 0 || s.goodput > 0 {
				r.Windows = append(r.Windows, w)
			}
			r.Open.Tasks += s.tasks
			r.Open.Succeeded += s.goodput
			r.Attempts += s.requests
			for i, n := range w.Outcomes {
				r.Outcomes[i] += n
			}
			r.PeakWindow = max(r.PeakWindow, s.requests)
			at++
		}
	}
	r.Open.Unfinished = max(0, r.Open.Tasks-r.Open.Succeeded)
	r.Open.Succeeded = r.Open.Tasks - r.Open.Unfinished
	r.EndedAt = sim.Time(at) * second
	r.Observed = r.EndedAt
	return r
}

// perSecond is a whole rate.
func perSecond(n int64) downstream.Rate { return downstream.Rate{Events: n, Per: second} }

// flowSetup has 40 open tasks a second for so many seconds against a capacity of 100, an outage in seconds 30 to 35.
func flowSetup(seconds int) Setup {
	horizon := time.Duration(seconds) * second
	s := Setup{
		Name: "flow", Window: second, Horizon: horizon, Replicates: 1,
		Arrivals: sim.Poisson(perSecond(40), 0, horizon), Slots: 10, Queue: 1000, Service: 100 * time.Millisecond,
		Capacity: 100, Timeout: second, Patience: second, Outages: []sim.Span{{From: 30 * second, To: 35 * second}},
	}
	s.OpenRate = s.MeanRate()
	return s
}

func TestVerdictsOfHandMadeRuns(t *testing.T) {
	calm := stretch{30, 40, 40, 40, 0}
	out := stretch{5, 40, 0, 200, 0}
	for _, c := range []struct {
		name   string
		run    *sim.Result
		change func(*Setup)
		state  State
		want   string
	}{
		{"calm", flow(stretch{300, 40, 40, 40, 0}), nil, NeverDown, "recovered: yes, never down"},
		{"recovered after a catch-up", flow(calm, out, stretch{5, 40, 20, 120, 10}, stretch{10, 40, 70, 80, 0}, stretch{250, 40, 40, 40, 0}),
			nil, Recovered, "recovered: yes at 40.0 s"},
		{"stuck", flow(calm, out, stretch{265, 40, 1, 240, 99}), nil, Stuck,
			"recovered: no, stuck at 6.0 attempts per task, goodput 2.5% of the offered load; timed-out work keeps it down " +
				"(99.0% of the work is for callers that have gone); beside it, 240 requests/s are asked"},
		{"overloaded", flow(calm, out, stretch{265, 120, 60, 300, 40}), nil, Overloaded,
			"recovered: no, offered 120/s exceeds the capacity of 100/s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := flowSetup(300)
			if c.change != nil {
				c.change(&s)
			}
			v := Judge(c.run, &s, 6)
			if got := v.Sentence(); v.State != c.state || got != c.want {
				t.Errorf("%s: %s\nwant %s: %s", v.State, got, c.state, c.want)
			}
		})
	}
}
