package report

import (
	"strings"
	"testing"
	"time"

	"herdsim/sim"

	"charm.land/lipgloss/v2"
)

// drawn joins pieces.
func drawn(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
	}
	return b.String()
}

func TestSparkline(t *testing.T) {
	cols := []column{{failure: 9}, {load: 1, failure: 9}, {}, {load: 16}, {load: 17}, {load: 36}, {load: 64}}
	line := sparkline(cols, 64, 16, &blocks)
	if got, want := drawn(line), "░▁·▄▅▆█"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := drawn(sparkline(cols, 64, 16, &asciiGlyphs)), "x._+*#@"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	// Blue up to the capacity, orange above, grey for the failure and for nothing.
	var tones []tone
	for _, p := range line {
		tones = append(tones, p.tone)
	}
	want := []tone{faint, fits, faint, fits, overloads}
	if len(tones) != len(want) {
		t.Fatalf("tones %v, want %v", tones, want)
	}
	for i := range want {
		if tones[i] != want[i] {
			t.Errorf("tones %v, want %v", tones, want)
		}
	}
	for _, p := range sparkline(cols, 64, 0, &blocks) {
		if p.tone == overloads {
			t.Errorf("%s overloads a downstream without a bound", p.text)
		}
	}
}

func TestLevel(t *testing.T) {
	for _, c := range []struct {
		n, top      int64
		steps, want int
	}{
		{0, 100, 8, 0}, {1, 1_000_000, 8, 1}, {100, 100, 8, 8}, {25, 100, 8, 4}, {26, 100, 8, 5}, {200, 100, 8, 8},
		{5, 0, 8, 0}, {-1, 100, 8, 0},
	} {
		if got := level(c.n, c.top, c.steps); got != c.want {
			t.Errorf("level(%d of %d, %d steps) = %d, want %d", c.n, c.top, c.steps, got, c.want)
		}
	}
}

// lasting returns a run whose last request is in window n-1.
func lasting(n int64) digest {
	e := entry("fixed", toy(1, 0, wave{index: n - 1, served: 1}))
	return newDigest(&e, e.Runs, "arrival")
}

func TestChooseScale(t *testing.T) {
	for _, c := range []struct {
		name    string
		ends    []int64
		columns int
		want    timeScale
	}{
		{"fits", []int64{50}, 60, timeScale{50, 1, window}},
		{"at least 24", []int64{3}, 60, timeScale{24, 1, window}},
		{"one window too many", []int64{61}, 60, timeScale{31, 2, window}},
		{"three of many", []int64{180}, 60, timeScale{60, 3, window}},
		{"an outlier is cut", []int64{50, 55, 69, 113, 149, 160, 310}, 80, timeScale{80, 2, window}},
		{"an outlier fills what is left", []int64{20, 20, 90}, 60, timeScale{60, 1, window}},
		{"of two none is", []int64{10, 300}, 100, timeScale{100, 3, window}},
		{"no run", nil, 60, timeScale{24, 1, window}},
	} {
		var ds []digest
		for _, n := range c.ends {
			ds = append(ds, lasting(n))
		}
		if got := chooseScale(ds, window, c.columns); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestFoldKeepsTheBusiestWindow(t *testing.T) {
	r := toy(100, 0, wave{index: 0, failure: 30}, wave{index: 1, failure: 5, served: 2}, wave{index: 2, served: 7},
		wave{index: 3, served: 4}, wave{index: 6, served: 1})
	scale := timeScale{columns: 3, per: 2, window: window}
	got, more := scale.fold(r)
	want := []column{{load: 2, failure: 30}, {load: 7}, {}}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("columns %v, want %v", got, want)
		}
	}
	if !more {
		t.Error("it does not say that it goes on")
	}
	r.Windows[4] = sim.Window{Index: 6, Wasted: 1}
	if _, more := scale.fold(r); more {
		t.Error("it goes on with work, not with requests")
	}
}

func TestAxis(t *testing.T) {
	for _, c := range []struct {
		columns int
		per     int64
		window  time.Duration
		width   int
		want    string
	}{
		{64, 1, 250 * time.Millisecond, 80, "0                   5                   10                  15 s"},
		{24, 1, 100 * time.Millisecond, 60, "0         1         2 s"},
		{24, 1, 10 * time.Millisecond, 60, "0         100       200 ms"},
		{24, 1, time.Microsecond, 60, "0         10        20 µs"},
		{24, 1, 1, 60, "0         10        20 ns"},
		{40, 100, time.Second, 60, "0           20          40          60 min"},
		{40, 1, time.Hour, 60, "0           12          24          36 h"},
		{60, 7, 24 * time.Hour, 80, "0             100           200           300            400 d"},
		{24, 3_842_000_000, 100 * time.Millisecond, 60, "0          50,000     100,000 d"},
	} {
		got := axis(timeScale{c.columns, c.per, c.window}, c.width)
		if got != c.want {
			t.Errorf("%d columns of %v: %q, want %q", c.columns, time.Duration(c.per)*c.window, got, c.want)
		}
	}
}

func TestEllipsize(t *testing.T) {
	for _, c := range []struct {
		s     string
		width int
		want  string
	}{
		{"fixed", 5, "fixed"},
		{"exponential-10%", 9, "expo…-10%"},
		{"exponential-10%", 8, "expo…10%"},
		{"exponential-10%", 1, "…"},
		{"exponential-10%", 0, ""},
		{"群群群群群", 7, "群…群群"},
		{"abcdefe\u0301", 4, "ab…e\u0301"},
		{"", 3, ""},
	} {
		got := ellipsize(c.s, c.width, "…")
		if got != c.want || lipgloss.Width(got) > c.width {
			t.Errorf("ellipsize(%q, %d) = %q, want %q", c.s, c.width, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		s     string
		width int
		want  string
	}{
		{"", 10, ""},
		{"one two three", 9, "one two\n  three"},
		{"waits for 25.6 s. All 3 of them", 14, "waits for\n  25.6 s. All\n  3 of them"},
		{"abcdefghijklmno xyz", 6, "abcdef\n  ghij\n  klmn\n  o\n  xyz"},
		{"群群群群", 5, "群群\n  群\n  群"},
	} {
		if got := strings.Join(wrap(c.s, c.width, 2), "\n"); got != c.want {
			t.Errorf("wrap(%q, %d) =\n%s\nwant\n%s", c.s, c.width, got, c.want)
		}
	}
}

func TestTallPlot(t *testing.T) {
	p := tallPlot{columns: []column{{load: 9, failure: 36}, {load: 36}, {load: 1}, {}}, top: 36, limit: 1, glyphs: &blocks}
	want := []string{"36 ░█  ", "   ░█  ", "   ░█  ", "9 ██  ", "capacity 1 ██╌╌", "   ███ ", "0 ▔▔▔▔"} // 1 just fits under its line
	for i, label := range p.labels() {
		if label == "" {
			label = "  "
		}
		if got := label + " " + drawn(p.row(i)); got != want[i] {
			t.Errorf("line %d: %q, want %q", i, got, want[i])
		}
	}
	if top := tallTop(99.5, p.columns); top != 100 {
		t.Errorf("the upper edge is %d, want the capacity, 100", top)
	}
}
