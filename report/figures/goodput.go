package figures

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"time"

	"herdsim/report"
	"herdsim/sim"
	"herdsim/strategies"
)

// goodput shows of every strategy what is offered and what comes of it, over time, and whether it comes back by itself.
var goodput = Figure{
	Name: "goodput",
	empty: func(v *view) string {
		if len(v.rows) > 0 && !v.HasOpen() {
			return "There is no open traffic that could suffer, only the herd"
		}
		return v.nothingSent()
	},
	layout: func(v *view) layout {
		f := newFlow(v, v.rows[:min(len(v.rows), mostRows)])
		v.clock = f.axis
		h := header{titles: v.goodputTitles(f.verdicts), subtitle: v.subtitle(f.averaged()), keys: f.keys(), keyWidth: plotRight - margin}
		f.top = h.height() + 14
		title, _ := h.title()
		return layout{title, f.foot() + footRoom, func(p *page) {
			h.draw(p)
			f.draw(p)
			p.footer(v.notes(len(f.rows)), f.foot(), plotLeft+120)
		}}
	},
}

// A flow is the body of goodput.
type flow struct {
	timeline
	piece    time.Duration // over which is averaged
	unit     rate
	averages [][]average
	verdicts []report.Verdict
}

func newFlow(v *view, rows []row) *flow {
	f := &flow{timeline: newTimeline(v, rows)}
	need := v.flowExtent(rows)
	f.axis = newTimeAxis(need, 9)
	f.piece = v.pieceFor(rows, need)
	for _, r := range v.rows {
		f.verdicts = append(f.verdicts, report.Judge(r.Result, &v.Setup, r.entry.MaxRequests))
	}
	usual := 0.0
	for _, r := range rows {
		usual = math.Max(usual, v.usual(r, f.piece, need))
	}
	f.unit = rateFor(usual)
	for _, r := range rows {
		f.averages = append(f.averages, v.averages(r, f.piece, min(v.end(r), f.axis.max), f.unit))
	}
	f.scale = f.fitScale(usual * f.unit.per.Seconds())
	return f
}

// flowExtent returns how much time pictures of open traffic should show: all of it, and what follows if it is not very long.
func (v *view) flowExtent(rows []row) time.Duration {
	end := time.Duration(0)
	for _, r := range rows {
		end = max(end, v.end(r))
	}
	if traffic := max(v.TrafficSpan().To, v.Trigger().To); v.HasOpen() && traffic > 0 && traffic < end {
		end = min(end, traffic+traffic/4)
	}
	return max(end, 5*v.window)
}

// usual returns the larger of offered load and goodput per second in the median piece of r in which anything was.
func (v *view) usual(r row, piece, need time.Duration) float64 {
	var most []float64
	for _, a := range v.averages(r, piece, min(v.end(r), need), rates[0]) {
		if x := math.Max(a.offered, a.goodput); x > 0 {
			most = append(most, x)
		}
	}
	if len(most) == 0 {
		return 0
	}
	slices.Sort(most)
	return most[len(most)/2]
}

// fitScale finds a scale on which what is usual can be seen: the square root where there is much more at times, cut off
// where that is very much.
func (f *flow) fitScale(usual float64) scale {
	const dwarf, cut = 8, 40
	highest := 0.0
	for _, as := range f.averages {
		for _, a := range as {
			highest = math.Max(highest, math.Max(a.requests, math.Max(a.offered, a.goodput)))
		}
	}
	if highest <= 0 {
		return scale{max: 1}
	}
	if usual <= 0 {
		usual = highest
	}
	s := scale{max: math.Min(highest, cut*usual), root: highest > dwarf*usual}
	if c := f.capacity(); c <= 4*usual {
		s.max = math.Max(s.max, 1.1*c)
	}
	return s
}

// capacity is that of the downstream per unit of rate; 0 when there is no bound.
func (f *flow) capacity() float64 {
	if !f.v.bounded() {
		return 0
	}
	return f.v.Capacity * f.unit.per.Seconds()
}

// averaged says what is drawn.
func (f *flow) averaged() string {
	s := "Averages over " + f.axis.span(f.piece) + ", " + f.unit.long
	if f.scale.root {
		s += ", square-root scale"
	}
	return s + "."
}

// The colours of goodput that other figures do not have.

// asked is the colour of requests, of which the goodput is what they were for: a tint of what is turned away.
func (p *palette) asked() color.RGBA {
	return mix(p.background, p.outcomes[strategies.Rejected], 0.42)
}

// state is the colour of what the downstream can do: the share of its cache or of its speed.
func (p *palette) state() color.RGBA { return mix(p.lines[4], p.ink, 0.3) }

