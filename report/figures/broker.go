package figures

import (
	"image/color"
	"math"
	"slices"
	"time"

	"herdsim/report"
	"herdsim/sim"
)

// brokerQueues shows where the messages of a broker are over time: of one strategy a row for each queue, of several a row
// for each strategy with all of its queues upon one another.
var brokerQueues = Figure{
	Name: "broker",
	empty: func(v *view) string {
		switch {
		case len(v.rows) == 0:
			return v.nothingSent()
		case len(v.brokered()) == 0:
			return "There is no message broker"
		}
		return ""
	},
	layout: func(v *view) layout {
		f := newShelves(v)
		v.clock = f.axis
		h := header{titles: v.brokerTitles(), subtitle: v.subtitle(f.counted()), keys: f.keys(), keyWidth: plotRight - margin}
		f.top = h.height() + 14
		title, _ := h.title()
		return layout{title, f.foot() + footRoom, func(p *page) {
			h.draw(p)
			f.draw(p)
			p.footer(append(v.notes(min(len(v.rows), mostRows)), f.left()...), f.foot(), plotLeft+120)
		}}
	},
}

// brokered returns the rows that have queues.
func (v *view) brokered() []row {
	return slices.DeleteFunc(slices.Clone(v.rows), func(r row) bool { return len(r.Queues) == 0 })
}

// shelves is the body of the figure.
type shelves struct {
	timeline
	shelves []*shelf
	single  bool // they are the queues of one strategy
	more    int  // queues without a row
	oldest  time.Duration
	unit    unit
}

func newShelves(v *view) *shelves {
	runs := v.brokered()
	f := &shelves{single: len(runs) == 1}
	for _, r := range runs {
		if f.single {
			f.shelves = queueShelves(r)
		} else {
			f.shelves = append(f.shelves, wholeShelf(r))
		}
	}
	if n := len(f.shelves) - mostRows; n > 0 {
		f.shelves = f.shelves[:mostRows]
		if f.single {
			f.more = n
		}
	}
	rows := make([]row, len(f.shelves))
	for i, s := range f.shelves {
		rows[i] = s.row
	}
	f.timeline = newTimeline(v, rows)
	need := v.extentFor(rows)
	if v.HasOpen() {
		need = v.flowExtent(rows)
	}
	for _, r := range rows {
		need = max(need, v.settled(r))
	}
	f.axis = newTimeAxis(need, 9)
	highest := 1
	late := 100 * time.Millisecond // or how old
	for _, s := range f.shelves {
		s.fill(f.axis, v.window)
		for _, l := range s.levels {
			highest, f.oldest = max(highest, l.total()), max(f.oldest, l.oldest)
		}
		late = max(late, lateMax(s.queues))
		for _, q := range s.queues {
			old := report.OldestEver(q, s.row.Result)
			late = max(late, old)
			if !q.Dead && f.oldest > 0 { // it may have been older between two columns
				f.oldest = max(f.oldest, old)
			}
		}
	}
	f.unit = unitFor(late)
	f.scale = scale{max: 1.05 * float64(highest)}
	return f
}

// counted says what is drawn.
func (f *shelves) counted() string {
	s := "Messages at the end of each " + span(f.v.window)
	if column := f.axis.max / time.Duration(levelColumns); column > f.v.window {
		s += ", the most of each " + span(column)
	}
	return s + "."
}

// left is what has no room.
func (f *shelves) left() []string {
	if f.more == 0 {
		return nil
	}
	return []string{counted(int64(f.more), "more queue") + " in queues.csv"}
}

func (f *shelves) keys() []key {
	var seen [places]bool
	for _, s := range f.shelves {
		for _, l := range s.levels {
			for at, n := range l.messages {
				seen[at] = seen[at] || n > 0
			}
		}
	}
	var ks []key
	for at, there := range seen {
		if there {
			ks = append(ks, key{placeWords[at], square, func(p *palette) color.RGBA { return p.place(place(at)) }})
		}
	}
	if f.oldest > 0 {
		ks = append(ks, key{"age of the oldest, up to " + f.axis.moment(f.oldest), line, func(p *palette) color.RGBA { return p.ink }})
	}
	return append(ks, f.keysOfTime()...)
}

