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

// The parts of compare: names, a range a retry, the load of a herd, two columns of numbers.
const (
	compareNames  = 128.0
	compareWaits  = 214.0 // left edge of the waits
	compareRanges = 150.0 // their width
	compareLoad   = 408.0
	compareLoads  = 218.0
	compareColumn = 57.0
	comparePitch  = 96.0
	compareHeight = 66.0
	compareZero   = 12.0 // room for waits of 0 below a logarithmic axis
)

// MostCompared is how many strategies Compare draws.
const MostCompared = 12

// sideBySide is the body of Compare.
type sideBySide struct {
	ws      []Waiting
	loads   []*load   // as far as the axis goes; nil for one that has none to draw
	peaks   []float64 // of as long as each is worth watching; 0 if nothing is asked, +Inf if it never waits
	waits   timeAxis
	scale   scale // of requests
	retries int
	axis    timeAxis // of the loads
	window  time.Duration
	top     float64
}

// Compare returns the picture of up to MostCompared strategies under one another, with common axes. It is an error if
// theme or format is none of the constants.
func Compare(ws []Waiting, theme Theme, format Format) ([]byte, error) {
	c := newSideBySide(ws)
	description := "Waits of strategies and the load of a herd under each."
	for i, w := range c.ws {
		description += fmt.Sprintf(" %s: %s, %s.", w.Name, c.lasts(i), c.busiest(i))
		if w.GivesUp != "" {
			description += fmt.Sprintf(" It gives up %s.", w.GivesUp)
		}
	}
	return render(c.layout(), theme, format, description)
}

// Busiest returns the window that Compare counts requests in, and the most that 1,000 workers are expected to ask in one
// under each strategy: +Inf if it never waits, 0 if nobody comes back.
func Busiest(ws []Waiting) (window time.Duration, most []float64) {
	c := newSideBySide(ws)
	return c.window, c.peaks
}

func newSideBySide(ws []Waiting) *sideBySide {
	const farthest = 8 // times the shortest extent, so that it is still seen
	c := &sideBySide{}
	var rows []strategies.WaitStats
	least, most := time.Duration(math.MaxInt64), time.Duration(0)
	for _, w := range ws[:min(len(ws), MostCompared)] {
		w = w.cleaned()
		c.ws = append(c.ws, w)
		c.retries = max(c.retries, len(w.Rows))
		rows = append(rows, w.Rows...)
		if extent := loadExtent(w); extent > 0 {
			least, most = min(least, extent), max(most, extent)
		}
	}
	if most/farthest > least {
		most = farthest * least
	}
	c.waits = waitAxis(rows)
	lowest := math.Inf(1)
	for _, w := range c.ws {
		l := newLoad(w, most)
		c.loads = append(c.loads, l)
		if l != nil {
			c.axis, c.window = l.axis, l.window
			c.scale.max, lowest = math.Max(c.scale.max, l.peak), math.Min(lowest, l.peak)
		}
	}
	c.scale.root = lowest < c.scale.max/5
	for i, w := range c.ws {
		c.peaks = append(c.peaks, c.peakOf(w, c.loads[i]))
	}
	return c
}

// peakOf returns the most that a herd is expected to ask in a window, also beyond the end of the axis.
func (c *sideBySide) peakOf(w Waiting, shown *load) float64 {
	const mostWindows = 1 << 14
	peak := 0.0
	if shown != nil && loadExtent(w) <= c.axis.max {
		return shown.peak
	}
	if c.window > 0 {
		until := max(min(loadExtent(w), mostWindows*c.window), c.axis.max)
		for _, d := range w.density(c.window, until) {
			peak = math.Max(peak, d*c.window.Seconds()*loadHerd)
		}
	}
	return peak
}

func (c *sideBySide) layout() layout {
	h := header{titles: c.titles(), subtitle: c.subtitle(), keys: c.keys()}
	c.top = h.height() + 30
	title, _ := h.title()
	bottom := c.top + comparePitch*float64(len(c.ws)-1) + compareHeight
	return layout{title, bottom + 29 + margin, func(p *page) {
		h.draw(p)
		c.draw(p)
	}}
}

