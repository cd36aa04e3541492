package figures

import (
	"math"
	"slices"
	"sort"
	"time"

	"gonum.org/v1/plot/vg"
)

// The parts of completion: curves on the left, on the right a table that is their legend.
const (
	curveLeft  = 62.0
	curveRight = 440.0
	tableLeft  = 464.0
	tableName  = 492.0
	halfRight  = 652.0
	mostRight  = 702.0
	tableRight = pageWidth - margin
	tablePitch = 22.0
)

// completion shows which share of each herd is served by when.
var completion = Figure{
	Name: "completion",
	empty: func(v *view) string {
		switch {
		case len(v.rows) == 0:
			return v.nothingSent()
		case !v.herd():
			return "There is no herd to be served, only open traffic"
		}
		return ""
	},
	layout: func(v *view) layout {
		all := v.withHerd()
		c := &curves{v: v, rows: all[:min(len(all), mostRows)]}
		c.axis = c.timeAxis()
		v.clock = c.axis
		h := header{titles: v.completionTitles(all), subtitle: v.subtitle("Share of the " + v.noun() + "s served so far.")}
		c.top = h.height() + 7
		c.bottom = c.top + max(220, 34+tablePitch*float64(len(c.rows)))
		c.trace()
		title, _ := h.title()
		return layout{title, c.bottom + 29 + footRoom, func(p *page) {
			h.draw(p)
			c.draw(p)
			p.footer(v.notes(len(c.rows)+len(v.rows)-len(all)), c.bottom+29, curveLeft+110)
		}}
	},
}

// withHerd returns the rows that have a herd.
func (v *view) withHerd() []row {
	return slices.DeleteFunc(slices.Clone(v.rows), func(r row) bool { return r.Herd.Tasks == 0 })
}

// curves is the body of completion.
type curves struct {
	v           *view
	rows        []row
	axis        timeAxis
	top, bottom float64
	points      [][]point // of each curve, at every pixel
	dashes      []int     // its style
}

// timeAxis reaches to the last completion. It is logarithmic if a linear one would press most curves, or the first
// half of one, into its left eighth.
func (c *curves) timeAxis() timeAxis {
	var lasts []time.Duration
	first, half := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for _, r := range c.rows {
		if len(r.Completions) > 0 {
			lasts = append(lasts, r.last())
			first = min(first, r.Completions[0])
			half = min(half, r.Completions[len(r.Completions)/2])
		}
	}
	if len(lasts) == 0 {
		return newTimeAxis(c.v.extent(c.rows), 9)
	}
	slices.Sort(lasts)
	longest, median := lasts[len(lasts)-1], lasts[(len(lasts)-1)/2]
	for _, r := range c.rows {
		if !r.allServed() { // show for a while that it stays as it is
			longest = max(longest, min(r.EndedAt, 2*lasts[len(lasts)-1]))
		}
	}
	if first > 0 && (longest/8 >= median || longest/60 >= half) {
		return newLogAxis(first-first/10, longest+longest/20)
	}
	return newTimeAxis(longest+longest/50, 9)
}

func (c *curves) x(t time.Duration) float64 { return curveLeft + c.axis.at(t)*(curveRight-curveLeft) }
func (c *curves) y(share float64) float64   { return c.bottom - share*(c.bottom-c.top) }

func (c *curves) draw(p *page) {
	grid := p.path()
	for _, t := range c.axis.ticks {
		x := snap(c.x(t))
		grid.rect(x, c.top, x+0.5, c.bottom)
	}
	for _, s := range []float64{0, 0.25, 0.5, 0.75, 1} {
		y := snap(c.y(s))
		if s > 0 {
			grid.rect(curveLeft, y, curveRight, y+0.5)
		}
		p.write(percent(int64(100*s), 100), curveLeft-7, y+3.3, right, pen{regular, 9.5, p.pal.soft})
	}
	p.fill(grid, p.pal.grid)
	p.hline(curveLeft, curveRight, c.bottom, 1, p.pal.axis)

	for style := range dashStyles { // dashes upon what is solid, so that equal curves are both seen
		for i := range c.rows {
			if c.dashes[i] == style {
				c.drawCurve(p, i)
			}
		}
	}
	for i, r := range c.rows {
		if r.allServed() {
			dot := p.path()
			dot.circle(c.x(r.last()), c.y(1), 3)
			p.fill(dot, p.pal.lines[i%lineColours])
		}
	}
	p.writeTicks(c.axis, curveLeft, curveRight, c.bottom+2, c.v.origin())
	c.drawTable(p)
}

// dashStyles are the second channel beside colour: solid, dashed, dotted.
var dashStyles = [3][]vg.Length{nil, {5, 2.4}, {1.6, 1.6}}

// trace computes the curves and their styles: solid, unless a curve runs for the most part upon earlier ones, or
// there is an earlier one of its colour.
func (c *curves) trace() {
	c.points = make([][]point, len(c.rows))
	c.dashes = make([]int, len(c.rows))
	for i, r := range c.rows {
		c.points[i] = c.curve(r)
		if i >= lineColours {
			c.dashes[i] = (c.dashes[i-lineColours] + 1) % len(dashStyles)
		} else if c.covered(i) {
			c.dashes[i] = 1
		}
	}
}

