package figures

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"

	"herdsim/report"
	"herdsim/sim"
	"herdsim/strategies"
)

// oddities are reports of every kind that a figure has to cope with.
var oddities = sync.OnceValue(func() map[string]*report.Report {
	plain := dirac(everySecond)
	story := three(plain)
	with := func(change func(*toy)) *report.Report {
		m := plain
		change(&m)
		r := aReport(three(m)...)
		r.Setup.Window, r.Setup.Recovery = m.window, m.recovery
		return r
	}
	setup := func(r *report.Report, change func(*report.Setup)) *report.Report {
		change(&r.Setup)
		return r
	}
	wide := func(i int) string { return strings.Repeat("W", 60) + fmt.Sprint(i) }
	foreign := func(i int) string { return fmt.Sprintf("指数バックオフ-%d \u202e<&>\x00\n\"", i) }

	all := map[string]*report.Report{
		"story":             aReport(story...),
		"one row":           aReport(story[2]),
		"two rows":          aReport(story[0], story[2]),
		"equal rows":        aReport(many(story[:1], 2, longName)...),
		"twelve rows":       aReport(many(story, 12, func(i int) string { return fmt.Sprint("strategy-", i) })...),
		"thirteen rows":     aReport(many(story, 13, longName)...),
		"two hundred rows":  aReport(many(story, 200, wide)...),
		"foreign names":     aReport(many(story, 4, foreign)...),
		"no names":          aReport(many(story, 4, func(int) string { return "" })...),
		"herd of one":       with(func(m *toy) { m.workers = 1 }),
		"herd of seven":     with(func(m *toy) { m.workers = 7 }),
		"never served":      with(func(m *toy) { m.slots = 1; m.horizon = 20 * time.Second }),
		"nobody served":     with(func(m *toy) { m.recovery = time.Hour; m.horizon = time.Minute }),
		"gave up":           with(func(m *toy) { m.attempts = 3 }),
		"timed out":         with(func(m *toy) { m.timeout = 300 * time.Millisecond }),
		"healthy":           with(func(m *toy) { m.recovery = 0 }),
		"an hour":           with(func(m *toy) { m.workers, m.slots, m.queue = 4000, 1, 3 }),
		"wide windows":      with(func(m *toy) { m.window = 10 * time.Second }),
		"narrow windows":    with(func(m *toy) { m.window = time.Microsecond }),
		"slow then fast":    aReport(story[0], story[2], entry("exponential", "", late(1000, 2*time.Hour))),
		"all late":          aReport(entry("a", "", late(50, 40*24*time.Hour)), entry("b", "", late(50, 41*24*time.Hour))),
		"no bound":          setup(aReport(story...), func(s *report.Setup) { s.Capacity = 0 }),
		"huge capacity":     setup(aReport(story...), func(s *report.Setup) { s.Capacity = 1e9 }),
		"tiny capacity":     setup(aReport(story...), func(s *report.Setup) { s.Capacity = 0.001 }),
		"replicates":        setup(aReport(story...), func(s *report.Setup) { s.Replicates = 1000 }),
		"open traffic only": setup(aReport(entry("fixed", "1 s", open(6000, 6000)), entry("paced", "", open(6000, 5000))), func(s *report.Setup) { s.OpenRate = 100 }),
		"herd and open":     setup(aReport(story...), func(s *report.Setup) { s.OpenRate = 150 }),
		"huge numbers":      aReport(entry("fixed", "1 s", huge()), entry("paced", "", huge())),
		"interrupted":       aReport(story[0], report.Entry{Name: "lost"}, report.Entry{Name: "nil", Runs: []*sim.Result{nil}}, story[2]),
		"nothing finished":  aReport(report.Entry{Name: "lost"}),
		"no entries":        aReport(),
		"empty results":     aReport(entry("fixed", "1 s", &sim.Result{}), entry("x", "", &sim.Result{})),
		"broken results":    setup(aReport(entry("fixed", "1 s", broken()), entry("x", "", broken())), func(s *report.Setup) { s.Window = 0 }),
		"no report":         nil,
	}
	maps.Copy(all, flowOddities())
	maps.Copy(all, brokerOddities())
	return all
})

// late is a result in which one worker is served long after the others.
func late(workers int, last time.Duration) *sim.Result {
	m := dirac(everySecond)
	m.workers = workers
	r := m.run()
	r.Completions[workers-1] = last
	r.Windows = append(r.Windows, sim.Window{Index: int64(last/r.Window) - 1, Requests: 1, Outcomes: [6]int64{1}})
	return r
}

