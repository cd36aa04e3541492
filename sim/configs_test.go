package sim

import (
	"math"
	"time"

	"pgregory.net/rapid"

	"herdsim/downstream"
	"herdsim/strategies"
)

// drawing draws the parts of a Config. Most durations are small multiples of one grid, so that things meet at the same
// instant on purpose.
type drawing struct {
	*rapid.T
	grid time.Duration
}

// drawConfig draws a Config over all features that the reference has too.
func drawConfig(t *rapid.T) Config { return newDrawing(t).config() }

func newDrawing(t *rapid.T) drawing {
	return drawing{t, rapid.SampledFrom([]time.Duration{50 * time.Millisecond, 50 * time.Millisecond, time.Second, time.Millisecond, 1 << 20, 1, 3}).Draw(t, "grid")}
}

func (d drawing) config() Config {
	t := d.T
	cfg := Config{
		Seed:             rapid.Uint64Range(0, 1000).Draw(t, "seed"),
		Horizon:          d.horizon(),
		MaxEvents:        d.maxEvents(),
		Window:           d.window(),
		Workers:          rapid.IntRange(0, 60).Draw(t, "workers"),
		IgnoreRetryAfter: rapid.Bool().Draw(t, "ignore Retry-After"),
		Downstream:       d.downstream(),
	}
	if d.one(3, "timeouts") {
		cfg.Timeout = d.steps("timeout", 1, 6)
	}
	if d.one(4, "first waits") {
		cfg.FirstWait = d.steps("first wait", 1, 6)
	}
	if d.one(3, "errors") {
		cfg.Poison = rapid.SampledFrom([]float64{0, 0.1, 1}).Draw(t, "poison")
		cfg.ErrorRate = rapid.SampledFrom([]float64{0, 0.3, 1}).Draw(t, "error rate")
	}
	if d.one(3, "limits") {
		cfg.MaxAttempts = rapid.SampledFrom([]int{0, 1, 2, 3, 5, 20}).Draw(t, "max attempts")
		cfg.MaxElapsed = d.steps("max elapsed", 0, 30)
		cfg.Deadline = d.steps("deadline", 0, 30)
	}
	if d.one(3, "a network") {
		cfg.Network = d.distribution("network", 3)
	}
	if d.one(4, "a start") {
		d.start(&cfg)
	}
	d.traffic(&cfg)
	if cfg.Paced = d.one(8, "paced"); !cfg.Paced {
		cfg.Strategy = d.strategy()
	}
	if d.one(2, "parts") {
		d.parts(&cfg)
	}
	return cfg
}

// drawCrowd draws a herd that beats at a full house.
func drawCrowd(t *rapid.T) Config {
	d := drawing{t, rapid.SampledFrom([]time.Duration{time.Millisecond, 100 * time.Microsecond, 10 * time.Millisecond, 1 << 20}).Draw(t, "grid")}
	cfg := Config{
		Seed:      rapid.Uint64Range(0, 1000).Draw(t, "seed"),
		Horizon:   rapid.SampledFrom([]Time{time.Hour, time.Hour, 50 * d.grid}).Draw(t, "horizon"),
		MaxEvents: 1 << 40,
		Window:    d.window(),
		Workers:   rapid.IntRange(50, 500).Draw(t, "workers"),
		Limits:    Limits{MaxAttempts: rapid.IntRange(1, 12).Draw(t, "max attempts")},
		Strategy:  d.strategy(),
		Downstream: downstream.Config{
			Slots:   rapid.IntRange(1, 5).Draw(t, "slots"),
			Queue:   rapid.SampledFrom([]int{0, 0, 3}).Draw(t, "queue"),
			Service: downstream.Constant{D: d.steps("service", 1, 100)},
		},
	}
	if d.one(3, "random services") {
		cfg.Downstream.Service = d.distribution("service", 50)
	}
	if d.one(3, "timeouts") {
		cfg.Timeout, cfg.Downstream.CancelAbandoned = d.steps("timeout", 1, 100), rapid.Bool().Draw(t, "cancel")
	}
	if d.one(4, "first waits") {
		cfg.FirstWait, cfg.MaxElapsed = d.steps("first wait", 1, 50), d.steps("max elapsed", 0, 100)
	}
	if d.one(3, "a start") {
		cfg.Start.Uniform = d.steps("spread", 1, 100)
	}
	if d.one(3, "outages") {
		cfg.Downstream.Outages = d.outages()
	}
	if d.one(3, "arrivals") {
		d.traffic(&cfg)
	}
	if cfg.hasOpen() {
		cfg.MaxEvents = 20_000 // clients that do not think do not end
	}
	if d.one(3, "cut off by events") {
		cfg.MaxEvents = rapid.Int64Range(1, 6000).Draw(t, "max events")
	}
	return cfg
}

