package figures

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"time"

	"herdsim/report"
	"herdsim/strategies"
)

// The parts of waits: a shape a retry on the left, its numbers on the right, and the load of a herd below.
const (
	waitLeft   = 96.0
	waitGap    = 81.0 // between the shapes and the right edge of the first column of numbers
	waitColumn = 81.0 // from one column of numbers to the next; the last ends at the margin
	waitPitch  = 27.0
	waitBar    = 19.0 // height of the highest density
	waitZero   = 26.0 // room for waits of 0 before a logarithmic axis
	mostWaits  = 24   // rows that are drawn
	manyOrders = 12   // a span of more than so many times needs a logarithmic axis
	loadHeight = 128.0
)

// A Waiting is a strategy to draw by itself.
type Waiting struct {
	Name, Formula string
	Rows          []strategies.WaitStats // of its first retries
	Strategy      strategies.Strategy
	GivesUp       string        // "after 3 retries"; "" if it never does
	Ends          bool          // Rows are all there are
	Longest       time.Duration // after the failure no retry comes; 0 if there is no such limit
}

// Lasts is how long the retries of Rows last on average.
func (w Waiting) Lasts() time.Duration {
	sum := 0.0
	for _, r := range w.Rows {
		sum += float64(r.Mean)
	}
	if w.Longest > 0 {
		sum = math.Min(sum, float64(w.Longest))
	}
	return duration(sum)
}

// density is what one worker is expected to ask, as strategies.Density has it, as long as its limit of time lets it: that
// takes away the retries that come later, and changes none before.
func (w Waiting) density(step, until time.Duration) []float64 {
	ds := strategies.Density(w.Strategy, step, until)
	if w.Longest > 0 {
		for i := range ds {
			if time.Duration(i)*step > w.Longest {
				ds[i] = 0
			}
		}
	}
	return ds
}

// cleaned makes the texts fit to be drawn, and the rows few enough.
func (w Waiting) cleaned() Waiting {
	w.Name, w.Formula = clean(w.Name), simple(clean(w.Formula))
	if len(w.Rows) > mostWaits {
		w.Rows, w.Ends = w.Rows[:mostWaits], false
	}
	return w
}

// Waits returns the picture of a strategy by itself: the waits before its first retries, of a worker that fails again
// and again, and what a herd of such workers asks. It is an error if theme or format is none of the constants.
func Waits(w Waiting, theme Theme, format Format) ([]byte, error) {
	w = w.cleaned()
	description := "Waits of " + w.Name + "."
	for _, r := range w.Rows {
		description += fmt.Sprintf(" Retry %d: mean %s, 95 %% up to %s.", r.Retry, report.Span(r.Mean), report.Span(r.P95))
	}
	if w.GivesUp != "" {
		description += " It gives up " + w.GivesUp + "."
	}
	return render(waitsLayout(w), theme, format, description)
}

// waitBars is the body of Waits.
type waitBars struct {
	rows   []strategies.WaitStats
	shapes []waitShape
	axis   timeAxis
	top    float64
	zero   float64 // how far waits of 0 stand before a logarithmic axis; 0 if there are none
	mean   float64 // right edge of the first column of numbers
	capped bool    // some wait may be the cap itself
	load   *load   // nil if there is none to draw
}

func waitsLayout(w Waiting) layout {
	if len(w.Rows) == 0 {
		h := header{titles: []string{w.Name + " has no waits of its own"}, subtitle: w.Formula}
		return layout{title: h.titles[0], height: h.height() + margin, draw: h.draw}
	}
	h := header{titles: waitTitles(w), subtitle: "wait = " + w.Formula + ". n = 0 before the first retry."}
	b := &waitBars{
		rows: w.Rows, shapes: w.shapes(), axis: waitAxis(w.Rows), mean: pageWidth - margin - waitColumn,
		load: newLoad(w, loadExtent(w)),
	}
	if w.GivesUp != "" {
		h.subtitle += " It gives up " + w.GivesUp + "."
	}
	if !luckless(w.Rows) {
		h.subtitle += " A dot is a mean."
	}
	for _, r := range w.Rows {
		b.capped = b.capped || r.AtCapShare > 0
	}
	if b.axis.log && fromZero(w.Rows) {
		b.zero = waitZero
	}
	h.keys = b.keys()
	b.top = h.height() + 14
	if b.capped {
		b.mean -= waitColumn
	}
	title, _ := h.title()
	bottom := b.top + waitPitch*float64(len(w.Rows))
	height := bottom + 29 + margin
	if b.load != nil {
		height += 56 + loadHeight + 29
	}
	return layout{title, height, func(p *page) {
		h.draw(p)
		b.draw(p, bottom)
		if b.load != nil {
			b.drawHerd(p, bottom+29+56)
		}
	}}
}

