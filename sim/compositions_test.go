package sim

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"herdsim/downstream"
	"herdsim/strategies"
)

// composition draws a Config of any parts together, tiers and guards too, which the reference does not have.
func composition(t *rapid.T) Config {
	d := newDrawing(t)
	cfg := d.config()
	if l := cfg.Downstream.RateLimit; l != nil && d.one(2, "ramp") {
		l.Ramp = downstream.Ramp{From: rapid.SampledFrom([]float64{0, 0.1, 0.5}).Draw(t, "ramp from"), Over: d.steps("ramp over", 1, 30)}
	}
	switch {
	case d.one(2, "tiers"):
		cfg.Network, cfg.Downstream.Contention = nil, downstream.NoContention
		cfg.PassDeadlines = rapid.Bool().Draw(t, "passed")
		for range rapid.IntRange(1, 3).Draw(t, "how many") {
			tier := Tier{Attempts: rapid.IntRange(1, 3).Draw(t, "attempts of a tier"), Strategy: strategies.Immediate{}}
			if d.one(2, "waits") {
				tier.Strategy = strategies.Fixed{Delay: d.steps("its wait", 1, 4)}
			}
			if d.one(2, "gives up") {
				tier.Timeout = d.steps("its timeout", 1, 8)
			}
			cfg.Tiers = append(cfg.Tiers, tier)
		}
	case d.one(2, "guards"):
		cfg.Guards = append(cfg.Guards, drawSpec(t, 0))
	}
	return cfg
}

// Whatever parts come together: every task is accounted for, nobody is stuck, no limit is broken, and a run is the same
// twice, traced or not.
func TestCompositionsConserve(t *testing.T) {
	var e Engine
	rapid.Check(t, func(t *rapid.T) {
		cfg := composition(t)
		r := e.Run(context.Background(), cfg)
		traced, trace := run(cfg)
		if d := diff(traced, r); d != "" {
			t.Errorf("- traced, + the same run not traced, with the memory of others:\n%s", d)
		}
		if len(cfg.Tiers) == 0 {
			checkConserved(t, r)
		}
		checkTasks(t, r, trace)
		checkBounds(t, &cfg, r)
		checkNobodyIsStuck(t, &cfg, r)
		checkCrashes(t, &cfg, r)
	})
}

// checkTasks holds the sums over tasks and attempts to each other and to the trace.
func checkTasks(t rapid.TB, r *Result, trace []AttemptRecord) {
	t.Helper()
	for _, tally := range []Tally{r.Herd, r.Open} {
		if tally.Succeeded+tally.DeadLettered+tally.Unfinished != tally.Tasks || min(tally.Succeeded, tally.DeadLettered, tally.Unfinished) < 0 {
			t.Errorf("tasks are lost: %+v", tally)
		}
	}
	var outcomes [6]int64
	var retries, first, arrived int64 // first attempts, and those that arrived before they were given up
	seen := map[[2]int64]bool{}
	for _, a := range trace {
		outcomes[a.Outcome]++
		if a.Attempt > 1 {
			retries++
		} else if first++; a.Arrived >= 0 {
			arrived++
		}
		if key := [2]int64{a.Task, a.Attempt}; seen[key] {
			t.Errorf("attempt %d of task %d was made twice", a.Attempt, a.Task)
		} else {
			seen[key] = true
		}
	}
	if outcomes != r.Outcomes || int64(len(trace)) != r.Attempts || retries != r.Retries {
		t.Errorf("%d attempts, %d retries, outcomes %v; traced %d, %d, %v", r.Attempts, r.Retries, r.Outcomes, len(trace), retries, outcomes)
	}
	var tasks, goodput, requests int64
	var most, wasted int64
	for _, w := range r.Windows {
		tasks, goodput, requests, wasted = tasks+w.Tasks, goodput+w.Goodput, requests+w.Requests, wasted+w.Wasted
		most = max(most, w.Requests-w.Failure)
		var sum int64
		for _, n := range w.Outcomes {
			sum += n
		}
		if sum != w.Requests || w.Failure < 0 || w.Failure > w.Requests || w.Tasks > w.Requests {
			t.Errorf("%+v does not add up", w)
		}
	}
	if tasks < arrived || tasks > first || goodput != r.Herd.Succeeded+r.Open.Succeeded || requests > r.Attempts || wasted != r.Wasted || most != r.PeakWindow {
		t.Errorf("windows hold %d tasks, %d good, %d requests, %d wasted, at most %d; want %d to %d, %d, at most %d, %d, %d", tasks,
			goodput, requests, wasted, most, arrived, first, r.Herd.Succeeded+r.Open.Succeeded, r.Attempts, r.Wasted, r.PeakWindow)
	}
}

