package sim

import (
	"math"
	"time"

	"herdsim/downstream"
	"herdsim/strategies"
)

// send schedules an attempt that leaves its worker at the given instant. prev is the strategy's last wait.
func (e *Engine) send(task, attempt uint32, at Time, prev time.Duration) {
	a := event{at: at, prev: prev, task: task, attempt: attempt}
	e.tiers.sent(task, attempt, at)
	if attempt == 1 && e.firstSent != nil && task < e.herd {
		e.firstSent[task] = at
	}
	if e.cfg.Network == nil || e.guards.on() {
		if at >= e.cfg.Horizon {
			e.dropped = true
			return
		}
		e.agenda.push(a)
		return
	}
	e.agenda.push(e.underway(a))
}

// underway turns an attempt that is sent into one that reaches the downstream a network delay later.
func (e *Engine) underway(a event) event {
	sent := a.at
	delay := e.draw(e.cfg.Network, e.requestDelays, a.task, a.attempt)
	a.at = min(addSaturated(sent, delay), math.MaxInt64-1) // the agenda ends before the largest Time
	if until := e.patience(a.task, sent); a.at >= until && e.impatient(a.task) {
		// Its worker will have given it up when it arrives.
		e.timers++
		e.timeouts.push(due{at: until, prev: a.prev, task: a.task, attempt: a.attempt, request: noRequest})
		e.sentBefore(a, sent)
	}
	return a
}

// leave lets an attempt that is due leave its worker, if the guards admit it.
func (e *Engine) leave(a event) {
	switch {
	case e.messages.on():
		e.message(a)
	case !e.guards.on():
		e.arrive(a)
	case !e.admitted(a):
	case e.cfg.Network == nil:
		e.arrive(a)
	default:
		a = e.underway(a)
		e.transit.push(due{at: a.at, prev: a.prev, task: a.task, attempt: a.attempt})
	}
}

// sentAt returns when an attempt left its worker.
func (e *Engine) sentAt(a event) Time {
	if e.cfg.Network == nil {
		return a.at
	}
	return a.at - e.draw(e.cfg.Network, e.requestDelays, a.task, a.attempt)
}

func (e *Engine) isFirstOfHerd(task, attempt uint32) bool { return attempt == 1 && task < e.herd }

// arrive lets an attempt reach the downstream.
func (e *Engine) arrive(a event) {
	e.events++
	e.now = a.at
	e.res.Attempts++
	e.rec.tick(a.at)
	if a.attempt > 1 {
		e.res.Retries++
		if e.res.FirstRetry < 0 {
			e.res.FirstRetry = a.at
		}
	} else {
		e.rec.offered()
	}
	e.res.LastRequest = a.at
	if e.expires {
		e.makeRoom()
	}
	verdict, after := e.server.Admit(a.at)
	first := e.isFirstOfHerd(a.task, a.attempt)
	switch {
	case verdict == downstream.Started || verdict == downstream.Waiting:
		e.rec.request(a.at, false)
		e.accept(a, verdict)
	case verdict == downstream.Swallowed:
		e.rec.request(a.at, first)
		e.swallow(a, swallowed)
	case verdict == downstream.Dropped:
		e.rec.request(a.at, false)
		e.swallow(a, dropped)
	case verdict == downstream.Refused:
		e.rec.request(a.at, first && e.cfg.Network == nil)
		e.turnAway(a, strategies.Unavailable, 0)
	case verdict == downstream.Breaking:
		e.breakDown(a, first)
	default:
		e.rec.request(a.at, false)
		if after > 0 && verdict == downstream.Full {
			after = e.askedOf(a.task, a.attempt, after)
		}
		e.turnAway(a, strategies.Rejected, after)
	}
}

