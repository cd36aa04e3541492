package sim_test

import (
	"context"
	"math"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

// closed is so many clients alone that do not think.
func closed(n int, slots int, service downstream.Distribution) sim.Config {
	cfg := open(perSecond(1), slots, unlimited, service)
	cfg.Arrivals, cfg.Horizon = nil, 20*second
	cfg.Clients = &sim.Clients{Count: n, Think: downstream.Constant{D: 1}, To: 1000 * time.Hour}
	return cfg
}

func throughput(p *played) float64 {
	return float64(p.Outcomes[strategies.Served]) / p.Observed.Seconds()
}

// analytic.md A9: clients that are always there, before slots without limit, have the throughput of the Universal
// Scalability Law.
func TestThroughputOfClosedClients(t *testing.T) {
	t.Parallel()
	for row, test := range map[string]struct {
		n    int
		want float64
	}{"A9, N = 1": {1, 1000}, "A9, N = 10": {10, 6688.963211}, "A9, N = 32": {32, 10505.581095}, "A9, N = 100": {100, 9174.311927}} {
		cfg := closed(test.n, unlimited, downstream.Exponential{M: millisecond})
		cfg.Downstream.Slowdown = &downstream.Slowdown{Sigma: 0.05, Kappa: 0.0005}
		agreeSteady(t, cfg, 6, 2*second, quantity{row: row, want: test.want, read: throughput})
	}
}

// overload.md 2.4: latency 1 s + 10 ms for each other in flight. Poisson arrivals find the mean number L there, so that
// L = lambda (1 + 0.01 L) = lambda / (1 - 0.01 lambda).
func TestLatencyLinearInLoad(t *testing.T) {
	t.Parallel()
	cfg := open(perSecond(40), unlimited, 0, downstream.Constant{D: second})
	cfg.Downstream.Slowdown = &downstream.Slowdown{Sigma: 0.01}
	agreeSteady(t, cfg, 10, 300*second, quantity{row: "L at 40/s", want: 40 / (1 - 0.4), read: inSystem})
}

// A warm-up by requests takes the sum of its services; one over time serves the integral of its share.
func TestWarmUp(t *testing.T) {
	const n = 200
	cfg := base(n, 1, unlimited, 100*millisecond, strategies.Fixed{Delay: second})
	cfg.Downstream.WarmUp = &downstream.WarmUp{From: 0.2, Requests: n, Cold: true}
	want := 0.0
	for k := range n {
		want += 0.1 / (0.2 + 0.8*float64(k)/n)
	}
	if got := last(run(t, cfg)).Seconds(); math.Abs(got-want) > n*1e-9 {
		t.Errorf("by requests: %v s for all, want %v", got, want)
	}
	// 60 s from 20 % to 100 % of 10/s: 360 by then, but for what the steps are coarser than the integral: each service
	// keeps the share of its beginning, which costs half a service of the growth at each, (ln 5) / 2 in all.
	cfg = base(400, 1, unlimited, 100*millisecond, strategies.Fixed{Delay: second})
	cfg.Downstream.WarmUp = &downstream.WarmUp{From: 0.2, Over: 60 * second, Cold: true}
	served := 0
	for _, at := range run(t, cfg).Completions {
		if at <= 60*second {
			served++
		}
	}
	if want := 360 - math.Log(5)/2; math.Abs(float64(served)-want) > 1.1 {
		t.Errorf("over time: %d served, want %.1f", served, want)
	}
}

// analytic.md J7: a cache without loss fills like a collection of coupons. One client asks for one key after the other; as
// many misses as there are keys, and the last of them is the last coupon.
func TestCacheFillsLikeCoupons(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		row        string
		keys, runs int
		hits       int // enough, but for a chance of keys x exp(-hits / keys)
		want       float64
	}{{"J7, 100 keys", 100, 200, 3000, 518.737752}, {"J7, 1000 keys", 1000, 60, 25_000, 7485.470861}} {
		cfg := closed(1, 1, downstream.Constant{D: second})
		cfg.Horizon = time.Duration(test.keys)*second + time.Duration(test.hits)*millisecond
		cfg.Downstream.Cache = &downstream.Cache{HitRatio: 1, Hit: millisecond, Keys: test.keys, Cold: true}
		agreeTraced(t, cfg, test.runs, quantity{row: test.row, want: test.want, read: func(p *played) float64 {
			misses := 0
			for i, a := range p.attempts {
				if a.End-a.Sent == second {
					if misses++; misses == test.keys {
						return float64(i + 1)
					}
				}
			}
			t.Errorf("%s: %d misses, the cache is not full", test.row, misses)
			return 0
		}})
	}
}

