package figures

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// grid makes a Phase of a drawing: a line a value of Y from the lowest, a digit a cell of ten runs (* is all of them), ? for
// one that shows nothing, a dot for one that was not run.
func grid(x, y Parameter, lines ...string) Phase {
	p := Phase{X: x, Y: y, About: "Scenario metastable, 10 runs in each cell."}
	for _, l := range lines {
		var cells []Stuck
		for _, c := range l {
			switch c {
			case '.':
				cells = append(cells, Stuck{})
			case '?':
				cells = append(cells, Stuck{Undecided: 10})
			case '*':
				cells = append(cells, Stuck{Stuck: 10, Runs: 10})
			default:
				cells = append(cells, Stuck{Stuck: int(c - '0'), Runs: 10})
			}
		}
		p.Cells = append(p.Cells, cells)
	}
	return p
}

func parameter(name, values string) Parameter { return Parameter{name, strings.Fields(values)} }

var (
	burst = parameter("arrivals.phases[1].for", "5s 10s 20s 30s 1m 2m 5m")
	loads = parameter("arrivals.phases[0].rate", "1/s 1.5/s 2/s 3/s 4/s 5/s 6/s 7/s 8/s")
	queue = parameter("downstream.queue", "35 75 150")
	order = parameter("downstream.order", "fifo lifo adaptive")
)

// hotOS is the phase table of R. Isaacs et al., HotOS 2025, as measured again: a queue of 150, 5 retries, a burst of 15/s.
func hotOS() Phase {
	return grid(burst, loads,
		"0000000", "0000000", "01*9*9*", "009****", "019****", "04*****", "039****", "049****", "07*****")
}

func oddPhases() map[string]Phase {
	long := Parameter{Name: strings.Repeat("downstream.", 20)}
	var row []string
	for i := range 60 {
		long.Values = append(long.Values, fmt.Sprintf("exponential(base=1s, cap=%ds)", i))
		row = append(row, strings.Repeat("7", 60))
	}
	return map[string]Phase{
		"table":          hotOS(),
		"words":          grid(order, queue, "000", "30.", "502"),
		"one cell":       grid(parameter("seed", "1"), parameter("workers", "9"), "5"),
		"nothing run":    grid(order, queue),
		"undecided":      grid(order, queue, "???", "9.?", "?00"),
		"no values":      {},
		"no values of x": {Y: queue},
		"long":           grid(long, long, row...),
		"long words":     grid(Parameter{long.Name, long.Values[:9]}, queue, "555555555"),
		"no sense":       {X: order, Y: queue, Cells: [][]Stuck{{{99, 1, 0}, {-1, 5, 0}, {1, -1, -1}, {1, 1, 1}}, nil, {{1e9, 2e9, 0}}, {{1, 1, 0}}}},
	}
}