// one is true once in n.
func (d drawing) one(n int, what string) bool { return rapid.IntRange(0, n-1).Draw(d.T, what) == n-1 }

// steps draws a multiple of the grid.
func (d drawing) steps(what string, low, high int64) time.Duration {
	return time.Duration(rapid.Int64Range(low, high).Draw(d.T, what)) * d.grid
}

func (d drawing) horizon() Time {
	switch rapid.IntRange(0, 4).Draw(d.T, "horizon") {
	case 0:
		return d.steps("horizon", 1, 60)
	case 1:
		return rapid.SampledFrom([]Time{1, 3650 * 24 * time.Hour}).Draw(d.T, "odd horizon")
	}
	return 1000 * time.Hour
}

func (d drawing) maxEvents() int64 {
	if d.one(6, "cut off by events") {
		return rapid.Int64Range(1, 150).Draw(d.T, "max events")
	}
	return 1500
}

func (d drawing) window() time.Duration {
	return rapid.SampledFrom([]time.Duration{d.grid, 3 * d.grid, 100 * time.Millisecond, 7*d.grid + 1, time.Second}).Draw(d.T, "window")
}

func (d drawing) downstream() downstream.Config {
	c := downstream.Config{
		Slots:           rapid.SampledFrom([]int{1, 1, 2, 3, 5, 7, 10, 100}).Draw(d.T, "slots"),
		Queue:           rapid.SampledFrom([]int{0, 0, 1, 3, 10, 30, downstream.Unlimited}).Draw(d.T, "queue"),
		Order:           rapid.SampledFrom([]downstream.Order{downstream.FIFO, downstream.LIFO}).Draw(d.T, "order"),
		CancelAbandoned: rapid.Bool().Draw(d.T, "cancel"),
		Service:         d.distribution("service", 4),
	}
	if d.one(4, "reject cost") {
		c.RejectCost = rapid.SampledFrom([]time.Duration{1, d.grid, 5 * d.grid}).Draw(d.T, "cost")
	}
	if d.one(4, "rate limit") {
		c.RateLimit = &downstream.RateLimit{
			Rate:       downstream.Rate{Events: rapid.Int64Range(0, 12).Draw(d.T, "tokens"), Per: d.steps("per", 1, 7)},
			Burst:      rapid.IntRange(1, 12).Draw(d.T, "burst"),
			RetryAfter: rapid.Bool().Draw(d.T, "Retry-After"),
		}
	}
	if d.one(2, "outages") {
		c.Outages = d.outages()
	}
	return c
}

// outages draws up to four, some of them without a gap between.
func (d drawing) outages() (all []downstream.Outage) {
	var at Time
	for range rapid.IntRange(1, 4).Draw(d.T, "how many") {
		at += d.steps("gap", 0, 3)
		o := downstream.Outage{From: at, To: at + d.steps("length", 1, 12)}
		o.Mode = rapid.SampledFrom([]downstream.Mode{downstream.Refuse, downstream.Hang}).Draw(d.T, "mode")
		o.Capacity = rapid.SampledFrom([]float64{0, 0, 0.01, 0.29, 0.5, 0.9}).Draw(d.T, "share")
		all = append(all, o)
		at = o.To
	}
	return all
}

// distribution draws a law of a time, of at most so many steps in the mean.
func (d drawing) distribution(what string, most int64) downstream.Distribution {
	mean := d.steps(what, 1, most)
	switch rapid.IntRange(0, 9).Draw(d.T, "law") {
	case 0:
		return downstream.Constant{}
	case 1:
		return downstream.Exponential{M: mean}
	case 2:
		return downstream.Lognormal{M: mean, CV: 2}
	case 3:
		return downstream.Uniform{Min: mean - d.grid, Max: mean}
	case 4:
		return downstream.Gamma{M: mean, CV: 0.5}
	case 5:
		return downstream.Bimodal{Fast: d.steps("fast", 0, 2), Slow: d.steps("slow", 1, 8), SlowShare: 0.3}
	}
	return downstream.Constant{D: mean}
}

