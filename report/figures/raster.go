package figures

import (
	"cmp"
	"math"
	"slices"
	"time"

	"herdsim/sim"
	"herdsim/strategies"
)

// raster shows each request of some workers, one row a worker in the order they were served, for up to three
// strategies.
var raster = Figure{
	Name: "raster",
	empty: func(v *view) string {
		switch {
		case len(v.rows) == 0:
			return v.nothingSent()
		case !v.herd():
			return "There is no herd to follow, only open traffic"
		case len(v.sampled()) == 0:
			return "No " + v.noun() + "'s requests were recorded"
		}
		return ""
	},
	layout: func(v *view) layout {
		ps := panels{v: v}
		for _, r := range v.triple() {
			ps.rows = append(ps.rows, r)
			ps.workers = append(ps.workers, follow(r))
		}
		ps.setAxis()
		v.clock = ps.axis
		h := header{titles: v.rasterTitles(ps.rows), subtitle: ps.subtitle(), keys: ps.keys()}
		ps.top = h.height() + 18
		ps.bottom = ps.top + ps.depth()
		title, _ := h.title()
		return layout{title, ps.bottom + 54, func(p *page) {
			h.draw(p)
			ps.draw(p)
			p.footer(v.notes(len(v.rows)), ps.bottom+44, pageWidth-margin)
		}}
	},
}

// sampled returns the rows that have recorded requests of their herd.
func (v *view) sampled() []row {
	return slices.DeleteFunc(slices.Clone(v.rows), func(r row) bool { return !slices.ContainsFunc(r.Sample, r.ofHerd) })
}

// ofHerd reports whether a request is one of the herd's.
func (r row) ofHerd(a sim.AttemptRecord) bool { return a.Task >= 0 && a.Task < r.Herd.Tasks }

// triple returns the pair that spike shows and a third strategy, as far as they have recorded requests: the one whose
// messages are kept longest behind others, or else the one whose peak is most in the middle.
func (v *view) triple() []row {
	rows := v.sampled()
	pair, _ := v.pairOf(rows)
	if len(pair) < 2 {
		return pair
	}
	if r, ok := blocked(rows); ok && r.name != pair[0].name && r.name != pair[1].name {
		return []row{pair[0], r, pair[1]}
	}
	hi, lo := float64(pair[0].PeakWindow), float64(pair[1].PeakWindow)
	best, at := math.Inf(1), -1
	for i, r := range rows {
		n := float64(r.PeakWindow)
		if r.key == "paced" || n <= min(hi, lo) || n >= max(hi, lo) {
			continue
		}
		if d := math.Abs(math.Log(n / math.Sqrt(hi*max(lo, 1)))); d < best {
			best, at = d, i
		}
	}
	if at < 0 {
		return pair
	}
	return []row{pair[0], rows[at], pair[1]}
}

// blocked returns the row whose messages are kept longest behind others in their queues, if any are.
func blocked(rows []row) (worst row, ok bool) {
	var most time.Duration
	for _, r := range rows {
		late := time.Duration(0)
		for _, q := range r.Queues {
			late += q.Late
		}
		if late > most {
			worst, most, ok = r, late, true
		}
	}
	return worst, ok
}

// A worker is what was recorded of one worker.
type worker struct {
	task     int64
	attempts []attempt
	served   time.Duration // when it had its answer; the longest Duration if it never had
}

// An attempt is a request of a worker.
type attempt sim.AttemptRecord

// reached returns when the downstream had the request.
func (a attempt) reached() time.Duration { return max(a.Arrived, a.Sent, 0) }

// follow returns the recorded workers of r's herd in the order they were served, those never served at the end.
func follow(r row) []worker {
	index := map[int64]int{}
	var ws []worker
	for _, a := range r.Sample {
		if !r.ofHerd(a) {
			continue
		}
		i, known := index[a.Task]
		if !known {
			i = len(ws)
			index[a.Task] = i
			ws = append(ws, worker{task: a.Task, served: math.MaxInt64})
		}
		ws[i].attempts = append(ws[i].attempts, attempt(a))
		if a.Outcome == strategies.Served {
			ws[i].served = a.End
		}
	}
	slices.SortFunc(ws, func(a, b worker) int {
		return cmp.Or(cmp.Compare(a.served, b.served), cmp.Compare(a.task, b.task))
	})
	return ws
}

