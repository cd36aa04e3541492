// Package strategies says how long a client waits before it tries again.
//
// A Strategy is a value: it holds parameters and no state, is shared by all workers, and gets its only randomness
// handed in as one uniform number. So the same value serves the simulation, a table of waits (u = 0, 1/2, just below 1)
// and a picture of its quantile function.
package strategies

import "time"

// A Strategy says how long a client waits before it tries again, and whether it does.
type Strategy interface {
	// Wait returns the delay before the retry that a describes, or false to give up.
	// u is uniform in [0, 1) and the only randomness. The delay is never negative, at any retry number; what would
	// overflow saturates at the cap, or at the longest Duration.
	Wait(a Attempt, u float64) (wait time.Duration, again bool)
}

// An Attempt is what a client knows when an attempt has failed.
type Attempt struct {
	Worker        int           // from 0, for strategies with a phase of their own
	Retry         int           // 1 before the first retry
	SinceReset    int           // retries since the client last reset its backoff, this one included; Retry if it never did
	Outcome       Outcome       // how the attempt failed
	Now, Elapsed  time.Duration // since the start of the run; since the task's first attempt
	Previous      time.Duration // the strategy's own last wait, before any Retry-After; 0 at first
	Slept         time.Duration // the sum of those
	PreviousU     float64       // the u of the last wait, for the few that need it
	RetryAfter    time.Duration // what the downstream asked for
	HasRetryAfter bool
}

// An Outcome is how an attempt ended, as its client sees it.
type Outcome uint8

const (
	Served      Outcome = iota // answered
	Rejected                   // turned away by a full house or the rate limit
	Unavailable                // refused or lost in an outage that refuses
	TimedOut                   // no answer within the client's timeout
	Errored                    // served, and the answer was an error
	InFlight                   // not ended when the run was

	Outcomes = iota // how many there are
)

var outcomeNames = [Outcomes]string{"served", "rejected", "unavailable", "timed_out", "errored", "in_flight"}

// String returns the name that files and figures use: served, rejected, unavailable, timed_out, errored, in_flight.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return "unknown"
}
