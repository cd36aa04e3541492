// Package guards holds what decides over a client's calls beside the wait between them: retry budgets, circuit breakers,
// throttles, concurrency limits.
//
// A guard has state. It may be shared by all clients, or each may have its own. Its caller keeps the clock, and tells it
// of calls in the order of time.
package guards

import (
	"time"

	"herdsim/strategies"
)

// A Guard stands between clients and their calls. An attempt that is not a task's first is a retry.
//
// The caller asks Allow when an attempt has failed and its client would try again, Admit when an attempt is about to be
// sent, and tells Done when an attempt that was admitted has ended, as its client sees it. Instead of Done there may be a
// Cancel: the attempt was not sent after all, and may come back. Drop tells that it will not: its task was given up.
type Guard interface {
	// Allow decides whether a retry may be made at all; if not, the task is given up. o is how the attempt before it
	// failed. What it returns is handed back in Call.Allowance.
	Allow(now time.Duration, o strategies.Outcome) (allowance uint64, ok bool)

	// Admit decides over an attempt that is due. u is uniform in [0, 1) and the only randomness.
	Admit(now time.Duration, c Call, u float64) Answer

	// Done tells how an attempt ended that was admitted.
	Done(now time.Duration, c Call, o strategies.Outcome)

	// Cancel takes back an admission.
	Cancel(now time.Duration, c Call)

	// Drop tells that an attempt which was to be made, and is not admitted, never will be. What Allow took for it may be
	// given back.
	Drop(now time.Duration, c Call)

	// State returns what can be shown of the guard, and changes nothing.
	State(now time.Duration) State
}

// A Call is an attempt as a guard sees it.
type Call struct {
	Retry     bool
	Reserved  bool   // the guard has delayed it until now
	Ticket    uint32 // what Admit returned for it; 0 in Admit itself
	Allowance uint64 // what Allow returned for it; 0 for a first attempt
}

// An Answer is what a guard says to an attempt that is due.
type Answer struct {
	Verdict Verdict
	Until   time.Duration // for PutOff and Delay; an instant
	Ticket  uint32        // for Proceed: handed back in Call.Ticket
}

// A Verdict says what becomes of an attempt that is due.
type Verdict uint8

const (
	// Proceed: it is sent.
	Proceed Verdict = iota
	// PutOff: its client does not call. It comes back at Until or after its own next wait, whichever is later, and is
	// asked about again. That is no attempt.
	PutOff
	// Delay: it is sent at Until. The guards are asked again then, and this one finds the call Reserved.
	Delay
	// Refuse: the task is given up.
	Refuse
)

// State is what can be shown of a guard.
type State struct {
	Phase  Phase
	Opened int64   // how often a breaker has opened
	Level  float64 // what is left: the share of a full bucket, or the chance to be let through, in [0, 1]
}

// A Phase is the state of a circuit breaker. What is no breaker is always Closed.
type Phase uint8

const (
	Closed Phase = iota
	Open
	HalfOpen
)

// A Maker makes a guard in its first state: one that all clients share, or one for each.
type Maker interface {
	Make() Guard
}

// A Spec is a guard of a scenario.
type Spec struct {
	Name   string // as in reports: "breaker"
	Maker  Maker
	Shared bool // by all clients; else each worker, and each client of the open traffic, has its own
}
