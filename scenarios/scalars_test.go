package scenarios

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"herdsim/downstream"
)

func TestParseDuration(t *testing.T) {
	for _, c := range []struct {
		text  string
		want  time.Duration
		fault durationFault
	}{
		{"0s", 0, durationOK},
		{"1ns", 1, durationOK},
		{"100ms", 100 * time.Millisecond, durationOK},
		{"1.5s", 1500 * time.Millisecond, durationOK},
		{".5s", 500 * time.Millisecond, durationOK},
		{"1d12h", 36 * time.Hour, durationOK},
		{"0.1d", 8640 * time.Second, durationOK},
		{"1h2m3s4ms5us6ns", time.Hour + 2*time.Minute + 3*time.Second + 4*time.Millisecond + 5*time.Microsecond + 6, durationOK},
		{"7µs", 7 * time.Microsecond, durationOK},
		{"7μs", 7 * time.Microsecond, durationOK}, // the Greek letter
		{"106000d", longest, durationOK},
		{"106000d1ns", 0, durationTooLong},
		{"9223372036854775808ns", 0, durationTooLong},
		{"99999999999999999999999999999999999h", 0, durationTooLong},
		{"0.1ns", 0, durationTooFine},
		{"5", 0, durationNoUnit},
		{"0", 0, durationNoUnit},
		{"5.5", 0, durationNoUnit},
		{"", 0, durationBad},
		{"s", 0, durationBad},
		{"-1s", 0, durationBad},
		{"+1s", 0, durationBad},
		{"1 s", 0, durationBad},
		{"1S", 0, durationBad},
		{"1w", 0, durationBad},
		{"1e3s", 0, durationBad},
		{"1.s", 0, durationBad},
		{"1..5s", 0, durationBad},
		{"1_000s", 0, durationBad},
		{"٣s", 0, durationBad},
		{".inf", 0, durationBad},
		{"1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s", 0, durationBad}, // longer than any sensible one
	} {
		if got, fault := parseDuration(c.text); got != c.want || fault != c.fault {
			t.Errorf("parseDuration(%q) = %v, %d, want %v, %d", c.text, got, fault, c.want, c.fault)
		}
	}
}

func TestParseRate(t *testing.T) {
	for _, c := range []struct {
		text string
		want downstream.Rate
		ok   bool
	}{
		{"200/s", downstream.Rate{Events: 200, Per: time.Second}, true},
		{"12/min", downstream.Rate{Events: 12, Per: time.Minute}, true},
		{"0.5/s", downstream.Rate{Events: 5, Per: 10 * time.Second}, true},
		{"0.50/s", downstream.Rate{Events: 5, Per: 10 * time.Second}, true},
		{"5/h", downstream.Rate{Events: 5, Per: time.Hour}, true},
		{"1/d", downstream.Rate{Events: 1, Per: 24 * time.Hour}, true},
		{"10_000 / s", downstream.Rate{Events: 10_000, Per: time.Second}, true},
		{"1.25/d", downstream.Rate{Events: 125, Per: 2400 * time.Hour}, true},
		{"9223372036854775807/s", downstream.Rate{Events: math.MaxInt64, Per: time.Second}, true},
		{"9223372036854775808/s", downstream.Rate{}, false},
		{"0.000000001/d", downstream.Rate{}, false},
		{"5", downstream.Rate{}, false},
		{"5/m", downstream.Rate{}, false},
		{"5/S", downstream.Rate{}, false},
		{"-5/s", downstream.Rate{}, false},
		{"1e3/s", downstream.Rate{}, false},
		{"/s", downstream.Rate{}, false},
		{"5/2s", downstream.Rate{}, false},
	} {
		got, ok := parseRate(c.text)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("parseRate(%q) = %v, %v, want %v, %v", c.text, got, ok, c.want, c.ok)
		}
	}
}

