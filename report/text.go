package report

import (
	"io"
	"strings"

	"charm.land/lipgloss/v2"
)

// TextOptions say what the terminal can show.
type TextOptions struct {
	Width int  // cells of a line; less than 60 counts as 60
	Color bool // with escape codes; without there is none, and nothing needs them to be understood
	ASCII bool // nothing beyond ASCII, for a locale that is not UTF-8
}

func (o *TextOptions) glyphs() *glyphs {
	if o.ASCII {
		return &asciiGlyphs
	}
	return &blocks
}

// A row is one strategy of the table.
type row struct {
	digest  *digest
	name    string
	columns []column
	more    bool // requests come after the last column
}

// WriteText writes the report for a terminal: what meets what, a sparkline and numbers for each strategy, two of them as
// tall plots, what must be known to read it right, a closing sentence, and the expectations. No line is longer than
// the width.
func (r *Report) WriteText(w io.Writer, o TextOptions) error {
	o.Width = max(o.Width, leastWidth)
	t := &textWriter{report: r, options: &o, paint: newPaint(o.Color), digests: r.digests()}
	t.write()
	_, err := io.WriteString(w, t.out.String())
	return err
}

// A textWriter puts the report together in memory.
type textWriter struct {
	report  *Report
	options *TextOptions
	paint   paint
	digests []digest
	out     strings.Builder
}

func (t *textWriter) write() {
	t.line()
	t.paragraph(t.report.heading(), strong)
	t.paragraph(t.report.setupLine(), plain)
	if len(t.digests) > 0 {
		t.table()
		t.verdicts()
		t.queues()
	}
	if notes := t.report.notes(t.digests); len(notes) > 0 {
		t.line()
		for _, n := range notes {
			t.paragraph(n, plain)
		}
	}
	t.line()
	t.paragraph(t.report.finding(t.digests), strong)
	if remark := t.report.remark(t.digests); remark != "" {
		t.paragraph(remark, plain)
	}
	t.expectations()
}

// table writes the sparklines with their numbers and axis, and the tall plots below.
func (t *textWriter) table() {
	r := t.report
	rows := make([]row, len(t.digests))
	names := make([]string, len(rows))
	for i := range rows {
		names[i] = t.options.text(t.digests[i].entry.Name)
		rows[i] = row{digest: &t.digests[i], name: names[i]}
	}
	tall, leastName := t.options.Width >= wideEnough && len(rows) >= 2, 1
	if tall {
		leastName = labelName
	}
	l := chooseLayout(t.options.Width, leastName, names, r.variants(t.digests, t.options.Width))
	scale := chooseScale(t.digests, r.Setup.Window, l.spark)
	limit, _ := r.Setup.PerWindow()
	top := int64(0)
	for i := range rows {
		rows[i].columns, rows[i].more = scale.fold(rows[i].digest.shown())
		for _, c := range rows[i].columns {
			top = max(top, c.load)
		}
	}
	var plots []tallPlot
	if tall && top > 0 {
		plots = t.tallPlots(scale, limit)
	}
	t.paragraph(r.scaleLine(scale, rows, plots, t.options), faint)
	t.paragraph(r.peakNote(l.numbers), faint)
	t.line()

	var head []piece
	for _, c := range l.numbers {
		head = append(head, piece{blanks(gap) + padLeft(c.header, c.width()), faint})
	}
	t.line(append([]piece{{blanks(l.name + 1 + scale.columns + 1), plain}}, head...)...)
	g := t.options.glyphs()
	for i := range rows {
		line := []piece{{padRight(ellipsize(rows[i].name, l.name, g.ellipsis), l.name) + " ", plain}}
		line = append(line, sparkline(rows[i].columns, top, limit, g)...)
		mark := " "
		if rows[i].more {
			mark = g.more
		}
		line = append(line, piece{mark, faint})
		for _, c := range l.numbers {
			cell := t.options.text(c.cells[i])
			line = append(line, piece{blanks(gap + c.width() - lipgloss.Width(cell)), plain}, piece{cell, c.tones[i]})
		}
		t.line(line...)
	}
	t.axis(l, scale)
	if len(plots) > 0 {
		t.drawTall(l, scale, plots)
	}
}

// axis writes the times below the sparklines.
func (t *textWriter) axis(l layout, scale timeScale) {
	text := t.options.text(axis(scale, l.width-margin-l.name-1))
	t.line(piece{blanks(l.name + 1), plain}, piece{text, faint})
}

// tallPlots returns the two strategies that the closing sentence compares, as plots on the time scale of the sparklines.
func (t *textWriter) tallPlots(scale timeScale, limit float64) []tallPlot {
	worse, better := t.report.pair(t.digests)
	a, _ := scale.fold(worse.shown())
	b, _ := scale.fold(better.shown())
	top := tallTop(limit, a, b)
	return []tallPlot{{worse.entry.Name, a, top, limit, t.options.glyphs()}, {better.entry.Name, b, top, limit, t.options.glyphs()}}
}

// drawTall writes the tall plots below the sparklines.
func (t *textWriter) drawTall(l layout, scale timeScale, plots []tallPlot) {
	labels := l.name
	for _, p := range plots {
		t.line()
		t.line(piece{ellipsize(t.options.text(p.name), l.width-margin, t.options.glyphs().ellipsis), strong})
		for j, label := range p.labels() {
			label = ellipsize(strings.TrimPrefix(label, labelPrefix(&p, labels)), labels, t.options.glyphs().ellipsis)
			t.line(append([]piece{{padLeft(label, labels) + " ", faint}}, p.row(j)...)...)
		}
	}
	t.axis(l, scale)
}

// labelPrefix is what to leave out of the labels of p for want of room: the word capacity, which its line tells.
func labelPrefix(p *tallPlot, room int) string {
	if p.labelWidth() > room {
		return "capacity "
	}
	return ""
}

// expectations writes whether each expect line was met.
func (t *textWriter) expectations() {
	if len(t.report.Expected) == 0 {
		return
	}
	t.line()
	for _, e := range t.report.Expected {
		verdict, rest, tone := e.verdict()
		for i, line := range wrap(t.options.text(rest), t.options.Width-margin-verdictWidth, 0) {
			if i > 0 {
				verdict = ""
			}
			t.line(piece{padRight(verdict, verdictWidth), tone}, piece{line, plain})
		}
	}
}

// paragraph writes a sentence, broken into lines.
func (t *textWriter) paragraph(s string, tone tone) {
	for _, line := range wrap(t.options.text(s), t.options.Width-margin, 2) {
		t.line(t.named(line, tone)...)
	}
}

// line writes one line after the margin, without blanks at its end.
func (t *textWriter) line(pieces ...piece) {
	for len(pieces) > 0 {
		last := &pieces[len(pieces)-1]
		if last.text = strings.TrimRight(last.text, " "); last.text != "" {
			break
		}
		pieces = pieces[:len(pieces)-1]
	}
	if len(pieces) > 0 {
		t.out.WriteString(blanks(margin))
	}
	for _, p := range pieces {
		t.out.WriteString(t.paint.piece(p))
	}
	t.out.WriteByte('\n')
}
