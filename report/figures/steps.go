package figures

import (
	"image/color"

	"gonum.org/v1/plot/vg"
)

// steps is a curve that is level within each of a number of pieces.
type steps struct {
	page *page
	base float64
	xs   []float64 // edges, one more than there are levels
	ys   []float64
}

// steps returns the curve of a value of pieces of time.
func (s *stack) steps(p *page, as []average, y func(float64) float64, base float64, value func(average) float64) *steps {
	c := &steps{page: p, base: base}
	for i, a := range as {
		if i == 0 {
			c.xs = append(c.xs, s.x(a.from))
		}
		c.add(s.x(a.to), y(value(a)))
	}
	return c
}

// add makes the curve longer, to x at the level y.
func (c *steps) add(x, y float64) {
	if n := len(c.ys); n > 0 && c.ys[n-1] == y {
		c.xs[n] = x
		return
	}
	c.xs, c.ys = append(c.xs, x), append(c.ys, y)
}

// fill fills what lies below the curve.
func (c *steps) fill(colour color.RGBA) {
	if len(c.ys) == 0 {
		return
	}
	q := c.page.path()
	q.move(c.xs[0], c.base)
	for i, y := range c.ys {
		q.line(c.xs[i], y)
		q.line(c.xs[i+1], y)
	}
	q.line(c.xs[len(c.ys)], c.base)
	q.p.Close()
	c.page.fill(q, colour)
}

// line draws the curve itself.
func (c *steps) line(width float64, colour color.RGBA, dashes ...vg.Length) {
	if len(c.ys) == 0 {
		return
	}
	q := c.page.path()
	q.move(c.xs[0], c.ys[0])
	for i, y := range c.ys {
		q.line(c.xs[i], y)
		q.line(c.xs[i+1], y)
	}
	c.page.stroke(q, width, colour, dashes...)
}
