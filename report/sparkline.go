package report

import (
	"math"
	"slices"
	"time"

	"herdsim/sim"
)

// A column of a sparkline stands for a whole number of windows.
type column struct {
	load    int64 // of its busiest window, the failure itself left out
	failure int64 // the most of the failure itself in a window
}

// A timeScale lays windows out in columns.
type timeScale struct {
	columns int
	per     int64         // windows a column
	window  time.Duration // width of a window
}

// width returns the time that a column stands for.
func (t timeScale) width() time.Duration { return time.Duration(t.per) * t.window }

// chooseScale picks the least whole number of windows a column with which at most columns columns show the runs, and
// no more columns than they need, but 24 at least. Runs that go on more than two and a half times as long as the middle
// one do not count for the width of a column, so that they do not squeeze the others together; they fill the columns
// that are left, and are cut.
func chooseScale(ds []digest, window time.Duration, columns int) timeScale {
	ends := make([]int64, 0, len(ds))
	for i := range ds {
		ends = append(ends, requestWindows(ds[i].shown()))
	}
	slices.Sort(ends)
	end, last := int64(1), int64(1)
	if n := len(ends); n > 0 {
		middle := ends[n/2]
		for _, e := range ends {
			last = max(last, e)
			if float64(e) <= 2.5*float64(middle) {
				end = max(end, e)
			}
		}
	}
	perColumn := (end-1)/int64(columns) + 1
	needed := (last-1)/perColumn + 1
	return timeScale{columns: int(min(int64(columns), max(needed, minSparkline))), per: perColumn, window: window}
}

// requestWindows returns the number of windows from t0 to the last that a request reached, this one included.
func requestWindows(r *sim.Result) int64 {
	for i := len(r.Windows) - 1; i >= 0; i-- {
		if r.Windows[i].Requests > 0 {
			return r.Windows[i].Index + 1
		}
	}
	return 0
}

// fold lays a run out in the columns of the scale; more says that requests come after the last of them.
func (t timeScale) fold(r *sim.Result) (cols []column, more bool) {
	cols = make([]column, t.columns)
	for i := range r.Windows {
		w := &r.Windows[i]
		c := w.Index / t.per
		if c >= int64(len(cols)) {
			return cols, requestWindows(r) > t.per*int64(t.columns)
		}
		cols[c].load = max(cols[c].load, load(w))
		cols[c].failure = max(cols[c].failure, w.Failure)
	}
	return cols, false
}

// level returns the height of n on a square-root scale of steps steps up to top: 0 only for 0.
func level(n, top int64, steps int) int {
	if n <= 0 || top <= 0 {
		return 0
	}
	h := math.Sqrt(float64(n)/float64(top)) * float64(steps)
	return min(max(int(math.Ceil(h-1e-9)), 1), steps)
}

// A tone is what the colour of a piece of text says.
type tone uint8

const (
	plain tone = iota
	fits
	overloads
	faint
	strong
)

// A piece is text of one tone.
type piece struct {
	text string
	tone tone
}

// sparkline draws columns, one character each: the load where there is one, else a mark for the failure itself, else
// nothing.
func sparkline(cols []column, top int64, limit float64, g *glyphs) []piece {
	var line []piece
	for _, c := range cols {
		switch {
		case c.load > 0:
			line = appendPiece(line, g.ramp[level(c.load, top, 8)], loadTone(c.load, limit))
		case c.failure > 0:
			line = appendPiece(line, g.failure, faint)
		default:
			line = appendPiece(line, g.ramp[0], faint)
		}
	}
	return line
}

// appendPiece joins what has the same tone.
func appendPiece(line []piece, text string, t tone) []piece {
	if n := len(line); n > 0 && line[n-1].tone == t {
		line[n-1].text += text
		return line
	}
	return append(line, piece{text, t})
}

// loadTone says whether a window's load fits into its capacity; limit is 0 without a bound.
func loadTone(n int64, limit float64) tone {
	if limit > 0 && float64(n) > limit {
		return overloads
	}
	return fits
}
