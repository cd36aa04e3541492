package figures

import (
	"image/color"
	"math"
	"strings"

	"herdsim/sim"
)

// The state of guards is drawn as lanes below the baseline of a row: when breakers were open, and what a bucket had left.
// Of many, the share that is open is a shade, and the level is their mean.

const (
	laneHeight = 3.5
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
		l := lane{track: g.Track, name: clean(g.Name)}
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

// lanesHeight is how far the lanes of a row reach below its baseline.
func (r row) lanesHeight() float64 { return float64(len(r.lanes())) * (laneGap + laneHeight) }

// laneKeys are the keys of what is seen in the lanes of the strip. A level that is seen nowhere is called empty, by the
// colour of its bed.
func (s *strip) laneKeys() []key {
	const visible = 0.25 // half a pixel
	var open, level []string
	some, halfOpen, left := false, false, false
	for _, r := range s.rows {
		for _, l := range r.lanes() {
			if !l.phases {
				level = append(level, l.name)
			}
			for _, g := range s.laneSpans(r, l) {
				switch {
				case !l.phases:
					left = left || g.Level*laneHeight >= visible && g.x1-g.x0 >= visible
				case g.Open > 0:
					open = append(open, l.name)
					some = some || g.Open < 1
				}
				halfOpen = halfOpen || l.phases && g.HalfOpen > 0
			}
		}
	}
	var ks []key
	if len(open) > 0 {
		word := common(open, "guard") + " open"
		if some {
			word += " (fainter: not all)"
		}
		ks = append(ks, key{word, square, func(p *palette) color.RGBA { return p.open }})
	}
	if halfOpen {
		ks = append(ks, key{"half-open", square, func(p *palette) color.RGBA { return p.band }})
	}
	switch {
	case len(level) > 0 && left:
		ks = append(ks, key{common(level, "guard") + ": what is left", square, func(p *palette) color.RGBA { return p.faint }})
	case len(level) > 0:
		ks = append(ks, key{common(level, "guard") + ": empty", square, (*palette).bed})
	}
	return ks
}

// bed is the colour of a lane.
func (p *palette) bed() color.RGBA { return mix(p.background, p.faint, 0.2) }

// common returns the name that all have; else what they have before their presets, as in breaker(hystrix); else other.
func common(names []string, other string) string {
	stem := func(name string) string {
		before, _, _ := strings.Cut(name, "(")
		return before
	}
	name := names[0]
	for _, n := range names[1:] {
		switch {
		case n == name:
		case stem(n) == stem(name):
			name = stem(name)
		default:
			return other
		}
	}
	return name
}

// laneEnd returns where the lanes of a row end: its run does.
func (s *strip) laneEnd(r row) float64 { return s.x(s.v.end(r)) }

// laneSpans returns the parts of a lane of r.
func (s *strip) laneSpans(r row, l lane) []laneSpan {
	return laneSpans(l.track, func(index int64) float64 { return s.x(duration(float64(index) * float64(s.v.window))) }, s.laneEnd(r))
}

// drawLanes draws the lanes of a row below its baseline, for as long as its run took.
func (s *strip) drawLanes(p *page, r row, base float64) {
	top := base + laneGap
	for _, l := range r.lanes() {
		bed := p.path()
		bed.rect(plotLeft, top, s.laneEnd(r), top+laneHeight)
		p.fill(bed, p.pal.bed())
		draw := s.drawLevel
		if l.phases {
			draw = s.drawPhases
		}
		draw(p, s.laneSpans(r, l), top)
		top += laneHeight + laneGap
	}
}

// A laneSpan is a part of a lane in which the guard has one state.
type laneSpan struct {
	x0, x1 float64
	sim.GuardPoint
}

// laneSpans returns the parts of a track up to end that have a width.
func laneSpans(track []sim.GuardPoint, x func(window int64) float64, end float64) []laneSpan {
	var ss []laneSpan
	for i, g := range track {
		to := end
		if i+1 < len(track) {
			to = min(to, x(track[i+1].Window))
		}
		if from := x(g.Window); from < to {
			ss = append(ss, laneSpan{from, to, g})
		}
	}
	return ss
}

func (s *strip) drawPhases(p *page, ss []laneSpan, top float64) {
	for _, phase := range []struct {
		colour color.RGBA
		share  func(sim.GuardPoint) float64
	}{
		{p.pal.band, func(g sim.GuardPoint) float64 { return g.HalfOpen }},
		{p.pal.open, func(g sim.GuardPoint) float64 { return g.Open }},
	} {
		var paths [shades + 1]*path
		for i := range paths {
			paths[i] = p.path()
		}
		for _, g := range ss {
			if n := int(math.Ceil(phase.share(g.GuardPoint) * shades)); n > 0 {
				x1 := min(max(g.x1, g.x0+thinnest), plotRight)
				paths[n].rect(min(g.x0, x1-thinnest), top, x1, top+laneHeight)
			}
		}
		for n := 1; n <= shades; n++ {
			p.fill(paths[n], mix(p.pal.background, phase.colour, float64(n)/shades))
		}
	}
}

func (s *strip) drawLevel(p *page, ss []laneSpan, top float64) {
	q := p.path()
	for _, g := range ss {
		q.rect(g.x0, top+laneHeight*(1-g.Level), g.x1, top+laneHeight)
	}
	p.fill(q, p.pal.faint)
}

// mix returns the colour that lies share of the way from a to b.
func mix(a, b color.RGBA, share float64) color.RGBA {
	part := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + share*(float64(y)-float64(x)))) }
	return color.RGBA{part(a.R, b.R), part(a.G, b.G), part(a.B, b.B), 0xFF}
}
