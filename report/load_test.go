package report

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/sim"

	"github.com/google/go-cmp/cmp"
)

// stuckReport has a strategy that crashes and stays down, one that comes back and one that was not finished.
func stuckReport() *Report {
	s := flowSetup(90)
	s.Name, s.Title, s.For, s.Parts = "flow", "Forty a second and five seconds of outage", 10*second, true
	calm, out := stretch{30, 40, 40, 40, 0}, stretch{5, 40, 0, 200, 0}
	stuck := flow(calm, out, stretch{55, 40, 1, 240, 99})
	crashing(stuck, 36, 86)
	stuck.Crashes[1].To = -1
	stuck.States = []sim.StatePoint{{Window: 0, Cache: 1, Warm: 1}, {Window: 36, Cache: 0.25, Warm: 0.5}}
	r := &Report{Version: "v1.2.3", Setup: s, Entries: []Entry{
		entry("immediate", stuck),
		entry("a-rather-long-name-of-a-strategy", flow(calm, out, stretch{5, 40, 70, 80, 0}, stretch{50, 40, 40, 40, 0})),
		entry("none", nil),
	}}
	r.Entries[0].MaxRequests.Arrivals, r.Entries[1].MaxRequests.Arrivals = 6, 2
	return r
}

func TestVerdictInTextAndMarkdown(t *testing.T) {
	for name, o := range map[string]TextOptions{"verdict-100.txt": {Width: 100}, "verdict-60-ascii.txt": {Width: 60, ASCII: true}} {
		golden(t, name, []byte(text(t, stuckReport(), o)))
	}
	golden(t, "verdict.md", written(t, stuckReport().WriteMarkdown))
}

func TestVerdictOfReplicates(t *testing.T) {
	r := stuckReport()
	r.Setup.Replicates = 3
	fine := r.Entries[1].Runs[0]
	r.Entries = []Entry{entry("immediate", fine, r.Entries[0].Runs[0], nil, fine)}
	got := text(t, r, TextOptions{Width: 240})
	if want := "(replicate 2; 1 of 3 are stuck)\n"; !strings.Contains(got, want) {
		t.Errorf("there is no %q in\n%s", want, got)
	}
	r.Entries = []Entry{entry("immediate", fine, fine)}
	got = text(t, r, TextOptions{Width: 240})
	if want := "  immediate  yes at 35.0 s (all 2 replicates are recovered)\n"; !strings.Contains(got, want) {
		t.Errorf("there is no %q in\n%s", want, got)
	}
}

func TestLoadCSV(t *testing.T) {
	got := string(written(t, stuckReport().WriteLoadCSV))
	lines := strings.Split(got, "\n")
	if lines[0] != "strategy,replicate,t_s,window_s,offered,goodput,requests,queue_max,in_service_max,cache,warm,down" {
		t.Errorf("the header is %s", lines[0])
	}
	for i, want := range map[int]string{
		1:  "immediate,1,0,1,40,40,40,0,0,1,1,0",
		36: "immediate,1,35,1,40,1,240,0,0,1,1,0",
		37: "immediate,1,36,1,40,1,240,0,0,0.25,0.5,1", // it crashes at 36 s ...
		40: "immediate,1,39,1,40,1,240,0,0,0.25,0.5,0", // ... is back at 39 s ...
		87: "immediate,1,86,1,40,1,240,0,0,0.25,0.5,1", // ... and crashes for good at 86 s.
		90: "immediate,1,89,1,40,1,240,0,0,0.25,0.5,1",
	} {
		if lines[i] != want {
			t.Errorf("line %d is %s, want %s", i, lines[i], want)
		}
	}
	if n := len(lines); n != 1+90+90+1 {
		t.Errorf("%d lines", n)
	}
}

func TestDownShareOfAWindow(t *testing.T) {
	crashes := []sim.Span{{From: 5, To: 25}, {From: 30, To: 32}, {From: 36, To: -1}}
	for from, want := range map[sim.Time]float64{0: 0.5, 10: 1, 20: 0.5} {
		if got := downShare(crashes, from, from+10); got != want {
			t.Errorf("[%d, %d): %v, want %v", from, from+10, got, want)
		}
	}
	if got := downShare(crashes[1:], 30, 40); got != 0.6 {
		t.Errorf("[30, 40): %v, want 0.6: two of ten, and the last four", got)
	}
}

