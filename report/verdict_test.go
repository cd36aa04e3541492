package report

import (
	"math"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"

	"pgregory.net/rapid"
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

// at sets the outage of a flow to hold in [from, to) seconds.
func at(from, to int) func(*sim.Result, *Setup) {
	return func(_ *sim.Result, s *Setup) {
		s.Outages = []sim.Span{{From: time.Duration(from) * second, To: time.Duration(to) * second}}
		s.FullOutages = s.Outages
	}
}

// herdUntil adds a herd of 1,000 that is served one by one until a second, but for some.
func herdUntil(seconds, unserved int) func(*sim.Result, *Setup) {
	return func(r *sim.Result, s *Setup) {
		s.Workers = 1000
		r.Herd = sim.Tally{Tasks: 1000, Succeeded: int64(1000 - unserved), Unfinished: int64(unserved)}
		for i := range 1000 - unserved {
			r.Completions = append(r.Completions, time.Duration(i+1)*time.Duration(seconds)*second/1000)
		}
	}
}

// crashing lets a run crash at each of the seconds, for three of them.
func crashing(r *sim.Result, seconds ...int) {
	for _, from := range seconds {
		r.Crashes = append(r.Crashes, sim.Span{From: time.Duration(from) * second, To: time.Duration(from+3) * second})
	}
}

// Pieces are 10 s wide here, a thirtieth of 300 s.
func TestVerdictsOfHandMadeRuns(t *testing.T) {
	calm, out, on := stretch{30, 40, 40, 40, 0}, stretch{5, 40, 0, 200, 0}, stretch{265, 40, 40, 40, 0}
	for _, c := range []struct {
		name   string
		run    *sim.Result
		change func(*sim.Result, *Setup)
		state  State
		want   string
	}{
		{"calm", flow(stretch{300, 40, 40, 40, 0}), nil, NeverDown, "yes, never down"},
		{"recovered at once", flow(calm, out, on), nil, Recovered, "yes at 35.0 s"},
		{"recovered after a catch-up", flow(calm, out, stretch{5, 40, 20, 120, 10}, stretch{10, 40, 70, 80, 0}, stretch{250, 40, 40, 40, 0}),
			nil, Recovered, "yes at 40.0 s"},
		{"a dip too short for its piece", flow(calm, stretch{2, 40, 0, 200, 0}, stretch{3, 40, 60, 80, 0}, on), at(30, 32), Recovered, "yes at 32.0 s"},
		{"an outage that ends in a piece which makes up for it", flow(calm, stretch{15, 40, 0, 200, 0}, stretch{5, 40, 100, 100, 0}, stretch{250, 40, 40, 40, 0}),
			at(30, 45), Recovered, "yes at 45.0 s"},
		{"a relapse", flow(calm, out, stretch{65, 40, 40, 40, 0}, stretch{10, 40, 0, 200, 0}, stretch{190, 40, 40, 40, 0}), nil,
			Recovered, "yes at 1 min 50 s after 1 relapse"},
		{"as before, which was no more", flow(stretch{30, 40, 20, 60, 0}, out, stretch{265, 40, 20, 60, 0}), nil, Recovered, "yes at 35.0 s"},
		{"poisoned tasks are not missed", flow(stretch{300, 40, 20, 60, 0}),
			func(_ *sim.Result, s *Setup) { s.Poison, s.Outages = 0.5, nil }, NeverDown, "yes, never down"},
		{"attempts that fail by themselves are not missed", flow(stretch{300, 40, 20, 60, 0}),
			func(_ *sim.Result, s *Setup) { s.ErrorRate, s.Outages = 0.5, nil }, Steady, "nothing to recover from, steady at 50.0% of the offered load"},
		{"less for a while, for nothing that was done to it", flow(stretch{100, 40, 31, 40, 0}, stretch{30, 40, 20, 40, 0}, stretch{170, 40, 31, 40, 0}),
			func(_ *sim.Result, s *Setup) { s.Outages = nil }, Steady, "nothing to recover from, steady at 74.8% of the offered load"},
		{"a collapse by itself", flow(calm, stretch{270, 40, 1, 240, 99}), func(_ *sim.Result, s *Setup) { s.Outages = nil }, Stuck,
			"no, stuck at 6.0 attempts per task, goodput 2.5% of the offered load; timed-out work keeps it down " +
				"(99.0% of the work is for callers that have gone); at the same time 240 requests/s are asked"},
		{"down all the time", flow(stretch{300, 40, 1, 240, 99}), func(_ *sim.Result, s *Setup) { s.Outages = nil }, Steady,
			"nothing to recover from, steady at 2.5% of the offered load; timed-out work keeps it there " +
				"(99.0% of the work is for callers that have gone); at the same time 240 requests/s are asked"},
		{"a herd that is served long after the goodput is back", flow(calm, out, on), herdUntil(120, 0), Recovered,
			"yes at 1 min 59 s, when 99% of the herd was served; the goodput was back at 35.0 s"},
		{"a herd that is served long after, and the goodput never down", flow(stretch{300, 40, 40, 40, 0}), herdUntil(120, 0), Recovered,
			"yes at 1 min 59 s, when 99% of the herd was served; the goodput was never down"},
		{"a herd that is served at once", flow(stretch{300, 40, 40, 40, 0}), herdUntil(9, 0), NeverDown, "yes, never down"},
		{"a herd that waits at the end", flow(calm, out, on), herdUntil(120, 50), Unfinished,
			"no, 50 of 1,000 workers unserved, goodput 100% of the offered load"},
		{"more than the attempts that fail by themselves", flow(stretch{30, 40, 20, 60, 0}, stretch{270, 40, 10, 60, 0}),
			func(_ *sim.Result, s *Setup) { s.ErrorRate, s.Outages = 0.5, nil }, Stuck,
			"no, stuck at 1.5 attempts per task, goodput 25.0% of the offered load; none of the known loops keeps it down"},
		{"clients that try again have no schedule", flow(stretch{300, 10, 10, 20, 0}), func(_ *sim.Result, s *Setup) {
			s.ErrorRate, s.Outages, s.Arrivals = 0.5, nil, nil
			s.Clients = &sim.Clients{Count: 40, Think: downstream.Constant{D: second}, To: 300 * second}
		}, NeverDown, "yes, never down"},
		{"small loads are no alarm", flow(stretch{30, 1, 1, 1, 0}, stretch{5, 1, 0, 5, 0}, stretch{1, 1, 6, 1, 0}, stretch{260, 1, 1, 1, 0}, stretch{4, 1, 0, 1, 0}),
			func(_ *sim.Result, s *Setup) { s.Arrivals = nil; s.OpenRate = 1 }, NeverDown, "yes, never down"},
		{"stuck by timeouts", flow(calm, out, stretch{265, 40, 1, 240, 99}), nil, Stuck,
			"no, stuck at 6.0 attempts per task, goodput 2.5% of the offered load; timed-out work keeps it down " +
				"(99.0% of the work is for callers that have gone); at the same time 240 requests/s are asked"},
		{"stuck by retries", flow(calm, out, stretch{265, 40, 20, 240, 0}), nil, Stuck,
			"no, stuck at 6.0 attempts per task, goodput 50.0% of the offered load; retries keep it down (240 requests/s are asked)"},
		{"stuck for another reason", flow(calm, out, stretch{265, 40, 20, 40, 0}), nil, Stuck,
			"no, stuck at 1.0 attempts per task, goodput 50.0% of the offered load; none of the known loops keeps it down"},
		{"held back", flow(calm, out, stretch{265, 10, 10, 10, 0}), nil, Stuck, // 40 a second are due
			"no, stuck at 1.0 attempts per task, goodput 25.0% of the offered load; calls that are held back keep it down " +
				"(25.0% of the tasks reach the service)"},
		{"nothing comes through any more", flow(calm, out, stretch{265, 0, 0, 0, 0}), nil, Stuck,
			"no, stuck, goodput 0% of the offered load; calls that are held back keep it down (0% of the tasks reach the service)"},
		{"a crash cycle", flow(calm, out, on), func(r *sim.Result, _ *Setup) { crashing(r, 40, 100, 160, 220, 285) }, Stuck,
			"no, stuck at 1.0 attempts per task, goodput 100% of the offered load; a crash cycle keeps it down " +
				"(5 crashes, one each 1 min 1 s)"},
		{"a crash, and no more", flow(calm, out, on), func(r *sim.Result, _ *Setup) { crashing(r, 40) }, Recovered, "yes at 43.0 s after 1 crash"},
		{"a cold cache", flow(calm, out, stretch{265, 40, 20, 40, 0}),
			func(r *sim.Result, _ *Setup) {
				r.States = []sim.StatePoint{{Window: 0, Cache: 1, Warm: 1}, {Window: 31, Cache: 0.03, Warm: 1}, {Window: 299, Cache: 0.05, Warm: 0.5}}
			}, Stuck,
			"no, stuck at 1.0 attempts per task, goodput 50.0% of the offered load; a cold cache keeps it down " +
				"(5.0% of the cache is filled); at the same time 50.0% of the speed is reached"},
		{"overloaded", flow(calm, out, stretch{265, 120, 60, 300, 40}), nil, Overloaded, "no, offered 120/s exceeds the capacity of 100/s"},
		{"overloaded by less than may be missing", flow(calm, out, stretch{265, 120, 100, 100, 0}), nil, Overloaded,
			"no, offered 120/s exceeds the capacity of 100/s"},
		{"overloaded all the time by less than may be missing", flow(stretch{300, 120, 100, 100, 0}),
			func(_ *sim.Result, s *Setup) { s.Outages = nil }, Overloaded, "no, offered 120/s exceeds the capacity of 100/s"},
		{"a little more than the capacity", flow(calm, out, stretch{265, 104, 100, 100, 0}), nil, Recovered, "yes at 35.0 s"},
		{"overloaded by no more than chance", flow(calm, out, stretch{265, 101, 60, 300, 0}), nil, Stuck,
			"no, stuck at 3.0 attempts per task, goodput 59.4% of the offered load; retries keep it down (300 requests/s are asked)"},
		{"an outage that never ends", flow(calm, stretch{270, 40, 0, 200, 0}), at(30, 400), Undecided,
			"not to be said, the trigger lasts until 6 min 40 s, goodput 0% of the offered load"},
		{"an outage under a load beyond the capacity", flow(calm, stretch{270, 120, 0, 200, 0}), at(30, 300), Undecided,
			"not to be said, the trigger lasts until 5 min, goodput 0% of the offered load"},
		{"an outage that has just ended", flow(stretch{280, 40, 40, 40, 0}, stretch{10, 40, 0, 200, 0}, stretch{10, 40, 40, 40, 0}), at(280, 290),
			Undecided, "not to be said, the trigger lasts until 4 min 50 s, goodput 50.0% of the offered load"},
		{"traffic that ends before the horizon", flow(calm, out, stretch{165, 40, 40, 40, 0}, stretch{100, 0, 0, 0, 0}),
			func(_ *sim.Result, s *Setup) { s.Arrivals = sim.Poisson(perSecond(40), 0, 200*second) }, Recovered, "yes at 35.0 s"},
		{"cut off in the middle", flow(calm, out, stretch{65, 40, 1, 240, 99}), func(r *sim.Result, _ *Setup) { r.End = sim.AtMaxEvents }, Stuck,
			"no, stuck at 6.0 attempts per task, goodput 2.5% of the offered load; timed-out work keeps it down " +
				"(99.0% of the work is for callers that have gone); at the same time 240 requests/s are asked"},
		{"too short", flow(stretch{20, 40, 40, 40, 0}), func(_ *sim.Result, s *Setup) { s.Horizon = 20 * second }, NotApplicable,
			"not to be said, the traffic is too short"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := flowSetup(300)
			if c.change != nil {
				c.change(c.run, &s)
			}
			v := Judge(c.run, &s, MaxRequests{Arrivals: 6})
			if got := v.Sentence(); v.State != c.state || got != "recovered: "+c.want {
				t.Errorf("%s: %s\nwant %s: %s", v.State, got, c.state, c.want)
			}
		})
	}
}

