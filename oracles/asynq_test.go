package oracles

import (
	"testing"
	"time"

	"github.com/hibiken/asynq"
)

// TestAsynq compares the waits of the first 25 retries, which is all that a task has by default. That number and the
// interval of the poll, 5 s, are not exported: defaultMaxRetry in client.go, defaultDelayedTaskCheckInterval in server.go.
func TestAsynq(t *testing.T) {
	sameLaws(t, preset(t, "asynq-default").Strategy, draw(chains, 25, func() func() time.Duration {
		n := -1
		return func() time.Duration {
			n++
			return asynq.DefaultRetryDelayFunc(n, errFailed, nil)
		}
	}))
}
