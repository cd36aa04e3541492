package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
)

// A Phase is a grid over two parameters of a scenario under one strategy: how the runs of each cell ended.
type Phase struct {
	Version    string // of herdsim
	Setup      Setup  // of the scenario without what the axes change
	Strategy   string
	X, Y       PhaseAxis
	Cells      [][]Endings // by Y, then by X; what was not run to the end is zero
	Replicates int         // of each cell
	Partial    bool        // interrupted: some cells are missing
	Scenario   json.RawMessage
}

// A PhaseAxis is what is varied, and its values as text.
type PhaseAxis struct {
	Path   string   `json:"field"`
	Values []string `json:"values"`
}

// Endings counts what became of runs.
type Endings struct {
	Recovered  int
	Stuck      int // not well at the end
	Overloaded int // of these, by a load that exceeds the capacity itself
	Undecided  int
}

// Add counts a run.
func (e *Endings) Add(v *Verdict) {
	switch yes, ok := v.Recovered(); {
	case !ok:
		e.Undecided++
	case yes:
		e.Recovered++
	default:
		e.Stuck++
		if v.State == Overloaded {
			e.Overloaded++
		}
	}
}

// Runs returns how many runs there were.
func (e Endings) Runs() int { return e.Recovered + e.Stuck + e.Undecided }

// StuckShare returns the share of the decided runs that got stuck, none if no run is decided.
func (e Endings) StuckShare() Number { return per(float64(e.Stuck), float64(e.Recovered+e.Stuck)) }

// phaseColumns are those of phase.csv.
var phaseColumns = []string{
	"scenario", "strategy", "x_field", "x", "y_field", "y", "runs", "recovered", "stuck", "overloaded", "undecided", "stuck_share",
}

// WriteCSV writes phase.csv: a header, then a line for each cell, row by row of Y. What was not run has 0 runs and no
// share.
func (p *Phase) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	_ = c.Write(phaseColumns) // Flush has the error
	for y, row := range p.Cells {
		for x, e := range row {
			share := ""
			if s := e.StuckShare(); s.OK {
				share = ExactFloat(s.Value)
			}
			cells := []string{p.Setup.Name, p.Strategy, p.X.Path, p.X.Values[x], p.Y.Path, p.Y.Values[y]}
			for _, n := range []int{e.Runs(), e.Recovered, e.Stuck, e.Overloaded, e.Undecided} {
				cells = append(cells, strconv.Itoa(n))
			}
			_ = c.Write(append(cells, share))
		}
	}
	c.Flush()
	return c.Error()
}

// A phaseDocument is phase.json.
type phaseDocument struct {
	FormatVersion int             `json:"format_version"`
	Version       string          `json:"herdsim_version"`
	GOOS          string          `json:"goos"`
	GOARCH        string          `json:"goarch"`
	Partial       bool            `json:"partial"`
	Strategy      string          `json:"strategy"`
	Replicates    int             `json:"replicates"`
	X             PhaseAxis       `json:"x"`
	Y             PhaseAxis       `json:"y"`
	Cells         []phaseCell     `json:"cells"`
	Scenario      json.RawMessage `json:"scenario"` // whole, with defaults, before the axes change it
}

type phaseCell struct {
	X          string   `json:"x"`
	Y          string   `json:"y"`
	Runs       int      `json:"runs"`
	Recovered  int      `json:"recovered"`
	Stuck      int      `json:"stuck"`
	Overloaded int      `json:"overloaded"`
	Undecided  int      `json:"undecided"`
	StuckShare *float64 `json:"stuck_share"`
}