// open is a result of open traffic alone.
func open(tasks, served int64) *sim.Result {
	r := &sim.Result{Window: 100 * time.Millisecond, Open: sim.Tally{Tasks: tasks, Succeeded: served, Unfinished: tasks - served},
		Attempts: tasks, PeakWindow: 25, FirstRetry: -1, EndedAt: time.Minute}
	for i := range int64(600) {
		n := 5 + i%20
		r.Windows = append(r.Windows, sim.Window{Index: i, Requests: n, Outcomes: [6]int64{strategies.Served: n}})
	}
	r.OpenLatency = sim.Quantiles{Count: served, P50: 100 * time.Millisecond, P99: 345 * time.Millisecond}
	return r
}

// huge has numbers of ten digits and more, and every outcome.
func huge() *sim.Result {
	r := &sim.Result{Window: 100 * time.Millisecond, Attempts: 7e12, PeakWindow: 6e9}
	r.Herd = sim.Tally{Tasks: 3e9, Succeeded: 1, Unfinished: 3e9 - 1}
	r.Completions = []time.Duration{300 * time.Hour}
	for i := range int64(50) {
		w := sim.Window{Index: i * 7, Requests: 6e9}
		for o := range w.Outcomes {
			w.Outcomes[o] = 1e9
		}
		if i == 0 {
			w.Failure = 1e9
		}
		r.Windows = append(r.Windows, w)
	}
	return r
}

// broken contradicts itself in every way that must not matter.
func broken() *sim.Result {
	return &sim.Result{
		Herd: sim.Tally{Tasks: 3, Succeeded: 3}, PeakWindow: -1, FirstRetry: 1 << 62,
		Completions: []time.Duration{-5, 1 << 62},
		Windows:     []sim.Window{{Index: -4, Requests: 3}, {Index: 1 << 62, Requests: 1}, {Index: 2, Requests: 1, Failure: 9}},
		Sample:      []sim.AttemptRecord{{Task: 1, Outcome: 77, Arrived: -1, End: -1}, {Task: -1}, {Task: 99}},
	}
}

// about returns the figures to which an oddity is one.
func about(name string) []Figure {
	if strings.HasPrefix(name, "flow, ") {
		return []Figure{overview, goodput, queues}
	}
	if strings.HasPrefix(name, "broker, ") {
		return []Figure{brokerQueues}
	}
	return All()
}

// record draws a figure and returns the page with all its texts.
func record(f Figure, r *report.Report) (*page, layout) {
	l := f.compose(newView(r))
	p := &page{canvas: vgsvg.New(pageWidth, vg.Length(l.height)), height: l.height, pal: palettes[Light]}
	l.draw(p)
	return p, l
}

// No text leaves the page or lies upon another, whatever the report.
func TestTextsKeepApart(t *testing.T) {
	for name, r := range oddities() {
		for _, f := range about(name) {
			t.Run(f.Name+"/"+name, func(t *testing.T) {
				p, l := record(f, r)
				if len(p.texts) == 0 || l.title == "" || p.texts[0].text != l.title {
					t.Fatalf("no title: %+v", p.texts)
				}
				for i, a := range p.texts {
					if a.x0 < margin-4.5 || a.x1 > pageWidth-margin+9 || a.y0 < 4 || a.y1 > l.height-4 {
						t.Errorf("%q at %.0f–%.0f, %.0f–%.0f leaves the page of %.0f", a.text, a.x0, a.x1, a.y0, a.y1, l.height)
					}
					for _, b := range p.texts[:i] {
						if a.touches(b, -0.3) {
							t.Errorf("%q at %.0f–%.0f, %.0f–%.0f lies upon %q at %.0f–%.0f, %.0f–%.0f",
								a.text, a.x0, a.x1, a.y0, a.y1, b.text, b.x0, b.x1, b.y0, b.y1)
						}
					}
				}
			})
		}
	}
}

// Every figure of every report is a whole picture, in both formats and themes.
func TestPicturesAreWhole(t *testing.T) {
	for name, r := range oddities() {
		for i, f := range about(name) {
			if f.Empty(r) != "" && f.Name != overview.Name {
				continue // all that are empty are alike
			}
			theme := []Theme{Light, Dark}[i%2]
			b, err := f.Draw(r, theme, PNG)
			if err != nil {
				t.Fatalf("%s of %s: %v", f.Name, name, err)
			}
			img, err := png.Decode(bytes.NewReader(b))
			if err != nil {
				t.Fatalf("%s of %s: %v", f.Name, name, err)
			}
			_, l := record(f, r)
			if got := img.Bounds().Size(); got.X != 1584 || got.Y != int(2*l.height) || 2*l.height != float64(got.Y) {
				t.Errorf("%s of %s: %v pixels, want 1584 x %v", f.Name, name, got, 2*l.height)
			}
			b, err = f.Draw(r, theme, SVG)
			if err != nil {
				t.Fatalf("%s of %s: %v", f.Name, name, err)
			}
			checkSVG(t, f.Name+" of "+name, b, l)
		}
	}
}

