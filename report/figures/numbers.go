package figures

import (
	"math"
	"strconv"
	"strings"
	"time"

	"herdsim/report"
)

// Numbers for people: three digits, thousands separators, a unit that fits.

// comma writes n exactly, with thousands separators.
func comma(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// short writes n exactly below limit, else with three digits.
func short(n, limit int64) string {
	if n < limit {
		return comma(n)
	}
	x := float64(n)
	unit := ""
	for _, u := range []string{" k", " M", " bn", " tn"} {
		if x < 999.5 {
			break
		}
		x, unit = x/1e3, u
	}
	return digits(x) + unit
}

// digits writes x >= 0 with three significant digits, without trailing zeros, and never with an exponent.
func digits(x float64) string {
	if x >= 99.95 || x == 0 {
		return comma(int64(math.Round(x)))
	}
	places := 2 - int(math.Floor(math.Log10(x)))
	s := strconv.FormatFloat(x, 'f', places, 64)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// plain writes x >= 0 with one decimal below 100, for columns.
func plain(x float64) string {
	switch {
	case x >= 99.95:
		return comma(int64(math.Round(x)))
	case x == 0:
		return "0"
	case x < 0.05:
		return "<0.1"
	}
	return report.Fixed(x, 1)
}

// times writes a multiple: "50×", "8.2×", "0.35×".
func times(x float64) string {
	switch {
	case x >= 9.95:
		return short(int64(math.Floor(x+0.5+1e-9)), 100_000) + "×"
	case x >= 0.995 || x == 0:
		return report.Fixed(x, 1) + "×"
	case x < 0.01:
		return "<0.01×"
	}
	return report.Fixed(x, 2) + "×"
}

// percent writes a share of a whole as the text report does: only all is "100%", and only nothing is "0%".
func percent(part, whole int64) string {
	if whole <= 0 || part <= 0 {
		return "0%"
	}
	return percentOf(float64(min(part, whole)) / float64(whole))
}

// percentOf writes x in [0, 1] as percent does.
func percentOf(x float64) string {
	s := strings.TrimSuffix(report.Percent(x), "%")
	s = strings.TrimSuffix(s, ".0")
	return strings.NewReplacer("over ", ">", "under ", "<").Replace(s) + "%"
}

// span writes the width of a window: "100 ms".
func span(d time.Duration) string {
	if d >= time.Second || d == 0 {
		return instant(d)
	}
	return small(d)
}

// instant writes a point in time, or a duration, in the unit that an axis up to there would have: "0.5 s", "31 s",
// "12.5 min".
func instant(d time.Duration) string {
	switch {
	case d == 0:
		return "0 s"
	case d < 100*time.Millisecond:
		return small(d)
	case d >= time.Hour && d%time.Hour == 0 && d <= 72*time.Hour:
		return digits(d.Hours()) + " h"
	case d >= 10*time.Minute && d%time.Minute == 0 && d < 1000*time.Second: // a setting
		return digits(d.Minutes()) + " min"
	}
	u := unitFor(max(d, time.Second))
	return digits(float64(d)/float64(u.d)) + " " + u.short
}

func small(d time.Duration) string {
	switch {
	case d >= time.Millisecond:
		return digits(float64(d)/float64(time.Millisecond)) + " ms"
	case d >= time.Microsecond:
		return digits(float64(d)/float64(time.Microsecond)) + " µs"
	}
	return strconv.FormatInt(int64(d), 10) + " ns"
}

// counted writes a number with its noun: "1 worker", "1,000 workers".
func counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return comma(n) + " " + noun + "s"
}

// perSecond writes a rate of things: "200 requests/s", "6 requests/min".
func perSecond(x float64, noun string) string {
	switch {
	case x >= 1 || x == 0:
		return digits(x) + " " + noun + "/s"
	case x*60 >= 1:
		return digits(x*60) + " " + noun + "/min"
	}
	return digits(x*3600) + " " + noun + "/h"
}