func TestParseShare(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64
		ok   bool
	}{
		{"5%", 0.05, true}, {"0.05", 0.05, true}, {"0.1%", 0.001, true}, {"100%", 1, true}, {"150%", 1.5, true}, {"0", 0, true},
		{"33.3%", 0.333, true}, {".5", 0.5, true}, {"-5%", 0, false}, {"5 %", 0, false}, {"%", 0, false}, {"5%%", 0, false},
		{"1e-2", 0, false}, {"NaN", 0, false}, {"Inf%", 0, false},
	} {
		if got, ok := parseShare(c.text); got != c.want || ok != c.ok {
			t.Errorf("parseShare(%q) = %v, %v, want %v, %v", c.text, got, ok, c.want, c.ok)
		}
	}
}

func TestParseCount(t *testing.T) {
	for _, c := range []struct {
		text string
		want uint64
		ok   bool
	}{
		{"0", 0, true}, {"5000", 5000, true}, {"5_000", 5000, true}, {"1_0", 10, true}, {"18446744073709551615", math.MaxUint64, true},
		{"18446744073709551616", 0, false}, {"", 0, false}, {"_1", 0, false}, {"1_", 0, false}, {"1__0", 0, false},
		{"+1", 0, false}, {"-1", 0, false}, {"01", 0, false}, {"0x10", 0, false}, {"1.0", 0, false}, {"1e3", 0, false},
	} {
		if got, ok := parseCount(c.text); ok != c.ok || ok && got != c.want {
			t.Errorf("parseCount(%q) = %d, %v, want %d, %v", c.text, got, ok, c.want, c.ok)
		}
	}
}

// What is formatted is parsed back to the same value.
func TestScalarsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, int64(longest)).Draw(t, "duration"))
		if got, fault := parseDuration(formatDuration(d)); got != d || fault != durationOK {
			t.Fatalf("duration %d -> %q -> %d", d, formatDuration(d), got)
		}
		n := rapid.Uint64().Draw(t, "count")
		if got, ok := parseCount(formatCount(n)); got != n || !ok {
			t.Fatalf("count %d -> %q -> %d", n, formatCount(n), got)
		}
		share := rapid.Float64Range(1e-9, 10).Draw(t, "share")
		if got, ok := parseShare(formatShare(share)); got != share || !ok {
			t.Fatalf("share %v -> %q -> %v", share, formatShare(share), got)
		}
		rate := drawRate(t)
		if got, ok := parseRate(formatRate(rate)); got != rate || !ok {
			t.Fatalf("rate %v -> %q -> %v", rate, formatRate(rate), got)
		}
	})
}

// drawRate draws a rate as a file can say it: in the fewest digits.
func drawRate(t *rapid.T) downstream.Rate {
	unit := rapid.SampledFrom(rateUnits).Draw(t, "unit")
	rate := downstream.Rate{Events: rapid.Int64Range(1, 1e9).Draw(t, "events"), Per: unit.per}
	for range rapid.IntRange(0, 3).Draw(t, "digits") {
		rate.Per *= 10
	}
	for rate.Per > unit.per && rate.Events%10 == 0 {
		rate.Events, rate.Per = rate.Events/10, rate.Per/10
	}
	return rate
}

func TestFormatDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1: "1ns", 1500: "1.5us", 90 * time.Second: "1m30s", time.Hour: "1h", 36 * time.Hour: "1d12h",
		time.Minute + 500*time.Millisecond: "1m500ms", longest: "106000d", 61 * time.Minute: "1h1m",
	} {
		if got := formatDuration(d); got != want {
			t.Errorf("formatDuration(%d) = %q, want %q", d, got, want)
		}
	}
}

func TestSpoken(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", 1: "1 ns", 1500: "1.5 µs", 100 * time.Millisecond: "100 ms", time.Minute: "60 s", 90 * time.Second: "90 s",
		2 * time.Minute: "2 min", time.Hour: "1 h", 90 * time.Minute: "90 min", 24 * time.Hour: "1 d", 1250 * time.Millisecond: "1.25 s",
	} {
		if got := spoken(d); got != want {
			t.Errorf("spoken(%d) = %q, want %q", d, got, want)
		}
	}
}
