package sim

import (
	"context"
	"math"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/strategies"
	"herdsim/strategies/guards"
)

// instants returns the first so many instants at which arrivals come.
func instants(a *Arrivals, most int) (at []Time) {
	var all arriving
	all.reset(&Config{Seed: 1, Horizon: math.MaxInt64, Arrivals: a})
	for len(at) < most && all.next < math.MaxInt64 {
		at = append(at, all.next)
		all.advance()
	}
	return at
}

func perSecondly(n int64) downstream.Rate { return downstream.Rate{Events: n, Per: time.Second} }

// Even arrivals at a constant rate are where they are written, however long it holds: 100/s comes at every 10 ms, and a
// bin of a measured day has as many tasks as were counted.
func TestEvenArrivalsDoNotDrift(t *testing.T) {
	const n = 1_000_000
	for k, at := range instants(&Arrivals{Even: true, Phases: []Phase{{To: time.Hour * 24, Rate: perSecondly(100)}}}, n) {
		if want := Time(k) * 10 * time.Millisecond; at != want {
			t.Fatalf("arrival %d comes at %v, want %v", k, at, want)
		}
	}
	const day = 24 * time.Hour
	days := Phase{From: 1, To: 106_000 * day, Rate: downstream.Rate{Events: 1, Per: day}}
	for k, at := range instants(&Arrivals{Even: true, Phases: []Phase{days}}, n) {
		if want := 1 + Time(k)*day; at != want {
			t.Fatalf("arrival %d comes at %d, want %d", k, at, want)
		}
	}
	bins := []Bin{{0, 7 * time.Second, 1000}, {7 * time.Second, 8 * time.Second, 0}, {8 * time.Second, 11 * time.Second, 7},
		{11 * time.Second, 11*time.Second + 1, 1}, {20 * time.Second, 21 * time.Second, 3}, {21 * time.Second, 24 * time.Second, 1e5}}
	a := &Arrivals{Even: true}
	var want []Time
	for _, b := range bins {
		a.Phases = append(a.Phases, Phase{From: b.From, To: b.To, Rate: downstream.Rate{Events: int64(b.Count), Per: b.To - b.From}})
		for k := range b.Count {
			want = append(want, b.From+Time(math.Round(float64(b.To-b.From)*float64(k)/float64(b.Count))))
		}
	}
	got := instants(a, 1<<20)
	if len(got) != len(want) {
		t.Fatalf("%d arrivals, want %d", len(got), len(want))
	}
	for k := range got {
		if got[k] != want[k] {
			t.Fatalf("arrival %d comes at %v, want %v", k, got[k], want[k])
		}
	}
}

// A ramp from 0 to 10/s in 10 s has brought t^2/2 tasks by t, so the k-th comes at sqrt(2k).
func TestEvenArrivalsOfARamp(t *testing.T) {
	got := instants(&Arrivals{Even: true, Phases: []Phase{{To: 10 * time.Second, Shape: Ramp, End: perSecondly(10)}}}, 100)
	if len(got) != 50 {
		t.Fatalf("%d arrivals, want 50", len(got))
	}
	for k, at := range got {
		if want := math.Sqrt(2*float64(k)) * 1e9; math.Abs(float64(at)-want) > 1 {
			t.Errorf("arrival %d comes at %d ns, want %.1f", k, at, want)
		}
	}
}

