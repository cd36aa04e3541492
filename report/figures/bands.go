package figures

import (
	"image/color"
	"math"

	"herdsim/sim"
)

// The state of guards is drawn as lanes below the baseline of a row: when breakers were open, and what a bucket had
// left.

const (
	laneHeight = 3.0
	laneGap    = 1.5
	shades     = 4 // in which shares of many breakers are told apart
)

// A lane is the track of one guard.
type lane struct {
	track  []sim.GuardPoint
	phases bool // of a breaker; else a level
	name   string
}

// lanes returns the guards of a row that have something to show: of breakers and of levels the first each.
func (r row) lanes() []lane {
	var breaker, level *lane
	for _, g := range r.Guards {
		l := lane{track: g.Track, name: g.Name}
		spent := false
		for _, p := range g.Track {
			l.phases = l.phases || p.Open > 0 || p.HalfOpen > 0
			spent = spent || p.Level < 1
		}
		switch {
		case l.phases && breaker == nil:
			breaker = &l
		case !l.phases && spent && level == nil:
			level = &l
		}
	}
	var ls []lane
	for _, l := range []*lane{breaker, level} {
		if l != nil {
			ls = append(ls, *l)
		}
	}
	return ls
}

// laneKeys are the keys of the lanes of some rows.
func laneKeys(rows []row) []key {
	var open, level string
	for _, r := range rows {
		for _, l := range r.lanes() {
			if l.phases {
				open = l.name + " open"
			} else {
				level = l.name + ": what is left"
			}
		}
	}
	var ks []key
	if open != "" {
		ks = append(ks, key{open, square, func(p *palette) color.RGBA { return p.warm }},
			key{"half-open", square, func(p *palette) color.RGBA { return p.band }})
	}
	if level != "" {
		ks = append(ks, key{level, square, func(p *palette) color.RGBA { return p.faint }})
	}
	return ks
}

// drawLanes draws the lanes of a row below its baseline.
func (s *strip) drawLanes(p *page, r row, base float64) {
	top := base + laneGap
	for _, l := range r.lanes() {
		if l.phases {
			s.drawPhases(p, l, top)
		} else {
			s.drawLevel(p, l, top)
		}
		top += laneHeight + laneGap
	}
}

// eachSpan calls draw for each stretch of time that a track has one state in.
func (s *strip) eachSpan(track []sim.GuardPoint, draw func(x0, x1 float64, g sim.GuardPoint)) {
	x := func(index int64) float64 {
		t := duration(float64(index) * float64(s.v.window))
		return plotLeft + min(1, s.axis.at(min(t, s.axis.max)))*(plotRight-plotLeft)
	}
	for i, g := range track {
		end := plotRight
		if i+1 < len(track) {
			end = x(track[i+1].Window)
		}
		if start := x(g.Window); start < end {
			draw(start, end, g)
		}
	}
}

func (s *strip) drawPhases(p *page, l lane, top float64) {
	for _, phase := range []struct {
		colour color.RGBA
		share  func(sim.GuardPoint) float64
	}{
		{p.pal.band, func(g sim.GuardPoint) float64 { return g.HalfOpen }},
		{p.pal.warm, func(g sim.GuardPoint) float64 { return g.Open }},
	} {
		var paths [shades + 1]*path
		for i := range paths {
			paths[i] = p.path()
		}
		s.eachSpan(l.track, func(x0, x1 float64, g sim.GuardPoint) {
			if n := int(math.Ceil(phase.share(g) * shades)); n > 0 {
				paths[n].rect(x0, top, max(x1, x0+thinnest), top+laneHeight)
			}
		})
		for n := 1; n <= shades; n++ {
			p.fill(paths[n], mix(p.pal.background, phase.colour, float64(n)/shades))
		}
	}
}

func (s *strip) drawLevel(p *page, l lane, top float64) {
	q := p.path()
	s.eachSpan(l.track, func(x0, x1 float64, g sim.GuardPoint) {
		q.rect(x0, top+laneHeight*(1-g.Level), x1, top+laneHeight)
	})
	p.fill(q, p.pal.faint)
}

// mix returns the colour that lies share of the way from a to b.
func mix(a, b color.RGBA, share float64) color.RGBA {
	part := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + share*(float64(y)-float64(x)))) }
	return color.RGBA{part(a.R, b.R), part(a.G, b.G), part(a.B, b.B), 0xFF}
}
