package report

import (
	"math"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
)

// tallRows is the height of a tall plot in lines, without its zero line.
const tallRows = 6

// A tallPlot draws one strategy's windows over several lines, with the capacity across them.
type tallPlot struct {
	name    string
	columns []column
	top     int64   // requests at the upper edge
	limit   float64 // capacity in a window; 0 without a bound
	glyphs  *glyphs
}

// tallTop returns the upper edge for plots that share a scale: the busiest window, the failure itself included, or the
// capacity if that is more.
func tallTop(limit float64, plots ...[]column) int64 {
	top := int64(math.Ceil(limit))
	for _, columns := range plots {
		for _, c := range columns {
			top = max(top, c.load, c.failure)
		}
	}
	return top
}

// labels returns the text left of each line, the zero line last: the upper edge, a quarter of it (half way up, as the
// scale is a square root), and the capacity, which goes before them.
func (p *tallPlot) labels() []string {
	labels := make([]string, tallRows+1)
	labels[0] = Count(p.top)
	labels[tallRows/2] = Short(float64(p.top) / 4)
	if row := p.capacityRow(); row >= 0 {
		labels[row] = "capacity " + Short(p.limit)
	}
	labels[tallRows] = "0"
	return labels
}

// capacityRow is the line through which the capacity goes, -1 without a bound.
func (p *tallPlot) capacityRow() int {
	if p.limit <= 0 {
		return -1
	}
	up := int(math.Sqrt(p.limit/float64(p.top)) * tallRows)
	return tallRows - 1 - min(up, tallRows-1)
}

// row draws line i, counted from the upper edge.
func (p *tallPlot) row(i int) []piece {
	if i == tallRows {
		return []piece{{strings.Repeat(p.glyphs.base, len(p.columns)), faint}}
	}
	below := (tallRows - 1 - i) * 8
	var line []piece
	for _, c := range p.columns {
		filled := level(c.load, p.top, tallRows*8) - below
		switch {
		case filled > 0:
			line = appendPiece(line, p.glyphs.ramp[min(filled, 8)], loadTone(c.load, p.limit))
		case level(c.failure, p.top, tallRows*8) > below:
			line = appendPiece(line, p.glyphs.failure, faint)
		case i == p.capacityRow():
			line = appendPiece(line, p.glyphs.capacity, faint)
		default:
			line = appendPiece(line, " ", plain)
		}
	}
	return line
}

// labelWidth returns the cells that the labels of p take.
func (p *tallPlot) labelWidth() int {
	w := 0
	for _, l := range p.labels() {
		w = max(w, lipgloss.Width(l))
	}
	return w
}

// showsFailure reports whether the failure itself rises above the load somewhere, by a line or more.
func (p tallPlot) showsFailure() bool {
	lines := func(n int64) int { return (level(n, p.top, tallRows*8) + 7) / 8 }
	return slices.ContainsFunc(p.columns, func(c column) bool { return lines(c.failure) > lines(c.load) })
}
