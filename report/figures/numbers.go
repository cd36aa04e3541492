package figures

import (
	"math"
	"strconv"
	"strings"
	"time"
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

// plain writes x with one decimal below 100, for columns.
func plain(x float64) string {
	switch {
	case x >= 99.95:
		return comma(int64(math.Round(x)))
	case x >= 0.1 || x == 0:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return digits(x)
}

// times writes a multiple: "50×", "8.2×", "0.35×".
func times(x float64) string {
	if x >= 9.95 {
		return short(int64(math.Round(x)), 100_000) + "×"
	}
	switch {
	case x >= 0.995 || x == 0:
		return strconv.FormatFloat(x, 'f', 1, 64) + "×"
	case x < 0.01:
		return "<0.01×"
	}
	return strconv.FormatFloat(x, 'f', 2, 64) + "×"
}

// percent writes a share; only all is "100 %" and only nothing is "0 %".
func percent(part, whole int64) string {
	if whole <= 0 || part <= 0 {
		return "0 %"
	}
	if part >= whole {
		return "100 %"
	}
	x := 100 * float64(part) / float64(whole)
	switch {
	case x < 0.1:
		return "<0.1 %"
	case x < 10 || x >= 99:
		return strings.TrimSuffix(strconv.FormatFloat(math.Floor(x*10)/10, 'f', 1, 64), ".0") + " %"
	}
	return strconv.FormatFloat(math.Floor(x), 'f', 0, 64) + " %"
}

// span writes the width of a window: "100 ms".
func span(d time.Duration) string {
	if d >= time.Second {
		return instant(d)
	}
	return small(d)
}

// instant writes a point in time, or a duration, in the unit that fits: "0.5 s", "31 s", "12.5 min".
func instant(d time.Duration) string {
	switch {
	case d == 0:
		return "0 s"
	case d < 100*time.Millisecond:
		return small(d)
	case d < 2*time.Minute:
		return digits(d.Seconds()) + " s"
	case d < 2*time.Hour && d%time.Hour != 0:
		return digits(d.Minutes()) + " min"
	case d < 72*time.Hour:
		return digits(d.Hours()) + " h"
	}
	return digits(d.Hours()/24) + " days"
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
