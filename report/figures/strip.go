package figures

import (
	"image/color"
	"math"
	"slices"

	"herdsim/strategies"
)

// A strip is a figure of one row a strategy over one time axis: bars by outcome, and three numbers.
type strip struct {
	stack
	clip  bool // the failure itself is higher than the scale
	label bool // the highest bar of each row, however low it is
}

// newStrip returns the strip of rows, at a pitch with a gap between them for the labels, and the header above it.
func newStrip(v *view, rows []row, pitch, gap float64, root bool, titles func() []string) (*strip, header) {
	s := &strip{stack: stack{v: v, rows: rows, pitch: pitch, height: pitch - gap}}
	s.axis = newTimeAxis(v.extentFor(rows), 9)
	v.clock = s.axis
	s.scale, s.clip = s.fitScale(root)
	h := header{titles: titles(), subtitle: v.subtitle(v.perWindow(v.shared(s.axis), root)), keys: s.keys(), keyWidth: plotRight - margin}
	s.top = h.height() + gap - 8
	return s, h
}

// keys are those of the outcomes that are drawn high enough to be seen, and of the capacity line.
func (s *strip) keys() []key {
	const visible = 0.25 // half a pixel
	var seen [strategies.Outcomes]bool
	failure := false
	for _, r := range s.rows {
		cs, _ := s.v.columns(r, s.axis, plotLeft, plotRight)
		for _, c := range cs {
			below := int64(0)
			for _, o := range stackOrder {
				n := c.parts[o]
				rise := s.scale.at(float64(below+n)) - s.scale.at(float64(below))
				seen[o] = seen[o] || rise*s.height >= visible
				below += n
			}
			failure = failure || c.total > c.requests
		}
	}
	ks := keysOf(seen, failure)
	if s.v.bounded() {
		word := s.v.capacityKey()
		if s.v.perBar > s.scale.max {
			word += " (off the scale)"
		}
		ks = append(ks, key{word, dash, func(p *palette) color.RGBA { return p.ink }})
	}
	return append(ks, s.laneKeys()...)
}

// layout completes a figure of the strip below h, in which shown strategies can be said to be shown.
func (s *strip) layout(h header, shown int) layout {
	title, _ := h.title()
	return layout{title, s.foot() + footRoom, func(p *page) {
		h.draw(p)
		s.draw(p)
		p.footer(s.v.notes(shown), s.foot(), plotLeft+120)
	}}
}

// fitScale finds a scale for the highest bar that can be seen. The failure itself is cut off if it would dwarf the rest.
func (s *strip) fitScale(root bool) (sc scale, clip bool) {
	var peak, failure int64 = 1, 0
	for _, r := range s.rows {
		cs, _ := s.v.columns(r, s.axis, plotLeft, plotRight)
		for _, c := range cs {
			peak = max(peak, c.requests)
			failure = max(failure, c.total)
		}
	}
	highest, dwarf := float64(peak), 4.0
	if root {
		dwarf = 12
	}
	if c := s.v.perBar; c <= dwarf*highest {
		highest = max(highest, c*1.15)
	}
	if float64(failure) > dwarf*highest {
		return scale{max: highest, root: root}, true
	}
	return scale{max: max(highest, float64(failure)), root: root}, false
}

func (s *strip) draw(p *page) {
	s.drawHeads(p)
	s.drawTimes(p)
	for i, r := range s.rows {
		s.drawRow(p, r, s.rowTop(i))
	}
	p.writeTicks(s.axis, plotLeft, plotRight, s.bottom()+s.lift(), s.v.origin())
}

// lift is the distance from the last baseline to the labels of the time axis, which make way for lanes and for a remark
// on what lies beyond.
func (s *strip) lift() float64 {
	last := s.rows[len(s.rows)-1]
	if _, rest := s.v.columns(last, s.axis, plotLeft, plotRight); rest.requests > 0 {
		return 11 + last.lanesHeight()
	}
	return 2 + last.lanesHeight()
}

// foot is the baseline of the lowest text.
func (s *strip) foot() float64 { return s.bottom() + s.lift() + 27 }

// drawRow draws one strategy with its bars from top down.
func (s *strip) drawRow(p *page, r row, top float64) {
	base := snap(top + s.height)
	y := func(n float64) float64 { return base - s.scale.at(n)*s.height }
	s.drawLevels(p, y)

	cs, rest := s.v.columns(r, s.axis, plotLeft, plotRight)
	s.drawBars(p, cs, y, top)
	p.hline(plotLeft, plotRight, base, 1, p.pal.axis)
	if c := s.v.perBar; c > 0 && c <= s.scale.max {
		p.limit(y(c), p.pal.ink)
	}
	s.labelPeaks(p, cs, y)
	s.drawLanes(p, r, base)
	s.drawRest(p, rest, base+r.lanesHeight())
	s.drawName(p, r, (top+base)/2)
	s.drawNumbers(p, r, (top+base)/2)
}

