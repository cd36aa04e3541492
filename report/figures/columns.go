package figures

import (
	"cmp"
	"math"
	"slices"
	"time"

	"herdsim/strategies"
)

const (
	thinnest    = 1.6 // width of a bar below which it fades
	columnWidth = 2.0 // of bars side by side for windows that are thinner than that
	pixel       = 0.5
)

// A column is one bar: a window, or the busiest of those that share its place.
type column struct {
	x0, x1   float64
	requests int64 // without the failure itself
	parts    [strategies.Outcomes]int64
	total    int64 // the most requests in one window of the column, the failure itself included

	first, last int64 // its windows
}

// beyond is what lies to the right of an axis.
type beyond struct {
	requests  int64
	from, end time.Duration
}

// shared returns how many windows in a row share a bar: 1 if each has its own.
func (v *view) shared(a timeAxis) int64 {
	width := a.at(v.window) * (plotRight - plotLeft)
	if width >= thinnest || width <= 0 {
		return 1
	}
	return int64(math.Ceil(columnWidth/width - 1e-9))
}

// columns turns the windows of r into bars between x0 and x1, from left to right. Where windows are too thin to be seen,
// those share a bar that lie within its width, and it begins where the first of them does: what comes at regular times
// stands at regular places.
func (v *view) columns(r row, a timeAxis, x0, x1 float64) (cs []column, rest beyond) {
	width := a.at(v.window) * (x1 - x0)
	shared := width < thinnest
	from := x0 // where the last bar begins, before it is moved to the edge of a pixel
	for _, w := range r.Windows {
		start := duration(float64(w.Index) * float64(v.window))
		if w.Requests <= 0 || w.Index < 0 {
			continue
		}
		if start >= a.max {
			if rest.requests == 0 {
				rest.from = start
			}
			rest.requests += w.Requests
			rest.end = v.endOf(w)
			continue
		}
		l := x0 + a.at(start)*(x1-x0)
		c := column{parts: apart(w), requests: w.Requests - w.Failure, total: w.Requests, first: w.Index, last: w.Index}
		if !shared {
			c.x0, c.x1 = snap(l), min(snap(l+width), x1)
			cs = append(cs, c)
			continue
		}
		c.x0, c.x1 = min(l, x1-thinnest), min(l+thinnest, x1)
		if n := len(cs); n > 0 {
			before := &cs[n-1]
			joined := float64(w.Index-before.last-1)*width < pixel // a gap that cannot be seen is none
			if l < from+thinnest-1e-9 || joined && l < from+columnWidth-1e-9 {
				before.merge(c)
				continue
			}
			if joined { // no gap between them, and no seam
				c.x0 = snap(c.x0)
				before.x1 = c.x0
			}
		}
		from = l
		cs = append(cs, c)
	}
	return cs, rest
}

// merge makes c the busier of c and o.
func (c *column) merge(o column) {
	if o.requests > c.requests {
		c.requests, c.parts = o.requests, o.parts
	}
	c.total = max(c.total, o.total)
	c.last = o.last
}

// A summit is a local peak that stands out: the load falls to half of it before it rises higher, on both sides.
func summits(cs []column) []int {
	var found []int
	for i, c := range cs {
		if c.requests > 0 && 2*valley(cs, i, -1) <= c.requests && 2*valley(cs, i, +1) <= c.requests {
			found = append(found, i)
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(cs[b].requests, cs[a].requests) })
	return found
}

// valley returns the lowest load between column i and the next higher one in the given direction, or 0 if there is
// none. Of equal columns the leftmost is the highest.
func valley(cs []column, i, step int) int64 {
	low := cs[i].requests
	for j := i + step; j >= 0 && j < len(cs); j += step {
		if gap := cs[max(j, j-step)].x0 - cs[min(j, j-step)].x1; gap > 0.01 {
			low = 0
		}
		if cs[j].requests > cs[i].requests || step < 0 && cs[j].requests == cs[i].requests {
			return low
		}
		low = min(low, cs[j].requests)
	}
	return 0
}