// WriteJSON writes phase.json.
func (p *Phase) WriteJSON(w io.Writer) error {
	d := phaseDocument{
		FormatVersion: FormatVersion, Version: p.Version, GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Partial: p.Partial,
		Strategy: p.Strategy, Replicates: p.Replicates, X: p.X, Y: p.Y, Cells: []phaseCell{}, Scenario: p.Scenario,
	}
	for y, row := range p.Cells {
		for x, e := range row {
			c := phaseCell{
				X: p.X.Values[x], Y: p.Y.Values[y], Runs: e.Runs(), Recovered: e.Recovered, Stuck: e.Stuck,
				Overloaded: e.Overloaded, Undecided: e.Undecided,
			}
			if s := e.StuckShare(); s.OK {
				c.StuckShare = &s.Value
			}
			d.Cells = append(d.Cells, c)
		}
	}
	text, err := marshal(d, "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

func (p *Phase) heading() string { return (&Report{Setup: p.Setup}).heading() }

// About says what was run: "scenario mm1, strategy fixed, 10 runs in each cell, seed 1".
func (p *Phase) About() string {
	about := fmt.Sprintf("scenario %s, strategy %s, %s in each cell, seed %d", p.Setup.Name, p.Strategy, plural(float64(p.Replicates), "run"), p.Setup.Seed)
	if n := p.missing(); n > 0 {
		about += fmt.Sprintf(", %s not run", plural(float64(n), "cell"))
	}
	return about
}

func (p *Phase) missing() (n int) {
	for _, row := range p.Cells {
		for _, e := range row {
			if e.Runs() == 0 {
				n++
			}
		}
	}
	return n
}

// cell writes how many runs got stuck, of how many if that is not all.
func (p *Phase) cell(e Endings) string {
	switch decided := e.Recovered + e.Stuck; {
	case e.Runs() == 0:
		return "-"
	case decided == 0:
		return "?"
	case decided < p.Replicates:
		return fmt.Sprintf("%d/%d", e.Stuck, decided)
	}
	return strconv.Itoa(e.Stuck)
}

// notes says what the numbers in the cells are.
func (p *Phase) notes() []string {
	var stick, never, overloaded, undecided, decided int
	for _, row := range p.Cells {
		for _, e := range row {
			undecided, overloaded = undecided+e.Undecided, overloaded+e.Overloaded
			share := e.StuckShare()
			if !share.OK {
				continue
			}
			decided++
			switch {
			case share.Value >= 0.5:
				stick++
			case e.Stuck == 0:
				never++
			}
		}
	}
	var notes []string
	if decided > 0 {
		half := "half of the runs"
		if undecided > 0 {
			half = "with decided runs half of these"
		}
		notes = append(notes, fmt.Sprintf("In %s of %s %s or more get stuck, in %s none.",
			Count(int64(stick)), plural(float64(decided), "cell"), half, Count(int64(never))))
	} else {
		notes = append(notes, "No run shows whether it gets stuck.")
	}
	if overloaded > 0 {
		notes = append(notes, fmt.Sprintf("%s got stuck by a load that itself exceeds the capacity.", plural(float64(overloaded), "run")))
	}
	if undecided > 0 {
		notes = append(notes, fmt.Sprintf("%s undecided and left out: the traffic ends too soon after the trigger, or is too short.", plural(float64(undecided), "run")))
	}
	if n := p.missing(); n > 0 {
		notes = append(notes, fmt.Sprintf("%s not run to the end: interrupted.", plural(float64(n), "cell")))
	}
	return notes
}

// WriteText writes the grid as a table for a terminal, in several parts if it is wider than that.
func (p *Phase) WriteText(w io.Writer, o TextOptions) error {
	o.Width = max(o.Width, leastWidth)
	t := &textWriter{report: &Report{}, options: &o, paint: newPaint(o.Color)}
	t.line()
	t.paragraph(p.heading(), strong)
	t.paragraph(p.About(), plain)
	t.paragraph("runs that got stuck, across: "+p.X.Path+", down: "+p.Y.Path, faint)
	names := lipgloss.Width(p.Y.Path)
	for _, v := range p.Y.Values {
		names = max(names, lipgloss.Width(t.options.text(v)))
	}
	names = min(names, o.Width/3)
	for from := 0; from < len(p.X.Values); {
		from = p.part(t, names, from)
	}
	t.line()
	for _, n := range p.notes() {
		t.paragraph(n, plain)
	}
	_, err := io.WriteString(w, t.out.String())
	return err
}

// part writes the columns from one on that fit, and returns the next.
func (p *Phase) part(t *textWriter, names, from int) (next int) {
	var widths []int
	room := t.options.Width - margin - names
	for next = from; next < len(p.X.Values); next++ {
		width := lipgloss.Width(t.options.text(p.X.Values[next]))
		for _, row := range p.Cells {
			width = max(width, len(p.cell(row[next])))
		}
		width = min(width, t.options.Width/2)
		if room -= gap + width; room < 0 && next > from {
			break
		}
		widths = append(widths, width)
	}
	t.line()
	glyphs := t.options.glyphs()
	head := ""
	for i, width := range widths {
		head += blanks(gap) + padLeft(ellipsize(t.options.text(p.X.Values[from+i]), width, glyphs.ellipsis), width)
	}
	t.line(piece{padLeft("", names), plain}, piece{head, faint})
	for y, row := range p.Cells {
		line := []piece{{padLeft(ellipsize(t.options.text(p.Y.Values[y]), names, glyphs.ellipsis), names), plain}}
		for i, width := range widths {
			tone := plain
			if share := row[from+i].StuckShare(); share.OK && share.Value >= 0.5 {
				tone = overloads
			}
			text := p.cell(row[from+i])
			line = append(line, piece{blanks(gap + width - len(text)), plain}, piece{text, tone})
		}
		t.line(line...)
	}
	return next
}

// WriteMarkdown writes the grid as a GitHub table.
func (p *Phase) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n%s; runs that got stuck.\n\n", escapeMarkdown(p.heading()), escapeMarkdown(p.About()))
	b.WriteString("| " + escapeMarkdown(p.Y.Path+" \\ "+p.X.Path) + " |")
	rule := "|---:|"
	for _, v := range p.X.Values {
		b.WriteString(" " + escapeMarkdown(v) + " |")
		rule += "---:|"
	}
	b.WriteString("\n" + rule + "\n")
	for y, row := range p.Cells {
		b.WriteString("| " + escapeMarkdown(p.Y.Values[y]) + " |")
		for _, e := range row {
			b.WriteString(" " + p.cell(e) + " |")
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	for _, n := range p.notes() {
		b.WriteString("- " + escapeMarkdown(n) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
