package figures

import (
	"math"
	"time"
)

// A scale maps [0, max] to [0, 1].
type scale struct {
	max  float64
	root bool // by the square root, so that 20 and 1,000 can both be seen
	log  bool // by the logarithm of 1 + x, so that 1 and 100,000 can
}

func (s scale) at(x float64) float64 {
	if x <= 0 {
		return 0
	}
	switch {
	case s.root:
		return math.Sqrt(x / s.max)
	case s.log:
		return math.Log1p(x) / math.Log1p(s.max)
	}
	return x / s.max
}

// ticks returns round whole numbers from 0 to at most max, about equally far apart on the scale.
func (s scale) ticks() []float64 {
	switch {
	case s.root:
		return rootTicks(s.max)
	case s.log:
		return decades(s.max)
	}
	step := math.Max(1, niceStep(s.max/4.4, []float64{1, 2, 2.5, 5, 10}))
	if step < 5 { // 2.5 is no whole number
		step = math.Ceil(step)
	}
	var ts []float64
	for t := 0.0; t <= s.max*1.0001; t += step {
		ts = append(ts, t)
	}
	return ts
}

// rootTicks returns 0 and about a tenth, four tenths and all of the largest round number up to max: at a third, two
// thirds and all of its height.
func rootTicks(max float64) []float64 {
	ts := []float64{0}
	if max < 1 {
		return ts
	}
	decade := math.Pow(10, math.Floor(math.Log10(max)*(1+1e-12)))
	parts := []float64{0.1, 0.4, 1}
	switch m := max / decade; {
	case m >= 5:
		parts = []float64{0.5, 2, 5}
	case m >= 2:
		parts = []float64{0.2, 1, 2}
	}
	for _, p := range parts {
		if t := math.Round(p*decade*1e6) / 1e6; t >= 1 && t == math.Trunc(t) {
			ts = append(ts, t)
		}
	}
	return ts
}

// decades returns 0 and at most four powers of ten up to max, the highest among them.
func decades(max float64) []float64 {
	ts := []float64{0}
	highest := int(math.Floor(math.Log10(max) * (1 + 1e-12)))
	step := highest/4 + 1
	for k := highest % step; k <= highest; k += step {
		ts = append(ts, math.Pow10(k))
	}
	return ts
}

// niceStep returns the smallest of steps x 10^k that is at least x.
func niceStep(x float64, steps []float64) float64 {
	decade := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range steps {
		if m*decade >= x*(1-1e-9) {
			return m * decade
		}
	}
	return steps[len(steps)-1] * decade
}

// A unit of time for an axis.
type unit struct {
	name  string
	short string
	d     time.Duration
	steps []float64 // whole or round numbers of it; nil for 1, 2, 5 x 10^k
}

var units = []unit{
	{"microseconds", "µs", time.Microsecond, nil},
	{"milliseconds", "ms", time.Millisecond, nil},
	{"seconds", "s", time.Second, nil},
	{"minutes", "min", time.Minute, []float64{1, 2, 5, 10, 15, 20, 30, 60}},
	{"hours", "h", time.Hour, []float64{1, 2, 3, 4, 6, 8, 12, 24}},
	{"days", "days", 24 * time.Hour, nil},
}

// count writes d in the unit, which stands elsewhere.
func (u unit) count(d time.Duration) string { return plain(float64(d) / float64(u.d)) }

// unitFor returns the unit in which an axis up to d is read best: seconds up to 999, as they are compared most.
func unitFor(d time.Duration) unit {
	switch {
	case d < time.Millisecond:
		return units[0]
	case d < time.Second:
		return units[1]
	case d < 1000*time.Second:
		return units[2]
	case d <= 3*time.Hour:
		return units[3]
	case d < 80*time.Hour: // three days, and what comes after an outage of three days
		return units[4]
	}
	return units[5]
}

// A timeAxis is linear from 0, or logarithmic from min.
type timeAxis struct {
	min, max time.Duration
	log      bool
	unit     unit // of a linear one
	ticks    []time.Duration
}

// newTimeAxis returns an axis from 0 to a little beyond need, with about n ticks.
func newTimeAxis(need time.Duration, n int) timeAxis {
	need = max(need, time.Microsecond)
	u := unitFor(need)
	x := float64(need) / float64(u.d)
	step := axisStep(x/float64(n), u.steps)
	end := math.Ceil(x/(step/2)-1e-9) * step / 2
	a := timeAxis{max: duration(end * float64(u.d)), unit: u}
	for t := 0.0; t <= end*(1+1e-9); t += step {
		a.ticks = append(a.ticks, duration(t*float64(u.d)))
	}
	return a
}

