package report

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// ExactFloat prints x for machines: the shortest decimal that reads back as the same float64, without an exponent.
// NaN and infinities have no decimal and give "".
func ExactFloat(x float64) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return ""
	case x == 0: // also the negative zero
		return "0"
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// ExactSeconds prints d in seconds for machines, exact to the nanosecond: "0.1", "32", "1.000000001".
func ExactSeconds(d time.Duration) string { return string(appendSeconds(nil, d)) }

// appendSeconds appends ExactSeconds(d) to b.
func appendSeconds(b []byte, d time.Duration) []byte {
	u := uint64(d)
	if d < 0 {
		b, u = append(b, '-'), -u
	}
	b = strconv.AppendUint(b, u/1e9, 10)
	frac := u % 1e9
	if frac == 0 {
		return b
	}
	b = append(b, '.')
	for unit := uint64(1e8); frac > 0; unit /= 10 {
		b = append(b, byte('0'+frac/unit))
		frac %= unit
	}
	return b
}

// Count prints n for people, whole, with thousands separators: "3,990".
func Count(n int64) string { return separate(strconv.FormatInt(n, 10)) }

// separate puts a comma before every third digit of the whole part of a decimal.
func separate(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, frac, hasFrac := strings.Cut(s, ".")
	var b strings.Builder
	b.WriteString(sign)
	for i, c := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	if hasFrac {
		b.WriteByte('.')
		b.WriteString(frac)
	}
	return b.String()
}

// Three prints x for people with three significant digits and thousands separators: "0.0123", "8.20", "164",
// "1,230,000". NaN gives "-" and infinities "∞".
func Three(x float64) string {
	switch {
	case math.IsNaN(x):
		return "-"
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "-∞"
	case x == 0:
		return "0"
	}
	// Rounding to three digits first settles which power of ten 999.6 belongs to.
	s := strconv.FormatFloat(x, 'e', 2, 64)
	rounded, _ := strconv.ParseFloat(s, 64)
	exponent, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:])
	return separate(strconv.FormatFloat(rounded, 'f', max(0, 2-exponent), 64))
}

// Short is Three without zeros at the end of a fraction: for settings, which are round numbers: "0.5", "200".
func Short(x float64) string {
	s := Three(x)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// PerTime prints a rate per second for people, by the second, or where that would be less than a hundredth by the first
// of minute, hour and day by which it is not: "200/s", "0.5/s", "6/h", "0.00359/day".
func PerTime(perSecond float64) string {
	const least = 0.01
	unit, seconds := "/s", 1.0
	for _, longer := range []struct {
		name    string
		seconds float64
	}{{"/min", 60}, {"/h", 3600}, {"/day", 86400}} {
		if perSecond <= 0 || perSecond*seconds >= least {
			break
		}
		unit, seconds = longer.name, longer.seconds
	}
	return Short(perSecond*seconds) + unit
}

// Times prints a ratio for people: "0.05×", "0.46×", "1.0×", "8.2×", "50×", "1,230×", "1.2e16×".
func Times(x float64) string { return ratio(x) + "×" }

// ratio is Times without its sign.
func ratio(x float64) string {
	switch {
	case x >= 1e7 && !math.IsInf(x, 1):
		return strings.Replace(strconv.FormatFloat(x, 'e', 1, 64), "e+", "e", 1)
	case !(x > 0) || x >= 99.5: // also NaN
		return Three(x)
	case x >= 9.95:
		return Fixed(x, 0)
	case x >= 0.995:
		return Fixed(x, 1)
	case x >= 0.01:
		return Fixed(x, 2)
	}
	return Short(x)
}

// Fixed prints x >= 0 with so many decimals, rounded half up as one does by hand: 147 / 20 = 7.35 is 7.4, although the
// float64 nearest to it lies a little below.
func Fixed(x float64, places int) string {
	scale := math.Pow10(places)
	if y := x * scale; y < 1e15 {
		x = math.Floor(y+0.5+1e-9) / scale
	}
	return strconv.FormatFloat(x, 'f', places, 64)
}

// Percent prints a share for people with one decimal, "98.3%", rounded half up. Only a share of exactly 1 is "100%", and
// only one of exactly 0 is "0%".
func Percent(share float64) string {
	switch {
	case math.IsNaN(share):
		return "-"
	case share == 0 || share == 1:
		return strconv.FormatFloat(100*share, 'f', 0, 64) + "%"
	case share >= 0.9995 && share < 1:
		return "over 99.9%"
	case share > 0 && share < 0.0005:
		return "under 0.1%"
	}
	return Fixed(100*share, 1) + "%"
}
