package figures

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"herdsim/sim"
	"herdsim/strategies"
)

// The columns of ranking: names, and three fields of bars with a number at the end of each.
const (
	fieldWidth = 124.0 // of the longest bar
	peakLeft   = 178.0
	loadLeft   = 378.0
	timeLeft   = 578.0
	timeWidth  = 116.0 // leaves room for words
	mostRanked = 20
)

// ranking sorts the strategies by peak and sets beside it what that costs. There is no single score: the order of
// strategies differs from column to column, and with the size of the herd.
var ranking = Figure{
	Name:  "ranking",
	empty: func(v *view) string { return v.nothingSent() },
	layout: func(v *view) layout {
		rows := slices.Clone(v.rows)
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.PeakWindow, b.PeakWindow) })
		b := bars{v: v, rows: rows[:min(len(rows), mostRanked)]}
		v.clock = newTimeAxis(v.flowExtent(rows), 9)
		if v.herd() {
			v.clock.unit = v.unit() // as the times until served
		}
		h := header{titles: v.rankingTitles()}
		title, _ := h.title()
		h.subtitle = v.subtitle(v.rankingNote(title))
		b.top = h.height() + 30
		b.pitch = 32.5
		if len(b.rows) > 10 {
			b.pitch = 25
		}
		b.spans = b.allSpans()
		bottom := b.top + b.pitch*float64(len(b.rows))
		notes := b.notes()
		height := bottom + margin
		if len(notes) > 0 {
			height += 14
		}
		return layout{title, height, func(p *page) {
			h.draw(p)
			b.draw(p)
			p.footer(notes, bottom+18, pageWidth-margin)
		}}
	},
}

// bars is the body of ranking.
type bars struct {
	v          *view
	rows       []row
	spans      []servedSpan
	top, pitch float64
}

// A servedSpan is when half, 99% and all of something were served, negative if that never came.
type servedSpan struct{ half, most, all time.Duration }

// longest returns the last of them.
func (s servedSpan) longest() time.Duration { return max(s.half, s.most, s.all) }

// servedOr returns when the given share of the herd was served, or never if it was not.
func (r row) servedOr(share float64, never time.Duration) time.Duration {
	if t, ok := r.servedBy(share); ok {
		return t
	}
	return never
}

func (b bars) allSpans() []servedSpan {
	ss := make([]servedSpan, len(b.rows))
	for i, r := range b.rows {
		s := servedSpan{-1, -1, -1}
		if b.v.herd() {
			s = servedSpan{r.servedOr(0.5, -1), r.servedOr(0.99, -1), r.servedOr(1, -1)}
		} else if r.OpenLatency.Count > 0 {
			s.half, s.most = r.OpenLatency.P50, r.OpenLatency.P99
		}
		ss[i] = s
	}
	return ss
}

// notes are the remarks for the foot of the figure.
func (b bars) notes() []string {
	ns := b.v.notes(len(b.rows))
	if len(b.v.rows) > len(b.rows) {
		ns[0] = comma(int64(len(b.v.rows)-len(b.rows))) + " more, with peaks as high or higher, in summary.csv"
	}
	if s := b.v.reportOf(b.v.rows).FreeRejects(); s != "" {
		ns = append(ns, clean(s))
	}
	return ns
}

func (b bars) draw(p *page) {
	times, root := b.timeScale()
	peaks := barScale(b.rows, 1, func(r row) float64 { return float64(r.PeakWindow) })
	loads := barScale(b.rows, 1, row.perTask)
	b.drawHeads(p, peaks.root, loads.root, root)
	rules := p.path()
	for i := range b.rows {
		y := snap(b.top + b.pitch*float64(i))
		rules.rect(margin, y, pageWidth-margin, y+0.5)
	}
	p.fill(rules, p.pal.grid)
	for i, r := range b.rows {
		y := b.top + b.pitch*(float64(i)+0.5)
		name := bold.set(r.name, peakLeft-14-margin, setting{1, 12}, setting{1, 11}, setting{2, 10}, setting{2, 9})
		p.writeBlock(name, margin, y-name.height()/2, left, bold, p.pal.ink)

		after := ""
		if b.v.hidesAfter(b.v.rows) {
			after = b.v.afterPeak(r)
		}
		limit := b.v.perBar
		if !b.v.bounded() {
			limit = peaks.max
		}
		b.bar(p, peakLeft, y, float64(r.PeakWindow), limit, peaks, b.v.peak(r), after)
		b.bar(p, loadLeft, y, r.perTask(), 1, loads, plain(r.perTask()), "")
		b.drawSpan(p, r, b.spans[i], y, times)
	}
}

// barScale fits the largest value. It is a square root if the largest is more than fifty times the least.
func barScale(rows []row, floor float64, value func(row) float64) scale {
	s := scale{max: floor}
	least := math.Inf(1)
	for _, r := range rows {
		x := value(r)
		s.max = max(s.max, x)
		if x > 0 {
			least = min(least, x)
		}
	}
	s.root = s.max > 50*least
	return s
}

