package scenarios

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"herdsim/downstream"
)

// An object is a mapping of the file together with the fields that it may have. Its methods read one field each, and
// report what is wrong with it; what they return then is the field's default, so that the rest can still be checked.
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

// text returns the scalar under key, or its default. It is false if the default has to do: nothing is there, or
// something that is no scalar, which it reports.
func (o *object) scalar(key string) (text string, n *node) {
	if n = o.value(key); n != nil && n.kind != scalar {
		o.wrong(key, n, "")
		n = nil
	}
	if n == nil {
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

// count returns a whole number within the field's limits; ok is false if the default is none, or a word was given.
func (o *object) count(key string) (value uint64, word string) {
	f := o.field(key)
	text, n := o.scalar(key)
	if f.hasWord(text) || text == "" && n == nil {
		return 0, text
	}
	value, ok := parseCount(text)
	if !ok {
		o.wrongNear(key, n, countFault(text), cmp.Or(countSuggestion(text), near(text, f.Words)))
		return o.defaultCount(f), ""
	}
	if low, high := f.countRange(); value < low || value > high {
		o.wrong(key, n, "out of range")
		return o.defaultCount(f), ""
	}
	return value, ""
}

func (o *object) defaultCount(f *Field) uint64 {
	value, _ := parseCount(f.Default)
	return value
}

// duration returns the duration under key; a word that the field allows counts as 0.
func (o *object) duration(key string) time.Duration {
	value, _ := o.durationOrWord(key)
	return value
}

func (o *object) durationOrWord(key string) (value time.Duration, word string) {
	f := o.field(key)
	text, n := o.scalar(key)
	if f.hasWord(text) || text == "" && n == nil {
		return 0, text
	}
	if value, why := f.duration(text); why != "" {
		o.wrongNear(key, n, why, cmp.Or(durationSuggestion(text), near(text, f.Words)))
	} else {
		return value, ""
	}
	if f.hasWord(f.Default) {
		return 0, f.Default
	}
	value, _ = parseDuration(f.Default)
	return value, ""
}

// duration reads text within the limits of the field, or says what is wrong.
func (f *Field) duration(text string) (value time.Duration, why string) {
	value, fault := parseDuration(text)
	low, high := f.durationRange()
	switch {
	case fault == durationNoUnit:
		return 0, "a number without a unit"
	case fault == durationTooFine:
		return 0, "finer than a nanosecond"
	case fault == durationTooLong, fault == durationOK && (value < low || value > high):
		return 0, "out of range"
	case fault == durationBad && strings.HasPrefix(text, "-"):
		if _, fault := parseDuration(text[1:]); fault == durationOK {
			return 0, "out of range"
		}
		return 0, "no duration"
	case fault == durationBad:
		return 0, "no duration"
	}
	return value, ""
}

// rate returns the rate under key, or the zero Rate if there is none.
func (o *object) rate(key string) downstream.Rate {
	text, n := o.scalar(key)
	if n == nil {
		return downstream.Rate{}
	}
	rate, ok := parseRate(text)
	most, _ := parseRate(o.field(key).Max)
	switch _, isNumber := parseNumber(text); {
	case isNumber:
		o.wrongNear(key, n, "a number without a unit", text+"/s")
	case !ok && ratePattern.MatchString(text):
		o.wrong(key, n, "too fine")
	case !ok && ratePattern.MatchString(strings.TrimPrefix(text, "-")):
		o.wrong(key, n, "out of range")
	case !ok:
		o.wrongNear(key, n, "no rate", rateSuggestion(text))
	case rate.Events == 0, rate.PerSecond() > most.PerSecond():
		o.wrong(key, n, "out of range")
	default:
		return rate
	}
	return downstream.Rate{}
}

// share returns the share under key.
func (o *object) share(key string) float64 {
	f := o.field(key)
	text, n := o.scalar(key)
	value, ok := parseShare(text)
	if low, high := f.shareRange(); n != nil && (!ok || value < low || value > high) {
		why := "no share"
		if _, isNumber := parseShare(strings.TrimPrefix(text, "-")); isNumber {
			why = "out of range"
		}
		o.wrong(key, n, why)
		value, _ = parseShare(f.Default)
	}
	return value
}

// number returns the number under key.
func (o *object) number(key string) float64 {
	f := o.field(key)
	text, n := o.scalar(key)
	value, ok := parseNumber(text)
	low, _ := parseNumber(f.Min)
	high, _ := parseNumber(f.Max)
	if n != nil && (!ok || value < low || value > high) {
		why := "no plain number"
		if _, isNumber := parseNumber(strings.TrimPrefix(text, "-")); isNumber {
			why = "out of range"
		}
		o.wrong(key, n, why)
		value, _ = parseNumber(f.Default)
	}
	return value
}

// flag returns whether true stands under key.
func (o *object) flag(key string) bool {
	text, n := o.scalar(key)
	switch {
	case n == nil || !n.quoted && o.field(key).hasWord(text):
	case n.quoted:
		o.wrong(key, n, "in quotes")
	default:
		o.wrongNear(key, n, "", map[string]string{"yes": "true", "on": "true", "no": "false", "off": "false"}[strings.ToLower(text)])
	}
	return text == "true"
}

// word returns which of the field's words stands under key.
func (o *object) word(key string) string {
	f := o.field(key)
	text, n := o.scalar(key)
	if n != nil && !f.hasWord(text) {
		o.wrong(key, n, "")
		return f.Default
	}
	return text
}

// line returns the text under key: one line, without control characters, at most as long as the field allows.
func (o *object) line(key string) string { return o.freeText(key, false) }

// freeText returns the text under key, of one line or of several.
func (o *object) freeText(key string, lines bool) string {
	f := o.field(key)
	text, n := o.scalar(key)
	if n == nil {
		return ""
	}
	most, _ := parseCount(f.Max)
	switch {
	case uint64(utf8.RuneCountInString(text)) > most:
		o.wrong(key, n, fmt.Sprintf("%d characters long", utf8.RuneCountInString(text)))
	case !utf8.ValidString(text), strings.ContainsFunc(text, func(r rune) bool {
		return (unicode.IsControl(r) || r == '\u2028' || r == '\u2029') && !(lines && (r == '\n' || r == '\t'))
	}):
		o.wrong(key, n, "with a line end or a control character in it")
	default:
		return text
	}
	return ""
}
