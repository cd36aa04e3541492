package cli

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// leastFold is the least width that text is folded to: what a terminal has less is not worth reading.
const leastFold = 60

// flowsFrom is the length from which on a line of a paragraph goes on in the next; a shorter one is a line by itself.
const flowsFrom = 100

// folded lets print write to stdout, and folds its lines where that is a terminal which is narrower. What goes to a file
// or a pipe stays as it is.
func (a *app) folded(print func()) {
	columns, terminal := a.Terminal(a.Stdout)
	if !terminal || columns <= 0 {
		print()
		return
	}
	var text bytes.Buffer
	out := a.stdout.w
	a.stdout.w = &text
	print()
	a.stdout.w = out
	fmt.Fprint(a.stdout, fold(text.String(), max(columns, leastFold))) // which keeps the error
}

// fold breaks lines that are longer than width between words. What is broken off goes below the last column of the line,
// or before the next line if both are of one paragraph.
func fold(text string, width int) string {
	var b strings.Builder
	carried := ""
	for line := range strings.Lines(text) {
		line, ended := strings.CutSuffix(line, "\n")
		if carried != "" {
			if isProse(line) {
				line = carried + " " + line
			} else {
				b.WriteString(carried + "\n")
			}
			carried = ""
		}
		prose, hang := isProse(line) && utf8.RuneCountInString(line) >= flowsFrom, hanging(line, width)
		for utf8.RuneCountInString(line) > width {
			at := breakAt(line, width, hang)
			if at < 0 {
				break
			}
			b.WriteString(strings.TrimRight(line[:at], " ") + "\n")
			line = strings.Repeat(" ", hang) + strings.TrimLeft(line[at:], " ")
			if prose && utf8.RuneCountInString(line) <= width {
				carried, line = line, ""
			}
		}
		if carried == "" {
			b.WriteString(line)
			if ended {
				b.WriteByte('\n')
			}
		}
	}
	if carried != "" {
		b.WriteString(carried + "\n")
	}
	return b.String()
}

// isProse reports whether a line is part of a paragraph: it has words, and neither an indentation nor columns.
func isProse(line string) bool {
	return line != "" && !strings.HasPrefix(line, " ") && !strings.Contains(line, "  ")
}

// hanging returns how far what is broken off a line is indented: to where its last column begins, if that leaves half of
// the width, else two more than the line.
func hanging(line string, width int) int {
	if isProse(line) {
		return 0
	}
	indent := len(line) - len(strings.TrimLeft(line, " "))
	hang := indent + 2
	column := 0
	for i, c := range line {
		if c != ' ' && column > indent && strings.HasSuffix(line[:i], "  ") && column <= width/2 {
			hang = column
		}
		column++
	}
	return min(hang, width/2)
}

// breakAt returns where to break a line so that it fits: the last space before width and behind the indentation, or the
// first one at all; -1 if there is none.
func breakAt(line string, width, hang int) int {
	at, column := -1, 0
	for i, c := range line {
		if c == ' ' && column > hang && (column <= width || at < 0) && strings.TrimSpace(line[:i]) != "" {
			at = i
		}
		if column++; column > width && at >= 0 {
			break
		}
	}
	return at
}
