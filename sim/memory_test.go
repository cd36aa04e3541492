package sim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"herdsim/downstream"
	"herdsim/strategies"
)

// The same Config gives the same Result: twice, on an engine that has played others before, on one processor, and
// beside other runs.
func TestSameConfigGivesSameResult(t *testing.T) {
	var e Engine
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		want := Run(context.Background(), cfg)
		for _, other := range []Config{drawCrowd(t), drawConfig(t), cfg} {
			e.Run(context.Background(), other)
		}
		if d := cmp.Diff(want, e.Run(context.Background(), cfg), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("- new engine, + used engine:\n%s", d)
		}
	})
}

func TestProcessorsDoNotMatter(t *testing.T) {
	cfg := workload(2000)
	cfg.Network, cfg.Timeout = downstream.Exponential{M: 10 * time.Millisecond}, time.Second
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	want := Run(context.Background(), cfg)
	runtime.GOMAXPROCS(4)
	var results [4]*Result
	var running sync.WaitGroup
	for i := range results {
		running.Go(func() { results[i] = Run(context.Background(), cfg) })
	}
	running.Wait()
	for _, got := range results {
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("- alone on one processor, + one of four on four:\n%s", d)
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	seen := map[string]uint64{}
	for seed := range uint64(20) {
		cfg := workload(100)
		cfg.Seed = seed
		r := Run(context.Background(), cfg)
		key := fmt.Sprint(r.Completions)
		if other, same := seen[key]; same {
			t.Errorf("seeds %d and %d serve the herd at the same instants", other, seed)
		}
		seen[key] = seed
	}
}

// A Result does not change when its engine goes on to play other runs.
func TestResultIsNotTouchedByTheNextRun(t *testing.T) {
	var e Engine
	cfg := workload(500)
	want, got := Run(context.Background(), cfg), e.Run(context.Background(), cfg)
	cfg.Seed++
	e.Run(context.Background(), cfg)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("- as it was, + after the next run:\n%s", d)
	}
}

func TestCancelledRunReturnsWhatIsThere(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cfg := workload(20000)
	calls := 0
	cfg.Progress = func(_ Time, events, unfinished int64) {
		if calls++; calls == 2 {
			cancel()
		}
		if events <= 0 || unfinished < 0 || unfinished > 20000 {
			t.Errorf("progress of %d events, %d unfinished", events, unfinished)
		}
	}
	r := Run(ctx, cfg)
	checkConserved(t, r)
	if r.End != Cancelled || !r.CutOff() || calls != 2 || r.Events < checkEvery || r.Herd.Succeeded == 0 {
		t.Errorf("ended with %d after %d events and %d calls, %d served", r.End, r.Events, calls, r.Herd.Succeeded)
	}
}

func TestShortestRuns(t *testing.T) {
	tests := []struct {
		name     string
		set      func(cfg *Config)
		end      CutOff
		events   int64
		attempts int64
		inFlight int64
	}{
		{"one event", func(cfg *Config) { cfg.MaxEvents = 1 }, AtMaxEvents, 1, 1, 1},
		{"two events", func(cfg *Config) { cfg.MaxEvents = 2 }, AtMaxEvents, 2, 2, 1}, // one has a slot, one is rejected
		{"one nanosecond", func(cfg *Config) { cfg.Horizon = 1 }, AtHorizon, 10, 10, 1},
		{"nobody", func(cfg *Config) { cfg.Workers = 0 }, NotCutOff, 0, 0, 0},
		{"nobody but an outage", func(cfg *Config) {
			cfg.Workers = 0
			cfg.Downstream.Outages = []downstream.Outage{{To: time.Second}}
		}, NotCutOff, 0, 0, 0},
		{"nobody, and no arrivals", func(cfg *Config) {
			cfg.Workers, cfg.Arrivals = 0, Poisson(downstream.Rate{Per: time.Second}, 0, time.Hour)
		}, NotCutOff, 0, 0, 0},
		{"one for ever in a hang", func(cfg *Config) {
			cfg.Workers = 1
			cfg.Downstream.Outages = []downstream.Outage{{To: time.Second, Mode: downstream.Hang}}
		}, NotCutOff, 2, 1, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cfg := workload(10)
			test.set(&cfg)
			r := Run(context.Background(), cfg)
			if r.End != test.end || r.Events != test.events || r.Attempts != test.attempts || r.Outcomes[strategies.InFlight] != test.inFlight {
				t.Errorf("end %d, %d events, %d attempts, %d in flight; want %d, %d, %d, %d",
					r.End, r.Events, r.Attempts, r.Outcomes[strategies.InFlight], test.end, test.events, test.attempts, test.inFlight)
			}
			checkAgainstReference(t, new(Engine), cfg)
		})
	}
}

