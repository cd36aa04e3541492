package report

import (
	"math"
	"time"

	"herdsim/sim"
	"herdsim/strategies"
)

// PerWindow returns how many requests the nominal capacity allows in one window, capacity x window, or false when there
// is no bound. What misses a whole number by less than one part in 10^9 is that number, so that ten requests do not
// overload a capacity of 9.999999999999998.
func (s *Setup) PerWindow() (limit float64, bounded bool) {
	if s.Capacity <= 0 || s.Window <= 0 {
		return 0, false
	}
	limit = s.Capacity * float64(s.Window) / 1e9
	if whole := math.Round(limit); math.Abs(limit-whole) <= 1e-9*whole {
		limit = whole
	}
	return limit, true
}

// Alarming reports whether a peak, as a multiple of capacity, is to be written in orange: from what reads "10×". Bars
// and sparklines are orange wherever more is asked than capacity.
func Alarming(overCapacity float64) bool { return overCapacity >= 9.95 }

// newRow computes the row of run i of e.
func newRow(s *Setup, e *Entry, i int, r *sim.Result) Row {
	row := Row{
		Scenario: s.Name, Strategy: e.Name, Replicate: int64(i + 1),
		Tasks: r.Herd.Tasks, Succeeded: r.Herd.Succeeded,
		DeadLettered: r.Herd.DeadLettered, Unfinished: r.Herd.Unfinished,
		OpenTasks: r.Open.Tasks, OpenSucceeded: r.Open.Succeeded, OpenDeadLettered: r.Open.DeadLettered,
		Attempts: r.Attempts, Retries: r.Retries,
		Served:      r.Outcomes[strategies.Served],
		Rejected:    r.Outcomes[strategies.Rejected],
		Unavailable: r.Outcomes[strategies.Unavailable],
		TimedOut:    r.Outcomes[strategies.TimedOut],
		Errored:     r.Outcomes[strategies.Errored],
		InFlight:    r.Outcomes[strategies.InFlight],
		Wasted:      r.Wasted,

		AttemptsPerTask: per(float64(r.Attempts), float64(r.Herd.Tasks+r.Open.Tasks)),
		Peak10ms:        r.Peak10ms, Peak100ms: r.Peak100ms, Peak1s: r.Peak1s,
		Dispersion: dispersion(r),

		CompletionP50: percentile(r, 50), CompletionP90: percentile(r, 90), CompletionP99: percentile(r, 99),
		Bound:         bound(s, r),
		QueueWaitMean: queueWaitMean(r.QueueWait),
		QueueMean:     per(r.QueueArea, float64(r.Observed)/1e9),
		Utilisation:   per(float64(r.BusyTime), float64(max(0, s.Slots))*float64(r.Observed)),
		Events:        r.Events,
		CutOff:        r.CutOff(),
	}
	v := Judge(r, s, e.MaxRequests)
	row.Crashes, row.Recovered, row.RecoveredAt = int64(v.Crashes), v.recovered(), v.recoveredAt()
	row.GoodputEndShare, row.AttemptsPerTaskEnd, row.WastedEndShare =
		v.End.GoodputShare(), v.End.AttemptsPerTask(), v.End.WastedShare()
	if i < len(e.Seeds) {
		row.Seed = e.Seeds[i]
	}
	if limit, ok := s.PerWindow(); ok {
		row.PeakOverCapacity = number(float64(r.PeakWindow) / limit)
		row.Overload = seconds(overload(r, limit))
	}
	if n := len(r.Completions); n > 0 {
		row.Completion = seconds(r.Completions[n-1])
	}
	if row.Bound.OK && row.Completion.OK {
		row.Efficiency = per(float64(row.Bound.D), float64(row.Completion.D))
	}
	row.Suppressed, row.BreakerOpened, row.BudgetRefused = guardTotals(r)
	t := totals(r)
	row.Deliveries, row.Redeliveries, row.DLQDepth, row.Dropped = t.deliveries, t.redeliveries, t.dead, t.dropped
	row.HOLDelayMean, row.HOLDelayMax = t.lateMean, t.lateMax
	if row.Starved = r.Starved; len(r.Queues) > 0 {
		row.Blocked = seconds(r.Blocked)
	}
	if e.alerts(r) {
		row.Alert = alarm(r, e.Alert)
	}
	row.LatencyP50, row.LatencyP99 = quantiles(r.Latency)
	row.OpenLatencyP50, row.OpenLatencyP99 = quantiles(r.OpenLatency)
	return row
}

