package sim

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"herdsim/strategies"
)

// alike compares Results. The engine adds the areas up in floating point, which is exact below 2^53 ns.
var alike = cmp.Options{
	cmpopts.EquateEmpty(),
	cmpopts.EquateApprox(1e-12, 0),
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".BusyTime" }, cmp.Comparer(func(a, b Time) bool {
		return a == b || a > 1<<53 && cmp.Equal(float64(a), float64(b), cmpopts.EquateApprox(1e-12, 0))
	})),
}

// diff compares two Results but for the order of the sample, which is left open. It is quick if they are alike.
func diff(want, got *Result) string {
	w, g := *want, *got
	for _, r := range []*Result{&w, &g} {
		r.Sample = slices.Clone(r.Sample)
		sortByEnd(r.Sample)
	}
	if slices.Equal(w.Sample, g.Sample) && slices.Equal(w.Windows, g.Windows) && slices.Equal(w.Completions, g.Completions) {
		for _, r := range []*Result{&w, &g} {
			r.Sample, r.Windows, r.Completions = nil, nil, nil
		}
	}
	return cmp.Diff(w, g, alike)
}

// checkAgainstReference plays cfg on the engine e, traced and not, and on the reference.
func checkAgainstReference(t rapid.TB, e *Engine, cfg Config) {
	t.Helper()
	checkArrivals(t, cfg, 200)
	want, wantTrace := playReference(cfg)
	var trace []AttemptRecord
	cfg.Trace = func(r AttemptRecord) { trace = append(trace, r) }
	got := new(Engine).Run(context.Background(), cfg)
	// Attempts end in an order that the model defines. Those in flight do not end; the engine names them in no order.
	inFlight := int(got.Outcomes[strategies.InFlight])
	if inFlight > len(trace) {
		t.Fatalf("%d attempts in flight, %d traced", inFlight, len(trace))
	}
	sortByEnd(trace[len(trace)-inFlight:])
	if !slices.Equal(wantTrace, trace) {
		t.Errorf("trace, - reference, + engine:\n%s", cmp.Diff(wantTrace, trace, alike))
	}
	if d := diff(want, got); d != "" {
		t.Errorf("result, - reference, + engine:\n%s", d)
	}
	cfg.Trace = nil
	if d := diff(want, e.Run(context.Background(), cfg)); d != "" {
		t.Errorf("result without a trace, - reference, + engine:\n%s", d)
	}
	checkConserved(t, got)
}

// checkConserved checks what must add up at the end of every run.
func checkConserved(t rapid.TB, r *Result) {
	t.Helper()
	for _, tally := range []Tally{r.Herd, r.Open} {
		if tally.Succeeded+tally.DeadLettered+tally.Unfinished != tally.Tasks || min(tally.Succeeded, tally.DeadLettered, tally.Unfinished) < 0 {
			t.Errorf("tasks are lost: %+v", tally)
		}
	}
	var ended, requests, wasted, most int64
	var byOutcome [6]int64
	for _, n := range r.Outcomes {
		ended += n
	}
	for _, w := range r.Windows {
		requests += w.Requests
		wasted += w.Wasted
		most = max(most, w.Requests-w.Failure)
		var sum int64
		for o, n := range w.Outcomes {
			sum += n
			byOutcome[o] += n
		}
		if sum != w.Requests {
			t.Errorf("window %d: %d requests, outcomes %v", w.Index, w.Requests, w.Outcomes)
		}
	}
	switch {
	case ended != r.Attempts:
		t.Errorf("%d attempts, outcomes %v", r.Attempts, r.Outcomes)
	case requests > r.Attempts || byOutcome[strategies.Served] != r.Outcomes[strategies.Served]:
		t.Errorf("%d attempts, outcomes %v; in windows %d, outcomes %v", r.Attempts, r.Outcomes, requests, byOutcome)
	case wasted != r.Wasted || most != r.PeakWindow:
		t.Errorf("wasted %d, in windows %d; peak %d, in windows %d", r.Wasted, wasted, r.PeakWindow, most)
	case r.Herd.Tasks > 0 && r.Outcomes[strategies.Served] != r.Herd.Succeeded+r.Open.Succeeded:
		t.Errorf("%d attempts served, %d and %d tasks", r.Outcomes[strategies.Served], r.Herd.Succeeded, r.Open.Succeeded)
	}
}

// The engine and the reference agree on every attempt and every number, whatever the features and the ties. One engine
// plays all cases, so its memory is dirty.
func TestEngineAgreesWithReference(t *testing.T) {
	var e Engine
	rapid.Check(t, func(t *rapid.T) { checkAgainstReference(t, &e, drawConfig(t)) })
}

// Crowds before a full house are where the engine cuts corners: it takes whole buckets of attempts at once.
func TestCrowdsAgreeWithReference(t *testing.T) {
	var e Engine
	rapid.Check(t, func(t *rapid.T) { checkAgainstReference(t, &e, drawCrowd(t)) })
}