func TestVerdictsOfHerds(t *testing.T) {
	s := diracSetup()
	after := spikes(300, 10, 20)
	crashing(after, 1, 2)
	cycle := toy(3, 0, wave{index: 0, failure: 3}) // cut off at 10 minutes
	crashing(cycle, 10, 303, 598)
	over := toy(3, 0, wave{index: 0, failure: 3}, wave{index: 5995, inFlight: 1})
	crashing(over, 10, 20)
	lost := toy(3, 0, wave{index: 0, failure: 3}, wave{index: 595, failure: 3}) // all gave up
	lost.Herd.DeadLettered, lost.Herd.Unfinished, lost.End, lost.EndedAt = 3, 0, sim.NotCutOff, 60*second
	crashing(lost, 20, 40, 57)
	never := toy(3, 0, wave{index: 0, failure: 3}) // cut off at 10 minutes, as the outage
	away := s
	away.Outages = []sim.Span{{From: 0, To: 600 * second}}
	if v := Judge(never, &away, MaxRequests{}); v.State != Undecided || v.Answer() != "not to be said, the trigger lasts until 10 min" {
		t.Errorf("an outage until the end: %s: %s", v.State, v.Answer())
	}
	for _, c := range []struct {
		run  *sim.Result
		want string
	}{
		{lost, "no, 3 of 3 workers unserved; a crash cycle keeps it down (3 crashes, one each 18.5 s)"},
		{spikes(300, 10, 20), "yes, everyone was served at 2.1 s"},
		{toy(3, 1, wave{index: 0, failure: 3}, wave{index: 1, served: 1}), "no, 2 of 3 workers unserved"},
		{after, "yes, everyone was served at 2.1 s after 2 crashes"},
		{cycle, "no, 3 of 3 workers unserved; a crash cycle keeps it down (3 crashes, one each 4 min 54 s)"},
		{over, "no, 3 of 3 workers unserved after 2 crashes"},
		{&sim.Result{Window: second}, "not to be said, the traffic is too short"},
	} {
		v := Judge(c.run, &s, MaxRequests{Arrivals: 0})
		if v.Answer() != c.want {
			t.Errorf("%q, want %q", v.Answer(), c.want)
		}
	}
}

