package report

import (
	"strings"
	"testing"
	"time"

	"herdsim/sim"
)

// formed gives an entry the formula that tells its ceiling.
func formed(e Entry, formula string) Entry {
	e.Formula = formula
	return e
}

// asking is a run with so many requests.
func asking(r *sim.Result, attempts int64) *sim.Result {
	r.Attempts = attempts
	return r
}

func TestPair(t *testing.T) {
	run := func(peak int64, last time.Duration) *sim.Result { return outcome(100, 100, peak, last) }
	const ceiling = "min(32 s, 1 s × 2ⁿ)"
	for _, c := range []struct {
		name          string
		entries       []Entry
		worse, better string
	}{
		{"the story", []Entry{entry("fixed", run(99, second)), formed(entry("exponential", run(50, second)), ceiling),
			formed(entry("full-jitter", run(9, second)), "U[0, "+ceiling+")"), entry("linear", run(1, second))}, "exponential", "full-jitter"},
		{"the story, although both peak alike", []Entry{entry("fixed", run(99, second)), formed(entry("exponential", run(99, second)), ceiling),
			formed(entry("full-jitter", run(99, second)), "U[0, "+ceiling+")"), entry("linear", run(1, second))}, "exponential", "full-jitter"},
		{"another ceiling", []Entry{entry("fixed", run(99, second)), formed(entry("exponential", run(50, second)), "9 s × 2ⁿ"),
			formed(entry("full-jitter", run(9, second)), "U[0, "+ceiling+")"), entry("linear", run(1, second))}, "fixed", "linear"},
		{"an exponential with jitter", []Entry{entry("fixed", run(99, second)), formed(entry("exponential", run(50, second)), ceiling+" × (1 ± 10%)"),
			formed(entry("full-jitter", run(9, second)), "U[0, "+ceiling+")"), entry("linear", run(1, second))}, "fixed", "linear"},
		{"worst and best", []Entry{entry("a", run(30, second)), entry("b", run(99, second)), entry("paced", run(1, second)), entry("c", run(40, second))}, "b", "a"},
		{"equal peaks are told apart by time", []Entry{entry("a", run(99, second)), entry("b", run(99, 3*second)), entry("c", run(20, 2*second)),
			entry("d", run(20, second))}, "b", "d"},
		{"paced for want of another", []Entry{entry("paced", run(20, second)), entry("fixed", run(99, second))}, "fixed", "paced"},
		{"one paced is enough", []Entry{entry("paced", run(20, second)), entry("paced", run(1, second)), entry("fixed", run(99, second))}, "fixed", "paced"},
		{"by the peak after the recovery", []Entry{entry("a", hidden(80, 30, second)), entry("b", hidden(81, 9, second)), entry("c", hidden(79, 80, second))}, "c", "b"},
		{"by time", []Entry{entry("a", run(80, 5*second)), entry("b", run(81, 9*second)), entry("c", run(79, second))}, "b", "c"},
		{"by requests", []Entry{entry("a", asking(run(80, second), 500)), entry("b", asking(run(80, second), 100))}, "a", "b"},
		{"one that does not finish", []Entry{entry("a", run(80, 5*second)), entry("b", outcome(100, 99, 80, second))}, "b", "a"},
		{"two of nothing", []Entry{entry("a", nowhere()), entry("b", nowhere())}, "b", "a"},
	} {
		r := of(c.entries...)
		p, ok := r.Pair()
		if !ok || r.Entries[p.Worse].Name != c.worse || r.Entries[p.Better].Name != c.better {
			t.Errorf("%s: %+v, %t, want %s and %s", c.name, p, ok, c.worse, c.better)
		}
		if story := strings.HasPrefix(c.name, "the story"); p.Story != story {
			t.Errorf("%s: it is the story: %t, want %t", c.name, p.Story, story)
		}
	}
	if _, ok := of(entry("a", run(80, second)), entry("b", nil)).Pair(); ok {
		t.Error("one run makes a pair")
	}
}

func TestPeakAfterTheRecovery(t *testing.T) {
	r := hidden(80, 9, second)
	for recovery, want := range map[time.Duration]int64{0: 80, 1: 80, 400 * time.Millisecond: 80, 401 * time.Millisecond: 9,
		500 * time.Millisecond: 9, time.Minute: 0} {
		if got := PeakAfter(r, &Setup{Recovery: recovery}); got != want {
			t.Errorf("back at %v: %d, want %d", recovery, got, want)
		}
	}
}