func TestSampleSaysWhenItIsFull(t *testing.T) {
	cfg := workload(2)
	cfg.Strategy = strategies.Immediate{}
	for _, test := range []struct {
		events int64
		full   bool
	}{{sampleAttempts, false}, {sampleAttempts + 10, true}} {
		cfg.MaxEvents = test.events
		r := Run(context.Background(), cfg)
		if r.SampleFull != test.full || len(r.Sample) != sampleAttempts || r.Attempts != test.events {
			t.Errorf("%d attempts, %d of them in the sample, full: %v, want %v", r.Attempts, len(r.Sample), r.SampleFull, test.full)
		}
	}
}

func TestReplicatesHaveSeedsOfTheirOwn(t *testing.T) {
	seen := map[uint64]string{}
	for seed := range uint64(20) {
		if got := ReplicateSeed(seed, 1); got != seed {
			t.Errorf("replicate 1 of seed %d has seed %d", seed, got)
		}
		for r := 1; r <= 100; r++ {
			name := fmt.Sprint(seed, "/", r)
			if other, same := seen[ReplicateSeed(seed, r)]; same {
				t.Errorf("%s and %s have the same seed", other, name)
			}
			seen[ReplicateSeed(seed, r)] = name
		}
	}
}

func TestOpenTrafficWithoutAHerd(t *testing.T) {
	cfg := workload(0)
	cfg.Arrivals = Poisson(downstream.Rate{Events: 100, Per: time.Second}, 0, 100*time.Second)
	r := Run(context.Background(), cfg)
	checkConserved(t, r)
	// Poisson: 10,000 arrivals, standard error 100.
	if n := r.Open.Tasks; n < 9600 || n > 10400 || r.Open.Succeeded != n || r.Herd != (Tally{}) || r.CutOff() || r.Observed != time.Hour {
		t.Errorf("%+v of the herd, %+v of open traffic, observed for %v", r.Herd, r.Open, r.Observed)
	}
}

// workload is W(N) of the benchmarks.
func workload(n int) Config {
	return Config{
		Seed: 1, Horizon: time.Hour, MaxEvents: 1 << 40, Window: 100 * time.Millisecond, Workers: n,
		Strategy:   strategies.FullJitter{Base: 100 * time.Millisecond, Factor: 2, Cap: 20 * time.Second},
		Downstream: downstream.Config{Slots: max(1, n/500), Service: downstream.Constant{D: 100 * time.Millisecond}},
	}
}

// A warm engine allocates what its Result needs, and nothing per event.
func TestEventsDoNotAllocate(t *testing.T) {
	const most = 12 // more for twice the herd: a slice that the Result keeps grows once or twice more
	for _, service := range []downstream.Distribution{
		downstream.Constant{D: 100 * time.Millisecond}, downstream.Exponential{M: 100 * time.Millisecond}, downstream.Lognormal{M: 100 * time.Millisecond, CV: 1},
	} {
		for _, timeout := range []time.Duration{0, 150 * time.Millisecond} {
			var e Engine
			allocs := func(n int) float64 {
				cfg := workload(n)
				cfg.Downstream.Service, cfg.Timeout = service, timeout
				return testing.AllocsPerRun(1, func() { e.Run(context.Background(), cfg) })
			}
			allocs(20000) // warm
			one, two := allocs(10000), allocs(20000)
			if two > one+most {
				t.Errorf("%T, timeout %v: %v allocations for 10,000 workers, %v for 20,000", service, timeout, one, two)
			}
		}
	}
}

// Dues come back in order, whatever order they go in.
func TestDuesKeepTheOrder(t *testing.T) {
	var q dues
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		spread := 1 + r.Int64N(1000)>>r.IntN(10)
		q.reset()
		var model []due
		var now Time
		for i := range uint32(300) {
			if r.IntN(5) < 3 {
				d := due{at: now + Time(r.Int64N(spread)), task: r.Uint32N(10), attempt: i, request: i}
				q.push(d)
				model = append(model, d)
				slices.SortStableFunc(model, func(a, b due) int {
					return byOrder(event{at: a.at, task: a.task, attempt: a.attempt}, event{at: b.at, task: b.task, attempt: b.attempt})
				})
			} else if len(model) > 0 {
				if got := q.pop(); got != model[0] {
					t.Fatalf("got %+v, want %+v", got, model[0])
				}
				now = model[0].at
				model = model[1:]
			}
			if q.empty() != (len(model) == 0) || len(model) > 0 && q.soonest != model[0].at {
				t.Fatalf("empty %v, soonest %v, want %d dues", q.empty(), q.soonest, len(model))
			}
		}
	})
}
