package scenarios

import (
	"embed"
	"slices"
	"strings"
	"sync"
)

// The presets are data: what a client does by default, written as an entry of strategies is.
//
//go:embed presets/*.yaml
var presetFiles embed.FS

// presetKey stands in an entry where a strategy does, and names a preset.
const presetKey = "preset"

// PresetGroups are the groups of presets, in the order of the documentation.
var PresetGroups = []string{"queue workers", "RPC", "HTTP", "databases and brokers", "infrastructure"}

// A Preset is what one real client does by default.
type Preset struct {
	Name    string // as in preset: sidekiq-8
	Group   string // one of PresetGroups
	Title   string // one line: the client, and which of its ways to wait
	Version string // which was looked at
	Source  string // where the numbers stand in its source
	Index   string // how the client counts retries; "" if it makes no difference
	Remarks string // what else it does, and what is left out; "" if nothing
	Entry   Entry  // its strategy, limits, Retry-After and poller

	spec *node
}

// Presets returns every preset, group by group, by name within one.
func Presets() []Preset { return slices.Clone(presets()) }

// FindPreset returns the preset of that name.
func FindPreset(name string) (Preset, bool) {
	i := slices.IndexFunc(presets(), func(p Preset) bool { return p.Name == name })
	if i < 0 {
		return Preset{}, false
	}
	return presets()[i], true
}

// YAML returns the preset as an entry of strategies that does without it.
func (p Preset) YAML() string { return string(emitYAML(p.spec)) }

// presetFields are the keys of a preset in the files.
var presetFields = []Field{
	{Key: "name", Kind: Text, Required: true, Max: "64", Doc: "its name"},
	{Key: "group", Kind: Word, Required: true, Words: PresetGroups, Doc: "what kind of client it is"},
	{Key: "title", Kind: Text, Required: true, Max: "200", Doc: "the client, and which of its ways to wait"},
	{Key: "version", Kind: Text, Required: true, Max: "100", Doc: "which was looked at"},
	{Key: "source", Kind: Text, Required: true, Max: "300", Doc: "where the numbers stand"},
	{Key: "index", Kind: Text, Max: "100", Doc: "how the client counts"},
	{Key: "remarks", Kind: Text, Max: "600", Doc: "what else it does"},
	{Key: "spec", Kind: Map, Required: true, Doc: "an entry of strategies"},
}

var (
	presetsOnce sync.Once
	presetList  []Preset
)

// presets returns the presets, which are read once, and sorted.
func presets() []Preset {
	presetsOnce.Do(func() { presetList = readPresets() })
	return presetList
}

// readPresets reads all files. A fault in them is a bug: they are part of the program.
func readPresets() []Preset {
	var all []Preset
	files, err := presetFiles.ReadDir("presets")
	if err != nil {
		panic("scenarios: " + err.Error())
	}
	for _, file := range files {
		text, err := presetFiles.ReadFile("presets/" + file.Name())
		if err != nil {
			panic("scenarios: " + err.Error())
		}
		found, problems := decodePresets(file.Name(), text)
		if len(problems) > 0 {
			panic("scenarios: " + problems.Error())
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b Preset) int {
		if a.Group != b.Group {
			return slices.Index(PresetGroups, a.Group) - slices.Index(PresetGroups, b.Group)
		}
		return strings.Compare(a.Name, b.Name)
	})
	return all
}

// decodePresets reads one file, a map with the list presets, through the decoder of scenarios.
func decodePresets(name string, text []byte) ([]Preset, Errors) {
	root, problems := parse(name, text)
	d := &decoder{problems: problems, removed: map[string]bool{}, ofPresets: true}
	if root == nil || len(problems) > 0 {
		return nil, d.problems
	}
	var out []Preset
	file := d.object(root, "", []Field{{Key: "presets", Kind: List, Required: true, Max: "1000"}}, root.at)
	if file == nil {
		return nil, d.problems
	}
	for _, item := range file.list("presets") {
		o := d.object(item, "preset.", presetFields, item.at)
		if o == nil || o.value("spec") == nil {
			continue
		}
		p := Preset{
			Name: o.line("name"), Group: o.word("group"), Title: o.line("title"), Version: o.line("version"), Source: o.line("source"),
			Index: o.line("index"), Remarks: o.line("remarks"), spec: o.value("spec"),
		}
		// The delay of the network lets those in that do not wait.
		p.Entry, _ = d.entry(p.spec, p.Name, &Scenario{Network: anyNetwork})
		p.Entry.Name = p.Name
		out = append(out, p)
	}
	return out, d.problems
}

func presetNames() []string {
	names := make([]string, len(presets()))
	for i, p := range presets() {
		names[i] = p.Name
	}
	return names
}

