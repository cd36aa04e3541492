package cli

import (
	"strings"
	"testing"
	"time"

	"herdsim/experiment"
	"herdsim/report"
	"herdsim/scenarios"
)

func dirac(t *testing.T, set ...string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Load(scenarios.Request{Source: "dirac", Set: set, Strategies: []string{"full-jitter", "paced"}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestProgressIsForPatientPeopleAtATerminal(t *testing.T) {
	tests := []struct {
		name     string
		terminal int
		quiet    bool
		term     string
		want     bool
	}{
		{"a terminal", 80, false, "xterm", true},
		{"a pipe", 0, false, "xterm", false},
		{"quiet", 80, true, "xterm", false},
		{"a dumb terminal", 80, false, "dumb", false},
	}
	for _, tt := range tests {
		b := newBench()
		b.terminal, b.env["TERM"] = tt.terminal, tt.term
		a := &app{Process: &b.Process, quiet: tt.quiet}
		if got := a.progress(dirac(t)) != nil; got != tt.want {
			t.Errorf("%s: progress is %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestProgressBar(t *testing.T) {
	b := newBench()
	b.terminal = 80
	p := (&app{Process: &b.Process}).progress(dirac(t))
	p.show(experiment.Progress{Row: 0, Replicate: 1, Events: 100})
	if b.stderr.Len() > 0 {
		t.Errorf("a bar in the first second: %q", &b.stderr)
	}
	p.start = p.start.Add(-2 * progressDelay)
	half := p.forecast(0).Events / 2
	p.show(experiment.Progress{Row: 0, Replicate: 1, Events: half})
	if p.sum < 490 || p.sum > 500 {
		t.Errorf("half a run of two is %d units, want 500 of %d", p.sum, 2*progressUnits)
	}
	p.show(experiment.Progress{Row: 0, Replicate: 1, Events: half / 2})
	if p.sum < 490 {
		t.Errorf("the bar went back to %d", p.sum)
	}
	p.show(experiment.Progress{Row: 0, Replicate: 1, Done: true})
	p.show(experiment.Progress{Row: 1, Replicate: 1, Done: true})
	if p.sum != 2*progressUnits {
		t.Errorf("all runs are %d units, want %d", p.sum, 2*progressUnits)
	}
	p.close()
	if text := b.stderr.String(); !strings.Contains(text, "0 of 2 runs") || !strings.HasSuffix(text, "\r") {
		t.Errorf("the bar was not drawn and taken away: %q", text)
	}
}

// A run that takes longer than was predicted moves on, and says where it is.
func TestProgressInsideOfALongRun(t *testing.T) {
	b := newBench()
	b.terminal = 120
	p := (&app{Process: &b.Process}).progress(dirac(t))
	p.start = p.start.Add(-2 * progressDelay)
	p.show(experiment.Progress{Row: 0, Replicate: 1, Events: 5, Now: time.Second})
	p.show(experiment.Progress{Row: 1, Replicate: 1, Done: true})
	p.forecasts[0] = experiment.Forecast{Events: 1000, Basis: experiment.Scaled}
	last := p.sum
	for _, events := range []int64{500, 1000, 2000, 4000, 1e6} {
		got := p.description(experiment.Progress{Row: 0, Replicate: 1, Events: events, Now: 90 * time.Second})
		if want := "1 of 2 runs, full-jitter at 1 min 30 s (" + report.Count(events) + " events)"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		p.show(experiment.Progress{Row: 0, Replicate: 1, Events: events, Now: 90 * time.Second})
		if p.sum <= last || p.sum >= 2*progressUnits {
			t.Errorf("%d events: %d units after %d, of %d", events, p.sum, last, 2*progressUnits)
		}
		last = p.sum
	}
	if text := b.stderr.String(); !strings.Contains(text, "0 of 2 runs, full-jitter at 1.0 s (5 events)") {
		t.Errorf("the bar does not say how far the run is: %q", text)
	}
	if got := p.description(experiment.Progress{Row: 0, Replicate: 1, Done: true}); got != "1 of 2 runs" {
		t.Errorf("after its end: %q", got)
	}
}

// TestProgressWithoutForecast measures what no trial could see the end of: by its herd, or else by its time.
func TestProgressWithoutForecast(t *testing.T) {
	b := newBench()
	b.terminal = 80
	p := (&app{Process: &b.Process}).progress(dirac(t))
	p.forecasts[0] = experiment.Forecast{Events: 1, Basis: experiment.AtLeast}
	r := experiment.Progress{Events: 1000, Unfinished: 250, Now: time.Minute}
	if got := p.share(r); got != 0.75 {
		t.Errorf("750 of 1000 workers done: %v", got)
	}
	p.scenario.Workers = 0
	p.scenario.Horizon = 4 * time.Minute
	if got := p.share(r); got != 0.25 {
		t.Errorf("1 of 4 minutes over: %v", got)
	}
}
