package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
)

// A Why says what keeps a scenario down and what would free it, or, where it recovers, how far it is from sticking.
type Why struct {
	Version    string // of herdsim
	Setup      Setup
	Replicates int
	Partial    bool // interrupted: what was found until then
	Strategies []WhyStrategy
	Scenario   json.RawMessage
}

// A WhyStrategy is what was found of one strategy.
type WhyStrategy struct {
	Name     string
	Endings  Endings
	Verdict  Verdict // of the first run that ended as most did
	Sticks   bool    // half of the runs or more
	Searched bool    // there is something in Levers
	Herd     bool    // there is no other traffic: it does not get stuck, but not all of it is served
	Remark   string  // why not, or which lever is left out; "" for nothing to say
	Entry    Entry   // for the conditions
	Levers   []WhyLever
	Cures    []WhyCure
}

// A WhyLever is a number of the scenario that was turned alone, with the bracket in which the ending changes.
type WhyLever struct {
	Field            string
	Now              WhyEnd // how it ends is in Tried
	Found            bool
	Recovers, Sticks WhyEnd   // if Found
	Tried            []WhyEnd // in the order in which they were played
	Runs             int
	Remark           string // what could not be found, or was left undone; "" for nothing
}

// A WhyEnd is a value that was played, and how its runs ended.
type WhyEnd struct {
	Value, Words string // as --set or a sweep takes it, and for people
	Endings
}

// A WhyCure is a change that was tried as it is.
type WhyCure struct {
	Set, Words string // as --set takes it, and for people
	Endings
}

// recovers says how many runs did.
func (e Endings) recovers() string { return fmt.Sprintf("%d of %d", e.Recovered, e.Runs()) }

func (e Endings) sticks() string { return fmt.Sprintf("%d of %d", e.Stuck, e.Runs()) }

func (w *Why) report(s *WhyStrategy) *Report {
	r := &Report{Setup: w.Setup}
	if s != nil {
		r.Entries = []Entry{s.Entry}
	}
	return r
}

// headline says how the runs of a strategy ended, with the verdict on one of them.
func (s *WhyStrategy) headline() string {
	switch {
	case s.Endings.Runs() == 0:
		return "not run to the end"
	case s.Sticks:
		return s.words().stuck + " in " + s.Endings.sticks() + " runs: " + s.Verdict.Answer()
	case 2*s.Endings.Recovered > s.Endings.Runs():
		return s.words().recovers + " in " + s.Endings.recovers() + " runs: " + s.Verdict.Answer()
	}
	return "undecided: " + s.Verdict.Answer()
}

// endingWords are what is said of the two ways in which runs end.
type endingWords struct{ recovers, sticks, stuck, frees, fells, noCure, noHarm string }

func (s *WhyStrategy) words() endingWords {
	if s.Herd {
		return endingWords{
			"all served", "not all served", "not all served", "would serve everyone", "would not serve everyone",
			"Alone none of these serves everyone: ", "Nothing was found that leaves somebody unserved by turning: ",
		}
	}
	return endingWords{
		"recovers", "sticks", "stuck", "would recover", "would get stuck",
		"Alone none of these frees it: ", "Nothing was found that makes it stick by turning: ",
	}
}

// ends writes both ends of a bracket, or "-".
func (l *WhyLever) ends() (recovers, sticks string) {
	if !l.Found {
		return "-", "-"
	}
	return l.Recovers.Words + " (" + l.Recovers.recovers() + ")", l.Sticks.Words + " (" + l.Sticks.sticks() + ")"
}

// nothing says of a lever without a bracket where it was looked for.
func (s *WhyStrategy) nothing(l *WhyLever) string {
	if l.Found {
		return ""
	}
	does := s.words().recovers
	if !s.Sticks {
		does = s.words().sticks
	}
	var tried []string
	const most = 8
	for i, end := range l.Tried {
		switch {
		case len(l.Tried) <= most || i < most/2 || i >= len(l.Tried)-most/2:
			tried = append(tried, end.Words)
		case i == most/2:
			tried = append(tried, "...")
		}
	}
	return does + " at no value tried: " + strings.Join(tried, "; ")
}

