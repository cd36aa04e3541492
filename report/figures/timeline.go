package figures

import (
	"image/color"
	"math"
	"slices"

	"herdsim/sim"
	"herdsim/strategies"
)

// timeline is a stack with what disturbs the runs: the trigger and the outages as bands behind each row, crashes as a strip
// below it.
type timeline struct {
	stack
	crashes bool // some row has some
}

func newTimeline(v *view, rows []row) timeline {
	const gap = 22 // between rows
	pitch := overviewPitch(len(rows))
	return timeline{
		stack:   stack{v: v, rows: rows, pitch: pitch, height: pitch - gap},
		crashes: slices.ContainsFunc(rows, func(r row) bool { return len(r.Crashes) > 0 }),
	}
}

// lift is the distance from a baseline to what is written below it.
func (s *timeline) lift() float64 {
	if s.crashes {
		return 2 + laneGap + laneHeight
	}
	return 2
}

// foot is the baseline of the lowest text.
func (s *timeline) foot() float64 { return s.bottom() + s.lift() + 27 }

// disturbed is the colour behind the time of the trigger.
func (p *palette) disturbed() color.RGBA { return mix(p.background, p.faint, 0.18) }

// dimmed is the colour behind the time of a brown-out.
func (p *palette) dimmed() color.RGBA { return mix(p.background, p.failure, 0.6) }

// keysOfTime explain the bands behind the rows and the strips below them.
func (s *timeline) keysOfTime() []key {
	var ks []key
	trigger := s.trigger()
	if trigger.From >= 0 && !slices.Contains(s.v.Outages, trigger) {
		ks = append(ks, key{"trigger", square, (*palette).disturbed})
	}
	full := int64(len(s.v.FullOutages))
	if full > 0 {
		ks = append(ks, key{several(full, "outage", "outages"), square, func(p *palette) color.RGBA { return p.failure }})
	}
	if partial := int64(len(s.v.Outages)) - full; partial > 0 {
		ks = append(ks, key{several(partial, "brown-out", "brown-outs"), square, (*palette).dimmed})
	}
	if s.crashes {
		ks = append(ks, key{"down after a crash", square, func(p *palette) color.RGBA { return p.outcomes[strategies.Unavailable] }})
	}
	return ks
}

// trigger is what disturbs the runs, but for a herd alone that calls at t = 0, where everything begins.
func (s *timeline) trigger() sim.Span {
	t := s.v.Trigger()
	if t.To == 0 && !s.v.HasOpen() {
		t.From = -1
	}
	return t
}

// drawTriggers draws what disturbs the run behind the data of a row.
func (s *timeline) drawTriggers(p *page, top float64) {
	base := snap(top + s.height)
	band := func(q *path, t sim.Span) {
		x0 := math.Min(s.x(t.From), plotRight-thinnest)
		q.rect(x0, top-4, math.Max(s.x(t.To), x0+thinnest), base)
	}
	trigger := s.trigger()
	whole, outages, partial := p.path(), p.path(), p.path()
	if trigger.From >= 0 && trigger.From < s.axis.max {
		band(whole, trigger)
	}
	for _, o := range s.v.Outages {
		switch {
		case o.From >= s.axis.max:
		case slices.Contains(s.v.FullOutages, o):
			band(outages, o)
		default:
			band(partial, o)
		}
	}
	p.fill(whole, p.pal.disturbed())
	p.fill(partial, p.pal.dimmed())
	p.fill(outages, p.pal.failure)
}

// drawCrashes draws below the baseline when the downstream was down after a crash.
func (s *timeline) drawCrashes(p *page, r row, base float64) {
	if len(r.Crashes) == 0 {
		return
	}
	top := base + laneGap
	bed, down := p.path(), p.path()
	bed.rect(plotLeft, top, s.x(s.v.end(r)), top+laneHeight)
	p.fill(bed, p.pal.bed())
	last := math.Inf(-1)
	for _, c := range r.Crashes {
		to := c.To
		if to < 0 {
			to = s.v.end(r)
		}
		x0, x1 := s.x(c.From), s.x(to)
		if x1 <= last || c.From >= s.axis.max {
			continue
		}
		x0 = math.Max(math.Min(x0, plotRight-thinnest), last)
		last = math.Max(x1, x0+thinnest)
		down.rect(x0, top, last, top+laneHeight)
	}
	p.fill(down, p.pal.outcomes[strategies.Unavailable])
}
