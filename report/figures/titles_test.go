package figures

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"herdsim/report"
	"herdsim/sim"
)

// A fate is what titles know of a row, in few words.
type fate struct {
	name     string // also the key; "paced" and "full-jitter" mean something
	formula  string
	peak     int64
	tasks    int
	served   []time.Duration
	gaveUp   int64
	requests int64
	after    int64 // peak once the service is back
}

func (f fate) entry() report.Entry {
	r := &sim.Result{Window: 100 * time.Millisecond, PeakWindow: f.peak, Attempts: f.requests, Completions: f.served,
		Windows: []sim.Window{{Index: 0, Requests: max(f.peak, 1)}}}
	if f.after > 0 {
		r.Windows = append(r.Windows, sim.Window{Index: 9, Requests: f.after})
	}
	n := int64(len(f.served))
	r.Herd = sim.Tally{Tasks: int64(f.tasks), Succeeded: n, DeadLettered: f.gaveUp, Unfinished: int64(f.tasks) - n - f.gaveUp}
	if f.tasks == 0 {
		r.Open = sim.Tally{Tasks: 100, Succeeded: 100}
	}
	return report.Entry{Name: f.name, Key: f.name, Formula: f.formula, Runs: []*sim.Result{r}}
}

func viewOf(capacity float64, fates ...fate) *view {
	var es []report.Entry
	for _, f := range fates {
		es = append(es, f.entry())
	}
	r := aReport(es...)
	r.Setup.Capacity = capacity
	return newView(r)
}

// seconds are completions: half the herd at the first, the last at the second.
func seconds(half, last float64) []time.Duration {
	h, l := time.Duration(half*1e9), time.Duration(last*1e9)
	return []time.Duration{h, h, l, l}
}

var (
	steady   = fate{name: "fixed", peak: 1000, tasks: 4, served: seconds(3.5, 6), requests: 16}
	plainExp = fate{name: "exponential", formula: ceiling, peak: 1000, tasks: 4, served: seconds(7.3, 31.6), requests: 15}
	full     = fate{name: "full-jitter", formula: "U[0, " + ceiling + ")", peak: 147, tasks: 4, served: seconds(3, 15.4), requests: 13}
	dec      = fate{name: "decorrelated", peak: 64, tasks: 4, served: seconds(3.6, 11.6), requests: 10}
	paced    = fate{name: "paced", peak: 20, tasks: 4, served: seconds(3, 5.5), requests: 8}
	hopeless = fate{name: "hopeless", peak: 1000, tasks: 4, served: seconds(1, 2)[:1], requests: 400}
	quitter  = fate{name: "quitter", peak: 500, tasks: 4, served: seconds(1, 2)[:2], gaveUp: 2, requests: 8}
	traffic  = fate{name: "traffic", peak: 25, requests: 110}
	long     = fate{name: strings.Repeat("n", 64), peak: 40, tasks: 4, served: seconds(1, 2), requests: 9}
)

func with(f fate, change func(*fate)) fate {
	change(&f)
	return f
}

