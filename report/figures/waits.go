package figures

import (
	"fmt"
	"math"
	"time"

	"herdsim/strategies"
)

// The parts of waits: a bar a retry on the left, its numbers on the right.
const (
	waitLeft   = 96.0
	waitGap    = 81.0 // between the bars and the right edge of the first column of numbers
	waitColumn = 81.0 // from one column of numbers to the next; the last ends at the margin
	waitPitch  = 30.0
	waitBar    = 13.0
	mostWaits  = 24 // rows that are drawn
	manyOrders = 12 // a span of more than so many times needs a logarithmic axis
)

// Waits returns the picture of a strategy by itself: the waits before its first retries, of a worker that fails again
// and again. It is an error if theme or format is none of the constants.
func Waits(name, formula string, rows []strategies.WaitStats, theme Theme, format Format) ([]byte, error) {
	l := waitsLayout(clean(name), clean(formula), rows)
	description := "Waits of " + clean(name) + "."
	for _, r := range rows {
		description += fmt.Sprintf(" Retry %d: mean %s, 95 %% up to %s.", r.Retry, instant(r.Mean), instant(r.P95))
	}
	return render(l, theme, format, description)
}

// waitBars is the body of Waits.
type waitBars struct {
	rows   []strategies.WaitStats
	axis   timeAxis
	top    float64
	mean   float64 // right edge of the first column of numbers
	capped bool    // some wait may be the cap itself
}

func waitsLayout(name, formula string, rows []strategies.WaitStats) layout {
	rows = rows[:min(len(rows), mostWaits)]
	if len(rows) == 0 {
		h := header{titles: []string{name + " has no waits of its own"}, subtitle: formula}
		return layout{title: h.titles[0], height: h.height() + margin, draw: h.draw}
	}
	h := header{titles: waitTitles(name, rows), subtitle: "wait = " + simple(formula) + ", n = 0 before the first retry."}
	if !luckless(rows) {
		h.subtitle += " From the least to the longest wait, in full colour up to 95 %, the mean as a dot."
	}
	b := &waitBars{rows: rows, axis: waitAxis(rows), top: h.height() + 24, mean: pageWidth - margin - waitColumn}
	for _, r := range rows {
		b.capped = b.capped || r.AtCapShare > 0
	}
	if b.capped {
		b.mean -= waitColumn
	}
	title, _ := h.title()
	bottom := b.top + waitPitch*float64(len(rows))
	return layout{title, bottom + 29 + margin, func(p *page) {
		h.draw(p)
		b.draw(p, bottom)
	}}
}

// waitTitles say how long an outage the retries outlast.
func waitTitles(name string, rows []strategies.WaitStats) []string {
	sum, longest := 0.0, time.Duration(0)
	for _, r := range rows {
		sum += float64(r.Mean)
		longest = max(longest, r.Max)
	}
	total := fmt.Sprintf("%d retries of %s last ", len(rows), name)
	if len(rows) == 1 {
		total = "1 retry of " + name + " lasts "
	}
	total += instant(duration(sum))
	if luckless(rows) {
		return []string{total}
	}
	total += " on average"
	if longest == strategies.NoBound {
		return []string{total + ", and no wait has a bound", total}
	}
	return []string{total + ", with waits up to " + instant(longest), total}
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

func (b *waitBars) x(t time.Duration) float64 {
	return waitLeft + clamp(b.axis.at(t), 0, 1)*(b.mean-waitGap-waitLeft)
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
		b.drawRow(p, r, b.top+waitPitch*(float64(i)+0.5))
	}
	p.writeTicks(b.axis, waitLeft, b.mean-waitGap, bottom+2, "the failure that it answers")
}

func (b *waitBars) drawRow(p *page, r strategies.WaitStats, y float64) {
	p.write(fmt.Sprintf("retry %d", r.Retry), margin, y+4, left, pen{bold, 12, p.pal.ink})
	x0, x1 := b.x(r.Min), b.x(reach(r))
	all, most := p.path(), p.path()
	all.rect(x0, y-waitBar/2, math.Max(x1, x0+1.6), y+waitBar/2)
	if r.Max == strategies.NoBound {
		all.arrow(x1+2, y, 7)
	}
	p.fill(all, p.pal.band)
	if x95 := b.x(r.P95); x95 > x0 {
		most.rect(x0, y-waitBar/2, x95, y+waitBar/2)
		p.fill(most, p.pal.outcomes[strategies.Served])
	}
	dot := p.path()
	dot.circle(b.x(r.Mean), y, 3)
	p.fill(dot, p.pal.ink)

	number := pen{regular, 12, p.pal.ink}
	p.write(instant(r.Mean), b.mean, y+4, right, number)
	p.write(instant(r.P95), b.mean+waitColumn, y+4, right, number)
	if b.capped {
		p.write(share(r.AtCapShare), b.mean+2*waitColumn, y+4, right, number)
	}
}

// share writes a probability.
func share(x float64) string {
	const whole = 1_000_000
	return percent(int64(math.Round(x*whole)), whole)
}