func TestPhaseTitles(t *testing.T) {
	for _, c := range []struct {
		name  string
		phase Phase
		want  string
	}{
		{"one exception", hotOS(), "Stuck with phases[1].for ≥ 20s and phases[0].rate ≥ 2/s, but for 1 of 63 cases"},
		{"words", grid(order, queue, "000", "500", "*02"), "Stuck with order fifo and queue ≥ 75"},
		{"two words", grid(order, queue, "000", "050", "5*0"), "Stuck in 3 of 9 cases, all of them with order fifo or lifo and queue ≥ 75"},
		{"two words that are alike", grid(order, queue, "0000", "*0*", "*0*"), "Stuck with order fifo or adaptive and queue ≥ 75"},
		{"whatever y", grid(order, queue, "910", "900", "*00"), "Stuck with order fifo, whatever queue is"},
		{"whatever x", grid(order, queue, "000", "000", "999"), "Stuck with queue ≥ 150, whatever order is"},
		{"falling", grid(parameter("limits.max_attempts", "none 4 1"), parameter("a.b", "9% 5% 1%"), "000", "000", "900"), "Stuck with max_attempts none and a.b ≤ 1%"},
		{"small is bad", grid(parameter("x", "1 2 3"), parameter("y", "1_000 20"), "990", "000"), "Stuck with x ≤ 2 and y ≥ 1_000"},
		{"in the middle", grid(parameter("x", "1/min 1/s 2/s 9/s"), parameter("y", "1"), "0990"), "Stuck with x 1/s to 2/s, whatever y is"},
		{"half", grid(order, queue, "000", "000", "005"), "Stuck with order adaptive and queue ≥ 150"},
		{"a diagonal", grid(parameter("x", "1 2 3 4"), parameter("y", "1 2 3 4"), "0009", "0099", "0999", "9999"), "Stuck in 10 of 16 cases"},
		{"never", grid(order, queue, "000", "040", "400"), "It recovers, whatever order and queue are"},
		{"always", grid(order, queue, "555", "***", "995"), "It gets stuck, whatever order and queue are"},
		{"nothing", grid(order, queue), "Nothing was run"},
		{"part never", grid(order, queue, "000", "040", "4.."), "It recovers in the 7 cases that were run, of 9"},
		{"part always", grid(order, queue, "5"), "It gets stuck in the 1 case that was run, of 9"},
		{"part", grid(order, queue, "9.0", "900", "*00"), "Stuck in 3 of the 8 cases that were run, of 9, all with order fifo"},
		{"undecided", grid(order, queue, "???", "???", "???"), "Whether it gets stuck shows in none of 9 cases"},
		{"part decided", grid(order, queue, "???", "00.", "??0"), "It recovers in the 3 cases that are decided, of 9"},
	} {
		if got := c.phase.titles()[0]; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestMagnitude(t *testing.T) {
	for text, want := range map[string]float64{"1_000": 1000, "5%": 5, "12/min": 0.2, "1m30s": 90, "2d": 172_800, "unlimited": 1e300} {
		if got, ok := magnitude(text); !ok || got != want {
			t.Errorf("magnitude(%q) = %v, %t, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "none", "full-jitter", "5/week", "d"} {
		if got, ok := magnitude(text); ok {
			t.Errorf("magnitude(%q) = %v, want none", text, got)
		}
	}
}

func TestPhaseDraws(t *testing.T) {
	for name, phase := range oddPhases() {
		keepApart(t, name, phaseLayout(&phase))
		for _, format := range []Format{PNG, SVG} {
			a, err := DrawPhase(phase, Dark, format)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if b, _ := DrawPhase(phase, Dark, format); !bytes.Equal(a, b) || bytes.Contains(a, []byte("NaN")) {
				t.Errorf("%s as %s: other bytes the second time, or no number", name, format)
			}
		}
	}
	if _, err := DrawPhase(hotOS(), "pink", SVG); err == nil {
		t.Error("no error for a theme that there is not")
	}
	svg, err := DrawPhase(hotOS(), Light, SVG)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "phase", svg)
}

// The heavy line lies along all borders between cells that stick and cells that do not, and nowhere else.
func TestPhaseLine(t *testing.T) {
	for _, c := range []struct {
		phase Phase
		want  int
	}{
		{hotOS(), 7 + 1 + 5},                         // at the left, below 10s at 8/s, below 2/s
		{grid(order, queue, "000", "000", "000"), 0}, // it recovers
		{grid(order, queue, "...", ".9.", "..."), 0}, // beside it nothing was run
		{grid(order, queue, "000", "050", "000"), 4},
	} {
		if got := len(c.phase.borders()); got != c.want {
			t.Errorf("%v: %d borders, want %d", c.phase.Cells, got, c.want)
		}
	}
}

// A ramp passes through its stops, is grey between greys, and its text can be read.
func TestRamp(t *testing.T) {
	grey := ramp{{0, rgb(0x000000)}, {1, rgb(0xFFFFFF)}}
	if got := grey.color(0.5); got != rgb(0x636363) { // OKLab's L = 0.5 is linear light 0.125, sRGB 0x63
		t.Errorf("half way from black to white lies %v", got)
	}
	for theme, p := range palettes {
		for _, s := range p.stuck {
			if got := p.stuck.color(s.at); got != s.color {
				t.Errorf("%s: at %v there is %v, want %v", theme, s.at, got, s.color)
			}
		}
		for i := range 101 {
			c := p.stuck.color(float64(i) / 100)
			text := upon(c, palettes[Dark].background, palettes[Light].background)
			if r := contrast(c, text); r < 4.2 {
				t.Errorf("%s: the text upon %v has a contrast of %.1f", theme, c, r)
			}
		}
		if a, b := p.stuck.color(-1), p.stuck.color(2); a != p.stuck[0].color || b != p.stuck[len(p.stuck)-1].color {
			t.Errorf("%s: beyond its ends the ramp is %v and %v", theme, a, b)
		}
	}
}
