package guards

import (
	"time"

	"herdsim/strategies"
)

// Breaker is a circuit breaker. Closed, it lets calls through and watches how they end:
//
//	it opens at Consecutive failures in a row, or
//	when failures / results >= Ratio (Above: > Ratio) in its window, and the window has at least MinCalls results
//
// Ratio is asked after a failure; with AfterSuccess after any result, so that a success may be the last of MinCalls.
// Both rules may be set; a zero is no rule. The window is that of the last Calls results or, if Window is set, of the
// results of that time, in Buckets of which the current one is not over.
//
// Open, it puts calls off until OpenFor has passed; at that instant, or with Strict a nanosecond later, the first call
// makes it half-open. Half-open, it lets Probes calls through in all, or with InFlight so many at a time, and puts off the
// others. It opens again once ProbeFailures of them have failed, and closes once more than Probes - ProbeFailures have
// succeeded; with Together it waits until Probes have ended. A probe that never ends keeps it half-open, unless MaxHalfOpen
// opens it again.
//
// Each change begins a new generation. What comes from a call of an earlier one is not counted, unless CountStale.
type Breaker struct {
	Consecutive int // >= 0

	Ratio        float64       // in [0, 1]
	Above        bool          // only a larger share than Ratio opens it
	Calls        int           // >= 1, if Window is 0
	Window       time.Duration // >= 0
	Buckets      int           // >= 1, if Window is not 0
	MinCalls     int           // >= 0; with Window 0, more than Calls counts as Calls
	AfterSuccess bool
	CheckEvery   time.Duration // with Window: Ratio is looked at at multiples of it, from t0; 0: when results come

	OpenFor strategies.Exponential // how long it is open the first time in a row, the second, ...
	Strict  bool

	Probes        int // >= 1
	ProbeFailures int // from 1 to Probes
	InFlight      bool
	Together      bool
	MaxHalfOpen   time.Duration // >= 0; 0 for ever
	CountStale    bool
}

var _ Maker = (*Breaker)(nil)

// Make returns a closed breaker.
func (p *Breaker) Make() Guard { return &breaker{p: p} }

type breaker struct {
	p          *Breaker
	history    *history // made with the first result that Ratio is asked about
	since      time.Duration
	until      time.Duration // open: the first instant at which a call may pass
	opened     int64
	tick       int64 // the last multiple of CheckEvery that was looked at
	generation uint32
	row        int32 // closed: failures in a row; open, half-open: how often it opened in a row
	admitted   int32 // half-open: probes let through,
	flying     int32 // those of them that have not ended,
	succeeded  int32 // and results
	failed     int32
	phase      Phase
	drawn      bool // until is known
}

// history is the window that Ratio is asked about.
type history struct {
	last    last
	rolling rolling       // results and failures,
	width   time.Duration // in buckets of this width
}

func (g *breaker) Allow(time.Duration, strategies.Outcome) (uint64, bool) { return 0, true }

func (g *breaker) Admit(now time.Duration, _ Call, u float64) Answer {
	g.look(now)
	if g.phase == Open {
		if !g.drawn {
			g.draw(u)
		}
		if now < g.until {
			return Answer{Verdict: PutOff, Until: g.until}
		}
		g.become(HalfOpen, now)
	}
	if g.phase == HalfOpen {
		busy := g.admitted
		if g.p.InFlight {
			busy = g.flying
		}
		if int(busy) >= g.p.Probes {
			return Answer{Verdict: PutOff, Until: now}
		}
		g.admitted++
		g.flying++
	}
	return Answer{Ticket: g.generation}
}

// draw says how long it stays open. It waits for the first call to have its luck; nobody is let through before.
func (g *breaker) draw(u float64) {
	open, _ := g.p.OpenFor.Wait(strategies.Attempt{SinceReset: int(g.row)}, u)
	if g.p.Strict {
		open++
	}
	if g.until = g.since + open; g.until < g.since {
		g.until = 1<<63 - 1
	}
	g.drawn = true
}

func (g *breaker) Done(now time.Duration, c Call, o strategies.Outcome) {
	g.look(now)
	stale := c.Ticket != g.generation
	if stale && !g.p.CountStale {
		return
	}
	failed := o != strategies.Served
	switch g.phase {
	case Closed:
		g.count(now, failed)
	case HalfOpen:
		if !stale {
			g.flying--
		}
		if failed {
			g.failed++
		} else {
			g.succeeded++
		}
		g.decide(now)
	}
}

