package figures

import (
	"fmt"
	"math"
	"strings"
)

// A Phase is a grid over two parameters of a scenario: in each cell, how many of its runs got stuck.
type Phase struct {
	X, Y  Parameter
	Cells [][]Stuck // by Y, then by X; what is missing counts as not run
	About string    // what was run, a sentence or more for the subtitle: "Scenario metastable, full-jitter, 10 runs in each cell."
}

// A Parameter is what is varied along an axis.
type Parameter struct {
	Name   string   // "downstream.queue", or words of its own
	Values []string // as text, in the order of the axis: "35", "1m30s", "lifo"; they need not be numbers
}

// A Stuck is a cell: of so many Runs that show it so many got stuck; Undecided ones show neither. A cell that was not run has
// none of them.
type Stuck struct{ Stuck, Runs, Undecided int }

// P is the share of the decided runs that got stuck, in [0, 1]; false if there is none.
func (s Stuck) P() (float64, bool) {
	if s.Runs <= 0 {
		return 0, false
	}
	return clamp(float64(s.Stuck)/float64(s.Runs), 0, 1), true
}

// sticks reports whether at least half of the runs got stuck.
func (s Stuck) sticks() bool {
	p, ok := s.P()
	return ok && p >= 0.5
}

// At returns the cell of the x-th value of X and the y-th of Y.
func (p *Phase) At(x, y int) Stuck {
	if x < 0 || y < 0 || x >= len(p.X.Values) || y >= len(p.Y.Values) || y >= len(p.Cells) || x >= len(p.Cells[y]) {
		return Stuck{}
	}
	return p.Cells[y][x]
}

// DrawPhase returns the picture of a grid: P(stuck) as the colour of each cell, with its counts, and a heavy line where P
// crosses one half. X runs to the right and Y upwards. It is an error if theme or format is none of the constants.
func DrawPhase(p Phase, theme Theme, format Format) ([]byte, error) {
	p.X, p.Y, p.About = p.X.cleaned(), p.Y.cleaned(), clean(p.About)
	return render(phaseLayout(&p), theme, format, p.describe())
}

func (a Parameter) cleaned() Parameter {
	out := Parameter{Name: clean(a.Name)}
	for _, v := range a.Values {
		out.Values = append(out.Values, clean(v))
	}
	return out
}

// describe is for those who cannot see the picture.
func (p *Phase) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Runs that get stuck, by %s and %s. %s", p.X.Name, p.Y.Name, p.About)
	for y, yv := range p.Y.Values {
		fmt.Fprintf(&b, " %s %s:", p.Y.Name, yv)
		for x, xv := range p.X.Values {
			if c := p.At(x, y); c.Runs > 0 {
				fmt.Fprintf(&b, " %d of %d at %s;", c.Stuck, c.Runs, xv)
			} else if c.Undecided > 0 {
				fmt.Fprintf(&b, " undecided at %s;", xv)
			}
		}
	}
	return strings.TrimSuffix(b.String(), ";") + "."
}

// The parts of phase: names of Y on the left, cells, and the ramp on the right.
const (
	phaseRight = 690.0 // of the cells, at most
	phaseRamp  = 26.0  // from them to the ramp
	phaseGap   = 1.5   // between cells
	phaseNames = 170.0
)

// heat is the body of phase.
type heat struct {
	*Phase
	left, top     float64
	width, height float64 // of a cell with its gap
	size          float64 // of the text in a cell; 0 if there is no room
}

func phaseLayout(p *Phase) layout {
	h := header{titles: p.titles(), subtitle: p.subtitle()}
	title, _ := h.title()
	nx, ny := len(p.X.Values), len(p.Y.Values)
	if nx == 0 || ny == 0 {
		return layout{title, h.height() + margin, h.draw}
	}
	g := &heat{Phase: p, top: h.height() + 20}
	names := 0.0
	for _, v := range p.Y.Values {
		names = math.Max(names, regular.width(v, 9.5))
	}
	g.left = snap(margin + math.Min(names, phaseNames) + 10)
	g.width = math.Min((phaseRight-g.left)/float64(nx), 180)
	g.height = snap(clamp(290/float64(ny), 8, 38))
	g.size = g.textSize()
	return layout{title, g.bottom() + 33 + margin, func(pg *page) {
		h.draw(pg)
		g.draw(pg)
	}}
}

func (p *Phase) subtitle() string {
	cells := "Runs that get stuck of all in a cell; the line is where half of them do."
	if all := p.count(); all.undecided > 0 {
		cells += " ?: undecided."
	}
	return strings.Join(filled([]string{p.About, cells}), " ")
}

func (g *heat) bottom() float64 { return g.top + g.height*float64(len(g.Y.Values)) }
func (g *heat) right() float64  { return g.left + g.width*float64(len(g.X.Values)) }

// x and y are the left and the top edge of a cell; the first value of Y is at the bottom.
func (g *heat) x(i int) float64 { return snap(g.left + g.width*float64(i)) }
func (g *heat) y(i int) float64 { return g.top + g.height*float64(len(g.Y.Values)-1-i) }

// textSize is the largest at which the counts fit into all cells.
func (g *heat) textSize() float64 {
	widest := 0.0
	for y := range g.Y.Values {
		for x := range g.X.Values {
			widest = math.Max(widest, bold.width(g.At(x, y).text(), 1))
		}
	}
	for size := 10.0; size >= 6; size -= 0.5 {
		if size*widest <= g.width-phaseGap-4 && size*1.2 <= g.height-phaseGap {
			return size
		}
	}
	return 0
}

