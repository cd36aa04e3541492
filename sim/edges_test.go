package sim

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/strategies"
)

// edge is a run of n workers against one slot that serves in a second, each worker tried once.
func edge(n int) Config {
	return Config{
		Horizon: time.Hour, MaxEvents: 1000, Window: time.Second, Workers: n, Limits: Limits{MaxAttempts: 1},
		Strategy:   strategies.Fixed{Delay: time.Second},
		Downstream: downstream.Config{Slots: 1, Queue: downstream.Unlimited, Service: downstream.Constant{D: time.Second}},
	}
}

func TestSlotsStayClosedBetweenAdjacentBrownOuts(t *testing.T) {
	cfg := edge(100)
	cfg.Downstream.Slots = 10
	cfg.Downstream.Outages = []downstream.Outage{
		{To: 1500 * time.Millisecond, Capacity: 0.2}, {From: 1500 * time.Millisecond, To: 10 * time.Second, Capacity: 0.3},
	}
	for _, w := range Run(context.Background(), cfg).Windows {
		if w.Index < 10 && w.InServiceMax > 3 {
			t.Errorf("%d slots work in second %d, want at most 3 of 10", w.InServiceMax, w.Index)
		}
	}
}

func TestQueueIsLostWithoutServiceWhenBrownOutBecomesOutage(t *testing.T) {
	cfg := edge(10)
	cfg.Downstream.Slots = 10
	cfg.Downstream.Outages = []downstream.Outage{{To: 1500 * time.Millisecond, Capacity: 0.1}, {From: 1500 * time.Millisecond, To: time.Minute}}
	r := Run(context.Background(), cfg)
	if r.QueueWait.Count != 2 || r.Outcomes[strategies.Served] != 1 || r.Outcomes[strategies.Unavailable] != 9 {
		t.Errorf("%d had a slot, %d were served, %d unavailable; want 2, 1, 9", r.QueueWait.Count, r.Outcomes[strategies.Served], r.Outcomes[strategies.Unavailable])
	}
}

func TestAttemptsSentBeforeTheHorizonAreInFlight(t *testing.T) {
	cfg := edge(5)
	cfg.Horizon, cfg.Network, cfg.Start.Uniform = 10*time.Second, downstream.Constant{D: time.Minute}, 9*time.Second
	r := Run(context.Background(), cfg)
	if r.Attempts != 5 || r.Outcomes[strategies.InFlight] != 5 {
		t.Errorf("%d attempts, %d in flight; want 5, 5", r.Attempts, r.Outcomes[strategies.InFlight])
	}
}

func TestTimeInTheQueueCountsWhenItIsLost(t *testing.T) {
	for _, mode := range []downstream.Mode{downstream.Refuse, downstream.Hang} {
		for _, network := range []downstream.Distribution{nil, downstream.Constant{}} {
			cfg := edge(2)
			cfg.Network, cfg.Timeout = network, 5*time.Second
			cfg.Downstream.Outages = []downstream.Outage{{From: 500 * time.Millisecond, To: time.Minute, Mode: mode}}
			var queued time.Duration
			cfg.Trace = func(r AttemptRecord) { queued += r.Queued }
			if Run(context.Background(), cfg); queued != 500*time.Millisecond {
				t.Errorf("mode %d, network %v: the queue held a request for %v, want 500ms", mode, network, queued)
			}
		}
	}
}

func TestPacedWorkersWaitForTheEndOfAnOutageEvenIfServiceIsFree(t *testing.T) {
	cfg := edge(5)
	cfg.Strategy, cfg.Paced, cfg.MaxAttempts, cfg.Start.Uniform = nil, true, 0, 10*time.Second
	cfg.Downstream.Service = downstream.Constant{}
	cfg.Downstream.Outages = []downstream.Outage{{From: time.Nanosecond, To: 10 * time.Second}, {From: 10 * time.Second, To: 20 * time.Second}}
	r := Run(context.Background(), cfg)
	if r.Herd.Succeeded != 5 || r.Attempts != 10 || r.EndedAt != 20*time.Second {
		t.Errorf("%d of 5 served by %v in %d attempts; want all, 20s, 10", r.Herd.Succeeded, r.EndedAt, r.Attempts)
	}
}

func TestPacedWorkersComeWithTheirTokens(t *testing.T) {
	for _, test := range []struct {
		rate  downstream.Rate
		burst int
		last  time.Duration // when the bucket has gained 2000 tokens less the burst
	}{
		{downstream.Rate{Events: 1, Per: 6 * time.Millisecond}, 1, 1999 * 6 * time.Millisecond},
		{downstream.Rate{Events: 12, Per: time.Minute}, 10, 1990 * 5 * time.Second},
		{downstream.Rate{Events: 3, Per: 7}, 2, 4662},                                 // 1998 x 7/3
		{downstream.Rate{Events: 3, Per: 7}, 1, 5997},                                 // 1999 x 3: the bucket is full after 7/3 ns and spent after 3
		{downstream.Rate{Events: 999_999, Per: 24 * time.Hour}, 100, 164_160_164_161}, // 1900 x 86.4000864... ms
	} {
		cfg := edge(2000)
		cfg.Strategy, cfg.Paced, cfg.MaxAttempts, cfg.MaxEvents, cfg.Horizon = nil, true, 0, 10_000, 1000*time.Hour
		cfg.Downstream.Service = downstream.Constant{}
		cfg.Downstream.RateLimit = &downstream.RateLimit{Rate: test.rate, Burst: test.burst}
		r := Run(context.Background(), cfg)
		if want := 2*2000 - int64(test.burst); r.Herd.Succeeded != 2000 || r.Attempts != want || r.EndedAt != test.last {
			t.Errorf("%d per %v, burst %d: %d of 2000 served by %d in %d attempts; want all, %d, %d",
				test.rate.Events, test.rate.Per, test.burst, r.Herd.Succeeded, r.EndedAt, r.Attempts, test.last, want)
		}
	}
}

