package sim

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"time"

	"herdsim/strategies"
)

// ended notes the end of an attempt as its worker sees it, with what is known of it then.
func (r *reference) ended(c *refCall, o Outcome) {
	c.ended, c.outcome, c.end = true, o, r.now
	r.trace = append(r.trace, r.record(c, r.now))
}

// record describes an attempt at an instant.
func (r *reference) record(c *refCall, now Time) AttemptRecord {
	record := AttemptRecord{Task: c.task.number, Attempt: c.number, Sent: c.sent, Arrived: c.arrived, Outcome: c.outcome,
		Failure: c.failure(), End: c.end}
	if !c.ended {
		record.Outcome = strategies.InFlight
	}
	if c.number > 1 {
		record.Waited = c.sent - c.task.calls[c.number-2].end
	}
	switch {
	case c.started >= 0:
		record.Queued = c.started - c.arrived
	case c.left >= 0:
		record.Queued = c.left - c.arrived
	case slices.Contains(r.queue, c):
		record.Queued = now - c.arrived
	}
	return record
}

// failure reports whether an attempt is part of the failure itself.
func (c *refCall) failure() bool {
	return c.firstOfHerd() && (c.swallowed || c.ended && c.outcome == strategies.Unavailable)
}

// endedAt returns the instant at which the run ended.
func (r *reference) endedAt(end CutOff) Time {
	if end == AtHorizon {
		return r.cfg.Horizon
	}
	return r.now
}

// wasSent reports whether an attempt has been sent. Without a network that is when it arrives.
func (r *reference) wasSent(c *refCall, end CutOff) bool {
	if c.arrived >= 0 || c.ended {
		return true
	}
	return r.cfg.Network != nil && c.sent <= r.endedAt(end) && c.sent < r.cfg.Horizon
}

// sent returns all attempts that were sent, by task and attempt.
func (r *reference) sent(end CutOff) (sent []*refCall) {
	for _, t := range r.tasks {
		for _, c := range t.calls {
			if r.wasSent(c, end) {
				sent = append(sent, c)
			}
		}
	}
	return sent
}

// result works everything out from the list of attempts and the log.
func (r *reference) result(end CutOff) *Result {
	res := &Result{End: end, EndedAt: r.endedAt(end), Events: r.events, Wasted: int64(len(r.wasted)), Window: r.cfg.Window,
		FirstRetry: -1, LastRequest: -1}
	calls := r.sent(end)
	for _, c := range calls {
		if !c.ended {
			r.trace = append(r.trace, r.record(c, res.EndedAt))
		}
	}
	r.tally(res)
	r.count(res, calls)
	r.averages(res, end)
	r.windows(res, calls)
	res.Peak10ms, res.Peak100ms = peakOf(calls, 10*time.Millisecond), peakOf(calls, 100*time.Millisecond)
	res.Peak1s, res.PeakWindow = peakOf(calls, time.Second), peakOf(calls, r.cfg.Window)
	r.sample(res)
	r.track(math.MaxInt64)
	res.States, res.Crashes = r.server.states, r.server.crashes
	if n := len(res.Crashes); n > 0 && res.Crashes[n-1].To > res.EndedAt {
		res.Crashes[n-1].To = -1
	}
	return res
}

func (r *reference) tally(res *Result) {
	for _, t := range r.tasks {
		tally := &res.Open
		if t.herd {
			tally = &res.Herd
		}
		tally.Tasks++
		switch {
		case t.succeeded >= 0:
			tally.Succeeded++
			if t.herd {
				res.Completions = append(res.Completions, t.succeeded)
			}
		case t.deadLettered:
			tally.DeadLettered++
		default:
			tally.Unfinished++
		}
	}
	slices.Sort(res.Completions)
}

// count counts attempts and what they took.
func (r *reference) count(res *Result, calls []*refCall) {
	var all, open []time.Duration
	waited, work := new(big.Int), new(big.Int)
	for _, c := range calls {
		res.Attempts++
		if c.number > 1 {
			res.Retries++
			if c.arrived >= 0 && (res.FirstRetry < 0 || c.arrived < res.FirstRetry) {
				res.FirstRetry = c.arrived
			}
		}
		res.LastRequest = max(res.LastRequest, c.arrived)
		res.Outcomes[c.outcomeNow()]++
		if c.started >= 0 {
			res.QueueWait.Count++
			waited.Add(waited, big.NewInt(int64(c.started-c.arrived)))
		}
		if !c.ended || c.outcome != strategies.Served {
			continue
		}
		all = append(all, c.end-c.sent)
		if c.task.herd {
			work.Add(work, big.NewInt(int64(c.begun.took)))
		} else {
			open = append(open, c.end-c.sent)
		}
	}
	res.QueueWait.Sum, res.HerdWork = clip(waited), clip(work)
	res.Latency, res.OpenLatency = quantilesOf(all), quantilesOf(open)
}

