package figures

import (
	"image/color"
	"math"
	"slices"
	"time"

	"herdsim/sim"
	"herdsim/strategies"
)

// queues shows of every strategy how many requests are in service and how many wait, over time, against what the downstream
// holds.
var queues = Figure{
	Name: "queues",
	empty: func(v *view) string {
		if len(v.rows) > 0 && !v.hasQueues() {
			return "A herd and a plain queue: overview shows what becomes of them"
		}
		return v.nothingSent()
	},
	layout: func(v *view) layout {
		f := newHouses(v, v.rows[:min(len(v.rows), mostRows)])
		v.clock = f.axis
		h := header{titles: v.queueTitles(), subtitle: v.subtitle(f.counted()), keys: f.keys(), keyWidth: plotRight - margin}
		f.top = h.height() + 14
		title, _ := h.title()
		return layout{title, f.foot() + footRoom, func(p *page) {
			h.draw(p)
			f.draw(p)
			p.footer(v.notes(len(f.rows)), f.foot(), plotLeft+120)
		}}
	},
}

// hasQueues reports whether there is more to say about queues than overview does.
func (v *view) hasQueues() bool {
	return v.HasOpen() || v.Parts
}

// houses is the body of queues.
type houses struct {
	timeline
	levels [][]level
	limits []limit
	unit   unit // of the mean wait
}

// A level is the most that was in service, and the most that waited, in the time of a column.
type level struct{ serving, waiting float64 }

// A limit is a number of requests in the house at which something happens.
type limit struct {
	word  string
	at    float64
	color func(*palette) color.RGBA
}

const levelColumns = int(plotRight - plotLeft) // a point wide, two pixels

func newHouses(v *view, rows []row) *houses {
	f := &houses{timeline: newTimeline(v, rows)}
	need := v.extentFor(rows)
	if v.HasOpen() {
		need = v.flowExtent(rows)
	}
	f.axis = newTimeAxis(need, 9)
	longest := time.Duration(0)
	for _, r := range rows {
		f.levels = append(f.levels, v.levels(r, f.axis))
		_, _, wait := f.numbers(r)
		longest = max(longest, wait)
	}
	f.unit = unitFor(max(longest, 100*time.Millisecond))
	f.limits = v.limits()
	f.scale = f.fitScale()
	return f
}

// meanWait is how long a request that was given a slot had waited for it.
func meanWait(r row) time.Duration {
	if r.QueueWait.Count <= 0 {
		return 0
	}
	return r.QueueWait.Sum / time.Duration(r.QueueWait.Count)
}

// levels returns the levels of r in the columns of an axis. Of the time between two windows, in which nothing happened, the
// level is what the second began with at least: its most, less what came in it.
func (v *view) levels(r row, a timeAxis) []level {
	ls := make([]level, levelColumns)
	put := func(from, to float64, l level) { // in columns
		for i := max(int(from), 0); i < levelColumns && float64(i) < to; i++ {
			ls[i].serving, ls[i].waiting = math.Max(ls[i].serving, l.serving), math.Max(ls[i].waiting, l.waiting)
		}
	}
	wide := a.at(v.window) * float64(levelColumns)
	var before sim.Window
	for i, w := range r.Windows {
		if w.Index < 0 {
			continue
		}
		x := float64(w.Index) * wide
		if i > 0 && w.Index > before.Index+1 {
			held := func(most, last int64) float64 { return float64(max(min(most-w.Requests, last), 0)) }
			gap := level{held(w.InServiceMax, before.InServiceMax), held(w.QueueMax, before.QueueMax)}
			put(float64(before.Index+1)*wide, x, gap)
		}
		if x >= float64(levelColumns) {
			break
		}
		put(x, x+wide, level{float64(w.InServiceMax), float64(w.QueueMax)})
		before = w
	}
	return ls
}

// limits are those of the house: of the slots, of all that it holds, of what breaks it.
func (v *view) limits() []limit {
	var ls []limit
	ink := func(p *palette) color.RGBA { return p.ink }
	breaks := func(p *palette) color.RGBA { return p.outcomes[strategies.Unavailable] }
	slots := float64(max(v.Slots, 0))
	if v.Slots > 0 {
		ls = append(ls, limit{counted(int64(v.Slots), "slot"), slots, func(p *palette) color.RGBA { return p.soft }})
	}
	full := slots + float64(v.Queue)
	if v.Slots > 0 && v.Queue > 0 && (v.Concurrency <= 0 || full <= float64(v.Concurrency)) {
		ls = append(ls, limit{"queue full: " + comma(int64(v.Queue)) + " waiting", full, ink})
	}
	if v.Concurrency > 0 && (v.Queue < 0 || v.Slots < 0 || float64(v.Concurrency) < full) {
		ls = append(ls, limit{"at most " + comma(int64(v.Concurrency)) + " in all", float64(v.Concurrency), ink})
	}
	if v.CrashInFlight > 0 {
		ls = append(ls, limit{"crashes above " + comma(int64(v.CrashInFlight)), float64(v.CrashInFlight), breaks})
	}
	if v.CrashQueued > 0 {
		ls = append(ls, limit{"crashes with more than " + comma(int64(v.CrashQueued)) + " waiting", slots + float64(v.CrashQueued), breaks})
	}
	return ls
}

