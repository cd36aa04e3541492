// Package sim is the engine: a discrete-event simulation of a herd of workers that retry against one downstream.
//
// At one instant changes of the downstream come first, then departures, then answers that were on the way, then
// timeouts, then arrivals; within a class the order is that of task numbers. Workers have the first numbers, open tasks
// follow in the order of their arrival. No order depends on who scheduled what first.
package sim

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"herdsim/downstream"
	"herdsim/strategies"
)

// Run lets time pass: it plays the run that cfg describes until no event is left, the horizon, the limit on events, or
// the context ends it, and returns what was recorded. It is a pure function of cfg, unless the context ends it.
func Run(ctx context.Context, cfg Config) *Result { return new(Engine).Run(ctx, cfg) }

// An Engine runs simulations one after the other and keeps its memory between them.
type Engine struct {
	cfg    *Config
	server downstream.Server
	agenda agenda

	departures, answers, timeouts dues
	transit                       lanes // requests on their way, where guards decide when they are sent, and deliveries
	guards                        guarding
	tiers                         tiers
	messages                      messages
	polls                         polls
	sentAhead                     []event // attempts that will be given up before they arrive
	change                        Time    // the next change of the downstream
	requests                      requests
	pacer                         pacer
	rec                           recorder
	res                           *Result

	waits, services, requestDelays, replyDelays, poisons, errs, retryAfters stream
	handshakes, readReplies, writeRequests, cacheLuck, askings              stream
	src                                                                     source

	open       openTraffic
	cursor     uint32           // the next worker of a herd that calls at t0
	firstSent  []Time           // by task, if anyone asks for it and it is not t0
	slept      []time.Duration  // by task, if the strategy reads it
	plain      bool             // nothing but the strategy decides over a retry
	previous   bool             // the strategy reads PreviousU
	laws       []strategies.Law // of the first retries, if the strategy has them: as its Wait, without the call
	watch      watch
	orderly    bool // take no buckets as a whole, to say what a limit cuts off
	oneByOne   bool // nor for any other reason
	behind     Time // the end of the last bucket that was taken as a whole
	single     [1]event
	constant   time.Duration      // the service time, if it is always the same; else -1
	varies     bool               // services take more or less than what was drawn
	begun      []downstream.Begun // by request, if they do
	expires    bool               // requests may wait in the queue for too long
	probed     bool               // the downstream is sent probes
	tracked    int                // windows at whose end the downstream has been looked at
	now        Time
	events     int64
	checkAt    int64 // events at which to look up from the work
	timers     int   // timeouts that will go off
	dropped    bool  // an attempt was not scheduled because it lies beyond the horizon
	herd       uint32
	unfinished int64
}

const (
	checkEvery  = 1 << 16 // events
	tableOfLaws = 256     // retries: an un-jittered herd that is served slowly comes back as often
)

// Run is Run with the memory of earlier runs.
func (e *Engine) Run(ctx context.Context, cfg Config) *Result {
	e.orderly = cfg.Clients != nil // what becomes of one attempt moves when others come
	e.run(ctx, &cfg)
	if e.res.End == AtMaxEvents && e.isLeftBehind() {
		// Attempts were counted that come after others that were not. To say what the limit cuts off, each has to be
		// taken in its turn.
		e.orderly = true
		e.run(ctx, &cfg)
	}
	return e.res
}

func (e *Engine) run(ctx context.Context, cfg *Config) {
	e.reset(cfg)
	e.startHerd()
	e.res.End = e.play(ctx)
	e.finish()
}

