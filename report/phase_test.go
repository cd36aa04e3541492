package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/google/go-cmp/cmp"
)

// partialMap has a cell of each kind.
func partialMap() *Phase {
	return &Phase{
		Version: "test", Setup: Setup{Name: "toy", Seed: 7}, Strategy: "fixed", Replicates: 4, Partial: true,
		X: PhaseAxis{"load", []string{"1x", "2x", "3x"}}, Y: PhaseAxis{"task.timeout", []string{"500ms", "1s"}},
		Cells: [][]Endings{
			{{Recovered: 4}, {Recovered: 1, Stuck: 3}, {Stuck: 4, Overloaded: 4}},
			{{Undecided: 4}, {Recovered: 1, Stuck: 1, Undecided: 2}, {}},
		},
		Scenario: json.RawMessage(`{}`),
	}
}

func TestPhaseText(t *testing.T) {
	var b strings.Builder
	if err := partialMap().WriteText(&b, TextOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	want := `
  toy
  scenario toy, strategy fixed, 4 runs in each cell, seed 7, 1 cell not run
  runs that got stuck, across: load, down: task.timeout

                1x   2x  3x
         500ms   0    3   4
            1s   ?  1/2   -

  In 3 of 4 cells with decided runs half of these or more get stuck, in 1 none.
  4 runs got stuck by a load that itself exceeds the capacity.
  6 runs undecided and left out: the traffic ends too soon after the trigger, or
    is too short.
  1 cell not run to the end: interrupted.
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestPhaseNotesOfWhatIsUndecided(t *testing.T) {
	undecided := Endings{Undecided: 2}
	p := &Phase{Replicates: 2, Cells: [][]Endings{{undecided, undecided}, {undecided, undecided}}}
	want := []string{
		"No run shows whether it gets stuck.",
		"8 runs undecided and left out: the traffic ends too soon after the trigger, or is too short.",
	}
	if diff := cmp.Diff(want, p.notes()); diff != "" {
		t.Error(diff)
	}
	p.Cells[1][1] = Endings{Stuck: 1, Undecided: 1}
	if got, want := p.notes()[0], "In 1 of 1 cell with decided runs half of these or more get stuck, in 0 none."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPhaseTextFitsTheTerminal(t *testing.T) {
	p := partialMap()
	p.X.Values = nil
	for i := range 40 {
		p.X.Values = append(p.X.Values, strings.Repeat("v", 3+i))
	}
	for y := range p.Cells {
		p.Cells[y] = make([]Endings, 40)
	}
	p.Y.Values = []string{strings.Repeat("w", 70), "群"}
	for _, width := range []int{60, 100} {
		for _, ascii := range []bool{false, true} {
			var b strings.Builder
			if err := p.WriteText(&b, TextOptions{Width: width, ASCII: ascii}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(b.String()) {
				if n := lipgloss.Width(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("a line of %d in a width of %d: %q", n, width, line)
				}
				if ascii && strings.ContainsFunc(line, func(r rune) bool { return r > 126 }) {
					t.Errorf("not ASCII: %q", line)
				}
			}
		}
	}
}

func TestPhaseCSVHasNoShareWithoutRuns(t *testing.T) {
	var b bytes.Buffer
	if err := partialMap().WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for i, want := range map[int]string{
		2: "toy,fixed,load,2x,task.timeout,500ms,4,1,3,0,0,0.75", 4: "toy,fixed,load,1x,task.timeout,1s,4,0,0,0,4,",
		5: "toy,fixed,load,2x,task.timeout,1s,4,1,1,0,2,0.5", 6: "toy,fixed,load,3x,task.timeout,1s,0,0,0,0,0,",
	} {
		if lines[i] != want {
			t.Errorf("line %d is %s, want %s", i, lines[i], want)
		}
	}
}

func TestPhaseJSONIsWhole(t *testing.T) {
	var b bytes.Buffer
	if err := partialMap().WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var d phaseDocument
	if err := json.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if !d.Partial || d.FormatVersion != FormatVersion || len(d.Cells) != 6 || d.Cells[5].StuckShare != nil || *d.Cells[4].StuckShare != 0.5 {
		t.Errorf("%+v", d)
	}
}