func (f *shelves) draw(p *page) {
	last := "dead\nletters"
	if f.single {
		last = "oldest,\n" + f.unit.short
	}
	p.writeHeads(f.top, "most\nwaiting", "late by at\nmost, "+f.unit.short, last)
	for i := range f.rows {
		f.drawTriggers(p, f.rowTop(i))
	}
	f.drawTimes(p)
	for i := range f.shelves {
		f.drawShelf(p, i)
	}
	p.writeTicks(f.axis, plotLeft, plotRight, f.bottom()+f.lift(), f.v.origin())
}

func (f *shelves) drawShelf(p *page, i int) {
	s, top := f.shelves[i], f.rowTop(i)
	base := snap(top + f.height)
	y := func(n float64) float64 { return base - math.Min(f.scale.at(n), 1)*f.height }
	f.drawLevels(p, y)
	for at := places - 1; at >= 0; at-- { // the highest first, so that each lies upon it
		c := &steps{page: p, base: base, xs: []float64{plotLeft}}
		for k := range s.levels {
			n := 0
			for below := place(0); below <= at; below++ {
				n += s.levels[k].messages[below]
			}
			c.add(plotLeft+float64(k+1), y(float64(n)))
		}
		c.fill(p.pal.place(at))
	}
	f.drawAges(p, s, base)
	p.hline(plotLeft, plotRight, base, 1, p.pal.axis)
	f.drawCrashes(p, s.row, base)
	f.drawName(p, s.row, (top+base)/2)
	f.drawNumbers(p, s, (top+base)/2)
}

// drawAges draws the age of the oldest message, where there is one, from one instant at which it falls to the next.
func (f *shelves) drawAges(p *page, s *shelf, base float64) {
	q := p.path()
	drawn := false
	for k := range s.levels {
		if s.levels[k].oldest == 0 {
			drawn = false
			continue
		}
		x, y := plotLeft+float64(k)+0.5, base-float64(s.levels[k].oldest)/float64(f.oldest)*f.height
		if drawn {
			q.line(x, y)
		} else {
			q.move(x, y)
		}
		drawn = true
	}
	p.stroke(q, 3, p.pal.background) // so that it is seen upon every colour
	p.stroke(q, 1.2, p.pal.ink)
}

// drawNumbers writes the most messages that ever waited in a queue of a shelf, dead letters aside where there are others;
// how late the latest left for want of a place at the head; and how old the oldest was or, of a whole strategy, its dead
// letters.
func (f *shelves) drawNumbers(p *page, s *shelf, y float64) {
	big := pen{regular, 15, p.pal.ink}
	most, oldest, letters := 0, time.Duration(0), 0
	for _, q := range s.queues {
		if q.Dead {
			letters += q.Ready
		}
		if !q.Dead || len(s.queues) == 1 {
			most = max(most, q.Most)
		}
		oldest = max(oldest, report.OldestEver(q, s.row.Result))
	}
	p.write(short(int64(most), 100_000), peakRight, y+5, right, pen{bold, 15, p.pal.ink})
	if n := dropped(s.queues); n > 0 { // such messages are nowhere to be seen
		p.write(short(n, 100_000)+" dropped", peakRight, y+15.5, right, pen{regular, 7.5, p.pal.warm})
	}
	late := "–"
	if slices.ContainsFunc(s.queues, func(q *sim.QueueResult) bool { return q.Left > 0 }) {
		late = f.unit.count(lateMax(s.queues))
	}
	p.write(late, sentRight, y+5, right, big)
	last := short(int64(letters), 100_000)
	if f.single {
		last = f.unit.count(oldest)
	}
	p.write(last, lastRight, y+5, right, big)
}

// dropped returns how many messages some queues have lost: that were neither acknowledged nor became dead letters.
func dropped(qs []*sim.QueueResult) (n int64) {
	for _, q := range qs {
		for _, d := range q.Counts.Dropped {
			n += d
		}
	}
	return n
}

// lateMax is how late the latest message left one of some queues.
func lateMax(qs []*sim.QueueResult) (late time.Duration) {
	for _, q := range qs {
		late = max(late, q.LateMax)
	}
	return late
}