// count counts a result while it is closed.
func (g *breaker) count(now time.Duration, failed bool) {
	if failed {
		g.row++
	} else {
		g.row = 0
	}
	if g.p.Ratio > 0 {
		g.remember(now, failed)
	}
	if g.p.Consecutive > 0 && int(g.row) >= g.p.Consecutive || g.p.CheckEvery <= 0 && (failed || g.p.AfterSuccess) && g.tooMany(now) {
		g.row = 0
		g.become(Open, now)
	}
}

func (g *breaker) remember(now time.Duration, failed bool) {
	if g.history == nil {
		g.history = &history{width: max(g.p.Window/time.Duration(max(g.p.Buckets, 1)), 1)}
	}
	if g.p.Window <= 0 {
		g.history.last.add(failed, max(g.p.Calls, 1))
		return
	}
	failures := int32(0)
	if failed {
		failures = 1
	}
	g.history.rolling.add(now, g.history.width, g.p.Buckets, 1, failures)
}

// tooMany reports whether the share of failures in the window opens it.
func (g *breaker) tooMany(now time.Duration) bool {
	if g.p.Ratio <= 0 || g.history == nil {
		return false
	}
	results, failures, least := int64(g.history.last.count), int64(g.history.last.failures), min(g.p.MinCalls, g.p.Calls)
	if g.p.Window > 0 {
		results, failures = g.history.rolling.sums(now, g.history.width)
		least = g.p.MinCalls
	}
	if results < int64(max(least, 1)) {
		return false
	}
	// A share of 0.3 of 10 is 3, and 10 × 0.3 a hair more.
	limit := g.p.Ratio * float64(results)
	if g.p.Above {
		return float64(failures) > limit*(1+1e-12)
	}
	return float64(failures) >= limit*(1-1e-12)
}

// look lets happen what time alone brings about.
func (g *breaker) look(now time.Duration) {
	switch {
	case g.phase == Closed && g.p.CheckEvery > 0:
		g.check(int64(now / g.p.CheckEvery))
	case g.phase == HalfOpen && g.p.MaxHalfOpen > 0 && now-g.since >= g.p.MaxHalfOpen:
		g.become(Open, g.since+g.p.MaxHalfOpen)
	}
}

// check looks at the window at each multiple of CheckEvery that has passed, up to the given one: failures may outlast
// successes in it. Once it is empty there is nothing more to see.
func (g *breaker) check(tick int64) {
	for g.tick < tick && g.history != nil {
		g.tick++
		at := time.Duration(g.tick) * g.p.CheckEvery
		if g.tooMany(at) {
			g.row = 0
			g.become(Open, at)
			return
		}
		if results, _ := g.history.rolling.sums(at, g.history.width); results == 0 {
			break
		}
	}
	g.tick = max(g.tick, tick)
}

// decide closes it or opens it again after a result while it is half-open.
func (g *breaker) decide(now time.Duration) {
	if g.p.Together && int(g.failed+g.succeeded) < g.p.Probes {
		return
	}
	switch {
	case int(g.failed) >= g.p.ProbeFailures:
		g.become(Open, now)
	case int(g.succeeded) > g.p.Probes-g.p.ProbeFailures:
		g.become(Closed, now)
	}
}

// become begins a new generation.
func (g *breaker) become(phase Phase, now time.Duration) {
	g.phase, g.since, g.drawn = phase, now, false
	g.generation++
	g.admitted, g.flying, g.succeeded, g.failed = 0, 0, 0, 0
	switch phase {
	case Open:
		g.opened++
		g.row++
	case Closed:
		g.row = 0
		if g.p.CheckEvery > 0 {
			g.tick = int64(now / g.p.CheckEvery)
		}
		if g.history != nil {
			g.history.last.empty()
			g.history.rolling.empty()
		}
	}
}

// Cancel takes back the admission of a probe.
func (g *breaker) Cancel(_ time.Duration, c Call) {
	if g.phase == HalfOpen && c.Ticket == g.generation {
		g.admitted--
		g.flying--
	}
}

func (g *breaker) Drop(time.Duration, Call) {}

func (g *breaker) State(now time.Duration) State {
	s := State{Phase: g.phase, Opened: g.opened, Level: 1}
	if g.phase == Open && g.drawn && now >= g.until {
		s.Phase = HalfOpen // it will be, for the first who calls
	}
	switch {
	case g.phase == Open:
		s.Level = 0
	case g.phase == HalfOpen:
		busy := g.admitted
		if g.p.InFlight {
			busy = g.flying
		}
		s.Level = share(float64(g.p.Probes)-float64(busy), float64(g.p.Probes))
	}
	return s
}
