package report

import (
	"math"
	"strings"
	"testing"
	"time"

	"herdsim/sim"
)

// outcome is a run reduced to what the closing sentence looks at.
func outcome(tasks, served, peak int64, completion time.Duration) *sim.Result {
	r := &sim.Result{Window: window, PeakWindow: peak, Attempts: 2 * tasks, FirstRetry: -1, LastRequest: -1,
		Herd: sim.Tally{Tasks: tasks, Succeeded: served, Unfinished: tasks - served}}
	if tasks > 0 {
		r.Windows = []sim.Window{{Index: 0, Requests: tasks, Failure: tasks}}
	}
	for i := range served {
		r.Completions = append(r.Completions, completion*time.Duration(i+1)/time.Duration(served))
	}
	return r
}

// traffic is a run of open traffic alone.
func traffic(tasks, served, peak int64) *sim.Result {
	return &sim.Result{Window: window, PeakWindow: peak, Open: sim.Tally{Tasks: tasks, Succeeded: served}}
}

const second = time.Second

// nowhere is a run that was over before a request reached the service.
func nowhere() *sim.Result {
	return &sim.Result{Window: window, Herd: sim.Tally{Tasks: 100, Unfinished: 100}, FirstRetry: -1, LastRequest: -1}
}

// hidden is a run whose peak is while the service is away, and hides what comes then.
func hidden(peak, after int64, completion time.Duration) *sim.Result {
	r := outcome(100, 100, peak, completion)
	r.Windows = append(r.Windows, sim.Window{Index: 4, Requests: peak}, sim.Window{Index: 5, Requests: after})
	return r
}