// titles say how far apart the highest and the lowest peak are.
func (c *sideBySide) titles() []string {
	high, low := -1, -1
	for i, peak := range c.peaks {
		if peak == 0 || math.IsInf(peak, 1) {
			continue
		}
		if high < 0 || peak > c.peaks[high]*1.001 {
			high = i
		}
		if low < 0 || peak < c.peaks[low]*0.999 {
			low = i
		}
	}
	if low < 0 {
		return []string{"None of these strategies brings a herd back to look at"}
	}
	head := fmt.Sprintf("Busiest %s of %s workers: ", span(c.window), comma(loadHerd))
	most, least := plainCount(c.peaks[high]), plainCount(c.peaks[low])
	if c.peaks[high] < 1.05*c.peaks[low] {
		return []string{head + most + " requests, whichever they follow", head + most + " requests"}
	}
	return []string{
		fmt.Sprintf("%s%s requests under %s, %s under %s", head, most, c.ws[high].Name, least, c.ws[low].Name),
		fmt.Sprintf("%sfrom %s requests down to %s", head, most, least),
	}
}

func (c *sideBySide) subtitle() string {
	text := fmt.Sprintf("%s workers fail together and keep failing: the expected requests in each %s", comma(loadHerd), span(c.window))
	if c.window == 0 {
		text = "What one worker waits that fails again and again"
	}
	if c.scale.root {
		text += ", square-root scale"
	}
	return text + ". The failure itself is left out."
}

func (c *sideBySide) keys() []key {
	ks := []key{
		{"waits of 95 %", square, func(p *palette) color.RGBA { return p.outcomes[strategies.Served] }},
		{"of all", square, func(p *palette) color.RGBA { return p.band }},
	}
	if slices.ContainsFunc(c.ws, func(w Waiting) bool { return !luckless(w.Rows) }) {
		ks = append(ks, key{"mean", dot, func(p *palette) color.RGBA { return p.ink }})
	}
	for _, w := range c.ws {
		for _, r := range w.Rows {
			if r.AtCapShare > 0 {
				return append(ks, key{"exactly the cap, as wide as it is frequent", square, func(p *palette) color.RGBA { return p.warm }})
			}
		}
	}
	return ks
}

func (c *sideBySide) draw(p *page) {
	head := pen{regular, 9, p.pal.soft}
	waits := "wait before each retry"
	if c.waits.log {
		waits += ", logarithmic"
	}
	p.write(waits, compareWaits, c.top-14, left, head)
	p.write("requests in "+span(c.window), compareLoad, c.top-14, left, head)
	p.write("retries last", pageWidth-margin-compareColumn, c.top-14, right, head)
	p.write("busiest", pageWidth-margin, c.top-14, right, head)
	for i := range c.ws {
		c.drawRow(p, i, c.top+comparePitch*float64(i))
	}
	bottom := c.top + comparePitch*float64(len(c.ws)-1) + compareHeight
	for retry := 1; retry <= c.retries; retry++ {
		if retry == 1 || retry == c.retries || retry%3 == 0 && c.retries-retry > 1 {
			p.write(fmt.Sprint(retry), c.retryAt(retry), bottom+15, middle, pen{regular, 9, p.pal.soft})
		}
	}
	p.write("retry", compareWaits+compareRanges/2, bottom+29, middle, head)
	if c.window > 0 {
		p.writeTicks(c.axis, compareLoad, compareLoad+compareLoads, bottom+2, "the failure")
	}
}

// retryAt is where a retry stands.
func (c *sideBySide) retryAt(retry int) float64 {
	return compareWaits + (float64(retry)-0.5)*compareRanges/float64(max(c.retries, 1))
}