// covered reports whether more than half of what rises in curve i runs upon earlier curves.
func (c *curves) covered(i int) bool {
	rising, hidden := 0, 0
	for k, q := range c.points[i] {
		if k == 0 || q.y == c.points[i][k-1].y {
			continue
		}
		rising++
		if slices.ContainsFunc(c.points[:i], func(ps []point) bool {
			return k < len(ps) && math.Abs(ps[k].y-q.y) < 2
		}) {
			hidden++
		}
	}
	return 2*hidden > rising
}

func (c *curves) drawCurve(p *page, i int) {
	q := p.path()
	for k, pt := range thin(c.points[i], 0.12) {
		if k == 0 {
			q.move(pt.x, pt.y)
		} else {
			q.line(pt.x, pt.y)
		}
	}
	p.stroke(q, 2, p.pal.lines[i%lineColours], dashStyles[c.dashes[i]]...)
}

type point struct{ x, y float64 }

// curve returns the share served at every pixel, to the last completion if that is all of the herd, else to the edge.
func (c *curves) curve(r row) []point {
	var ps []point
	end := curveRight
	if r.allServed() {
		end = c.x(r.last())
	}
	for x := curveLeft; x < end; x += 0.5 {
		t := c.axis.from((x - curveLeft) / (curveRight - curveLeft))
		n := sort.Search(len(r.Completions), func(i int) bool { return r.Completions[i] > t })
		ps = append(ps, point{x, c.y(float64(n) / float64(r.Herd.Tasks))})
	}
	final := float64(len(r.Completions)) / float64(r.Herd.Tasks)
	return append(ps, point{end, c.y(final)})
}

// thin leaves out the points of a line that lie within tolerance of the rest (Ramer, Douglas and Peucker).
func thin(ps []point, tolerance float64) []point {
	if len(ps) < 3 {
		return ps
	}
	a, b := ps[0], ps[len(ps)-1]
	length := math.Hypot(b.x-a.x, b.y-a.y)
	worst, at := 0.0, 0
	for i, q := range ps[1 : len(ps)-1] {
		d := math.Hypot(q.x-a.x, q.y-a.y)
		if length > 0 {
			d = math.Abs((b.x-a.x)*(a.y-q.y)-(a.x-q.x)*(b.y-a.y)) / length
		}
		if d > worst {
			worst, at = d, i+1
		}
	}
	if worst <= tolerance {
		return []point{a, b}
	}
	return append(thin(ps[:at+1], tolerance), thin(ps[at:], tolerance)[1:]...)
}

// drawTable writes the legend: line, name, and when half, 99 % and all were served.
func (c *curves) drawTable(p *page) {
	head := pen{regular, 9, p.pal.soft}
	what := "served within"
	if !c.axis.log {
		what += " (" + c.axis.unit.short + ")"
	}
	p.write(what, tableRight, c.top-5, right, head)
	p.write("half", halfRight, c.top+9, right, head)
	p.write("99%", mostRight, c.top+9, right, head)
	p.write("all", tableRight, c.top+9, right, head)
	rules := p.path()
	for i, r := range c.rows {
		y := c.top + 33 + tablePitch*float64(i)
		q := p.path()
		q.move(tableLeft, y-3.5)
		q.line(tableLeft+20, y-3.5)
		p.stroke(q, 2, p.pal.lines[i%lineColours], dashStyles[c.dashes[i]]...)

		name := bold.set(r.name, halfRight-34-tableName, setting{1, 11}, setting{1, 10}, setting{2, 9}, setting{2, 8})
		p.writeBlock(name, tableName, y-3.6-name.height()/2, left, bold, p.pal.ink)
		c.writeTimes(p, r, y)
		rules.rect(tableLeft, snap(y+7.5), tableRight, snap(y+7.5)+0.5)
	}
	p.fill(rules, p.pal.grid)
}

// writeTimes writes the cells of r, in the unit of the axis if it has one.
func (c *curves) writeTimes(p *page, r row, y float64) {
	t := pen{regular, 11, p.pal.ink}
	if c.axis.log {
		t.size = 10
	}
	for _, cell := range []struct{ share, x float64 }{{0.5, halfRight}, {0.99, mostRight}, {1, tableRight}} {
		at, ok := r.servedBy(cell.share)
		switch {
		case ok && !c.axis.log:
			p.write(c.axis.unit.count(at), cell.x, y, right, t)
		case ok:
			p.write(c.axis.instant(at), cell.x, y, right, t)
		case cell.share < 1:
			p.write("–", cell.x, y, right, pen{regular, t.size, p.pal.faint})
		default:
			upper, lower := unserved(r.Herd, true, r.noun())
			p.write(upper, cell.x, y-4.5, right, pen{bold, 8, p.pal.warm})
			p.write(lower, cell.x, y+3.5, right, pen{regular, 7.5, p.pal.warm})
		}
	}
}
