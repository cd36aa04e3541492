package guards

import (
	"time"

	"herdsim/strategies"
)

// RetryQuota is the retry quota of the AWS SDKs in standard mode: a bucket of Capacity tokens, full at first.
//
//	a retry takes RetryCost, ThrottleCost after a rejection, TimeoutCost after a timeout
//	a retry that is served gives back what it took
//	a first attempt that is served gives FirstSuccess
//	a retry is refused if there is less than it costs
//
// Retries that keep failing empty it after ⌊Capacity/RetryCost⌋ of them: 35 of 500/14, 100 of 500/5.
//
// Source: aws-sdk-go-v2 v1.48.0, aws/retry/standard.go: 14, 5 after a throttle, timeouts as any; up to v1.47 5, and 10
// after a timeout.
type RetryQuota struct {
	Capacity     int64 // >= 0, as all of them
	RetryCost    int64
	ThrottleCost int64
	TimeoutCost  int64
	FirstSuccess int64
}

var _ Maker = (*RetryQuota)(nil)

// Make returns a full bucket.
func (p *RetryQuota) Make() Guard { return &retryQuota{p: p, tokens: p.Capacity} }

type retryQuota struct {
	p      *RetryQuota
	tokens int64
}

func (g *retryQuota) Allow(_ time.Duration, o strategies.Outcome) (cost uint64, ok bool) {
	c := g.p.RetryCost
	switch o {
	case strategies.Rejected:
		c = g.p.ThrottleCost
	case strategies.TimedOut:
		c = g.p.TimeoutCost
	}
	if g.tokens < c {
		return 0, false
	}
	g.tokens -= c
	return uint64(c), true
}

func (g *retryQuota) Admit(time.Duration, Call, float64) Answer { return Answer{} }

func (g *retryQuota) Done(_ time.Duration, c Call, o strategies.Outcome) {
	switch {
	case o != strategies.Served:
	case c.Retry:
		g.put(int64(c.Allowance))
	default:
		g.put(g.p.FirstSuccess)
	}
}

func (g *retryQuota) Cancel(time.Duration, Call)   {}
func (g *retryQuota) Drop(_ time.Duration, c Call) { g.put(int64(c.Allowance)) }
func (g *retryQuota) put(tokens int64)             { g.tokens = min(g.tokens+tokens, g.p.Capacity) }
func (g *retryQuota) State(time.Duration) State {
	return State{Level: share(float64(g.tokens), float64(g.p.Capacity))}
}
