package figures

import (
	"fmt"
	"math"
	"time"

	"herdsim/strategies"
)

const (
	loadHerd    = 1000 // workers
	loadWindows = 250  // at most about so many
	loadWaits   = 16.0 // the picture shows at least so many times the first mean wait, if the retries last that long
)

// A load is what a herd that fails together, and keeps failing, is expected to ask: its retries per window.
type load struct {
	axis   timeAxis
	window time.Duration
	per    []float64 // requests
	peak   float64
	at     time.Duration // begin of the window with the peak
	spikes []int         // windows that stand alone, by time
}

// loadExtent returns how long the herd of a strategy is worth watching.
func loadExtent(w Waiting) time.Duration {
	first, sum, all := 0.0, 0.0, 0.0
	for _, r := range w.Rows {
		if first == 0 {
			first = float64(r.Mean)
		}
		if sum < loadWaits*first || first == 0 {
			sum += float64(r.Mean)
		}
		all += float64(reach(r))
	}
	if w.Ends { // after its last retry there is nothing
		sum = math.Max(sum, loadWaits*first)
	}
	if w.Longest > 0 {
		all = math.Min(all, float64(w.Longest))
	}
	return duration(1.01 * math.Min(sum, all)) // so that what comes at its end is seen
}

// newLoad returns the load up to about the given instant; nil if there is none to draw: no retry comes within that time,
// or the herd does not wait at all.
func newLoad(w Waiting, extent time.Duration) *load {
	if extent <= 0 || w.Strategy == nil {
		return nil
	}
	l := &load{axis: newTimeAxis(extent, 9)}
	l.window = max(duration(niceStep(float64(l.axis.max)/loadWindows, []float64{1, 2, 5, 10})), 1)
	for i, d := range w.density(l.window, l.axis.max) {
		n := d * l.window.Seconds() * loadHerd
		l.per = append(l.per, n)
		if n > l.peak*(1+1e-9) {
			l.peak, l.at = n, time.Duration(i)*l.window
		}
	}
	if l.peak == 0 || math.IsInf(l.peak, 1) {
		return nil
	}
	for i, n := range l.per {
		before, after := 0.0, 0.0
		for j := 2; j <= 3; j++ {
			if i >= j {
				before = math.Max(before, l.per[i-j])
			}
			if i+j < len(l.per) {
				after = math.Max(after, l.per[i+j])
			}
		}
		beside := math.Max(l.per[max(i-1, 0)], l.per[min(i+1, len(l.per)-1)])
		if n >= beside && n > 3*math.Max(before, after) && n > l.peak/20 {
			l.spikes = append(l.spikes, i)
		}
	}
	return l
}

// finding says how high the load gets.
func (l *load) finding() string {
	whole := 0 // spikes of all at once
	for _, i := range l.spikes {
		if l.per[i] > 0.995*loadHerd {
			whole++
		}
	}
	switch {
	case whole == 1:
		return fmt.Sprintf("all of them in one window of %s", span(l.window))
	case whole > 1 && 2*whole > len(l.spikes):
		return fmt.Sprintf("all of them in one window of %s, again and again", span(l.window))
	}
	return fmt.Sprintf("up to %s requests in %s", plainCount(l.peak), span(l.window))
}

// plainCount writes an expected number of requests.
func plainCount(x float64) string {
	switch {
	case x >= 9.95:
		return short(int64(math.Round(math.Min(x, 1e15))), 100_000)
	case x > 0 && x < 0.01:
		return "<0.01"
	case x > 0 && x < 0.1:
		return digits(x)
	}
	return plain(x)
}

// A panel is where a load is drawn, with its own or a common scale.
type panel struct {
	x0, x1, top, bottom float64
	axis                timeAxis
	scale               scale
}

func (q panel) x(t float64) float64 { return q.x0 + t/float64(q.axis.max)*(q.x1-q.x0) }
func (q panel) y(n float64) float64 { return q.bottom - q.scale.at(n)*(q.bottom-q.top) }

// drawFrame draws the grid, the ticks of requests on the left and the baseline.
func (q panel) drawFrame(p *page) {
	grid := p.path()
	for _, t := range q.axis.ticks {
		x := snap(q.x(float64(t)))
		grid.rect(x, q.top, x+0.5, q.bottom)
	}
	for _, n := range q.scale.ticks() {
		y := snap(q.y(n))
		if n > 0 {
			grid.rect(q.x0, y, q.x1, y+0.5)
		}
		p.write(comma(int64(n)), q.x0-6, y+3, right, pen{regular, 8.5, p.pal.faint})
	}
	p.fill(grid, p.pal.grid)
	p.hline(q.x0, q.x1, q.bottom, 1, p.pal.axis)
}

// drawLoad fills what lies below the load. A window that is narrower than a mark is as wide as one.
func (q panel) drawLoad(p *page, l *load) {
	const least = 1.6
	area := p.path()
	for i, n := range l.per {
		if n < 1e-4*q.scale.max {
			continue
		}
		x0, x1 := q.x(float64(i)*float64(l.window)), math.Min(q.x(float64(i+1)*float64(l.window)), q.x1)
		if wide := x1 - x0; wide < least {
			x1 = x0 + least
		}
		area.rect(x0, q.y(n), x1, q.bottom)
	}
	p.fill(area, p.pal.outcomes[strategies.Rejected])
}

// labelPeaks writes numbers beside the spikes, or the highest window, where they do not touch each other.
func (q panel) labelPeaks(p *page, l *load) {
	var placed []textBox
	label := func(i int) {
		text := plainCount(l.per[i])
		x, y := q.x((float64(i)+0.5)*float64(l.window)), q.y(l.per[i])-3
		box := boxOf(text, x, y, middle, bold, 8.5)
		if box.x1 > q.x1+4 {
			x += q.x1 + 4 - box.x1
			box = boxOf(text, x, y, middle, bold, 8.5)
		}
		if box.x0 < q.x0+2 {
			x += q.x0 + 2 - box.x0
			box = boxOf(text, x, y, middle, bold, 8.5)
		}
		for _, b := range placed {
			if b.touches(box, 3) {
				return
			}
		}
		placed = append(placed, box)
		p.write(text, x, y, middle, pen{bold, 8.5, p.pal.ink})
	}
	label(int(l.at / l.window))
	for _, i := range l.spikes {
		label(i)
	}
}
