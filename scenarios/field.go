package scenarios

import (
	"math"
	"slices"
	"strings"
	"time"
)

func (f *Field) hasWord(text string) bool { return slices.Contains(f.Words, text) }

func (f *Field) countRange() (low, high uint64) {
	low, _ = parseCount(f.Min)
	high, ok := parseCount(f.Max)
	if !ok {
		high = math.MaxUint64
	}
	return low, high
}

func (f *Field) durationRange() (low, high time.Duration) {
	low, _ = parseDuration(f.Min)
	high, fault := parseDuration(f.Max)
	if fault != durationOK {
		high = longest
	}
	return low, high
}

func (f *Field) shareRange() (low, high float64) {
	low, _ = parseShare(f.Min)
	high, ok := parseShare(f.Max)
	if !ok {
		high = 1
	}
	return low, high
}

// allowed says in words what the field may hold.
func (f *Field) allowed() string {
	if f.Form != "" {
		return f.Form
	}
	text := ""
	switch f.Kind {
	case Text:
		return "a text of at most " + f.Max + " characters in one line"
	case Count:
		low, high := f.countRange()
		text = "a whole number from " + formatCount(low) + " to " + formatCount(high)
	case Duration:
		low, high := f.durationRange()
		text = "a duration from " + formatDuration(low) + " to " + formatDuration(high) + ", such as 100ms, 1.5s or 1d12h"
	case Rate:
		text = "a rate above 0 and up to " + f.Max + ", such as 200/s, 12/min, 5/h or 1/d"
		if f.Min != "" {
			text = "a rate from " + f.Min + " to " + f.Max + ", such as 200/s, 12/min, 5/h or 1/d"
		}
	case Share:
		low, high := f.shareRange()
		text = "a share from " + formatShare(low) + " to " + formatShare(high) + ", such as 5% or 0.05"
	case Number:
		text = "a number from " + f.Min + " to " + f.Max + ", such as 2 or 1.5"
	case Word:
		return "one of " + strings.Join(f.Words, ", ")
	case Jitter:
		return "one of none, full, equal; a share of the delay such as 10% (up to 100%), +10% (up to 1000%) or 80%..130% (up to 10000%); a duration to add such as 500ms"
	case Distribution:
		return "a duration such as 100ms, or a map with one of " + keyList(distributionFields)
	case Starting:
		return "a duration such as 5s, or a map with one of " + keyList(startFields)
	case Spreading:
		return "a duration such as 5s, or a map with one of " + keyList(spreadFields)
	case Map:
		text = "a map"
	case List:
		text = "a list"
	}
	if len(f.Words) > 0 {
		text += ", or " + strings.Join(f.Words, ", ")
	}
	return text
}

func keyNames(fields []Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Key
	}
	return names
}

func keyList(fields []Field) string { return strings.Join(keyNames(fields), ", ") }