// A closed loop that is stuck offers nothing: what it would offer if it were well counts.
func TestClientsThatWait(t *testing.T) {
	s := flowSetup(300)
	s.Arrivals, s.OpenRate = nil, 40
	s.Clients = &sim.Clients{Count: 40, Think: downstream.Constant{D: 900 * time.Millisecond}, To: 300 * second} // 40 a second
	v := Judge(flow(stretch{30, 40, 40, 40, 0}, stretch{270, 2, 2, 80, 90}), &s, MaxRequests{Arrivals: 0})
	if share := v.End.GoodputShare(); v.State != Stuck || share.Value != 0.05 {
		t.Errorf("%s, goodput share %v, want stuck at 2 of 40", v.Sentence(), share)
	}
}

// Ticks of cron fall into some pieces and not into others, so pieces are as wide as their period.
func TestCronIsJudgedByItsPeriod(t *testing.T) {
	s := flowSetup(600)
	s.Arrivals, s.Cron, s.Outages = nil, &sim.Cron{Every: 60 * second, Count: 1000, To: 600 * second}, nil
	var minutes []stretch
	for range 10 { // worked off in 50 seconds
		minutes = append(minutes, stretch{1, 1000, 20, 1000, 0}, stretch{49, 0, 20, 0, 0}, stretch{10, 0, 0, 0, 0})
	}
	v := Judge(flow(minutes...), &s, MaxRequests{Arrivals: 0})
	if v.State != NeverDown || v.Width != 60*second {
		t.Errorf("%s in pieces of %v", v.Sentence(), v.Width)
	}
}