// sentences say what was found of a strategy.
func (s *WhyStrategy) sentences() []string {
	var found, none, helped, idle []string
	for i := range s.Levers {
		l := &s.Levers[i]
		switch {
		case !l.Found && l.Remark == "":
			none = append(none, l.Field)
		case !l.Found: // not all was tried
		case s.Sticks:
			found = append(found, l.Field+" at "+l.Recovers.Words+" instead of "+l.Now.Words)
		default:
			found = append(found, l.Field+" at "+l.Sticks.Words+" instead of "+l.Now.Words)
		}
	}
	for _, c := range s.Cures {
		if 2*c.Recovered > c.Runs() {
			helped = append(helped, c.Words)
		} else {
			idle = append(idle, c.Words)
		}
	}
	var out []string
	add := func(words []string, before, after string) {
		if len(words) > 0 {
			out = append(out, before+either(words)+after+".")
		}
	}
	if words := s.words(); s.Sticks {
		add(append(found, helped...), s.Name+" "+words.frees+", with equal luck, by any one of: ", "")
		add(append(none, idle...), words.noCure, "")
	} else {
		add(found, s.Name+" "+words.fells+", with equal luck, by any one of: ", "")
		add(none, words.noHarm, "")
	}
	return out
}

// either lists words with semicolons, as they have commas of their own.
func either(words []string) string { return strings.Join(words, "; ") }

// table returns the cells of the levers, the header first.
func (s *WhyStrategy) table() [][]string {
	rows := [][]string{{"each alone", "now", s.words().recovers + " at", s.words().sticks + " at", "runs"}}
	for i := range s.Levers {
		l := &s.Levers[i]
		recovers, sticks := l.ends()
		rows = append(rows, []string{l.Field, l.Now.Words, recovers, sticks, Count(int64(l.Runs))})
	}
	return rows
}

// notes say what the table cannot.
func (s *WhyStrategy) notes() []string {
	var notes []string
	for i := range s.Levers {
		l := &s.Levers[i]
		for _, text := range []string{s.nothing(l), l.Remark} {
			if text != "" {
				notes = append(notes, l.Field+": "+text)
			}
		}
	}
	if s.Searched && s.Remark != "" {
		notes = append(notes, s.Remark)
	}
	return notes
}

// WriteText writes the findings for a terminal.
func (w *Why) WriteText(out io.Writer, o TextOptions) error {
	o.Width = max(o.Width, leastWidth)
	t := &textWriter{report: w.report(nil), options: &o, paint: newPaint(o.Color)}
	t.line()
	t.paragraph(t.report.heading(), strong)
	t.paragraph(t.report.setupLine(), plain)
	t.line()
	for i := range w.Strategies {
		s := &w.Strategies[i]
		t.paragraph(s.Name+": "+s.headline(), plain)
	}
	for i := range w.Strategies {
		if s := &w.Strategies[i]; s.Searched {
			t.why(w, s)
		} else if s.Remark != "" {
			t.line()
			t.paragraph(s.Name+": "+s.Remark, plain)
		}
	}
	if w.Partial {
		t.line()
		t.paragraph("interrupted: this is what was found until then", plain)
	}
	_, err := io.WriteString(out, t.out.String())
	return err
}

// why writes what was found of one strategy.
func (t *textWriter) why(w *Why, s *WhyStrategy) {
	t.line()
	t.paragraph(s.Name, strong)
	if c := w.report(s).ConditionsSentence(); c != "" {
		t.paragraph(c, plain)
	}
	t.grid(s.table())
	for _, n := range s.notes() {
		t.paragraph(n, faint)
	}
	if len(s.Cures) > 0 {
		rows := [][]string{{"as it is", s.words().recovers}}
		for _, c := range s.Cures {
			rows = append(rows, []string{c.Words, c.recovers()})
		}
		t.grid(rows)
	}
	if sentences := s.sentences(); len(sentences) > 0 {
		t.line()
		for _, text := range sentences {
			t.paragraph(text, plain)
		}
	}
}

// grid writes a table after an empty line: the first column to the left, the others to the right. One that is too wide
// becomes a paragraph a row.
func (t *textWriter) grid(rows [][]string) {
	t.line()
	widths := make([]int, len(rows[0]))
	all := margin - gap
	for c := range widths {
		for _, row := range rows {
			widths[c] = max(widths[c], len([]rune(row[c])))
		}
		all += gap + widths[c]
	}
	if all > t.options.Width {
		for _, row := range rows[1:] {
			text := row[0]
			for c := 1; c < len(row); c++ {
				text += ", " + rows[0][c] + " " + row[c]
			}
			t.paragraph(text, plain)
		}
		return
	}
	for i, row := range rows {
		tone := plain
		if i == 0 {
			tone = faint
		}
		line := padRight(t.options.text(row[0]), widths[0])
		for c := 1; c < len(row); c++ {
			line += blanks(gap) + padLeft(t.options.text(row[c]), widths[c])
		}
		t.line(piece{line, tone})
	}
}