var findings = []struct {
	name    string
	entries []Entry
	want    string
}{
	{"nothing", nil, "No run was finished, so there is nothing to compare."},
	{"one strategy", []Entry{entry("fixed", outcome(100, 100, 60, 6*second))},
		"fixed peaks at 60 requests in 100 ms (capacity: 20) and serves everyone in 6.0 s."},
	{"one strategy, some left", []Entry{entry("fixed", outcome(100, 98, 60, 6*second))},
		"fixed peaks at 60 requests in 100 ms (capacity: 20) and leaves 2 of 100 workers unserved."},
	{"one worker, left", []Entry{entry("fixed", outcome(1, 0, 0, 0))},
		"fixed asks nothing beyond the failure itself and leaves the worker unserved."},
	{"one strategy, open traffic", []Entry{entry("fixed", traffic(1000, 980, 30))},
		"fixed peaks at 30 requests in 100 ms (capacity: 20) and serves 98.0% of the arrivals."},
	{"no task at all", []Entry{entry("fixed", traffic(0, 0, 0))}, "No request of fixed reached the service."},

	{"sooner", []Entry{entry("a", outcome(100, 100, 80, 30*second)), entry("b", outcome(100, 100, 20, 10*second))},
		"b cuts the busiest 100 ms of a from 80 to 20 requests (capacity: 20) and serves everyone 20.0 s sooner."},
	{"later", []Entry{entry("a", outcome(100, 100, 80, 10*second)), entry("b", outcome(100, 100, 1, 30*second))},
		"b cuts the busiest 100 ms of a from 80 to 1 request (capacity: 20) but serves everyone 20.0 s later."},
	{"times in the unit of the column", []Entry{entry("a", outcome(100, 100, 80, 1100*second)), entry("b", outcome(100, 100, 20, 500*second))},
		"b cuts the busiest 100 ms of a from 80 to 20 requests (capacity: 20) and serves everyone 10.0 min sooner."},
	{"a time too short for that unit", []Entry{entry("a", outcome(100, 100, 80, 1102*second)), entry("b", outcome(100, 100, 20, 1100*second))},
		"b cuts the busiest 100 ms of a from 80 to 20 requests (capacity: 20) and serves everyone 2.0 s sooner."},
	{"at once", []Entry{entry("a", outcome(1, 1, 2, 10*second)), entry("b", outcome(1, 1, 1, 10*second))},
		"b cuts the busiest 100 ms of a from 2 to 1 request (capacity: 20) and serves the worker at the same time."},
	{"only the worse is left over", []Entry{entry("a", outcome(100, 0, 80, 0)), entry("b", outcome(100, 100, 20, second))},
		"b cuts the busiest 100 ms of a from 80 to 20 requests (capacity: 20) and serves everyone, which a does not."},
	{"only the better is left over", []Entry{entry("a", outcome(100, 100, 80, second)), entry("b", outcome(100, 88, 20, second))},
		"b cuts the busiest 100 ms of a from 80 to 20 requests (capacity: 20) but leaves 12 of 100 workers unserved, " +
			"where a serves everyone."},
	{"both are left over", []Entry{entry("a", outcome(100, 1, 80, second)), entry("b", outcome(100, 88, 20, second))},
		"b cuts the busiest 100 ms of a from 80 to 20 requests (capacity: 20); it serves 88.0% of the workers, a 1.0%."},
	{"both are left over alike", []Entry{entry("a", outcome(100, 88, 80, second)), entry("b", outcome(100, 88, 20, second))},
		"b cuts the busiest 100 ms of a from 80 to 20 requests (capacity: 20); both serve 88.0% of the workers."},
	{"two herds of one are left over", []Entry{entry("a", outcome(1, 0, 2, 0)), entry("b", outcome(1, 0, 1, 0))},
		"b cuts the busiest 100 ms of a from 2 to 1 request (capacity: 20); neither serves the worker."},
	{"nearly the same peak", []Entry{entry("a", outcome(100, 10, 80, second)), entry("b", outcome(100, 88, 75, second))},
		"a and b peak nearly alike, at 80 and 75 requests in 100 ms (capacity: 20); b serves 88.0% of the workers, a 10.0%."},

	{"the same peak", []Entry{entry("a", outcome(100, 100, 80, second)), entry("b", outcome(100, 100, 80, 3*second))},
		"b and a peak alike, at 80 requests in 100 ms (capacity: 20); a serves everyone 2.0 s sooner."},
	{"the same in all", []Entry{entry("a", outcome(100, 100, 80, second)), entry("b", outcome(100, 100, 80, second))},
		"b and a peak alike, at 80 requests in 100 ms (capacity: 20); both serve everyone in 1.0 s."},
	{"the same peak, one left over", []Entry{entry("a", outcome(100, 99, 80, second)), entry("b", outcome(100, 100, 80, second))},
		"a and b peak alike, at 80 requests in 100 ms (capacity: 20); b serves everyone, which a does not."},
	{"no retry", []Entry{entry("a", outcome(100, 0, 0, 0)), entry("b", outcome(100, 0, 0, 0))},
		"Neither b nor a asks anything beyond the failure itself; neither serves anyone."},
	{"no request at all", []Entry{entry("a", nowhere()), entry("b", nowhere())},
		"No request of b or a reached the service; neither serves anyone."},
	{"no request of the only one", []Entry{entry("a", nowhere())}, "No request of a reached the service; it leaves 100 of 100 workers unserved."},
	{"the same peak before the recovery", []Entry{entry("a", hidden(80, 80, 3*second)), entry("b", hidden(80, 9, second))},
		"a and b peak alike, at 80 requests in 100 ms (capacity: 20); once the service is back, b peaks at 9, a at 80; " +
			"b serves everyone 2.0 s sooner."},

	{"open traffic", []Entry{entry("a", traffic(100, 50, 9)), entry("b", traffic(100, 60, 7))},
		"b cuts the busiest 100 ms of a from 9 to 7 requests (capacity: 20); it serves 60.0% of the arrivals, a 50.0%."},
	{"open traffic, served alike", []Entry{entry("a", traffic(100, 50, 9)), entry("b", traffic(100, 50, 7))},
		"b cuts the busiest 100 ms of a from 9 to 7 requests (capacity: 20); both serve 50.0% of the arrivals."},
	{"open traffic, the same peak", []Entry{entry("a", traffic(100, 50, 9)), entry("b", traffic(100, 60, 9))},
		"b and a peak alike, at 9 requests in 100 ms (capacity: 20); a serves 50.0% of the arrivals, b 60.0%."},

	{"the pair that teaches", []Entry{entry("fixed", outcome(9, 9, 99, second)), entry("exponential", outcome(9, 9, 50, 9*second)),
		entry("full-jitter", outcome(9, 9, 8, 2*second)), entry("linear", outcome(9, 9, 2, second))},
		"full-jitter cuts the busiest 100 ms of exponential from 50 to 8 requests (capacity: 20) and serves everyone 7.0 s sooner."},
	{"that pair the other way round", []Entry{entry("full-jitter", outcome(9, 9, 50, second)), entry("exponential", outcome(9, 9, 8, 9*second))},
		"exponential cuts the busiest 100 ms of full-jitter from 50 to 8 requests (capacity: 20) but serves everyone 8.0 s later."},
	{"the worst and the best", []Entry{entry("linear", outcome(9, 9, 30, second)), entry("fixed", outcome(9, 9, 99, second)),
		entry("paced", outcome(9, 9, 1, second)), entry("schedule", outcome(9, 9, 40, second))},
		"linear cuts the busiest 100 ms of fixed from 99 to 30 requests (capacity: 20) and serves everyone at the same time."},
	{"paced for want of another", []Entry{entry("paced", outcome(9, 9, 20, second)), entry("fixed", outcome(9, 9, 99, 2*second))},
		"paced cuts the busiest 100 ms of fixed from 99 to 20 requests (capacity: 20) and serves everyone 1.0 s sooner."},
	{"medians", []Entry{
		entry("a", outcome(9, 9, 70, 4*second), outcome(9, 9, 90, 9*second), outcome(9, 9, 80, 5*second)),
		entry("b", outcome(9, 9, 7, second), outcome(9, 8, 9, second), outcome(9, 9, 8, 2*second))},
		"b cuts the busiest 100 ms of a from 80 to 8 requests (capacity: 20) and serves everyone 3.0 s sooner (medians of 3 replicates)."},
	{"some replicates are missing", []Entry{
		entry("a", outcome(9, 9, 70, 4*second), nil), entry("b", outcome(9, 9, 7, second), outcome(9, 9, 9, second))},
		"b cuts the busiest 100 ms of a from 70 to 7 requests (capacity: 20) and serves everyone 3.0 s sooner " +
			"(medians of the replicates that were finished)."},
}

