package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/report"
	"herdsim/sim"
	"herdsim/strategies"
)

// A part is some seconds of a hand-made run, in each of which so much happens, in one window.
type part struct{ seconds, tasks, goodput, requests, waiting int64 }

// flowing is a run of open traffic, of parts one after the other.
func flowing(parts ...part) *sim.Result {
	r := &sim.Result{Window: time.Second, FirstRetry: -1, LastRequest: -1, End: sim.AtHorizon}
	at := int64(0)
	for _, s := range parts {
		for range s.seconds {
			if s.requests > 0 || s.goodput > 0 {
				w := sim.Window{Index: at, Tasks: s.tasks, Goodput: s.goodput, Requests: s.requests, QueueMax: s.waiting, InServiceMax: 1}
				w.Outcomes[strategies.Served] = min(s.goodput, s.requests)
				w.Outcomes[strategies.TimedOut] = s.requests - w.Outcomes[strategies.Served]
				r.Windows = append(r.Windows, w)
			}
			r.Open.Tasks += s.tasks
			r.Open.Succeeded += s.goodput
			r.Attempts += s.requests
			r.PeakWindow = max(r.PeakWindow, s.requests)
			r.QueueArea += float64(s.waiting)
			at++
		}
	}
	r.Open.Unfinished = max(0, r.Open.Tasks-r.Open.Succeeded)
	r.Open.Succeeded = r.Open.Tasks - r.Open.Unfinished
	r.EndedAt = time.Duration(at) * time.Second
	r.Observed = r.EndedAt
	r.QueueWait = sim.Mean{Sum: time.Duration(r.QueueArea * float64(time.Second)), Count: max(1, r.Open.Succeeded)}
	return r
}

var (
	calmFirst = part{60, 5, 5, 5, 1}
	atBurst   = part{120, 15, 6, 30, 150}
	stuckFor  = part{420, 5, 0, 30, 150}
	wellAfter = part{420, 5, 5, 5, 2}
)

// stuckRun never comes back after a burst of two minutes, wellRun does a minute after it, calmRun is never down.
func stuckRun() *sim.Result { return flowing(calmFirst, atBurst, stuckFor) }
func wellRun() *sim.Result {
	return flowing(calmFirst, atBurst, part{60, 5, 2, 20, 40}, part{360, 5, 5, 5, 2})
}
func calmRun() *sim.Result { return flowing(calmFirst, part{120, 15, 15, 15, 9}, wellAfter) }

func perSec(n int64) downstream.Rate { return downstream.Rate{Events: n, Per: time.Second} }

// flowReport is of ten minutes of 5 tasks a second, with 10 more from 1 to 3 min, against a capacity of 10.
func flowReport(es ...report.Entry) *report.Report {
	const horizon = 10 * time.Minute
	s := report.Setup{
		Name: "metastable", Seed: 1, Replicates: 1, Window: time.Second, Horizon: horizon, Slots: 1, Queue: 150, Capacity: 10,
		Service: 100 * time.Millisecond, Timeout: 5 * time.Second, Patience: 5 * time.Second,
		Arrivals: &sim.Arrivals{Phases: []sim.Phase{
			{To: horizon, Rate: perSec(5)}, {From: time.Minute, To: 3 * time.Minute, Rate: perSec(10)},
		}},
	}
	s.OpenRate = s.MeanRate()
	return &report.Report{Setup: s, Entries: es}
}

func flowEntry(name string, r *sim.Result) report.Entry {
	e := entry("fixed", "1 s", r)
	e.Name = name
	return e
}

// crashing adds crashes of some length to a run, one each period.
func crashing(r *sim.Result, n int, period, down time.Duration) *sim.Result {
	for i := range n {
		from := time.Minute + time.Duration(i)*period
		r.Crashes = append(r.Crashes, sim.Span{From: from, To: from + down})
	}
	r.Crashes[n-1].To = -1
	return r
}

// cold adds a cache that empties at a minute, and a warm-up.
func cold(r *sim.Result) *sim.Result {
	for i := range int64(500) {
		share := math.Min(1, float64(i)/400)
		r.States = append(r.States, sim.StatePoint{Window: 60 + i, Cache: share, Warm: 0.5 + share/2})
	}
	return r
}

