package experiment

import (
	"context"
	"math"
	"slices"
	"time"

	"herdsim/downstream"
	"herdsim/sim"
)

// A Forecast says how many events a run will handle, which is what its time depends on.
type Forecast struct {
	Events int64
	Basis  Basis
}

// A Basis is what a forecast rests on.
type Basis string

const (
	Exact   Basis = "exact"    // the run itself was played
	Scaled  Basis = "scaled"   // from a trial: a smaller herd against as much smaller a downstream
	AtLeast Basis = "at_least" // too many for a trial: the run has this many events or more
)

const (
	trialTasks  = 2_000     // that a trial should have at most
	trialEvents = 1_000_000 // where it is broken off: a few hundredths of a second
)

// Predict plays a trial of the run and returns what it says of the events. Tasks, slots, queue and rates are divided by
// the same number, so that each worker meets what it would meet in the run; what has at most trialTasks tasks, or a
// downstream that is another one when it is smaller, is not divided at all. No downstream is smaller than one slot.
func Predict(ctx context.Context, cfg sim.Config) Forecast { return predict(ctx, cfg, sim.Run) }

func predict(ctx context.Context, cfg sim.Config, e engine) Forecast {
	share := trialShare(cfg)
	trial := shrink(cfg, share)
	if trial.Workers > trialEvents { // and each calls at least once
		return Forecast{Events: min(int64(cfg.Workers), cfg.MaxEvents), Basis: AtLeast}
	}
	trial.MaxEvents = min(cfg.MaxEvents, trialEvents)
	trial.Trace, trial.Progress = nil, nil
	result := e(ctx, trial)
	broken := result.End == sim.Cancelled || result.End == sim.AtMaxEvents && trial.MaxEvents < cfg.MaxEvents
	f := Forecast{Events: scale(result.Events, 1/share, cfg.MaxEvents), Basis: Scaled}
	switch {
	case broken:
		f.Basis = AtLeast
		f.Events = max(f.Events, scale(1, comingTasks(cfg), cfg.MaxEvents)) // each of which calls once
	case share == 1:
		f.Basis = Exact
	}
	return f
}

// trialShare returns the share of a run that is worth a trial: a whole number of slots, and at least so many clients and
// jobs that rounding them does not matter.
func trialShare(cfg sim.Config) float64 {
	n, slots := tasks(cfg), float64(cfg.Downstream.Slots)
	if n <= trialTasks || slots <= 1 || !divisible(cfg.Downstream) {
		return 1
	}
	const fewest = 20
	least := max(1, math.Round(slots*trialTasks/n))
	if c := cfg.Clients; c != nil {
		least = max(least, math.Ceil(slots*fewest/float64(c.Count)))
	}
	if c := cfg.Cron; c != nil {
		least = max(least, math.Ceil(slots*fewest/float64(c.Count)))
	}
	return min(1, least/slots)
}

// divisible reports whether a share of the tasks meets in a share of the downstream what all meet in the whole.
func divisible(d downstream.Config) bool {
	return d.Slowdown == nil && d.Cache == nil && d.WarmUp == nil && d.Pool == nil && d.Crash == nil &&
		d.Contention == downstream.NoContention
}

// tasks returns about how many tasks a run has, on average where they arrive at random.
func tasks(cfg sim.Config) float64 { return float64(cfg.Workers) + OpenTasks(cfg) }

// OpenTasks returns about how many tasks come beside the herd until the horizon: the integral of the rates of arrivals,
// the jobs of all ticks, and what clients ask if they are served at once.
func OpenTasks(cfg sim.Config) float64 { return comingTasks(cfg) + closedTasks(cfg) }

// Memory returns about how many bytes a run may take for its tasks: 64 for each worker and client, and 72 for each of
// the others, all of which may have to wait at once, up to what a run may hold of them.
func Memory(cfg sim.Config) float64 {
	n := float64(cfg.Workers)
	if c := cfg.Clients; c != nil {
		n += float64(c.Count)
	}
	return 64*n + min(72*comingTasks(cfg)+12*closedTasks(cfg), sim.MostMemory)
}

// comingTasks returns about how many tasks come whatever becomes of those before.
func comingTasks(cfg sim.Config) float64 {
	n := 0.0
	if a := cfg.Arrivals; a != nil {
		for _, p := range a.Phases {
			n += p.Tasks(cfg.Horizon)
		}
	}
	if c := cfg.Cron; c != nil {
		if span := min(c.To, cfg.Horizon) - c.From; span > 0 {
			n += float64(c.Count) * math.Ceil(float64(span)/float64(c.Every))
		}
	}
	return n
}

// closedTasks returns how many tasks the clients of closed-loop traffic have if the downstream is never busy.
func closedTasks(cfg sim.Config) float64 {
	c := cfg.Clients
	if c == nil {
		return 0
	}
	span := max(0, min(c.To, cfg.Horizon)-c.From)
	cycle := max(1, float64(c.Think.Mean())+float64(cfg.Downstream.Service.Mean()))
	return float64(c.Count) * float64(span) / cycle
}

// shrink returns the run with a share of its workers, slots, waiting places and rates.
func shrink(cfg sim.Config, share float64) sim.Config {
	if share == 1 {
		return cfg
	}
	part := func(n int) int { return int(math.Round(float64(n) * share)) }
	cfg.Workers = part(cfg.Workers)
	if cfg.Start.Trace != nil {
		bins := make([]sim.Bin, len(cfg.Start.Trace))
		all := 0
		for i, b := range cfg.Start.Trace { // the sums are rounded, so that many small counts do not round to nothing
			before := part(all)
			all += b.Count
			b.Count = part(all) - before
			bins[i] = b
		}
		cfg.Start.Trace = bins
	}
	if cfg.Arrivals != nil {
		a := *cfg.Arrivals
		a.Phases = slices.Clone(a.Phases)
		for i := range a.Phases {
			p := &a.Phases[i]
			p.Rate, p.End = slower(p.Rate, share), slower(p.End, share)
		}
		cfg.Arrivals = &a
	}
	if cfg.Cron != nil {
		c := *cfg.Cron
		c.Count = part(c.Count) // at least 1, as the clients: trialShare chose the share so
		cfg.Cron = &c
	}
	if cfg.Clients != nil {
		c := *cfg.Clients
		c.Count = part(c.Count)
		cfg.Clients = &c
	}
	d := &cfg.Downstream
	d.Slots = part(d.Slots)
	d.LIFOAbove = part(d.LIFOAbove)
	if d.Concurrency > 0 {
		d.Concurrency = max(1, part(d.Concurrency))
	}
	if d.Queue != downstream.Unlimited {
		d.Queue = part(d.Queue)
	}
	if d.RateLimit != nil {
		r := *d.RateLimit
		r.Rate, r.Burst = slower(r.Rate, share), max(1, part(r.Burst))
		d.RateLimit = &r
	}
	return cfg
}

func slower(r downstream.Rate, share float64) downstream.Rate {
	r.Per = time.Duration(min(float64(r.Per)/share, math.MaxInt64/2))
	return r
}

// scale multiplies a count, up to most.
func scale(n int64, by float64, most int64) int64 {
	if scaled := float64(n) * by; scaled < float64(most) {
		return int64(math.Round(scaled))
	}
	return most
}