func TestTitles(t *testing.T) {
	overviewOf := (*view).overviewTitles
	spikeOf := func(v *view) []string { return v.spikeTitles(v.pair()) }
	completionOf := func(v *view) []string { return v.completionTitles(v.withHerd()) }
	rankingOf := (*view).rankingTitles
	one := with(full, func(f *fate) { f.tasks, f.served = 1, f.served[3:] })
	calm := with(paced, func(f *fate) { f.name, f.peak = "calm", 7 })

	for _, c := range []struct {
		name  string
		of    func(*view) []string
		v     *view
		title string
	}{
		{"the story", overviewOf, viewOf(200, steady, plainExp, full, paced), "Jitter cuts the peak from 50× to 7.4× capacity and serves everyone 16.2 s sooner"},
		{"jitter is late", overviewOf, viewOf(200, plainExp, with(full, func(f *fate) { f.served = seconds(1, 60) })), "Jitter cuts the peak from 50× to 7.4× capacity, but serves everyone 28.4 s later"},
		{"as fast", overviewOf, viewOf(200, plainExp, with(full, func(f *fate) { f.served = seconds(1, 31) })), "Jitter cuts the peak from 50× to 7.4× capacity"},
		{"only jitter serves all", overviewOf, viewOf(200, with(plainExp, func(f *fate) { f.served = f.served[:2] }), full), "Jitter cuts the peak from 50× to 7.4× capacity and serves everyone"},
		{"jitter loses one", overviewOf, viewOf(200, plainExp, with(full, func(f *fate) { f.served = f.served[:3] })), "Jitter cuts the peak from 50× to 7.4× capacity, but leaves 1 worker unserved"},
		{"neither serves all", overviewOf, viewOf(200, with(plainExp, func(f *fate) { f.served = nil }), with(full, func(f *fate) { f.served = nil })), "Jitter cuts the peak from 50× to 7.4× capacity, but serves nobody"},
		{"neither serves all, but some", overviewOf, viewOf(200, with(plainExp, func(f *fate) { f.served = f.served[:1] }), with(full, func(f *fate) { f.served = f.served[:3] })), "Jitter cuts the peak from 50× to 7.4× capacity, serving 75% instead of 25%"},
		{"neither serves more", overviewOf, viewOf(200, with(plainExp, func(f *fate) { f.served = f.served[:1] }), with(full, func(f *fate) { f.served = f.served[:1] })), "Jitter cuts the peak from 50× to 7.4× capacity, but serves 25% as before"},
		{"jitter is no use", overviewOf, viewOf(200, plainExp, with(full, func(f *fate) { f.peak = 900 })), "Peaks range from 45× capacity (full-jitter) to 50× (exponential)"},
		{"other backoff", overviewOf, viewOf(200, with(plainExp, func(f *fate) { f.formula = "9 s × 2ⁿ" }), full), "Peaks range from 7.4× capacity (full-jitter) to 50× (exponential)"},
		{"jittered exponential", overviewOf, viewOf(200, with(plainExp, func(f *fate) { f.formula += " × (1 ± 10%)" }), full), "Peaks range from 7.4× capacity (full-jitter) to 50× (exponential)"},
		{"no bound", overviewOf, viewOf(0, steady, plainExp, full), "Jitter cuts the peak from 1,000 to 147 requests in 100 ms"},
		{"a range", overviewOf, viewOf(200, steady, dec, paced), "Peaks range from 1.0× capacity (paced) to 50× (fixed)"},
		{"two on top", overviewOf, viewOf(200, steady, plainExp, paced), "paced peaks at 1.0× capacity, all others at 50×"},
		{"two on top of two", overviewOf, viewOf(200, steady, plainExp, dec, paced), "Peaks range from 1.0× capacity (paced) to 50× (fixed and exponential)"},
		{"three on top", overviewOf, viewOf(200, steady, plainExp, hopeless, dec, paced), "Peaks range from 1.0× capacity (paced) to 50×"},
		{"three and three", overviewOf, viewOf(200, steady, plainExp, hopeless, paced, paced, paced), "Peaks range from 1.0× to 50× capacity"},
		{"a long name", overviewOf, viewOf(200, long, paced), "Peaks range from 1.0× capacity (paced) to 2.0×"},
		{"long names", overviewOf, viewOf(200, long, with(long, func(f *fate) { f.peak = 20; f.name += "n" })), "Peaks range from 1.0× to 2.0× capacity"},
		{"equal", overviewOf, viewOf(200, steady, plainExp), "Both strategies peak at 50× capacity, and serve everyone within 6 s to 31.6 s"},
		{"all equal", overviewOf, viewOf(200, steady, plainExp, hopeless), "All 3 strategies peak at 50× capacity, and send 15 to 400 requests"},
		{"equal until it is back", overviewOf, viewOf(200, with(steady, func(f *fate) { f.after = 1000 }), with(steady, func(f *fate) { f.name, f.after = "b", 84 })), "Once the service is back, peaks range from 4.2× capacity (b) to 50× (fixed)"},
		{"nearly equal", overviewOf, viewOf(200, steady, with(plainExp, func(f *fate) { f.peak = 970 })), "All peak at 49× to 50× capacity, and serve everyone within 6 s to 31.6 s"},
		{"within capacity", overviewOf, viewOf(200, calm, paced), "No strategy asks for more than capacity: peaks from 0.35× to 1.0×"},
		{"equal within", overviewOf, viewOf(200, paced, with(paced, func(f *fate) { f.name = "b" })), "No strategy asks for more than capacity: each peaks at 1.0×"},
		{"a little over", overviewOf, viewOf(200, with(paced, func(f *fate) { f.peak = 21 })), "paced peaks at 1.1× capacity and serves everyone within 5.5 s"},
		{"no retries", overviewOf, viewOf(200, with(steady, func(f *fate) { f.peak = 0 }), with(dec, func(f *fate) { f.peak = 0 })), "Nobody calls again after the failure itself"},
		{"one row", overviewOf, viewOf(200, full), "full-jitter peaks at 7.4× capacity and serves everyone within 15.4 s"},
		{"one within", overviewOf, viewOf(200, calm), "calm stays within capacity and serves everyone within 5.5 s"},
		{"one unfinished", overviewOf, viewOf(200, hopeless), "hopeless peaks at 50× capacity and leaves 3 workers unserved"},
		{"one long", overviewOf, viewOf(200, long), "The load peaks at 2.0× capacity; everyone is served within 2 s"},
		{"one of one", overviewOf, viewOf(200, one), "full-jitter peaks at 7.4× capacity"},
		{"one open", overviewOf, viewOf(200, traffic), "traffic peaks at 1.3× capacity"},
		{"one silent", overviewOf, viewOf(200, with(steady, func(f *fate) { f.peak = 0 })), "fixed sends nothing after the failure itself"},

		{"the story", spikeOf, viewOf(200, steady, plainExp, full, paced), "Same herd, same backoff: full-jitter peaks at 7.4× capacity, exponential at 50×"},
		{"extremes", spikeOf, viewOf(200, steady, dec, paced), "decorrelated peaks at 3.2× capacity, fixed at 50×"},
		{"equal", spikeOf, viewOf(0, steady, plainExp), "Both peak at 1,000 requests in 100 ms, but fixed serves everyone 25.6 s sooner"},
		{"equal but for the requests", spikeOf, viewOf(200, steady, with(steady, func(f *fate) { f.name, f.requests = "b", 9 })), "Both peak at 50× capacity, but b sends 9 requests, fixed 16"},
		{"equal in all", spikeOf, viewOf(200, steady, with(steady, func(f *fate) { f.name = "b" })), "b and fixed both peak at 50× capacity"},
		{"equal but for the shares", spikeOf, viewOf(200, hopeless, with(steady, func(f *fate) { f.name, f.served = "b", f.served[:3] })), "Both peak at 50× capacity, but b serves 75%, hopeless 25%"},
		{"nearly equal", spikeOf, viewOf(200, with(steady, func(f *fate) { f.peak = 980 }), plainExp), "Both peak near 50× capacity, but fixed serves everyone 25.6 s sooner"},
		{"equal until it is back", spikeOf, viewOf(200, with(steady, func(f *fate) { f.after = 1000 }), with(steady, func(f *fate) { f.name, f.after = "b", 84 })), "Once the service is back, b peaks at 4.2× capacity, fixed at 50×"},
		{"paced aside", spikeOf, viewOf(200, paced, with(steady, func(f *fate) { f.name = "b" }), steady), "fixed and b both peak at 50× capacity"},
		{"one", spikeOf, viewOf(200, full), "full-jitter peaks at 7.4× capacity and serves everyone within 15.4 s"},
		{"long", spikeOf, viewOf(200, long, paced), "The highest peak is 2.0× capacity, the lowest 1.0×"},

		{"the story", completionOf, viewOf(200, steady, plainExp, full), "Half the workers are served within 7.3 s in every case, the last after 6 s to 31.6 s"},
		{"even", completionOf, viewOf(200, steady, with(dec, func(f *fate) { f.served = seconds(7, 12) })), "Half the workers are served after 3.5 s to 7 s, the last after 6 s to 12 s"},
		{"equal", completionOf, viewOf(200, steady, with(dec, func(f *fate) { f.served = seconds(1, 6) })), "Every strategy serves its last worker at 6 s"},
		{"one left", completionOf, viewOf(200, steady, hopeless), "hopeless leaves 3 of 4 workers unserved"},
		{"some left", completionOf, viewOf(200, steady, hopeless, quitter), "2 of 3 strategies leave workers unserved"},
		{"all left", completionOf, viewOf(200, hopeless, quitter), "No strategy serves everyone: they serve 25% to 50%"},
		{"nobody", completionOf, viewOf(200, with(hopeless, func(f *fate) { f.served = nil }), with(quitter, func(f *fate) { f.served = nil })), "Nobody is served"},
		{"one row", completionOf, viewOf(200, full), "full-jitter serves half the workers within 3 s and the last at 15.4 s"},
		{"one of one", completionOf, viewOf(200, one), "full-jitter serves its one worker at 15.4 s"},
		{"herds of one", completionOf, viewOf(200, one, with(one, func(f *fate) { f.served = []time.Duration{time.Second} })), "The worker is served after 1 s to 15.4 s"},

		{"the story", rankingOf, viewOf(200, steady, plainExp, full, dec, paced), "decorrelated peaks lowest and sends least; fixed is done first (paced aside)"},
		{"one wins all", rankingOf, viewOf(200, plainExp, dec), "decorrelated has the lowest peak, sends least and is done first"},
		{"against paced", rankingOf, viewOf(200, plainExp, paced), "paced has the lowest peak, sends least and is done first"},
		{"ties", rankingOf, viewOf(200, steady, plainExp, with(full, func(f *fate) { f.requests = 15 })), "Lowest peak: full-jitter; done first: fixed"},
		{"a short tie", rankingOf, viewOf(200, steady, with(dec, func(f *fate) { f.name = "a" }), with(full, func(f *fate) { f.name = "b"; f.requests = 10 })), "Lowest peak: a; fewest requests: a and b; done first: fixed"},
		{"one winner of two", rankingOf, viewOf(200, steady, with(dec, func(f *fate) { f.name = "a" }), with(dec, func(f *fate) { f.name = "b" }), full), "Lowest peak and fewest requests: a and b; done first: fixed"},
		{"nobody is done", rankingOf, viewOf(200, hopeless, quitter), "quitter (50% served) peaks lowest and sends least"},
		{"nobody serves all, two alike", rankingOf, viewOf(200, hopeless, quitter, with(quitter, func(f *fate) { f.name = "b" })), "Lowest peak and fewest requests: quitter and b (50% served)"},
		{"one serves all", rankingOf, viewOf(200, hopeless, quitter, full), "Only full-jitter serves everyone; it peaks at 7.4× capacity"},
		{"some serve all", rankingOf, viewOf(200, hopeless, with(quitter, func(f *fate) { f.peak = 1 }), full, steady), "full-jitter peaks lowest and sends least; fixed is done first (of those that serve all)"},
		{"some serve all, paced aside", rankingOf, viewOf(200, quitter, dec, plainExp, paced), "decorrelated has the lowest peak, sends least and is done first"},
		{"some serve all, too much to say", rankingOf, viewOf(200, hopeless, steady, with(full, func(f *fate) { f.requests = 9 }), with(dec, func(f *fate) { f.name = "a" })), "Lowest peak: a; fewest requests: full-jitter; done first: fixed"},
		{"done at the same time", rankingOf, viewOf(200, steady, with(dec, func(f *fate) { f.served = seconds(3, 6.02) })), "Lowest peak and fewest requests: decorrelated"},
		{"alike", rankingOf, viewOf(200, steady, with(steady, func(f *fate) { f.name = "twin" })), "The strategies differ in nothing that is ranked here"},
		{"alike, unserved", rankingOf, viewOf(200, hopeless, with(hopeless, func(f *fate) { f.name = "twin"; f.served = nil })), "Peak and requests compared"},
		{"open traffic", rankingOf, viewOf(200, traffic, with(traffic, func(f *fate) { f.name = "calmer"; f.peak = 22 })), "Lowest peak: calmer"},
		{"one row", rankingOf, viewOf(200, full), "full-jitter peaks at 7.4× capacity and serves everyone within 15.4 s"},
	} {
		h := header{titles: c.of(c.v)}
		if got, size := h.title(); got != c.title || size != titleSize {
			t.Errorf("%s: title %q at %v pt, want %q", c.name, got, size, c.title)
		}
	}
}

