package figures

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// All lengths are in points, and y runs down from the top edge.
const (
	pageWidth = 792.0 // 11 in
	margin    = 28.0
	dpi       = 144 // so a point is two pixels
)

// A page is what a figure draws on.
type page struct {
	canvas vg.Canvas
	height float64
	pal    *palette
	texts  []textBox // what was written, and where
}

// A textBox is a written text and the box from its ascenders to its descenders.
type textBox struct {
	text           string
	anchor         alignment // what it was placed by
	x0, y0, x1, y1 float64
}

// An alignment says which end of a text is at the given x.
type alignment float64

const (
	left   alignment = 0
	middle alignment = 0.5
	right  alignment = 1
)

// A pen is how a text is written.
type pen struct {
	face  *typeface
	size  float64
	color color.RGBA
}

// write writes s with its baseline at y.
func (p *page) write(s string, x, y float64, a alignment, t pen) {
	if s == "" {
		return
	}
	box := boxOf(s, x, y, a, t.face, t.size)
	p.texts = append(p.texts, box)
	p.canvas.SetColor(t.color)
	p.canvas.FillString(t.face.sized(t.size), vg.Point{X: vg.Length(box.x0), Y: vg.Length(p.height - y)}, s)
}

// boxOf returns the box that a text would fill.
func boxOf(s string, x, y float64, a alignment, face *typeface, size float64) textBox {
	w := face.width(s, size)
	x -= float64(a) * w
	return textBox{text: s, anchor: a, x0: x, x1: x + w, y0: y - 0.74*size, y1: y + 0.21*size}
}

// touches reports whether the boxes are less than gap apart.
func (b textBox) touches(o textBox, gap float64) bool {
	return b.x0 < o.x1+gap && o.x0 < b.x1+gap && b.y0 < o.y1+gap && o.y0 < b.y1+gap
}

// writeBlock writes the lines of b downwards from top.
func (p *page) writeBlock(b block, x, top float64, a alignment, face *typeface, c color.RGBA) {
	for i, l := range b.lines {
		p.write(l, x, top+b.size*(0.93+1.15*float64(i)), a, pen{face, b.size, c})
	}
}

// hline and vline draw crisp lines: whole pixels, filled.
func (p *page) hline(x0, x1, y, width float64, c color.RGBA) {
	q := p.path()
	y = snap(y)
	q.rect(x0, y-width/2, x1, y+width/2)
	p.fill(q, c)
}

func (p *page) fill(q *path, c color.RGBA) {
	if len(q.p) == 0 {
		return
	}
	p.canvas.SetColor(c)
	p.canvas.Fill(q.p)
}

func (p *page) stroke(q *path, width float64, c color.RGBA, dashes ...vg.Length) {
	if len(q.p) == 0 {
		return
	}
	p.canvas.SetColor(c)
	p.canvas.SetLineWidth(vg.Length(width))
	p.canvas.SetLineDash(dashes, 0)
	p.canvas.Stroke(q.p)
}

// A path is a vg.Path in the coordinates of a page.
type path struct {
	p      vg.Path
	height float64
}

func (p *page) path() *path { return &path{height: p.height} }

func (q *path) at(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x), Y: vg.Length(q.height - y)}
}

func (q *path) move(x, y float64) { q.p.Move(q.at(x, y)) }
func (q *path) line(x, y float64) { q.p.Line(q.at(x, y)) }

func (q *path) rect(x0, y0, x1, y1 float64) {
	q.move(x0, y0)
	q.line(x1, y0)
	q.line(x1, y1)
	q.line(x0, y1)
	q.p.Close()
}

func (q *path) circle(x, y, r float64) {
	q.move(x+r, y)
	q.p.Arc(q.at(x, y), vg.Length(r), 0, 2*math.Pi)
	q.p.Close()
}

// arrow is a small triangle that points right, with its left edge at x.
func (q *path) arrow(x, y, size float64) {
	q.move(x, y-size/2)
	q.line(x+size*0.8, y)
	q.line(x, y+size/2)
	q.p.Close()
}

// snap moves a coordinate to the next edge between pixels.
func snap(x float64) float64 { return math.Round(x*2) / 2 }

// clamp keeps x within [lo, hi].
func clamp(x, lo, hi float64) float64 { return math.Max(lo, math.Min(hi, x)) }
