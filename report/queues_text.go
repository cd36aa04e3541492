package report

import (
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"herdsim/broker"
	"herdsim/sim"
)

// mostQueues is how many lines the queues of one strategy may take.
const mostQueues = 8

// queueHeads are the columns of numbers of the queues, and what is left out first for want of room.
var queueHeads = []struct {
	text   string
	leaves int
}{
	{"most waiting", 0}, {"oldest", 3}, {"deliveries", 4}, {"again", 2}, {"late, mean", 1}, {"late, most", 5},
}

// A queueText is what is said of one queue: a cell for each of queueHeads, "" where there is nothing to say, and what became
// of messages that were not acknowledged.
type queueText struct {
	name  string
	cells []string
	fate  string
}

// queueTexts returns what is said of the queues of a run that had a message, those beyond mostQueues left out and counted.
func queueTexts(r *sim.Result) (texts []queueText, more int) {
	for i := range r.Queues {
		q := &r.Queues[i]
		if q.Entered == 0 && i > 0 {
			continue
		}
		texts = append(texts, newQueueText(q, r))
	}
	if more = len(texts) - mostQueues; more > 1 {
		return texts[:mostQueues], more
	}
	return texts, 0
}

func newQueueText(q *sim.QueueResult, r *sim.Result) queueText {
	oldest := OldestEver(q, r)
	t := queueText{name: q.Name, cells: make([]string, len(queueHeads))}
	t.cells[0] = Count(int64(q.Most))
	if oldest > 0 {
		t.cells[1] = Span(oldest)
	}
	if q.Deliveries > 0 {
		t.cells[2], t.cells[3] = Count(q.Deliveries), Count(q.Redelivers)
	}
	if q.Left > 0 {
		t.cells[4], t.cells[5] = Span(q.Late/time.Duration(q.Left)), Span(q.LateMax)
	}
	t.fate = fate(q)
	return t
}

// reasonWords and dropWords are why messages died, and are gone, for people.
var (
	reasonWords = [broker.Reasons]string{
		broker.Rejected: "rejected", broker.Expired: "expired", broker.MaxLen: "beyond the length", broker.DeliveryLimit: "beyond the delivery limit",
	}
	dropWords = [broker.Drops]string{
		broker.NoDeadLetter: "without a dead-letter queue", broker.Cycle: "in a cycle", broker.NotTaken: "not taken", broker.Lost: "dead letters without room",
	}
)

// fate says what became of messages that were not acknowledged: "30 expired; dropped: 2 in a cycle".
func fate(q *sim.QueueResult) string {
	died, dropped := counted(q.Died[:], reasonWords[:]), counted(q.Dropped[:], dropWords[:])
	if dropped != "" {
		dropped = "dropped: " + dropped
	}
	both := slices.DeleteFunc([]string{died, dropped}, func(s string) bool { return s == "" })
	return strings.Join(both, "; ")
}

func counted(ns []int64, words []string) string {
	var parts []string
	for i, n := range ns {
		if n > 0 {
			parts = append(parts, Count(n)+" "+words[i])
		}
	}
	return strings.Join(parts, ", ")
}

// A queueTable is the queues of all strategies.
type queueTable struct {
	blocks  []queueBlock
	columns []int // of queueHeads, those in which something is said
}

type queueBlock struct {
	strategy string
	texts    []queueText
	more     int
}

func (r *Report) queueTable(ds []digest) queueTable {
	var t queueTable
	said := make([]bool, len(queueHeads))
	for i := range ds {
		texts, more := queueTexts(ds[i].shown())
		if len(texts) == 0 {
			continue
		}
		t.blocks = append(t.blocks, queueBlock{ds[i].entry.Name, texts, more})
		for _, text := range texts {
			for c, s := range text.cells {
				said[c] = said[c] || s != ""
			}
		}
	}
	for c, s := range said {
		if s {
			t.columns = append(t.columns, c)
		}
	}
	return t
}

// width is that of a column.
func (t *queueTable) width(column int) int {
	w := lipgloss.Width(queueHeads[column].text)
	for _, b := range t.blocks {
		for _, text := range b.texts {
			w = max(w, lipgloss.Width(text.cells[column]))
		}
	}
	return w
}

// names is the width of the names of the queues.
func (t *queueTable) names() int {
	w := 0
	for _, b := range t.blocks {
		for _, text := range b.texts {
			w = max(w, lipgloss.Width(text.name))
		}
	}
	return w
}

