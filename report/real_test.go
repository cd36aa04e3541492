package report_test

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"herdsim/report"
	"herdsim/scenarios"
	"herdsim/sim"
)

// play runs every strategy of a built-in scenario once.
func play(t *testing.T, name string, set ...string) *report.Report {
	t.Helper()
	s, err := scenarios.Load(scenarios.Request{Source: name, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	d := s.Downstream
	r := &report.Report{Version: "test", Setup: report.Setup{
		Name: s.Name, Title: s.Title, Seed: s.Seed, Replicates: 1, Window: s.Window, Workers: s.Workers,
		Slots: d.Slots, Queue: d.Queue, Recovery: d.Recovery(), RejectCost: d.RejectCost, Timeout: s.Task.Timeout,
	}}
	if capacity, bounded := d.Capacity(); bounded {
		r.Setup.Capacity = capacity
	}
	for i, e := range s.Strategies {
		r.Entries = append(r.Entries, report.Entry{Name: e.Name, Key: e.Key, Formula: e.Formula,
			Runs: []*sim.Result{sim.Run(context.Background(), s.Config(i, 1))}, Seeds: []uint64{s.Seed}})
	}
	return r
}

func TestColumnsAreThoseThatScenariosKnow(t *testing.T) {
	if !slices.Equal(report.Columns(), scenarios.Columns) {
		t.Errorf("report has %v\nscenarios has %v", report.Columns(), scenarios.Columns)
	}
}

func TestDirac(t *testing.T) {
	r := play(t, "dirac")
	for _, row := range r.Summary() {
		if row.LeftOver() != 0 || !row.Bound.OK {
			t.Errorf("%s leaves %d over", row.Strategy, row.LeftOver())
		}
		// 1000 workers of 100 ms on 20 slots, after 0.5 s: the last cannot be served before 5.5 s.
		if bound := row.Bound.String(); bound != "5.5" {
			t.Errorf("%s: bound_s = %s, want 5.5", row.Strategy, bound)
		}
		if row.Efficiency.Value <= 0 || row.Efficiency.Value > 1 {
			t.Errorf("%s: efficiency = %v, want at most 1", row.Strategy, row.Efficiency.Value)
		}
		if row.QueueMean.Value < 0 || row.QueueMean.Value > 200 || row.Utilisation.Value > 1 {
			t.Errorf("%s: queue_mean %v, utilisation %v", row.Strategy, row.QueueMean.Value, row.Utilisation.Value)
		}
	}
	// Without jitter all 1000 come back at 1 s: 1000 requests in a window that serves 20.
	for _, strategy := range []string{"fixed", "exponential"} {
		if peak, ok := r.Value(strategy, "peak_over_capacity", 1); !ok || peak != 50 {
			t.Errorf("%s: peak_over_capacity = %v, %t, want 50", strategy, peak, ok)
		}
	}
	if sum, _ := r.Value("paced", "overload", 1); math.Abs(sum) > 0 {
		t.Errorf("paced: overload = %v, want 0", sum)
	}
}

func TestDiracText(t *testing.T) {
	var b bytes.Buffer
	if err := play(t, "dirac").WriteText(&b, report.TextOptions{Width: 120}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n  1,000 workers, service back at 500 ms, capacity 200/s, queue 200, seed 1\n",
		"\n  full-jitter cuts the busiest 100 ms of exponential from 1,000 to ",
		"\n  Rejects cost nothing here, so the crudest real strategy finishes first: fixed, ",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("there is no %q in\n%s", want, b.String())
		}
	}
}

// What runs of many kinds leave behind passes the checks of the reader: it adds up.
func TestJSONOfRealRuns(t *testing.T) {
	for name, set := range map[string][]string{
		"as it is":    nil,
		"cut off":     {"horizon=3s"},
		"given up":    {"limits.max_attempts=3"},
		"open":        {"arrivals={rate: 50/s}", "horizon=10s"},
		"timeouts":    {"task.timeout=300ms", "horizon=20s"},
		"errors":      {"task.error_rate=20%"},
		"rate limit":  {"downstream.rate_limit={rate: 100/s, burst: 10}"},
		"never up":    {"downstream.outages[0].to=2h", "horizon=30s"},
		"hang":        {"downstream.outages[0].mode=hang", "task.timeout=1s"},
		"one worker":  {"workers=1"},
		"no time":     {"downstream.service=0s", "network=1ms"},
		"wide window": {"window=1h"},
	} {
		t.Run(name, func(t *testing.T) {
			r := play(t, "dirac", set...)
			var b bytes.Buffer
			if err := r.WriteJSON(&b); err != nil {
				t.Fatal(err)
			}
			d, err := report.ReadJSON(&b)
			if err != nil {
				t.Fatal(err)
			}
			if len(d.Runs) != len(r.Entries) {
				t.Errorf("%d runs, want %d", len(d.Runs), len(r.Entries))
			}
			for _, run := range d.Runs {
				sum := int64(0)
				for _, q := range run.Requests {
					sum += q.Requests
				}
				if s := run.Summary; sum > s.Attempts || s.InFlight == 0 && sum != s.Attempts {
					t.Errorf("%s: the windows hold %d requests of %d", s.Strategy, sum, s.Attempts)
				}
				if e := run.Summary.Efficiency; e.OK && e.Value > 1+1e-9 {
					t.Errorf("%s: efficiency = %v, want at most 1", run.Summary.Strategy, e.Value)
				}
			}
			if err := r.WriteText(&b, report.TextOptions{Width: 100}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAttemptsOfARealRun(t *testing.T) {
	s, err := scenarios.Load(scenarios.Request{Source: "dirac"})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := report.NewAttemptWriter(&b)
	cfg := s.Config(0, 1)
	cfg.Trace = w.Trace(s.Strategies[0].Name, 1)
	result := sim.Run(context.Background(), cfg)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if lines := int64(strings.Count(b.String(), "\n")); lines != result.Attempts+1 {
		t.Errorf("%d lines for %d attempts", lines, result.Attempts)
	}
}
