package sim

import (
	"math"
	"slices"

	"herdsim/strategies"
)

// impatient reports whether the worker of a task gives an attempt up at some time.
func (e *Engine) impatient(task uint32) bool {
	return e.cfg.Timeout > 0 || e.limitsOf(task).Deadline > 0 || e.tiers.timed
}

// patience returns until when the worker of a task waits for the answer to an attempt: the timeout, or the task's
// deadline if that is earlier.
func (e *Engine) patience(task uint32, sent Time) Time {
	until := Time(math.MaxInt64)
	if e.cfg.Timeout > 0 {
		until = addSaturated(sent, e.cfg.Timeout)
	}
	if deadline := e.limitsOf(task).Deadline; deadline > 0 {
		until = min(until, addSaturated(e.first(task), deadline))
	}
	return until
}

// armTimeout schedules the timeout of a request, from its sending.
func (e *Engine) armTimeout(i uint32) {
	q := e.requests.at(i)
	if e.impatient(q.task) && !q.abandoned {
		until := max(e.patienceFor(q), e.now) // a message may be delivered when its deadline is over
		if until == math.MaxInt64 {
			return
		}
		q.timed = true
		e.timers++
		e.timeouts.push(due{at: until, task: q.task, attempt: q.attempt, request: i, made: q.made})
	}
}

// sentBefore remembers when an attempt was sent that is given up under way, where its end does not tell.
func (e *Engine) sentBefore(a event, sent Time) {
	if e.limitsOf(a.task).Deadline > 0 && e.watch.wants(a.task) {
		e.sentAhead = append(e.sentAhead, event{at: sent, task: a.task, attempt: a.attempt})
	}
}

// sentOf returns when an attempt was sent that is given up under way.
func (e *Engine) sentOf(d due) Time {
	if e.limitsOf(d.task).Deadline == 0 {
		return d.at - e.cfg.Timeout
	}
	i := slices.IndexFunc(e.sentAhead, func(a event) bool { return a.task == d.task && a.attempt == d.attempt })
	sent := e.sentAhead[i].at
	e.sentAhead = slices.Delete(e.sentAhead, i, i+1)
	return sent
}

// timeOut lets a worker give up waiting for an answer.
func (e *Engine) timeOut(d due) {
	if d.request == noRequest {
		// Its request is still on the way.
		e.events++
		e.now = d.at
		e.timers--
		e.rec.tick(d.at)
		e.res.Outcomes[strategies.TimedOut]++
		if e.watch.wants(d.task) {
			e.watch.ended(d.task, d.attempt, AttemptRecord{Sent: e.sentOf(d), Arrived: -1,
				Outcome: strategies.TimedOut, End: d.at})
		}
		e.guards.done(d.task, d.attempt, d.at, strategies.TimedOut)
		e.retry(d.task, d.attempt, d.at, strategies.TimedOut, d.prev, 0)
		return
	}
	q := e.requests.at(d.request)
	if q.made != d.made {
		return // it has had its answer
	}
	e.events++
	e.now = d.at
	e.timers--
	q.timed = false
	e.rec.tick(d.at)
	if e.tiers.on() && e.tierTimesOut(d.request) {
		return
	}
	q.abandoned = true
	ended := *q
	e.end(&ended, strategies.TimedOut)
	e.abandon(d.request)
	if e.tiers.on() {
		e.requestTimedOut(failed{task: ended.task, request: ended.attempt, now: d.at, outcome: strategies.TimedOut, prev: ended.prev})
		return
	}
	e.retry(ended.task, ended.attempt, d.at, strategies.TimedOut, ended.prev, 0)
}

// abandon settles what becomes of the work of a worker that has timed out.
func (e *Engine) abandon(i uint32) {
	q := e.requests.at(i)
	switch {
	case q.state == swallowed || q.state == dropped || q.state == answering:
		e.drop(i)
	case !e.cfg.Downstream.CancelAbandoned:
	case q.state == queued:
		e.server.Leave(q.place)
		e.drop(i)
		e.rec.levels(e.now, e.server.Queued(), e.server.Busy())
	default:
		if e.now > q.started { // not if it was given its slot at this very instant
			e.rec.wasted()
		}
		e.drop(i)
		e.rec.departure(e.now)
		e.server.Free()
		e.fill()
		e.rec.levels(e.now, e.server.Queued(), e.server.Busy())
	}
}
