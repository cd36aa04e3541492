package cli

import (
	"math"
	"slices"
	"time"

	"herdsim/downstream"
	"herdsim/report"
	"herdsim/scenarios"
	"herdsim/sim"
)

// setup returns what titles, axes and columns need of a scenario.
func setup(s *scenarios.Scenario) report.Setup {
	d := s.Downstream
	out := report.Setup{
		Name: s.Name, Title: s.Title, Seed: s.Seed, Replicates: s.Replicates, Window: s.Window,
		Horizon: s.Horizon, Clients: s.Clients, Cron: s.Cron, Within: s.Verdict.Within, For: s.Verdict.For, Parts: hasParts(&d),
		Spoken:    s.Spoken(),
		Conflicts: d.Contention == downstream.OCC,
		Slots:     d.Slots, Queue: d.Queue, Concurrency: d.Concurrency, Service: d.Service.Mean(),
		Recovery: d.Recovery(), RejectCost: d.RejectCost,
		Tiered: len(s.Tiers) > 0, Timeout: s.Task.Timeout, Patience: patience(s), Poison: s.Task.Poison, ErrorRate: s.Task.ErrorRate,
	}
	if s.Arrivals != nil {
		out.Arrivals, out.Traced = &s.Arrivals.Arrivals, s.Arrivals.File != ""
	}
	if s.Network != nil {
		out.Network = s.Network.Mean()
	}
	for _, e := range s.Strategies {
		if n := s.Herd(e); n > 0 {
			out.Workers, out.HerdEnd = max(out.Workers, n), max(out.HerdEnd, herdEnd(e.Start.Start))
		}
	}
	for _, o := range d.Outages {
		if o.From >= s.Horizon {
			continue // it never begins
		}
		span := sim.Span{From: o.From, To: o.To}
		if out.Outages = append(out.Outages, span); o.Full() {
			out.FullOutages = append(out.FullOutages, span)
		}
	}
	for _, o := range out.FullOutages {
		if o.From > out.Recovery {
			out.Away = o.From
			break
		}
	}
	if d.Crash != nil {
		out.CrashInFlight, out.CrashQueued = d.Crash.InFlight, d.Crash.Queued
	}
	if d.RateLimit != nil {
		out.RateLimit, out.Burst = d.RateLimit.Rate.PerSecond(), d.RateLimit.Burst
	}
	if capacity, bounded := d.Capacity(); bounded {
		out.Capacity = capacity
		if out.Cached, out.Pooled = d.Cache != nil, d.Pool != nil; d.WarmUp != nil {
			out.WarmFrom = d.WarmUp.From
		}
		if out.Cached || out.Pooled || out.WarmFrom > 0 {
			out.ColdCapacity, _ = d.ColdCapacity()
		}
	}
	out.Sheds = sheds(&d, out.Patience, out.Capacity)
	out.OpenRate = out.MeanRate()
	if s.Broker != nil {
		out.Consumers, out.Prefetch = s.Workers, prefetch(s)
	}
	return out
}

// prefetch returns how many deliveries a consumer holds at most, 0 for no limit, -1 if that differs among the entries.
func prefetch(s *scenarios.Scenario) int {
	for _, e := range s.Strategies {
		if e.Broker.Prefetch != s.Strategies[0].Broker.Prefetch {
			return -1
		}
	}
	return s.Strategies[0].Broker.Prefetch
}

// herdEnd returns when the last of a herd calls first, as far as that is certain: the end of a uniform spread or of a
// trace.
func herdEnd(start sim.Start) time.Duration {
	end := start.Uniform
	for _, b := range start.Trace {
		if b.Count > 0 {
			end = max(end, b.To)
		}
	}
	return end
}

// maxRequests returns how many requests open tasks may make of the downstream: the attempts of each kind, times those of
// all tiers.
func maxRequests(cfg sim.Config) (most report.MaxRequests) {
	requests := func(own *sim.Limits) int64 {
		if own == nil {
			own = &cfg.Limits
		}
		n := int64(own.MaxAttempts)
		for _, tier := range cfg.Tiers {
			if n *= int64(tier.Attempts); n > math.MaxInt32 {
				return 0 // as good as none
			}
		}
		return n
	}
	if a := cfg.Arrivals; a != nil {
		most.Arrivals = requests(a.Limits)
	}
	if c := cfg.Clients; c != nil {
		most.Clients = requests(c.Limits)
	}
	if c := cfg.Cron; c != nil {
		most.Cron = requests(c.Limits)
	}
	return most
}

// patience returns how long somebody waits for a request at the downstream: the shortest timeout of the tasks and the
// tiers, 0 for ever.
func patience(s *scenarios.Scenario) time.Duration {
	shortest := s.Task.Timeout
	for _, tier := range s.Tiers {
		if tier.Timeout > 0 && (shortest == 0 || tier.Timeout < shortest) {
			shortest = tier.Timeout
		}
	}
	return shortest
}

// sheds names what keeps the downstream from work for callers that have gone, "" if nothing does.
func sheds(d *downstream.Config, patience time.Duration, capacity float64) string {
	switch {
	case d.CancelAbandoned:
		return "cancel_abandoned"
	case d.QueueTimeout != nil && d.QueueTimeout.Interval < patience:
		return "the queue timeout"
	case d.Order == downstream.LIFO, d.Order == downstream.Adaptive && float64(d.LIFOAbove) < capacity*patience.Seconds():
		return "serving the newest first"
	}
	return ""
}

// hasParts reports whether there is more to see of a downstream over time than slots, a queue, a rate limit and outages.
func hasParts(d *downstream.Config) bool {
	slow := slices.ContainsFunc(d.Outages, func(o downstream.Outage) bool { return o.Mode == downstream.Slow })
	ramp := d.RateLimit != nil && d.RateLimit.Ramp != downstream.Ramp{}
	return slow || ramp || d.Slots == downstream.Unlimited || d.Order == downstream.Adaptive || d.Concurrency > 0 ||
		d.QueueTimeout != nil || d.RetryAfter != nil || d.Slowdown != nil || d.Cache != nil || d.WarmUp != nil ||
		d.Pool != nil || d.Crash != nil || d.Contention != downstream.NoContention
}
