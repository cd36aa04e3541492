package scenarios

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// flowWidth is how long a map or a list may get in one line.
const flowWidth = 100

// emitYAML writes a mapping as YAML: maps and lists of scalars in one line if they fit, everything else as a block.
func emitYAML(root *node) []byte {
	var e emitter
	e.mapping(root, "")
	return []byte(e.String())
}

type emitter struct{ strings.Builder }

func (e *emitter) mapping(n *node, indent string) {
	for i, p := range n.pairs {
		if i > 0 {
			e.WriteString(indent)
		}
		e.WriteString(plain(p.key) + ":")
		e.value(p.value, indent+"  ")
	}
}

// value writes what stands behind a colon, with the line's end.
func (e *emitter) value(n *node, indent string) {
	if text, ok := flow(n); ok {
		e.WriteString(" " + text + "\n")
		return
	}
	switch n.kind {
	case mapping:
		e.WriteString("\n" + indent)
		e.mapping(n, indent)
	case list:
		e.WriteString("\n")
		for _, item := range n.items {
			e.WriteString(indent + "-")
			if text, ok := flow(item); ok {
				e.WriteString(" " + text + "\n")
				continue
			}
			e.WriteString(" ")
			e.mapping(item, indent+"  ")
		}
	default:
		e.block(n.text, indent)
	}
}

// flow returns n in one line, if it is a scalar of one, or a short map or list of those.
func flow(n *node) (string, bool) {
	var parts []string
	switch n.kind {
	case scalar:
		return plain(n), !isBlock(n)
	case mapping:
		for _, p := range n.pairs {
			if p.value.kind == mapping && len(p.value.pairs) > 0 || p.value.kind == list || isBlock(p.value) {
				return "", false
			}
			text, _ := flow(p.value)
			parts = append(parts, plain(p.key)+": "+text)
		}
	case list:
		for _, item := range n.items {
			if item.kind != scalar || strings.Contains(item.text, " ") {
				return "", false
			}
			parts = append(parts, plain(item))
		}
	}
	text := strings.Join(parts, ", ")
	if n.kind == mapping {
		text = "{" + text + "}"
	} else {
		text = "[" + text + "]"
	}
	return text, len(parts) == 0 || utf8.RuneCountInString(text) <= flowWidth
}

// isBlock says whether a text has several lines that a block shows as they are.
func isBlock(n *node) bool {
	if n.kind != scalar || !strings.Contains(n.text, "\n") || strings.HasSuffix(n.text, "\n\n") {
		return false
	}
	lines := strings.Split(strings.TrimSuffix(n.text, "\n"), "\n")
	if lines[0] == "" || unicode.IsSpace([]rune(lines[0])[0]) {
		return false
	}
	for _, line := range lines {
		if strings.TrimSpace(line) == "" && line != "" || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return false
		}
	}
	return true
}

func (e *emitter) block(text, indent string) {
	body, ends := strings.CutSuffix(text, "\n")
	if e.WriteString(" |"); !ends {
		e.WriteString("-")
	}
	for _, line := range strings.Split(body, "\n") {
		e.WriteString("\n")
		if line != "" {
			e.WriteString(indent + line)
		}
	}
	e.WriteString("\n")
}

var (
	plainPattern = regexp.MustCompile(`^[\pL\pN/+.]([\pL\pN ._/%+()<>=*^-]*[\pL\pN._/%+()<>=*^-])?$`)
	datePattern  = regexp.MustCompile(`^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}`)
	otherMeaning = regexp.MustCompile(`^(?i:null|true|false|yes|no|on|off|y|n|~|[+-]?\.inf|\.nan)$`)
)

// plain writes a scalar in one line: as it is, or in quotes if YAML could read it in another way.
func plain(n *node) string {
	text := n.text
	if !n.quoted { // a number, or true or false
		return text
	}
	_, floatErr := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	_, intErr := strconv.ParseInt(text, 0, 64)
	if plainPattern.MatchString(text) && !datePattern.MatchString(text) && !otherMeaning.MatchString(text) && floatErr != nil && intErr != nil {
		return text
	}
	if strings.ContainsAny(text, `"\`) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return strconv.Quote(text)
}