// flowOddities are reports of open traffic of every kind.
func flowOddities() map[string]*report.Report {
	with := func(change func(*report.Setup), es ...report.Entry) *report.Report {
		r := flowReport(es...)
		change(&r.Setup)
		return r
	}
	stuck, well, calm := flowEntry("stuck", stuckRun()), flowEntry("well", wellRun()), flowEntry("calm", calmRun())
	spiky := flowing(part{1, 5, 5, 90_000, 80_000}, calmFirst, atBurst, wellAfter)
	slow := flowing(part{1, 1, 1, 1, 0}, part{59, 0, 0, 0, 0}, part{1, 1, 1, 1, 0}, part{539, 0, 0, 0, 0})
	return map[string]*report.Report{
		"flow, three":     flowReport(stuck, well, calm),
		"flow, twelve":    flowReport(many([]report.Entry{stuck, well, calm}, 13, longName)...),
		"flow, crashes":   with(func(s *report.Setup) { s.CrashInFlight, s.CrashQueued = 120, 90 }, flowEntry("a", crashing(stuckRun(), 50, 10*time.Second, time.Second)), well),
		"flow, cold":      flowReport(flowEntry("a", cold(wellRun())), flowEntry("b", crashing(cold(stuckRun()), 3, time.Minute, 20*time.Second))),
		"flow, unlimited": with(func(s *report.Setup) { s.Slots, s.Queue, s.Capacity = -1, 0, 0 }, stuck, well),
		"flow, a peak":    flowReport(flowEntry("a", spiky)),
		"flow, slow":      flowReport(flowEntry("a", slow)),
		"flow, clients": with(func(s *report.Setup) {
			s.Arrivals, s.Clients = nil, &sim.Clients{Count: 100, Think: downstream.Constant{D: time.Second}, To: s.Horizon}
			s.Cron = &sim.Cron{Every: time.Minute, Count: 1000, To: s.Horizon}
		}, calm, well),
		"flow, flapping": with(func(s *report.Setup) {
			for i := range time.Duration(30) {
				s.Outages = append(s.Outages, sim.Span{From: (60 + 4*i) * time.Second, To: (62 + 4*i) * time.Second})
				if i%2 == 0 {
					s.FullOutages = append(s.FullOutages, s.Outages[i])
				}
			}
		}, stuck, well),
		"flow, nothing sent":  flowReport(flowEntry("a", flowing(part{600, 0, 0, 0, 0}))),
		"flow, results empty": flowReport(flowEntry("a", &sim.Result{}), flowEntry("b", broken())),
		"flow, short":         with(func(s *report.Setup) { s.Horizon = 2 * time.Second }, flowEntry("a", flowing(part{2, 5, 5, 5, 0}))),
	}
}

func TestFlowGolden(t *testing.T) {
	r := flowReport(flowEntry("stuck", crashing(cold(stuckRun()), 4, 2*time.Minute, 30*time.Second)), flowEntry("well", wellRun()))
	r.Setup.CrashQueued = 140
	for _, f := range []Figure{goodput, queues} {
		svg, err := f.Draw(r, Light, SVG)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, f.Name, svg)
	}
}

