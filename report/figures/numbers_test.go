package figures

import (
	"testing"
	"time"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ what, got, want string }{
		{"comma", comma(0), "0"},
		{"comma", comma(999), "999"},
		{"comma", comma(1000), "1,000"},
		{"comma", comma(-1234567), "-1,234,567"},
		{"short", short(99_999, 100_000), "99,999"},
		{"short", short(100_000, 100_000), "100 k"},
		{"short", short(518_240, 100_000), "518 k"},
		{"short", short(999_499, 100_000), "999 k"},
		{"short", short(999_500, 100_000), "1 M"},
		{"short", short(1_034_000, 100_000), "1.03 M"},
		{"short", short(7e12, 100_000), "7 tn"},
		{"short", short(1<<62, 100_000), "4,611,686 tn"},
		{"digits", digits(0), "0"},
		{"digits", digits(0.000123456), "0.000123"},
		{"digits", digits(0.5), "0.5"},
		{"digits", digits(9.999), "10"},
		{"digits", digits(31.64), "31.6"},
		{"digits", digits(99.96), "100"},
		{"digits", digits(1234.5), "1,235"},
		{"plain", plain(6), "6.0"},
		{"plain", plain(0.922), "0.9"},
		{"plain", plain(0.012), "0.012"},
		{"plain", plain(502.4), "502"},
		{"times", times(0), "0.0×"},
		{"times", times(0.0004), "<0.01×"},
		{"times", times(0.35), "0.35×"},
		{"times", times(1), "1.0×"},
		{"times", times(7.35), "7.4×"},
		{"times", times(9.96), "10×"},
		{"times", times(1250), "1,250×"},
		{"percent", percent(0, 10), "0 %"},
		{"percent", percent(1, 100_000), "<0.1 %"},
		{"percent", percent(44, 1000), "4.4 %"},
		{"percent", percent(2084, 10_000), "20.8 %"},
		{"percent", percent(9886, 10_000), "98.9 %"},
		{"percent", percent(250, 1000), "25 %"},
		{"percent", percent(9902, 10_000), "99 %"},
		{"percent", percent(126, 1000), "12.6 %"},
		{"percent", percent(999_999, 1_000_000), ">99.9 %"},
		{"percent", percent(10, 10), "100 %"},
		{"percent", percent(1, 0), "0 %"},
		{"span", span(100 * time.Millisecond), "100 ms"},
		{"span", span(1500 * time.Millisecond), "1.5 s"},
		{"span", span(time.Microsecond), "1 µs"},
		{"span", span(12), "12 ns"},
		{"instant", instant(0), "0 s"},
		{"instant", instant(50 * time.Millisecond), "50 ms"},
		{"instant", instant(500 * time.Millisecond), "0.5 s"},
		{"instant", instant(31 * time.Second), "31 s"},
		{"instant", instant(90 * time.Second), "90 s"},
		{"instant", instant(331 * time.Second), "5.52 min"},
		{"instant", instant(time.Hour), "1 h"},
		{"instant", instant(150 * time.Minute), "150 min"},
		{"instant", instant(40 * 24 * time.Hour), "40 days"},
		{"counted", counted(1, "worker"), "1 worker"},
		{"counted", counted(1000, "worker"), "1,000 workers"},
		{"perSecond", perSecond(200, "requests"), "200 requests/s"},
		{"perSecond", perSecond(0.2, "requests"), "12 requests/min"},
		{"perSecond", perSecond(0.001, "requests"), "3.6 requests/h"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.what, c.got, c.want)
		}
	}
}
