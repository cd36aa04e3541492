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
	Clients  *Clients                // closed-loop traffic; nil for none
	Cron     *Cron                   // periodic traffic; nil for none

	Timeout   time.Duration // how long a worker waits for an answer, from sending; 0 = for ever
	Poison    float64       // each task's chance to fail on every attempt
	ErrorRate float64       // each attempt's chance to fail after service
	Limits                  // of the herd, and of traffic that has none of its own

	Strategy         strategies.Strategy // nil if Paced
	Paced            bool                // a coordinator gives each worker its place instead
	FirstWait        time.Duration       // the first retry waits U[0, FirstWait) instead; 0 = no
	IgnoreRetryAfter bool
	RetryAfter       RetryAfter
	Poll             Poll
	Guards           []guards.Spec // asked in this order

	Broker        *Broker // between the tasks and those that work on them; nil for none
	Tiers         []Tier  // between the tasks and the downstream, from the top down
	PassDeadlines bool    // a tier that gives up a call stops what the tiers below do for it

	Downstream downstream.Config

	Trace    func(AttemptRecord)                            // told of every attempt when it ends; nil for none
	Executed func(Execution)                                // told what comes of every execution of a task; nil for none
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

// Limits say when a task is given up. The zero Limits never.
type Limits struct {
	MaxAttempts int           // then the task is dead-lettered; 0 = no limit
	MaxElapsed  time.Duration // a next attempt later than this after the first is not made; 0 = no limit
	Deadline    time.Duration // so long after its first attempt a task is given up, in the middle of an attempt or before the next; 0 = none
}

// Span returns how long after its first attempt a task may begin another: the shorter of MaxElapsed and Deadline, 0 for
// no limit.
func (l Limits) Span() time.Duration {
	if l.Deadline > 0 && (l.MaxElapsed == 0 || l.Deadline < l.MaxElapsed) {
		return l.Deadline
	}
	return l.MaxElapsed
}

// Tasks that are not of the herd are numbered after it in the order of their arrival; at one instant arrivals come
// before cron, and cron before clients, by client number. They are counted together, as open.

// Arrivals is open traffic: tasks come whatever becomes of those before. Its rate is the sum of the rates of the phases
// that hold; with R(t) the integral of it, the k-th task comes when R reaches a sum of k exponential numbers of mean 1
// (a Poisson process), or, if Even, when R grows beyond k, k from 0: a rate of n in some time brings n tasks in it, the
// first at once.
type Arrivals struct {
	Phases  []Phase
	Even    bool
	Clients int     // that make them, each with guards of its own where guards are not shared; 0 counts as 1
	Limits  *Limits // nil: those of the Config
}

// A Phase is a rate of arrivals in [From, To), by its Shape:
//
//	Constant  Rate
//	Ramp      from Rate at From to End at To, linearly
//	Sine      Rate + End x sin(2 pi (t - From) / Span), not below 0
//	Spike     Rate x exp(-(t - From) / Span)
type Phase struct {
	From, To  Time
	Shape     Shape
	Rate, End downstream.Rate
	Span      time.Duration // > 0 for Sine (period) and Spike (decay)
}

// A Shape is how the rate of a Phase changes.
type Shape uint8

const (
	Constant Shape = iota
	Ramp
	Sine
	Spike
)

// Poisson returns open traffic of one constant rate in [from, to).
func Poisson(rate downstream.Rate, from, to Time) *Arrivals {
	return &Arrivals{Phases: []Phase{{From: from, To: to, Rate: rate}}}
}

// Clients is closed-loop traffic: each of Count clients thinks, makes a task, waits until it has succeeded or is given
// up, and thinks again. It thinks for the first time from From on, and begins no task at To or later. Each has guards of
// its own where guards are not shared.
type Clients struct {
	Count    int // > 0
	Think    downstream.Distribution
	From, To Time
	Limits   *Limits // nil: those of the Config
}

// Cron is periodic traffic: at From and every Every after it, before To, Count tasks are due, each of which calls a draw
// of Spread later. Where guards are not shared, the k-th task of every tick has the same.
type Cron struct {
	Every    time.Duration // > 0
	Count    int           // > 0
	Spread   Start         // without a trace
	From, To Time
	Limits   *Limits // nil: those of the Config
}

// A Tier is a layer that calls the next one and tries again by itself: for each call that it gets it makes at most
// Attempts, and waits by its Strategy between them. A task's attempt is a call to the first tier; a request at the
// downstream is a call of the last, so that L tiers of n attempts make up to n^L requests of one attempt.
//
// Timeout is how long a tier waits for the answer to one of its calls, with all that the tiers below make of it; 0 for
// ever.
//
// With Tiers there is no Network and there are no Guards, and an attempt of the watch is a request: its number says which of
// all those that the task's attempts may make it is.
type Tier struct {
	Attempts int // > 0; the product over the tiers is at most 1,000,000
	Strategy strategies.Uniform
	Timeout  time.Duration
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