// fitScale finds a scale for the fullest house and the limits near it: linear, the square root, or for very many times the
// slots logarithmic.
func (f *houses) fitScale() scale {
	highest := 1.0
	for _, ls := range f.levels {
		for _, l := range ls {
			highest = math.Max(highest, l.serving+l.waiting)
		}
	}
	s := scale{max: highest}
	for _, l := range f.limits {
		if l.at <= 3*highest {
			s.max = math.Max(s.max, 1.05*l.at)
		}
	}
	if f.v.Slots > 0 {
		times := s.max / float64(f.v.Slots)
		s.log = times > 2000
		s.root = times > 12 && !s.log
	}
	return s
}

// counted says what is drawn.
func (f *houses) counted() string {
	s := "The fullest instant of each " + f.axis.span(f.axis.max/time.Duration(levelColumns))
	switch {
	case f.scale.root:
		s += ", square-root scale"
	case f.scale.log:
		s += ", logarithmic scale"
	}
	return s + "."
}

func (f *houses) keys() []key {
	ks := []key{
		{"in service", square, func(p *palette) color.RGBA { return p.outcomes[strategies.Served] }},
	}
	if slices.ContainsFunc(f.levels, func(ls []level) bool { return slices.ContainsFunc(ls, func(l level) bool { return l.waiting > 0 }) }) {
		ks = append(ks, key{"waiting", square, func(p *palette) color.RGBA { return p.band }})
	}
	for _, l := range f.limits {
		word := l.word
		if l.at > f.scale.max {
			word += " (off the scale)"
		}
		ks = append(ks, key{word, dash, l.color})
	}
	return append(ks, f.keysOfTime()...)
}

func (f *houses) draw(p *page) {
	if f.v.Slots < 0 {
		p.writeHeads(f.top, "most in\nservice", "mean in\nservice", "median\nlatency, "+f.unit.short)
	} else {
		p.writeHeads(f.top, "longest\nqueue", "mean\nqueue", "mean wait,\n"+f.unit.short)
	}
	for i := range f.rows {
		f.drawTriggers(p, f.rowTop(i))
	}
	f.drawTimes(p)
	for i, r := range f.rows {
		f.drawRow(p, i, r)
	}
	p.writeTicks(f.axis, plotLeft, plotRight, f.bottom()+f.lift(), f.v.origin())
}

func (f *houses) drawRow(p *page, i int, r row) {
	top := f.rowTop(i)
	base := snap(top + f.height)
	y := func(n float64) float64 { return base - math.Min(f.scale.at(n), 1)*f.height }
	f.drawLevels(p, y)
	serving, all := &steps{page: p, base: base, xs: []float64{plotLeft}}, &steps{page: p, base: base, xs: []float64{plotLeft}}
	for k, l := range f.levels[i] {
		x := plotLeft + float64(k+1)
		serving.add(x, y(l.serving))
		all.add(x, y(l.serving+l.waiting))
	}
	all.fill(p.pal.band)
	serving.fill(p.pal.outcomes[strategies.Served])
	p.hline(plotLeft, plotRight, base, 1, p.pal.axis)
	for _, l := range f.limits {
		if l.at <= f.scale.max {
			p.limit(y(l.at), l.color(p.pal))
		}
	}
	f.drawCrashes(p, r, base)
	f.drawName(p, r, (top+base)/2)
	f.drawNumbers(p, r, (top+base)/2)
}

// numbers returns what stands in the number columns of a row: the most and the mean of what waits, and how long; where all
// are taken at once, of what is in service.
func (f *houses) numbers(r row) (most int64, mean float64, wait time.Duration) {
	seconds := math.Max(r.Observed.Seconds(), 1e-9)
	if f.v.Slots < 0 {
		return mostServed(r), r.BusyTime.Seconds() / seconds, r.Latency.P50
	}
	return longestQueue(r), r.QueueArea / seconds, meanWait(r)
}

// drawNumbers writes the three numbers of a row. A mean wait that is longer than callers wait is a warning.
func (f *houses) drawNumbers(p *page, r row, y float64) {
	big := pen{regular, 15, p.pal.ink}
	most, mean, wait := f.numbers(r)
	p.write(short(most, 100_000), peakRight, y+5, right, pen{bold, 15, p.pal.ink})
	if most == 0 {
		p.write("0", sentRight, y+5, right, big)
		p.write("0", lastRight, y+5, right, big)
		return
	}
	meanText := plain(mean)
	if mean >= 100_000 {
		meanText = short(int64(math.Round(mean)), 100_000)
	}
	p.write(meanText, sentRight, y+5, right, big)
	if f.v.Patience > 0 && wait > f.v.Patience {
		big = pen{bold, 15, p.pal.warm}
	}
	told := f.unit.count(wait)
	if f.v.Slots < 0 && r.Latency.Count == 0 {
		told = "–" // nobody was served
	}
	p.write(told, lastRight, y+5, right, big)
}

// longestQueue returns the most that waited in r at any instant.
func longestQueue(r row) int64 {
	most := int64(0)
	for _, w := range r.Windows {
		most = max(most, w.QueueMax)
	}
	return most
}

// mostServed returns the most that were in service in r at any instant.
func mostServed(r row) int64 {
	most := int64(0)
	for _, w := range r.Windows {
		most = max(most, w.InServiceMax)
	}
	return most
}