// keys explain the shapes, as far as there are any.
func (b *waitBars) keys() []key {
	var steps, meet, tail bool
	for i, s := range b.shapes {
		steps = steps || len(s.steps) > 0
		meet = meet || b.rows[i].AtCapShare > 0
		for _, step := range s.steps {
			tail = tail || step.from >= b.rows[i].P95
		}
	}
	var ks []key
	if steps {
		ks = append(ks, key{"waits, as high as they are frequent", square, func(p *palette) color.RGBA { return p.outcomes[strategies.Served] }})
	}
	if tail {
		ks = append(ks, key{"the longest 5 %", square, func(p *palette) color.RGBA { return p.band }})
	}
	if meet {
		ks = append(ks, key{"exactly the cap: all who wait so long meet", square, func(p *palette) color.RGBA { return p.warm }})
	}
	return ks
}

// waitTitles say how long an outage the retries outlast.
func waitTitles(w Waiting) []string {
	name, rows := w.Name, w.Rows
	longest := time.Duration(0)
	for _, r := range rows {
		longest = max(longest, r.Max)
	}
	total := fmt.Sprintf("%d retries of %s last ", len(rows), name)
	if len(rows) == 1 {
		total = "1 retry of " + name + " lasts "
	}
	total += report.Span(w.Lasts())
	if luckless(rows) {
		return []string{total}
	}
	total += " on average"
	if longest == strategies.NoBound {
		return []string{total + ", and no wait has a bound", total}
	}
	return []string{total + ", with waits up to " + report.Span(longest), total}
}

// luckless reports whether there is no luck in the waits.
func luckless(rows []strategies.WaitStats) bool {
	for _, r := range rows {
		if r.Min != r.Max {
			return false
		}
	}
	return true
}

// fromZero reports whether some waits begin at 0, where no logarithmic axis does.
func fromZero(rows []strategies.WaitStats) bool {
	return slices.ContainsFunc(rows, func(r strategies.WaitStats) bool { return r.Min <= 0 })
}

// waitAxis reaches to the longest wait, and is logarithmic if the waits grow by orders of magnitude.
func waitAxis(rows []strategies.WaitStats) timeAxis {
	longest, least := time.Duration(0), time.Duration(math.MaxInt64)
	for _, r := range rows {
		longest = max(longest, reach(r))
		if r.Mean > 0 {
			least = min(least, r.Mean)
		}
	}
	switch {
	case longest == 0:
		return newTimeAxis(time.Second, 9)
	case longest/manyOrders > least:
		return newLogAxis(least/4, longest)
	}
	return newTimeAxis(longest, 9)
}

// reach is how far the bar of a row goes: where there is no bound, a little beyond what most waits reach.
func reach(r strategies.WaitStats) time.Duration {
	if r.Max == strategies.NoBound {
		return duration(1.5 * float64(max(r.P95, r.Mean)))
	}
	return r.Max
}

// left is where the axis begins: a little to the right of the waits of 0, if it cannot show them.
func (b *waitBars) left() float64 { return waitLeft + b.zero }

func (b *waitBars) x(t time.Duration) float64 {
	if b.zero > 0 && t <= 0 {
		return waitLeft
	}
	return b.left() + clamp(b.axis.at(t), 0, 1)*(b.mean-waitGap-b.left())
}