// A crowd before a full house is turned away in whole buckets, unless somebody watches. Some of it comes back within the
// time of its own bucket.
func TestWhoComesBackWithinABucketIsCountedInItsPlace(t *testing.T) {
	base := 2 * time.Millisecond
	for _, test := range []struct {
		name      string
		strategy  strategies.Strategy
		maxEvents int64
	}{
		{"to the end", strategies.FullJitter{Base: base, Factor: 1}, 1 << 40},
		{"to a limit", strategies.FullJitter{Base: base, Factor: 1}, 13_000},
		{"to a limit that comes while time stands still", strategies.Schedule{
			Delays: []time.Duration{5 * base, 0}, Jitter: strategies.Jitter{Kind: strategies.JitterFull}}, 100_000},
	} {
		for seed := range uint64(10) {
			cfg := edge(500)
			cfg.Seed, cfg.MaxEvents, cfg.MaxAttempts, cfg.Window = seed, test.maxEvents+int64(seed), 0, 3*time.Millisecond
			cfg.Strategy, cfg.Horizon, cfg.Start.Uniform = test.strategy, 60*time.Millisecond, base
			cfg.Downstream.Queue = 0
			unseen := Run(context.Background(), cfg)
			cfg.Trace = func(AttemptRecord) {}
			if d := diff(Run(context.Background(), cfg), unseen); d != "" {
				t.Fatalf("%s, seed %d, - watched, + unseen:\n%s", test.name, seed, d)
			}
		}
	}
}

func TestWaitsToTheEndOfTime(t *testing.T) {
	cfg := edge(2000)
	cfg.Network, cfg.MaxAttempts, cfg.MaxEvents = downstream.Uniform{Max: 60}, 0, 1<<40
	cfg.Strategy = strategies.Fixed{Delay: math.MaxInt64 - 100}
	cfg.Downstream.Queue = 0
	if r := Run(context.Background(), cfg); r.End != AtHorizon || r.Attempts != 2000 || r.Herd.Unfinished != 1999 {
		t.Errorf("ended with %d after %d attempts, %d unfinished; want %d, 2000, 1999", r.End, r.Attempts, r.Herd.Unfinished, AtHorizon)
	}
}

// A slot that a timeout frees may take a request that times out at the same instant: no work is done for it.
func TestWorkCancelledAtOnceIsNotWasted(t *testing.T) {
	cfg := Config{
		Seed: 1, Horizon: time.Hour, MaxEvents: 1 << 20, Window: time.Second, Workers: 100, Limits: Limits{MaxAttempts: 1},
		Timeout: time.Second, Strategy: strategies.Fixed{Delay: time.Second},
		Downstream: downstream.Config{Slots: 10, Queue: downstream.Unlimited, CancelAbandoned: true,
			Service: downstream.Constant{D: 600 * time.Millisecond}},
	}
	r := Run(context.Background(), cfg)
	if r.Outcomes[strategies.Served] != 10 || r.Outcomes[strategies.TimedOut] != 90 || r.Wasted != 10 {
		t.Errorf("%v, %d wasted; want 10 served, 90 timed out, 10 wasted", r.Outcomes, r.Wasted)
	}
}

// A queue without limit and a worker that times out for ever fill any memory: the run is cut off instead.
func TestEndlessQueueIsCutOff(t *testing.T) {
	defer func(b int) { bounds.requests = b }(bounds.requests)
	bounds.requests = 100_000
	cfg := edge(1000)
	cfg.MaxAttempts, cfg.MaxEvents, cfg.Timeout = 0, 1<<40, time.Second
	r := Run(context.Background(), cfg)
	if r.End != AtMaxRequests || r.Herd.Unfinished == 0 || r.Attempts > 300_000 {
		t.Errorf("ended by %v after %d attempts with %d unfinished, want by AtMaxRequests", r.End, r.Attempts, r.Herd.Unfinished)
	}
}

