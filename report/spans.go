package report

import (
	"math"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// Span prints a measured duration for people: three significant digits below a second ("12.3 ms"), tenths of seconds
// below a minute ("5.6 s", "32.0 s"), and beyond two units that follow each other: "9 min 24 s", "1 h 14 min", "4 d 5 h".
func Span(d time.Duration) string {
	switch {
	case d == math.MinInt64: // has no opposite
		return "-" + Span(math.MaxInt64)
	case d < 0:
		return "-" + Span(-d)
	case d == 0:
		return "0 s"
	case d < time.Microsecond:
		return strconv.FormatInt(int64(d), 10) + " ns"
	case d < 999_500*time.Nanosecond:
		return inUnit(d, time.Microsecond, "µs")
	case d < 999_500*time.Microsecond:
		return inUnit(d, time.Millisecond, "ms")
	case d < 59_950*time.Millisecond:
		return tenths(d, time.Second) + " s"
	case d < time.Hour-500*time.Millisecond:
		whole := d.Round(time.Second)
		return joinUnits(whole/time.Minute, " min", whole%time.Minute/time.Second, " s")
	case d < 4*day-30*time.Second:
		whole := d.Round(time.Minute)
		return joinUnits(whole/time.Hour, " h", whole%time.Hour/time.Minute, " min")
	}
	whole := d.Round(time.Hour)
	return joinUnits(whole/day, " d", whole%day/time.Hour, " h")
}

// nearly is Setting for what is nobody's setting: with more than four digits it is rounded.
func nearly(d time.Duration) string {
	if digits := strings.TrimRight(strconv.FormatInt(int64(d), 10), "0"); len(digits) > 4 {
		return Span(d)
	}
	return Setting(d)
}

func inUnit(d, unit time.Duration, name string) string {
	return Three(float64(d)/float64(unit)) + " " + name
}

func tenths(d, unit time.Duration) string { return Fixed(float64(d)/float64(unit), 1) }

// joinUnits prints a and b with their units and leaves b out when it is 0.
func joinUnits(a time.Duration, unitA string, b time.Duration, unitB string) string {
	s := Count(int64(a)) + unitA
	if b > 0 {
		s += " " + strconv.FormatInt(int64(b), 10) + unitB
	}
	return s
}

// Setting prints a duration that somebody chose, exactly: "100 ms", "1.5 s", "10 min", "1 h 30 min". Units that are 0
// are left out.
func Setting(d time.Duration) string {
	if d < 0 {
		return "-" + Setting(-max(d, -math.MaxInt64))
	}
	small := []struct {
		unit time.Duration
		name string
	}{{time.Second, " s"}, {time.Millisecond, " ms"}, {time.Microsecond, " µs"}, {time.Nanosecond, " ns"}}
	if d == 0 {
		return "0 s"
	}
	var parts []string
	for _, large := range []struct {
		unit time.Duration
		name string
	}{{day, " d"}, {time.Hour, " h"}, {time.Minute, " min"}} {
		if n := d / large.unit; n > 0 {
			parts = append(parts, separate(strconv.FormatInt(int64(n), 10))+large.name)
			d %= large.unit
		}
	}
	for _, s := range small {
		if d >= s.unit {
			parts = append(parts, inExactly(d, s.unit)+s.name)
			break
		}
	}
	return strings.Join(parts, " ")
}

// inExactly prints d in a unit that is a power of ten of nanoseconds, every digit of it.
func inExactly(d, unit time.Duration) string {
	s := strconv.FormatInt(int64(d/unit), 10)
	rest := d % unit
	if rest == 0 {
		return s
	}
	digits := strconv.FormatInt(int64(unit+rest), 10)[1:] // with leading zeros
	return s + "." + strings.TrimRight(digits, "0")
}