// axisStep returns the smallest step of the unit that is at least x.
func axisStep(x float64, steps []float64) float64 {
	for _, s := range steps {
		if s >= x {
			return s
		}
	}
	return niceStep(x, []float64{1, 2, 4, 5, 10})
}

// duration rounds ns to a Duration, up to the longest.
func duration(ns float64) time.Duration {
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(math.Round(ns))
}

// newLogAxis returns a logarithmic axis over [from, to], for what differs by orders of magnitude.
func newLogAxis(from, to time.Duration) timeAxis {
	from = max(from, time.Microsecond)
	a := timeAxis{max: max(to, 2*from), log: true}
	for density := 3; density > 0; density-- {
		a.ticks = logTicks(a.max, density)
		i := 0
		for i+1 < len(a.ticks) && a.ticks[i+1] <= from {
			i++
		}
		a.ticks = a.ticks[i:]
		if len(a.ticks) <= 9 {
			break
		}
	}
	a.min = min(a.ticks[0], from)
	return a
}

// logTicks returns round durations up to end: 1, 2, 5, 10 of each unit, or 1, 3, 10, or 1 and 10.
func logTicks(end time.Duration, density int) []time.Duration {
	leads := [][]int64{{1}, {1, 3}, {1, 2, 5}}[density-1]
	var ts []time.Duration
	for _, u := range []struct {
		d    time.Duration
		most int64
	}{
		{time.Microsecond, 999}, {time.Millisecond, 999}, {time.Second, 59}, {time.Minute, 59}, {time.Hour, 23}, {24 * time.Hour, 99_999},
	} {
		for decade := int64(1); decade <= u.most; decade *= 10 {
			for _, lead := range leads {
				if n := lead * decade; n <= u.most && !crowds(n, u.most) && time.Duration(n)*u.d <= end {
					ts = append(ts, time.Duration(n)*u.d)
				}
			}
		}
	}
	return ts
}

// crowds reports whether n of a unit, of which the next unit has most and one more, is too near to that: 50 s to 1 min, 20 h
// to 1 d. Powers of ten of nanoseconds never are.
func crowds(n, most int64) bool { return most < 100 && 19*n > 10*(most+1) }

// at maps t to [0, 1], and beyond it what lies beyond.
func (a timeAxis) at(t time.Duration) float64 {
	if a.log {
		return math.Log(float64(max(t, a.min))/float64(a.min)) / math.Log(float64(a.max)/float64(a.min))
	}
	return float64(t) / float64(a.max)
}

// from returns the t that is at x.
func (a timeAxis) from(x float64) time.Duration {
	if a.log {
		return duration(float64(a.min) * math.Exp(x*math.Log(float64(a.max)/float64(a.min))))
	}
	return duration(x * float64(a.max))
}

// label writes a tick.
func (a timeAxis) label(t time.Duration) string {
	if a.log {
		return roundInstant(t)
	}
	return digits(float64(t) / float64(a.unit.d))
}

// roundInstant writes a tick of a logarithmic axis: "1 min" rather than "60 s".
func roundInstant(t time.Duration) string {
	switch {
	case t >= 24*time.Hour:
		return comma(int64(t/(24*time.Hour))) + " d"
	case t >= time.Hour:
		return comma(int64(t/time.Hour)) + " h"
	case t >= time.Minute:
		return comma(int64(t/time.Minute)) + " min"
	case t >= time.Second:
		return comma(int64(t/time.Second)) + " s"
	}
	return small(t)
}

// instant writes a time beside the axis: in its unit, or in that of its own where each tick has its own.
func (a timeAxis) instant(t time.Duration) string {
	u := a.unit
	if a.log {
		if t < time.Minute {
			return instant(t)
		}
		u = tickUnit(t)
	}
	return digits(float64(t)/float64(u.d)) + " " + u.short
}

// name says what the axis counts.
func (a timeAxis) name(origin string) string {
	if a.log {
		return "time since " + origin + ", logarithmic"
	}
	return a.unit.name + " since " + origin
}

// writeTicks writes the labels of the axis below y, and its name below them.
func (p *page) writeTicks(a timeAxis, x0, x1, y float64, origin string) {
	size := 9.5
	if a.log {
		size = 9
	}
	for _, t := range a.ticks {
		p.write(a.label(t), x0+a.at(t)*(x1-x0), y+13, middle, pen{regular, size, p.pal.soft})
	}
	p.write(a.name(origin), (x0+x1)/2, y+27, middle, pen{regular, 9, p.pal.soft})
}