// turnAway answers a request at once.
func (e *Engine) turnAway(a event, o Outcome, after time.Duration) {
	if e.cfg.Network != nil {
		q := e.newRequest(a)
		q.state, q.outcome, q.after = answering, o, after
		q.counted = o == strategies.Unavailable && e.mayBeFailure(a)
		e.sendAnswer(e.requests.add(q))
		return
	}
	e.rec.outcome(e.rec.current(), o)
	if e.watch.wants(a.task) {
		e.watch.ended(a.task, a.attempt, AttemptRecord{Sent: a.at, Arrived: a.at, Outcome: o, End: a.at,
			Failure: o == strategies.Unavailable && e.isFirstOfHerd(a.task, a.attempt)})
	}
	e.guards.done(a.task, a.attempt, a.at, o)
	e.retry(a.task, a.attempt, a.at, o, a.prev, after)
}

// mayBeFailure notes that a request may turn out to be part of the failure itself.
func (e *Engine) mayBeFailure(a event) bool {
	if !e.isFirstOfHerd(a.task, a.attempt) {
		return false
	}
	e.rec.peaks.undecided++
	return true
}

func (e *Engine) newRequest(a event) request {
	q := request{sent: e.sentAt(a), arrived: a.at, started: -1, prev: a.prev, window: int32(e.rec.current()), task: a.task, attempt: a.attempt}
	if e.cfg.Network != nil && e.impatient(a.task) && a.at >= e.patience(a.task, q.sent) {
		q.abandoned = true // and its timeout has gone off
		e.rec.res.Windows[q.window].Outcomes[strategies.TimedOut]++
	}
	return q
}

// accept gives a request a slot or a place in the queue.
func (e *Engine) accept(a event, v downstream.Verdict) {
	q := e.newRequest(a)
	if q.abandoned && e.cfg.Downstream.CancelAbandoned {
		if v == downstream.Started {
			e.server.Free()
		}
		return
	}
	q.state, q.counted = queued, e.mayBeFailure(a)
	i := e.requests.add(q)
	e.armTimeout(i)
	if v == downstream.Started {
		e.serve(i)
	} else {
		e.requests.at(i).place = e.server.Enqueue(i, a.at)
	}
	e.rec.levels(a.at, e.server.Queued(), e.server.Busy())
}

// swallow takes a request for ever.
func (e *Engine) swallow(a event, how state) {
	q := e.newRequest(a)
	if q.abandoned {
		return
	}
	q.state = how
	e.armTimeout(e.requests.add(q))
}

// serve begins the service of a request that has been given a slot.
func (e *Engine) serve(i uint32) {
	q := e.requests.at(i)
	q.state, q.started = serving, e.now
	e.rec.waited(e.now - q.arrived)
	service := e.work(q)
	if e.varies {
		service = e.begin(i, service)
	}
	e.departures.push(due{at: addSaturated(e.now, service), task: q.task, attempt: q.attempt, request: i, made: q.made})
}

// fill gives free slots what there is to do.
func (e *Engine) fill() {
	for {
		job, ok := e.server.Take(e.now)
		switch {
		case !ok:
			if e.probed { // a probe may have been answered
				e.change = e.server.NextChange()
			}
			return
		case job.Debt > 0:
			// No task has the largest number, so at one instant debts come last.
			e.departures.push(due{at: addSaturated(e.now, job.Debt), task: noTask, request: noRequest})
		case job.Late:
			e.expire(job.ID)
		default:
			e.serve(job.ID)
		}
	}
}

const noTask = ^uint32(0)

// depart ends the work of a slot.
func (e *Engine) depart(d due) {
	if d.request != noRequest && e.requests.at(d.request).made != d.made {
		return // dropped from its slot
	}
	e.events++
	e.now = d.at
	e.rec.tick(d.at)
	e.rec.departure(d.at)
	conflict := false
	if e.varies && d.request != noRequest {
		q := e.requests.at(d.request)
		conflict = e.server.Finish(d.at, e.begun[d.request], !q.abandoned)
	}
	e.server.Free()
	e.fill()
	e.rec.levels(d.at, e.server.Queued(), e.server.Busy())
	if d.request == noRequest {
		return
	}
	q := e.requests.at(d.request)
	if q.abandoned {
		e.rec.wasted()
		e.drop(d.request)
		return
	}
	q.state, q.outcome, q.after = answering, strategies.Served, 0
	if conflict || e.fails(q.task, q.attempt) {
		q.outcome = strategies.Errored
	}
	if e.cfg.Network == nil {
		e.conclude(d.request)
		return
	}
	e.sendAnswer(d.request)
}

