package cli

import (
	"fmt"
	"math"
	"time"

	"herdsim/downstream"
	"herdsim/experiment"
	"herdsim/report"
	"herdsim/scenarios"
	"herdsim/sim"
)

// assemble puts a scenario and its results together to what is reported.
func assemble(s *scenarios.Scenario, results experiment.Results) *report.Report {
	r := &report.Report{
		Version:  version(),
		Setup:    setup(s),
		Partial:  results.Missing > 0,
		Scenario: s.JSON(),
	}
	for i, e := range s.Strategies {
		entry := report.Entry{
			Name: e.Name, Key: e.Key, Formula: formula(s, e), Runs: results.Runs[i], MaxRequests: maxRequests(s.Config(i, 1)),
		}
		for replicate := 1; replicate <= s.Replicates; replicate++ {
			entry.Seeds = append(entry.Seeds, sim.ReplicateSeed(s.Seed, replicate))
		}
		r.Entries = append(r.Entries, entry)
	}
	if !r.Partial {
		r.Expected = judge(s, r)
	}
	return r
}

// formula returns the wait of an entry and what else is its own.
func formula(s *scenarios.Scenario, e scenarios.Entry) string {
	if l := s.Downstream.RateLimit; l == nil || !l.RetryAfter {
		e.IgnoreRetryAfter, e.RetryAfter = false, sim.RetryAfter{} // nobody asks it to wait
	}
	return s.Describe(e)
}

// setup returns what titles, axes and columns need of a scenario.
func setup(s *scenarios.Scenario) report.Setup {
	d := s.Downstream
	out := report.Setup{
		Name: s.Name, Title: s.Title, Seed: s.Seed, Replicates: s.Replicates, Window: s.Window,
		Horizon: s.Horizon,
		Slots: d.Slots, Queue: d.Queue, Concurrency: d.Concurrency, Service: d.Service.Mean(),
		Recovery: d.Recovery(), RejectCost: d.RejectCost,
		Timeout: s.Task.Timeout, Patience: s.Task.Timeout, Sheds: sheds(d, s.Task.Timeout), Poison: s.Task.Poison,
	}
	if s.Arrivals != nil {
		out.Arrivals = &s.Arrivals.Arrivals
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
		out.Outages = append(out.Outages, sim.Span{From: o.From, To: o.To})
	}
	for _, o := range d.Outages {
		if o.Full() && o.From > out.Recovery {
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
		if d.Cache != nil {
			out.ColdCapacity, _ = d.ColdCapacity()
		}
	}
	out.OpenRate = out.MeanRate()
	return out
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

// maxRequests returns how many requests an open task may make of the downstream, 0 for no limit: its attempts, times
// those of all tiers.
func maxRequests(cfg sim.Config) int64 {
	limits := cfg.Limits
	if a := cfg.Arrivals; a != nil && a.Limits != nil {
		limits = *a.Limits
	}
	n := int64(limits.MaxAttempts)
	for _, tier := range cfg.Tiers {
		if n *= int64(tier.Attempts); n > math.MaxInt32 {
			return 0 // as good as none
		}
	}
	return n
}

// sheds names what keeps the downstream from work for callers that have gone, "" if nothing does.
func sheds(d downstream.Config, patience time.Duration) string {
	switch {
	case d.CancelAbandoned:
		return "cancel_abandoned"
	case d.QueueTimeout != nil && patience > 0 && d.QueueTimeout.Interval < patience:
		return "the queue timeout"
	case d.Order == downstream.LIFO:
		return "the order lifo"
	}
	return ""
}

// judge evaluates the scenario's expect lines: each must hold in every replicate.
func judge(s *scenarios.Scenario, r *report.Report) []report.Expected {
	judged := []report.Expected{}
	for _, e := range s.Expect {
		out := report.Expected{Line: e.Line, Met: true}
		for replicate := 1; replicate <= s.Replicates && out.Met; replicate++ {
			met, detail, err := e.Eval(func(strategy, column string) (float64, bool) {
				return r.Value(strategy, column, replicate)
			})
			switch {
			case err != nil:
				out.Met, out.Detail = false, err.Error()
			case !met && s.Replicates > 1:
				out.Met, out.Detail = false, fmt.Sprintf("replicate %d: %s", replicate, detail)
			case !met:
				out.Met, out.Detail = false, detail
			}
		}
		judged = append(judged, out)
	}
	return judged
}
