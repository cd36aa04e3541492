package sim

import (
	"math"
	"time"

	"herdsim/strategies"
)

// retry decides what a task does after an attempt that failed: it tries again after its strategy's wait, or is given up.
// after is what the downstream asked the worker to wait, 0 for nothing. Where a run has nothing but waits that are in the
// table, the way through is short.
func (e *Engine) retry(task, attempt uint32, now Time, o Outcome, prev, after time.Duration) {
	if e.plain && int(attempt) <= len(e.laws) && after == 0 {
		wait := e.laws[attempt-1].At(e.waits.uniform(uint64(task), uint64(attempt)))
		if at := addSaturated(now, wait); at < e.cfg.Horizon {
			e.agenda.push(event{at: at, prev: wait, task: task, attempt: attempt + 1})
			return
		}
		e.dropped = true
		return
	}
	f := failed{task: task, request: attempt, now: now, outcome: o, prev: prev, after: after}
	switch {
	case e.messages.on():
		e.messageFailed(f)
		return
	case e.tiers.on():
		e.callFailed(len(e.tiers.cfg), f)
		return
	}
	e.retryTask(attempt, f)
}

// retryTask decides what a task does after its attempt of a number, which has failed.
func (e *Engine) retryTask(attempt uint32, f failed) {
	task, now, o, prev, after := f.task, f.now, f.outcome, f.prev, f.after
	if limit := e.limitsOf(task).MaxAttempts; limit > 0 && int64(attempt) >= int64(limit) {
		e.deadLetter(task, now)
		return
	}
	wait, again := e.wait(task, attempt, now, o, prev, after, e.waits.uniform(uint64(task), uint64(e.luck(attempt, f.request))))
	if !again {
		e.deadLetter(task, now)
		return
	}
	prev = wait
	if e.cfg.FirstWait > 0 && attempt == 1 {
		prev = 0 // the strategy has not been asked yet
	}
	if !e.cfg.IgnoreRetryAfter && !e.tiers.on() {
		wait = max(wait, e.asked(task, attempt, after))
	}
	if e.messages.on() && !e.messages.cfg.OnFailure.waits() {
		wait = 0
	}
	at := e.polls.found(addSaturated(now, wait))
	if e.tooLate(task, at) {
		e.deadLetter(task, now)
		return
	}
	if !e.guards.allow(task, now, o) {
		e.deadLetter(task, now)
		return
	}
	if e.messages.on() {
		e.putBack(task, at-now, prev)
		return
	}
	e.executed(task, now, Again, at-now)
	next := attempt + 1
	if next == 0 {
		next = math.MaxUint32
	}
	e.send(task, e.tiers.firstRequest(next), at, prev)
}

// asked returns how long a worker waits that the downstream has asked to wait.
func (e *Engine) asked(task, attempt uint32, after time.Duration) time.Duration {
	if most := e.cfg.RetryAfter.Most; most > 0 {
		after = min(after, most)
	}
	if j := e.cfg.RetryAfter.Jitter; j > 0 && after > 0 {
		u := e.retryAfters.uniform(uint64(task), uint64(attempt))
		after = addSaturated(after, saturated(j*u*float64(after)))
	}
	return after
}

// wait returns the wait before the retry that follows the given attempt, or false to give up.
func (e *Engine) wait(task, attempt uint32, now Time, o Outcome, prev, after time.Duration, u float64) (time.Duration, bool) {
	switch {
	case e.cfg.FirstWait > 0 && attempt == 1:
		return time.Duration(u * float64(e.cfg.FirstWait)), true
	case e.cfg.Paced:
		return e.pacer.next(now) - now, true
	case int(attempt) <= len(e.laws):
		return e.laws[attempt-1].At(u), true
	}
	a := strategies.Attempt{
		Worker:        int(task),
		Retry:         int(attempt),
		SinceReset:    int(attempt),
		Outcome:       o,
		Now:           now,
		Elapsed:       now - e.first(task),
		Previous:      prev,
		RetryAfter:    after,
		HasRetryAfter: after > 0,
	}
	if e.previous && attempt > 1 {
		a.PreviousU = e.waits.uniform(uint64(task), uint64(attempt)-1)
	}
	if e.slept != nil {
		a.Slept = e.slept[task]
	}
	wait, again := e.cfg.Strategy.Wait(a, u)
	wait = max(wait, 0)
	if e.slept != nil {
		e.slept[task] = addSaturated(a.Slept, wait)
	}
	return wait, again
}

// first returns when a task's first attempt was sent, or t0 if nobody needs to know.
func (e *Engine) first(task uint32) Time {
	if e.firstSent == nil {
		return 0
	}
	return e.firstSent[task]
}

// deadLetter gives a task up at an instant, which may be to come. A message is brought to the queue of dead letters for that.
func (e *Engine) deadLetter(task uint32, at Time) {
	if e.messages.on() {
		e.deadLetterMessage(task)
		return
	}
	e.executed(task, at, GivenUp, noWait)
	e.tallyDead(task, at)
}

// luck returns which number of a task's a wait is drawn from: that of the attempt, or, where the attempts that a client
// knows of may not be all, that of the request.
func (e *Engine) luck(attempt, request uint32) uint32 {
	if e.messages.on() {
		return request
	}
	return attempt
}

// tallyDead counts a task that was given up.
func (e *Engine) tallyDead(task uint32, at Time) {
	if task >= e.herd {
		e.res.Open.DeadLettered++
		e.settled(task, at)
		return
	}
	e.res.Herd.DeadLettered++
	e.unfinished--
}

// tallyRevived counts a task that was given up and comes back.
func (e *Engine) tallyRevived(task uint32) {
	if task >= e.herd {
		e.res.Open.DeadLettered--
		return
	}
	e.res.Herd.DeadLettered--
	e.unfinished++
}

// tooLate reports whether a task's limits forbid an attempt at an instant.
func (e *Engine) tooLate(task uint32, at Time) bool {
	l := e.limitsOf(task)
	return l.MaxElapsed > 0 && at-e.first(task) > l.MaxElapsed || l.Deadline > 0 && at-e.first(task) >= l.Deadline
}
