package scenarios

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Whatever comes in: no panic, every error names a place, and what loads reads back the same.

func FuzzScenario(f *testing.F) {
	for _, pattern := range []string{"testdata/accepted/*.yaml", "testdata/accepted/*.json", "testdata/rejected/*.yaml", "library/*.yaml"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Load(Request{Source: "-", Stdin: bytes.NewReader(text)})
		if mustName(t, err); err == nil {
			mustReload(t, s)
		}
	})
}

func FuzzSet(f *testing.F) {
	for _, seed := range []string{
		"workers=5000", "downstream.outages[0].to=1s", "arrivals=null", "strategies[0].fixed.delay=2s", "start={trace: x.csv}",
		"arrivals.phases[0].ramp.to=80/s", "downstream.crash.down=30s", "clients={count: 5, think: {exponential: 1s}}", "tiers[0].strategy.fixed.delay=1s",
		"downstream.slots=unlimited", "downstream.outages[0].every=2s", "cron.spread.normal.mean=1s", "downstream.queue_timeout={standing: 5ms, interval: 100ms}",
		"title=\"x\"", "a[0][1].b=[{", "limits.max_attempts=", "expect[0]=fixed.completion < 5s", "=", "[0]=1", "broker={topology: ladder, rungs: [1s, 2s]}",
		"broker={topology: custom, queues: [{name: a, ttl: 1s, dead_letter_to: a}, {name: dlq}], on_failure: {publish: a}}", "messages.count=5", "seed=18446744073709551616",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, set string) {
		s, err := Load(Request{Source: "dirac", Set: []string{set}})
		if mustName(t, err); err == nil {
			mustReload(t, s)
		}
	})
}

func FuzzSpec(f *testing.F) {
	for _, seed := range []string{
		"full-jitter", "exponential(base=1s, cap=30s)", "schedule(delays=[1s, {a: b}], name=\"x, y\")", "fixed(limits.max_attempts=5)",
		"paced()", "fixed(", "fixed)", "fixed((a=b))", "(x=y)", "fixed(a=[)", "fixed(start={normal: {mean: 1s, sd: 1s}})",
		"preset(sidekiq-8)", "preset(sidekiq-8, base=1s, name=x)", "preset(, cap=1s)", "preset(name=sidekiq-8)", "preset(kafkajs-default, grain=none)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		s, err := Load(Request{Source: "dirac", Strategies: []string{spec}})
		if mustName(t, err); err == nil {
			mustReload(t, s)
		}
	})
}

func FuzzExpect(f *testing.F) {
	for _, seed := range []string{
		"full-jitter.peak_over_capacity < 10", `"10% more".completion >= (1 + 2) * 30s - 5%`, "a.b", "((((", "- - -1 == 1", `"\`, "1..2 < .",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		e, err := parseExpectation(line)
		var fault *expectFault
		switch {
		case err == nil:
			if _, _, err := e.Eval(someCells); err != nil {
				t.Fatalf("%q parses, and then does not: %v", line, err)
			}
		case !errors.As(err, &fault) || fault.message == "" || fault.at < 0 || fault.at > len(line):
			t.Fatalf("%q: %#v, want a fault with a place in the line", line, err)
		}
	})
}

func FuzzTrace(f *testing.F) {
	for _, pattern := range []string{"testdata/accepted/*.csv", "testdata/rejected/*.csv"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		phases, problems := parseArrivals("trace.csv", data, time.Hour)
		mustName(t, asError(problems))
		for i, p := range phases {
			if p.From >= p.To || p.To > time.Hour || p.Rate.Events <= 0 || p.Rate.Per <= 0 || i > 0 && p.From < phases[i-1].To {
				t.Fatalf("phase %d is %+v, want intervals with arrivals, one after another", i, p)
			}
		}
		bins, problems := parseTrace("trace.csv", data)
		if len(problems) > 0 {
			mustName(t, problems)
			return
		}
		for i, b := range bins {
			if b.From >= b.To || b.Count < 0 || i > 0 && b.From != bins[i-1].To {
				t.Fatalf("row %d is %+v, want intervals that follow one another", i, b)
			}
		}
	})
}

// asError returns problems as Load does: nil if there are none.
func asError(problems Errors) error {
	if len(problems) == 0 {
		return nil
	}
	return problems
}

// mustName checks that an error is a list of problems, each with a place.
func mustName(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var problems Errors
	if !errors.As(err, &problems) || len(problems) == 0 {
		t.Fatalf("%#v, want Errors", err)
	}
	for _, p := range problems {
		if p.File == "" || p.Message == "" || p.Line < 0 || p.Line > 0 && p.Column < 1 {
			t.Fatalf("%+v has no place", p)
		}
	}
	_ = problems.Error()
}
