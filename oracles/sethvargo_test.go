package oracles

import (
	"testing"
	"time"

	"github.com/sethvargo/go-retry"
)

// TestSethvargo compares 24 waits, and that the library does not stop in them: its default is no limit.
func TestSethvargo(t *testing.T) {
	for _, row := range []struct {
		preset string
		b      retry.Backoff
	}{
		{"sethvargo-exponential-1s", retry.NewExponential(time.Second)},
		{"sethvargo-fibonacci-1s", retry.NewFibonacci(time.Second)},
	} {
		e := preset(t, row.preset)
		if e.Limits.MaxAttempts != 0 || e.Limits.MaxElapsed != 0 {
			t.Errorf("%s: limits %+v, the library has none", row.preset, e.Limits)
		}
		for i := range 24 {
			next, stop := row.b.Next()
			if stop {
				t.Fatalf("%s: the library stops before retry %d", row.preset, i+1)
			}
			sameLaw(t, e.Strategy, i+1, []time.Duration{next})
		}
	}
}
