package sim

import (
	"context"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"herdsim/downstream"
	"herdsim/strategies"
	"herdsim/strategies/guards"
)

// breaking is a breaker that opens with the first failure, for a time.
func breaking(open time.Duration, jitter strategies.Jitter) *guards.Breaker {
	return &guards.Breaker{
		Consecutive: 1, OpenFor: strategies.Exponential{Base: open, Factor: 1, Jitter: jitter},
		Probes: 1, ProbeFailures: 1, InFlight: true,
	}
}

// behind is a herd before a downstream that fails for the first five seconds, with guards.
func behind(workers int, s strategies.Strategy, specs ...guards.Spec) Config {
	return Config{
		Seed: 1, Horizon: time.Hour, MaxEvents: 1 << 40, Window: 100 * time.Millisecond,
		Workers: workers, Strategy: s, Guards: specs,
		Downstream: downstream.Config{
			Slots: workers, Service: downstream.Constant{D: 100 * time.Millisecond},
			Outages: []downstream.Outage{{From: 0, To: 5 * time.Second}},
		},
	}
}

func run(cfg Config) (*Result, []AttemptRecord) {
	var trace []AttemptRecord
	cfg.Trace = func(r AttemptRecord) { trace = append(trace, r) }
	return new(Engine).Run(context.Background(), cfg), trace
}

func sent(trace []AttemptRecord) (at []Time) {
	for _, r := range trace {
		at = append(at, r.Sent)
	}
	slices.Sort(at)
	return at
}

// A call that is put off comes back at the breaker's expiry or after its own next wait, whichever is later, and is no
// attempt before.
func TestPutOffComesBack(t *testing.T) {
	second := time.Second
	for name, c := range map[string]struct {
		waits []time.Duration
		sent  []Time
		off   int64
	}{
		"at the expiry":               {[]time.Duration{second, second}, []Time{0, 10 * second}, 1},
		"after its own next wait":     {[]time.Duration{9500 * time.Millisecond, second}, []Time{0, 10500 * time.Millisecond}, 1},
		"after the expiry, not at it": {[]time.Duration{12 * second, second}, []Time{0, 12 * second}, 0},
		"again and again":             {[]time.Duration{4 * second, 3 * second}, []Time{0, 10 * second}, 1},
	} {
		spec := guards.Spec{Name: "breaker", Maker: breaking(10*second, strategies.Jitter{}), Shared: true}
		r, trace := run(behind(1, strategies.Schedule{Delays: c.waits}, spec))
		if got := sent(trace); !slices.Equal(got, c.sent) {
			t.Errorf("%s: sent at %v, want %v", name, got, c.sent)
		}
		g := r.Guards[0]
		if r.Attempts != 2 || r.Retries != 1 || g.Suppressed != c.off || g.Opened != 1 || r.Herd.Succeeded != 1 {
			t.Errorf("%s: %d attempts, %d retries, %+v; want 2, 1, %d put off", name, r.Attempts, r.Retries, g, c.off)
		}
	}
}

// A refused budget gives the task up at once, without waiting for the retry, and it has made no further attempt.
func TestRefusedBudgetGivesUpAtOnce(t *testing.T) {
	spec := guards.Spec{Name: "quota", Maker: &guards.RetryQuota{Capacity: 28, RetryCost: 14, ThrottleCost: 14, TimeoutCost: 14}, Shared: true}
	r, trace := run(behind(5, strategies.Fixed{Delay: 10 * time.Second}, spec))
	if r.Herd.DeadLettered != 3 || r.Herd.Succeeded != 2 || r.Guards[0].Refused != 3 || r.Attempts != 7 {
		t.Errorf("%+v, %d attempts, %+v; want 3 of 5 given up, 7 attempts", r.Herd, r.Attempts, r.Guards[0])
	}
	for _, a := range trace {
		if a.Task >= 2 && (a.Attempt > 1 || a.End != 0) {
			t.Errorf("task %d: attempt %d ends at %v, though two retries were all there was", a.Task, a.Attempt, a.End)
		}
	}
}

