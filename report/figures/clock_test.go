package figures

import (
	"testing"
	"time"
)

// Words write times as the axis beside them does.
func TestWordsGoWithTheAxis(t *testing.T) {
	seconds, minutes, hours := newTimeAxis(900*time.Second, 9), newTimeAxis(30*time.Minute, 9), newTimeAxis(72*time.Hour, 9)
	log := newLogAxis(time.Second, 2*time.Hour)
	for _, c := range []struct {
		axis timeAxis
		t    time.Duration
		want string
	}{
		{timeAxis{}, 540 * time.Second, "540 s"},
		{seconds, 540 * time.Second, "540 s"},
		{seconds, 10 * time.Minute, "600 s"},
		{timeAxis{}, 10 * time.Minute, "10 min"},
		{seconds, 500 * time.Millisecond, "0.5 s"},
		{minutes, 540 * time.Second, "9 min"},
		{minutes, 30 * time.Second, "30 s"},
		{hours, 90 * time.Minute, "1.5 h"},
		{hours, 30 * time.Minute, "30 min"},
		{hours, 300 * time.Second, "5 min"},
		{log, 30 * time.Second, "30 s"},
		{log, 540 * time.Second, "9 min"},
		{log, 5400 * time.Second, "1.5 h"},
	} {
		if got := c.axis.moment(c.t); got != c.want {
			t.Errorf("%v on an axis of %s is %q, want %q", c.t, c.axis.name("the start"), got, c.want)
		}
	}
	if got := minutes.span(100 * time.Millisecond); got != "100 ms" {
		t.Errorf("a window of %q, want 100 ms", got)
	}
	if got := minutes.span(2 * time.Minute); got != "2 min" {
		t.Errorf("a window of %q, want 2 min", got)
	}
}

// The labels of a logarithmic axis do not touch: a tick is at least 1.9 times the one before.
func TestLogTicksKeepApart(t *testing.T) {
	for density := 1; density <= 3; density++ {
		ticks := logTicks(1000*24*time.Hour, density)
		for i := range ticks[1:] {
			if float64(ticks[i+1]) < 1.9*float64(ticks[i]) {
				t.Errorf("density %d: %v after %v", density, ticks[i+1], ticks[i])
			}
		}
	}
}

// A label lies neither upon the line of the capacity nor upon the failure itself.
func TestLabelsKeepOffLines(t *testing.T) {
	y := func(n float64) float64 { return 100 - n }
	const line = 60.0
	low := labelPlaces(column{x0: 200, x1: 202, requests: 36, total: 36}, y, line)[0]
	if low.y1 > line {
		t.Errorf("a label at %v lies upon a line at %v", low, line)
	}
	high := labelPlaces(column{x0: 200, x1: 202, requests: 80, total: 80}, y, line)[0]
	if high.y1 > 20 || high.y1 < 15 {
		t.Errorf("a label far above the line ends at %v, want a little above its bar at 20", high.y1)
	}
	beside := labelPlaces(column{x0: 200, x1: 202, requests: 20, total: 90}, y, line)[0]
	if beside.x0 < 202 {
		t.Errorf("a label from %v lies upon a bar that ends at 202", beside.x0)
	}
}
