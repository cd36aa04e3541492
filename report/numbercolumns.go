package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
)

// A numberColumn is one of the columns of numbers beside the strategies.
type numberColumn struct {
	header string
	many   bool     // of several replicates
	ranged bool     // with the least and the most of them
	cells  []string // one a digest
	tones  []tone
}

func (c *numberColumn) width() int {
	w := lipgloss.Width(c.header)
	for _, cell := range c.cells {
		w = max(w, lipgloss.Width(cell))
	}
	return w
}

// numberColumns returns peak, requests, and when all were served (without a herd: the served share of the open
// traffic). Times share a unit. With several replicates the numbers are medians; ranges adds the least and the most, and
// then large counts are rounded, so that there is room for them.
func (r *Report) numberColumns(ds []digest, ranges bool) []numberColumn {
	limit, bounded := r.Setup.PerWindow()
	many := slices.ContainsFunc(ds, func(d digest) bool { return len(d.runs) > 1 })
	ranges = ranges && many
	peak := numberColumn{header: "peak", many: many, ranged: ranges}
	requests := numberColumn{header: "requests", many: many, ranged: ranges}
	served := numberColumn{header: "all served", many: many, ranged: ranges}
	herd := slices.ContainsFunc(ds, func(d digest) bool { return d.hasHerd() })
	if !herd {
		served.header = "served"
	}
	number, time := count, commonUnit(ds)
	if ranges {
		number = rounded
	}
	for i := range ds {
		d := &ds[i]
		if bounded {
			over := spread{d.peak.low / limit, d.peak.median / limit, d.peak.high / limit}
			tone := strong
			if Alarming(over.median) {
				tone = overloads
			}
			peak.add(rangeCell(over, Times, ranges), tone)
		} else {
			peak.add(rangeCell(d.peak, number, ranges), plain)
		}
		requests.add(rangeCell(d.requests, number, ranges), plain)
		switch {
		case herd:
			served.add(servedCell(d, time, ranges), leftTone(d))
		case math.IsNaN(d.openServed.median):
			served.add("-", plain)
		default:
			served.add(rangeCell(d.openServed, Percent, ranges), plain)
		}
	}
	return []numberColumn{peak, requests, served}
}

func (c *numberColumn) add(cell string, t tone) {
	c.cells, c.tones = append(c.cells, cell), append(c.tones, t)
}

// leftTone warns of a herd that is not served whole.
func leftTone(d *digest) tone {
	if d.unfinished > 0 {
		return overloads
	}
	return plain
}

// servedCell says when all of the herd were served; else how many were not or, of several runs, in how many all were.
func servedCell(d *digest, time func(float64) string, ranges bool) string {
	switch {
	case !d.hasHerd():
		return "-"
	case d.unfinished == 0:
		return rangeCell(d.completion, time, ranges)
	case len(d.runs) == 1:
		return count(d.left.median) + " left"
	}
	return "in " + strconv.Itoa(len(d.runs)-d.unfinished) + " of " + strconv.Itoa(len(d.runs)) + " runs"
}

// rangeCell prints the median and, if wanted and there is one, the range: "8.0× (7.6–8.5)", "14.9 s (13.2–16.0)".
func rangeCell(s spread, format func(float64) string, ranges bool) string {
	median, low, high := format(s.median), format(s.low), format(s.high)
	if !ranges || low == high {
		return median
	}
	// A unit that is the same thrice is said once.
	number := func(text string) (digits, unit string) {
		end := strings.LastIndexAny(text, "0123456789") + 1
		return text[:end], text[end:]
	}
	lowDigits, lowUnit := number(low)
	highDigits, highUnit := number(high)
	if _, unit := number(median); unit == lowUnit && unit == highUnit {
		low, high = lowDigits, highDigits
	}
	return median + " (" + low + "–" + high + ")"
}

// count is Count for a whole float64.
func count(x float64) string { return Count(int64(x)) }

// rounded is count up to 99,999, and three digits with a unit beyond: "129 k".
func rounded(x float64) string {
	if x < 100_000 {
		return count(x)
	}
	unit := ""
	for _, u := range []string{" k", " M", " bn", " tn"} {
		if x < 999.5 {
			break
		}
		x, unit = x/1e3, u
	}
	return Three(x) + unit
}

// commonUnit returns the format of all completions in the shortest unit in which the last of them has no more than three
// digits before the point: "14.9 s", "118 s", "73.7 min".
func commonUnit(ds []digest) func(ns float64) string {
	last := 0.0
	for i := range ds {
		for _, r := range ds[i].runs {
			if ns := completion(r); ns > last && !math.IsInf(ns, 1) {
				last = ns
			}
		}
	}
	unit := timeUnits[0]
	for _, u := range slices.Backward(timeUnits) {
		if last < 999.5*float64(u.size) {
			unit = u
			break
		}
	}
	return func(ns float64) string {
		x := ns / float64(unit.size)
		switch {
		case x < 0.1 || math.IsInf(x, 1): // it would be without digits
			return span(ns)
		case x >= 99.95:
			return Three(x) + " " + unit.name
		}
		return Fixed(x, 1) + " " + unit.name
	}
}
