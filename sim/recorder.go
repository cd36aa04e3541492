package sim

import (
	"slices"
	"time"

	"herdsim/strategies"
)

// maxWindows bounds the memory of a Result: 2 million windows are 58 hours of unbroken traffic in windows of 100 ms.
const maxWindows = 1 << 21

// spareWindows is how many windows are worth a copy, to keep the memory they were counted in.
const spareWindows = 1 << 14

// recorder counts what happens into a Result. Events come in the order of time, so the current window is the last one.
type recorder struct {
	res   *Result
	width time.Duration
	end   Time // of the current window
	open  *Window
	peaks peaks
	full  bool // there are maxWindows windows

	queue, busy int64 // levels now
	since       Time  // when they became so
	queueArea   float64
	busyArea    float64
	departed    levelMark // at the last departure

	herdLatency, openLatency sampler
	spare                    []Window // memory for those of the next run
}

type levelMark struct {
	at              Time
	queueArea, busy float64
}

func (r *recorder) reset(cfg *Config, res *Result) {
	res.Windows = r.spare[:0]
	*r = recorder{res: res, width: cfg.Window, peaks: r.peaks, herdLatency: r.herdLatency, openLatency: r.openLatency}
	r.peaks.reset()
	r.herdLatency.reset(cfg.Workers)
	r.openLatency.reset(0)
	res.FirstRetry, res.LastRequest = -1, -1
	res.Window = cfg.Window
	res.Completions = make([]Time, 0, cfg.Workers)
}

// tick opens the window of now.
func (r *recorder) tick(now Time) {
	if now >= r.end {
		r.openWindow(now)
	}
}

func (r *recorder) openWindow(now Time) {
	r.closeWindow()
	index := int64(now / r.width)
	r.res.Windows = append(r.res.Windows, Window{Index: index, QueueMax: r.queue, InServiceMax: r.busy})
	r.open = &r.res.Windows[len(r.res.Windows)-1]
	if r.end = Time(index+1) * r.width; r.end < now {
		r.end = 1<<63 - 1
	}
	r.full = len(r.res.Windows) >= maxWindows
}

// closeWindow notes the levels at the end of the current window.
func (r *recorder) closeWindow() {
	if r.open != nil {
		r.open.Queued, r.open.InService = r.queue, r.busy
	}
}

// request counts a request that reaches the downstream now. failure says that it is the failure itself.
func (r *recorder) request(now Time, failure bool) {
	r.tick(now)
	r.open.Requests++
	if failure {
		r.open.Failure++
		return
	}
	r.peaks.add(now, 1)
}

// lost turns a request that was counted before into one of the failure itself.
func (r *recorder) lost(q *request) {
	r.res.Windows[q.window].Failure++
	r.peaks.remove(q.arrived)
}

// outcome counts how the attempt of a request of the given window ended.
func (r *recorder) outcome(window int, o Outcome) {
	r.res.Windows[window].Outcomes[o]++
	r.res.Outcomes[o]++
}

// current returns the number of the current window.
func (r *recorder) current() int { return len(r.res.Windows) - 1 }

// offered counts a task whose first attempt reaches the downstream now.
func (r *recorder) offered() { r.open.Tasks++ }

// succeeded counts a task that has its answer now.
func (r *recorder) succeeded() { r.open.Goodput++ }

func (r *recorder) wasted() {
	r.open.Wasted++
	r.res.Wasted++
}

// levels notes how many requests wait and how many slots work from now on.
func (r *recorder) levels(now Time, queue, busy int) {
	r.integrate(now)
	r.queue, r.busy = int64(queue), int64(busy)
	r.open.QueueMax = max(r.open.QueueMax, r.queue)
	r.open.InServiceMax = max(r.open.InServiceMax, r.busy)
}

func (r *recorder) integrate(now Time) {
	span := float64(now - r.since)
	r.queueArea += span * float64(r.queue)
	r.busyArea += span * float64(r.busy)
	r.since = now
}

// departure marks the instant up to which time averages run.
func (r *recorder) departure(now Time) {
	r.integrate(now)
	r.departed = levelMark{now, r.queueArea, r.busyArea}
}

// waited counts the queueing of a request that is given a slot.
func (r *recorder) waited(d time.Duration) {
	w := &r.res.QueueWait
	w.Count++
	if w.Sum += d; w.Sum < 0 {
		w.Sum = 1<<63 - 1
	}
}

// finish derives what only the end can tell. averaged is the end of the time averages, or -1 for the last departure.
func (r *recorder) finish(averaged Time) {
	res := r.res
	r.closeWindow()
	mark := r.departed
	if averaged >= 0 {
		r.integrate(averaged)
		mark = levelMark{averaged, r.queueArea, r.busyArea}
	}
	res.Observed = mark.at
	res.QueueArea = mark.queueArea / float64(time.Second)
	res.BusyTime = time.Duration(min(mark.busy, 1<<62))
	res.Peak10ms, res.Peak100ms, res.Peak1s = r.peaks.finish()
	for i := range res.Windows {
		w := &res.Windows[i]
		res.PeakWindow = max(res.PeakWindow, w.Requests-w.Failure)
		var ended int64
		for _, n := range w.Outcomes {
			ended += n
		}
		w.Outcomes[strategies.InFlight] += w.Requests - ended
	}
	res.OpenLatency = r.openLatency.quantiles()
	r.herdLatency.merge(&r.openLatency)
	res.Latency = r.herdLatency.quantiles()
	if len(res.Windows) <= spareWindows {
		r.spare = res.Windows
		res.Windows = slices.Clone(res.Windows)
	}
}