// Of the guards that let a retry through before another refuses it, the first get back what they gave.
func TestLaterRefusalGivesBack(t *testing.T) {
	quota := guards.Spec{Name: "quota", Maker: &guards.RetryQuota{Capacity: 500, RetryCost: 100}, Shared: true}
	refusing := guards.Spec{Name: "tokens", Maker: &guards.RetryTokens{}, Shared: true}
	r, _ := run(behind(20, strategies.Fixed{Delay: time.Second}, quota, refusing))
	if r.Guards[0].Refused != 0 || r.Guards[1].Refused != 20 {
		t.Errorf("%+v, want the second guard to refuse all 20, and the first none", r.Guards)
	}
}

// A delayed attempt is sent at its instant; client-go's bucket sends the last of 5,000 at 490 s.
func TestDelayedAttempts(t *testing.T) {
	spec := guards.Spec{Name: "bucket", Maker: &guards.TokenBucket{Tokens: 10, Per: time.Second, Burst: 100}, Shared: true}
	cfg := behind(5000, strategies.Fixed{Delay: 5 * time.Millisecond}, spec)
	cfg.Downstream.Outages[0].To = time.Millisecond
	r, trace := run(cfg)
	if at := sent(trace); at[len(at)-1] != 490*time.Second || r.Guards[0].Delayed != 4900 || r.Attempts != 10_000 {
		t.Errorf("the last is sent at %v, %d delayed, %d attempts; want 490 s, 4,900, 10,000", at[len(at)-1], r.Guards[0].Delayed, r.Attempts)
	}
}

// Breakers without jitter in their open time turn the workers' probes into a herd of its own, which no jitter in the
// waits has a hand in; with jitter in the open time there is none.
func TestProbesAreAHerd(t *testing.T) {
	waits := strategies.FullJitter{Base: 100 * time.Millisecond, Factor: 2, Cap: 2 * time.Second}
	const workers = 1000
	peak := func(j strategies.Jitter) int64 {
		spec := guards.Spec{Name: "breaker", Maker: breaking(10*time.Second, j)}
		r, _ := run(behind(workers, waits, spec))
		if r.Herd.Succeeded != workers || r.Guards[0].Opened != workers || r.Attempts != 2*workers {
			t.Errorf("jitter %+v: %+v, %d attempts, %+v; want one probe each", j, r.Herd, r.Attempts, r.Guards[0])
		}
		return r.Peak10ms
	}
	if n := peak(strategies.Jitter{}); n != workers {
		t.Errorf("without jitter %d probes in 10 ms, want all %d", n, workers)
	}
	// Over 10 s of open times there is one in 10 ms; 12 is far beyond what chance does.
	if n := peak(strategies.Jitter{Kind: strategies.JitterAround, Share: 0.5}); n > 12 {
		t.Errorf("with jitter %d probes in 10 ms, want a few", n)
	}
}

// One breaker for all lets one probe through, so the herd does not come back before the downstream is known to be well.
func TestSharedBreakerSendsOneProbe(t *testing.T) {
	spec := guards.Spec{Name: "breaker", Maker: breaking(time.Second, strategies.Jitter{}), Shared: true}
	cfg := behind(1000, strategies.Fixed{Delay: time.Second}, spec)
	cfg.Network = downstream.Constant{D: time.Millisecond}
	r, _ := run(cfg)
	// 1,000 first attempts, and a probe at each expiry (1.002 s after the one before) until one is served.
	if want := int64(2000 + 4); r.Attempts != want || r.Herd.Succeeded != 1000 {
		t.Errorf("%d attempts, %+v; want %d", r.Attempts, r.Herd, want)
	}
}

// never puts every call off.
type never struct{}

func (never) Make() guards.Guard                 { return never{} }
func (never) Allow(Time, Outcome) (uint64, bool) { return 0, true }
func (never) Admit(now Time, _ guards.Call, _ float64) guards.Answer {
	return guards.Answer{Verdict: guards.PutOff, Until: now}
}
func (never) Done(Time, guards.Call, Outcome) {}
func (never) Cancel(Time, guards.Call)        {}
func (never) Drop(Time, guards.Call)          {}
func (never) State(Time) guards.State         { return guards.State{} }

// A task that is put off again and again is given up when its time is over, which began when it first wanted to call.
func TestPutOffsTakeTime(t *testing.T) {
	cfg := behind(3, strategies.Fixed{Delay: time.Second}, guards.Spec{Name: "never", Maker: never{}, Shared: true})
	cfg.Start.Spread, cfg.MaxElapsed = downstream.Constant{D: time.Second}, 5*time.Second
	r, _ := run(cfg)
	if r.Attempts != 0 || r.Herd.DeadLettered != 3 || r.Guards[0].Suppressed != 3*6 || r.EndedAt != 6*time.Second {
		t.Errorf("%d attempts, %+v, %+v, ended at %v; want none, and all given up at 6 s", r.Attempts, r.Herd, r.Guards[0], r.EndedAt)
	}
}