// drawBars draws the columns, one shape a colour.
func (s *strip) drawBars(p *page, cs []column, y func(float64) float64, top float64) {
	failure := p.path()
	var shapes [strategies.Outcomes]*path
	for o := range shapes {
		shapes[o] = p.path()
	}
	for _, c := range cs {
		var below int64
		for _, o := range stackOrder {
			if n := c.parts[o]; n > 0 {
				shapes[o].rect(c.x0, y(float64(below)), c.x1, y(float64(below+n)))
				below += n
			}
		}
		if c.total > c.requests {
			upper := max(y(float64(c.total)), top)
			failure.rect(c.x0, y(float64(below)), c.x1, upper)
			if s.clip && upper == top {
				p.write("↑ "+short(c.total, 100_000), c.x1+2, top+5.5, left, pen{regular, 7.5, p.pal.faint})
			}
		}
	}
	p.fill(failure, p.pal.failure)
	for _, o := range stackOrder {
		p.fill(shapes[o], p.pal.outcomes[o])
	}
}

// labelPeaks writes the height of local peaks above twice the capacity, the highest first, where there is room.
func (s *strip) labelPeaks(p *page, cs []column, y func(float64) float64) {
	limit := 2 * s.v.perBar
	if !s.v.bounded() {
		limit = max(1, s.scale.max/4)
	}
	var placed []textBox
	for n, i := range summits(cs) {
		x := float64(cs[i].requests)
		if must := n == 0 && s.label; !must && (x <= limit || n > 0 && s.scale.at(x)*s.height < thinnest) {
			break
		}
		line := math.Inf(1) // of the capacity
		if s.v.bounded() && s.v.perBar <= s.scale.max {
			line = y(s.v.perBar)
		}
		for _, box := range labelPlaces(cs[i], y, line) {
			if slices.ContainsFunc(placed, func(b textBox) bool { return b.touches(box, 2) }) || hides(cs, i, box, y) {
				continue
			}
			placed = append(placed, box)
			p.write(box.text, (box.x0+box.x1)/2, box.y1-0.21*labelSize, middle, pen{bold, labelSize, p.pal.warm})
			break
		}
	}
}

const labelSize = 8.0 // of the numbers at peaks

// labelPlaces returns where a label for c may be: above the bar, and if it touches others there, to its right or left. It is
// lifted above the line that it would lie upon, and beside the failure itself if that is higher than the bar.
func labelPlaces(c column, y func(float64) float64, line float64) []textBox {
	text := short(c.requests, 100_000)
	w := bold.width(text, labelSize)
	base := y(float64(c.requests)) - 2.5
	if base-labelSize < line && line < base+1 {
		base = line - 2.5
	}
	xs := []float64{(c.x0 + c.x1 - w) / 2, c.x0, c.x1 - w}
	if c.total > c.requests && w > c.x1-c.x0 {
		xs = append([]float64{c.x1 + 1.5}, xs...)
	}
	var places []textBox
	for _, x := range xs {
		places = append(places, boxOf(text, clamp(x, plotLeft, plotRight-w), base, left, bold, labelSize))
	}
	return places
}

// hides reports whether a label for column i would lie upon other bars.
func hides(cs []column, i int, box textBox, y func(float64) float64) bool {
	for j, c := range cs {
		if j != i && c.x0 < box.x1 && box.x0 < c.x1 && y(float64(c.total)) < box.y1 {
			return true
		}
	}
	return false
}

// drawRest says what lies beyond the right edge.
func (s *strip) drawRest(p *page, rest beyond, base float64) {
	if rest.requests == 0 {
		return
	}
	text := restText(rest, s.axis)
	q := p.path()
	q.arrow(plotRight-4.5, base+7, 5)
	p.fill(q, p.pal.soft)
	p.write(text, plotRight-7, base+9.5, right, pen{regular, 7.5, p.pal.soft})
}

// restText says how much lies beyond the axis: "196 more, from 31 s"; without a gap before it, until when.
func restText(rest beyond, a timeAxis) string {
	s := short(rest.requests, 100_000) + " more, "
	if rest.from-a.max > a.max/20 {
		return s + "from " + a.instant(rest.from)
	}
	return s + "until " + a.instant(rest.end)
}
