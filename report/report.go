// Package report turns the results of runs into text, CSV, JSON and pictures. It reads sim.Result and nothing else of
// the engine.
package report

import (
	"encoding/json"
	"time"

	"herdsim/sim"
)

// A Report is all that is said about one scenario.
type Report struct {
	Version  string // of herdsim
	Setup    Setup
	Entries  []Entry         // in the scenario's order
	Partial  bool            // interrupted: some Runs are missing
	Expected []Expected      // the scenario's expect lines, judged; nil when Partial
	Scenario json.RawMessage // the whole scenario with defaults
}

// Setup is what titles, axes and columns need of the scenario.
type Setup struct {
	Name, Title  string
	Seed         uint64
	Replicates   int
	Window       time.Duration
	Horizon      time.Duration
	Workers      int           // of the herd, the largest of the entries
	HerdEnd      time.Duration // when the last of it calls first, as far as that is certain
	Arrivals     *sim.Arrivals
	Traced       bool // the arrivals are a measured trace
	Clients      *sim.Clients
	Cron         *sim.Cron
	OpenRate     float64       // open tasks per second, in the mean over TrafficSpan; 0 for none
	Spoken       []string      // tiers, and parts of the downstream, each in a few words
	Tiered       bool          // a task's attempts go through tiers, which make requests of them
	Slots        int           // -1 for unlimited
	Queue        int           // -1 for unlimited
	Concurrency  int           // most requests in slots and queue together; 0 for no limit of its own
	Service      time.Duration // mean service time
	Network      time.Duration // mean one-way delay
	Outages      []sim.Span
	FullOutages  []sim.Span    // of these, those in which nothing at all is served
	Parts        bool          // there is more to see of the downstream over time than slots, a queue, a rate limit and outages
	Conflicts    bool          // requests fail because they contend
	Recovery     time.Duration // end of the outage that holds at t0; 0 if it is healthy then
	Away         time.Duration // begin of the first full outage after that; 0 for none
	Capacity     float64       // nominal requests per second; 0 when there is no bound
	ColdCapacity float64       // the same with an empty cache, a connection to be made for each, and before any warm-up; 0 without these
	Cached       bool          // there is a cache
	Pooled       bool          // there is a pool of connections
	WarmFrom     float64       // share of the speed from which it warms up; 0 without a warm-up
	RateLimit    float64       // tokens per second; 0 for none
	Burst        int
	RejectCost   time.Duration
	Timeout      time.Duration
	Poison       float64       // share of tasks that cannot succeed
	ErrorRate    float64       // share of attempts that fail by themselves
	Patience     time.Duration // how long somebody waits for a request at the downstream: the shortest timeout; 0 for ever
	Sheds        string        // what keeps the downstream from work for callers that have gone: "cancel_abandoned"; "" if nothing does
	Within       float64       // of the verdict; 0 counts as 20 %
	For          time.Duration // width of its pieces; 0 for one that fits

	Consumers int // of a message broker; 0 without one
	Prefetch  int // of each: most unacknowledged deliveries; 0 for no limit, -1 if entries differ

	CrashInFlight int // with more in slots and queue together the downstream crashes; 0 for no such limit
	CrashQueued   int // with more waiting it crashes; 0 for no such limit
}

// An Entry is one strategy with its finished runs.
type Entry struct {
	Name    string        // as in the scenario, at most 64 characters
	Key     string        // the strategy's key: "full-jitter"
	Formula string        // for people
	Runs    []*sim.Result // by replicate - 1; nil where a run was not finished
	Seeds   []uint64      // of those
	// Executions are those of the runs, where they were counted for metrics; nil for none.
	Executions []*ExecutionCount

	Alert int // with a broker: more dead letters than that raise an alert; negative for none

	MaxRequests MaxRequests
}

// An Expected is an expect line and whether it held in every replicate.
type Expected struct {
	Line    string `json:"line"`
	Met     bool   `json:"met"`
	Skipped string `json:"skipped"` // why it was not judged; "" if it was
	Detail  string `json:"detail"`  // the values that were compared, of the first replicate in which it failed
}
