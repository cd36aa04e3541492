package figures

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"herdsim/strategies"
)

// some returns odd strategies under their own names.
func some(names ...string) []Waiting {
	all := odd()
	var ws []Waiting
	for _, name := range names {
		w := all[name]
		w.Name = name
		ws = append(ws, w)
	}
	return ws
}

func TestCompareTextsKeepApart(t *testing.T) {
	for _, names := range [][]string{
		{"growing", "capped"}, {"no luck", "no wait", "no bound"}, {"no wait", "nothing"}, {"nanosecond", "unequal", "saturated"},
		{"growing", "capped", "no bound", "no luck", "narrow", "meeting", "unequal", "no wait", "one", "saturated", "nanosecond", "too many"},
	} {
		ws := some(names...)
		if len(ws) < MostCompared {
			keepApart(t, strings.Join(names, ", "), newSideBySide(ws).layout())
		}
		for i := range ws {
			ws[i].Name, ws[i].Formula = strings.Repeat("exponential", 5), "min(30 s, 100 ms × 2ⁿ) × (1 ± 10%); 12 attempts; ignores Retry-After"
		}
		keepApart(t, strings.Join(names, ", ")+" with long names", newSideBySide(ws).layout())
	}
}

func TestCompareTitles(t *testing.T) {
	for _, tt := range []struct {
		names []string
		want  string
	}{
		{[]string{"growing", "meeting"}, "Busiest 200 ms of 1,000 workers: 500 requests under meeting, 301 under growing"},
		{[]string{"no luck", "no luck"}, "Busiest 100 ms of 1,000 workers: 1,000 requests, whichever they follow"},
		{[]string{"no wait", "no wait"}, "None of these strategies brings a herd back to look at"},
	} {
		if got := newSideBySide(some(tt.names...)).layout().title; got != tt.want {
			t.Errorf("%v: %q, want %q", tt.names, got, tt.want)
		}
	}
}

// A strategy that is far slower than the other is off the axis, and its peak is counted all the same.
func TestBusiest(t *testing.T) {
	slow := strategies.Fixed{Delay: time.Hour}
	ws := append(some("no luck", "no wait"), Waiting{Name: "slow", Rows: strategies.Describe(slow, 12), Strategy: slow})
	window, most := Busiest(ws)
	if window != 500*time.Millisecond || !slices.Equal(most, []float64{1000, math.Inf(1), 1000}) {
		t.Errorf("%v in %v, want 1000, +Inf, 1000 in 500ms", most, window)
	}
	if c := newSideBySide(ws); c.loads[2] != nil || c.why(2) != "no retry within 100 s" {
		t.Errorf("%v, %q; want no load, and why", c.loads[2], c.why(2))
	}
}

func TestStrategyGolden(t *testing.T) {
	capped := some("capped")[0]
	waits, err := Waits(capped, Light, SVG)
	if err != nil {
		t.Fatal(err)
	}
	compared, err := Compare(some("meeting", "growing"), Dark, SVG)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string][]byte{"waits": waits, "compare": compared} {
		golden(t, name, got)
	}
	again, err := Compare(some("meeting", "growing"), Dark, SVG)
	if err != nil || !bytes.Equal(again, compared) {
		t.Errorf("another picture the second time, error %v", err)
	}
}
