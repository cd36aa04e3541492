package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"herdsim/strategies/guards"
)

// guardFields are the keys of an item of guards beside the guard itself.
var guardFields = []Field{
	{Key: "name", Kind: Text, Max: "64", Form: "1 to 64 printable characters", Doc: "its name in reports; its key and preset if not given"},
	{Key: "scope", Kind: Word, Words: []string{shared, perWorker}, Doc: "whether all workers share it, or each worker and each client of the open traffic has its own; what the client does if not given"},
}

// guards decodes the guards of a scenario or of an entry. An empty list is nil.
func (d *decoder) guards(o *object) []guards.Spec {
	var specs []guards.Spec
	names := map[string]bool{}
	for i, item := range o.list("guards") {
		path := fmt.Sprintf("%sguards[%d]", o.path, i)
		spec, ok := d.guard(item, path)
		switch {
		case !ok:
		case names[spec.Name]:
			d.report(item.at, path+" is the second with the name "+quote(spec.Name), "names that differ: give one of them a name")
		default:
			names[spec.Name] = true
			specs = append(specs, spec)
		}
	}
	return specs
}

// guard decodes one item; false if it is not known which guard it is.
func (d *decoder) guard(n *node, path string) (spec guards.Spec, ok bool) {
	own, key, params := d.takeGuardApart(n, path)
	if key == "" {
		return spec, false
	}
	k := findGuard(key)
	path += "." + key
	params, preset, ok := d.guardPreset(params, key, path)
	if !ok {
		return spec, false
	}
	spec = guards.Spec{Name: key, Shared: k.Scope == shared}
	if preset != nil {
		spec.Name = key + "(" + preset.Name + ")"
	}
	if name := own.value("name"); name != nil {
		spec.Name = d.entryName(own, name)
	}
	if own.has("scope") {
		spec.Shared = own.word("scope") == shared
	}
	fields := withPreset(k, preset)
	if o := d.object(params, path+".", fields, n.at); o != nil {
		spec.Maker = k.build(o)
	}
	return spec, spec.Name != "" && spec.Maker != nil
}

// takeGuardApart finds out which guard an item names; key is "" if it names none, which was reported.
func (d *decoder) takeGuardApart(n *node, path string) (own *object, key string, params *node) {
	mine := &node{kind: mapping, at: n.at}
	var keys []*node
	switch {
	case n.broken:
		return nil, "", nil
	case n.kind == scalar && !n.null:
		keys = append(keys, n)
	case n.kind == mapping:
		for _, p := range n.pairs {
			if p.key.broken || slices.ContainsFunc(guardFields, func(f Field) bool { return f.Key == p.key.text }) {
				mine.pairs = append(mine.pairs, p)
				continue
			}
			keys = append(keys, p.key)
			if params = p.value; params.null {
				params = nil
			}
		}
	default:
		d.report(n.at, path+" is "+n.what(), "a guard or a map with one of "+strings.Join(guardKeys(), ", "))
		return nil, "", nil
	}
	own = d.object(mine, path+".", guardFields, n.at)
	for _, k := range keys {
		if findGuard(k.text) == nil {
			d.reportNear(k.at, fmt.Sprintf("unknown guard %s in %s", quote(k.text), path),
				"one of "+strings.Join(guardKeys(), ", ")+"; beside it "+keyList(guardFields), near(k.text, append(guardKeys(), keyNames(guardFields)...)))
			return nil, "", nil
		}
	}
	switch {
	case len(keys) == 0 && own.partial:
	case len(keys) == 0:
		d.report(n.at, path+" names no guard", "one of "+strings.Join(guardKeys(), ", "))
	case len(keys) > 1:
		d.report(keys[1].at, fmt.Sprintf("%s has two guards, %s and %s", path, keys[0].text, keys[1].text), "one guard an item")
	default:
		return own, keys[0].text, params
	}
	return nil, "", nil
}

// guardPreset returns the preset that the fields of a guard name, if any, and the fields without it. In place of fields
// there may be the name alone. False if there is no such preset, which was reported.
func (d *decoder) guardPreset(params *node, key, path string) (fields *node, p *guards.Preset, ok bool) {
	if params == nil || params.broken {
		return params, nil, true
	}
	name, rest := params, (*node)(nil)
	if params.kind == mapping {
		i := params.index(presetKey)
		if i < 0 {
			return params, nil, true
		}
		name = params.pairs[i].value
		rest = &node{kind: mapping, at: params.at, pairs: slices.Delete(slices.Clone(params.pairs), i, i+1)}
		if name.null && name.text != "" { // as if it were not there
			return rest, nil, true
		}
		path += "." + presetKey
	}
	if name.kind == list {
		return params, nil, true // which is reported as no map
	}
	for _, p := range guards.Presets() {
		if p.Key == key && name.kind == scalar && p.Name == name.text {
			return rest, &p, true
		}
	}
	allowed := "a map of " + keyList(findGuard(key).Fields)
	if names := guardPresets(key); len(names) > 0 {
		allowed = "one of " + strings.Join(names, ", ") + "; or " + allowed
	}
	if !name.broken {
		d.reportNear(name.at, path+" is "+name.what(), allowed, near(name.text, guardPresets(key)))
	}
	return nil, nil, false
}

// withPreset returns the fields of a guard with the values of a preset for defaults. What a guard has to be given, a
// preset gives.
func withPreset(k *knownGuard, p *guards.Preset) []Field {
	if p == nil {
		return k.Fields
	}
	values := guardValues(p.Maker)
	fields := slices.Clone(k.Fields)
	for i := range fields {
		if value, written := values[fields[i].Key]; written { // what is rare is written only where it is used
			fields[i].Default = value
		}
	}
	return fields
}