func (b bars) drawHeads(p *page, peaksRoot, loadsRoot, root bool) {
	name := b.v.unit().name
	wait := strings.ToUpper(name[:1]) + name[1:] + " until served"
	peak, load, sub := "Peak load, × capacity", "Requests per "+b.v.noun(), "half – 99% – all "+b.v.noun()+"s"
	if !b.v.bounded() {
		peak = "Peak load, requests"
	}
	if b.v.HasOpen() || !b.v.herd() {
		load = "Requests per task"
	}
	if !b.v.herd() {
		wait, sub = "Latency of served tasks", "half – 99%"
	}
	if root {
		sub += ", square-root scale"
	}
	busiest, ideal := "busiest "+span(b.v.window), "1 is the ideal, the rest is retry load"
	if peaksRoot {
		busiest += ", square-root scale"
	}
	if loadsRoot {
		ideal = "1 is the ideal; square-root scale"
	}
	for _, h := range []struct {
		x           float64
		title, text string
	}{
		{peakLeft, peak, busiest},
		{loadLeft, load, ideal},
		{timeLeft, wait, sub},
	} {
		p.write(h.title, h.x, b.top-20, left, pen{bold, 11, p.pal.ink})
		p.write(h.text, h.x, b.top-8, left, pen{regular, 9, p.pal.soft})
	}
}

// bar draws x: blue up to limit, orange beyond if it reads as more. Its number stands at its end, over a remark.
func (b bars) bar(p *page, x0, y, x, limit float64, sc scale, text, remark string) {
	const half = 6.0
	end := snap(x0 + sc.at(x)*fieldWidth)
	if x > 0 {
		end = max(end, x0+thinnest)
	}
	cut := end
	if x > 1.05*limit { // 1.0 is the ideal, whatever the second decimal
		cut = min(snap(x0+sc.at(limit)*fieldWidth), end)
	}
	within, over := p.path(), p.path()
	if cut > x0 {
		within.rect(x0, snap(y-half), cut, snap(y+half))
	}
	if end > cut {
		over.rect(cut, snap(y-half), end, snap(y+half))
	}
	p.fill(within, p.pal.outcomes[strategies.Served])
	p.fill(over, p.pal.outcomes[strategies.Rejected])
	number := pen{bold, 11, p.pal.ink}
	if remark == "" {
		p.write(text, end+6, y+3.9, left, number)
		return
	}
	p.write(text, end+6, y+0.5, left, number)
	p.write(remark, end+6, y+9.5, left, pen{regular, 7.5, p.pal.soft})
}

// timeScale fits the longest span. It is a square root if the others would be too short to read.
func (b bars) timeScale() (s scale, root bool) {
	var all []time.Duration
	for _, sp := range b.spans {
		if t := sp.longest(); t > 0 {
			all = append(all, t)
		}
	}
	if len(all) == 0 {
		return scale{max: 1}, false
	}
	slices.Sort(all)
	longest := all[len(all)-1]
	root = longest/10 >= all[(len(all)-1)/2]
	return scale{max: float64(longest), root: root}, root
}

// drawSpan draws when half (dot), 99% (end of the band) and all (tick) were served.
func (b bars) drawSpan(p *page, r row, s servedSpan, y float64, sc scale) {
	x := func(t time.Duration) float64 { return timeLeft + sc.at(float64(t))*timeWidth }
	y = snap(y)
	end := timeLeft + timeWidth
	if s.longest() > 0 && (s.all >= 0 || !b.v.herd()) {
		end = x(s.longest())
	}
	if s.longest() > 0 || r.Herd.Tasks > 0 {
		p.hline(timeLeft, end, y, 1, p.pal.axis)
	}
	if s.half >= 0 {
		band := p.path()
		if s.most >= 0 {
			band.rect(x(s.half), y-2.5, x(s.most), y+2.5)
		}
		p.fill(band, p.pal.band)
	}
	if s.all >= 0 {
		tick := p.path()
		tick.rect(snap(x(s.all))-0.75, y-6, snap(x(s.all))+0.75, y+6)
		p.fill(tick, p.pal.ink)
	}
	if s.half >= 0 {
		dot := p.path()
		dot.circle(x(s.half), y, 4)
		p.fill(dot, p.pal.outcomes[strategies.Served])
	}
	b.writeSpan(p, r, s, end+8, y)
}

// writeSpan writes the number at the end of a span: when all were served, or how many were. Of open traffic the share is
// written too where it is not nearly all.
func (b bars) writeSpan(p *page, r row, s servedSpan, x, y float64) {
	at, done := s.all, s.all >= 0
	if !b.v.herd() {
		at, done = s.most, s.most >= 0
	}
	tally := r.Herd
	if !b.v.herd() {
		tally = r.Open
	}
	if !done {
		b.writeUnserved(p, tally, x, y)
		return
	}
	number := pen{bold, 11, p.pal.ink}
	text := b.v.unit().count(at)
	if !b.v.herd() {
		text = span(at)
	}
	if r.serves() {
		p.write(text, x, y+3.9, left, number)
		return
	}
	share := percent(r.Open.Succeeded, r.Open.Tasks) + " served"
	if b.v.herd() {
		share = percent(r.Open.Succeeded, r.Open.Tasks) + " of open"
	}
	p.write(text, x, y+0.5, left, number)
	p.write(share, x, y+9.5, left, pen{regular, 7.5, p.pal.warm})
}

func (b bars) writeUnserved(p *page, t sim.Tally, x, y float64) {
	if t.Tasks == 0 {
		p.write("–", x, y+3.9, left, pen{regular, 11, p.pal.faint})
		return
	}
	upper, lower := unserved(t, true, b.v.noun())
	p.write(upper, x, y-1, left, pen{bold, 8, p.pal.warm})
	p.write(lower, x, y+8, left, pen{regular, 7.5, p.pal.warm})
}