// N. Bronson et al., HotOS 2021, section 2.2: 90 % hits advertise 3000/s where 300/s are hidden. A cold cache that only
// those who still wait fill stays cold at 1000/s; one that all work fills comes back.
func TestColdCache(t *testing.T) {
	t.Parallel()
	for _, answered := range []bool{false, true} {
		cfg := open(perSecond(1000), 10, unlimited, downstream.Constant{D: second / 30})
		cfg.Horizon, cfg.Window, cfg.Timeout = 100*second, second, second
		cfg.Downstream.Cache = &downstream.Cache{HitRatio: 0.9, Keys: 10_000, Cold: true, FillAnswered: answered}
		r := sim.Run(context.Background(), cfg)
		share, goodput := r.States[len(r.States)-1].Cache, r.Windows[len(r.Windows)-2].Goodput
		if answered && (share > 0.1 || goodput > 10) || !answered && (share < 0.9 || goodput < 900) {
			t.Errorf("filled by answered alone %v: %.2f filled in the end, %d/s served", answered, share, goodput)
		}
	}
}

// Connections are made once each, at most three; those of clients that have given up are closed.
func TestPool(t *testing.T) {
	for name, test := range map[string]struct {
		open    bool
		timeout time.Duration
		busy    time.Duration
		ok      int64
	}{
		"made at first":      {false, 0, 9*second + 3*second/2, 9},
		"there already":      {true, 0, 9 * second, 9},
		"lost with clients":  {true, 1200 * millisecond, 9*second + 3*second/2, 3}, // the second three answer nobody, the third three connect again
		"never soon enough":  {false, 1200 * millisecond, 9*second + 9*second/2, 0},
		"longer than it all": {false, time.Minute, 9*second + 3*second/2, 9},
	} {
		cfg := base(9, 10, unlimited, second, strategies.Fixed{Delay: second})
		cfg.MaxAttempts, cfg.Timeout = 1, test.timeout
		cfg.Downstream.Pool = &downstream.Pool{Max: 3, Handshake: downstream.Constant{D: second / 2}, Open: test.open}
		r := run(t, cfg)
		if r.BusyTime != test.busy || r.Herd.Succeeded != test.ok || r.Windows[0].InServiceMax != 3 {
			t.Errorf("%s: %v of work, %d served, %d at once; want %v, %d, 3", name, r.BusyTime, r.Herd.Succeeded, r.Windows[0].InServiceMax,
				test.busy, test.ok)
		}
	}
}

// A herd that is told its places, and honours them, is served in N / C with one retry each.
func TestHerdThatKeepsItsPlaces(t *testing.T) {
	cfg := base(101, 1, 0, 100*millisecond, strategies.Immediate{})
	cfg.Downstream.RetryAfter = &downstream.RetryAfter{Place: true}
	if r := run(t, cfg); last(r) != 10100*millisecond || r.Attempts != 201 {
		t.Errorf("all served at %v after %d attempts, want 10.1s, 201", last(r), r.Attempts)
	}
}

// A jittered Retry-After is at least what is asked, and up to so much longer, on average by half.
func TestJitterOfRetryAfter(t *testing.T) {
	cfg := base(4001, 1, 0, time.Hour, strategies.Immediate{})
	cfg.MaxAttempts = 2
	cfg.Downstream.RetryAfter = &downstream.RetryAfter{Delay: 10 * second, Jitter: 0.5}
	sum := 0.0
	cfg.Trace = func(a sim.AttemptRecord) {
		if a.Attempt == 2 {
			sum += a.Waited.Seconds()
			if a.Waited < 10*second || a.Waited >= 15*second {
				t.Errorf("task %d waits %v, want 10 to 15 s", a.Task, a.Waited)
			}
		}
	}
	run(t, cfg)
	if mean := sum / 4000; math.Abs(mean-12.5) > 4*5/math.Sqrt(12*4000) {
		t.Errorf("%v s on average, want 12.5", mean)
	}
}