func TestWidthOfPieces(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Setup)
		want   time.Duration
	}{
		{"as the scenario says, in whole windows", func(s *Setup) { s.For = 1500 * time.Millisecond }, 2 * second},
		{"a thirtieth", func(s *Setup) {}, 10 * second},
		{"ten windows", func(s *Setup) { s.Arrivals = sim.Poisson(perSecond(40), 0, 60*second) }, 10 * second},
	} {
		s := flowSetup(300)
		c.change(&s)
		if v := Judge(flow(stretch{300, 40, 40, 40, 0}), &s, MaxRequests{Arrivals: 0}); v.Width != c.want {
			t.Errorf("%s: %v, want %v", c.name, v.Width, c.want)
		}
	}
	// However long the run, there is an end to the pieces.
	long := flowSetup(300)
	long.Horizon, long.For = math.MaxInt64, second
	long.Arrivals = sim.Poisson(perSecond(40), 0, long.Horizon)
	long.Outages = []sim.Span{{From: 0, To: long.Horizon}}
	if v := Judge(flow(stretch{300, 40, 40, 40, 0}), &long, MaxRequests{Arrivals: 0}); v.State != Undecided || len(v.Pieces) > mostPieces {
		t.Errorf("292 years: %s, %d pieces", v.Sentence(), len(v.Pieces))
	}
	// 0.1 a second: 25 tasks are 250 s, but a tenth of the time is the most.
	s := flowSetup(1000)
	s.Arrivals, s.OpenRate = nil, 0.1
	if v := Judge(flow(stretch{100, 1, 1, 1, 0}, stretch{900, 0, 0, 0, 0}), &s, MaxRequests{Arrivals: 0}); v.Width != 100*second {
		t.Errorf("few tasks: %v, want 100s", v.Width)
	}
}

