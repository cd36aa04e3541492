package sim

import "time"

// A CutOff says what ended a run before its last event.
type CutOff uint8

const (
	NotCutOff     CutOff = iota
	AtHorizon            // virtual time reached the horizon with events to come
	AtMaxEvents          // the limit on events was reached
	AtMaxWindows         // more windows with something in them than a Result may hold
	AtMaxRequests        // more requests at the downstream at once than an engine may hold
	AtMaxTasks           // more tasks than an engine may hold
	Cancelled            // the context was cancelled
)

// A Result is what a run hands back. All sums are over the herd and the open traffic together unless said otherwise.
type Result struct {
	Herd, Open Tally

	Attempts int64    // requests sent
	Retries  int64    // attempts that are not a task's first
	Outcomes [6]int64 // attempts by Outcome; they sum to Attempts
	Wasted   int64    // requests whose work ended for a worker that had timed out, if there was any
	Events   int64    // every event the engine handled
	End      CutOff
	EndedAt  Time // the instant of the last event handled, or the horizon when that cut the run off

	Window  time.Duration
	Windows []Window // those in which something happened, in order

	Peak10ms, Peak100ms, Peak1s, PeakWindow int64 // most requests in one window, the failure itself left out
	FirstRetry, LastRequest                 Time  // -1 if there was none; when they reached the downstream

	Completions []Time // when each herd task that succeeded had its answer, ascending

	Latency, OpenLatency Quantiles     // of served attempts, from sending to the answer; all, and those of open tasks
	QueueWait            Mean          // of requests that were given a slot
	Observed             time.Duration // t0 to the last departure, or the horizon if there is open traffic: the base of time averages
	QueueArea            float64       // integral of the queue length over Observed, in request-seconds
	BusyTime             time.Duration // slot time spent working, in Observed
	HerdWork             time.Duration // service time drawn by the herd's served attempts

	Guards  []GuardResult // in the order of the Config's
	Crashes []Span        // of the downstream
	Queues  []QueueResult // of the broker, in the order of its Config
	Starved int64         // messages that no handler had begun with when the run ended
	Blocked time.Duration // in which messages were ready, and all that consumers held was slept over or poison
	States  []StatePoint  // of a downstream that can be cold

	Sample      []AttemptRecord // every attempt of each SampleEvery-th worker, at most 200 of them; a task's own in order
	SampleEvery int
	SampleFull  bool // some of their attempts are missing, there were too many
}

// CutOff reports whether a task of the herd was unfinished when the run ended.
func (r *Result) CutOff() bool { return r.Herd.Unfinished > 0 }

// A Tally counts tasks: Tasks = Succeeded + DeadLettered + Unfinished.
type Tally struct{ Tasks, Succeeded, DeadLettered, Unfinished int64 }

// A Window counts the requests that reached the downstream in [Index x width, (Index+1) x width), by the outcome they
// had in the end.
type Window struct {
	Index                  int64
	Requests               int64 // the sum of Outcomes; those in flight when the run ended are in Outcomes[InFlight]
	Outcomes               [6]int64
	Failure                int64 // of Requests, those that are the failure itself: herd first attempts refused, lost or swallowed by an outage
	Wasted                 int64 // work for nobody that ended in this window
	QueueMax, InServiceMax int64 // the most at any instant of the window
	Tasks                  int64 // first attempts among Requests: the offered load
	Queued, InService      int64 // at its end
	Goodput                int64 // tasks that had their answer in this window and succeeded
}

// A Span is the half-open interval [From, To); To is -1 if it had not ended when the run did.
type Span struct{ From, To Time }

// A StatePoint is the state of a downstream at the end of a window, noted when it has changed: the share of its cache
// that is filled, and the share of its speed that it has reached. A part that is not there is at 1.
type StatePoint struct {
	Window      int64
	Cache, Warm float64
}

// Mean is a running mean.
type Mean struct {
	Sum   time.Duration // saturates
	Count int64
}

// Quantiles are nearest-rank quantiles of Count observations, exact unless Approximate (then within 0.1 %).
type Quantiles struct {
	Count       int64
	P50, P99    time.Duration
	Approximate bool
}

// An AttemptRecord is one attempt from its sending to its end.
type AttemptRecord struct {
	Task    int64 // worker from 0, open tasks after the herd
	Attempt int64 // from 1
	Sent    Time
	Arrived Time // when it reached the downstream; -1 if it had not when the attempt ended
	Outcome Outcome
	Failure bool          // part of the failure itself
	End     Time          // when the worker knew; -1 if in flight
	Waited  time.Duration // backoff before it
	Queued  time.Duration // spent in the queue
}