func (e *Engine) reset(cfg *Config) {
	e.cfg, e.res = cfg, &Result{}
	e.server.Reset(cfg.Downstream)
	e.change = e.server.NextChange()
	e.departures.reset()
	e.answers.reset()
	e.timeouts.reset()
	e.transit.reset()
	e.guards.reset(cfg, &e.open)
	e.polls.reset(cfg)
	e.tiers.reset(cfg)
	e.resetMessages(cfg)
	e.sentAhead = e.sentAhead[:0]
	e.requests.reset()
	e.pacer = newPacer(cfg.Downstream)
	e.rec.reset(cfg, e.res)
	e.waits, e.services = newStream(cfg.Seed, forWait), newStream(cfg.Seed, forService)
	e.requestDelays, e.replyDelays = newStream(cfg.Seed, forRequestDelay), newStream(cfg.Seed, forReplyDelay)
	e.poisons, e.errs = newStream(cfg.Seed, forPoison), newStream(cfg.Seed, forError)
	e.retryAfters = newStream(cfg.Seed, forRetryAfter)
	e.handshakes, e.cacheLuck, e.askings = newStream(cfg.Seed, forHandshake), newStream(cfg.Seed, forCache), newStream(cfg.Seed, forAsking)
	e.readReplies, e.writeRequests = newStream(cfg.Seed, forReadReply), newStream(cfg.Seed, forWriteRequest)
	e.varies, e.expires, e.tracked = e.server.Varies(), cfg.Downstream.QueueTimeout != nil, 0
	e.probed = cfg.Downstream.Crash != nil && cfg.Downstream.Crash.Liveness.Every > 0
	e.orderly = e.orderly || e.server.HasState() // it is looked at at the end of each window
	e.now, e.events, e.dropped, e.behind = 0, 0, false, 0
	e.checkAt = min(checkEvery, cfg.MaxEvents)
	e.herd = uint32(cfg.Workers)
	e.unfinished = int64(cfg.Workers)
	e.res.Herd.Tasks = int64(cfg.Workers)
	e.open.reset(cfg)
	e.constant = -1
	if c, ok := cfg.Downstream.Service.(downstream.Constant); ok {
		e.constant = c.D
	}
	e.timers = 0
	e.watch.reset(cfg)
	e.resetTables(cfg)
	longest := max(cfg.FirstWait, cfg.Start.late(), cfg.Window) // a window: open tasks come one by one, even if no wait is long
	if cfg.Paced {
		longest = max(longest, e.pacer.turn(int64(cfg.Workers)))
	} else {
		longest = max(longest, strategies.Longest(cfg.Strategy))
	}
	e.oneByOne = e.orderly || e.guards.on() || e.messages.on() || cfg.Network != nil || cfg.Paced || cfg.Trace != nil || cfg.Executed != nil
	e.agenda.reset(cfg.Workers, min(longest, cfg.Horizon))
}

// resetTables makes the tables by task that only some runs need.
func (e *Engine) resetTables(cfg *Config) {
	uniform, simple := cfg.Strategy.(strategies.Uniform)
	asks := !simple && !cfg.Paced
	e.laws = e.laws[:0]
	for n := 0; simple && n < tableOfLaws; n++ {
		e.laws = append(e.laws, uniform.Law(n))
	}
	e.firstSent, e.slept = nil, nil
	unlimited, timeless := cfg.unlimited()
	if (!timeless || asks) && (!cfg.Start.atOnce() || cfg.hasOpen()) {
		e.firstSent = make([]Time, cfg.Workers)
	}
	if asks && strategies.ReadsSlept(cfg.Strategy) {
		e.slept = make([]time.Duration, cfg.Workers)
	}
	e.previous = asks && strategies.ReadsPrevious(cfg.Strategy)
	e.plain = unlimited && cfg.FirstWait == 0 && cfg.Poll.Every == 0 && len(cfg.Guards) == 0 && len(cfg.Tiers) == 0 && cfg.Broker == nil && cfg.Network == nil && !cfg.Paced && cfg.Executed == nil
}

// play handles events in their order until the run ends.
func (e *Engine) play(ctx context.Context) CutOff {
	for {
		if e.events >= e.checkAt {
			if end := e.lookUp(ctx); end != NotCutOff {
				return end
			}
		}
		if e.turnAwayMany() {
			continue
		}
		next, queued := e.nextArrival()
		arrival := next.at
		open := e.open.next < arrival
		if open {
			arrival = e.open.next
		}
		// What is due at the instant of an arrival comes before it.
		due := min(e.change, e.departures.soonest, e.answers.soonest, e.timeouts.soonest, e.messages.next, e.transit.soonest)
		at := min(due, arrival)
		if at >= e.rec.end {
			e.track()
		}
		if at >= e.cfg.Horizon {
			if e.idle() {
				return NotCutOff
			}
			return AtHorizon
		}
		switch {
		case arrival < due && open:
			e.openTask(arrival)
		case arrival < due:
			if queued {
				e.agenda.pop()
			} else {
				e.cursor++
			}
			e.leave(next)
		case e.change == due:
			if e.idle() {
				return NotCutOff
			}
			e.changeDownstream()
		case e.departures.soonest == due:
			e.depart(e.departures.pop())
		case e.answers.soonest == due:
			e.answer(e.answers.pop())
		case e.timeouts.soonest == due:
			e.timeOut(e.timeouts.pop())
		case e.messages.next == due:
			e.brokerActs()
		default:
			e.arrive(e.transit.pop().event())
		}
	}
}

// nextArrival returns the next attempt to reach the downstream, at the largest Time if there is none, and whether it
// comes from the agenda. A herd that calls at t0 is a loop over its workers, not so many entries.
func (e *Engine) nextArrival() (next event, queued bool) {
	if e.cursor < e.herd {
		if n := e.agenda.peekFirst(); n != nil && n.task < e.cursor {
			return *n, true
		}
		return event{task: e.cursor, attempt: 1}, false
	}
	if n := e.agenda.peek(); n != nil {
		return *n, true
	}
	return event{at: math.MaxInt64}, false
}

