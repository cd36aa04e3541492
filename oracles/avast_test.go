package oracles

import (
	"testing"
	"time"

	"github.com/avast/retry-go/v4"
)

// noSleep is a timer that takes down waits and makes none.
type noSleep struct{ waits []time.Duration }

func (s *noSleep) After(d time.Duration) <-chan time.Time {
	s.waits = append(s.waits, d)
	now := make(chan time.Time, 1)
	now <- time.Time{}
	return now
}

func TestAvastRetryGo(t *testing.T) {
	for _, row := range []struct {
		preset  string
		options []retry.Option
	}{
		{"avast-retry-go-v4", nil},
		{"avast-retry-go-v4-full-jitter", []retry.Option{retry.DelayType(retry.FullJitterBackoffDelay)}},
	} {
		t.Run(row.preset, func(t *testing.T) {
			e := preset(t, row.preset)
			timer, made := &noSleep{}, 0
			if err := retry.Do(func() error { made++; return errFailed }, append(row.options, retry.WithTimer(timer))...); err == nil {
				t.Error("no error after the last attempt")
			}
			if made != e.Limits.MaxAttempts {
				t.Errorf("the library makes %d attempts, the preset %d", made, e.Limits.MaxAttempts)
			}
			sameLaws(t, e.Strategy, draw(chains, 12, func() func() time.Duration {
				return timerWaits(t, 12, row.options)
			}))
		})
	}
}

// timerWaits has one client fail, and hands out its waits.
func timerWaits(t *testing.T, retries int, options []retry.Option) func() time.Duration {
	timer := &noSleep{}
	options = append(options[:len(options):len(options)], retry.WithTimer(timer), retry.Attempts(uint(retries)+1), retry.LastErrorOnly(true))
	if err := retry.Do(func() error { return errFailed }, options...); err == nil || len(timer.waits) != retries {
		t.Fatalf("%d waits, error %v", len(timer.waits), err)
	}
	i := 0
	return func() time.Duration {
		i++
		return timer.waits[i-1]
	}
}
