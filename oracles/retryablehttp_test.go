package oracles

import (
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"herdsim/strategies"
)

const waitMin, waitMax = time.Second, 30 * time.Second // defaultRetryWaitMin and defaultRetryWaitMax of its client.go

// refusing is a server that answers each request with a status, and takes down when they came.
type refusing struct {
	status int
	header http.Header
	came   []time.Time
}

func (r *refusing) RoundTrip(q *http.Request) (*http.Response, error) {
	r.came = append(r.came, time.Now())
	return &http.Response{StatusCode: r.status, Header: r.header, Body: io.NopCloser(strings.NewReader("")), Request: q}, nil
}

// fails makes one request to it, and returns the waits between its attempts.
func (r *refusing) fails(t *testing.T, backoff retryablehttp.Backoff) (waits []time.Duration) {
	t.Helper()
	client := retryablehttp.NewClient()
	client.Logger, client.HTTPClient = nil, &http.Client{Transport: r}
	if backoff != nil {
		client.Backoff = backoff
	}
	if _, err := client.Get("http://example.invalid"); err == nil {
		t.Error("no error after the last attempt")
	}
	for i := range r.came[1:] {
		waits = append(waits, r.came[i+1].Sub(r.came[i]))
	}
	return waits
}

// TestRetryableHTTP has the whole client fail, under virtual time.
func TestRetryableHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := preset(t, "go-retryablehttp-default")
		server := &refusing{status: http.StatusInternalServerError}
		waits := server.fails(t, nil)
		for i, wait := range waits {
			sameLaw(t, e.Strategy, i+1, []time.Duration{wait})
		}
		if len(server.came) != e.Limits.MaxAttempts {
			t.Errorf("the library makes %d attempts, the preset %d", len(server.came), e.Limits.MaxAttempts)
		}
	})
}

// TestRetryableHTTPBackoff compares the waits behind the client's own limit, too.
func TestRetryableHTTPBackoff(t *testing.T) {
	e := preset(t, "go-retryablehttp-default")
	for n := range 12 {
		sameLaw(t, e.Strategy, n+1, []time.Duration{retryablehttp.DefaultBackoff(waitMin, waitMax, n, nil)})
	}
}

// TestRetryableHTTPRetryAfter shows which of its backoffs heed a Retry-After that is above RetryWaitMax, and on what.
func TestRetryableHTTPRetryAfter(t *testing.T) {
	for _, row := range []struct {
		preset  string
		backoff retryablehttp.Backoff
	}{
		{"go-retryablehttp-default", retryablehttp.DefaultBackoff},
		{"go-retryablehttp-linear-jitter", retryablehttp.LinearJitterBackoff},
		{"go-retryablehttp-ratelimit-linear-jitter", retryablehttp.RateLimitLinearJitterBackoff},
	} {
		synctest.Test(t, func(t *testing.T) {
			e := preset(t, row.preset)
			for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
				server := &refusing{status: status, header: http.Header{"Retry-After": {"600"}}}
				heeds := server.fails(t, row.backoff)[0] == 600*time.Second
				if heeds == e.IgnoreRetryAfter {
					t.Errorf("%s: on %d the library heeds a Retry-After: %t; the preset ignores it: %t", row.preset, status, heeds, e.IgnoreRetryAfter)
				}
			}
			if e.RetryAfter.Most != 0 || e.RetryAfter.Jitter != 0 {
				t.Errorf("%s: %+v, the library takes a Retry-After as it is", row.preset, e.RetryAfter)
			}
		})
	}
}

// TestRetryableHTTPLinearJitter lets virtual time pass by random nanoseconds before each call, because the library seeds
// its generator with those of the clock. So nothing here is left to chance.
func TestRetryableHTTPLinearJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		s := preset(t, "go-retryablehttp-linear-jitter").Strategy
		sameLaws(t, s, draw(5_000, 10, func() func() time.Duration {
			n := -1
			return func() time.Duration {
				n++
				time.Sleep(time.Duration(rng.Int64N(int64(time.Second))))
				return retryablehttp.LinearJitterBackoff(waitMin, waitMax, n, nil)
			}
		}))
		// Clients that fail at one instant all draw the same, which the preset does not do.
		first := retryablehttp.LinearJitterBackoff(waitMin, waitMax, 0, nil)
		for range 100 {
			if again := retryablehttp.LinearJitterBackoff(waitMin, waitMax, 0, nil); again != first {
				t.Fatalf("waits of %v and %v at one instant", first, again)
			}
		}
	})
	ours := preset(t, "go-retryablehttp-ratelimit-linear-jitter").Strategy
	for n := 1; n <= 10; n++ {
		for _, u := range []float64{0, 0.5, justBelowOne} {
			a := strategies.Attempt{Retry: n, SinceReset: n}
			linear, _ := preset(t, "go-retryablehttp-linear-jitter").Strategy.Wait(a, u)
			if limited, _ := ours.Wait(a, u); limited != linear {
				t.Errorf("retry %d, u = %v: %v and %v, the library waits alike in both", n, u, limited, linear)
			}
		}
	}
}
