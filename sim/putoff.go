package sim

import (
	"time"

	"herdsim/strategies"
	"herdsim/strategies/guards"
)

// leastPutOff keeps a worker without a wait of its own from asking a guard for ever at one instant.
const leastPutOff = time.Millisecond

// admitted asks the guards about an attempt that is due. If they do not admit it, it comes back later, or its task is
// given up.
func (e *Engine) admitted(a event) bool {
	answer := e.guards.admit(a.task, a.attempt, a.at)
	if answer.Verdict == guards.Proceed {
		return true
	}
	e.events++
	e.now = a.at
	e.rec.tick(a.at)
	back := answer.Until
	switch answer.Verdict {
	case guards.Refuse:
		e.giveUp(a)
		return false
	case guards.PutOff:
		u := e.guards.waits.uniform(uint64(a.task), uint64(a.at))
		// To its client it is a call that failed at once.
		wait, again := e.wait(a.task, a.attempt, a.at, strategies.Unavailable, a.prev, 0, u)
		if !again {
			e.giveUp(a)
			return false
		}
		back = e.polls.found(max(back, addSaturated(a.at, max(wait, leastPutOff))))
	}
	if e.tooLate(a.task, back) {
		e.giveUp(a)
		return false
	}
	if answer.Verdict == guards.PutOff {
		e.executed(a.task, e.now, Again, back-e.now)
	}
	if a.at = max(back, a.at+1); a.at >= e.cfg.Horizon {
		e.dropped = true
		return false
	}
	e.agenda.push(a)
	return false
}

// giveUp dead-letters a task whose attempt the guards have not admitted.
func (e *Engine) giveUp(a event) {
	e.guards.drop(a.task, a.attempt, e.now)
	e.deadLetter(a.task, e.now)
}

// trackGuards notes the states of the guards at the end of the last window, unless they were.
func (e *Engine) trackGuards() {
	n := len(e.res.Windows)
	if !e.guards.on() || n <= e.guards.tracked {
		return
	}
	e.guards.tracked = n
	w := e.res.Windows[n-1].Index
	e.guards.track(w, addSaturated(Time(w)*e.cfg.Window, e.cfg.Window-1))
}
