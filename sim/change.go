package sim

import (
	"cmp"
	"slices"

	"herdsim/downstream"
	"herdsim/strategies"
)

// changeDownstream makes the scheduled change that is due.
func (e *Engine) changeDownstream() {
	e.events++
	e.now = e.change
	e.rec.tick(e.now)
	e.changed(e.server.Change(e.now))
	e.fill()
	e.rec.levels(e.now, e.server.Queued(), e.server.Busy())
}

// changed lets the requests at the downstream bear the change that was made.
func (e *Engine) changed(c downstream.Change) {
	e.change = e.server.NextChange()
	if c.Crashed {
		e.res.Crashes = append(e.res.Crashes, Span{e.now, c.Until})
	}
	if c.Lost {
		e.loseAll(c.Mode)
	}
}

// breakDown lets an attempt arrive that makes the downstream crash.
func (e *Engine) breakDown(a event, first bool) {
	c := e.server.Crash(a.at)
	e.rec.request(a.at, first && (c.Mode == downstream.Hang || e.cfg.Network == nil))
	e.changed(c)
	e.rec.levels(a.at, e.server.Queued(), e.server.Busy())
	if c.Mode == downstream.Hang {
		e.swallow(a, swallowed)
		return
	}
	e.turnAway(a, strategies.Unavailable, 0)
}

// loseAll ends, by task number, what is in service and in the queue when an outage begins.
func (e *Engine) loseAll(mode downstream.Mode) {
	var ids []uint32
	for !e.departures.empty() {
		d := e.departures.pop()
		if d.request != noRequest && e.requests.at(d.request).made == d.made {
			ids = append(ids, d.request)
		}
	}
	for id, ok := e.server.Drain(); ok; id, ok = e.server.Drain() {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b uint32) int {
		p, q := e.requests.at(a), e.requests.at(b)
		return cmp.Or(cmp.Compare(p.task, q.task), cmp.Compare(p.attempt, q.attempt))
	})
	for _, id := range ids {
		q := e.requests.at(id)
		if q.started < 0 {
			q.started = e.now
		}
		switch {
		case q.abandoned:
			if q.state == serving {
				e.rec.wasted()
			}
			e.drop(id)
		case mode == downstream.Hang:
			e.lose(q)
		case e.cfg.Network == nil:
			q.outcome, q.after = strategies.Unavailable, 0
			e.conclude(id)
		default:
			q.state, q.outcome, q.after = answering, strategies.Unavailable, 0
			e.sendAnswer(id)
		}
	}
}

// lose makes q a request that a hang has swallowed.
func (e *Engine) lose(q *request) {
	if q.counted {
		e.rec.lost(q)
		e.rec.peaks.undecided--
		q.counted = false
	}
	q.state = swallowed
}
