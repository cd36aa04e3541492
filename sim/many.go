package sim

import (
	"time"

	"herdsim/strategies"
)

// turnAwayMany takes the next bucket of the agenda as a whole, if all its attempts are sure to be rejected and are
// counted in the same windows: then their order does not matter, because each wait is keyed by its worker and attempt.
// It does nothing that arrive would not do; it only saves sorting and asking again.
func (e *Engine) turnAwayMany() bool {
	if !e.server.TurnsAway() || e.cursor < e.herd || e.cfg.Network != nil || e.cfg.Paced || e.watch.trace != nil {
		return false
	}
	until := min(e.change, e.departures.soonest, e.timeouts.soonest, e.open.next, e.cfg.Horizon, e.rec.end)
	many := e.agenda.bag(min(until, e.rec.peaks.end), e.cfg.MaxEvents-e.events)
	n := int64(len(many))
	if n == 0 {
		return false
	}
	last := many[0].at
	for _, a := range many {
		last = max(last, a.at)
		if a.attempt > 1 {
			e.res.Retries++
		}
		if e.watch.sampled(a.task) {
			e.watch.ended(a.task, a.attempt, AttemptRecord{Sent: a.at, Arrived: a.at, Outcome: strategies.Rejected, End: a.at})
		}
		e.retry(a.task, a.attempt, a.at, strategies.Rejected, a.prev, 0)
	}
	if e.res.FirstRetry < 0 && e.res.Retries > 0 {
		e.res.FirstRetry = firstRetry(many)
	}
	e.events += n
	e.now = last
	e.res.Attempts += n
	e.res.LastRequest = last
	e.rec.requests(last, n, strategies.Rejected)
	return true
}

// firstRetry returns when the first retry among the events comes. There is one.
func firstRetry(events []event) Time {
	at := time.Duration(1<<63 - 1)
	for _, a := range events {
		if a.attempt > 1 {
			at = min(at, a.at)
		}
	}
	return at
}
