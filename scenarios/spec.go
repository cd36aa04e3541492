package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// spec reads a strategy as the command line writes it, full-jitter or exponential(base=1s, cap=30s), into the node of an
// entry. Between the brackets stand fields of the strategy and of the entry (name, limits.max_attempts, …). Its name is
// the whole text unless it gives one. A nil was reported.
func (d *decoder) spec(text string) *node {
	text = strings.TrimSpace(text)
	at := place{src: flagSource("--strategy", text)}
	if !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		at.src.lines = []string{text} // so that a place within it can be shown
	}
	key, inside, found := strings.Cut(text, "(")
	key = strings.TrimSpace(key)
	if found {
		var closed bool
		if inside, closed = strings.CutSuffix(inside, ")"); !closed {
			d.report(at, "the bracket is not closed", "as exponential(base=1s, cap=30s)")
			return nil
		}
	}
	if key == "" {
		d.report(at, "there is no strategy", "one of "+entryKeys())
		return nil
	}
	params := &node{kind: mapping, at: at}
	entry := &node{kind: mapping, at: at}
	parts, ok := splitArguments(inside)
	if !ok {
		d.report(at, "brackets or quotes are not closed", "as schedule(delays=[1s, 10s])")
		return nil
	}
	seen := map[string]bool{}
	read := len(text) - len(inside) - 1 // bytes of text that lie behind
	for i, part := range parts {
		read += strings.Index(text[read:], part) + len(part)
		if bare := bareField(key, part); i == 0 && bare != "" {
			params.set(bare, (&node{text: part, quoted: true, at: at}).endsAt(text, read))
			seen[bare] = key != presetKey // beside that of a preset an entry may have a name of its own
			continue
		}
		path, value, found := strings.Cut(part, "=")
		path = strings.TrimSpace(path)
		steps, ok := parsePath(path)
		switch {
		case !found || !ok:
			d.report(at, fmt.Sprintf("%s is not of the form field=value", quote(part)), "as exponential(base=1s, cap=30s)")
			return nil
		case seen[path]:
			d.report(at, fmt.Sprintf("%s is there twice", quote(path)), "each field once")
			return nil
		}
		seen[path] = true
		v := d.flagNode(strings.TrimSpace(value), at)
		if v == nil {
			return nil
		}
		v.endsAt(text, read)
		into := params
		if slices.ContainsFunc(entryFields, func(f Field) bool { return f.Key == steps[0].key }) {
			into = entry
		}
		d.put(into, steps, v)
	}
	if entry.get("name") == nil {
		if why := nameFault(text); why != "" {
			d.report(at, "the whole text would be the name, "+why, "a name of its own: name=…")
			return nil
		}
		entry.set("name", &node{text: text, quoted: true, at: at})
	}
	entry.set(key, params)
	return entry
}

// endsAt notes where a scalar stands that ends at the given byte of a flag's text.
func (n *node) endsAt(text string, end int) *node {
	if before, ok := strings.CutSuffix(text[:end], n.text); ok && n.kind == scalar && len(n.at.src.lines) > 0 {
		n.start = utf8.RuneCountInString(before) + 1
	}
	return n
}

// bareField returns the field that part gives without its name, as in expr(2 ** n), or "".
func bareField(key, part string) string {
	if key == presetKey && !strings.Contains(part, "=") {
		return "name"
	}
	k := findStrategy(key)
	if k == nil || k.Bare == "" {
		return ""
	}
	path, value, found := strings.Cut(part, "=")
	path, _, _ = strings.Cut(strings.TrimSpace(path), ".")
	isField := func(f Field) bool { return f.Key == path }
	if found && !strings.HasPrefix(value, "=") && (slices.ContainsFunc(k.Fields, isField) || slices.ContainsFunc(entryFields, isField)) {
		return ""
	}
	return k.Bare
}

// splitArguments cuts text at the commas that are in no brackets and no quotes, and trims the parts. It is false if one
// of those is not closed.
func splitArguments(text string) ([]string, bool) {
	var parts []string
	var open []rune
	var quoted rune
	start := 0
	cut := func(end int) { parts = append(parts, strings.TrimSpace(text[start:end])) }
	closing := map[rune]rune{'[': ']', '{': '}', '(': ')'}
	for i, r := range text {
		switch {
		case quoted != 0:
			if r == quoted {
				quoted = 0
			}
		case r == '"' || r == '\'':
			quoted = r
		case closing[r] != 0:
			open = append(open, closing[r])
		case r == ']' || r == '}' || r == ')':
			if len(open) == 0 || open[len(open)-1] != r {
				return nil, false
			}
			open = open[:len(open)-1]
		case r == ',' && len(open) == 0:
			cut(i)
			start = i + 1
		}
	}
	if len(open) > 0 || quoted != 0 {
		return nil, false
	}
	if cut(len(text)); len(parts) == 1 && parts[0] == "" {
		return nil, true
	}
	return parts, true
}