// panels is the body of raster.
type panels struct {
	v           *view
	rows        []row
	workers     [][]worker // of each row
	axis        timeAxis
	cut         bool // the axis ends where the record of a row does
	top, bottom float64
}

func (ps panels) subtitle() string {
	if ps.cut {
		return ps.rowsAre() + " Shown as far as all are recorded, until " + ps.axis.instant(ps.axis.max) + "."
	}
	return ps.rowsAre()
}

// rowsAre says what the rows of the panels are.
func (ps panels) rowsAre() string {
	each := ps.order() + "; one mark for each request."
	n, of := len(ps.workers[0]), ps.rows[0].Herd.Tasks
	for i, ws := range ps.workers {
		if len(ws) != n || ps.rows[i].Herd.Tasks != of {
			return "One row a " + ps.rows[0].noun() + each
		}
	}
	if n == 1 && of == 1 {
		return "One mark for each request of the " + ps.rows[0].noun() + "."
	}
	s := "One row for each of " + counted(int64(n), ps.rows[0].noun())
	if int64(n) < of {
		s += " (of " + comma(of) + ")"
	}
	return s + each
}

// order says how the rows follow each other.
func (ps panels) order() string {
	served, unserved := false, false
	for i, ws := range ps.workers {
		if h := ps.rows[i].Herd; ps.rows[i].SampleFull { // who was served later is not recorded
			served = served || h.Succeeded > 0
			unserved = unserved || h.Succeeded < h.Tasks
			continue
		}
		for _, w := range ws {
			served = served || w.served < math.MaxInt64
			unserved = unserved || w.served == math.MaxInt64
		}
	}
	switch {
	case !served:
		return ", none of which is served"
	case unserved:
		return ", in the order they were served, the unserved at the end"
	}
	return ", in the order they were served"
}

// depth is the height of the panels: 14 points for each worker of a small herd.
func (ps panels) depth() float64 {
	most := 0
	for _, ws := range ps.workers {
		most = max(most, len(ws))
	}
	return clamp(14*float64(most), 42, 283)
}

// covered reports whether the mark of a failure lies below others of its worker, all but a bit of it.
func (ps panels) covered(w worker, a attempt) bool {
	const bit = 0.5
	x := func(a attempt) float64 { return ps.axis.at(a.reached()) * ps.width() }
	return slices.ContainsFunc(w.attempts, func(b attempt) bool {
		return !b.Failure && b.reached() < ps.axis.max && math.Abs(x(b)-x(a)) < bit
	})
}

// keys are those of what is drawn in the panels.
func (ps panels) keys() []key {
	var seen [strategies.Outcomes]bool
	failure := false
	for _, ws := range ps.workers {
		for _, w := range ws {
			for _, a := range w.attempts {
				switch {
				case a.reached() >= ps.axis.max:
				case a.Failure:
					failure = failure || !ps.covered(w, a)
				default:
					seen[a.Outcome%strategies.Outcomes] = true
				}
			}
		}
	}
	return keysOf(seen, failure)
}

const panelGap = 24.0

// width is that of a panel.
func (ps panels) width() float64 {
	n := float64(len(ps.rows))
	return (pageWidth - 2*margin - panelGap*(n-1)) / n
}

func (ps panels) draw(p *page) {
	width := ps.width()
	for i := range ps.rows {
		x := margin + float64(i)*(width+panelGap)
		ps.drawPanel(p, i, x, x+width)
	}
}

