package oracles

import (
	"context"
	"math"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/scenarios"
	"herdsim/sim"
	"herdsim/strategies"
)

// replay waits as a library did: by worker and retry. Its last wait is the one that the library did not make.
type replay [][]time.Duration

func (r replay) Wait(a strategies.Attempt, _ float64) (time.Duration, bool) {
	if i := a.Retry - 1; i < len(r[a.Worker]) {
		return r[a.Worker][i], true
	}
	return 0, false
}

// attempts returns how many attempts each worker of a simulation makes that waits as a library did, under the limits of a
// preset, while the downstream refuses everything.
func attempts(t *testing.T, e scenarios.Entry, waits [][]time.Duration) []int {
	t.Helper()
	const horizon = 24 * time.Hour
	made := make([]int, len(waits))
	r := sim.Run(context.Background(), sim.Config{
		Horizon: horizon, MaxEvents: math.MaxInt64, Window: time.Minute, Workers: len(waits),
		Strategy: replay(waits), Limits: e.Limits,
		Downstream: downstream.Config{
			Slots: 1, Service: downstream.Constant{D: time.Millisecond}, Queue: downstream.Unlimited,
			Outages: []downstream.Outage{{To: horizon, Mode: downstream.Refuse}},
		},
		Trace: func(a sim.AttemptRecord) { made[a.Task] = int(a.Attempt) },
	})
	if r.CutOff() {
		t.Fatal("some workers have not given up")
	}
	return made
}
