package oracles

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	backoffv4 "github.com/cenkalti/backoff/v4"
	backoffv5 "github.com/cenkalti/backoff/v5"
)

var errFailed = errors.New("failed")

func TestCenkaltiWaits(t *testing.T) {
	t.Run("v4", func(t *testing.T) {
		sameLaws(t, preset(t, "cenkalti-backoff-v4").Strategy, draw(chains, 14, func() func() time.Duration {
			return backoffv4.NewExponentialBackOff().NextBackOff
		}))
	})
	t.Run("v5", func(t *testing.T) {
		sameLaws(t, preset(t, "cenkalti-backoff-v5").Strategy, draw(chains, 14, func() func() time.Duration {
			return backoffv5.NewExponentialBackOff().NextBackOff
		}))
	})
}

// elapsedClients is how many clients run into the limit of 15 min. No luck is needed: the waits are replayed.
const elapsedClients = 300

// TestCenkaltiElapsedV5 takes down each wait that the library drew, the last of which it did not make.
func TestCenkaltiElapsedV5(t *testing.T) {
	var waits [][]time.Duration
	var made []int
	for range elapsedClients {
		synctest.Test(t, func(t *testing.T) {
			heard := &heard{BackOff: backoffv5.NewExponentialBackOff()}
			n := 0
			_, err := backoffv5.Retry(context.Background(), func() (int, error) { n++; return 0, errFailed }, backoffv5.WithBackOff(heard))
			if !errors.Is(err, errFailed) {
				t.Errorf("error %v, want that of the operation", err)
			}
			waits, made = append(waits, heard.waits), append(made, n)
		})
	}
	sameAttempts(t, made, attempts(t, preset(t, "cenkalti-backoff-v5"), waits))
}

// heard takes down what a backoff says.
type heard struct {
	backoffv5.BackOff
	waits []time.Duration
}

func (h *heard) NextBackOff() time.Duration {
	next := h.BackOff.NextBackOff()
	h.waits = append(h.waits, next)
	return next
}

// TestCenkaltiElapsedV4 cannot know by how much the wait was too long that ended a client: a nanosecond more than was left
// stands for it. That it did not stop too soon shows in the distribution: at 15 min minus 90 s it never stops.
func TestCenkaltiElapsedV4(t *testing.T) {
	const limit, longest = 15 * time.Minute, 90 * time.Second
	var waits [][]time.Duration
	var made []int
	for range elapsedClients {
		clock := &setClock{}
		b := backoffv4.NewExponentialBackOff(backoffv4.WithClockProvider(clock))
		var client []time.Duration
		for {
			wait := b.NextBackOff()
			if wait == backoffv4.Stop {
				break
			}
			client = append(client, wait)
			clock.now = clock.now.Add(wait)
		}
		elapsed := b.GetElapsedTime()
		if elapsed > limit || elapsed < limit-longest {
			t.Errorf("stopped after %v", elapsed)
		}
		made = append(made, len(client)+1)
		waits = append(waits, append(client, limit-elapsed+1))
	}
	sameAttempts(t, made, attempts(t, preset(t, "cenkalti-backoff-v4"), waits))
}

type setClock struct{ now time.Time }

func (c *setClock) Now() time.Time { return c.now }

// sameAttempts compares the attempts that clients of a library made with those that workers make.
func sameAttempts(t *testing.T, library, ours []int) {
	t.Helper()
	for i := range library {
		if library[i] != ours[i] {
			t.Errorf("client %d: the library makes %d attempts, the simulation %d", i, library[i], ours[i])
		}
	}
}