// checkSVG parses b and looks for what vgsvg does not write.
func checkSVG(t *testing.T, name string, b []byte, l layout) {
	t.Helper()
	title, role, texts := "", "", 0
	d := xml.NewDecoder(bytes.NewReader(b))
	for {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		start, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "svg":
			for _, a := range start.Attr {
				if a.Name.Local == "role" {
					role = a.Value
				}
			}
		case "title":
			if err := d.DecodeElement(&title, &start); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		case "text":
			texts++
			if start.Attr[1].Name.Local != "textLength" && start.Attr[2].Name.Local != "textLength" {
				t.Fatalf("%s: text without a length: %v", name, start.Attr)
			}
		}
	}
	if title != l.title || role != "img" || texts == 0 {
		t.Errorf("%s: title %q, role %q and %d texts, want %q, img and some", name, title, role, texts, l.title)
	}
	if s := string(b); strings.Contains(s, "font-family:") || strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
		t.Errorf("%s: a font without fallback, or no number, in %.300s", name, s)
	}
}

// Figures that are drawn at the same time do not mix, and the bytes are always the same.
func TestSameBytesTogether(t *testing.T) {
	r := aReport(three(dirac(everySecond))...)
	type kind struct {
		figure string
		theme  Theme
		format Format
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	seen := map[kind][]byte{}
	for range 3 {
		for _, f := range All() {
			for _, k := range []kind{{f.Name, Light, PNG}, {f.Name, Dark, SVG}} {
				wg.Go(func() {
					b, err := f.Draw(r, k.theme, k.format)
					mu.Lock()
					defer mu.Unlock()
					if err != nil {
						t.Errorf("%v: %v", k, err)
					}
					if first, ok := seen[k]; ok && !bytes.Equal(first, b) {
						t.Errorf("%v: other bytes than before", k)
					}
					seen[k] = b
				})
			}
		}
	}
	wg.Wait()
}

func TestDrawRefuses(t *testing.T) {
	r := aReport(three(dirac(everySecond))...)
	for _, c := range []struct {
		theme  Theme
		format Format
		want   string
	}{
		{"sepia", PNG, `theme "sepia": want light or dark`},
		{Light, "pdf", `figure format "pdf": want png or svg`},
	} {
		if b, err := overview.Draw(r, c.theme, c.format); err == nil || err.Error() != c.want || b != nil {
			t.Errorf("Draw(%q, %q) = %d bytes, %v; want %s", c.theme, c.format, len(b), err, c.want)
		}
	}
}

func TestEmpty(t *testing.T) {
	odd := oddities()
	for _, c := range []struct {
		figure, report string
		empty          bool
	}{
		{"overview", "story", false},
		{"overview", "no entries", true},
		{"overview", "empty results", true},
		{"spike", "one row", false},
		{"completion", "open traffic only", true},
		{"completion", "nobody served", false},
		{"ranking", "open traffic only", false},
		{"raster", "open traffic only", true},
		{"raster", "huge numbers", true},
		{"raster", "no report", true},
	} {
		for _, f := range All() {
			if why := f.Empty(odd[c.report]); f.Name == c.figure && (why != "") != c.empty {
				t.Errorf("%s of %s is empty: %q, want %v", c.figure, c.report, why, c.empty)
			}
		}
	}
}

// The sizes that pages and papers rely on.
func TestSizes(t *testing.T) {
	story := three(dirac(everySecond))
	seven := aReport(many(story, 7, func(i int) string { return fmt.Sprint("s", i) })...)
	for _, c := range []struct {
		figure Figure
		report *report.Report
		want   float64 // inches
	}{
		{overview, seven, 7.875},
		{spike, seven, 6.25},
		{raster, seven, 6.375},
	} {
		if _, l := record(c.figure, c.report); l.height != 72*c.want {
			t.Errorf("%s is %v pt high, want %v in", c.figure.Name, l.height, c.want)
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	r := aReport(many(three(dirac(everySecond)), 8, func(i int) string { return fmt.Sprint("strategy-", i) })...)
	for _, f := range All() {
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