func TestLoadAndVerdictInJSON(t *testing.T) {
	r := stuckReport()
	d, err := ReadJSON(bytes.NewReader(written(t, r.WriteJSON)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Runs {
		run := r.Entries[i].Runs[0]
		var rows []LoadRow
		for row := range loadRows(run) {
			rows = append(rows, row)
		}
		if diff := cmp.Diff(rows, d.Runs[i].Load); diff != "" {
			t.Errorf("load of run %d: %s", i, diff)
		}
		v := r.Verdict(i, 1)
		if diff := cmp.Diff(v.judgement(), d.Runs[i].Verdict); diff != "" {
			t.Errorf("verdict of run %d: %s", i, diff)
		}
	}
	if c := d.Runs[0].Crashes; len(c) != 2 || c[0].To.D != 39*second || c[1].To.OK {
		t.Errorf("crashes %v, want one that ended at 39 s and one that did not", c)
	}
	if herd := toyDirac(); herd.HasLoad() {
		t.Error("a herd alone has no load.csv")
	}
}

func TestReadJSONRefusesBrokenVerdicts(t *testing.T) {
	good := string(written(t, stuckReport().WriteJSON))
	for _, c := range []struct{ old, new, want string }{
		{`"state":"stuck"`, `"state":"stock"`, `runs[0].verdict.state: "stock"; allowed: `},
		{`"recovered":false,"recovered_s":null,"relapses"`, `"recovered":false,"recovered_s":7,"relapses"`, "runs[0].verdict.recovered_s: "},
		{`"recovered":false,"recovered_s":null,"relapses"`, `"recovered":"no","recovered_s":null,"relapses"`, `"no" is neither true nor false`},
		{`"relapses":0`, `"relapses":-1`, "runs[0].verdict.relapses: -1"},
		{`"kind":"crash cycle"`, `"kind":"boredom"`, `runs[0].verdict.loops[0].kind: "boredom"`},
		{`"from_s":10,"to_s":20,`, `"from_s":11,"to_s":20,`, "runs[0].verdict.pieces[1]: it must begin"},
		{`"offered":400,"goodput":400`, `"offered":400,"goodput":-400`, "runs[0].verdict.pieces[0]: a number is negative"},
		{`{"from_s":36,"to_s":39}`, `{"from_s":36,"to_s":null}`, "runs[0].crashes[0]: "},
		{`"t_s":1,"window_s":1,"offered":40`, `"t_s":1,"window_s":1,"offered":-40`, "runs[0].load[1].offered: -40"},
		{`"t_s":1,"window_s":1,"offered":40`, `"t_s":0,"window_s":1,"offered":40`, "runs[0].load[1].t_s: 0"},
		{`"cache":0.25`, `"cache":1.25`, "runs[0].load[36].cache: 1.25"},
	} {
		if !strings.Contains(good, c.old) {
			t.Fatalf("there is no %s in the file", c.old)
		}
		_, err := ReadJSON(strings.NewReader(strings.Replace(good, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.new, err, c.want)
		}
	}
}

func TestConditions(t *testing.T) {
	hotOS := func(queue int, max int64, change func(*Setup)) *Report {
		s := Setup{OpenRate: 5, Capacity: 10, Slots: 1, Queue: queue, Patience: 5 * second}
		if change != nil {
			change(&s)
		}
		return &Report{Setup: s, Entries: []Entry{{Name: "a", MaxRequests: MaxRequests{Arrivals: max}}}}
	}
	two := hotOS(150, 6, nil)
	two.Entries = append(two.Entries, Entry{Name: "b", MaxRequests: MaxRequests{Arrivals: 6}}, Entry{Name: "c", MaxRequests: MaxRequests{Arrivals: 1}})
	guarded := hotOS(150, 6, nil)
	guarded.Entries[0].Runs = []*sim.Result{{Guards: someGuards()}}
	// Cron ticks at 20, 40, 60 and 80 s; clients that think 0.9 s and are served in 0.1 s, until 20 s.
	kinds := hotOS(150, 1, func(s *Setup) {
		s.Horizon, s.Service = 100*second, second/10
		s.Arrivals = sim.Poisson(perSecond(5), 0, 100*second)
		s.Clients = &sim.Clients{Count: 3, Think: downstream.Constant{D: 900 * time.Millisecond}, To: 20 * second}
		s.Cron = &sim.Cron{Every: 20 * second, Count: 20, To: 100 * second}
	})
	kinds.Entries[0].MaxRequests = MaxRequests{Arrivals: 1, Clients: 0, Cron: 3}
	for _, c := range []struct {
		want string
		r    *Report
	}{
		{"5/s × 1 attempt + 1/s × 3 attempts = 8/s, within the capacity of 10/s; a full house of 151 takes 15.1 s, longer than the timeout of 5 s. " +
			"Not both hold: retries of timed-out work cannot keep it down.", kinds},
		{"5/s × 64 requests = 320/s, above the capacity of 10/s; a full house of 151 takes 15.1 s, longer than the timeout of 5 s. " +
			"Both hold: a trigger can leave it down for good.", hotOS(150, 64, func(s *Setup) { s.Tiered = true })},
		{"5/s × 6 attempts = 30/s, above the capacity of 10/s; a full house of 151 takes 15.1 s, longer than the timeout of 5 s. " +
			"Both hold: a trigger can leave it down for good.", hotOS(150, 6, nil)},
		{"5/s × 2 attempts = 10/s, within the capacity of 10/s; a full house of 50 takes 5.00 s, no longer than the timeout of 5 s. " +
			"Not both hold: retries of timed-out work cannot keep it down.", hotOS(49, 2, nil)},
		{"5/s × unlimited attempts, above the capacity of 10/s; an unlimited queue outlasts the timeout of 5 s. " +
			"Both hold: a trigger can leave it down for good.", hotOS(-1, 0, nil)},
		{"5/s × 6 attempts = 30/s, above the capacity of 10/s; enough of them in service outlast the timeout of 5 s. " +
			"Both hold: a trigger can leave it down for good.", hotOS(0, 6, func(s *Setup) { s.Slots = -1 })},
		{"5/s × 6 attempts = 30/s, above the capacity of 10/s; taking all at once spares it the work of callers that have gone. " +
			"Not both hold: retries of timed-out work cannot keep it down.", hotOS(0, 6, func(s *Setup) { s.Slots, s.RateLimit = -1, 10 })},
		{"5/s × 6 attempts = 30/s, above the capacity of 10/s; cancel_abandoned spares it the work of callers that have gone. " +
			"Not both hold: retries of timed-out work cannot keep it down.", hotOS(150, 6, func(s *Setup) { s.Sheds = "cancel_abandoned" })},
		{"5/s × 6 attempts = 30/s, above the capacity of 10/s; nobody times out. " +
			"Not both hold: retries of timed-out work cannot keep it down.", hotOS(150, 6, func(s *Setup) { s.Patience = 0 })},
		{"5/s × 6 attempts = 30/s, above the capacity of 10/s; a full house of 40 takes 4.00 s, no longer than the timeout of 5 s. " +
			"Not both hold: retries of timed-out work cannot keep it down.", hotOS(150, 6, func(s *Setup) { s.Concurrency = 40 })},
		{"a, b: 5/s × 6 attempts = 30/s, above the capacity of 10/s; c: 5/s × 1 attempt = 5/s, within the capacity of 10/s; " +
			"a full house of 151 takes 15.1 s, longer than the timeout of 5 s. Where both hold, a trigger can leave it down for good.", two},
		{"5/s × 6 attempts = 30/s, above the capacity of 10/s; a full house of 151 takes 15.1 s, longer than the timeout of 5 s. " +
			"Both hold: a trigger can leave it down for good (guards are not counted).", guarded},
		{"5/s × 1 attempt = 5/s, within the capacity of 10/s; nobody times out. Not both hold: retries of timed-out work cannot keep it down. " +
			"With an empty cache 1/s are served, less than the load: a cache that is lost can stay cold.",
			hotOS(150, 1, func(s *Setup) { s.ColdCapacity, s.Cached, s.Patience = 1, true, 0 })},
		// 50 in the house: 5 s at 10/s, 50 s at the tenth from which it warms up, 8.33 s at 6/s.
		{"5/s × 6 attempts = 30/s, above the capacity of 10/s; a full house of 50 takes 5.00 s, no longer than the timeout of 5 s. Not both hold. " +
			"At 10% of its speed 1/s are served, less than the load: what waits grows until it is warm; " +
			"a full house of 50 takes 50.0 s, longer than the timeout of 5 s. " +
			"So both hold while it is cold: a trigger that leaves it so can leave it down for as long.",
			hotOS(49, 6, func(s *Setup) { s.ColdCapacity, s.WarmFrom = 1, 0.1 })},
		{"5/s × 2 attempts = 10/s, within the capacity of 10/s; a full house of 50 takes 5.00 s, no longer than the timeout of 5 s. Not both hold. " +
			"With an empty cache 6/s are served, enough for the load; a full house of 50 takes 8.33 s, longer than the timeout of 5 s. " +
			"So both hold while it is cold: a trigger that leaves it so can leave it down for good.",
			hotOS(49, 2, func(s *Setup) { s.ColdCapacity, s.Cached = 6, true })},
		{"5/s × 1 attempt = 5/s, within the capacity of 10/s; a full house of 50 takes 5.00 s, no longer than the timeout of 5 s. " +
			"Not both hold: retries of timed-out work cannot keep it down. With an empty cache 6/s are served, enough for the load.",
			hotOS(49, 1, func(s *Setup) { s.ColdCapacity, s.Cached = 6, true })},
		{"5/s × 1 attempt = 5/s, within the capacity of 10/s; nobody times out. Not both hold: retries of timed-out work cannot keep it down. " +
			"With an empty cache 6/s are served, enough for the load.",
			hotOS(150, 1, func(s *Setup) { s.ColdCapacity, s.Cached, s.Patience = 6, true, 0 })},
		{"5/s × 1 attempt = 5/s, within the capacity of 10/s; nobody times out. Not both hold: retries of timed-out work cannot keep it down. " +
			"With a new connection for each 1/s are served, less than the load: connections that are lost can stay lost.",
			hotOS(150, 1, func(s *Setup) { s.ColdCapacity, s.Pooled, s.Patience = 1, true, 0 })},
		{"5/s × 1 attempt = 5/s, within the capacity of 10/s; nobody times out. Not both hold: retries of timed-out work cannot keep it down " +
			"(what the herd asks is not counted). With an empty cache and a new connection for each 6/s are served, enough for the load.",
			hotOS(150, 1, func(s *Setup) { s.ColdCapacity, s.Cached, s.Pooled, s.Workers, s.Patience = 6, true, true, 7, 0 })},
		{"5/s × 1 attempt = 5/s, within the capacity of 10/s; nobody times out. Not both hold: retries of timed-out work cannot keep it down. " +
			"Rejections, which cost 20 ms each, are not counted.",
			hotOS(150, 1, func(s *Setup) { s.RejectCost, s.Patience = 20*time.Millisecond, 0 })},
		{"", hotOS(150, 6, func(s *Setup) { s.Capacity, s.Slots = 0, downstream.Unlimited })},
		{"", hotOS(150, 6, func(s *Setup) { s.OpenRate = 0 })},
	} {
		if got := c.r.ConditionsSentence(); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

func TestValueOfTheVerdict(t *testing.T) {
	r := stuckReport()
	long := r.Entries[1].Name
	for _, c := range []struct {
		strategy, column string
		want             float64
		ok               bool
	}{
		{"immediate", "recovered", 0, true},
		{"immediate", "recovered_s", math.Inf(1), false},
		{"immediate", "crashes", 2, true},
		{"immediate", "goodput_end_share", 0.025, true},
		{"immediate", "attempts_per_task_end", 6, true},
		{"immediate", "wasted_end_share", 0.99, true},
		{long, "recovered", 1, true},
		{long, "recovered_s", 35, true},
	} {
		if got, ok := r.Value(c.strategy, c.column, 1); got != c.want || ok != c.ok {
			t.Errorf("%s.%s = %v, %t, want %v, %t", c.strategy, c.column, got, ok, c.want, c.ok)
		}
	}
	r.Setup.Horizon, r.Setup.Arrivals = 20*second, nil
	if got, ok := r.Value(long, "recovered", 1); ok {
		t.Errorf("of too short a run: recovered = %v, want none", got)
	}
}
