package sim

import (
	"math"

	"herdsim/strategies"
)

// turnAwayMany takes the next bucket of the agenda as a whole, if all its attempts are sure to be rejected: then their
// order does not matter, because each wait is keyed by its worker and attempt. It does nothing that arrive would not do;
// it only saves sorting and asking again.
//
// An attempt that comes back within the time of the bucket is left behind: it comes before others that have been
// counted. It is counted here too, one by one, into the window that it belongs to.
func (e *Engine) turnAwayMany() bool {
	if e.oneByOne || !e.server.TurnsAway() || e.cursor < e.herd {
		return false
	}
	until := min(e.change, e.departures.soonest, e.timeouts.soonest, e.open.next, e.cfg.Horizon)
	// Small bags towards the limit, so that it is hardly ever reached with attempts left behind.
	bag, ok := e.agenda.bag(until, min(e.cfg.Window, binWidth), (e.cfg.MaxEvents-e.events)/1024)
	if ok {
		e.behind = max(e.behind, bag.to)
	} else if bag, ok = e.leftBehind(); !ok {
		return false
	}
	split := e.rec.splits(bag.from)
	firstRetry, last := Time(math.MaxInt64), Time(0)
	var n, retries int64
	for many := bag.next(); len(many) > 0; many = bag.next() {
		n += int64(len(many))
		for _, a := range many {
			last = max(last, a.at)
			split.count(a.at)
			if a.attempt > 1 {
				retries++
				firstRetry = min(firstRetry, a.at)
			} else {
				split.first(a.at)
			}
			if e.watch.sampled(a.task) {
				e.watch.ended(a.task, a.attempt, AttemptRecord{Sent: a.at, Arrived: a.at, Outcome: strategies.Rejected, End: a.at})
			}
			e.retry(a.task, a.attempt, a.at, strategies.Rejected, a.prev, 0)
		}
	}
	if retries > 0 && (e.res.FirstRetry < 0 || firstRetry < e.res.FirstRetry) {
		e.res.FirstRetry = firstRetry
	}
	e.events += n
	e.now = max(e.now, last)
	e.res.Attempts += n
	e.res.Retries += retries
	e.res.LastRequest = max(e.res.LastRequest, last)
	e.rec.rejected(n, split)
	return true
}

// isLeftBehind reports whether the next attempt lies in the time of a bucket that has been taken.
func (e *Engine) isLeftBehind() bool {
	if e.behind == 0 {
		return false
	}
	next := e.agenda.peek()
	return next != nil && next.at < e.behind
}

// leftBehind takes the next attempt if it is left behind.
func (e *Engine) leftBehind() (b bag, ok bool) {
	if !e.isLeftBehind() {
		return b, false
	}
	e.single[0] = *e.agenda.peek()
	e.agenda.pop()
	return bag{from: e.single[0].at, to: e.single[0].at + 1, run: e.single[:]}, true
}

// split counts how many of some requests come before the end of a window and of a bin of the peaks; the others come in
// the next one.
type split struct {
	window, bin     Time // ends
	inWindow, inBin int64
	tasks           [2]int64 // first attempts before the end of the window, and after
}

func (s *split) count(at Time) {
	if at < s.window {
		s.inWindow++
	}
	if at < s.bin {
		s.inBin++
	}
}

// first counts a first attempt, besides.
func (s *split) first(at Time) {
	if at < s.window {
		s.tasks[0]++
	} else {
		s.tasks[1]++
	}
}

// splits returns the split for requests from an instant on.
func (r *recorder) splits(from Time) split {
	return split{window: endOf(from, r.width), bin: endOf(from, binWidth)}
}

// endOf returns the end of the interval of a grid that t lies in.
func endOf(t, width Time) Time { return addSaturated(t-t%width, width) }

// rejected counts n requests that were turned away at once.
func (r *recorder) rejected(n int64, s split) {
	r.rejectedIn(s.window-1, s.inWindow, s.tasks[0])
	r.rejectedIn(s.window, n-s.inWindow, s.tasks[1])
	r.peaks.add(s.bin-1, s.inBin)
	r.peaks.add(s.bin, n-s.inBin)
}

func (r *recorder) rejectedIn(at Time, n, tasks int64) {
	if n == 0 {
		return
	}
	r.tick(at)
	w := r.open
	if at < Time(w.Index)*r.width { // left behind
		w = &r.res.Windows[len(r.res.Windows)-2]
	}
	w.Requests += n
	w.Tasks += tasks
	w.Outcomes[strategies.Rejected] += n
	r.res.Outcomes[strategies.Rejected] += n
}