func TestFinding(t *testing.T) {
	for _, c := range findings {
		t.Run(c.name, func(t *testing.T) {
			if got := of(c.entries...).Finding(); got != c.want {
				t.Errorf("%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestFindingWithoutABound(t *testing.T) {
	r := of(entry("fixed", outcome(100, 100, 60, time.Minute)))
	r.Setup.Capacity = 0
	if got, want := r.Finding(), "fixed peaks at 60 requests in 100 ms and serves everyone in 60.0 s."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestRemark(t *testing.T) {
	run := func(peak, requests, rejected int64, completion time.Duration) *sim.Result {
		r := outcome(100, 100, peak, completion)
		r.Attempts, r.Outcomes[1] = requests, rejected
		return r
	}
	const s = time.Second
	crude, slow := run(80, 400, 300, 5*s), run(20, 300, 200, 9*s)
	wasteful := run(20, 300, 200, 9*s)
	wasteful.Wasted = 1
	const start = "Rejects cost nothing here, so the crudest strategy finishes first: "
	for _, c := range []struct {
		name    string
		entries []Entry
		price   time.Duration
		want    string
	}{
		{"both ways", []Entry{entry("fixed", crude), entry("linear", slow)}, 0, start + "fixed, with the highest peak and the most requests ("},
		{"by its peak", []Entry{entry("fixed", run(80, 300, 200, 5*s)), entry("linear", slow)}, 0, start + "fixed, with the highest peak ("},
		{"by its requests", []Entry{entry("fixed", run(20, 400, 200, 5*s)), entry("linear", slow)}, 0, start + "fixed, with the most requests ("},
		{"not the first", []Entry{entry("fixed", run(80, 400, 300, 10*s)), entry("linear", slow)}, 0, ""},
		{"rejects have a price", []Entry{entry("fixed", crude), entry("linear", slow)}, 1, ""},
		{"work is wasted", []Entry{entry("fixed", crude), entry("linear", wasteful)}, 0, ""},
		{"no rejects", []Entry{entry("fixed", run(80, 400, 0, 5*s)), entry("linear", slow)}, 0, ""},
		{"alone", []Entry{entry("fixed", crude)}, 0, ""},
		{"all alike", []Entry{entry("fixed", crude), entry("linear", crude)}, 0, ""},
		{"the other is left over", []Entry{entry("fixed", crude), entry("linear", outcome(100, 99, 20, s))}, 0, ""},
		{"no real client is as fast", []Entry{entry("fixed", crude), entry("linear", slow), entry("paced", run(20, 200, 0, 4*s))}, 0,
			"Rejects cost nothing here, so the crudest real strategy finishes first: fixed, with"},
		{"a lead by luck", []Entry{entry("fixed", crude), entry("linear", run(20, 300, 200, 5200*time.Millisecond))}, 0, ""},
		{"a lead by luck over one of two", []Entry{entry("fixed", crude), entry("linear", slow), entry("a", run(60, 395, 200, 5200*time.Millisecond))}, 0, ""},
		{"one as crude is as fast", []Entry{entry("fixed", crude), entry("linear", slow), entry("a", run(79, 395, 200, 5200*time.Millisecond))}, 0, start + "fixed, with"},
		{"a tie", []Entry{entry("a", run(40, 900, 800, 5010*time.Millisecond)), entry("fixed", crude), entry("linear", slow)}, 0,
			"Rejects cost nothing here, so the crudest strategies finish first: fixed and a, with the highest peaks and the most requests ("},
		{"a tie with a gentle one", []Entry{entry("a", run(20, 300, 200, 5010*time.Millisecond)), entry("fixed", crude), entry("linear", slow)}, 0, ""},
		{"a tie with paced", []Entry{entry("fixed", crude), entry("linear", slow), entry("paced", run(20, 200, 0, 5*s))}, 0,
			"Rejects cost nothing here, so the crudest real strategy finishes first: fixed, with"},
		{"paced is slower", []Entry{entry("fixed", crude), entry("linear", slow), entry("paced", run(20, 200, 0, 6*s))}, 0, start + "fixed, with"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := of(c.entries...)
			r.Setup.RejectCost = c.price
			got := r.remark(r.digests())
			if !strings.HasPrefix(got, c.want) || (c.want == "") != (got == "") {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestNotes(t *testing.T) {
	end := func(end sim.CutOff, unfinished int64, at time.Duration) *sim.Result {
		r := outcome(1000, 1000-unfinished, 9, time.Second)
		r.End, r.EndedAt, r.Events = end, at, 1_000_000
		return r
	}
	shelved := func(unfinished int64, inWork, inRetry, inDead int) *sim.Result {
		r := end(sim.NotCutOff, unfinished, time.Minute)
		r.Queues = []sim.QueueResult{{Name: "work", Ready: inWork}, {Name: "retry", Ready: inRetry}, {Name: "dlq", Dead: true, Ready: inDead}}
		return r
	}
	gaveUp := outcome(1000, 1000, 9, time.Second)
	gaveUp.Herd = sim.Tally{Tasks: 1000, Succeeded: 999, DeadLettered: 1}
	open := outcome(1000, 1000, 9, time.Second)
	open.Open = sim.Tally{Tasks: 5000, Succeeded: 4000, DeadLettered: 980, Unfinished: 20}
	for _, c := range []struct {
		name string
		run  *sim.Result
		want string
	}{
		{"all is well", end(sim.NotCutOff, 0, time.Second), ""},
		{"horizon", end(sim.AtHorizon, 12, 10*time.Minute), "fixed: cut off at 10 min with 12 workers unserved"},
		{"horizon of open traffic", end(sim.AtHorizon, 0, 10*time.Minute), ""},
		{"one worker", end(sim.AtHorizon, 1, time.Hour), "fixed: cut off at 1 h with 1 worker unserved"},
		{"events", end(sim.AtMaxEvents, 12, 3200*time.Millisecond), "fixed: cut off after 1,000,000 events, at 3.2 s with 12 workers unserved"},
		{"events, all served", end(sim.AtMaxEvents, 0, 3200*time.Millisecond), "fixed: cut off after 1,000,000 events, at 3.2 s"},
		{"windows", end(sim.AtMaxWindows, 12, time.Minute), "fixed: cut off at 1 min with 12 workers unserved: a result holds no more windows"},
		{"queue", end(sim.AtMaxRequests, 12, time.Minute), "fixed: cut off at 1 min with 12 workers unserved: the queue has outgrown what a run may hold"},
		{"tasks", end(sim.AtMaxTasks, 0, time.Minute), "fixed: cut off at 1 min: more tasks are waiting than a run may hold"},
		{"cancelled", end(sim.Cancelled, 12, time.Minute), "fixed: interrupted at 1 min with 12 workers unserved"},
		{"no answer ever", end(sim.NotCutOff, 12, time.Minute), "fixed: 12 workers wait for an answer that never comes"},
		{"no answer for one", end(sim.NotCutOff, 1, time.Minute), "fixed: 1 worker waits for an answer that never comes"},
		{"no message fetched", shelved(5, 0, 5, 3), "fixed: 5 messages lie in a queue without consumers"},
		{"one message not fetched", shelved(1, 0, 1, 0), "fixed: 1 message lies in a queue without consumers"},
		{"no answer for messages", shelved(5, 3, 0, 3), "fixed: 5 messages wait for an answer that never comes"},
		{"both", shelved(5, 3, 1, 0), "fixed: 4 messages wait for an answer that never comes; 1 message lies in a queue without consumers"},
		{"gave up", gaveUp, "fixed: 1 worker gave up (dead-lettered)"},
		{"open tasks", open, "fixed: of 5,000 arrivals 980 gave up, 20 were unfinished at the end"},
	} {
		r := of(entry("fixed", c.run))
		if got := strings.Join(r.notes(r.digests()), "\n"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestRangeCell(t *testing.T) {
	span := func(ns float64) string { return Span(time.Duration(ns)) }
	for _, c := range []struct {
		s      spread
		format func(float64) string
		want   string
	}{
		{spread{7.6, 8, 8.5}, Times, "8.0× (7.6–8.5)"},
		{spread{8, 8, 8}, Times, "8.0×"},
		{spread{13.2e9, 14.9e9, 16e9}, span, "14.9 s (13.2–16.0)"},
		{spread{0.9e9, 1.2e9, 1.5e9}, span, "1.2 s (900 ms–1.5 s)"},
		{spread{128_944, 129_283, 1_300_000}, rounded, "129 k (129 k–1.30 M)"},
		{spread{1000, 1200, 1300}, count, "1,200 (1,000–1,300)"},
	} {
		if got := rangeCell(c.s, c.format, true); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := rangeCell(spread{7.6, 8, 8.5}, Times, false); got != "8.0×" {
		t.Errorf("without a range %q, want 8.0×", got)
	}
}

func TestSpreadTakesAValueThatWasSeen(t *testing.T) {
	if got, want := spreadOf([]float64{4, math.Inf(1), 1, 3}), (spread{1, 3, math.Inf(1)}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}
