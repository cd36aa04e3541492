package figures

import (
	"slices"
	"strings"
	"testing"
	"time"

	"herdsim/report"
	"herdsim/sim"
	"herdsim/strategies"
)

// drawn returns the SVG of a figure.
func drawn(t *testing.T, f Figure, r *report.Report) string {
	t.Helper()
	b, err := f.Draw(r, Light, SVG)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// texts returns what a figure writes.
func texts(f Figure, r *report.Report) []string {
	p, _ := record(f, r)
	var ts []string
	for _, b := range p.texts {
		ts = append(ts, b.text)
	}
	return ts
}

// every is a run with a request now and again until the end, when its one worker is served.
func every(period, end time.Duration) *sim.Result {
	r := late(1, end)
	for t := period; t < end; t += period {
		r.Windows = slices.Insert(r.Windows, len(r.Windows)-1, sim.Window{Index: int64(t / r.Window), Requests: 1, Outcomes: [6]int64{1}})
	}
	return r
}

// The band of ranking ends where 99% were served; where that never was there is none, as completion has a dash.
func TestRankingHasNoBandWithout99Percent(t *testing.T) {
	served := func(n int) report.Entry {
		f := fate{name: "a", peak: 9, tasks: 1000, requests: 2000, gaveUp: int64(1000 - n)}
		for i := range n {
			f.served = append(f.served, time.Duration(i+1)*time.Millisecond)
		}
		return f.entry()
	}
	for n, want := range map[int]bool{989: false, 990: true, 1000: true} {
		r := aReport(served(n))
		if got := strings.Contains(drawn(t, ranking, r), "fill:#9DC3E3"); got != want {
			t.Errorf("%d of 1,000 served: a band is drawn: %t, want %t", n, got, want)
		}
		if got := !slices.Contains(texts(completion, r), "–"); got != want {
			t.Errorf("%d of 1,000 served: completion says when 99 %% were: %t, want %t", n, got, want)
		}
	}
}

// What reads as the ideal has no part that is too much.
func TestRankingHasNoOrangeInTheIdeal(t *testing.T) {
	one := fate{name: "a", peak: 20, tasks: 1000, requests: 1000}
	for _, c := range []struct {
		name   string
		change func(*fate)
		orange bool
	}{
		{"all at the ideal", func(*fate) {}, false},
		{"a little above, which reads 1.0", func(f *fate) { f.requests, f.peak = 1040, 20 }, false},
		{"1.1 requests", func(f *fate) { f.requests = 1060 }, true},
		{"1.1 × capacity", func(f *fate) { f.peak = 22 }, true},
	} {
		r := aReport(with(one, c.change).entry())
		if got := strings.Contains(drawn(t, ranking, r), "fill:#DD6B20"); got != c.orange {
			t.Errorf("%s: orange is drawn: %t, want %t", c.name, got, c.orange)
		}
	}
}

// A key explains what can be seen, not what another strategy or a later time has.
func TestKeysAreOfWhatIsDrawn(t *testing.T) {
	at := func(index int64, outcomes map[sim.Outcome]int64) sim.Window {
		w := sim.Window{Index: index}
		for o, n := range outcomes {
			w.Outcomes[o] = n
			w.Requests += n
		}
		return w
	}
	run := func(peak int64, ws ...sim.Window) *sim.Result {
		r := &sim.Result{Window: 100 * time.Millisecond, PeakWindow: peak, FirstRetry: -1, Windows: ws, Herd: sim.Tally{Tasks: 9, Unfinished: 9}}
		for _, w := range ws {
			r.Attempts += w.Requests
		}
		return r
	}
	r := aReport(
		entry("a", "", run(1000, at(10, map[sim.Outcome]int64{strategies.Served: 1000}), at(9000, map[sim.Outcome]int64{strategies.InFlight: 1}))),
		entry("b", "", run(9, at(10, map[sim.Outcome]int64{strategies.Rejected: 9}))),
		entry("c", "", run(500, at(10, map[sim.Outcome]int64{strategies.Errored: 500}))),
	)
	for _, c := range []struct {
		figure Figure
		want   []string
	}{
		{overview, []string{"served", "errored", "rejected"}},
		{spike, []string{"served", "rejected"}},
	} {
		all := texts(c.figure, r)
		for _, word := range outcomeWords {
			if got, want := slices.Contains(all, word), slices.Contains(c.want, word); got != want {
				t.Errorf("%s: there is a key for %q: %t, want %t", c.figure.Name, word, got, want)
			}
		}
	}
}

// On the linear scale of spike the better of two may be hardly visible: its peak is named all the same.
func TestSpikeNamesEachPeak(t *testing.T) {
	one := func(name string, n int64) report.Entry {
		w := sim.Window{Index: 10, Requests: n, Outcomes: [6]int64{strategies.Served: n}}
		return entry(name, "", &sim.Result{Window: 100 * time.Millisecond, PeakWindow: n, FirstRetry: -1, Attempts: 1, Windows: []sim.Window{w}})
	}
	r := aReport(one("a", 3000), one("b", 23))
	if all := texts(spike, r); !slices.Contains(all, "23") {
		t.Errorf("no label 23 in %q", all)
	}
	if all := texts(overview, r); slices.Contains(all, "23") {
		t.Errorf("overview labels what is below 2 × capacity: %q", all)
	}
}

// Where windows share a bar the subtitle says so, and it names what else makes an attempt dear.
func TestSubtitleSaysWhatABarIs(t *testing.T) {
	story := aReport(three(dirac(everySecond))[0])
	long := aReport(entry("a", "", every(time.Second, 10*time.Minute)))
	dear := aReport(three(dirac(everySecond))[0])
	dear.Setup.Timeout, dear.Setup.RejectCost = 2*time.Second, 20*time.Millisecond
	for _, c := range []struct {
		r    *report.Report
		want string
	}{
		{story, "and can serve 200 requests/s. Requests in each 100 ms."},
		{long, "Busiest 100 ms of each 3.2 s."},
		{dear, "and can serve 200 requests/s. Timeout 2 s, a rejection costs 20 ms. Requests in each 100 ms."},
	} {
		if all := strings.Join(texts(overview, c.r)[1:3], " "); !strings.Contains(all, c.want) {
			t.Errorf("subtitle %q, want %q in it", all, c.want)
		}
	}
}

// One unit in a figure: that of its axis.
func TestTimesAreInTheUnitOfTheAxis(t *testing.T) {
	minutes := aReport(entry("a", "", every(time.Second, 20*time.Minute)), entry("b", "", every(time.Second, 18*time.Minute)))
	if all := texts(overview, minutes); !slices.Contains(all, "minutes since the failure") || !slices.Contains(all, "served, min") ||
		!slices.Contains(all, "20.0") || !slices.Contains(all, "18.0") {
		t.Errorf("overview: %q", all)
	}
	seconds := aReport(entry("a", "", every(time.Second, 10*time.Minute)), entry("b", "", every(time.Second, 6*time.Second)))
	for _, f := range []Figure{overview, ranking} { // where minutes would leave 0.1
		if all := strings.Join(texts(f, seconds), " "); !strings.Contains(all, " 600") || !strings.Contains(all, " 6.0") || strings.Contains(all, "inutes") {
			t.Errorf("%s: %q", f.Name, all)
		}
	}
	if all := texts(overview, aReport(hopeless.entry(), quitter.entry())); !slices.Contains(all, "milliseconds since the failure") || !slices.Contains(all, "served, ms") {
		t.Errorf("overview of nobody: %q", all)
	}
	if all := texts(ranking, aReport(entry("a", "", late(100, time.Hour)), entry("b", "", late(100, 30*time.Minute)))); !slices.Contains(all, "Minutes until served") ||
		!slices.Contains(all, "60.0") || !slices.Contains(all, "30.0") {
		t.Errorf("ranking: %q", all)
	}
	if all := texts(ranking, oddities()["nobody served"]); !slices.Contains(all, "Seconds until served") {
		t.Errorf("ranking of nobody: %q", all)
	}
	for _, c := range []struct {
		axis timeAxis
		want string
	}{
		{newTimeAxis(100*time.Second, 9), "7 more, from 154 s"},
		{newTimeAxis(20*time.Minute, 9), "7 more, until 25 min"},
		{newTimeAxis(100*time.Hour, 9), "7 more, until 5 days"},
	} {
		rest := beyond{requests: 7, from: 154 * time.Second, end: 15 * time.Minute}
		if c.axis.unit.short == "days" {
			rest.from, rest.end = c.axis.max, 120*time.Hour
		} else if c.axis.unit.short == "min" {
			rest.from, rest.end = c.axis.max, 25*time.Minute
		}
		if got := restText(rest, c.axis); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Ranking says which share was served where it is not all, of open traffic too, and shares the text report's judgement on
// free rejects.
func TestRankingSaysWhatWasServed(t *testing.T) {
	some := &sim.Result{Window: 100 * time.Millisecond, PeakWindow: 9, Attempts: 100, Windows: []sim.Window{{Requests: 9}},
		Open: sim.Tally{Tasks: 100, Succeeded: 50, DeadLettered: 50}, OpenLatency: sim.Quantiles{Count: 50, P50: time.Second, P99: 2 * time.Second}}
	if ts := texts(ranking, aReport(entry("a", "", some))); !slices.Contains(ts, "50% served") || !slices.Contains(ts, "2 s") {
		t.Errorf("half of the open traffic is served: %q", ts)
	}
	beside := fate{name: "a", peak: 9, tasks: 4, served: seconds(1, 2)}.entry()
	beside.Runs[0].Open = some.Open
	if ts := texts(ranking, aReport(beside)); !slices.Contains(ts, "50% of open") || !slices.Contains(ts, "2.0") {
		t.Errorf("half of the open traffic is served beside a herd: %q", ts)
	}

	crude := fate{name: "fixed", peak: 80, tasks: 4, requests: 40, served: seconds(1, 2)}.entry()
	crude.Runs[0].Outcomes[strategies.Rejected] = 9
	r := aReport(crude, fate{name: "linear", peak: 20, tasks: 4, requests: 9, served: seconds(1, 4)}.entry())
	if why := r.FreeRejects(); why == "" || !slices.Contains(texts(ranking, r), why) {
		t.Errorf("ranking lacks %q", why)
	}
}

// Where the record of a row ends early, raster ends with it, and says so.
func TestRasterEndsWithItsRecord(t *testing.T) {
	whole, cut := dirac(everySecond).run(), dirac(everySecond).run()
	cut.SampleFull = true
	cut.Sample = slices.DeleteFunc(cut.Sample, func(a sim.AttemptRecord) bool { return a.End > 4*time.Second })
	if got := (row{Result: cut}).recorded(); got <= 2*time.Second || got > 4*time.Second {
		t.Errorf("recorded until %v, want a little less than 4 s", got)
	}
	ts := strings.Join(texts(raster, aReport(entry("fixed", "", cut), entry("linear", "", whole))), "\n")
	for _, want := range []string{"Shown as far as all are recorded, until ", "more, not recorded", " more, until 5 s"} {
		if !strings.Contains(ts, want) {
			t.Errorf("raster lacks %q:\n%s", want, ts)
		}
	}
	if ts := strings.Join(texts(raster, aReport(entry("fixed", "", whole))), "\n"); strings.Contains(ts, "recorded") {
		t.Errorf("raster of a whole record speaks of it:\n%s", ts)
	}
}

// Of a herd that gives up early, raster ends soon after, and claims no order in which it was served.
func TestRasterOfTheUnserved(t *testing.T) {
	r := &sim.Result{Window: time.Second, PeakWindow: 2, EndedAt: 30 * time.Minute, Herd: sim.Tally{Tasks: 2, DeadLettered: 2}}
	for second := range int64(1800) { // open traffic goes on, and is not of the herd
		r.Windows = append(r.Windows, sim.Window{Index: second, Requests: 2})
		r.Attempts += 2
	}
	for i := range int64(60) {
		at := time.Duration(i/2) * time.Second
		r.Sample = append(r.Sample, sim.AttemptRecord{Task: i % 2, Sent: at, Arrived: at, End: at, Outcome: strategies.Rejected})
	}
	ts := texts(raster, aReport(entry("fixed", "", r)))
	all := strings.Join(ts, "\n")
	if !strings.Contains(all, "One row for each of 2 workers, none of which is served; one mark for each request.") {
		t.Errorf("of nobody served: %s", all)
	}
	if !slices.Contains(ts, "seconds since the start") && !slices.Contains(ts, "seconds since the failure") {
		t.Errorf("an axis of half an hour for half a minute: %s", all)
	}
	r.SampleFull, r.Herd = true, sim.Tally{Tasks: 2, Succeeded: 2} // served after the record
	if all := strings.Join(texts(raster, aReport(entry("fixed", "", r))), "\n"); !strings.Contains(all, "2 workers, in the order they were served; one") {
		t.Errorf("of those served when nothing more is recorded: %s", all)
	}
}

// Where titles speak of the peaks once the service is back, so do the rows.
func TestRowsShowThePeakThatTitlesSpeakOf(t *testing.T) {
	a := with(steady, func(f *fate) { f.after = 1000 })
	b := with(steady, func(f *fate) { f.name, f.after = "b", 84 })
	for _, f := range []Figure{overview, spike, ranking} {
		ts := texts(f, aReport(a.entry(), b.entry()))
		for _, want := range []string{"50× once back", "4.2× once back"} {
			if !slices.Contains(ts, want) {
				t.Errorf("%s lacks %q: %q", f.Name, want, ts)
			}
		}
		b.after = 1000
		if ts := strings.Join(texts(f, aReport(a.entry(), b.entry())), " "); strings.Contains(ts, "once back") {
			t.Errorf("%s tells apart what is alike: %s", f.Name, ts)
		}
		b.after = 84
	}
}

// Bars of ranking are on a square-root scale, which the heads tell, where the least would not be seen beside the longest.
func TestRankingScales(t *testing.T) {
	few := with(steady, func(f *fate) { f.requests = 8 })
	many := with(steady, func(f *fate) { f.name, f.peak, f.requests = "b", 990, 8*51 })
	ts := texts(ranking, aReport(few.entry(), many.entry()))
	if !slices.Contains(ts, "1 is the ideal; square-root scale") || !slices.Contains(ts, "busiest 100 ms") {
		t.Errorf("requests differ fifty times, peaks do not: %q", ts)
	}
	many.requests, many.peak = 8*50, 19
	ts = texts(ranking, aReport(few.entry(), many.entry()))
	if !slices.Contains(ts, "1 is the ideal, the rest is retry load") || !slices.Contains(ts, "busiest 100 ms, square-root scale") {
		t.Errorf("peaks differ fifty times, requests do not: %q", ts)
	}
}