// Rates at the edge of what can be written neither hang nor bring tasks out of order or out of their phase.
func TestRatesAtTheEdge(t *testing.T) {
	const ever = 106_000 * 24 * time.Hour
	fast, slow := downstream.Rate{Events: math.MaxInt64, Per: 1}, downstream.Rate{Events: 1, Per: ever}
	for name, test := range map[string]struct {
		phases []Phase
		few    int // at most so many tasks
	}{
		"zero":           {[]Phase{{To: ever}, {To: ever, Shape: Ramp}, {To: ever, Shape: Sine, Span: 1}, {To: ever, Shape: Spike, Span: 1}}, 0},
		"no time":        {[]Phase{{From: 5, To: 5, Rate: fast}, {From: 7, To: 3, Rate: fast}}, 0},
		"no phases":      {nil, 0},
		"a nanosecond":   {[]Phase{{From: ever - 1, To: ever, Shape: Ramp, Rate: slow, End: fast}}, 1 << 30},
		"fast":           {[]Phase{{To: ever, Rate: fast}, {To: ever, Shape: Ramp, Rate: fast, End: fast}}, 1 << 30},
		"slow":           {[]Phase{{To: ever, Rate: slow}, {To: ever, Shape: Ramp, End: slow}}, 8},
		"fastest waves":  {[]Phase{{To: ever, Shape: Sine, Rate: slow, End: fast, Span: 2}}, 1 << 30},
		"slowest waves":  {[]Phase{{To: ever, Shape: Sine, Rate: slow, End: perSecondly(1), Span: ever}}, 1 << 30},
		"shortest spike": {[]Phase{{To: ever, Shape: Spike, Rate: perSecondly(1e9), Span: 1}, {To: ever, Rate: slow}}, 8},
		"longest spike":  {[]Phase{{To: ever, Shape: Spike, Rate: fast, Span: ever}}, 1 << 30},
		"days and waves": {[]Phase{{To: ever, Shape: Sine, Rate: downstream.Rate{Events: 1, Per: 24 * time.Hour},
			End: downstream.Rate{Events: 3, Per: 24 * time.Hour}, Span: 24 * time.Hour}}, 1 << 30},
	} {
		for _, even := range []bool{false, true} {
			got := instants(&Arrivals{Even: even, Phases: test.phases}, 2000)
			if len(got) > test.few || len(got) == 0 && test.few == 1<<30 {
				t.Errorf("%s: %d tasks", name, len(got))
			}
			for k, at := range got {
				if k > 0 && at < got[k-1] || at < 0 || at >= ever {
					t.Fatalf("%s, even %v: task %d comes at %d", name, even, k, at)
				}
			}
		}
	}
}

