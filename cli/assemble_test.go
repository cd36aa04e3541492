package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"herdsim/experiment"
	"herdsim/report"
	"herdsim/scenarios"
	"herdsim/sim"
)

func load(t *testing.T, text string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Load(scenarios.Request{Source: "-", Stdin: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSetup(t *testing.T) {
	s := load(t, `
name: whole
title: All that a title may need
seed: 7
replicates: 3
window: 250ms
workers: 1000
arrivals: {rate: 12/min}
task: {timeout: 2s}
downstream:
  slots: 20
  service: {lognormal: {mean: 50ms, cv: 1}}
  queue: unlimited
  reject_cost: 1ms
  rate_limit: {rate: 300/s, burst: 40}
  outages: [{from: 0s, to: 1s}, {from: 1s, to: 3s, mode: hang}, {from: 4s, to: 5s, capacity: 50%}, {from: 5s, to: 6s}]
strategies: [fixed]
`)
	want := report.Setup{
		Name: "whole", Title: "All that a title may need", Seed: 7, Replicates: 3, Window: 250 * time.Millisecond,
		Horizon: time.Hour, Workers: 1000, Arrivals: &s.Arrivals.Arrivals, OpenRate: 0.2,
		Slots: 20, Queue: -1, Service: 50 * time.Millisecond,
		Outages: []sim.Span{
			{From: 0, To: time.Second}, {From: time.Second, To: 3 * time.Second},
			{From: 4 * time.Second, To: 5 * time.Second}, {From: 5 * time.Second, To: 6 * time.Second},
		},
		FullOutages: []sim.Span{{From: 0, To: time.Second}, {From: time.Second, To: 3 * time.Second}, {From: 5 * time.Second, To: 6 * time.Second}},
		Recovery:    3 * time.Second, // two outages without a gap; the third is a brown-out
		Away:        5 * time.Second,
		Capacity:    300, // the rate limit is less than 20 / 50 ms = 400
		RateLimit:   300, Burst: 40, RejectCost: time.Millisecond,
		Timeout: 2 * time.Second, Patience: 2 * time.Second, Within: 0.2,
	}
	if diff := cmp.Diff(want, setup(s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s = load(t, "{name: free, workers: 1, downstream: {slots: 1, service: 0s}, strategies: [fixed]}")
	if got := setup(s); got.Capacity != 0 || got.RateLimit != 0 || got.OpenRate != 0 {
		t.Errorf("without a bound: %+v", got)
	}
}

func TestAssembleNumbersReplicates(t *testing.T) {
	s := load(t, "{name: two, seed: 5, replicates: 2, workers: 3, downstream: {slots: 1}, strategies: [fixed, paced], expect: [fixed.tasks == 3]}")
	runs := [][]*sim.Result{{{Herd: sim.Tally{Tasks: 3}}, {Herd: sim.Tally{Tasks: 3}}}, {{}, {}}}
	r := assemble(s, experiment.Results{Runs: runs})
	if len(r.Entries) != 2 || r.Entries[1].Name != "paced" || r.Entries[0].Runs[1] != runs[0][1] {
		t.Errorf("entries: %+v", r.Entries)
	}
	if got, want := r.Entries[0].Seeds, []uint64{5, sim.ReplicateSeed(5, 2)}; !cmp.Equal(got, want) {
		t.Errorf("seeds %v, want %v", got, want)
	}
	if want := []report.Expected{{Line: "fixed.tasks == 3", Met: true}}; !cmp.Equal(r.Expected, want) {
		t.Errorf("expected %+v, want %+v", r.Expected, want)
	}

	runs[0][1].Herd.Tasks = 4
	r = assemble(s, experiment.Results{Runs: runs})
	want := []report.Expected{{Line: "fixed.tasks == 3", Detail: "replicate 2: fixed.tasks = 4"}}
	if diff := cmp.Diff(want, r.Expected); diff != "" {
		t.Errorf("not met in one replicate (-want +got):\n%s", diff)
	}

	runs[0][1] = nil
	if r = assemble(s, experiment.Results{Runs: runs, Missing: 1}); !r.Partial || r.Expected != nil {
		t.Errorf("with a run missing: partial %v, expected %v; want nothing judged", r.Partial, r.Expected)
	}
}