// The ranking says what its title is about, unless that says it itself.
func TestRankingNote(t *testing.T) {
	other := with(paced, func(f *fate) { f.name = "a" })
	for _, c := range []struct {
		v           *view
		title, want string
	}{
		{viewOf(200, steady, full), "a is best", ""},
		{viewOf(200, steady, full, paced), "a is best (paced aside)", ""},
		{viewOf(200, steady, full, paced), "a is best", " The title leaves paced aside."},
		{viewOf(200, steady, full, paced), "a is best (50% served)", " The title leaves paced aside."},
		{viewOf(200, hopeless, steady, other), "a is best (of those that serve all)", ""},
		{viewOf(200, hopeless, steady, other), "a is best", " The title is about those that serve everyone."},
		{viewOf(200, hopeless, steady, other, paced), "a is best", " The title is about real strategies that serve everyone."},
	} {
		if got, want := c.v.rankingNote(c.title), "Sorted by peak load."+c.want; got != want {
			t.Errorf("%q: %q, want %q", c.title, got, want)
		}
	}
}

// The title of a raster counts windows, and beside open traffic only those of the workers shown.
func TestRasterTitles(t *testing.T) {
	v := newView(aReport(three(dirac(everySecond))...))
	chatty := row{name: "chatty", Result: &sim.Result{Attempts: 40, Herd: sim.Tally{Tasks: 4}}}
	for i := range int64(40) {
		chatty.Windows = append(chatty.Windows, sim.Window{Index: i, Requests: 1})
	}
	for i := range int64(40) {
		chatty.Sample = append(chatty.Sample, sim.AttemptRecord{Task: i / 10, Attempt: i%10 + 1, Arrived: time.Duration(i) * v.window})
	}
	for _, c := range []struct {
		open float64
		rows []row
		want string
	}{
		{0, v.triple(), "All requests of exponential fall into 6 windows of 100 ms, of full-jitter into 86"},
		{0, v.rows[:1], "All requests of fixed fall into 6 windows of 100 ms"},
		{0, v.rows[:2], "fixed serves its last worker at 6 s, exponential at 31.6 s"},
		{0, []row{v.rows[0], v.rows[0]}, "On either side all requests fall into 6 windows of 100 ms"},
		{0, []row{chatty, v.rows[2]}, "A worker calls 10 times with chatty, 3.3 times with full-jitter"},
		{150, v.triple(), "The workers shown call in 6 windows of 100 ms with exponential, in 63 with full-jitter"},
		{150, []row{chatty, v.rows[2]}, "A worker calls 10 times with chatty, 3.2 times with full-jitter"},
		{150, []row{v.rows[0], v.rows[0]}, "On either side the workers shown call in 6 windows of 100 ms"},
		{150, v.rows[:1], "All requests of the workers shown fall into 6 windows of 100 ms"},
	} {
		w := *v
		w.OpenRate = c.open
		if got := w.rasterTitles(c.rows)[0]; got != c.want {
			t.Errorf("title %q, want %q", got, c.want)
		}
	}
}