// Traffic that comes faster than anything happens is cut off like any other: here no request arrives before the horizon,
// so that there is no event.
func TestTrafficWithoutEventsIsCutOff(t *testing.T) {
	defer func(b int) { bounds.bytes = b }(bounds.bytes)
	bounds.bytes = 1 << 18 * eventBytes
	far := edge(0)
	far.Network, far.MaxEvents = downstream.Constant{D: time.Hour}, 1<<40
	giant := Cron{Every: time.Nanosecond, Count: 1 << 17, Spread: Start{Uniform: time.Hour}, To: time.Hour}
	for name, turn := range map[string]func(*Config){
		"arrivals":       func(c *Config) { c.Arrivals = Poisson(downstream.Rate{Events: 1, Per: 1}, 0, time.Hour) },
		"cron":           func(c *Config) { c.Cron = &Cron{Every: 1, Count: 1 << 30, To: time.Hour} },
		"cron, spread":   func(c *Config) { c.Cron = &giant },
		"cron, one tick": func(c *Config) { c.Cron = &Cron{Every: time.Hour, Count: 1 << 30, Spread: giant.Spread, To: time.Hour} },
	} {
		cfg := far
		turn(&cfg)
		if r := Run(context.Background(), cfg); r.End != AtMaxTasks {
			t.Errorf("%s: ended by %d, want AtMaxTasks", name, r.End)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if r := Run(ctx, cfg); r.End != Cancelled && r.End != AtMaxTasks {
			t.Errorf("%s: cancelled, ended by %d", name, r.End)
		}
	}
}

// Clients that do not think and are turned away at once never let time pass. The limit on events ends them, and so does
// whoever waits.
func TestClientsWithoutThoughtAreCutOff(t *testing.T) {
	cfg := edge(0)
	cfg.Clients = &Clients{Count: 3, Think: downstream.Constant{}, To: time.Hour}
	cfg.Downstream.Outages = []downstream.Outage{{To: time.Hour}}
	r := Run(context.Background(), cfg)
	if r.End != AtMaxEvents || r.Attempts != cfg.MaxEvents-1 || r.EndedAt != 0 { // the outage is an event
		t.Errorf("ended by %d at %v after %d attempts", r.End, r.EndedAt, r.Attempts)
	}
	cfg.MaxEvents = 1 << 40
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r := Run(ctx, cfg); r.End != Cancelled {
		t.Errorf("cancelled, ended by %d", r.End)
	}
}

// Two clients think 1 s, and one slot serves for 2 s. A client that finds it taken is turned away, has no second attempt,
// and thinks again; so they take turns to find it taken.
func TestClientsGoOnWhenTheirTasksAreDone(t *testing.T) {
	cfg := edge(0)
	cfg.Horizon = 10 * time.Second
	cfg.Downstream = downstream.Config{Slots: 1, Service: downstream.Constant{D: 2 * time.Second}}
	cfg.Clients = &Clients{Count: 2, Think: downstream.Constant{D: time.Second}, To: 8 * time.Second}
	var got []AttemptRecord
	cfg.Trace = func(r AttemptRecord) { got = append(got, r) }
	r := Run(context.Background(), cfg)
	want := []AttemptRecord{ // in the order of their ends
		{Task: 1, Sent: 1, Outcome: strategies.Rejected, End: 1},
		{Task: 2, Sent: 2, Outcome: strategies.Rejected, End: 2},
		{Task: 0, Sent: 1, Outcome: strategies.Served, End: 3},
		{Task: 4, Sent: 4, Outcome: strategies.Rejected, End: 4}, // of the first client, which comes after the second
		{Task: 3, Sent: 3, Outcome: strategies.Served, End: 5},
		{Task: 6, Sent: 6, Outcome: strategies.Rejected, End: 6},
		{Task: 5, Sent: 5, Outcome: strategies.Served, End: 7},
	}
	for i, w := range want {
		if i >= len(got) {
			t.Fatalf("%d attempts, want %d or more", len(got), len(want))
		}
		g := got[i]
		if g.Task != w.Task || g.Sent != w.Sent*time.Second || g.Outcome != w.Outcome || g.End != w.End*time.Second {
			t.Errorf("attempt %d: %+v, want %+v in seconds", i, g, w)
		}
	}
	if r.Open.Tasks != 8 || r.Open.Unfinished != 0 || r.End != NotCutOff || r.Observed != cfg.Horizon {
		t.Errorf("%+v, ended by %d, observed %v", r.Open, r.End, r.Observed)
	}
}

// Each client has guards of its own, and so has each job of cron: a breaker that opens at the first failure lets through
// one call of each.
func TestGuardsOfOpenTraffic(t *testing.T) {
	cfg := edge(0)
	cfg.MaxAttempts, cfg.Strategy, cfg.Horizon = 1, strategies.Fixed{Delay: time.Second}, time.Minute
	cfg.Downstream.Outages = []downstream.Outage{{To: time.Hour}}
	cfg.Guards = []guards.Spec{{Name: "breaker", Maker: breaking(time.Hour, strategies.Jitter{})}}
	cfg.Clients = &Clients{Count: 5, Think: downstream.Constant{D: time.Second}, To: time.Hour}
	cfg.Cron = &Cron{Every: 10 * time.Second, Count: 7, To: time.Hour}
	cfg.Arrivals = Poisson(perSecondly(10), 0, time.Hour)
	cfg.Arrivals.Clients = 2
	r := Run(context.Background(), cfg)
	if g := r.Guards[0]; g.Instances != 14 || g.Opened != 14 || r.Attempts != 14 {
		t.Errorf("%d breakers, %d opened, after %d attempts, want 14 of each", g.Instances, g.Opened, r.Attempts)
	}
}

// Limits of its own hold for a kind of traffic, and those of the run for the others.
func TestLimitsByKind(t *testing.T) {
	cfg := edge(2)
	cfg.Horizon, cfg.MaxEvents, cfg.Strategy = time.Hour, 1<<20, strategies.Fixed{Delay: time.Second}
	cfg.Downstream.Outages = []downstream.Outage{{To: time.Hour}}
	cfg.Limits = Limits{MaxAttempts: 5}
	cfg.Arrivals = &Arrivals{Even: true, Phases: []Phase{{To: 3 * time.Second, Rate: perSecondly(1)}}, Limits: &Limits{MaxAttempts: 2}}
	cfg.Cron = &Cron{Every: time.Second, Count: 4, To: time.Second, Limits: &Limits{MaxElapsed: 6500 * time.Millisecond}}
	cfg.Clients = &Clients{Count: 1, Think: downstream.Constant{D: 10 * time.Second}, To: 11 * time.Second}
	attempts := map[int64]int64{}
	cfg.Trace = func(r AttemptRecord) { attempts[r.Task] = max(attempts[r.Task], r.Attempt) }
	r := Run(context.Background(), cfg)
	// In the order of their coming: the herd, the arrival and the ticks at 0, arrivals at 1 and 2 s, the client at 10 s.
	want := []int64{5, 5, 2, 7, 7, 7, 7, 2, 2, 5}
	for task, n := range want {
		if attempts[int64(task)] != n {
			t.Errorf("task %d: %d attempts, want %d", task, attempts[int64(task)], n)
		}
	}
	if r.Herd.DeadLettered != 2 || r.Open.DeadLettered != 8 || r.End != NotCutOff {
		t.Errorf("%+v, %+v, ended by %d", r.Herd, r.Open, r.End)
	}
}