// load is what a window was asked, the failure itself left out.
func load(w *sim.Window) int64 { return w.Requests - w.Failure }

// dispersion returns variance / mean of the load per window from the window of the first retry to that of the last
// request, windows without a request counted: 1 for a Poisson stream, nearly N for one spike of N requests in many
// windows. It is none without a retry.
func dispersion(r *sim.Result) Number {
	if r.FirstRetry < 0 || r.LastRequest < r.FirstRetry || r.Window <= 0 {
		return Number{}
	}
	first, last := int64(r.FirstRetry/r.Window), int64(r.LastRequest/r.Window)
	n := float64(last - first + 1)
	var sum, listed float64
	for i := range r.Windows {
		if w := &r.Windows[i]; first <= w.Index && w.Index <= last {
			sum += float64(load(w))
			listed++
		}
	}
	mean := sum / n
	squares := (n - listed) * mean * mean // of the windows in which nothing happened
	for i := range r.Windows {
		if w := &r.Windows[i]; first <= w.Index && w.Index <= last {
			squares += (float64(load(w)) - mean) * (float64(load(w)) - mean)
		}
	}
	return per(squares/n, mean)
}

// overload returns the total width of the windows whose load exceeds limit.
func overload(r *sim.Result, limit float64) time.Duration {
	var n time.Duration
	for i := range r.Windows {
		if float64(load(&r.Windows[i])) > limit {
			n++
		}
	}
	return n * r.Window
}

// percentile returns by when p per cent of the herd were served, by nearest rank; none if they never were.
func percentile(r *sim.Result, p int64) Seconds {
	rank := sim.Rank(r.Herd.Tasks, p)
	if rank >= int64(len(r.Completions)) {
		return Seconds{}
	}
	return seconds(r.Completions[rank])
}

// bound returns the floor of the completion of a herd that succeeds as a whole, none for any other: the recovery, plus
// the longer of the herd's drawn service work spread over all slots, and the time until the rate limit has let so many
// through, (succeeded - burst) / rate.
func bound(s *Setup, r *sim.Result) Seconds {
	if r.Herd.Tasks == 0 || r.Herd.Succeeded < r.Herd.Tasks || s.Slots <= 0 {
		return Seconds{}
	}
	wait := r.HerdWork / time.Duration(s.Slots)
	if s.RateLimit > 0 {
		tokens := float64(max(0, r.Herd.Succeeded-int64(s.Burst)))
		ns := math.Round(tokens * 1e9 / s.RateLimit)
		if ns >= math.MaxInt64 {
			return Seconds{}
		}
		wait = max(wait, time.Duration(ns))
	}
	if wait > math.MaxInt64-s.Recovery {
		return Seconds{}
	}
	return seconds(s.Recovery + wait)
}

// queueWaitMean is in seconds; none without an observation, or when the sum was too long to be kept.
func queueWaitMean(m sim.Mean) Number {
	if m.Count == 0 || m.Sum == math.MaxInt64 {
		return Number{}
	}
	return number(float64(m.Sum) / (float64(m.Count) * 1e9))
}

func quantiles(q sim.Quantiles) (p50, p99 Seconds) {
	if q.Count == 0 {
		return Seconds{}, Seconds{}
	}
	return seconds(q.P50), seconds(q.P99)
}