// WriteMarkdown writes the findings as GitHub tables.
func (w *Why) WriteMarkdown(out io.Writer) error {
	var b strings.Builder
	paragraph := func(s string) { b.WriteString("\n" + escapeMarkdown(s) + "\n") }
	r := w.report(nil)
	b.WriteString("**" + escapeMarkdown(r.heading()) + "**\n")
	paragraph(r.setupLine() + ".")
	b.WriteByte('\n')
	for i := range w.Strategies {
		s := &w.Strategies[i]
		b.WriteString("- " + escapeMarkdown(s.Name+": "+s.headline()) + "\n")
		if s.Remark != "" && !s.Searched {
			b.WriteString("  " + escapeMarkdown(s.Remark) + "\n")
		}
	}
	for i := range w.Strategies {
		s := &w.Strategies[i]
		if !s.Searched {
			continue
		}
		paragraph(s.Name + ": " + w.report(s).ConditionsSentence())
		b.WriteByte('\n')
		for k, row := range s.table() {
			for _, cell := range row {
				b.WriteString("| " + escapeMarkdown(cell) + " ")
			}
			if b.WriteString("|\n"); k == 0 {
				b.WriteString("|:---|---:|---:|---:|---:|\n")
			}
		}
		b.WriteByte('\n')
		for _, n := range s.notes() {
			b.WriteString("- " + escapeMarkdown(n) + "\n")
		}
		for _, c := range s.Cures {
			b.WriteString("- " + escapeMarkdown(c.Words+": "+s.words().recovers+" in "+c.recovers()) + "\n")
		}
		for _, text := range s.sentences() {
			paragraph(text)
		}
	}
	if w.Partial {
		paragraph("Interrupted: this is what was found until then.")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// WriteCSV writes a line for each lever and each cure.
func (w *Why) WriteCSV(out io.Writer) error {
	c := csv.NewWriter(out)
	_ = c.Write([]string{ // Flush has the error
		"scenario", "strategy", "sticks", "change", "now", "recovers_at", "recovers_runs", "recovers_recovered",
		"sticks_at", "sticks_runs", "sticks_stuck", "runs", "remark",
	})
	for i := range w.Strategies {
		s := &w.Strategies[i]
		first := []string{w.Setup.Name, s.Name, strconv.FormatBool(s.Sticks)}
		for k := range s.Levers {
			l := &s.Levers[k]
			row := append(append([]string{}, first...), l.Field, l.Now.Value)
			if l.Found {
				row = append(row, l.Recovers.Value, strconv.Itoa(l.Recovers.Runs()), strconv.Itoa(l.Recovers.Recovered),
					l.Sticks.Value, strconv.Itoa(l.Sticks.Runs()), strconv.Itoa(l.Sticks.Stuck))
			} else {
				row = append(row, "", "", "", "", "", "")
			}
			remark := strings.TrimPrefix(s.nothing(l)+"; "+l.Remark, "; ")
			_ = c.Write(append(row, strconv.Itoa(l.Runs), strings.TrimSuffix(remark, "; ")))
		}
		for _, cure := range s.Cures {
			_ = c.Write(append(append([]string{}, first...), cure.Set, "", "", strconv.Itoa(cure.Runs()),
				strconv.Itoa(cure.Recovered), "", "", "", strconv.Itoa(cure.Runs()), cure.Words))
		}
	}
	c.Flush()
	return c.Error()
}

// WriteJSON writes all of it.
func (w *Why) WriteJSON(out io.Writer) error {
	d := whyDocument{
		FormatVersion: FormatVersion, Version: w.Version, GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Partial: w.Partial,
		Replicates: w.Replicates, Strategies: []whyStrategyJSON{}, Scenario: w.Scenario,
	}
	for i := range w.Strategies {
		d.Strategies = append(d.Strategies, w.strategyJSON(&w.Strategies[i]))
	}
	text, err := marshal(d, "  ")
	if err != nil {
		return err
	}
	_, err = out.Write(append(text, '\n'))
	return err
}
