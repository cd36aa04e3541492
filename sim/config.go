package sim

import (
	"time"

	"herdsim/downstream"
	"herdsim/strategies"
	"herdsim/strategies/guards"
)

// Time is an instant: nanoseconds since the start of the run.
type Time = time.Duration

// An Outcome is how an attempt ended, as its worker sees it.
type Outcome = strategies.Outcome

// Config is all that one run depends on, besides the code: the same Config gives the same Result. A zero is a zero:
// there are no defaults here.
type Config struct {
	Seed      uint64
	Horizon   Time          // > 0; events at the horizon itself do not happen
	MaxEvents int64         // > 0; reaching it cuts the run off
	Window    time.Duration // > 0; width of a bar of the histogram

	Workers  int                     // tasks of the herd, numbered from 0
	Start    Start                   // how their first calls spread
	Network  downstream.Distribution // one-way delay of each request and each reply; nil for none
	Arrivals *Arrivals               // open traffic beside the herd; nil for none

	Timeout     time.Duration // how long a worker waits for an answer, from sending; 0 = for ever
	Poison      float64       // each task's chance to fail on every attempt
	ErrorRate   float64       // each attempt's chance to fail after service
	MaxAttempts int           // then the task is dead-lettered; 0 = no limit
	MaxElapsed  time.Duration // a next attempt later than this after the first is not made; 0 = no limit
	Deadline    time.Duration // so long after its first attempt a task is given up, in the middle of an attempt or before the next; 0 = none

	Strategy         strategies.Strategy // nil if Paced
	Paced            bool                // a coordinator gives each worker its place instead
	FirstWait        time.Duration       // the first retry waits U[0, FirstWait) instead; 0 = no
	IgnoreRetryAfter bool
	RetryAfter       RetryAfter
	Poll             Poll
	Guards           []guards.Spec // asked in this order

	Downstream downstream.Config

	Trace    func(AttemptRecord)                            // told of every attempt when it ends; nil for none
	Progress func(now Time, events int64, unfinished int64) // called now and then; nil for none
}

// Start says when the workers of the herd call first. The zero Start is all at once, at t0.
type Start struct {
	Uniform time.Duration           // > 0: each at U[0, Uniform)
	Spread  downstream.Distribution // else, if set: each after a draw of it
	Trace   []Bin                   // else, if set: as measured
}

// A Bin is a piece of a measured herd: Count calls spread evenly over [From, To).
type Bin struct {
	From, To Time
	Count    int
}

// Arrivals is a Poisson stream of tasks in [From, To), numbered after the herd in the order of their arrival.
type Arrivals struct {
	Rate     downstream.Rate
	From, To Time
	Clients  int // that make them, each with guards of its own where guards are not shared; 0 counts as 1
}

// RetryAfter is what a worker makes of a Retry-After that it honours. The zero value takes it as it is.
type RetryAfter struct {
	Most   time.Duration // longer ones are cut to it; 0 for no limit
	Jitter float64       // >= 0: the wait is longer by U[0, Jitter) of it
}

// Poll is a scheduler that looks for due retries from time to time, as queue workers have it: a retry is made when it
// is found. Each of Processes sleeps Every × (1 + Jitter × U[-1, 1)) between looks, and has done so since long before t0.
// The zero Poll makes retries when they are due.
type Poll struct {
	Every     time.Duration
	Jitter    float64 // in [0, 1]
	Processes int     // 0 counts as 1
}
