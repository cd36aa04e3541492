package scenarios

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A nodeKind is the shape of a node.
type nodeKind uint8

const (
	scalar nodeKind = iota
	list
	mapping
)

// A node is a piece of a scenario as written, before anybody has asked what it means. YAML, JSON and the flags of the
// command line all become nodes, so there is one decoder for the three.
type node struct {
	kind   nodeKind
	text   string // of a scalar
	null   bool   // a plain null, ~ or nothing at all
	quoted bool   // a scalar in quotes, or a block of text
	broken bool   // reported as something that is not read at all, such as an alias
	pairs  []pair // of a mapping, in the order written, duplicates included
	items  []*node
	at     place
	start  int // of a scalar in a flag that shows its text: the column that it begins in; else 0
}

// A pair is one key of a mapping and its value.
type pair struct{ key, value *node }

// A place is where a node was written. Line and column count from 1, the column in characters; line 0 is a place
// without lines, such as a flag.
type place struct {
	src          *source
	line, column int
}

// A source is something that a person wrote: a file, the standard input, or a flag.
type source struct {
	name  string   // as the person calls it
	lines []string // its text, for showing the line of an error
}

func newSource(name string, text []byte) *source {
	return &source{name: name, lines: strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")}
}

// flagSource is the source of what a flag says; the flag with its value is its name. What a terminal might take for a
// command is made visible.
func flagSource(flag, value string) *source {
	if value = clip(value, 80); strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) {
		value = strconv.Quote(value)
	}
	return &source{name: flag + " " + value}
}

// line returns the text of line n, or "".
func (s *source) line(n int) string {
	if s == nil || n < 1 || n > len(s.lines) {
		return ""
	}
	return s.lines[n-1]
}

// get returns the value of key, or nil. Of a key that is there twice, the first.
func (n *node) get(key string) *node {
	if i := n.index(key); i >= 0 {
		return n.pairs[i].value
	}
	return nil
}

func (n *node) index(key string) int {
	if n != nil && n.kind == mapping {
		for i, p := range n.pairs {
			if p.key.kind == scalar && p.key.text == key {
				return i
			}
		}
	}
	return -1
}

// set gives key the value v, in place of the one it has.
func (n *node) set(key string, v *node) {
	if i := n.index(key); i >= 0 {
		n.pairs[i].key.at, n.pairs[i].value = v.at, v
		return
	}
	n.pairs = append(n.pairs, pair{key: &node{text: key, at: v.at}, value: v})
}

// remove takes key away, every time it is there.
func (n *node) remove(key string) {
	for i := n.index(key); i >= 0; i = n.index(key) {
		n.pairs = append(n.pairs[:i:i], n.pairs[i+1:]...)
	}
}

// what names the shape of n for an error.
func (n *node) what() string {
	switch {
	case n.kind == list:
		return "a list"
	case n.kind == mapping:
		return "a map"
	case n.null && n.text == "":
		return "empty"
	}
	return quote(n.text)
}

// inside returns the place of the i-th character of a scalar, if the scalar stands as it is in one line, in the lines of a
// block, or in a flag; else the scalar's own.
func (n *node) inside(i int) place {
	at := n.at
	line, text := at.src.line(at.line), n.text
	if at.line == 0 { // a flag
		if n.start > 0 {
			at.column = n.start + i
		}
		return at
	}
	for _, start := range []int{at.column - 1, at.column} { // the second if it is in quotes
		if rest, ok := fromRune(line, start); ok && strings.HasPrefix(rest, text) {
			at.column = start + 1 + i
			return at
		}
	}
	for _, part := range strings.Split(text, "\n") {
		at.line++
		line := at.src.line(at.line)
		j := strings.Index(line, part)
		if j < 0 || strings.TrimSpace(line) != strings.TrimSpace(part) {
			return n.at
		}
		if length := utf8.RuneCountInString(part); i > length {
			i -= length + 1
			continue
		}
		at.column = utf8.RuneCountInString(line[:j]) + 1 + i
		return at
	}
	return n.at
}

// fromRune returns text from its i-th character, if it has that many.
func fromRune(text string, i int) (string, bool) {
	for range i {
		_, size := utf8.DecodeRuneInString(text)
		if size == 0 {
			return "", false
		}
		text = text[size:]
	}
	return text, i >= 0
}

// relocate gives every node below n the place at, for what a flag says: its lines are not worth naming.
func (n *node) relocate(at place) *node {
	n.at = at
	for _, p := range n.pairs {
		p.key.relocate(at)
		p.value.relocate(at)
	}
	for _, item := range n.items {
		item.relocate(at)
	}
	return n
}