func (c *sideBySide) drawRow(p *page, i int, top float64) {
	w, l := c.ws[i], c.loads[i]
	name := bold.set(w.Name, compareNames, nameSettings...)
	p.writeBlock(name, margin, top, left, bold, p.pal.ink)
	formula := regular.set(w.Formula, compareNames, setting{1, 9.5}, setting{2, 9}, setting{3, 8.5}, setting{4, 8})
	p.writeBlock(formula, margin, top+name.height()+4, left, regular, p.pal.soft)

	c.drawRanges(p, w, top)
	q := panel{x0: compareLoad, x1: compareLoad + compareLoads, top: top, bottom: top + compareHeight, axis: c.axis, scale: c.scale}
	number := pen{regular, 13, p.pal.ink}
	base := top + compareHeight - 4
	p.write(c.lasts(i), pageWidth-margin-compareColumn, base, right, number)
	p.write(c.busiest(i), pageWidth-margin, base, right, number)
	if l == nil {
		p.write(c.why(i), compareLoad, top+compareHeight/2, left, pen{regular, 9, p.pal.faint})
		return
	}
	q.drawFrame(p)
	q.drawLoad(p, l)
}

// why says why there is no load.
func (c *sideBySide) why(i int) string {
	if math.IsInf(c.peaks[i], 1) || c.window == 0 {
		return "it never waits: a herd comes back at once, again and again"
	}
	return "no retry within " + instant(c.axis.max)
}

// drawRanges draws a bar a retry, on a common axis of waits.
func (c *sideBySide) drawRanges(p *page, w Waiting, top float64) {
	bottom := top + compareHeight
	zero := 0.0
	if c.waits.log && slices.ContainsFunc(c.ws, func(w Waiting) bool { return fromZero(w.Rows) }) {
		zero = compareZero
		p.write("0", compareWaits-6, bottom+3, right, pen{regular, 8.5, p.pal.faint})
	}
	y := func(t time.Duration) float64 {
		if zero > 0 && t <= 0 {
			return bottom
		}
		return bottom - zero - clamp(c.waits.at(t), 0, 1)*(compareHeight-zero)
	}
	grid := p.path()
	last := math.Inf(1)
	for _, t := range c.waits.ticks {
		at := snap(y(t))
		if last-at < 11 || at < top-1 {
			continue
		}
		last = at
		grid.rect(compareWaits, at, compareWaits+compareRanges, at+0.5)
		p.write(c.waits.instant(t), compareWaits-6, at+3, right, pen{regular, 8.5, p.pal.faint})
	}
	p.fill(grid, p.pal.grid)
	p.hline(compareWaits, compareWaits+compareRanges, bottom, 1, p.pal.axis)

	wide := math.Min(8, 0.7*compareRanges/float64(max(c.retries, 1)))
	all, most, meet, dots := p.path(), p.path(), p.path(), p.path()
	for _, r := range w.Rows {
		x := c.retryAt(r.Retry)
		low, high, p95 := y(r.Min), y(reach(r)), y(r.P95)
		all.rect(x-wide/2, math.Min(high, low-1.6), x+wide/2, low)
		most.rect(x-wide/2, math.Min(p95, low-1.6), x+wide/2, low)
		if r.AtCapShare > 0 {
			half := wide / 2 * math.Max(0.3, r.AtCapShare)
			meet.rect(x-half, high-1.2, x+half, high+1.2)
		}
		if low-high > 6 {
			dots.circle(x, y(r.Mean), 1.6)
		}
	}
	p.fill(all, p.pal.band)
	p.fill(most, p.pal.outcomes[strategies.Served])
	p.fill(meet, p.pal.warm)
	p.fill(dots, p.pal.ink)
}

// lasts is how long the retries of a strategy last on average.
func (c *sideBySide) lasts(i int) string {
	return report.Span(c.ws[i].Lasts())
}

// busiest is the most that is asked in a window under a strategy.
func (c *sideBySide) busiest(i int) string {
	if math.IsInf(c.peaks[i], 1) {
		return "–"
	}
	return plainCount(c.peaks[i])
}