func TestEndlessOpenTrafficIsCutOff(t *testing.T) {
	defer func(b int) { bounds.bytes = b }(bounds.bytes)
	bounds.bytes = 100_000 * eventBytes
	cfg := edge(0)
	cfg.MaxAttempts, cfg.MaxEvents, cfg.Downstream.Queue = 0, 1<<40, 0
	cfg.Arrivals = Poisson(downstream.Rate{Events: 1000, Per: time.Second}, 0, time.Hour)
	r := Run(context.Background(), cfg)
	if r.End != AtMaxTasks || r.Open.Tasks > 300_000 {
		t.Errorf("ended by %v after %d open tasks, want by AtMaxTasks", r.End, r.Open.Tasks)
	}
}

// Where service takes no time nobody has a place to wait for: a paced task that fails all the same must not make time
// stand still.
func TestPacedWithoutServiceTimeLetsTimePass(t *testing.T) {
	cfg := edge(1)
	cfg.Paced, cfg.Strategy, cfg.MaxAttempts, cfg.Poison, cfg.Horizon = true, nil, 0, 1, time.Second
	cfg.Downstream.Service, cfg.MaxEvents = downstream.Constant{}, 1<<30
	if r := Run(context.Background(), cfg); r.End != AtHorizon || r.Attempts > 1001 {
		t.Errorf("ended by %v after %d attempts, want at the horizon after at most 1001", r.End, r.Attempts)
	}
}

// After a first_wait of the entry's own the strategy starts afresh: a decorrelated wait is drawn above its base, and not
// above the first wait.
func TestFirstWaitLeavesNoPreviousWait(t *testing.T) {
	cfg := edge(200)
	cfg.Seed, cfg.MaxAttempts, cfg.FirstWait, cfg.Horizon = 1, 3, time.Hour, 24*time.Hour
	cfg.Downstream.Outages = []downstream.Outage{{To: 48 * time.Hour}}
	cfg.Strategy, cfg.MaxEvents = strategies.Decorrelated{Base: time.Second, Factor: 3}, 1<<20
	var longest time.Duration
	cfg.Trace = func(r AttemptRecord) {
		if r.Attempt == 3 {
			longest = max(longest, r.Waited)
		}
	}
	Run(context.Background(), cfg)
	if longest < 2*time.Second || longest > 3*time.Second {
		t.Errorf("the longest second wait is %v, want just below 3s", longest)
	}
}

// A deadline ends a task in the middle of an attempt, and forbids the retry that would start at it or later.
func TestDeadlineEndsTheTask(t *testing.T) {
	cfg := edge(3)
	cfg.MaxAttempts, cfg.Deadline, cfg.Strategy = 0, 2500*time.Millisecond, strategies.Fixed{Delay: 1500 * time.Millisecond}
	cfg.Downstream.Queue = 1
	var ends []Time
	cfg.Trace = func(r AttemptRecord) { ends = append(ends, r.End) }
	r := Run(context.Background(), cfg)
	// Worker 0 is served at 1 s, worker 1 at 2 s; worker 2 is rejected at 0 s, comes back at 1.5 s, begins at 2 s and has
	// to give up at 2.5 s; what is left of its work is for nobody.
	want := []Time{0, time.Second, 2 * time.Second, 2500 * time.Millisecond}
	if !slices.Equal(ends, want) || r.Herd.Succeeded != 2 || r.Herd.DeadLettered != 1 || r.Outcomes[strategies.TimedOut] != 1 || r.Wasted != 1 {
		t.Errorf("attempts end at %v, %+v, %v, %d wasted; want ends at %v, one dead-lettered, timed out and wasted",
			ends, r.Herd, r.Outcomes, r.Wasted, want)
	}
}

// What counts is memory: with an entry in a table of 8 bytes beside each event of 24, fewer tasks are held. The herd,
// which has its own room, counts for nothing.
func TestTablesCountAsMemory(t *testing.T) {
	defer func(b int) { bounds.bytes = b }(bounds.bytes)
	bounds.bytes = 1 << 18 * eventBytes
	tasks := func(herd int, elapsed time.Duration) int64 {
		cfg := edge(herd)
		cfg.MaxAttempts, cfg.MaxElapsed, cfg.MaxEvents, cfg.Downstream.Queue, cfg.Horizon = 0, elapsed, 1<<40, 0, 100*time.Hour
		cfg.Strategy, cfg.Downstream.Service = strategies.Fixed{Delay: 50 * time.Hour}, downstream.Constant{D: 50 * time.Hour}
		cfg.Arrivals = Poisson(downstream.Rate{Events: 1000, Per: time.Second}, 0, time.Hour)
		r := Run(context.Background(), cfg)
		if r.End != AtMaxTasks {
			t.Errorf("herd of %d, at most %v: ended by %v, want AtMaxTasks", herd, elapsed, r.End)
		}
		return r.Open.Tasks
	}
	alone := tasks(0, 0)
	for name, c := range map[string]struct {
		got  int64
		want float64
	}{
		"with a table":  {tasks(0, 90*time.Hour), 0.75}, // 24 of 24 + 8
		"beside a herd": {tasks(100_000, 0), 1},
	} {
		if share := float64(c.got) / float64(alone); math.Abs(share-c.want) > float64(checkEvery)/float64(1<<18) {
			t.Errorf("%s: %d tasks were held, %d without; want %v of it", name, c.got, alone, c.want)
		}
	}
}
