package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
)

// interruptedWhy has a lever of each kind: with a bracket, without, and one that was interrupted.
func interruptedWhy() *Why {
	end := func(value string, e Endings) WhyEnd { return WhyEnd{Value: value, Words: value + " words", Endings: e} }
	var many []WhyEnd
	for _, v := range strings.Split("abcdefghijkl", "") {
		many = append(many, end(v, Endings{Stuck: 3}))
	}
	return &Why{
		Version: "test", Setup: Setup{Name: "toy", Seed: 7}, Replicates: 5, Partial: true, Scenario: json.RawMessage(`{}`),
		Strategies: []WhyStrategy{
			{
				Name: "down", Sticks: true, Searched: true, Endings: Endings{Stuck: 4, Recovered: 1}, Verdict: Verdict{State: Stuck},
				Levers: []WhyLever{
					{
						Field: "load", Now: end("1x", Endings{}), Found: true, Runs: 20,
						Recovers: end("0.5x", Endings{Recovered: 5}), Sticks: end("0.51x", Endings{Stuck: 3, Recovered: 2}),
						Tried: []WhyEnd{end("1x", Endings{Stuck: 3}), end("0.5x", Endings{Recovered: 5})},
					},
					{Field: "downstream.queue", Now: end("unlimited", Endings{}), Tried: many, Runs: 36},
					{Field: "task.timeout", Now: end("1s", Endings{}), Tried: many[:2], Runs: 6, Remark: "interrupted"},
				},
				Cures: []WhyCure{{"a=b", "a cure", Endings{Recovered: 5}}, {"c=d", "a placebo", Endings{Recovered: 2, Stuck: 3}}},
			},
			{Name: "up", Endings: Endings{Recovered: 5}, Verdict: Verdict{State: NeverDown}},
			{Name: "short", Endings: Endings{Undecided: 5}, Remark: "not searched: why"},
			{Name: "late"},
		},
	}
}

func whyText(t *testing.T, w *Why, o TextOptions) string {
	t.Helper()
	var b strings.Builder
	if err := w.WriteText(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWhyText(t *testing.T) {
	text := whyText(t, interruptedWhy(), TextOptions{Width: 120})
	for _, want := range []string{
		"  down: stuck in 4 of 5 runs: no, stuck", "  up: recovers in 5 of 5 runs: yes, never down\n", "  short: undecided: ",
		"  late: not run to the end\n", "  short: not searched: why\n",
		"  load                     1x words  0.5x words (5 of 5)  0.51x words (3 of 5)    20\n",
		"  downstream.queue: recovers at no value tried: a words; b words; c words; d words; ...; i words; j words; k words; l",
		"  task.timeout: recovers at no value tried: a words; b words\n", "  task.timeout: interrupted\n",
		"  down would recover, with equal luck, by any one of: load at 0.5x words instead of 1x words; a cure.\n",
		"  Alone none of these frees it: downstream.queue; a placebo.\n", // and not the timeout, which was not tried to the end
		"interrupted: this is what was found until then\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text has no %q:\n%s", want, text)
		}
	}
	w := interruptedWhy()
	w.Strategies[0].Sticks = false
	if text := whyText(t, w, TextOptions{Width: 120}); !strings.Contains(text, "down would get stuck, with equal luck, by any one of: load at 0.51x words instead of 1x words.") ||
		!strings.Contains(text, "sticks at no value tried") {
		t.Error(text)
	}
}

func TestWhyTextFitsTheTerminal(t *testing.T) {
	for _, width := range []int{60, 80, 132} {
		text := whyText(t, interruptedWhy(), TextOptions{Width: width, ASCII: true})
		for line := range strings.Lines(text) {
			if n := lipgloss.Width(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("a line of %d in a width of %d: %q", n, width, line)
			}
		}
		if strings.ContainsFunc(text, func(r rune) bool { return r > 126 }) {
			t.Error("not ASCII")
		}
	}
}

func TestWhyForMachines(t *testing.T) {
	w := interruptedWhy()
	var b bytes.Buffer
	if err := w.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll() // which wants all rows equally long
	if err != nil || len(rows) != 6 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if got, want := strings.Join(rows[1], ","), "toy,down,true,load,1x,0.5x,5,5,0.51x,5,3,20,"; got != want {
		t.Errorf("row %s, want %s", got, want)
	}
	if got, want := strings.Join(rows[3], ","), "toy,down,true,task.timeout,1s,,,,,,,6,recovers at no value tried: a words; b words; interrupted"; got != want {
		t.Errorf("row %s, want %s", got, want)
	}

	b.Reset()
	if err := w.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var d whyDocument
	if err := json.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	first := d.Strategies[0]
	if !d.Partial || len(d.Strategies) != 4 || first.Levers[0].Sticks.Stuck != 3 || first.Levers[1].Recovers != nil || len(first.Levers[1].Tried) != 12 {
		t.Errorf("%+v", d)
	}

	b.Reset()
	if err := w.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| load | 1x words | 0.5x words (5 of 5) | 0.51x words (3 of 5) | 20 |\n", "- a placebo: recovers in 2 of 5\n", "\nInterrupted: "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the markdown has no %q:\n%s", want, &b)
		}
	}
}