func TestGoodputTitles(t *testing.T) {
	stuck, well, calm := flowEntry("stuck", stuckRun()), flowEntry("well", wellRun()), flowEntry("calm", calmRun())
	later := flowEntry("later", flowing(calmFirst, atBurst, part{120, 5, 2, 20, 40}, part{300, 5, 5, 5, 2}))
	busy := flowEntry("busy", flowing(calmFirst, atBurst, part{420, 12, 6, 30, 150}))
	half := flowEntry("half", flowing(calmFirst, atBurst, part{420, 10, 5, 30, 150}))
	for _, c := range []struct {
		rows   []report.Entry
		change func(*report.Setup)
		want   string
	}{
		{[]report.Entry{stuck}, nil, "stuck does not bring it back: goodput stays at 0% after a burst of 120 s"},
		{[]report.Entry{well}, nil, "well recovers at 240 s, 60 s after its trigger"},
		{[]report.Entry{calm}, nil, "Under calm goodput never falls far behind the offered load"},
		{[]report.Entry{busy}, nil, "Too much is offered: 12 tasks/s for a capacity of 10 requests/s"},
		{[]report.Entry{stuck, well}, nil, "After a burst of 120 s well recovers at 240 s, stuck never"},
		{[]report.Entry{calm, stuck}, nil, "After a burst of 120 s calm is never down, stuck stays down"},
		{[]report.Entry{well, later}, nil, "Every strategy recovers: well at 240 s, later at 300 s"},
		{[]report.Entry{well, calm}, nil, "Every strategy that goes down recovers, at 240 s"},
		{[]report.Entry{calm, calm}, nil, "Goodput never falls far behind the offered load, whatever the strategy"},
		{[]report.Entry{stuck, half}, nil, "No strategy brings it back: goodput stays at 0% to 50% after a burst of 120 s"},
		{[]report.Entry{stuck, busy, well, later, calm}, nil, "stuck and busy do not bring it back, all others do"},
		{[]report.Entry{stuck, busy, well, half}, nil, "Only well comes back; the others stay down after a burst of 120 s"},
		{[]report.Entry{stuck}, func(s *report.Setup) {
			s.Arrivals.Phases[1].To, s.Arrivals.Phases[1].Rate = s.Horizon-10*time.Second, perSec(2)
		}, "Under stuck it is down at the end, but so long the trigger lasts: until 590 s"},
		{[]report.Entry{well, stuck}, func(s *report.Setup) { s.Outages = []sim.Span{{From: 590 * time.Second, To: 591 * time.Second}} }, "After the trigger well recovers at 240 s, stuck not by the end"},
		{[]report.Entry{stuck}, func(s *report.Setup) {
			s.Arrivals = sim.Poisson(perSec(5), 0, s.Horizon)
			s.Outages = []sim.Span{{From: time.Minute, To: 3 * time.Minute}}
		}, "stuck does not bring it back: goodput stays at 0% after an outage of 120 s"},
	} {
		r := flowReport(c.rows...)
		if c.change != nil {
			c.change(&r.Setup)
		}
		v := newView(r)
		if got := v.goodputTitles(newFlow(v, v.rows).verdicts)[0]; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// What is averaged is all that was counted, and the last piece is never a sliver.
func TestAverages(t *testing.T) {
	r := row{Result: wellRun()}
	v := &view{window: time.Second}
	for _, piece := range []time.Duration{time.Second, 7 * time.Second, 100 * time.Second, 500 * time.Second, time.Hour} {
		as := v.averages(r, piece, 10*time.Minute, rates[1])
		var offered, goodput, requests float64
		for i, a := range as {
			if i > 0 && a.from != as[i-1].to {
				t.Errorf("pieces of %v: the %d-th begins at %v", piece, i, a.from)
			}
			minutes := (a.to - a.from).Minutes()
			offered, goodput, requests = offered+minutes*a.offered, goodput+minutes*a.goodput, requests+minutes*a.requests
		}
		total := r.totals(10 * time.Minute)
		for _, c := range [][2]float64{{offered, total.offered}, {goodput, total.goodput}, {requests, total.requests}} {
			if math.Abs(c[0]-c[1]) > 1e-6 {
				t.Errorf("pieces of %v hold %v, want %v", piece, c[0], c[1])
			}
		}
		if last := as[len(as)-1]; last.to != 10*time.Minute || 2*(last.to-last.from) < min(piece, 10*time.Minute) {
			t.Errorf("pieces of %v end with %v to %v", piece, last.from, last.to)
		}
	}
}

// Pieces are as fine as there is room, coarser where few tasks come, and of a round time, else a round number of windows.
func TestPieceFor(t *testing.T) {
	for _, c := range []struct {
		seconds, tasks int64
		want           time.Duration
	}{
		{180, 100, time.Second},        // 190 pieces at most
		{600, 100, 5 * time.Second},    // 600 s / 190
		{2700, 5, 20 * time.Second},    // 2,700 s / 190 is 14.2 s
		{600, 5, 10 * time.Second},     // 60 tasks are 12 s, a sixtieth 10 s
		{600, 10, 10 * time.Second},    // 60 tasks are 6 s
		{6000, 1, time.Minute},         // 60 tasks are 60 s, a sixtieth 100 s
		{60000, 100, 10 * time.Minute}, // 316 s
	} {
		v := newView(flowReport(flowEntry("a", flowing(part{c.seconds, c.tasks, c.tasks, c.tasks, 0}))))
		if got := v.pieceFor(v.rows, time.Duration(c.seconds)*time.Second); got != c.want {
			t.Errorf("%d s with %d tasks a second: pieces of %v, want %v", c.seconds, c.tasks, got, c.want)
		}
	}
	v := &view{window: 7 * time.Second}
	if got := v.pieceFor(nil, 10_000*time.Second); got != 70*time.Second { // 52.6 s, 8 windows
		t.Errorf("pieces of windows of 7 s are %v, want 70 s", got)
	}
}

// What is usual can be seen beside what is not.
func TestFlowScale(t *testing.T) {
	for _, c := range []struct {
		name      string
		most      int64
		root, cut bool
	}{{"linear", 35, false, false}, {"square root", 100, true, false}, {"cut off", 2000, true, true}} {
		v := newView(flowReport(flowEntry("a", flowing(part{60, 5, 5, 5, 0}, part{60, 5, 0, c.most, 0}, part{480, 5, 5, 5, 0}))))
		f := newFlow(v, v.rows)
		if f.scale.root != c.root || f.scale.max < float64(c.most) != c.cut {
			t.Errorf("%s: a scale of %+v for up to %d a second where 5 are usual", c.name, f.scale, c.most)
		}
		if labelled := slices.ContainsFunc(texts(goodput, flowReport(*v.rows[0].entry)), func(s string) bool { return strings.HasPrefix(s, "↑ ") }); labelled != c.cut {
			t.Errorf("%s: what is cut off is named: %t", c.name, labelled)
		}
	}
	v := newView(flowReport(flowEntry("a", flowing(part{1, 1, 1, 1, 0}, part{599, 0, 0, 0, 0}))))
	if f := newFlow(v, v.rows); f.unit.name != "min" {
		t.Errorf("a task in 10 s is told per %s, want minutes", f.unit.name)
	}
}

// The speed that is aimed at is 250 ms as PNG and 20 ms as SVG, for eight strategies and three quarters of an hour.
func BenchmarkFlow(b *testing.B) {
	long := flowing(part{300, 5, 5, 5, 1}, part{600, 15, 6, 60, 150}, part{1800, 5, 0, 30, 150})
	for i := range long.Windows { // as uneven as chance
		long.Windows[i].Requests += int64(17 * luck(i, 1))
		long.Windows[i].QueueMax = int64(float64(long.Windows[i].QueueMax) * luck(i, 2))
	}
	r := flowReport(many([]report.Entry{flowEntry("", crashing(long, 100, 20*time.Second, 10*time.Second))}, 8, func(i int) string { return fmt.Sprint("strategy-", i) })...)
	r.Setup.Horizon, r.Setup.Arrivals.Phases[0].To = 45*time.Minute, 45*time.Minute
	for _, f := range []Figure{goodput, queues} {
		for _, format := range []Format{PNG, SVG} {
			b.Run(f.Name+"/"+string(format), func(b *testing.B) {
				for b.Loop() {
					if _, err := f.Draw(r, Light, format); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func TestFlowKeys(t *testing.T) {
	all := flowOddities()
	for _, c := range []struct {
		figure Figure
		report string
		want   []string
		not    []string
	}{
		{goodput, "flow, three", []string{"trigger", "capacity: 10/s"}, []string{"outages", "down after a crash", "cache filled"}},
		{goodput, "flow, crashes", []string{"down after a crash"}, nil},
		{goodput, "flow, cold", []string{"cache filled × speed reached"}, nil},
		{goodput, "flow, unlimited", nil, []string{"capacity"}},
		{goodput, "flow, flapping", []string{"outages", "trigger"}, nil},
		{goodput, "flow, clients", []string{"100 clients that wait for their answers and 1,000 cron tasks each 60 s"}, nil},
		{queues, "flow, three", []string{"1 slot", "queue full: 150 waiting"}, []string{"crashes"}},
		{queues, "flow, crashes", []string{"crashes above 120", "crashes with more than 90 waiting"}, nil},
		{queues, "flow, unlimited", nil, []string{"slot", "queue full"}},
		{queues, "flow, a peak", []string{"logarithmic scale"}, nil},
	} {
		ts := strings.Join(texts(c.figure, all[c.report])[1:], "\n")
		for _, w := range c.want {
			if !strings.Contains(ts, w) {
				t.Errorf("%s of %q lacks %q:\n%s", c.figure.Name, c.report, w, ts)
			}
		}
		for _, w := range c.not {
			if strings.Contains(ts, w) {
				t.Errorf("%s of %q speaks of %q:\n%s", c.figure.Name, c.report, w, ts)
			}
		}
	}
}

// What is never down for long may lose a part of its tasks for all that, and the title says so.
func TestGoodputTitleSaysWhatIsGivenUp(t *testing.T) {
	lossy := func(percent int64) report.Entry {
		r := calmRun()
		r.Open.DeadLettered = r.Open.Tasks * percent / 100
		r.Open.Succeeded = r.Open.Tasks - r.Open.DeadLettered
		return flowEntry("once", r)
	}
	calm := flowEntry("calm", calmRun())
	for _, c := range []struct {
		entries []report.Entry
		want    string
	}{
		{[]report.Entry{lossy(4), calm}, "Goodput never falls far behind the offered load, but once gives up 4% of the tasks"},
		{[]report.Entry{lossy(14), calm}, "Nothing goes down, but once gives up 14% of the tasks"},
		{[]report.Entry{lossy(14)}, "Nothing goes down, but once gives up 14% of the tasks"},
		{[]report.Entry{lossy(3), lossy(14), calm}, "Nothing goes down, but up to 14% of the tasks are given up, under once"},
		{[]report.Entry{lossy(0), calm}, "Goodput never falls far behind the offered load, whatever the strategy"},
	} {
		v := newView(flowReport(c.entries...))
		if got := v.goodputTitles(newFlow(v, v.rows).verdicts)[0]; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
