// Package figures draws the results of a scenario as PNG and SVG.
//
// Each figure has one file. All of them read the first replicate of each strategy, keep the scenario's order (only
// ranking is sorted) and say their finding in a title that is computed from the data. The same report gives the same
// bytes on every run, and figures may be drawn concurrently.
package figures

import (
	"fmt"

	"herdsim/report"
)

// A Theme is a set of colours.
type Theme string

const (
	Light Theme = "light"
	Dark  Theme = "dark"
)

// A Format is a kind of picture file; its value is the file name extension.
type Format string

const (
	PNG Format = "png" // 144 dpi
	SVG Format = "svg" // text as text, in Liberation Sans or what has its metrics
)

// A Figure is one kind of picture.
type Figure struct {
	Name string // also of its file: "overview"

	empty  func(v *view) string
	layout func(v *view) layout
}

// A layout is a figure whose size is known and that is yet to be drawn.
type layout struct {
	title  string // for those who cannot see the picture
	height float64
	draw   func(p *page)
}

// All returns the figures, in the order in which they are best read.
func All() []Figure {
	return []Figure{overview, spike, completion, ranking, raster, goodput, queues, brokerQueues}
}

// Empty says why there is nothing to show of r in figure f, or "" if there is something.
func (f Figure) Empty(r *report.Report) string { return f.empty(newView(r)) }

// Draw returns the picture of r. If there is nothing to show, it is a picture that says so. It is an error if theme or
// format is none of the constants above.
func (f Figure) Draw(r *report.Report, theme Theme, format Format) ([]byte, error) {
	v := newView(r)
	return render(f.compose(v), theme, format, v.description(f.Name))
}

// render draws a layout; the description is for those who cannot see it.
func render(l layout, theme Theme, format Format, description string) ([]byte, error) {
	pal, ok := palettes[theme]
	if !ok {
		return nil, fmt.Errorf("theme %q: want %s or %s", theme, Light, Dark)
	}
	switch format {
	case PNG:
		return drawPNG(l, pal)
	case SVG:
		return drawSVG(l, pal, description)
	}
	return nil, fmt.Errorf("figure format %q: want %s or %s", format, PNG, SVG)
}

// compose lays the figure out, or the picture that says why there is none.
func (f Figure) compose(v *view) layout {
	if why := f.empty(v); why != "" {
		return nothing(why, v)
	}
	return f.layout(v)
}

// nothing is the picture of a figure that has nothing to show.
func nothing(why string, v *view) layout {
	h := header{titles: []string{why}, subtitle: v.subtitle("")}
	return layout{title: why, height: h.height() + margin, draw: h.draw}
}
