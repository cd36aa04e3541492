package figures

import (
	"slices"
	"testing"
	"time"

	"herdsim/report"
	"herdsim/sim"
)

func TestQueueTitles(t *testing.T) {
	stuck, well, calm := flowEntry("stuck", stuckRun()), flowEntry("well", wellRun()), flowEntry("calm", calmRun())
	short := flowEntry("short", flowing(calmFirst, part{540, 5, 5, 5, 35}))
	none := flowEntry("none", flowing(part{600, 5, 5, 5, 0}))
	twice, often := flowEntry("twice", crashing(wellRun(), 2, time.Minute, time.Second)), flowEntry("often", crashing(stuckRun(), 9, time.Minute, time.Second))
	twelve := flowEntry("twelve", crashing(stuckRun(), 12, time.Minute, time.Second))
	eleven := flowEntry("eleven", crashing(stuckRun(), 11, time.Minute, time.Second))
	many := flowEntry("many", flowing(part{600, 5, 5, 5, 0}))
	many.Runs[0].Windows[300].InServiceMax = 1000
	patient := func(s *report.Setup) { s.Patience = 0 }
	for _, c := range []struct {
		rows   []report.Entry
		change func(*report.Setup)
		want   string
	}{
		{[]report.Entry{stuck, well}, nil, "A queue of 150 is 15 s of work for callers that wait 5 s"},
		{[]report.Entry{stuck, short}, nil, "A queue of 150 is 15 s of work for callers that wait 5 s; under short it is 3.5 s"},
		{[]report.Entry{stuck, short}, patient, "Up to 150 requests wait under stuck, 35 under short"},
		{[]report.Entry{stuck, short}, func(s *report.Setup) { s.Sheds = "cancel_abandoned" }, "Up to 150 requests wait under stuck, 35 under short"},
		{[]report.Entry{stuck, short}, func(s *report.Setup) { s.Capacity = 0 }, "Up to 150 requests wait under stuck, 35 under short"},
		{[]report.Entry{calm}, nil, "Up to 9 requests wait under calm"},
		{[]report.Entry{stuck, well}, patient, "Up to 150 requests wait, whatever the strategy"},
		{[]report.Entry{none, none}, func(s *report.Setup) { s.Slots = -1 }, "Up to 1 request in service at once, whatever the strategy"},
		{[]report.Entry{none, many}, func(s *report.Setup) { s.Slots = -1 }, "Up to 1,000 requests in service at once under many, 1 under none"},
		{[]report.Entry{many}, func(s *report.Setup) { s.Slots = -1 }, "Up to 1,000 requests in service at once under many"},
		{[]report.Entry{twelve, eleven}, nil, "The service crashes 11 to 12 times, whatever the strategy"},
		{[]report.Entry{none}, nil, "Nothing waits: every request finds a slot, or is turned away"},
		{[]report.Entry{often}, nil, "often crashes the service 9 times"},
		{[]report.Entry{calm, twice}, nil, "Only twice crashes the service, 2 times"},
		{[]report.Entry{often, twice}, nil, "The service crashes 9 times under often, 2 times under twice"},
		{[]report.Entry{often, often}, nil, "The service crashes 9 times, whatever the strategy"},
	} {
		r := flowReport(c.rows...)
		if c.change != nil {
			c.change(&r.Setup)
		}
		if got := newView(r).queueTitles()[0]; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Between two windows the level stays as the second began with; a column shows the most in it.
func TestLevels(t *testing.T) {
	v := &view{window: time.Second}
	a := timeAxis{max: time.Duration(levelColumns) * time.Second} // a column a window
	at := func(index, requests, serving, waiting int64) sim.Window {
		return sim.Window{Index: index, Requests: requests, InServiceMax: serving, QueueMax: waiting}
	}
	r := row{Result: &sim.Result{Windows: []sim.Window{
		at(1, 5, 2, 3), at(5, 0, 2, 1), // nothing came until some of it left
		at(9, 1, 1, 0), // came alone: until then it was empty
		at(10, 4, 2, 2), at(1000, 1, 1, 0),
	}}}
	want := map[int]level{0: {}, 1: {2, 3}, 2: {2, 1}, 4: {2, 1}, 5: {2, 1}, 6: {}, 8: {}, 9: {1, 0}, 10: {2, 2}, 11: {}, levelColumns - 1: {}}
	got := v.levels(r, a)
	for i, l := range want {
		if got[i] != l {
			t.Errorf("column %d: %+v, want %+v", i, got[i], l)
		}
	}
	a.max *= 4 // a column is four windows
	if got := v.levels(r, a); got[0] != (level{2, 3}) || got[2] != (level{2, 2}) || got[3] != (level{}) {
		t.Errorf("columns of four windows: %+v", got[:4])
	}
}

// Queues of a herd alone are only drawn if the downstream can break.
func TestQueuesOfAHerd(t *testing.T) {
	herd := aReport(three(dirac(everySecond))...)
	if why := queues.Empty(herd); why == "" {
		t.Error("a herd at a plain queue has a picture of it")
	}
	herd.Setup.Parts = true
	if why := queues.Empty(herd); why != "" {
		t.Errorf("a herd that may crash the service has none: %s", why)
	}
	if why := goodput.Empty(herd); why == "" {
		t.Error("a herd without open traffic has a goodput over time")
	}
	if why := goodput.Empty(flowReport(flowEntry("a", stuckRun()))); why != "" {
		t.Errorf("open traffic has none: %s", why)
	}
}

// The lines are those of limits that can be reached.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		setup report.Setup
		want  []string
	}{
		{report.Setup{Slots: 20, Queue: 100}, []string{"20 slots", "queue full: 100 waiting"}},
		{report.Setup{Slots: 20, Queue: 100, Concurrency: 60}, []string{"20 slots", "at most 60 in all"}},
		{report.Setup{Slots: 20, Queue: 100, Concurrency: 600}, []string{"20 slots", "queue full: 100 waiting"}},
		{report.Setup{Slots: 20, Queue: -1, Concurrency: 60, CrashQueued: 9}, []string{"20 slots", "at most 60 in all", "crashes with more than 9 waiting"}},
		{report.Setup{Slots: -1, CrashInFlight: 500}, []string{"crashes above 500"}},
		{report.Setup{Slots: 1}, []string{"1 slot"}},
	} {
		var got []string
		for _, l := range (&view{Setup: c.setup}).limits() {
			got = append(got, l.word)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v has the limits %q, want %q", c.setup, got, c.want)
		}
	}
}