func (b *waitBars) draw(p *page, bottom float64) {
	grid := p.path()
	for _, t := range b.axis.ticks {
		x := snap(b.x(t))
		grid.rect(x, b.top, x+0.5, bottom)
	}
	p.fill(grid, p.pal.grid)
	p.hline(waitLeft, b.mean-waitGap, bottom, 1, p.pal.axis)

	head := pen{regular, 9, p.pal.soft}
	p.write("mean", b.mean, b.top-8, right, head)
	p.write("95 % up to", b.mean+waitColumn, b.top-8, right, head)
	if b.capped {
		p.write("at the cap", b.mean+2*waitColumn, b.top-8, right, head)
	}
	for i, r := range b.rows {
		b.drawRow(p, r, b.shapes[i], b.top+waitPitch*float64(i+1)-4)
	}
	p.writeTicks(b.axis, b.left(), b.mean-waitGap, bottom+2, "the failure that it answers")
	if b.zero > 0 {
		p.write("0", waitLeft, bottom+15, middle, pen{regular, 9, p.pal.soft})
	}
}

// drawRow draws the waits before one retry on a baseline.
func (b *waitBars) drawRow(p *page, r strategies.WaitStats, s waitShape, base float64) {
	p.write(fmt.Sprintf("retry %d", r.Retry), margin, base-3, left, pen{bold, 12, p.pal.ink})
	s.draw(p, r, base, waitBar, b.x)
	if r.Max == strategies.NoBound {
		arrow := p.path()
		arrow.arrow(b.x(reach(r))+2, base-3, 6)
		p.fill(arrow, p.pal.band)
	}
	if r.Min < r.Max {
		dot := p.path()
		dot.circle(b.x(r.Mean), base, 2.8)
		p.fill(dot, p.pal.ink)
	}

	number := pen{regular, 12, p.pal.ink}
	p.write(report.Span(r.Mean), b.mean, base-3, right, number)
	p.write(report.Span(r.P95), b.mean+waitColumn, base-3, right, number)
	if b.capped {
		if r.AtCapShare > 0 {
			number = pen{bold, 12, p.pal.warm}
		}
		p.write(percentOf(r.AtCapShare), b.mean+2*waitColumn, base-3, right, number)
	}
}

// draw draws the shape on a baseline, the highest density so high; atoms as high as they are large among each other.
func (s waitShape) draw(p *page, r strategies.WaitStats, base, high float64, x func(time.Duration) float64) {
	most, rest, atoms, meet := p.path(), p.path(), p.path(), p.path()
	for _, step := range s.steps {
		into := most
		if step.from >= r.P95 && step.to > r.P95 {
			into = rest
		}
		x0 := x(step.from)
		x1 := math.Max(x(min(step.to, reach(r))), x0)
		into.rect(x0, base-math.Max(1.2, step.height*high), x1, base)
	}
	for _, a := range s.atoms {
		into, at := atoms, x(a.at)
		if r.AtCapShare > 0 && a.at == s.atoms[len(s.atoms)-1].at {
			into = meet
		}
		into.rect(at-1.2, base-high*math.Max(0.1, a.share/s.most()), at+1.2, base)
	}
	p.fill(rest, p.pal.band)
	p.fill(most, p.pal.outcomes[strategies.Served])
	p.fill(atoms, p.pal.outcomes[strategies.Served])
	p.fill(meet, p.pal.warm)
}

// drawHerd draws the load of a herd below the waits.
func (b *waitBars) drawHerd(p *page, top float64) {
	l := b.load
	p.write(comma(loadHerd)+" workers that fail together and keep failing: "+l.finding(), margin, top-30, left, pen{bold, 12, p.pal.ink})
	p.write("Expected requests in each "+span(l.window)+", linear scale; the failure itself is left out.", margin, top-16, left, pen{regular, 9.5, p.pal.soft})
	q := panel{x0: waitLeft, x1: pageWidth - margin - 6, top: top, bottom: top + loadHeight, axis: l.axis, scale: scale{max: l.peak * 1.08}}
	q.drawFrame(p)
	q.drawLoad(p, l)
	q.labelPeaks(p, l)
	p.writeTicks(l.axis, q.x0, q.x1, q.bottom+2, "the failure")
}
