package report

import (
	"io"
	"strings"
	"testing"
	"time"

	"herdsim/sim"
)

func openMetrics(t *testing.T, r *Report, every time.Duration) string {
	t.Helper()
	return string(written(t, func(w io.Writer) error { return r.WriteOpenMetrics(w, every) }))
}

// metricsReport is a herd of three with a breaker, beside a run that was not finished and one of a broker.
func metricsReport() *Report {
	herd := toy(3, 1, wave{index: 0, failure: 3}, wave{index: 4, served: 1, rejected: 1}, wave{index: 12, served: 1})
	herd.Windows[1].Queued, herd.Windows[1].InService = 1, 2
	herd.Guards = []sim.GuardResult{{Name: `a "guard"`, Track: []sim.GuardPoint{{Window: 0, Open: 0.25, HalfOpen: 0.5}, {Window: 12}}}}
	herdCount := NewExecutionCount(500*time.Millisecond, 3)
	for _, x := range []sim.Execution{
		{Task: 0, Then: sim.Again, Wait: 400 * time.Millisecond},
		{Task: 1, Then: sim.Again, Wait: 1200 * time.Millisecond},
		{Task: 2, Then: sim.Again, Wait: 499 * time.Millisecond},
		{Task: 0, At: 450 * time.Millisecond, Then: sim.Done, Wait: -1},
		{Task: 2, At: 499999999, Then: sim.GivenUp, Wait: -1},
		{Task: 1, At: 1250 * time.Millisecond, Then: sim.Done, Wait: -1},
	} {
		herdCount.Take(x)
	}
	queued := toy(2, 0, wave{index: 0, served: 1}, wave{index: 3, served: 1})
	queued.Queues = []sim.QueueResult{
		{Name: "work", Track: []sim.QueuePoint{{Window: 0, Ready: 1, Unacked: 1}, {Window: 3}}},
		{Name: "dlq", Dead: true, Track: []sim.QueuePoint{{Window: 3, Ready: 1}}},
	}
	queuedCount := NewExecutionCount(500*time.Millisecond, 1)
	queuedCount.Take(sim.Execution{Task: 0, Then: sim.Again, Wait: time.Second})
	queuedCount.Take(sim.Execution{Task: 1, Then: sim.Again, Wait: -1})
	r := &Report{Setup: diracSetup(), Entries: []Entry{entry("fixed", nil, herd), entry("in\\a line\n", queued)}}
	r.Entries[0].Executions, r.Entries[1].Executions = []*ExecutionCount{nil, herdCount}, []*ExecutionCount{queuedCount}
	return r
}

func TestOpenMetrics(t *testing.T) {
	golden(t, "out.om", []byte(openMetrics(t, metricsReport(), 500*time.Millisecond)))
}

// Without a count of executions there are still the metrics of the downstream, and at least two scrapes.
func TestOpenMetricsWithoutExecutions(t *testing.T) {
	r := &Report{Setup: diracSetup(), Entries: []Entry{entry("fixed", toy(1, 0))}}
	r.Setup.Capacity = 0
	got := openMetrics(t, r, time.Second)
	if strings.Contains(got, "worker_job_execution_total{") || strings.Contains(got, "capacity_requests_per_second{") {
		t.Errorf("there are executions or a capacity in\n%s", got)
	}
	for _, want := range []string{
		"downstream_queued_requests{scenario=\"dirac\",strategy=\"fixed\",replicate=\"1\"} 0 1735689600\n",
		"downstream_queued_requests{scenario=\"dirac\",strategy=\"fixed\",replicate=\"1\"} 0 1735689601\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
	if !strings.HasSuffix(got, "\n# EOF\n") {
		t.Errorf("the end is %q", got[len(got)-20:])
	}
}

func TestOpenMetricsPassesOnAnError(t *testing.T) {
	if err := metricsReport().WriteOpenMetrics(failing{}, time.Millisecond); err == nil {
		t.Error("a write error is lost")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// A wait is in the bucket whose bound it is.
func TestSleepBuckets(t *testing.T) {
	var s sleepCount
	for _, wait := range []time.Duration{0, 10 * time.Millisecond, 10*time.Millisecond + 1, time.Second, 1025 * time.Second, 1 << 62} {
		s.add(wait)
	}
	if want := [len(sleepBounds)]int64{0: 2, 1: 1, 4: 1, len(sleepBounds) - 1: 2}; s.buckets != want {
		t.Errorf("buckets %v, want %v", s.buckets, want)
	}
}
