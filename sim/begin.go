package sim

import (
	"time"

	"herdsim/downstream"
	"herdsim/strategies"
)

// begin returns how long a service takes that begins now, on a downstream where that depends on its state.
func (e *Engine) begin(i uint32, service time.Duration) time.Duration {
	q := e.requests.at(i)
	var extra time.Duration
	if e.server.MustConnect() {
		extra = e.draw(e.cfg.Downstream.Pool.Handshake, e.handshakes, q.task, q.attempt)
	}
	if e.cfg.Downstream.Contention == downstream.OCC && e.cfg.Network != nil {
		extra = addSaturated(extra, e.draw(e.cfg.Network, e.readReplies, q.task, q.attempt))
		extra = addSaturated(extra, e.draw(e.cfg.Network, e.writeRequests, q.task, q.attempt))
	}
	for int(i) >= len(e.begun) {
		e.begun = append(e.begun, downstream.Begun{})
	}
	e.begun[i] = e.server.Begin(e.now, service, extra, e.cacheLuck.uniform(uint64(q.task), uint64(q.attempt)))
	return e.begun[i].Took
}

// makeRoom rejects what has waited for too long in a full house.
func (e *Engine) makeRoom() {
	for i, late := e.server.Expired(e.now); late; i, late = e.server.Expired(e.now) {
		e.expire(i)
		e.rec.levels(e.now, e.server.Queued(), e.server.Busy())
	}
}

// expire rejects a request that has waited in the queue for longer than it may.
func (e *Engine) expire(i uint32) {
	q := e.requests.at(i)
	q.started = e.now // it has left the queue
	if q.abandoned {
		e.drop(i)
		return
	}
	q.state, q.outcome = answering, strategies.Rejected
	q.after = e.askedOf(q.task, q.attempt, e.server.Asks(e.now))
	if e.cfg.Network == nil {
		e.conclude(i)
		return
	}
	e.sendAnswer(i)
}

// askedOf returns what the client of an attempt that is turned away is asked to wait: what the downstream says, and a
// random share of it longer.
func (e *Engine) askedOf(task, attempt uint32, after time.Duration) time.Duration {
	r := e.cfg.Downstream.RetryAfter
	if after == 0 || r == nil || r.Jitter == 0 {
		return after
	}
	u := e.askings.uniform(uint64(task), uint64(attempt))
	return addSaturated(after, saturated(r.Jitter*u*float64(after)))
}

// track notes what can be shown of guards and downstream at the end of the last window.
func (e *Engine) track() {
	e.trackGuards()
	e.trackServer()
	e.trackQueues()
}

// trackServer notes the state of the downstream at the end of the last window, if it has one and it has changed.
func (e *Engine) trackServer() {
	n := len(e.res.Windows)
	if !e.server.HasState() || n == e.tracked {
		return
	}
	e.tracked = n
	w := e.res.Windows[n-1].Index
	p := StatePoint{Window: w}
	p.Cache, p.Warm = e.server.State(addSaturated(Time(w)*e.cfg.Window, e.cfg.Window-1))
	if n := len(e.res.States); n == 0 || e.res.States[n-1].Cache != p.Cache || e.res.States[n-1].Warm != p.Warm {
		e.res.States = append(e.res.States, p)
	}
}

// closeCrashes marks a crash that had not ended when the run did.
func (e *Engine) closeCrashes() {
	if n := len(e.res.Crashes); n > 0 && e.res.Crashes[n-1].To > e.res.EndedAt {
		e.res.Crashes[n-1].To = -1
	}
}