func (s Stuck) text() string {
	switch {
	case s.Runs <= 0 && s.Undecided > 0:
		return "?"
	case s.Runs <= 0:
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Stuck, s.Runs)
}

func (g *heat) draw(p *page) {
	for y := range g.Y.Values {
		for x := range g.X.Values {
			g.drawCell(p, x, y)
		}
	}
	g.drawLine(p)
	g.drawNames(p)
	g.drawRamp(p)
}

func (g *heat) drawCell(p *page, x, y int) {
	cell, q := g.At(x, y), p.path()
	x0, x1, top := g.x(x), g.x(x+1)-phaseGap, g.y(y)
	share, ok := cell.P()
	if !ok {
		q.rect(x0+0.5, top+0.5, x1-0.5, top+g.height-phaseGap-0.5)
		p.stroke(q, 1, p.pal.grid)
		p.write(cell.text(), (x0+x1)/2, top+(g.height-phaseGap)/2+0.35*g.size, middle, pen{regular, g.size, p.pal.soft})
		return
	}
	q.rect(x0, top, x1, top+g.height-phaseGap)
	colour := p.pal.stuck.color(share)
	p.fill(q, colour)
	if g.size == 0 {
		return
	}
	t := pen{regular, g.size, upon(colour, palettes[Dark].background, palettes[Light].background)}
	if cell.sticks() {
		t.face = bold
	}
	p.write(cell.text(), (x0+x1)/2, top+(g.height-phaseGap)/2+0.35*g.size, middle, t)
}

// drawLine draws the border between the cells that stick and those that do not.
func (g *heat) drawLine(p *page) {
	const wide = 2.0
	q := p.path()
	for _, b := range g.borders() {
		left, top := g.x(b.x)-phaseGap/2, g.y(b.y)-phaseGap/2
		if b.above {
			q.rect(left-wide/2, top-wide/2, g.x(b.x+1)-phaseGap/2+wide/2, top+wide/2)
		} else {
			q.rect(left-wide/2, top-wide/2, left+wide/2, top+g.height+wide/2)
		}
	}
	p.fill(q, p.pal.ink)
}

// A border is the left edge of a cell, or the one above it.
type border struct {
	x, y  int
	above bool
}

// borders returns those between two cells of which one sticks and the other does not.
func (p *Phase) borders() []border {
	var bs []border
	p.each(func(x, y int, c Stuck) {
		if o := p.At(x-1, y); o.Runs > 0 && o.sticks() != c.sticks() {
			bs = append(bs, border{x, y, false})
		}
		if o := p.At(x, y+1); o.Runs > 0 && o.sticks() != c.sticks() {
			bs = append(bs, border{x, y, true})
		}
	})
	return bs
}

// drawNames writes the values beside and below the cells, as many as have room, and the names of the axes.
func (g *heat) drawNames(p *page) {
	t := pen{regular, 9.5, p.pal.soft}
	every := 1 + int(11.5/g.height)
	for y := 0; y < len(g.Y.Values); y += every {
		text := regular.fit(g.Y.Values[y], t.size, phaseNames)
		p.write(text, g.left-8, g.y(y)+(g.height-phaseGap)/2+3.3, right, t)
	}
	p.write(regular.fit(g.Y.Name, 9, phaseRight-margin), margin, g.top-9, left, pen{regular, 9, p.pal.soft})

	widest := 0.0
	for _, v := range g.X.Values {
		widest = math.Max(widest, regular.width(v, t.size))
	}
	every = 1
	if widest > 2*g.width-6 || len(g.X.Values) > 12 { // else the text is cut
		every = max(1, int(math.Ceil((math.Min(widest, 120)+6)/g.width)))
	}
	for x := 0; x < len(g.X.Values); x += every {
		text := regular.fit(g.X.Values[x], t.size, g.width*float64(every)-4)
		p.write(text, (g.x(x)+g.x(x+1)-phaseGap)/2, g.bottom()+13, middle, t)
	}
	name := regular.fit(g.X.Name, 9, pageWidth-2*margin)
	half := regular.width(name, 9) / 2
	at := clamp((g.left+g.right())/2, margin+half, pageWidth-margin-half)
	p.write(name, at, g.bottom()+29, middle, pen{regular, 9, p.pal.soft})
}

// drawRamp explains the colours.
func (g *heat) drawRamp(p *page) {
	const steps, wide = 60, 14.0
	x, top, tall := snap(g.right()+phaseRamp), g.top, math.Max(g.bottom()-phaseGap-g.top, 30)
	y := func(share float64) float64 { return snap(top + (1-share)*tall) }
	for i := range steps {
		q := p.path()
		from, to := float64(i)/steps, float64(i+1)/steps
		q.rect(x, y(to), x+wide, y(from))
		p.fill(q, p.pal.stuck.color((from+to)/2))
	}
	p.write("stuck", x, top-9, left, pen{regular, 9, p.pal.soft})
	for _, t := range []struct {
		share float64
		word  string
	}{{0, "none"}, {0.5, "half"}, {1, "all"}} {
		at := y(t.share)
		p.hline(x+wide, x+wide+4, at, 0.5, p.pal.faint)
		face, colour := regular, p.pal.soft
		if t.share == 0.5 {
			face, colour = bold, p.pal.ink
			p.hline(x, x+wide, at, 2, p.pal.ink)
		}
		p.write(t.word, x+wide+7, at+3.2, left, pen{face, 9, colour})
	}
}
