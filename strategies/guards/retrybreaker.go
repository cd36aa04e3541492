package guards

import (
	"time"

	"herdsim/strategies"
)

// RetryBreaker lets retries be made only as long as few attempts have failed:
//
//	a retry is refused while failures / calls > Ratio
//
// failures counts attempts, calls tasks (first attempts), since the client began: there is no window. A client with few
// calls is past the ratio with its first failure, so many small clients are clients without retries.
//
// Source: M. Brooker, "Fixing retries with token buckets and circuit breakers", 2022, and its code (10 %).
type RetryBreaker struct {
	Ratio float64 // >= 0
}

var _ Maker = (*RetryBreaker)(nil)

// Make returns a breaker that has seen no call.
func (p *RetryBreaker) Make() Guard { return &retryBreaker{p: p} }

type retryBreaker struct {
	p               *RetryBreaker
	failures, calls int64
	opened          int64
	open            bool
}

func (g *retryBreaker) refuses() bool { return float64(g.failures) > g.p.Ratio*float64(g.calls) }

// see notes whether it has opened.
func (g *retryBreaker) see() {
	if now := g.refuses(); now != g.open {
		if g.open = now; now {
			g.opened++
		}
	}
}

func (g *retryBreaker) Allow(time.Duration, strategies.Outcome) (uint64, bool) {
	return 0, !g.refuses()
}

func (g *retryBreaker) Admit(_ time.Duration, c Call, _ float64) Answer {
	if !c.Retry {
		g.calls++
		g.see()
	}
	return Answer{}
}

func (g *retryBreaker) Done(_ time.Duration, _ Call, o strategies.Outcome) {
	if o != strategies.Served {
		g.failures++
		g.see()
	}
}

func (g *retryBreaker) Cancel(_ time.Duration, c Call) {
	if !c.Retry {
		g.calls--
	}
}

func (g *retryBreaker) Drop(time.Duration, Call) {}

func (g *retryBreaker) State(time.Duration) State {
	if g.open {
		return State{Phase: Open, Opened: g.opened}
	}
	left := g.p.Ratio*float64(g.calls) - float64(g.failures)
	return State{Opened: g.opened, Level: share(left, g.p.Ratio*float64(g.calls))}
}
