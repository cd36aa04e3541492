package cli

import (
	"testing"
	"time"

	"herdsim/scenarios"
	"herdsim/strategies"
)

// Tables and loads end where a client gives up, after as many retries or by the time that the limits say.
func TestWaitsEndAtTheLimits(t *testing.T) {
	for _, c := range []struct {
		spec    string
		rows    int
		load    float64 // requests of one client in 1 min, before the limit of time; 0 if it is of no interest
		givesUp string
	}{
		{"preset(celery-autoretry-backoff)", 3, 3, "after 3 retries"},
		{"preset(aws-sdk-go-v2-standard)", 2, 2, "after 2 retries"},
		{"preset(aws-sdk-go-v2-standard, limits={})", 12, 0, ""},
		{"fixed(limits.max_attempts=1)", 0, 0, "after the first attempt"},
		{"fixed(limits.max_attempts=2)", 1, 1, "after 1 retry"},
		{"fixed(limits.max_elapsed=4s)", 4, 0, "after 4.0 s"},
		{"exponential(base=1s, limits.max_elapsed=7s)", 3, 0, "after 7.0 s"},
		{"exponential(base=1s, limits.max_elapsed=6s)", 2, 0, "after 6.0 s"},
		{"fixed(limits.max_elapsed=10s, limits.max_attempts=4)", 3, 3, "after 3 retries, or after 10.0 s"},
		{"fixed(first_wait=4s, limits.max_elapsed=4s)", 5, 0, "after 4.0 s"}, // its first wait may be next to nothing
	} {
		s, e, err := entry(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		w := waiting(s, e)
		if len(w.Rows) != c.rows || w.GivesUp != c.givesUp {
			t.Errorf("%s: %d waits, gives up %q; want %d, %q", c.spec, len(w.Rows), w.GivesUp, c.rows, c.givesUp)
		}
		if w.Longest != e.Limits.MaxElapsed {
			t.Errorf("%s: no retry after %v, want %v", c.spec, w.Longest, e.Limits.MaxElapsed)
		}
		if c.load == 0 {
			continue
		}
		sum := 0.0
		for _, d := range strategies.Density(w.Strategy, 100*time.Millisecond, time.Minute) {
			sum += d * 0.1
		}
		if sum < 0.99*c.load || sum > 1.01*c.load {
			t.Errorf("%s: %v requests, want %v", c.spec, sum, c.load)
		}
	}
}

// The waits say "at once" in a list, and are 0 in a formula.
func TestWaitOfImmediate(t *testing.T) {
	_, e, err := entry("immediate(limits.max_attempts=3)")
	if err != nil || e.Formula != "at once" || wait(e) != "0" {
		t.Errorf("%q and %q, error %v; want at once and 0", e.Formula, wait(e), err)
	}
	if got := (&scenarios.Scenario{}).Describe(e); got != "at once; 3 attempts" {
		t.Errorf("described as %q", got)
	}
}
