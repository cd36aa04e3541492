package scenarios

import (
	"testing"
	"time"
)

func TestSpanOfLimits(t *testing.T) {
	for limits, want := range map[Limits]time.Duration{
		{}:                      0,
		{MaxElapsed: time.Hour}: time.Hour,
		{Deadline: time.Minute}: time.Minute,
		{MaxElapsed: time.Hour, Deadline: time.Minute}:   time.Minute,
		{MaxElapsed: time.Second, Deadline: time.Minute}: time.Second,
	} {
		if got := limits.Span(); got != want {
			t.Errorf("the span of %+v is %v, want %v", limits, got, want)
		}
	}
}