func (c *refCall) outcomeNow() Outcome {
	if c.ended {
		return c.outcome
	}
	return strategies.InFlight
}

// quantilesOf takes the least observation that so many per cent of all do not exceed.
func quantilesOf(all []time.Duration) Quantiles {
	q := Quantiles{Count: int64(len(all))}
	slices.Sort(all)
	for i := len(all) - 1; i >= 0; i-- {
		if 100*(i+1) >= 50*len(all) {
			q.P50 = all[i]
		}
		if 100*(i+1) >= 99*len(all) {
			q.P99 = all[i]
		}
	}
	return q
}

// averages integrates the levels up to the last departure, or with open traffic as far as the run goes.
func (r *reference) averages(res *Result, end CutOff) {
	res.Observed = r.departed
	switch open := r.cfg.Arrivals != nil || r.cfg.Cron != nil || r.cfg.Clients != nil; {
	case open && end == NotCutOff:
		res.Observed = r.cfg.Horizon
	case open:
		res.Observed = res.EndedAt
	}
	queue, inUse := new(big.Int), new(big.Int)
	for i, m := range r.log {
		until := res.Observed
		if i+1 < len(r.log) {
			until = min(until, r.log[i+1].at)
		}
		span := big.NewInt(max(0, int64(until-m.at)))
		queue.Add(queue, new(big.Int).Mul(span, big.NewInt(m.after.queue)))
		inUse.Add(inUse, new(big.Int).Mul(span, big.NewInt(m.after.inUse)))
	}
	res.QueueArea, _ = new(big.Rat).SetFrac(queue, big.NewInt(int64(time.Second))).Float64()
	res.BusyTime = min(clip(inUse), 1<<62)
}

// windows makes a window of each in which something happened.
func (r *reference) windows(res *Result, calls []*refCall) {
	at := map[int64]*Window{}
	for _, m := range r.log {
		index := int64(m.at / r.cfg.Window)
		w := at[index]
		if w == nil {
			w = &Window{Index: index}
			at[index] = w
		}
		w.QueueMax = max(w.QueueMax, m.before.queue, m.after.queue)
		w.InServiceMax = max(w.InServiceMax, m.before.inUse, m.after.inUse)
		w.Queued, w.InService = m.after.queue, m.after.inUse
	}
	for _, now := range r.wasted {
		at[int64(now/r.cfg.Window)].Wasted++
	}
	for _, c := range calls {
		if c.ended && c.outcome == strategies.Served {
			at[int64(c.end/r.cfg.Window)].Goodput++
		}
		if c.arrived < 0 {
			continue
		}
		w := at[int64(c.arrived/r.cfg.Window)]
		w.Requests++
		w.Outcomes[c.outcomeNow()]++
		if c.number == 1 {
			w.Tasks++
		}
		if c.failure() {
			w.Failure++
		}
	}
	for _, w := range at {
		res.Windows = append(res.Windows, *w)
	}
	slices.SortFunc(res.Windows, func(a, b Window) int { return cmp.Compare(a.Index, b.Index) })
}

// peakOf returns the most requests in a window of a width, the failure itself left out.
func peakOf(calls []*refCall, width time.Duration) (most int64) {
	counts := map[int64]int64{}
	for _, c := range calls {
		if c.arrived >= 0 && !c.failure() {
			counts[int64(c.arrived/width)]++
			most = max(most, counts[int64(c.arrived/width)])
		}
	}
	return most
}

// sample keeps the attempts of the sampled workers, by the instant of their end, then task and attempt.
func (r *reference) sample(res *Result) {
	if r.cfg.Workers == 0 {
		return
	}
	res.SampleEvery = int(math.Ceil(float64(r.cfg.Workers) / 200))
	for _, record := range r.trace {
		if record.Task < int64(r.cfg.Workers) && record.Task%int64(res.SampleEvery) == 0 {
			res.Sample = append(res.Sample, record)
		}
	}
	sortByEnd(res.Sample)
}

// sortByEnd sorts records by the end of their attempts, those in flight last, then by task and attempt.
func sortByEnd(records []AttemptRecord) {
	end := func(r AttemptRecord) Time {
		if r.End < 0 {
			return math.MaxInt64
		}
		return r.End
	}
	slices.SortFunc(records, func(a, b AttemptRecord) int {
		return cmp.Or(cmp.Compare(end(a), end(b)), cmp.Compare(a.Task, b.Task), cmp.Compare(a.Attempt, b.Attempt))
	})
}
