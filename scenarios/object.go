package scenarios

import (
	"fmt"
	"strings"
)

// An object is a mapping of the file together with the fields that it may have. Its methods (values.go) read one field
// each, and report what is wrong with it; what they return then is the field's default, so that the rest can still be
// checked.
type object struct {
	d      *decoder
	path   string // as "downstream.", in front of a key
	at     place
	fields []Field
	values map[string]*node // what stands under a key that is not null
	keys   map[string]place // where those keys are
	seen   map[string]place // all keys, the unknown included
	faulty map[string]bool  // keys with a value that was reported

	partial bool // there are keys that could not be read, so what is missing may be there
}

// object checks the keys of n against fields. A nil n has all defaults. It returns nil for what is no mapping.
func (d *decoder) object(n *node, path string, fields []Field, at place) *object {
	o := &object{d: d, path: path, at: at, fields: fields, values: map[string]*node{}, keys: map[string]place{}, seen: map[string]place{}, faulty: map[string]bool{}}
	if n != nil {
		if n.broken {
			return nil
		}
		if n.kind != mapping {
			what := strings.TrimSuffix(path, ".")
			if what == "" {
				what = "the scenario"
			}
			d.report(n.at, what+" is "+n.what(), "a map of "+keyList(fields))
			return nil
		}
		o.at = n.at
		for _, p := range n.pairs {
			o.add(p)
		}
	}
	for _, f := range fields {
		if f.Required && !o.partial && !(f.Key == "strategies" && d.noStrategies) && o.values[f.Key] == nil {
			d.report(o.at, path+f.Key+" is missing", f.allowed())
		}
	}
	return o
}

func (o *object) add(p pair) {
	key := p.key.text
	before, twice := o.seen[key]
	if !p.key.broken && !twice {
		o.seen[key] = p.key.at
	}
	switch f := o.field(key); {
	case p.key.broken: // reported where it was read
		o.partial = true
	case twice:
		message := fmt.Sprintf("key %s is there twice", quote(key))
		if before.line > 0 {
			message += fmt.Sprintf(", first in line %d", before.line)
		}
		o.d.report(p.key.at, message, "each key once")
	case f == nil:
		o.d.reportNear(p.key.at, fmt.Sprintf("unknown key %s%s", quote(key), o.where()), "one of "+keyList(o.fields), near(key, keyNames(o.fields)))
	case p.value.null && p.value.text != "" && !f.Required: // as if it were not there
	default:
		o.keys[key] = p.key.at
		o.values[key] = p.value
	}
}

func (o *object) where() string {
	if o.path == "" {
		return ""
	}
	return " in " + strings.TrimSuffix(o.path, ".")
}

func (o *object) field(key string) *Field {
	for i := range o.fields {
		if o.fields[i].Key == key {
			return &o.fields[i]
		}
	}
	return nil
}

// has says whether key is there and says more than its absence would.
func (o *object) has(key string) bool { return o.value(key) != nil }

// only returns the one of keys that is there; "" if it is not exactly one, which it reports.
func (o *object) only(keys ...string) string {
	var there []string
	known := true
	for _, key := range keys {
		if o.has(key) {
			there = append(there, key)
		}
		known = known && !o.faulty[key]
	}
	switch {
	case len(there) == 1:
		return there[0]
	case len(there) > 1:
		o.d.report(o.keys[there[1]], o.path+there[0]+" and "+o.path+there[1]+" are both there", "one of "+strings.Join(keys, ", "))
	case known && !o.partial:
		o.d.report(o.at, strings.TrimSuffix(o.path, ".")+" has none of "+strings.Join(keys, ", "), "one of them")
	}
	return ""
}

// sound says whether the keys are there, if they have to be, and have values that were not reported: only then is it
// worth comparing them.
func (o *object) sound(keys ...string) bool {
	for _, key := range keys {
		if o.faulty[key] || o.field(key).Required && o.values[key] == nil {
			return false
		}
	}
	return true
}

// value returns what stands under key; nil if nothing does, or null, or the word none where that is allowed. A key of
// which nothing was written behind the colon is reported.
func (o *object) value(key string) *node {
	n, f := o.values[key], o.field(key)
	switch {
	case f == nil:
		panic("scenarios: no field " + o.path + key)
	case n == nil:
		return nil
	case n.broken:
		o.faulty[key] = true
		return nil
	case n.null && n.text == "":
		o.d.report(n.at, o.path+key+" has no value", f.allowed())
		o.faulty[key] = true
		delete(o.values, key)
		return nil
	case n.null:
		o.d.report(n.at, o.path+key+" is null", f.allowed())
		o.faulty[key] = true
		delete(o.values, key)
		return nil
	case f.hasWord(none) && n.kind == scalar && n.text == none:
		return nil
	}
	return n
}

// scalar returns the text of the scalar under key. If nothing is there, or something that is no scalar, which it reports,
// that is the default, and the node is nil, as it is for the word none where that is allowed.
func (o *object) scalar(key string) (text string, n *node) {
	if n = o.value(key); n != nil && n.kind != scalar {
		o.wrong(key, n, "")
		n = nil
	}
	if n == nil {
		if written := o.values[key]; written != nil && written.kind == scalar && written.text == none && o.field(key).hasWord(none) {
			return none, nil
		}
		return o.field(key).Default, nil
	}
	return n.text, n
}

// wrong reports the value n of key, and why it is wrong.
func (o *object) wrong(key string, n *node, why string) {
	f := o.field(key)
	suggestion := ""
	if n.kind == scalar {
		suggestion = near(n.text, f.Words)
	}
	o.wrongNear(key, n, why, suggestion)
}

func (o *object) wrongNear(key string, n *node, why, suggestion string) {
	message := o.path + key + " is " + n.what()
	if why != "" {
		message += ", " + why
	}
	if suggestion == n.text {
		suggestion = ""
	}
	o.d.reportNear(n.at, message, o.field(key).allowed(), suggestion)
	o.faulty[key] = true
}
