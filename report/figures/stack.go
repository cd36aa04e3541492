package figures

import (
	"image/color"
	"time"

	"gonum.org/v1/plot/vg"
)

// The columns of figures that have one row a strategy.
const (
	nameWidth = 134.0 // of the names at the left margin
	tickRight = 186.0 // where the numbers of the y axes end
	plotLeft  = 192.0
	plotRight = 572.0
	peakRight = 640.0 // where the number columns end
	sentRight = 698.0
	lastRight = pageWidth - margin
)

// A stack is what figures share that have one row a strategy: the rows under one another, over one time axis and under
// one scale.
type stack struct {
	v      *view
	rows   []row
	axis   timeAxis
	scale  scale
	top    float64 // of the first row
	pitch  float64 // from one row to the next
	height float64 // of a row's data
}

// rowTop is the upper edge of the i-th row.
func (s *stack) rowTop(i int) float64 { return s.top + s.pitch*float64(i) }

// bottom is the baseline of the last row.
func (s *stack) bottom() float64 { return s.rowTop(len(s.rows)-1) + s.height }

// x is where an instant lies; what lies beyond the axis lies at its edge.
func (s *stack) x(t time.Duration) float64 {
	return plotLeft + clamp(s.axis.at(t), 0, 1)*(plotRight-plotLeft)
}

// drawTimes draws the vertical lines of the time axis through all rows.
func (s *stack) drawTimes(p *page) {
	grid := p.path()
	for _, t := range s.axis.ticks {
		x := snap(s.x(t))
		grid.rect(x, s.top-6, x+0.5, s.bottom())
	}
	p.fill(grid, p.pal.grid)
}

// drawLevels draws the horizontal lines of a row and their numbers.
func (s *stack) drawLevels(p *page, y func(float64) float64) {
	grid := p.path()
	for _, t := range s.scale.ticks() {
		ty := snap(y(t))
		if t > 0 {
			grid.rect(plotLeft, ty, plotRight, ty+0.5)
		}
		p.write(short(int64(t), 100_000), tickRight, ty+2.75, right, pen{regular, 7.5, p.pal.faint})
	}
	p.fill(grid, p.pal.grid)
}

// limit draws a dashed line across a row.
func (p *page) limit(y float64, c color.RGBA) {
	q := p.path()
	y = snap(y) + 0.25
	q.move(plotLeft, y)
	q.line(plotRight, y)
	p.stroke(q, 1, c, vg.Length(3.6), vg.Length(1.8))
}

// drawName writes the name with the formula below, as large as they fit.
func (s *stack) drawName(p *page, r row, y float64) {
	name := bold.set(r.name, nameWidth, nameSettings...)
	formula := regular.set(r.formula, nameWidth, formulaSettings...)
	if r.formula == "" {
		formula = block{}
	}
	const gap = 2.5
	top := y - (name.height()+gap+formula.height())/2
	p.writeBlock(name, margin, top, left, bold, p.pal.ink)
	p.writeBlock(formula, margin, top+name.height()+gap, left, regular, p.pal.soft)
}
