package guards

import (
	"time"

	"herdsim/strategies"
)

// RetryThrottling is the retry throttling of gRPC:
//
//	tokens = MaxTokens at first
//	a failure: tokens = max(0, tokens - 1)
//	a success: tokens = min(MaxTokens, tokens + TokenRatio)
//	a retry is refused while tokens <= MaxTokens/2
//
// A client that fails and fails again stops after MaxTokens/2 failures. While retries go on, the share of attempts that
// fail is at most about TokenRatio/(1+TokenRatio): there what failures take is what successes give. Both fields count to
// the thousandth.
//
// Source: gRFC A6, client retries, "Throttling Retry Attempts and Hedged RPCs".
type RetryThrottling struct {
	MaxTokens  float64 // > 0
	TokenRatio float64 // >= 0
}

var _ Maker = (*RetryThrottling)(nil)

// Make returns a full bucket.
func (p *RetryThrottling) Make() Guard {
	return &retryThrottling{p: p, tokens: thousandths(p.MaxTokens)}
}

type retryThrottling struct {
	p      *RetryThrottling
	tokens int64 // in thousandths
}

func (g *retryThrottling) Allow(time.Duration, strategies.Outcome) (uint64, bool) {
	return 0, 2*g.tokens > thousandths(g.p.MaxTokens)
}

func (g *retryThrottling) Admit(time.Duration, Call, float64) Answer { return Answer{} }

func (g *retryThrottling) Done(_ time.Duration, _ Call, o strategies.Outcome) {
	if o == strategies.Served {
		g.tokens = min(g.tokens+thousandths(g.p.TokenRatio), thousandths(g.p.MaxTokens))
	} else {
		g.tokens = max(g.tokens-1000, 0)
	}
}

func (g *retryThrottling) Cancel(time.Duration, Call) {}
func (g *retryThrottling) Drop(time.Duration, Call)   {}

func (g *retryThrottling) State(time.Duration) State {
	return State{Level: share(float64(g.tokens), 1000*g.p.MaxTokens)}
}