// Whatever the titles, the last candidate is short enough for the page, or is made so.
func TestTitlesFit(t *testing.T) {
	h := header{titles: []string{strings.Repeat("Too long ", 40), strings.Repeat("still too long ", 20)}}
	title, size := h.title()
	if w := bold.width(title, size); w > pageWidth-2*margin || size < 13 || !strings.Contains(title, ellipsis) {
		t.Errorf("title of %v pt at %v pt: %q", w, size, title)
	}
}

func TestSubtitle(t *testing.T) {
	m := dirac(everySecond)
	herd := func(change func(*toy)) report.Entry {
		m := m
		change(&m)
		return entry("fixed", "", m.run())
	}
	whole := herd(func(*toy) {})
	healthy := herd(func(m *toy) { m.recovery = 0 })
	for _, c := range []struct {
		name    string
		setup   func(*report.Setup)
		entries []report.Entry
		want    string
	}{
		{"dirac", func(*report.Setup) {}, []report.Entry{whole}, "1,000 workers fail together at t = 0. The service is back at 0.5 s and can serve 200 requests/s."},
		{"one", func(*report.Setup) {}, []report.Entry{herd(func(m *toy) { m.workers = 1 })}, "1 worker fails at t = 0. The service is back at 0.5 s and can serve 200 requests/s."},
		{"healthy", func(s *report.Setup) { s.Recovery = 0 }, []report.Entry{healthy}, "1,000 workers call together at t = 0. The service can serve 200 requests/s."},
		{"away again", func(s *report.Setup) { s.Away = 50 * time.Second }, []report.Entry{whole}, "1,000 workers fail together at t = 0. The service is back at 0.5 s, can serve 200 requests/s and fails again at 50 s."},
		{"away later", func(s *report.Setup) { s.Recovery, s.Away, s.Capacity = 0, 50*time.Second, 0 }, []report.Entry{healthy}, "1,000 workers call together at t = 0. The service fails at 50 s."},
		{"no bound", func(s *report.Setup) { s.Capacity = 0 }, []report.Entry{whole}, "1,000 workers fail together at t = 0. The service is back at 0.5 s."},
		{"slow", func(s *report.Setup) { s.Capacity = 0.1 }, []report.Entry{whole}, "1,000 workers fail together at t = 0. The service is back at 0.5 s and can serve 6 requests/min."},
		{"beside traffic", func(s *report.Setup) { s.OpenRate = 80 }, []report.Entry{whole}, "1,000 workers fail together at t = 0, beside 80 open tasks/s. The service is back at 0.5 s and can serve 200 requests/s."},
		{"healthy beside traffic", func(s *report.Setup) { s.OpenRate, s.Recovery = 80, 0 }, []report.Entry{healthy}, "1,000 workers call from t = 0 on, beside 80 open tasks/s. The service can serve 200 requests/s."},
		{"traffic", func(s *report.Setup) { s.OpenRate, s.Recovery = 80, 0 }, []report.Entry{entry("fixed", "", open(10, 10))}, "Open traffic: 80 tasks/s. The service can serve 200 requests/s."},
		{"herds of their own", func(*report.Setup) {}, []report.Entry{whole, herd(func(m *toy) { m.workers = 10 })}, "Up to 1,000 workers fail together at t = 0. The service is back at 0.5 s and can serve 200 requests/s."},
		{"spread", func(*report.Setup) {}, []report.Entry{entry("fixed", "", &sim.Result{Herd: sim.Tally{Tasks: 9}, Windows: []sim.Window{{Index: 0, Requests: 4, Failure: 4}, {Index: 5, Requests: 5}}})}, "9 workers call from t = 0 on. The service is back at 0.5 s and can serve 200 requests/s."},
		{"later", func(*report.Setup) {}, []report.Entry{entry("fixed", "", &sim.Result{Herd: sim.Tally{Tasks: 1}, Windows: []sim.Window{{Index: 3, Requests: 4, Failure: 4}}})}, "1 worker calls from t = 0 on. The service is back at 0.5 s and can serve 200 requests/s."},
	} {
		r := aReport(c.entries...)
		c.setup(&r.Setup)
		if got := newView(r).subtitle(""); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestNotes(t *testing.T) {
	rows := make([]fate, 15)
	for i := range rows {
		rows[i] = with(steady, func(f *fate) { f.name = fmt.Sprint("s", i) })
	}
	v := viewOf(200, rows...)
	v.missing, v.Replicates = 2, 1000
	want := []string{"3 more in summary.csv", "2 strategies without a finished run", "replicate 1 of 1,000"}
	if got := v.notes(12); !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
	half := viewOf(200, steady)
	half.partial = true
	if got := half.notes(1); !slices.Equal(got, []string{"interrupted: some replicates are missing"}) {
		t.Errorf("notes %q of an interrupted report", got)
	}
	if got := viewOf(200, steady).notes(1); got != nil {
		t.Errorf("notes %q, want none", got)
	}
}
