package guards

import (
	"math"
	"time"

	"herdsim/strategies"
)

// TokenBucket delays what exceeds a rate: Tokens come every Per, at most Burst are kept, and it is full at first. A retry
// takes its token when it is decided, and is sent at the later of its own wait and its token's instant; with All, a first
// attempt takes one when it is due. Tokens are given in the order of asking, so k attempts that ask a full bucket at one
// instant are sent up to (k - Burst) × Per/Tokens later.
//
// Source: client-go v0.37.2, workqueue.DefaultTypedControllerRateLimiter: 10 per second, burst 100, beside a backoff by
// item, the longer of which counts. Of 5,000 items that fail at once, the last is tried again after 490 s.
type TokenBucket struct {
	Tokens int64         // > 0
	Per    time.Duration // > 0
	Burst  int64         // >= 1
	All    bool          // first attempts, too
}

var _ Maker = (*TokenBucket)(nil)

// Make returns a full bucket.
func (p *TokenBucket) Make() Guard { return &tokenBucket{p: p} }

type tokenBucket struct {
	p    *TokenBucket
	full float64 // ns since t0: when the bucket would be full again
}

// interval returns the nanoseconds between two tokens.
func (p *TokenBucket) interval() float64 { return float64(p.Per) / float64(p.Tokens) }

// take takes a token and returns its instant, now or later.
func (g *tokenBucket) take(now time.Duration) time.Duration {
	g.full = max(g.full, float64(now)) + g.p.interval()
	at := math.Ceil(g.full - float64(g.p.Burst)*g.p.interval() - 1e-3) // a rounding error is no nanosecond
	if at >= math.MaxInt64 {
		return math.MaxInt64
	}
	return max(time.Duration(at), now)
}

func (g *tokenBucket) giveBack() { g.full -= g.p.interval() }

func (g *tokenBucket) Allow(now time.Duration, _ strategies.Outcome) (instant uint64, ok bool) {
	return uint64(g.take(now)), true
}

func (g *tokenBucket) Admit(now time.Duration, c Call, _ float64) Answer {
	at := now
	switch {
	case c.Reserved:
	case c.Retry:
		at = time.Duration(c.Allowance)
	case g.p.All:
		at = g.take(now)
	}
	if at > now {
		return Answer{Verdict: Delay, Until: at}
	}
	return Answer{}
}

func (g *tokenBucket) Done(time.Duration, Call, strategies.Outcome) {}

// Cancel takes back the token of a first attempt, which will ask for another. A retry keeps the one it has.
func (g *tokenBucket) Cancel(_ time.Duration, c Call) {
	if g.p.All && !c.Retry {
		g.giveBack()
	}
}

func (g *tokenBucket) Drop(_ time.Duration, c Call) {
	if c.Retry || g.p.All && c.Reserved {
		g.giveBack()
	}
}

func (g *tokenBucket) State(now time.Duration) State {
	taken := max(g.full-float64(now), 0) / g.p.interval()
	return State{Level: share(float64(g.p.Burst)-taken, float64(g.p.Burst))}
}
