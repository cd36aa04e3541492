package scenarios

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// durationToken is what may be a duration in a formula: it begins with a digit and has letters in it.
var durationToken = regexp.MustCompile(`[\pL\pN_.]+`)

// A mapped text is a formula whose durations were written out as numbers, with the way back.
type mapped struct {
	text string
	from []int // where each of its characters stood in the formula, in characters, and the end
}

// inSeconds writes each duration of a formula, such as 100ms or 1m30s, as its number of seconds, which is what the
// parser can read.
func inSeconds(formula string) mapped {
	var b strings.Builder
	var m mapped
	at := 0 // in characters of the formula
	verbatim := func(s string) {
		for _, r := range s {
			b.WriteRune(r)
			m.from = append(m.from, at)
			at++
		}
	}
	end := 0
	for _, span := range durationToken.FindAllStringIndex(formula, -1) {
		verbatim(formula[end:span[0]])
		token := formula[span[0]:span[1]]
		end = span[1]
		d, fault := parseDuration(token)
		if fault != durationOK {
			verbatim(token)
			continue
		}
		number := strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
		if !strings.Contains(number, ".") {
			number += ".0"
		}
		b.WriteString(number)
		for range number {
			m.from = append(m.from, at)
		}
		at += utf8.RuneCountInString(token)
	}
	verbatim(formula[end:])
	m.text, m.from = b.String(), append(m.from, at)
	return m
}

// back returns where the i-th character of the text stood in the formula.
func (m mapped) back(i int) int { return m.from[max(0, min(i, len(m.from)-1))] }