// drawPanel draws strategy i between x0 and x1.
func (ps panels) drawPanel(p *page, i int, x0, x1 float64) {
	const pad = 3.0 // so that marks at 0 are whole
	axisLeft := x0 + pad
	grid := p.path()
	for _, t := range ps.axis.ticks {
		x := snap(axisLeft + ps.axis.at(t)*(x1-axisLeft))
		grid.rect(x, ps.top, x+0.5, ps.bottom)
	}
	p.fill(grid, p.pal.grid)
	rest := ps.drawMarks(p, ps.workers[i], axisLeft, x1)
	p.hline(x0, x1, ps.bottom, 1, p.pal.axis)
	p.writeTicks(ps.axis, axisLeft, x1, ps.bottom, ps.v.origin())

	r := ps.rows[i]
	name := bold.set(r.name, x1-x0, setting{1, 12}, setting{1, 11}, setting{1, 10}, setting{1, 9})
	p.write(name.lines[0], x0, ps.top-18, left, pen{bold, name.size, p.pal.ink})
	room := x1 - x0
	if rest.requests > 0 || r.recorded() <= ps.axis.max {
		text := "more, not recorded"
		if !r.SampleFull {
			text = restText(rest, ps.axis)
		}
		q := p.path()
		q.arrow(x1-4.5, ps.top-9, 5)
		p.fill(q, p.pal.soft)
		p.write(text, x1-7, ps.top-6.5, right, pen{regular, 7.5, p.pal.soft})
		room -= regular.width(text, 7.5) + 16
	}
	formula := regular.set(r.formula, room, setting{1, 9.5}, setting{1, 9}, setting{1, 8.5}, setting{1, 8})
	p.write(formula.lines[0], x0, ps.top-6, left, pen{regular, formula.size, p.pal.soft})
}

// drawMarks draws the requests of the workers, and returns what lies beyond the axis.
func (ps panels) drawMarks(p *page, ws []worker, x0, x1 float64) (rest beyond) {
	const width = 3.4
	pitch := (ps.bottom - ps.top - 2) / float64(len(ws))
	if pitch > 8 { // a small herd: thin lines lead the eye
		lines := p.path()
		for k := range ws {
			y := snap(ps.top + pitch*(float64(k)+0.5))
			lines.rect(x0, y-0.25, x1, y+0.25)
		}
		p.fill(lines, p.pal.grid)
	}
	var shapes [strategies.Outcomes + 1]*path // the last is the failure itself
	for o := range shapes {
		shapes[o] = p.path()
	}
	for k, w := range ws {
		y := ps.top + pitch*(float64(k)+0.5)
		var runs [strategies.Outcomes + 1]run
		for _, a := range w.attempts {
			t := a.reached()
			if t >= ps.axis.max {
				rest.add(t)
				continue
			}
			o := int(a.Outcome) % strategies.Outcomes
			if a.Failure {
				o = strategies.Outcomes
			}
			x := x0 + ps.axis.at(t)*(x1-x0)
			runs[o].add(shapes[o], x-width/2, min(x+width/2, x1), y)
		}
		for o := range runs {
			runs[o].end(shapes[o], y)
		}
	}
	height := clamp(pitch*0.75, 0.5, 6.5)
	p.stroke(shapes[strategies.Outcomes], height, p.pal.failure)
	for k := range stackOrder { // served last, uppermost
		o := stackOrder[len(stackOrder)-1-k]
		p.stroke(shapes[o], height, p.pal.outcomes[o])
	}
	return rest
}

// A run is marks of one colour that touch: one stroke, so that many requests do not make a large file.
type run struct{ from, to float64 }

// add adds a mark, and draws the run before it if it does not touch that.
func (r *run) add(q *path, from, to, y float64) {
	if from > r.to || from < r.from {
		r.end(q, y)
		r.from = from
	}
	r.to = to
}

// end draws the run.
func (r *run) end(q *path, y float64) {
	if r.to > r.from {
		q.move(r.from, y)
		q.line(r.to, y)
	}
	*r = run{}
}

// add counts a request at t.
func (b *beyond) add(t time.Duration) {
	if b.requests == 0 || t < b.from {
		b.from = t
	}
	b.requests++
	b.end = max(b.end, t)
}
