package figures

import "time"

// tickUnit returns the unit in which a logarithmic axis writes a tick at t, of at least a minute.
func tickUnit(t time.Duration) unit {
	i := len(units) - 1
	for t < units[i].d {
		i--
	}
	return units[i]
}

// moment writes an instant in words that stand with the axis: in its unit, so that it can be found there, or in a smaller one
// where that leaves less than one.
func (a timeAxis) moment(t time.Duration) string {
	if a.counts(t) {
		return a.word(t)
	}
	return instant(t)
}

// span writes the width of a window as moment does an instant.
func (a timeAxis) span(t time.Duration) string {
	if a.counts(t) {
		return a.word(t)
	}
	return span(t)
}

// counts reports whether t is written as word does: beside an axis in minutes or more, or with a unit at each tick; and whole
// minutes beside an axis in seconds, as far as such axes go.
func (a timeAxis) counts(t time.Duration) bool {
	switch {
	case a.max == 0 || t < time.Minute:
		return false
	case a.log || a.unit.d >= time.Minute:
		return true
	}
	return a.unit.d == time.Second && t < 1000*time.Second
}

// word writes t, at least a minute, in the unit of the axis or a smaller one.
func (a timeAxis) word(t time.Duration) string {
	if u := tickUnit(t); !a.log && u.d < a.unit.d { // else less than one
		return digits(float64(t)/float64(u.d)) + " " + u.short
	}
	return a.instant(t)
}