func (f *flow) keys() []key {
	ks := []key{
		{"goodput", square, func(p *palette) color.RGBA { return p.outcomes[strategies.Served] }},
		{"requests", square, (*palette).asked},
		{"offered: tasks that call first", line, func(p *palette) color.RGBA { return p.ink }},
	}
	if c := f.capacity(); c > 0 {
		word := "capacity: " + digits(c) + "/" + f.unit.name
		if c > f.scale.max {
			word += " (off the scale)"
		}
		ks = append(ks, key{word, dash, func(p *palette) color.RGBA { return p.ink }})
	}
	ks = append(ks, f.keysOfTime()...)
	cache, warm := f.states()
	switch {
	case cache && warm:
		ks = append(ks, key{"cache filled × speed reached", line, (*palette).state})
	case cache:
		ks = append(ks, key{"cache filled (full height: all)", line, (*palette).state})
	case warm:
		ks = append(ks, key{"speed reached (full height: all)", line, (*palette).state})
	}
	return ks
}

// states says of what the downstream of any row has less than all at some time.
func (f *flow) states() (cache, warm bool) {
	for _, r := range f.rows {
		for _, s := range r.States {
			cache = cache || s.Cache < 1
			warm = warm || s.Warm < 1
		}
	}
	return cache, warm
}

func (f *flow) draw(p *page) {
	f.drawHeads(p)
	for i := range f.rows {
		f.drawTriggers(p, f.rowTop(i))
	}
	f.drawTimes(p)
	for i, r := range f.rows {
		f.drawRow(p, i, r)
	}
	p.writeTicks(f.axis, plotLeft, plotRight, f.bottom()+f.lift(), f.v.origin())
}

func (f *flow) drawRow(p *page, i int, r row) {
	top := f.rowTop(i)
	base := snap(top + f.height)
	y := func(n float64) float64 { return base - math.Min(f.scale.at(n), 1)*f.height }
	f.drawLevels(p, y)
	as := f.averages[i]
	f.steps(p, as, y, base, func(a average) float64 { return a.requests }).fill(p.pal.asked())
	f.steps(p, as, y, base, func(a average) float64 { return a.goodput }).fill(p.pal.outcomes[strategies.Served])
	f.steps(p, as, y, base, func(a average) float64 { return a.offered }).line(1, p.pal.ink)
	f.labelCut(p, as, top)
	f.drawState(p, r, base)
	p.hline(plotLeft, plotRight, base, 1, p.pal.axis)
	if c := f.capacity(); c > 0 && c <= f.scale.max {
		p.limit(y(c), p.pal.ink)
	}
	f.drawCrashes(p, r, base)
	f.drawName(p, r, (top+base)/2)
	f.drawVerdict(p, &f.verdicts[i], (top+base)/2)
}

// labelCut names the most that was asked, if it is higher than the row.
func (f *flow) labelCut(p *page, as []average, top float64) {
	most := slices.MaxFunc(as, func(a, b average) int { return cmp.Compare(a.requests, b.requests) })
	if most.requests <= f.scale.max*1.001 {
		return
	}
	text := "↑ " + short(int64(most.requests), 100_000)
	x := math.Min(f.x(most.from), plotRight-regular.width(text, 7.5))
	p.write(text, x, top-5.5, left, pen{regular, 7.5, p.pal.soft})
}

// drawState draws the share of the cache, or of the speed, that is there: the height of the row is all of it.
func (f *flow) drawState(p *page, r row, base float64) {
	if cache, warm := f.states(); !cache && !warm || len(r.States) == 0 {
		return
	}
	var ps []point
	at := func(x float64, s sim.StatePoint) {
		ps = append(ps, point{x, base - clamp(s.Cache*s.Warm, 0, 1)*f.height})
	}
	for i, s := range r.States {
		x := f.x(duration(float64(s.Window) * float64(f.v.window)))
		if i > 0 && x-ps[len(ps)-1].x < 0.5 {
			ps[len(ps)-1].y = base - clamp(s.Cache*s.Warm, 0, 1)*f.height
			continue
		}
		if i > 0 && s.Window > r.States[i-1].Window+1 { // until now as it was
			at(x, r.States[i-1])
		}
		at(x, s)
	}
	at(f.x(min(f.v.end(r), f.axis.max)), r.States[len(r.States)-1])
	q := p.path()
	for i, pt := range thin(ps, 0.2) {
		if i == 0 {
			q.move(pt.x, pt.y)
		} else {
			q.line(pt.x, pt.y)
		}
	}
	p.stroke(q, 1.2, p.pal.state())
}
