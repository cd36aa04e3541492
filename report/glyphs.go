package report

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
)

// glyphs are the characters that a report is drawn with.
type glyphs struct {
	ramp     [9]string // none, then eight heights
	failure  string    // the failure itself
	more     string    // it goes on beyond the edge
	capacity string    // the capacity line
	base     string    // the zero line
	ellipsis string    // something left out
}

var blocks = glyphs{
	ramp:    [9]string{"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
	failure: "░", more: "›", capacity: "╌", base: "▔", ellipsis: "…",
}

var asciiGlyphs = glyphs{
	ramp:    [9]string{"_", ".", "-", "=", "+", "*", "#", "%", "@"},
	failure: "x", more: ">", capacity: "~", base: "-", ellipsis: "~",
}

var toASCII = strings.NewReplacer("×", "x", "–", "-", "µ", "u", "∞", "infinite")

// text makes s fit to print in one line: what is no printable character becomes "?", so that a name can neither break
// the layout nor drive the terminal, and in ASCII also what is beyond it.
func (o *TextOptions) text(s string) string {
	if o.ASCII {
		s = toASCII.Replace(s)
	}
	return strings.Map(func(c rune) rune {
		switch {
		case !unicode.IsPrint(c) || o.ASCII && c >= utf8.RuneSelf:
			return '?'
		}
		return c
	}, s)
}

// ellipsize leaves the middle of s out so that it takes at most width cells.
func ellipsize(s string, width int, ellipsis string) string {
	if lipgloss.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	room := width - lipgloss.Width(ellipsis)
	if room < 0 {
		return ""
	}
	head, tail := 0, len(runes)
	for head < tail && lipgloss.Width(string(runes[:head+1])) <= (room+1)/2 {
		head++
	}
	room -= lipgloss.Width(string(runes[:head]))
	for tail > head && lipgloss.Width(string(runes[tail-1:])) <= room {
		tail--
	}
	for tail < len(runes) && unicode.IsMark(runes[tail]) { // an accent whose letter is left out
		tail++
	}
	return string(runes[:head]) + ellipsis + string(runes[tail:])
}

// padRight and padLeft fill s with blanks up to width cells.
func padRight(s string, width int) string { return s + blanks(width-lipgloss.Width(s)) }
func padLeft(s string, width int) string  { return blanks(width-lipgloss.Width(s)) + s }

func blanks(n int) string { return strings.Repeat(" ", max(0, n)) }

// wrap breaks words into lines of at most width cells; lines after the first are indented. A word that is longer than
// a line is broken.
func wrap(s string, width, indent int) []string {
	var lines []string
	line, used := "", 0
	flush := func() {
		lines = append(lines, line)
		line, used = blanks(indent), indent
	}
	start := true
	for _, word := range words(s) {
		w := lipgloss.Width(word)
		if !start && used+1+w > width {
			flush()
			start = true
		}
		if !start {
			line, used = line+" ", used+1
		}
		for used+w > width && used < width {
			head := cut(word, width-used)
			if head == "" {
				break
			}
			line += head
			flush()
			word = word[len(head):]
			w = lipgloss.Width(word)
		}
		line, used, start = line+word, used+w, false
	}
	return append(lines, line)
}

// words splits s at blanks, but not between a number and its unit, or a mark and what it means.
func words(s string) []string {
	var all []string
	for _, w := range strings.Fields(s) {
		n := len(all) - 1
		isUnit := slices.ContainsFunc(timeUnits, func(u timeUnit) bool { return strings.TrimRight(w, ",.;)") == u.name })
		switch {
		case isUnit && n >= 0 && unicode.IsDigit(rune(all[n][len(all[n])-1])), n >= 0 && isMark(all[n]):
			all[n] += " " + w
		default:
			all = append(all, w)
		}
	}
	return all
}

// isMark reports whether a word is a single sign.
func isMark(word string) bool {
	c, size := utf8.DecodeRuneInString(word)
	return size == len(word) && (unicode.IsSymbol(c) || unicode.IsPunct(c))
}

// cut returns the longest start of s that takes at most width cells.
func cut(s string, width int) string {
	end := 0
	for i, c := range s {
		if lipgloss.Width(s[:i+utf8.RuneLen(c)]) > width {
			break
		}
		end = i + utf8.RuneLen(c)
	}
	return s[:end]
}