func (d drawing) start(cfg *Config) {
	switch rapid.IntRange(0, 2).Draw(d.T, "start") {
	case 0:
		cfg.Start.Uniform = d.steps("spread", 1, 20)
	case 1:
		cfg.Start.Spread = rapid.SampledFrom([]downstream.Distribution{
			downstream.Exponential{M: 5 * d.grid}, downstream.Normal{M: 2 * d.grid, SD: 3 * d.grid}, downstream.Constant{D: 2 * d.grid},
		}).Draw(d.T, "law of starts")
	case 2:
		cfg.Workers, cfg.Start.Trace = 0, []Bin{}
		var at Time
		for range rapid.IntRange(1, 4).Draw(d.T, "bins") {
			b := Bin{From: at, To: at + d.steps("bin", 1, 5), Count: rapid.IntRange(0, 20).Draw(d.T, "count")}
			cfg.Workers += b.Count
			cfg.Start.Trace = append(cfg.Start.Trace, b)
			at = b.To
		}
	}
}

func (d drawing) strategy() strategies.Strategy {
	base := d.steps("base", 1, 4)
	most := rapid.SampledFrom([]time.Duration{0, base, 5 * base, 40 * base}).Draw(d.T, "cap")
	jitter := rapid.SampledFrom([]strategies.Jitter{
		{}, {}, {Kind: strategies.JitterFull}, {Kind: strategies.JitterEqual}, {Kind: strategies.JitterAround, Share: 0.1},
		{Kind: strategies.JitterAdded, Spread: base},
	}).Draw(d.T, "jitter")
	clamp := rapid.SampledFrom([]strategies.Clamp{strategies.ClampBefore, strategies.ClampAfter, strategies.ClampBoth}).Draw(d.T, "clamp")
	factor := rapid.SampledFrom([]float64{1, 2, 2, 1.5}).Draw(d.T, "factor")
	switch rapid.IntRange(0, 12).Draw(d.T, "strategy") {
	case 0:
		return strategies.Immediate{}
	case 1:
		return strategies.Fixed{Delay: base, Jitter: jitter}
	case 2:
		return strategies.Linear{Base: base, Cap: most, Jitter: jitter, Clamp: clamp}
	case 3:
		return strategies.Exponential{Base: base, Factor: factor, Cap: most, Jitter: jitter, Clamp: clamp}
	case 4:
		return strategies.FullJitter{Base: base, Factor: factor, Cap: most}
	case 5:
		return strategies.EqualJitter{Base: base, Factor: factor, Cap: most}
	case 6:
		return strategies.Decorrelated{Base: base, Factor: 3, Cap: most, ClampInside: rapid.Bool().Draw(d.T, "inside")}
	case 7:
		return strategies.Schedule{Delays: rapid.SliceOfN(rapid.SampledFrom([]time.Duration{
			0, d.grid, 3 * d.grid, time.Hour, 1 << 61, math.MaxInt64}), 1, 4).Draw(d.T, "delays"), Jitter: jitter}
	case 8:
		return strategies.Memoryless{Mean: base}
	case 9:
		return curious{d.grid}
	case 10:
		return strategies.FullJitter{Base: base, Factor: 1000}
	}
	return strategies.Fixed{Delay: base}
}

// curious reads all that a strategy may know, and waits up to four steps of the grid, or gives up.
type curious struct{ grid time.Duration }

func (s curious) Wait(a strategies.Attempt, u float64) (time.Duration, bool) {
	if a.HasRetryAfter != (a.RetryAfter > 0) {
		return 0, false
	}
	h := uint64(1)
	for _, x := range []uint64{uint64(a.Worker), uint64(a.Retry), uint64(a.SinceReset), uint64(a.Outcome), uint64(a.Now),
		uint64(a.Elapsed), uint64(a.Previous), uint64(a.Slept), math.Float64bits(a.PreviousU), uint64(a.RetryAfter), math.Float64bits(u)} {
		h = mix64(h ^ x)
	}
	return time.Duration(h%5) * s.grid, h>>32%50 > 0
}
