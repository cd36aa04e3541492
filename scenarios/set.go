package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// override changes the nodes of a scenario as the command line asks, so that what it says is checked like the file.
func (d *decoder) override(root *node, r Request) {
	d.remember(root)
	for _, text := range r.Set {
		d.set(root, "--set", text)
	}
	d.remember(root)
	if len(r.Strategies) > 0 {
		specs := &node{kind: list, at: place{src: flagSource("--strategy", r.Strategies[0])}}
		for _, text := range r.Strategies {
			n := entryNamed(root.get("strategies"), text)
			if n == nil {
				n = d.spec(text)
			}
			if n != nil {
				specs.items = append(specs.items, n)
			}
		}
		if len(specs.items) > 0 {
			root.set("strategies", specs)
		} else { // all reported; without a list there is nothing more to check
			root.remove("strategies")
			d.noStrategies = true
		}
	}
	if r.Seed != nil {
		root.set("seed", flagValue("--seed", strconv.FormatUint(*r.Seed, 10)))
	}
	if r.Replicates != nil {
		root.set("replicates", flagValue("--replicates", strconv.Itoa(*r.Replicates)))
	}
	for _, v := range r.Vary {
		if !v.whole() {
			d.set(root, v.Flag, v.Path+"="+v.Value)
		}
	}
}

// remember notes the names of the strategies that the file has now: should a flag take one out, an expect line that
// names it is no error.
func (d *decoder) remember(root *node) {
	n := root.get("strategies")
	if n == nil || n.kind != list {
		return
	}
	for _, item := range n.items {
		for _, name := range entryNames(item) {
			d.removed[name] = true
		}
	}
}

// entryNamed returns the entry of a list of strategies that has a name; nil if there is none. A key of the catalogue is a
// SPEC, with the defaults, also where an entry is called by it.
func entryNamed(n *node, name string) *node {
	if n == nil || n.kind != list || findStrategy(name) != nil {
		return nil
	}
	for _, item := range n.items {
		if slices.Contains(entryNames(item), name) {
			return item
		}
	}
	return nil
}

// entryNames returns the name of an entry as it was written; several if it has several keys, which is a mistake.
func entryNames(item *node) (names []string) {
	if item.kind == scalar {
		return []string{item.text}
	}
	if name := item.get("name"); name != nil {
		return []string{name.text}
	}
	if use := item.get(presetKey); use != nil {
		if name := use.get("name"); name != nil {
			use = name
		}
		return []string{use.text}
	}
	for _, p := range item.pairs {
		if findStrategy(p.key.text) != nil {
			names = append(names, p.key.text)
		}
	}
	return names
}

// flagValue is the node of a flag with a plain value.
func flagValue(flag, value string) *node {
	return &node{text: value, at: place{src: flagSource(flag, value)}}
}

// A step of a path is a key, or the index of a list.
type step struct {
	key   string
	index int // if key is ""
}

var stepPattern = regexp.MustCompile(`^([A-Za-z0-9_-]+)((?:\[[0-9]{1,6}\])*)$`)

// parsePath reads downstream.outages[0].to.
func parsePath(text string) ([]step, bool) {
	var steps []step
	for _, part := range strings.Split(text, ".") {
		m := stepPattern.FindStringSubmatch(part)
		if m == nil {
			return nil, false
		}
		steps = append(steps, step{key: m[1]})
		for _, index := range strings.FieldsFunc(m[2], func(r rune) bool { return r == '[' || r == ']' }) {
			i, _ := strconv.Atoi(index) // six digits at most
			steps = append(steps, step{index: i})
		}
	}
	return steps, len(steps) <= deepest
}

// set applies one PATH=VALUE of a flag.
func (d *decoder) set(root *node, flag, text string) {
	at := place{src: flagSource(flag, text)}
	path, value, found := strings.Cut(text, "=")
	steps, ok := parsePath(strings.TrimSpace(path))
	if !found || !ok {
		d.report(at, "not of the form PATH=VALUE", "as workers=5000 or downstream.outages[0].to=1s")
		return
	}
	if v := d.flagNode(strings.TrimSpace(value), at); v != nil {
		d.put(root, steps, v)
	}
}

// flagNode reads a value of the command line: YAML if it begins with a bracket or a quote, else text as it is.
func (d *decoder) flagNode(value string, at place) *node {
	if value == "" || !strings.ContainsRune(`[{"'`, rune(value[0])) {
		return &node{text: value, null: value == "null" || value == "~", at: at}
	}
	src := &source{name: at.src.name}
	if p := textProblem(src.name, []byte(value)); p != nil {
		d.report(at, p.Message, p.Allowed)
		return nil
	}
	n, problems := parseYAML(src, []byte(value))
	for _, p := range problems {
		d.reportNear(at, p.Message, p.Allowed, p.Suggestion)
	}
	if len(problems) > 0 || n == nil {
		return nil
	}
	return n.relocate(at)
}

// put stores v at the end of a path, and makes the maps and lists on the way. A null in a list takes the item out.
func (d *decoder) put(n *node, steps []step, v *node) {
	s, rest := steps[0], steps[1:]
	if s.key == "" {
		d.putItem(n, s.index, rest, v)
		return
	}
	if n.kind == scalar { // a name becomes a map: paced -> {paced: {…}}, 100ms -> {exponential: …}
		*n = node{kind: mapping, at: v.at}
	}
	if n.kind == list {
		d.report(v.at, fmt.Sprintf("%s is in a list", quote(s.key)), fmt.Sprintf("the index of an item, from [0] to [%d]", max(len(n.items)-1, 0)))
		return
	}
	if len(rest) == 0 {
		n.set(s.key, v)
		return
	}
	next := n.get(s.key)
	if s.key == presetKey && next != nil && next.kind == scalar && !next.null { // a name becomes a map that has it
		name := *next
		*next = node{kind: mapping, at: next.at, pairs: []pair{{&node{text: "name", at: next.at}, &name}}}
	}
	if next == nil {
		next = &node{kind: mapping, at: v.at}
		if rest[0].key == "" {
			next.kind = list
		}
		n.set(s.key, next)
	}
	d.put(next, rest, v)
}

func (d *decoder) putItem(n *node, i int, rest []step, v *node) {
	if n.kind == scalar && (n.null || n.text == none) {
		*n = node{kind: list, at: v.at}
	}
	switch {
	case n.kind != list:
		d.report(v.at, fmt.Sprintf("there is no list of which [%d] could be an item", i), "a key")
	case i > len(n.items), i == len(n.items) && v.null:
		d.report(v.at, fmt.Sprintf("the index [%d] is out of range", i), fmt.Sprintf("the list has %d items, counted from 0; [%d] adds one", len(n.items), len(n.items)))
	case len(rest) == 0 && v.null:
		n.items = append(n.items[:i:i], n.items[i+1:]...)
	case len(rest) == 0 && i == len(n.items):
		n.items = append(n.items, v)
	case len(rest) == 0:
		n.items[i] = v
	default:
		if i == len(n.items) {
			n.items = append(n.items, &node{kind: mapping, at: v.at})
		}
		d.put(n.items[i], rest, v)
	}
}
