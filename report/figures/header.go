package figures

import (
	"image/color"

	"gonum.org/v1/plot/vg"

	"herdsim/sim"
	"herdsim/strategies"
)

const (
	titleSize = 19.0
	titleBase = 41.5 // baseline of the title
	subSize   = 10.5
	subBase   = 61.0
	subLine   = 13.0 // from one line of the subtitle to the next
	keySize   = 9.5
	keyLine   = 15.0
)

// A header is what stands above the data: the finding, the set-up, the key of colours.
type header struct {
	titles   []string // candidates; see titles.go
	subtitle string
	keys     []key
	keyWidth float64 // how far the keys may go to the right; 0 for the whole width
}

// A key explains a colour.
type key struct {
	word  string
	shape keyShape
	color func(*palette) color.RGBA
}

type keyShape int

const (
	square keyShape = iota
	dash
	dot
	line
)

// keysOf returns the keys of the outcomes that were seen.
func keysOf(seen [strategies.Outcomes]bool, failure bool) []key {
	var ks []key
	for _, o := range stackOrder {
		if seen[o] {
			ks = append(ks, outcomeKey(o))
		}
	}
	if failure {
		ks = append(ks, key{"the failure itself", square, func(p *palette) color.RGBA { return p.failure }})
	}
	return ks
}

func outcomeKey(o sim.Outcome) key {
	return key{outcomeWords[o], square, func(p *palette) color.RGBA { return p.outcomes[o] }}
}

// title returns the first candidate that fits, and its size. The last is made smaller, and shortened, until it fits.
func (h header) title() (string, float64) {
	room := pageWidth - 2*margin
	for _, t := range h.titles {
		if bold.width(t, titleSize) <= room {
			return t, titleSize
		}
	}
	last := h.titles[len(h.titles)-1]
	size := titleSize
	for size > 13 && bold.width(last, size) > room {
		size -= 0.5
	}
	return bold.fit(last, size, room), size
}

func (h header) sub() block {
	return regular.set(h.subtitle, pageWidth-2*margin, setting{1, subSize}, setting{1, subSize - 0.5}, setting{2, subSize})
}

// rows distributes the keys over lines: the index of the first key of each.
func (h header) keyLines() [][]key {
	room := h.keyWidth
	if room == 0 {
		room = pageWidth - 2*margin
	}
	var lines [][]key
	x := 0.0
	for _, k := range h.keys {
		w := k.width()
		if len(lines) == 0 || x+w > room {
			lines = append(lines, nil)
			x = 0
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], k)
		x += w + keyGap
	}
	return lines
}

const keyGap = 18.0

// width is that of the mark and the word.
func (k key) width() float64 { return k.indent() + regular.width(k.word, keySize) }

func (k key) indent() float64 {
	if k.shape == dash || k.shape == line {
		return 18
	}
	return 14
}

// height returns the y below which there is room.
func (h header) height() float64 {
	y := subBase + subLine*float64(len(h.sub().lines)-1)
	if n := len(h.keyLines()); n > 0 {
		return y + 21 + keyLine*float64(n-1) + 22
	}
	return y + 18
}

func (h header) draw(p *page) {
	title, size := h.title()
	p.write(title, margin, titleBase, left, pen{bold, size, p.pal.ink})
	sub := h.sub()
	y := subBase
	for i, l := range sub.lines {
		y = subBase + subLine*float64(i)
		p.write(l, margin, y, left, pen{regular, sub.size, p.pal.soft})
	}
	y += 21
	for _, line := range h.keyLines() {
		x := margin
		for _, k := range line {
			k.draw(p, x, y)
			x += k.width() + keyGap
		}
		y += keyLine
	}
}

func (k key) draw(p *page, x, y float64) {
	c := k.color(p.pal)
	q := p.path()
	switch k.shape {
	case dash:
		q.move(x, y-3.25)
		q.line(x+14, y-3.25)
		p.stroke(q, 1, c, vg.Length(3.6), vg.Length(1.6))
	case line:
		q.move(x, y-3.25)
		q.line(x+14, y-3.25)
		p.stroke(q, 1.2, c)
	case dot:
		q.circle(x+4.25, y-3.25, 2.4)
		p.fill(q, c)
	default:
		q.rect(x, y-7.5, x+8.5, y+1)
		p.fill(q, c)
	}
	p.write(k.word, x+k.indent(), y, left, pen{regular, keySize, p.pal.ink})
}

// footer writes remarks in small letters, at most to x.
func (p *page) footer(notes []string, y, x float64) {
	s := ""
	for i, n := range notes {
		if i > 0 {
			s += " · "
		}
		s += n
	}
	p.write(regular.fit(s, 8, x-margin), margin, y, left, pen{regular, 8, p.pal.faint})
}
