package report

import (
	"io"
	"strings"
	"unicode"
)

// WriteMarkdown writes the numbers of the terminal report as a GitHub table, with the notes, the closing sentence and the
// expectations.
func (r *Report) WriteMarkdown(w io.Writer) error {
	ds := r.digests()
	var b strings.Builder
	paragraph := func(s string) {
		if s != "" {
			b.WriteString("\n" + escapeMarkdown(s) + "\n")
		}
	}
	b.WriteString("**" + escapeMarkdown(r.heading()) + "**\n")
	numbers := r.numberColumns(ds, true)
	paragraph(r.setupLine() + "; " + r.peakNote(numbers) + ".")
	if len(ds) > 0 {
		b.WriteByte('\n')
		header, rule := "| strategy |", "|:---|"
		for _, c := range numbers {
			header += " " + c.header + " |"
			rule += "---:|"
		}
		b.WriteString(header + "\n" + rule + "\n")
		for i := range ds {
			b.WriteString("| " + escapeMarkdown(ds[i].entry.Name) + " |")
			for _, c := range numbers {
				b.WriteString(" " + c.cells[i] + " |")
			}
			b.WriteByte('\n')
		}
	}
	list := func(items []string) {
		if len(items) > 0 {
			b.WriteString("\n- " + strings.Join(items, "\n- ") + "\n")
		}
	}
	var verdicts []string
	for _, v := range r.verdictLines(ds) {
		verdicts = append(verdicts, escapeMarkdown(v.name+": "+v.answer))
	}
	if len(verdicts) > 0 {
		paragraph("Recovered:")
		list(verdicts)
		paragraph(r.ConditionsSentence())
	}
	b.WriteString(r.queuesMarkdown(ds))
	var notes []string
	for _, n := range r.notes(ds) {
		notes = append(notes, escapeMarkdown(n))
	}
	list(notes)
	paragraph(r.finding(ds))
	paragraph(r.remark(ds))
	var expected []string
	for _, e := range r.Expected {
		verdict, rest, _ := e.verdict()
		expected = append(expected, verdict+": "+escapeMarkdown(rest))
	}
	list(expected)
	_, err := io.WriteString(w, b.String())
	return err
}

// escapeMarkdown makes s stand for itself in a paragraph, a list or a cell of a table: signs with a meaning get a
// backslash, what is not printable becomes "?".
func escapeMarkdown(s string) string {
	var b strings.Builder
	for _, c := range s {
		switch {
		case strings.ContainsRune("\\`*_{}[]<>#|~&$", c):
			b.WriteByte('\\')
			b.WriteRune(c)
		case !unicode.IsPrint(c):
			b.WriteByte('?')
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}