// expandPreset replaces the preset that an entry names by what it stands for: the strategy with the fields that the entry
// overrides, and the preset's limits, Retry-After and poller where neither the entry nor, for limits, the scenario has its
// own. An entry without one is returned as it is. False means that the preset is not known, and was reported.
func (d *decoder) expandPreset(n *node, path string) (expanded *node, p *Preset, ok bool) {
	if n.kind == scalar && !n.null && n.text == presetKey {
		d.report(n.at, path+" is a preset without a name", "as preset: sidekiq-8")
		return nil, nil, false
	}
	use := n.get(presetKey)
	if use == nil || use.broken {
		return n, nil, true
	}
	name, overrides, ok := d.presetUse(use, path)
	if !ok {
		return nil, nil, false
	}
	found, ok := FindPreset(name.text)
	if !ok {
		d.unknownPreset(name, path)
		return nil, nil, false
	}
	out := &node{kind: mapping, at: n.at}
	for _, q := range n.pairs {
		if findStrategy(q.key.text) != nil {
			d.report(q.key.at, path+" has two strategies, preset and "+q.key.text, "one strategy an entry")
			return nil, nil, false
		}
		if q.key.text != presetKey && !(q.value.null && q.value.text != "") {
			out.pairs = append(out.pairs, q)
		}
	}
	for _, q := range found.spec.clone().relocate(use.at).pairs {
		switch isOwn := slices.ContainsFunc(entryFields, func(f Field) bool { return f.Key == q.key.text }); {
		case !isOwn:
			q.value = override(q.key.text, q.value, overrides)
			q.key.at = n.pairs[n.index(presetKey)].key.at
			out.pairs = append(out.pairs, q)
		case out.get(q.key.text) == nil && !(d.limited && q.key.text == "limits"):
			out.pairs = append(out.pairs, q)
		}
	}
	return out, &found, true
}

// presetUse takes apart what stands under preset: a name, or a map with the name and fields to override.
func (d *decoder) presetUse(use *node, path string) (name *node, overrides []pair, ok bool) {
	const form = "a name such as sidekiq-8, or a map such as {name: sidekiq-8, base: 30s}"
	switch {
	case use.kind == scalar && !use.null:
		return use, nil, true
	case use.kind != mapping:
		d.report(use.at, path+".preset is "+use.what(), form)
		return nil, nil, false
	}
	for _, p := range use.pairs {
		switch {
		case p.key.broken || p.value.null && p.value.text != "":
		case p.key.text == "name" && name == nil && p.value.kind == scalar && !p.value.null:
			name = p.value
		default:
			overrides = append(overrides, p)
		}
	}
	if name == nil {
		d.report(use.at, path+".preset.name is missing", form)
	}
	return name, overrides, name != nil
}

// override puts fields over those of a strategy. What is there twice stays so, to be reported.
func override(key string, params *node, fields []pair) *node {
	if params.kind != mapping { // a preset without fields
		bare := ""
		if k := findStrategy(key); k != nil {
			bare = k.Bare
		}
		inner := &node{kind: mapping, at: params.at}
		if bare != "" && !params.null {
			inner.set(bare, params)
		}
		params = inner
	}
	kept := params.pairs[:0]
	for _, p := range params.pairs {
		if !slices.ContainsFunc(fields, func(f pair) bool { return f.key.text == p.key.text }) {
			kept = append(kept, p)
		}
	}
	params.pairs = append(kept, fields...)
	return params
}

// unknownPreset reports a name that no preset has, with those that are near.
func (d *decoder) unknownPreset(name *node, path string) {
	all := presetNames()
	suggestion := near(name.text, all)
	var alike []string
	if part := strings.ToLower(name.text); len(part) >= 3 {
		for _, candidate := range all {
			if strings.Contains(strings.ToLower(candidate), part) && len(alike) < 6 {
				alike = append(alike, candidate)
			}
		}
	}
	allowed := "one of the presets of herdsim strategies"
	if len(alike) > 1 {
		allowed = "near are " + strings.Join(alike, ", ")
		suggestion = ""
	} else if len(alike) == 1 {
		suggestion = alike[0]
	}
	d.reportNear(name.at, "unknown preset "+quote(name.text)+" in "+path, allowed, suggestion)
}

// clone copies a node and all below it.
func (n *node) clone() *node {
	out := *n
	out.pairs, out.items = nil, nil
	for _, p := range n.pairs {
		out.pairs = append(out.pairs, pair{p.key.clone(), p.value.clone()})
	}
	for _, item := range n.items {
		out.items = append(out.items, item.clone())
	}
	return &out
}