// Whatever a run is like, its verdict is in itself consistent.
func TestVerdictsAddUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := func(name string, most int) int { return rapid.IntRange(0, most).Draw(rt, name) }
		var parts []stretch
		length := 0
		for range n("stretches", 6) {
			part := stretch{n("seconds", 60), int64(n("tasks", 50)), int64(n("goodput", 50)), int64(n("requests", 300)), int64(n("wasted", 50))}
			parts, length = append(parts, part), length+part.seconds
		}
		run, s := flow(parts...), flowSetup(max(1, n("horizon", 300)))
		run.End = sim.CutOff(n("end", 6))
		at(n("from", 100), 100+n("to", 300))(run, &s)
		if n("crashes", 1) == 1 {
			crashing(run, n("crash", 100), 110+n("again", 100))
		}
		if n("herd", 1) == 1 {
			s.Workers = 1
		}
		s.For = time.Duration(n("for", 20)) * second
		v := Judge(run, &s, MaxRequests{Arrivals: 6})

		good := true
		for i, p := range v.Pieces {
			if i > 0 && p.From != v.Pieces[i-1].To || p.From >= p.To {
				rt.Fatalf("piece %d is [%v, %v)", i, p.From, p.To)
			}
			good = good && p.Good
		}
		yes, ok := v.Recovered()
		switch {
		case len(v.Pieces) < leastPieces:
			if v.State != NotApplicable {
				rt.Fatalf("%s of %d pieces", v.State, len(v.Pieces))
			}
		case v.State == NeverDown && !good, ok && yes != v.End.Good, v.At > 0 != (v.State == Recovered), v.At > v.End.To,
			len(v.Loops) > 0 && v.State != Stuck, v.End.To != v.Pieces[len(v.Pieces)-1].To:
			rt.Fatalf("%s: %+v", v.Sentence(), v)
		}
	})
}
