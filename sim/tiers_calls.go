package sim

import (
	"math"
	"time"

	"herdsim/strategies"
)

// A failed is a request that has failed, or a call that has with its last one.
type failed struct {
	task, request uint32
	now           Time
	outcome       Outcome
	prev          time.Duration // the task's strategy's last wait
	after         time.Duration // what the downstream asked to wait
}

// callFailed lets the tiers bear that the call of a level which a request belongs to has failed: the lowest of them that
// has an attempt left makes it, or the task decides.
func (e *Engine) callFailed(level int, f failed) {
	for ; level >= 0; level-- {
		if e.tiers.forget(f.task, level, f.request) {
			return // nobody waits for it
		}
		if e.tryAgain(level, &f) {
			return
		}
	}
}

// tryAgain lets the maker of a call that has failed decide what comes next. It reports false if that is for the level
// above to say.
func (e *Engine) tryAgain(level int, f *failed) bool {
	t := &e.tiers
	f.request = t.last(level, f.request)
	if level == 0 {
		e.retryTask(t.number(f.request), *f)
		return true
	}
	made := f.request % t.size[level-1] / t.size[level]
	if made == 0 { // all that there may be
		return false
	}
	u := t.waits.uniform(uint64(f.task), uint64(f.request)*uint64(len(t.size))+uint64(level))
	wait, again := t.cfg[level-1].Strategy.Wait(strategies.Attempt{Worker: int(f.task), Retry: int(made), SinceReset: int(made),
		Outcome: f.outcome, Now: f.now}, u)
	if !again {
		return false
	}
	if level == len(t.cfg) && !e.cfg.IgnoreRetryAfter {
		wait = max(wait, e.asked(f.task, f.request, f.after))
	}
	e.callLater(level, *f, addSaturated(f.now, max(wait, 0)))
	return true
}

// callLater makes the next call of a tier at an instant. If a level above gives up before, that one goes on from there,
// and the tier's call is made for nobody, or, if deadlines are passed down, not at all.
func (e *Engine) callLater(level int, f failed, at Time) {
	t := &e.tiers
	for {
		above, until := t.soonest(f.task, level-1, f.request)
		if until > at || until == math.MaxInt64 { // none gives up
			break
		}
		given := f
		given.now, given.outcome, given.after = until, strategies.TimedOut, 0
		if t.pass {
			t.forgetBelow(f.task, above, f.request)
			e.callFailed(above, given)
			return
		}
		e.giveUpCall(above, given)
	}
	if e.pastDeadline(f.task, at) {
		if t.heard(f.task, level-1, f.request) {
			e.deadLetter(f.task, f.now)
		}
		return
	}
	e.send(f.task, f.request+1, at, f.prev)
}

// giveUpCall lets a level give up a call that those below go on with.
func (e *Engine) giveUpCall(level int, f failed) {
	c := e.tiers.callOf(f.task, level, f.request)
	made := e.tiers.calls[c]
	made.gone = true
	e.tiers.calls[c] = made
	if !e.tryAgain(level, &f) {
		e.callFailed(level-1, f)
	}
}

// tierTimesOut lets the tier whose time for a request at the downstream is up give up. It reports false if the request
// itself is given up with it.
func (e *Engine) tierTimesOut(i uint32) (goesOn bool) {
	t := &e.tiers
	q := e.requests.at(i)
	level, until := t.soonest(q.task, len(t.cfg), q.attempt)
	if t.pass || level == len(t.cfg) || until > e.now {
		return false
	}
	e.giveUpCall(level, failed{task: q.task, request: q.attempt, now: e.now, outcome: strategies.TimedOut, prev: q.prev})
	if next := e.patienceFor(q); next < math.MaxInt64 {
		q.timed = true
		e.timers++
		e.timeouts.push(due{at: next, task: q.task, attempt: q.attempt, request: i, made: q.made})
	}
	return true
}

// requestTimedOut goes on after a request that has been given up.
func (e *Engine) requestTimedOut(f failed) {
	t := &e.tiers
	if e.pastDeadline(f.task, f.now) {
		if heard := t.heard(f.task, len(t.cfg), f.request); heard {
			e.deadLetter(f.task, f.now)
		}
		t.answered(f.task, f.request)
		return
	}
	level, _ := t.soonest(f.task, len(t.cfg), f.request)
	t.forgetBelow(f.task, level, f.request)
	e.callFailed(level, f)
}

// pastDeadline reports whether a task's deadline is over at an instant.
func (e *Engine) pastDeadline(task uint32, at Time) bool {
	deadline := e.limitsOf(task).Deadline
	return deadline > 0 && at-e.first(task) >= deadline
}

// patienceFor returns until when anybody waits for a request at the downstream.
func (e *Engine) patienceFor(q *request) Time {
	if !e.tiers.on() {
		return e.patience(q.task, q.sent)
	}
	_, until := e.tiers.soonest(q.task, len(e.tiers.cfg), q.attempt)
	if deadline := e.limitsOf(q.task).Deadline; deadline > 0 {
		until = min(until, addSaturated(e.first(q.task), deadline))
	}
	return until
}
