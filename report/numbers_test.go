package report

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestExactSeconds(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want string
	}{
		{0, "0"},
		{1, "0.000000001"},
		{100 * time.Millisecond, "0.1"},
		{300 * time.Millisecond, "0.3"},
		{32 * time.Second, "32"},
		{time.Second + 1, "1.000000001"},
		{time.Second + 50*time.Nanosecond, "1.00000005"},
		{-1500 * time.Millisecond, "-1.5"},
		{math.MaxInt64, "9223372036.854775807"},
		{math.MinInt64, "-9223372036.854775808"},
	} {
		if got := ExactSeconds(c.d); got != c.want {
			t.Errorf("ExactSeconds(%d ns) = %s, want %s", int64(c.d), got, c.want)
		}
	}
}

func TestExactFloat(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want string
	}{
		{0, "0"},
		{math.Copysign(0, -1), "0"},
		{0.1, "0.1"},
		{1e-7, "0.0000001"},
		{1e21, "1000000000000000000000"},
		{8.2, "8.2"},
		{1.0 / 3, "0.3333333333333333"},
		{math.NaN(), ""},
		{math.Inf(1), ""},
	} {
		if got := ExactFloat(c.x); got != c.want {
			t.Errorf("ExactFloat(%g) = %q, want %q", c.x, got, c.want)
		}
	}
}

func TestExactNumbersReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64().Draw(t, "x")
		s := ExactFloat(x)
		if y, err := strconv.ParseFloat(s, 64); err != nil || y != x || strings.ContainsAny(s, "eE") {
			t.Fatalf("%g is printed as %q", x, s)
		}
		d := time.Duration(rapid.Int64Range(0, 9_223_372_035_999_999_999).Draw(t, "ns"))
		if back, ok := parseSeconds(ExactSeconds(d)); !ok || back != d {
			t.Fatalf("%d ns is printed as %q and read as %d", d, ExactSeconds(d), back)
		}
	})
}

func TestNumbersForPeople(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"count", Count(3990), "3,990"},
		{"count below a thousand", Count(999), "999"},
		{"count of millions", Count(12345678), "12,345,678"},
		{"negative count", Count(-1000), "-1,000"},
		{"least count", Count(math.MinInt64), "-9,223,372,036,854,775,808"},
		{"three, small", Three(0.012345), "0.0123"},
		{"three, unit", Three(8.2), "8.20"},
		{"three, rounds up a power of ten", Three(999.6), "1,000"},
		{"three, large", Three(1234567), "1,230,000"},
		{"three, zero", Three(0), "0"},
		{"three, infinite", Three(math.Inf(1)), "∞"},
		{"three, none", Three(math.NaN()), "-"},
		{"short", Short(0.5), "0.5"},
		{"short keeps zeros of a whole number", Short(200), "200"},
		{"times, one", Times(1), "1.0×"},
		{"times, small", Times(0.05), "0.05×"},
		{"times, below one", Times(0.457), "0.46×"},
		{"times, nearly one", Times(0.996), "1.0×"},
		{"times, tiny", Times(0.0012), "0.0012×"},
		{"times, zero", Times(0), "0×"},
		{"times, one decimal", Times(8.16), "8.2×"},
		{"times, just below ten", Times(9.96), "10×"},
		{"times, whole", Times(49.6), "50×"},
		{"times, large", Times(1234), "1,230×"},
		{"times, enormous", Times(1.23e16), "1.2e16×"},
		{"times, infinite", Times(math.Inf(1)), "∞×"},
		{"times, none", Times(math.NaN()), "-×"},
		{"percent", Percent(0.9834), "98.3%"},
		{"percent, all", Percent(1), "100%"},
		{"percent, not all", Percent(0.99999), "over 99.9%"},
		{"percent, none", Percent(0), "0%"},
		{"percent, not none", Percent(0.0001), "under 0.1%"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestSpan(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want string
	}{
		{0, "0 s"},
		{7, "7 ns"},
		{12_340, "12.3 µs"},
		{999_600, "1.00 ms"},
		{123_400 * time.Microsecond, "123 ms"},
		{999_600 * time.Microsecond, "1.0 s"},
		{5600 * time.Millisecond, "5.6 s"},
		{32 * time.Second, "32.0 s"},
		{59_940 * time.Millisecond, "59.9 s"},
		{59_950 * time.Millisecond, "1 min"},
		{9*time.Minute + 24*time.Second, "9 min 24 s"},
		{10 * time.Minute, "10 min"},
		{time.Hour - 400*time.Millisecond, "1 h"},
		{96 * time.Minute, "1 h 36 min"},
		{100 * time.Hour, "4 d 4 h"},
		{math.MaxInt64, "106,751 d 23 h"},
		{-32 * time.Second, "-32.0 s"},
		{math.MinInt64, "-106,751 d 23 h"},
	} {
		if got := Span(c.d); got != c.want {
			t.Errorf("Span(%d ns) = %q, want %q", int64(c.d), got, c.want)
		}
	}
}

func TestSetting(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want string
	}{
		{0, "0 s"},
		{100 * time.Millisecond, "100 ms"},
		{1500 * time.Millisecond, "1.5 s"},
		{1005 * time.Millisecond, "1.005 s"},
		{time.Second + 1, "1.000000001 s"},
		{2500, "2.5 µs"},
		{10 * time.Minute, "10 min"},
		{90 * time.Second, "1 min 30 s"},
		{time.Hour, "1 h"},
		{25*time.Hour + 30*time.Minute, "1 d 1 h 30 min"},
		{time.Minute + time.Millisecond, "1 min 1 ms"},
		{-time.Second, "-1 s"},
		{math.MinInt64, "-106,751 d 23 h 47 min 16.854775807 s"},
	} {
		if got := Setting(c.d); got != c.want {
			t.Errorf("Setting(%d ns) = %q, want %q", int64(c.d), got, c.want)
		}
	}
}

// Halves go up, as they do by hand: the floats nearest to 7.35, 20.85 % and 5.05 s lie on either side of them.
func TestHalvesGoUp(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Times(147.0 / 20), "7.4×"},
		{Times(2.25), "2.3×"},
		{Times(49.5), "50×"},
		{Times(7.3499), "7.3×"},
		{Percent(0.2085), "20.9%"},
		{Percent(0.9886), "98.9%"},
		{Percent(0.9994), "99.9%"},
		{Percent(0.9995), "over 99.9%"},
		{Percent(0.0005), "0.1%"},
		{Percent(0.0004), "under 0.1%"},
		{Span(5050 * time.Millisecond), "5.1 s"},
		{Span(73*time.Minute + 42*time.Second), "1 h 14 min"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

func TestPerTime(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0/s", 200: "200/s", 0.5: "0.5/s", 0.01: "0.01/s", 0.005: "0.3/min", 1.0 / 36000: "0.1/h",
		1.0 / 86400: "0.0417/h", 4.15e-8: "0.00359/day", // x 86,400
	} {
		if got := PerTime(x); got != want {
			t.Errorf("PerTime(%v) = %q, want %q", x, got, want)
		}
	}
}

func TestNearly(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1800 * time.Millisecond: "1.8 s", 66_666_584 * time.Microsecond: "1 min 7 s", 90 * time.Minute: "1 h 30 min", 33_333 * time.Microsecond: "33.3 ms",
	} {
		if got := nearly(d); got != want {
			t.Errorf("nearly(%v) = %q, want %q", d, got, want)
		}
	}
}
