package figures

import (
	"container/heap"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"herdsim/report"
	"herdsim/sim"
	"herdsim/strategies"
)

// A toy is a small model of a herd, enough to make results of every kind without the engine: constant service time,
// one outage at t0, all workers at once.
type toy struct {
	workers, slots, queue int
	service, recovery     time.Duration
	window, horizon       time.Duration
	timeout               time.Duration // of a worker in the queue
	attempts              int           // then it gives up; 0 = never
	wait                  func(worker, retry int) time.Duration
}

// dirac is the set-up of the built-in scenario of that name.
func dirac(wait func(worker, retry int) time.Duration) toy {
	return toy{workers: 1000, slots: 20, queue: 200, service: 100 * time.Millisecond, recovery: 500 * time.Millisecond,
		window: 100 * time.Millisecond, horizon: time.Hour, wait: wait}
}

// call is a request to come.
type call struct {
	at     time.Duration
	worker int
	retry  int
}

type calls []call

func (c calls) Len() int { return len(c) }
func (c calls) Less(i, j int) bool {
	return c[i].at < c[j].at || c[i].at == c[j].at && c[i].worker < c[j].worker
}
func (c calls) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *calls) Push(x any)   { *c = append(*c, x.(call)) }
func (c *calls) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

func (m toy) run() *sim.Result {
	r := &sim.Result{Window: m.window, FirstRetry: -1, LastRequest: -1, SampleEvery: (m.workers + 199) / 200}
	windows := map[int64]*sim.Window{}
	var todo calls
	for w := range m.workers {
		heap.Push(&todo, call{worker: w})
	}
	r.Herd.Tasks = int64(m.workers)
	free := make([]time.Duration, m.slots) // when each slot is free
	for len(todo) > 0 && todo[0].at < m.horizon {
		c := heap.Pop(&todo).(call)
		outcome, end := m.serve(c.at, free)
		m.count(r, windows, c, outcome, end)
		if outcome == strategies.Served {
			r.Herd.Succeeded++
			r.Completions = append(r.Completions, end)
		} else if m.attempts > 0 && c.retry+1 >= m.attempts {
			r.Herd.DeadLettered++
		} else {
			heap.Push(&todo, call{end + m.wait(c.worker, c.retry+1), c.worker, c.retry + 1})
		}
	}
	slices.Sort(r.Completions)
	r.Herd.Unfinished = r.Herd.Tasks - r.Herd.Succeeded - r.Herd.DeadLettered
	if len(todo) > 0 {
		r.End, r.EndedAt = sim.AtHorizon, m.horizon
	}
	for _, w := range windows {
		r.Windows = append(r.Windows, *w)
		r.PeakWindow = max(r.PeakWindow, w.Requests-w.Failure)
	}
	slices.SortFunc(r.Windows, func(a, b sim.Window) int { return int(a.Index - b.Index) })
	return r
}

// serve says how a request at t ends.
func (m toy) serve(t time.Duration, free []time.Duration) (sim.Outcome, time.Duration) {
	if t < m.recovery {
		return strategies.Unavailable, t
	}
	first, waiting := 0, 0
	for i, f := range free {
		if f < free[first] {
			first = i
		}
		if f > t && m.service > 0 {
			waiting += int((f-t+m.service-1)/m.service) - 1
		}
	}
	start := max(t, free[first])
	switch {
	case start > t && waiting >= m.queue:
		return strategies.Rejected, t
	case m.timeout > 0 && start+m.service > t+m.timeout:
		return strategies.TimedOut, t + m.timeout
	}
	free[first] = start + m.service
	return strategies.Served, free[first]
}

// count books a request.
func (m toy) count(r *sim.Result, windows map[int64]*sim.Window, c call, o sim.Outcome, end time.Duration) {
	i := int64(c.at / m.window)
	w := windows[i]
	if w == nil {
		w = &sim.Window{Index: i}
		windows[i] = w
	}
	failure := o == strategies.Unavailable && c.retry == 0
	w.Requests++
	w.Outcomes[o]++
	r.Attempts++
	r.Outcomes[o]++
	r.LastRequest = c.at
	if failure {
		w.Failure++
	}
	if c.retry > 0 {
		r.Retries++
		if r.FirstRetry < 0 {
			r.FirstRetry = c.at
		}
	}
	if c.worker%r.SampleEvery == 0 {
		r.Sample = append(r.Sample, sim.AttemptRecord{Task: int64(c.worker), Attempt: int64(c.retry + 1),
			Sent: c.at, Arrived: c.at, Outcome: o, Failure: failure, End: end})
	}
}

// Waits of the toy. luck is uniform in [0, 1), the same on every run.

func luck(worker, retry int) float64 {
	x := uint64(worker)*0x9e3779b97f4a7c15 + uint64(retry)*0xd1b54a32d192ed03
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return float64((x^x>>31)>>11) / (1 << 53)
}

func everySecond(int, int) time.Duration { return time.Second }

func exponential(_, retry int) time.Duration {
	return time.Duration(math.Min(32, math.Exp2(float64(retry-1)))) * time.Second
}

func fullJitter(worker, retry int) time.Duration {
	return time.Duration(luck(worker, retry) * float64(exponential(worker, retry)))
}

// aReport is the report of results on the set-up of dirac.
func aReport(entries ...report.Entry) *report.Report {
	r := &report.Report{
		Version: "test",
		Setup: report.Setup{Name: "dirac", Seed: 1, Replicates: 1, Window: 100 * time.Millisecond, Slots: 20, Queue: 200,
			Recovery: 500 * time.Millisecond, Capacity: 200},
		Entries: entries,
	}
	for _, e := range entries {
		if len(e.Runs) > 0 && e.Runs[0] != nil {
			r.Setup.Workers = max(r.Setup.Workers, int(e.Runs[0].Herd.Tasks))
		}
	}
	return r
}

func entry(key, formula string, r *sim.Result) report.Entry {
	return report.Entry{Name: key, Key: key, Formula: formula, Runs: []*sim.Result{r}}
}

const ceiling = "min(32 s, 1 s × 2ⁿ)"

// three are the strategies that tell the story.
func three(m toy) []report.Entry {
	var es []report.Entry
	for _, s := range []struct {
		key, formula string
		wait         func(int, int) time.Duration
	}{{"fixed", "1 s", everySecond}, {"exponential", ceiling, exponential}, {"full-jitter", "U[0, " + ceiling + ")", fullJitter}} {
		m.wait = s.wait
		es = append(es, entry(s.key, s.formula, m.run()))
	}
	return es
}

// many repeats the entries until there are n, under names of their own made by name.
func many(es []report.Entry, n int, name func(i int) string) []report.Entry {
	var out []report.Entry
	for i := range n {
		e := es[i%len(es)]
		e.Name = name(i)
		out = append(out, e)
	}
	return out
}

// longName is one of 64 characters.
func longName(i int) string {
	s := fmt.Sprintf("exponential-with-a-name-as-long-as-they-come-%d-", i)
	return s + strings.Repeat("x", 64-len(s))
}
