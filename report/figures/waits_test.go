package figures

import (
	"bytes"
	"image/png"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"

	"herdsim/strategies"
)

// oddWaits are tables of every kind that the picture has to cope with.
func oddWaits() map[string][]strategies.WaitStats {
	full := strategies.FullJitter{Base: time.Second, Factor: 2}
	capped := strategies.Decorrelated{Base: 100 * time.Millisecond, Factor: 3, Cap: 20 * time.Second}
	return map[string][]strategies.WaitStats{
		"growing":   strategies.Describe(full, 12),
		"capped":    strategies.Describe(capped, 12),
		"no bound":  strategies.Describe(strategies.Memoryless{Mean: 2 * time.Second}, 12),
		"no luck":   strategies.Describe(strategies.Fixed{Delay: time.Second}, 12),
		"no wait":   strategies.Describe(strategies.Immediate{}, 12),
		"one":       strategies.Describe(full, 1),
		"too many":  strategies.Describe(full, 400),
		"saturated": strategies.Describe(strategies.Exponential{Base: 1 << 62, Factor: 1000}, 12),
		"nothing":   nil,
	}
}

func TestWaitsTextsKeepApart(t *testing.T) {
	for name, rows := range oddWaits() {
		l := waitsLayout(strings.Repeat("exponential", 6), "min(30 s, 100 ms × 2ⁿ) × (1 ± 10%)", rows)
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
}

func TestWaitsDraws(t *testing.T) {
	for name, rows := range oddWaits() {
		for _, theme := range []Theme{Light, Dark} {
			picture, err := Waits("full-jitter", "U[0, 1 s × 2ⁿ)", rows, theme, PNG)
			if err != nil {
				t.Fatal(err)
			}
			if size, err := png.DecodeConfig(bytes.NewReader(picture)); err != nil || size.Width != 1584 {
				t.Errorf("%s: a PNG %d pixels wide, error %v; want 1584, 11 in at 144 dpi", name, size.Width, err)
			}
			svg, err := Waits("full-jitter", "U[0, 1 s × 2ⁿ)", rows, theme, SVG)
			again, _ := Waits("full-jitter", "U[0, 1 s × 2ⁿ)", rows, theme, SVG)
			if err != nil || !bytes.Equal(svg, again) {
				t.Errorf("%s: another SVG the second time, error %v", name, err)
			}
		}
	}
	if _, err := Waits("x", "", nil, "pink", PNG); err == nil {
		t.Error("no error for a theme that there is not")
	}
	if _, err := Waits("x", "", nil, Light, "pdf"); err == nil {
		t.Error("no error for a format that there is not")
	}
}

func TestWaitsTitles(t *testing.T) {
	odd := oddWaits()
	for name, want := range map[string]string{
		// 2^12 - 1 s of ceilings, half of it on average; the 12th ceiling is 2^11 s
		"growing":  "12 retries of x last 34.1 min on average, with waits up to 34.1 min",
		"no bound": "12 retries of x last 24 s on average, and no wait has a bound",
		"no luck":  "12 retries of x last 12 s",
		"one":      "1 retry of x lasts 0.5 s on average, with waits up to 1 s",
		"nothing":  "x has no waits of its own",
	} {
		if got := waitsLayout("x", "", odd[name]).title; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
