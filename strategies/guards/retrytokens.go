package guards

import (
	"time"

	"herdsim/strategies"
)

// RetryTokens is the adaptive retry of Brooker: a bucket that first attempts fill and retries empty.
//
//	tokens = Capacity at first
//	a first attempt: tokens = min(Capacity, tokens + Deposit), however it ends
//	a retry needs tokens > 1, and takes 1
//
// So a client with n calls that all fail makes Deposit × n retries and Capacity - 1 more from the start, 1 of the
// Capacity being out of reach: attempts per call are 1 + Deposit + (Capacity-1)/n. Deposit counts to the thousandth.
//
// Source: M. Brooker, "Fixing retries with token buckets and circuit breakers", 2022, and its code.
type RetryTokens struct {
	Capacity float64 // >= 0
	Deposit  float64 // >= 0
}

var _ Maker = (*RetryTokens)(nil)

// Make returns a full bucket.
func (p *RetryTokens) Make() Guard { return &retryTokens{p: p, tokens: thousandths(p.Capacity)} }

type retryTokens struct {
	p      *RetryTokens
	tokens int64 // in thousandths
}

func (g *retryTokens) Allow(time.Duration, strategies.Outcome) (uint64, bool) {
	if g.tokens <= 1000 {
		return 0, false
	}
	g.tokens -= 1000
	return 0, true
}

func (g *retryTokens) Admit(_ time.Duration, c Call, _ float64) Answer {
	if !c.Retry {
		g.put(thousandths(g.p.Deposit))
	}
	return Answer{}
}

func (g *retryTokens) Done(time.Duration, Call, strategies.Outcome) {}

func (g *retryTokens) Cancel(_ time.Duration, c Call) {
	if !c.Retry {
		g.tokens = max(g.tokens-thousandths(g.p.Deposit), 0)
	}
}

func (g *retryTokens) Drop(_ time.Duration, c Call) {
	if c.Retry {
		g.put(1000)
	}
}

func (g *retryTokens) put(tokens int64) { g.tokens = min(g.tokens+tokens, thousandths(g.p.Capacity)) }

func (g *retryTokens) State(time.Duration) State {
	return State{Level: share(float64(g.tokens), 1000*g.p.Capacity)}
}
