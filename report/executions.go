package report

import (
	"math"
	"time"

	"herdsim/sim"
)

// An ExecutionCount counts the executions of one run, for metrics that are scraped at regular intervals.
type ExecutionCount struct {
	every time.Duration
	herd  int64
	taken []executionsTaken // in the order of time
}

// executionsTaken are the executions between two scrapes; those of the herd, and those of open tasks.
type executionsTaken struct {
	scrape int64 // the first that sees them
	ends   [2][3]int64
	sleeps [2]sleepCount
}

// sleepBounds are the upper bounds of the histogram of waits, in seconds, each included in its bucket.
var sleepBounds = [...]float64{0.01, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, math.Inf(1)}

// A sleepCount is a histogram of waits.
type sleepCount struct {
	buckets [len(sleepBounds)]int64
	sum     float64 // in seconds
}

func (s *sleepCount) add(wait time.Duration) {
	i := 0
	for wait.Seconds() > sleepBounds[i] {
		i++
	}
	s.buckets[i]++
	s.sum += wait.Seconds()
}

// NewExecutionCount counts for scrapes at every multiple of an interval > 0. Tasks from herd on are open ones.
func NewExecutionCount(every time.Duration, herd int) *ExecutionCount {
	return &ExecutionCount{every: every, herd: int64(herd)}
}

// Take counts an execution; it is the function to set as sim.Config.Executed for one run. A scrape at an instant sees what
// happened before it.
func (c *ExecutionCount) Take(x sim.Execution) {
	scrape := int64(x.At/c.every) + 1
	if n := len(c.taken); n == 0 || c.taken[n-1].scrape < scrape {
		c.taken = append(c.taken, executionsTaken{scrape: scrape})
	}
	taken, whose := &c.taken[len(c.taken)-1], 0
	if x.Task >= c.herd {
		whose = 1
	}
	taken.ends[whose][x.Then]++
	if x.Wait >= 0 {
		taken.sleeps[whose].add(x.Wait)
	}
}
