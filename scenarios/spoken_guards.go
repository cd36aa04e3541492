package scenarios

import (
	"encoding/json"
	"strings"

	"herdsim/strategies/guards"
)

// spokenGuards names the guards of an entry for people: "breaker(gobreaker, jitter +20%) each, throttle".
func spokenGuards(specs []guards.Spec) string {
	if len(specs) == 0 {
		return "no guards"
	}
	var names []string
	for _, s := range specs {
		name := spokenGuard(s)
		if s.Shared != (findGuardOf(s.Maker).Scope == shared) {
			name += map[bool]string{true: " shared", false: " each"}[s.Shared]
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// spokenGuard writes the name of a guard, and within its brackets the fields that are neither its preset's nor, without
// one, the defaults. A name that somebody gave it says enough.
func spokenGuard(s guards.Spec) string {
	k := findGuardOf(s.Maker)
	var own []string
	switch preset, ok := presetOfGuard(k.Key, s.Name); {
	case ok:
		own = append(own, preset.Name)
		own = append(own, ownFields(s.Maker, withPreset(k, &preset))...)
	case s.Name == k.Key:
		own = ownFields(s.Maker, k.Fields)
	default:
		return s.Name
	}
	if len(own) == 0 {
		return k.Key
	}
	return k.Key + "(" + strings.Join(own, ", ") + ")"
}

// presetOfGuard returns the preset that a guard has its name from.
func presetOfGuard(key, name string) (guards.Preset, bool) {
	for _, p := range guards.Presets() {
		if p.Key == key && name == key+"("+p.Name+")" {
			return p, true
		}
	}
	return guards.Preset{}, false
}

// ownFields writes the fields of a guard whose values are not the defaults of fields. What a guard does not write has the
// default of its kind.
func ownFields(m guards.Maker, fields []Field) []string {
	k, values := findGuardOf(m), guardValues(m)
	var own []string
	for _, f := range fields {
		v, written := values[f.Key]
		if !written {
			v = k.field(f.Key).Default
		}
		if !sameValue(v, f.Default) {
			own = append(own, f.Key+" "+v)
		}
	}
	return own
}

// sameValue reports whether two values are the same though one may be written otherwise, as 120s and 2m.
func sameValue(a, b string) bool {
	if a == b {
		return true
	}
	x, faultX := parseDuration(a)
	y, faultY := parseDuration(b)
	return faultX == durationOK && faultY == durationOK && x == y
}

// guardValues returns the fields of a guard as they are written.
func guardValues(m guards.Maker) map[string]string {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(encodeGuardFields(m), &values); err != nil {
		panic("scenarios: " + err.Error())
	}
	texts := map[string]string{}
	for key, value := range values {
		var text string
		if json.Unmarshal(value, &text) != nil { // no string
			text = string(value)
		}
		texts[key] = text
	}
	return texts
}
