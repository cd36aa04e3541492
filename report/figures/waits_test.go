package figures

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"

	"herdsim/strategies"
)

// odd are strategies of every kind that the picture has to cope with.
func odd() map[string]Waiting {
	of := func(s strategies.Strategy, retries int) Waiting {
		return Waiting{Name: "x", Formula: "U[0, 1 s × 2ⁿ)", Rows: strategies.Describe(s, retries), Strategy: s}
	}
	full := strategies.FullJitter{Base: time.Second, Factor: 2}
	around := strategies.Jitter{Kind: strategies.JitterAround, Share: 0.1}
	return map[string]Waiting{
		"growing":    of(full, 12),
		"capped":     of(strategies.Decorrelated{Base: 100 * time.Millisecond, Factor: 3, Cap: 20 * time.Second}, 12),
		"no bound":   of(strategies.Memoryless{Mean: 2 * time.Second}, 12),
		"no luck":    of(strategies.Fixed{Delay: time.Second}, 12),
		"narrow":     of(strategies.Exponential{Base: time.Second, Factor: 2, Cap: 32 * time.Second, Jitter: around}, 12),
		"meeting":    of(strategies.Exponential{Base: time.Second, Factor: 2, Cap: 30 * time.Second, Jitter: around, Clamp: strategies.ClampAfter}, 12),
		"unequal":    of(strategies.Schedule{Delays: []time.Duration{time.Second, time.Hour, 0, time.Millisecond}}, 12),
		"steps":      of(dice{}, 12),
		"no wait":    of(strategies.Immediate{}, 12),
		"nanosecond": of(strategies.Fixed{Delay: 1}, 12),
		"one":        of(full, 1),
		"too many":   of(full, 400),
		"saturated":  of(strategies.Exponential{Base: 1 << 62, Factor: 1000}, 12),
		"nothing":    {Name: "x"},
	}
}

// dice waits 0 to 5 s, whole seconds.
type dice struct{}

func (dice) Wait(_ strategies.Attempt, u float64) (time.Duration, bool) {
	return time.Duration(6*u) * time.Second, true
}
func (dice) ReadsPrevious() bool { return false }
func (dice) ReadsSlept() bool    { return false }

// keepApart draws a layout and looks for texts upon each other, or off the page.
func keepApart(t *testing.T, name string, l layout) {
	t.Helper()
	p := &page{canvas: vgsvg.New(pageWidth, vg.Length(l.height)), height: l.height, pal: palettes[Light]}
	l.draw(p)
	for i, a := range p.texts {
		if a.x0 < margin-6 || a.x1 > pageWidth-margin+6 || a.y1 > l.height-6 {
			t.Errorf("%s: %q leaves the page", name, a.text)
		}
		for _, b := range p.texts[:i] {
			if a.touches(b, 0.5) {
				t.Errorf("%s: %q lies upon %q", name, a.text, b.text)
			}
		}
	}
}

func TestWaitsTextsKeepApart(t *testing.T) {
	for name, w := range odd() {
		w.Name, w.Formula = strings.Repeat("exponential", 6), "min(30 s, 100 ms × 2ⁿ) × (1 ± 10%)"
		keepApart(t, name, waitsLayout(w.cleaned()))
	}
}

func TestWaitsDraws(t *testing.T) {
	for name, w := range odd() {
		theme := map[bool]Theme{true: Light, false: Dark}[len(name)%2 == 0]
		picture, err := Waits(w, theme, PNG)
		if err != nil {
			t.Fatal(err)
		}
		if size, err := png.DecodeConfig(bytes.NewReader(picture)); err != nil || size.Width != 1584 {
			t.Errorf("%s: a PNG %d pixels wide, error %v; want 1584, 11 in at 144 dpi", name, size.Width, err)
		}
		svg, err := Waits(w, theme, SVG)
		again, _ := Waits(w, theme, SVG)
		if err != nil || !bytes.Equal(svg, again) {
			t.Errorf("%s: another SVG the second time, error %v", name, err)
		}
	}
	if _, err := Waits(Waiting{Name: "x"}, "pink", PNG); err == nil {
		t.Error("no error for a theme that there is not")
	}
	if _, err := Waits(Waiting{Name: "x"}, Light, "pdf"); err == nil {
		t.Error("no error for a format that there is not")
	}
}

// The shape of a uniform wait is level, and as wide as the wait; where clients meet there is an atom.
func TestWaitShape(t *testing.T) {
	w := odd()["growing"]
	s := w.shapes()[2] // U[0, 4 s)
	if len(s.atoms) > 0 || len(s.steps) != shapeQuantiles/shapeGroup {
		t.Fatalf("%d atoms and %d steps, want 0 and %d", len(s.atoms), len(s.steps), shapeQuantiles/shapeGroup)
	}
	for _, step := range s.steps {
		if step.height < 0.999 {
			t.Errorf("the step from %v is %v high, want 1", step.from, step.height)
		}
	}
	if first, last := s.steps[0].from, s.steps[len(s.steps)-1].to; first != 0 || last.Round(time.Microsecond) != 4*time.Second {
		t.Errorf("from %v to %v, want 0 to 4s", first, last)
	}
	// min(30 s, 32 s × U[0.9, 1.1)): 1.2 s of the 6.4 s lie below the cap
	s = odd()["meeting"].shapes()[5]
	if len(s.atoms) != 1 || s.atoms[0].at != 30*time.Second || math.Abs(s.atoms[0].share-(1-1.2/6.4)) > 1e-3 {
		t.Errorf("atoms %v, want 81 %% at 30 s", s.atoms)
	}
}

