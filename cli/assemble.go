package cli

import (
	"fmt"

	"herdsim/broker"
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
			Alert: broker.None,
		}
		if e.Broker != nil {
			entry.Alert = e.Broker.Alert
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
	if l := s.Downstream.RateLimit; s.Downstream.RetryAfter == nil && (l == nil || !l.RetryAfter) {
		e.IgnoreRetryAfter, e.RetryAfter = false, sim.RetryAfter{} // nobody asks it to wait
	}
	return s.Describe(e)
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
