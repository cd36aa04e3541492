package report

import (
	"math"
	"strings"
	"time"
)

// A timeUnit is what the labels of an axis count.
type timeUnit struct {
	size  time.Duration
	name  string
	from  time.Duration // the least time shown for which it is taken
	steps []int64       // round numbers of it between two ticks
}

// timeUnits from the longest to the shortest. Each reaches in its steps as far as the next longer one needs.
var timeUnits = []timeUnit{
	{day, "d", 2 * day, []int64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000}},
	{time.Hour, "h", 2 * time.Hour, []int64{1, 2, 3, 6, 12, 24}},
	{time.Minute, "min", 2 * time.Minute, []int64{1, 2, 5, 10, 20, 30, 60}},
	{time.Second, "s", 2 * time.Second, []int64{1, 2, 5, 10, 20, 30, 60, 120}},
	{time.Millisecond, "ms", 2 * time.Millisecond, []int64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000}},
	{time.Microsecond, "µs", 2 * time.Microsecond, []int64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000}},
	{time.Nanosecond, "ns", 0, []int64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000}},
}

// tickGap is the least number of columns between two ticks.
const tickGap = 10

// axis returns the labels of round times below the columns of t, the last with its unit, in at most width cells.
func axis(t timeScale, width int) string {
	shown := time.Duration(math.MaxInt64)
	if t.width() < shown/time.Duration(t.columns) {
		shown = time.Duration(t.columns) * t.width()
	}
	u := timeUnits[len(timeUnits)-1]
	for _, unit := range timeUnits {
		if shown >= unit.from {
			u = unit
			break
		}
	}
	step := u.steps[len(u.steps)-1]
	for _, s := range u.steps {
		if time.Duration(s)*u.size >= tickGap*t.width() {
			step = s
			break
		}
	}
	var line strings.Builder
	last := int64(shown / (time.Duration(step) * u.size))
	for used, k := 0, int64(0); k <= last; k++ {
		at := int(time.Duration(k*step) * u.size / t.width())
		label := Count(k * step)
		if k == last {
			label += " " + u.name
		}
		if at < used || at+len([]rune(label)) > width {
			break
		}
		line.WriteString(blanks(at-used) + label)
		used = at + len([]rune(label))
		if used > at && k < last {
			line.WriteByte(' ')
			used++
		}
	}
	return strings.TrimRight(line.String(), " ")
}