// A worker that is found by a scheduler is found by it after a put-off, too.
func TestPutOffIsPolled(t *testing.T) {
	spec := guards.Spec{Name: "breaker", Maker: breaking(10*time.Second, strategies.Jitter{}), Shared: true}
	cfg := behind(1, strategies.Fixed{Delay: time.Second}, spec)
	cfg.Poll = Poll{Every: 3 * time.Second}
	_, trace := run(cfg)
	var looks polls
	looks.reset(&cfg)
	if got, want := sent(trace), []Time{0, looks.found(10 * time.Second)}; !slices.Equal(got, want) {
		t.Errorf("sent at %v, want %v: the breaker lets go at 10 s, and then comes the next look", got, want)
	}
}

// The track of a guard says when it was open.
func TestTrack(t *testing.T) {
	spec := guards.Spec{Name: "breaker", Maker: breaking(10*time.Second, strategies.Jitter{}), Shared: true}
	r, _ := run(behind(1, strategies.Fixed{Delay: 3 * time.Second}, spec))
	// It opens at t0, in window 0, and is closed when the probe of 10 s has its answer, at 10.1 s.
	want := []GuardPoint{{Window: 0, Open: 1}, {Window: 100, HalfOpen: 1}, {Window: 101, Level: 1}}
	if track := r.Guards[0].Track; !slices.Equal(track, want) {
		t.Errorf("track %+v, want %+v", track, want)
	}
}

func drawSpec(t *rapid.T, i int) guards.Spec {
	presets := guards.Presets()
	makers := []guards.Maker{
		&guards.ConcurrencyLimit{Limit: 2}, breaking(70*time.Millisecond, strategies.Jitter{Kind: strategies.JitterEqual}),
		&guards.TokenBucket{Tokens: 3, Per: 100 * time.Millisecond, Burst: 2, All: true}, &guards.RetryQuota{Capacity: 3, RetryCost: 1},
	}
	for _, p := range presets {
		makers = append(makers, p.Maker)
	}
	return guards.Spec{
		Name: string(rune('a' + i)), Maker: rapid.SampledFrom(makers).Draw(t, "guard"), Shared: rapid.Bool().Draw(t, "shared"),
	}
}

// Whatever the guards do: nothing is lost, a run is the same twice, and every attempt that is admitted ends once.
func TestGuardedRunsConserve(t *testing.T) {
	var e Engine
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		for i := range rapid.IntRange(1, 3).Draw(t, "guards") {
			cfg.Guards = append(cfg.Guards, drawSpec(t, i))
		}
		if cfg.Arrivals != nil {
			cfg.Arrivals.Clients = rapid.IntRange(0, 5).Draw(t, "clients")
		}
		r := e.Run(context.Background(), cfg)
		checkConserved(t, r)
		traced, trace := run(cfg)
		if d := diff(r, traced); d != "" {
			t.Errorf("the same run again, traced:\n%s", d)
		}
		if int64(len(trace)) != r.Attempts {
			t.Errorf("%d attempts, %d of them end", r.Attempts, len(trace))
		}
		seen := map[[2]int64]bool{}
		for _, a := range trace {
			if key := [2]int64{a.Task, a.Attempt}; seen[key] {
				t.Errorf("attempt %d of task %d was made twice", a.Attempt, a.Task)
			} else {
				seen[key] = true
			}
		}
		for _, g := range r.Guards {
			if min(g.Opened, g.Suppressed, g.Delayed, g.Refused) < 0 || g.Refused > r.Herd.DeadLettered+r.Open.DeadLettered {
				t.Errorf("%+v, dead-lettered %d and %d", g, r.Herd.DeadLettered, r.Open.DeadLettered)
			}
			for _, p := range g.Track {
				if p.Open < 0 || p.HalfOpen < 0 || p.Open+p.HalfOpen > 1+1e-9 || p.Level < 0 || p.Level > 1 {
					t.Errorf("%s: %+v", g.Name, p)
				}
			}
		}
	})
}
