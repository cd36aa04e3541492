// Package scenarios reads scenario files: strict decoding, defaults, validation, and the built-in library.
package scenarios

import (
	"time"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
	"herdsim/strategies/guards"
)

// A Scenario is a checked scenario file with every default filled in. What is in it is in range.
type Scenario struct {
	Name, Title, About string
	Seed               uint64
	Replicates         int
	Horizon            time.Duration
	MaxEvents          int64
	Window             time.Duration
	Workers            int      // with a Broker its consumers; else the herd: 0 if Start is a trace, or there is none
	Messages           Messages // with a Broker: the herd
	Broker             *Broker  // between the herd and the workers; nil for none
	Start              Start
	Network            downstream.Distribution // nil for none
	Arrivals           *Arrivals
	Clients            *sim.Clients
	Cron               *sim.Cron
	Task               Task
	Limits             Limits
	Guards             []guards.Spec
	Tiers              []sim.Tier // from the top down
	PassDeadlines      bool       // a tier that gives up a call stops what the tiers below do for it
	Downstream         downstream.Config
	Strategies         []Entry
	Verdict            Verdict
	Expect             []Expectation
	Skipped            []Expectation // lines of expect that name a strategy which the request took away
}

// Task describes the work of one worker.
type Task struct {
	Timeout           time.Duration
	Poison, ErrorRate float64
}

// Limits say when a task is given up.
type Limits = sim.Limits

// Start is how the first calls of a herd spread, with the name of the trace file it came from, if any.
type Start struct {
	sim.Start
	File string // as written in the scenario; "" for none
	Data []byte // the trace file's content
}

// Arrivals are open traffic, with the name of the trace file it came from, if any.
type Arrivals struct {
	sim.Arrivals
	File string // as written in the scenario; "" for none
	Data []byte // the trace file's content
}

// Verdict says when a run counts as recovered.
type Verdict struct {
	Within float64       // share by which goodput may stay below its level before the trigger
	For    time.Duration // over which it is averaged; 0 = by the length of the run
}

// An Entry is one strategy of a scenario.
type Entry struct {
	Name             string              // as in every CSV and picture
	Key              string              // the strategy's key: "full-jitter"
	Formula          string              // for people: "U[0, min(32 s, 1 s × 2ⁿ))"
	Strategy         strategies.Strategy // nil for paced
	Limits           Limits              // the entry's own, or the scenario's
	Start            Start               // the entry's own, or the scenario's
	Guards           []guards.Spec       // the entry's own, or the scenario's
	Broker           *Broker             // the entry's own, or the scenario's; nil for none
	FirstWait        time.Duration
	IgnoreRetryAfter bool
	RetryAfter       sim.RetryAfter
	Poll             sim.Poll // the zero Poll for none
	Preset           string   // the preset that Strategy came from; "" for none
}

// Herd returns the size of the herd of entry e: what its own trace says, else the scenario's workers or messages, or the
// size of the scenario's trace, which the entry then only spreads in another way.
func (s *Scenario) Herd(e Entry) int {
	switch {
	case e.Start.Trace != nil:
		return traced(e.Start)
	case s.Start.Trace != nil:
		return traced(s.Start)
	case s.Broker != nil:
		return s.Messages.Count
	}
	return s.Workers
}

func traced(s Start) int {
	n := 0
	for _, b := range s.Trace {
		n += b.Count
	}
	return n
}

// Config returns the run of strategy i and replicate r, both as the scenario numbers them: i from 0, r from 1.
func (s *Scenario) Config(i, r int) sim.Config {
	e := s.Strategies[i]
	var arrivals *sim.Arrivals
	if s.Arrivals != nil {
		arrivals = &s.Arrivals.Arrivals
	}
	cfg := sim.Config{
		Seed:             sim.ReplicateSeed(s.Seed, r),
		Horizon:          s.Horizon,
		MaxEvents:        s.MaxEvents,
		Window:           s.Window,
		Workers:          s.Herd(e),
		Start:            e.Start.Start,
		Network:          s.Network,
		Arrivals:         arrivals,
		Clients:          s.Clients,
		Cron:             s.Cron,
		Timeout:          s.Task.Timeout,
		Poison:           s.Task.Poison,
		ErrorRate:        s.Task.ErrorRate,
		Limits:           e.Limits,
		Strategy:         e.Strategy,
		Paced:            e.Key == "paced",
		FirstWait:        e.FirstWait,
		IgnoreRetryAfter: e.IgnoreRetryAfter,
		RetryAfter:       e.RetryAfter,
		Poll:             e.Poll,
		Guards:           e.Guards,
		Tiers:            s.Tiers,
		PassDeadlines:    s.PassDeadlines,
		Downstream:       s.Downstream,
	}
	if e.Broker != nil {
		cfg.Broker = e.Broker.run(s.Workers, s.Messages.Poison)
	}
	return cfg
}