// fit leaves columns out until what became of the messages has room.
func (t *queueTable) fit(room int) (left int) {
	const leastFate = 20
	for {
		left = room
		for _, c := range t.columns {
			left -= gap + t.width(c)
		}
		if left -= gap; left >= leastFate || len(t.columns) < 2 {
			return max(left, 1)
		}
		first := slices.MinFunc(t.columns[1:], func(a, b int) int { return queueHeads[a].leaves - queueHeads[b].leaves })
		t.columns = slices.DeleteFunc(t.columns, func(c int) bool { return c == first })
	}
}

// queues writes a line for each queue of the broker.
func (t *textWriter) queues() {
	table := t.report.queueTable(t.digests)
	if len(table.blocks) == 0 {
		return
	}
	const indent = 2
	names := min(max(table.names(), len("queues")-indent), max(14, t.options.Width/4))
	room := table.fit(t.options.Width - margin - indent - names)
	head := padRight("queues", indent+names)
	for _, c := range table.columns {
		head += blanks(gap) + padLeft(queueHeads[c].text, table.width(c))
	}
	t.line()
	t.line(piece{head + blanks(gap) + "not acknowledged", faint})
	for _, b := range table.blocks {
		t.line(piece{ellipsize(t.options.text(b.strategy), t.options.Width-margin, t.options.glyphs().ellipsis), plain})
		for _, q := range b.texts {
			line := blanks(indent) + padRight(ellipsize(t.options.text(q.name), names, t.options.glyphs().ellipsis), names)
			for _, c := range table.columns {
				line += blanks(gap) + padLeft(t.options.text(q.cells[c]), table.width(c))
			}
			for i, part := range wrap(t.options.text(q.fate), room, 0) {
				if i > 0 {
					line = blanks(lipgloss.Width(line))
				}
				t.line(piece{line, plain}, piece{blanks(gap) + part, plain})
			}
		}
		if b.more > 0 {
			t.line(piece{blanks(indent) + "and " + Count(int64(b.more)) + " more queues", faint})
		}
	}
	for _, l := range t.report.alertLines(t.digests) {
		t.paragraph(l, plain)
	}
}

// alertLines say when the alert on dead letters would have fired, one line for each depth.
func (r *Report) alertLines(ds []digest) []string {
	byDepth := map[int][]string{}
	var depths []int
	for i := range ds {
		e, run := ds[i].entry, ds[i].shown()
		if !e.alerts(run) {
			continue
		}
		if byDepth[e.Alert] == nil {
			depths = append(depths, e.Alert)
		}
		s := e.Name + " never"
		if at := alarm(run, e.Alert); at.OK {
			s = e.Name + " at " + Span(at.D)
		}
		byDepth[e.Alert] = append(byDepth[e.Alert], s)
	}
	var lines []string
	for _, depth := range depths {
		lines = append(lines, "alert above "+plural(float64(depth), "dead letter")+": "+strings.Join(byDepth[depth], ", "))
	}
	return lines
}

// queuesMarkdown returns the queues as a GitHub table, with the alerts below.
func (r *Report) queuesMarkdown(ds []digest) string {
	table := r.queueTable(ds)
	if len(table.blocks) == 0 {
		return ""
	}
	var b strings.Builder
	header, rule := "| strategy | queue |", "|:---|:---|"
	for _, c := range table.columns {
		header += " " + queueHeads[c].text + " |"
		rule += "---:|"
	}
	b.WriteString("\n" + header + " not acknowledged |\n" + rule + ":---|\n")
	for _, block := range table.blocks {
		for _, q := range block.texts {
			b.WriteString("| " + escapeMarkdown(block.strategy) + " | " + escapeMarkdown(q.name) + " |")
			for _, c := range table.columns {
				b.WriteString(" " + q.cells[c] + " |")
			}
			b.WriteString(" " + escapeMarkdown(q.fate) + " |\n")
		}
		if block.more > 0 {
			b.WriteString("| " + escapeMarkdown(block.strategy) + " | and " + Count(int64(block.more)) + " more queues |" +
				strings.Repeat(" |", len(table.columns)+1) + "\n")
		}
	}
	for _, l := range r.alertLines(ds) {
		b.WriteString("\n" + escapeMarkdown(l) + "\n")
	}
	return b.String()
}