func TestLoad(t *testing.T) {
	for name, want := range map[string]string{
		"growing": "up to 153 requests in 100 ms", // it rises to 1.565 N/s just before 1 s
		"no luck": "all of them in one window of 100 ms, again and again",
		"narrow":  "up to 500 requests in 200 ms", // U[0.9, 1.1) s: half in the window before 1 s, half in the one after
		"meeting": "up to 500 requests in 200 ms",
	} {
		w := odd()[name]
		if got := newLoad(w, loadExtent(w)).finding(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"no wait", "nothing"} {
		w := odd()[name]
		if l := newLoad(w, loadExtent(w)); l != nil {
			t.Errorf("%s: a load of %v, want none", name, l.peak)
		}
	}
}

func TestWaitsTitles(t *testing.T) {
	for name, want := range map[string]string{
		// 2^12 - 1 s of ceilings, half of it on average; the 12th ceiling is 2^11 s
		"growing":  "12 retries of x last 34 min 8 s on average, with waits up to 34 min 8 s",
		"no bound": "12 retries of x last 24.0 s on average, and no wait has a bound",
		"no luck":  "12 retries of x last 12.0 s",
		"one":      "1 retry of x lasts 500 ms on average, with waits up to 1.0 s",
		"nothing":  "x has no waits of its own",
	} {
		if got := waitsLayout(odd()[name]).title; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A client that gives up asks nothing any more: what it asks until then is seen whole, and counts.
func TestLimitedWaits(t *testing.T) {
	full := strategies.FullJitter{Base: time.Second, Factor: 2}
	w := Waiting{Name: "x", Rows: strategies.Describe(full, 3), Strategy: full, GivesUp: "after 3 retries", Ends: true}
	if got, want := loadExtent(w), 7070*time.Millisecond; got != want {
		t.Errorf("the load of three retries, in up to 7 s, is shown for %v, want %v", got, want)
	}
	if got, want := w.Lasts(), 3500*time.Millisecond; got != want {
		t.Errorf("three retries last %v, want %v", got, want)
	}
	w.Longest = 3 * time.Second
	if extent, lasts := loadExtent(w), w.Lasts(); extent != 3030*time.Millisecond || lasts != w.Longest {
		t.Errorf("with a limit of 3 s they are shown for %v and last %v", extent, lasts)
	}
	fixed := Waiting{Rows: strategies.Describe(strategies.Fixed{Delay: time.Second}, 12), Strategy: strategies.Fixed{Delay: time.Second}, Longest: 4 * time.Second}
	sum := 0.0
	for _, d := range fixed.density(100*time.Millisecond, time.Minute) {
		sum += d / 10
	}
	if math.Abs(sum-4) > 1e-9 {
		t.Errorf("%v retries at 1 s, 2 s, ... 4 s, want 4", sum)
	}
	if svg, err := Waits(w, Light, SVG); err != nil || !bytes.Contains(svg, []byte("It gives up after 3 retries.")) {
		t.Errorf("the picture does not say when it gives up; error %v", err)
	}
}

// A logarithmic axis has a place of its own for waits of 0, before its first tick.
func TestZeroOnLogarithmicAxis(t *testing.T) {
	rows := strategies.Describe(strategies.FullJitter{Base: time.Second, Factor: 2}, 12)
	b := waitBars{axis: waitAxis(rows), zero: waitZero, mean: 600}
	if !b.axis.log || !fromZero(rows) {
		t.Fatal("no logarithmic axis with waits of 0")
	}
	if zero, first := b.x(0), b.x(b.axis.min); zero != waitLeft || first != waitLeft+waitZero {
		t.Errorf("0 stands at %v, the first tick at %v; want %v and %v", zero, first, waitLeft, waitLeft+waitZero)
	}
	if fromZero(odd()["narrow"].Rows) {
		t.Error("waits of 0.9 s and more begin at 0")
	}
}

// On a logarithmic axis a bar that begins a nanosecond above 0 would begin far from it.
func TestBarsBeginAtTheShortestWait(t *testing.T) {
	s := strategies.FullJitter{Base: time.Second, Factor: 2}
	w := Waiting{Name: "full-jitter", Rows: strategies.Describe(s, 12), Strategy: s}
	for i, shape := range w.shapes() {
		if from := shape.steps[0].from; from != 0 {
			t.Errorf("the waits before retry %d begin at %v, want 0s", i+1, from)
		}
	}
}