// idle reports whether nothing that concerns anybody is to come.
func (e *Engine) idle() bool {
	return e.agenda.count == 0 && e.cursor == e.herd && e.open.next == math.MaxInt64 && e.server.Busy() == 0 &&
		e.server.Queued() == 0 && e.answers.empty() && e.transit.empty() && e.messages.next == math.MaxInt64 && e.timers == 0 && !e.dropped
}

// lookUp sees to the world outside now and then.
func (e *Engine) lookUp(ctx context.Context) CutOff {
	switch {
	case e.events >= e.cfg.MaxEvents:
		return AtMaxEvents
	case e.rec.full:
		return AtMaxWindows
	case e.requests.live() > bounds.requests:
		return AtMaxRequests
	case e.crowded():
		return AtMaxTasks
	case ctx.Err() != nil:
		return Cancelled
	}
	e.checkAt = min(e.events+checkEvery, e.cfg.MaxEvents)
	if e.cfg.Progress != nil {
		e.cfg.Progress(e.now, e.events, e.unfinished)
	}
	return NotCutOff
}

// draw returns a random duration of d for an attempt.
func (e *Engine) draw(d downstream.Distribution, from stream, task, attempt uint32) time.Duration {
	e.src.seed(from, uint64(task), uint64(attempt))
	return d.Draw(&e.src)
}

var _ rand.Source = (*source)(nil)

func (e *Engine) finish() {
	res := e.res
	res.Events = e.events
	res.EndedAt = e.now
	if res.End == AtHorizon {
		res.EndedAt = e.cfg.Horizon
	}
	e.countInFlight()
	e.track()
	e.closeCrashes()
	e.finishMessages()
	res.Guards = e.guards.finish(res.EndedAt)
	averaged := Time(-1)
	if e.cfg.hasOpen() {
		averaged = max(res.EndedAt, e.rec.departed.at)
		if res.End == NotCutOff {
			averaged = e.cfg.Horizon
		}
	}
	e.rec.finish(averaged)
	res.Herd.Succeeded = int64(len(res.Completions))
	res.Herd.Unfinished = res.Herd.Tasks - res.Herd.Succeeded - res.Herd.DeadLettered
	res.Open.Unfinished = res.Open.Tasks - res.Open.Succeeded - res.Open.DeadLettered
	res.Sample, res.SampleEvery, res.SampleFull = slices.Clone(e.watch.sample), e.watch.every, e.watch.full
}

// countInFlight counts the attempts that have been sent and have not ended.
func (e *Engine) countInFlight() {
	for i := range e.requests.count {
		q := e.requests.at(i)
		if q.state == free || q.abandoned {
			continue
		}
		e.res.Outcomes[strategies.InFlight]++
		if e.watch.wants(q.task) {
			e.watch.ended(q.task, q.attempt, AttemptRecord{Sent: q.sent, Arrived: q.arrived, Outcome: strategies.InFlight,
				Failure: q.state == swallowed && e.isFirstOfHerd(q.task, q.attempt), End: -1, Queued: q.queuedFor(e.res.EndedAt)})
		}
	}
	if e.cfg.Network != nil {
		e.countOnTheWay()
	}
}

// countOnTheWay counts the attempts that had not reached the downstream when the run ended.
func (e *Engine) countOnTheWay() {
	waiting := map[[2]uint32]bool{} // their workers have not given them up
	for !e.timeouts.empty() {
		if d := e.timeouts.pop(); d.request == noRequest {
			waiting[[2]uint32{d.task, d.attempt}] = true
		}
	}
	for a, ok := e.nextOnTheWay(); ok; a, ok = e.nextOnTheWay() {
		sent := e.sentAt(a)
		if sent > e.res.EndedAt || sent >= e.cfg.Horizon {
			continue
		}
		e.res.Attempts++
		if a.attempt > 1 {
			e.res.Retries++
		}
		if e.impatient(a.task) && a.at >= e.patience(a.task, sent) && !waiting[[2]uint32{a.task, a.attempt}] {
			continue // counted when it timed out
		}
		e.res.Outcomes[strategies.InFlight]++
		if e.watch.wants(a.task) {
			e.watch.ended(a.task, a.attempt, AttemptRecord{Sent: sent, Arrived: -1, Outcome: strategies.InFlight, End: -1})
		}
	}
}

// nextOnTheWay takes the next attempt that has not reached the downstream.
func (e *Engine) nextOnTheWay() (a event, ok bool) {
	if e.guards.on() {
		if e.transit.empty() {
			return a, false // what is left in the agenda has not been sent
		}
		return e.transit.pop().event(), true
	}
	next := e.agenda.peek()
	if next == nil {
		return a, false
	}
	a = *next
	e.agenda.pop()
	return a, true
}
