package scenarios_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// What a header says of `--set` is so: the states of the verdicts, the same for all entries but those that are named.
func TestLibraryFreed(t *testing.T) {
	for _, row := range []struct {
		name   string
		set    string // several with & between them
		state  string
		except map[string]string
	}{
		{"metastable", "downstream.queue=35", "recovered", nil},
		{"metastable", "downstream.order=lifo", "recovered", nil},
		{"metastable", "downstream.cancel_abandoned=true", "recovered", nil},
		{"metastable-db", "arrivals.rate=140/s", "recovered", nil},
		{"metastable-db", "arrivals.rate=155/s", "recovered", map[string]string{"at-once": "stuck", "after-1s": "stuck", "jitter-20s": "stuck"}},
		{"metastable-db", "downstream.outages[0].to=20500ms", "never down", nil},
		{"metastable-db", "downstream.queue=250", "recovered", nil},
		{"metastable-db", "downstream.order=lifo", "recovered", nil},
		{"cold-cache", "downstream.cache.fill=served", "recovered", nil},
		{"cold-cache", "downstream.cancel_abandoned=true", "recovered", nil},
		{"cold-cache", "downstream.queue=200", "recovered", nil},
		{"cold-cache", "downstream.order=lifo", "recovered", nil},
		{"cold-cache", "arrivals.rate=250/s", "recovered", nil},
		{"connection-storm", "downstream.pool=null", "recovered", nil},
		{"connection-storm", "downstream.queue=100", "recovered", nil},
		{"connection-storm", "downstream.order=lifo", "recovered", nil},
		{"connection-storm", "downstream.cancel_abandoned=true", "recovered", map[string]string{"at-500ms": "stuck", "full-jitter": "stuck"}},
		{"crash-loop", "downstream.crash=null", "recovered", nil},
		{"crash-loop", "downstream.outages[0].to=70s", "recovered", nil},
		{"crash-loop", "downstream.queue=100", "recovered", map[string]string{"each-second": "stuck", "exponential": "stuck", "full-jitter": "stuck"}},
		{"cron-echo", "cron.spread=30s", "never down", nil},
		{"cron-echo", "downstream.queue=1000", "never down", nil},
		{"retry-layers", "deadlines=passed", "recovered", nil},
		{"retry-layers", "tiers=[{attempts: 1, timeout: 2s}, {attempts: 1, timeout: 1s}]", "recovered", nil},
		{"retry-layers", "tiers=[{attempts: 1, timeout: 2s}, {attempts: 1, timeout: 1s}] & arrivals.rate=20/s", "recovered", nil},
		{"retry-layers", "downstream.queue=90", "recovered", nil},
		{"spike-vs-ramp", "arrivals.phases=[{rate: 40/s}, {rate: 40/s, from: 20s, for: 5s}]", "recovered", map[string]string{"at-once": "stuck"}},
		{"spike-vs-ramp", "downstream.concurrency=150", "never down", nil},
		{"spike-vs-ramp", "downstream.cancel_abandoned=true", "recovered", map[string]string{"at-once": "stuck", "full-jitter": "stuck"}},
	} {
		t.Run(row.name+" "+row.set, func(t *testing.T) {
			t.Parallel()
			args := []string{"run", row.name, "--set", "expect=null"}
			for _, set := range strings.Split(row.set, " & ") {
				args = append(args, "--set", set)
			}
			doc, _, stderr := command(t, args...)
			if len(doc.Runs) == 0 {
				t.Fatalf("no runs:\n%s", stderr)
			}
			left := slices.Sorted(maps.Keys(row.except))
			for _, run := range doc.Runs {
				want := row.state
				if other, ok := row.except[run.Summary.Strategy]; ok {
					want = other
					left = slices.DeleteFunc(left, func(s string) bool { return s == run.Summary.Strategy })
				}
				if run.Verdict.State != want {
					t.Errorf("%s is %s, want %s", run.Summary.Strategy, run.Verdict.State, want)
				}
			}
			if len(left) > 0 {
				t.Errorf("there is no %v", left)
			}
		})
	}
}

// What keeps each stuck entry of the library down, the main loop first, is what its header says.
func TestLibraryNamesTheLoop(t *testing.T) {
	for _, row := range []struct {
		name  string
		stuck map[string]string // entry -> main loop; all others are not stuck
	}{
		{"metastable", map[string]string{
			"five-retries": "timed-out work", "two-retries": "timed-out work", "exponential": "timed-out work",
			"full-jitter": "timed-out work", "full-jitter-10m": "timed-out work",
		}},
		{"metastable-db", map[string]string{
			"at-once": "timed-out work", "after-1s": "timed-out work", "jitter-20s": "timed-out work", "budget-10": "timed-out work",
		}},
		{"cold-cache", map[string]string{"three-attempts": "cold cache", "no-retry": "cold cache", "limit-500": "cold cache"}},
		{"connection-storm", map[string]string{"at-500ms": "timed-out work", "full-jitter": "timed-out work"}},
		{"crash-loop", map[string]string{"each-second": "crash cycle", "exponential": "crash cycle", "full-jitter": "crash cycle"}},
		{"cron-echo", map[string]string{"each-20s": "retries", "exponential": "retries"}},
		{"retry-layers", map[string]string{"all-layers": "timed-out work", "full-jitter": "timed-out work"}},
		{"sre-book", map[string]string{}},
		{"serial-clients", map[string]string{}},
		{"budget-vs-breaker", map[string]string{}},
		{"spike-vs-ramp", map[string]string{"at-once": "timed-out work", "full-jitter": "timed-out work"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			doc, _, _ := command(t, "run", row.name)
			got := map[string]string{}
			for _, run := range doc.Runs {
				if run.Verdict.State != "stuck" {
					continue
				}
				got[run.Summary.Strategy] = ""
				if len(run.Verdict.Loops) > 0 {
					got[run.Summary.Strategy] = run.Verdict.Loops[0].Kind
				}
			}
			if !maps.Equal(got, row.stuck) {
				t.Errorf("stuck are %v, want %v", got, row.stuck)
			}
		})
	}
}