// fails draws whether an attempt fails although it was served.
func (e *Engine) fails(task, attempt uint32) bool {
	if e.cfg.ErrorRate == 0 && e.cfg.Poison == 0 && !e.messages.on() {
		return false
	}
	return e.poisoned(task) || e.cfg.ErrorRate > 0 && e.errs.uniform(uint64(task), uint64(attempt)) < e.cfg.ErrorRate
}

// poisoned reports whether a task never succeeds.
func (e *Engine) poisoned(task uint32) bool {
	return e.messages.on() && int(task) < e.messages.cfg.Poison || e.cfg.Poison > 0 && e.poisons.uniform(uint64(task), 0) < e.cfg.Poison
}

// sendAnswer puts the answer to a request on its way, or lets its worker time out before it comes.
func (e *Engine) sendAnswer(i uint32) {
	q := e.requests.at(i)
	at := addSaturated(e.now, e.draw(e.cfg.Network, e.replyDelays, q.task, q.attempt))
	switch late := e.impatient(q.task) && at > e.patience(q.task, q.sent); {
	case q.abandoned:
		e.drop(i)
	case late:
		if q.outcome == strategies.Served || q.outcome == strategies.Errored {
			e.rec.wasted()
		}
		if !q.timed {
			e.armTimeout(i)
		}
	default:
		e.answers.push(due{at: at, task: q.task, attempt: q.attempt, request: i, made: q.made})
	}
}

// answer lets an answer reach its worker.
func (e *Engine) answer(d due) {
	e.events++
	e.now = d.at
	e.rec.tick(d.at)
	e.conclude(d.request)
}

// conclude ends an attempt with the outcome of its request.
func (e *Engine) conclude(i uint32) {
	q := *e.requests.at(i)
	e.drop(i)
	e.end(&q, q.outcome)
	if q.outcome != strategies.Served {
		e.retry(q.task, q.attempt, e.now, q.outcome, q.prev, q.after)
		return
	}
	if !e.tiers.answered(q.task, q.attempt) || e.messages.on() && !e.messageDone(q.task, q.attempt) {
		e.rec.wasted()
		return
	}
	e.rec.succeeded()
	e.executed(q.task, e.now, Done, noWait)
	latency := e.now - q.sent
	if q.task >= e.herd {
		e.rec.openLatency.add(latency)
		e.res.Open.Succeeded++
		e.settled(q.task, e.now)
		return
	}
	e.rec.herdLatency.add(latency)
	e.res.Completions = append(e.res.Completions, e.now)
	e.unfinished--
	took := e.work(&q)
	if e.varies {
		took = e.begun[i].Took
	}
	e.res.HerdWork = addSaturated(e.res.HerdWork, took)
}

// work is how long the service of a request takes on a downstream that takes no longer than it must.
func (e *Engine) work(q *request) time.Duration {
	if e.constant >= 0 {
		return e.constant
	}
	return e.draw(e.cfg.Downstream.Service, e.services, q.task, q.attempt)
}

// end records the end of an attempt as its worker sees it.
func (e *Engine) end(q *request, o Outcome) {
	failure := e.isFirstOfHerd(q.task, q.attempt) && (o == strategies.Unavailable || q.state == swallowed)
	if failure && q.counted {
		e.rec.lost(q)
	}
	e.rec.outcome(int(q.window), o)
	if e.watch.wants(q.task) {
		e.watch.ended(q.task, q.attempt, AttemptRecord{Sent: q.sent, Arrived: q.arrived, Outcome: o, Failure: failure,
			End: e.now, Queued: q.queuedFor(e.now)})
	}
	e.guards.done(q.task, q.attempt, e.now, o)
}

// drop forgets a request.
func (e *Engine) drop(i uint32) {
	q := e.requests.at(i)
	if q.timed {
		e.timers--
	}
	if q.counted {
		e.rec.peaks.undecided--
	}
	e.requests.drop(i)
}