// checkBounds holds what was there at once to what there is room for.
func checkBounds(t rapid.TB, cfg *Config, r *Result) {
	t.Helper()
	d := &cfg.Downstream
	for _, w := range r.Windows {
		if d.Queue != downstream.Unlimited && w.QueueMax > int64(d.Queue) || d.Concurrency > 0 && w.QueueMax > int64(d.Concurrency) ||
			w.InServiceMax > int64(d.MostInService()) || min(w.QueueMax, w.InServiceMax) < 0 {
			t.Errorf("window %d: %d queued, %d in service; a queue of %d, %d at once of %d", w.Index, w.QueueMax, w.InServiceMax, d.Queue,
				d.MostInService(), d.Concurrency)
		}
		// A slot that works debt off counts when a request comes, but begins without asking.
		if c := d.Crash; c != nil && (c.InFlight > 0 && d.RejectCost == 0 && max(w.QueueMax, w.InServiceMax) > int64(c.InFlight) || c.Queued > 0 && w.QueueMax > int64(c.Queued)) {
			t.Errorf("window %d: %d queued, %d in service has not made it crash: %+v", w.Index, w.QueueMax, w.InServiceMax, *c)
		}
	}
	for _, s := range r.States {
		if !(s.Cache >= 0 && s.Cache <= 1 && s.Warm > 0 && s.Warm <= 1) {
			t.Errorf("state %+v", s)
		}
	}
}

// checkNobodyIsStuck holds that who has not finished when nothing more is to come is one whom nobody will answer.
func checkNobodyIsStuck(t rapid.TB, cfg *Config, r *Result) {
	t.Helper()
	if r.End != NotCutOff {
		return
	}
	silent := cfg.Downstream.Overflow == downstream.Drop || cfg.Downstream.Crash != nil && cfg.Downstream.Crash.Mode == downstream.Hang
	for _, o := range cfg.Downstream.Outages {
		silent = silent || o.Mode == downstream.Hang
	}
	unfinished, inFlight := r.Herd.Unfinished+r.Open.Unfinished, r.Outcomes[strategies.InFlight]
	switch {
	case inFlight > 0 && (!silent || cfg.Timeout > 0 && len(cfg.Tiers) == 0):
		t.Errorf("%d attempts in flight for ever before a downstream that answers, or a client that gives up", inFlight)
	case unfinished > inFlight || len(cfg.Tiers) == 0 && unfinished < inFlight:
		t.Errorf("%d tasks unfinished with nothing to come, %d attempts in flight", unfinished, inFlight)
	}
}

// checkCrashes holds crashes to their length, and apart from each other and from outages.
func checkCrashes(t rapid.TB, cfg *Config, r *Result) {
	t.Helper()
	end := Time(0)
	for i, c := range r.Crashes {
		until := c.To
		if until < 0 {
			until = c.From + cfg.Downstream.Crash.Down
		}
		if c.From < end || until-c.From != cfg.Downstream.Crash.Down || c.To < 0 && i < len(r.Crashes)-1 || (c.To < 0) != (until > r.EndedAt) {
			t.Errorf("crash %d of %v, ended at %v", i, r.Crashes, r.EndedAt)
		}
		for _, o := range cfg.Downstream.Outages {
			if o.Full() && o.Mode != downstream.Stall && c.From >= o.From && c.From < o.To {
				t.Errorf("it crashes at %v in an outage from %v to %v", c.From, o.From, o.To)
			}
		}
		end = until
	}
}

// A tier whose time is up at its task's deadline leaves the task to be given up.
func TestTierAtTheDeadline(t *testing.T) {
	cfg := layered(1, 2, 1)
	cfg.Tiers[0].Timeout, cfg.Deadline, cfg.MaxAttempts = time.Second, time.Second, 0
	cfg.Downstream.Outages = []downstream.Outage{{To: time.Second, Mode: downstream.Hang}}
	if r := Run(context.Background(), cfg); r.Herd.DeadLettered != 1 || r.Attempts != 1 {
		t.Errorf("%+v after %d requests, want one dead-lettered after 1", r.Herd, r.Attempts)
	}
}

// A tier that is asked to wait for ever, by a rate limit that lets nobody in, does.
func TestTierThatWaitsForEver(t *testing.T) {
	cfg := layered(1, 2)
	cfg.Downstream.RateLimit = &downstream.RateLimit{Rate: downstream.Rate{Per: time.Second}, RetryAfter: true}
	cfg.Tiers[0].Timeout = time.Second
	if r := Run(context.Background(), cfg); r.Attempts != 1 || r.Herd.Unfinished != 1 || r.End != AtHorizon {
		t.Errorf("%d requests, %+v, end %v; want 1, unfinished at the horizon", r.Attempts, r.Herd, r.End)
	}
}

// A client thinks again when its task has been given up, though a tier knew before that its wait would be too long.
func TestClientThinksAfterItsTiersHaveGivenUp(t *testing.T) {
	for _, passed := range []bool{false, true} {
		cfg := layered(0, 1)
		cfg.Clients = &Clients{Count: 1, Think: downstream.Constant{D: time.Second / 2}, To: time.Minute}
		cfg.Tiers[0] = Tier{Attempts: 2, Strategy: strategies.Fixed{Delay: 10 * time.Second}}
		cfg.Timeout, cfg.ErrorRate, cfg.PassDeadlines, cfg.Horizon = time.Second, 1, passed, 8*time.Second
		_, trace := run(cfg)
		for n, a := range trace {
			if want := time.Second/2 + Time(n)*3*time.Second/2; a.Sent != want {
				t.Errorf("deadlines passed %v: task %d is sent at %v, want %v", passed, n+1, a.Sent, want)
			}
		}
		if len(trace) != 5 {
			t.Errorf("%d requests, want 5", len(trace))
		}
	}
}
