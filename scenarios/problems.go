package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Problem is one thing that is wrong with a scenario, and where.
type Problem struct {
	File         string // or the flag, as "--set workers=abc"
	Line, Column int    // from 1, the column in characters; 0 if the place has no lines
	Message      string // what is wrong, with the value
	Allowed      string // what is allowed; "" if Message says it
	Suggestion   string // what was probably meant; "" if nothing is near
	Source       string // the line itself; "" if there is none
}

// Errors are all the problems of a scenario, at least one. Load returns no other type of error.
type Errors []Problem

// mostShown bounds what one Error prints: after that many, reading on does not help.
const mostShown = 50

// mostKept bounds how many problems are looked for.
const mostKept = 1000

// Error returns every problem as
//
//	file:line:column: what; allowed values; did you mean "x"?
//	  the line
//	      ^
func (e Errors) Error() string {
	var b strings.Builder
	for i, p := range e {
		if i == mostShown {
			fmt.Fprintf(&b, "\nand %d more", len(e)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.String())
	}
	return b.String()
}

// String returns the problem as Errors prints it.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	b.WriteString(": " + p.Message)
	if p.Allowed != "" {
		b.WriteString("; " + p.Allowed)
	}
	if p.Suggestion != "" {
		fmt.Fprintf(&b, "; did you mean %s?", quote(p.Suggestion))
	}
	if p.Source != "" {
		line, caret := excerpt(p.Source, p.Column)
		b.WriteString("\n  " + line + "\n  " + caret)
	}
	return b.String()
}

// excerpt cuts a long line down to what surrounds column, and returns it with the line that points at the column.
func excerpt(line string, column int) (text, caret string) {
	const before, width = 60, 110
	runes := []rune(line)
	at := min(max(column-1, 0), len(runes))
	from, prefix := 0, ""
	if at > before+20 {
		from, prefix = at-before, "…"
	}
	to, suffix := len(runes), ""
	if to-from > width {
		to, suffix = from+width, "…"
	}
	var pad strings.Builder
	for _, r := range prefix + string(runes[from:min(at, to)]) {
		if r == '\t' { // a tab is as wide below as above
			pad.WriteRune('\t')
		} else {
			pad.WriteByte(' ')
		}
	}
	return prefix + string(runes[from:to]) + suffix, pad.String() + "^"
}

// problemAt returns the problem at a place.
func problemAt(at place, message, allowed, suggestion string) Problem {
	p := Problem{Line: at.line, Column: at.column, Message: message, Allowed: allowed, Suggestion: suggestion}
	if at.src != nil {
		p.File, p.Source = at.src.name, at.src.line(at.line)
		if at.line == 0 && at.column > 0 { // within a flag
			p.Source = at.src.line(1)
		}
	}
	return p
}

// sorted returns the problems in the order of their places: what was written first comes first, each file by itself.
func (e Errors) sorted() Errors {
	order := map[string]int{}
	for _, p := range e {
		if _, ok := order[p.File]; !ok {
			order[p.File] = len(order)
		}
	}
	slices.SortStableFunc(e, func(a, b Problem) int {
		if d := order[a.File] - order[b.File]; d != 0 {
			return d
		}
		if d := a.Line - b.Line; d != 0 {
			return d
		}
		return a.Column - b.Column
	})
	return slices.Compact(e)
}

// near returns the one of words that s was probably meant to be, or "".
func near(s string, words []string) string {
	best, least := "", 3
	if n := utf8.RuneCountInString(s); n <= 4 {
		least = 2
	}
	if len(s) > 64 { // nobody means a key by that
		return ""
	}
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == '_' || r == '-' || r == ' ' {
				return -1
			}
			return unicode.ToLower(r)
		}, s)
	}
	for _, w := range words {
		if d := distance(plain(s), plain(w)); d < least {
			best, least = w, d
		}
	}
	if best == "" && len(s) >= 3 {
		for _, w := range words {
			if strings.HasPrefix(w, plain(s)) {
				return w
			}
		}
	}
	return best
}

// distance is the number of characters to insert, delete, replace or swap with their neighbour to make b of a
// (optimal string alignment).
func distance(s, t string) int {
	a, b := []rune(s), []rune(t)
	older, old, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range old {
		old[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(old[j]+cost, old[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], older[j-1]+1)
			}
		}
		older, old, row = old, row, older
	}
	return old[len(b)]
}

// quote puts s into quotes for an error, shortened if it is long, control characters made visible.
func quote(s string) string { return strconv.Quote(clip(s, 60)) }

// clip shortens s to at most n characters.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
