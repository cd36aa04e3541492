package guards

import (
	"math"
	"time"

	"herdsim/strategies"
)

// RetryBudget lets a share of the calls of the last TTL be retried, and a few beside:
//
//	a first attempt deposits D, a retry withdraws W = ⌊D/Ratio⌋; both are forgotten after TTL
//	a retry is refused if reserve + deposits - withdrawals < W, reserve = ⌊MinPerSecond × TTL⌋ × W
//
// D is Scale: 1000 for Finagle, 1 for tower, where the fraction in W is lost: its 30 % are a third. With a Ratio of 0, D
// is 0 and W is 1: only the reserve is left. TTL is kept in ten buckets, of which the current one is not over, so what is
// remembered is between 0.9 TTL and TTL old.
//
// Source: finagle-core, service/RetryBudget.scala and RequeueFilter.scala (10 s, 10 per second, 20 %); tower,
// retry/budget/tps_budget.rs, which linkerd2-proxy takes with the same numbers.
type RetryBudget struct {
	TTL          time.Duration // > 0
	MinPerSecond float64       // >= 0
	Ratio        float64       // >= 0
	Scale        int64         // >= 1
}

var _ Maker = (*RetryBudget)(nil)

const budgetBuckets = 10

// Make returns a budget that has its reserve.
func (p *RetryBudget) Make() Guard { return &retryBudget{p: p} }

type retryBudget struct {
	p        *RetryBudget
	accounts rolling // deposits and withdrawals
}

// amounts returns what a call deposits, and what a retry withdraws. A Ratio above 1 needs the larger scale, as in tower.
func (p *RetryBudget) amounts() (deposit, withdrawal int64) {
	if p.Ratio <= 0 {
		return 0, 1
	}
	deposit = p.Scale
	if p.Ratio > 1 {
		deposit = max(deposit, 1000)
	}
	// The quotient may come out a hair too small, as 1/0.2 does not; a whole number is meant then.
	return deposit, max(int64(math.Floor(float64(deposit)/p.Ratio+1e-9)), 1)
}

func (p *RetryBudget) reserve() int64 { return int64(p.MinPerSecond * p.TTL.Seconds()) }

func (p *RetryBudget) width() time.Duration { return max(p.TTL/budgetBuckets, 1) }

// balance returns what is there, and what would be if nothing had been withdrawn.
func (g *retryBudget) balance(now time.Duration) (left, whole int64) {
	deposit, withdrawal := g.p.amounts()
	deposits, withdrawals := g.accounts.sums(now, g.p.width())
	whole = g.p.reserve()*withdrawal + deposits*deposit
	return whole - withdrawals*withdrawal, whole
}

func (g *retryBudget) Allow(now time.Duration, _ strategies.Outcome) (uint64, bool) {
	left, _ := g.balance(now)
	if _, withdrawal := g.p.amounts(); left < withdrawal {
		return 0, false
	}
	g.accounts.add(now, g.p.width(), budgetBuckets, 0, 1)
	return 0, true
}

func (g *retryBudget) Admit(now time.Duration, c Call, _ float64) Answer {
	if !c.Retry {
		g.accounts.add(now, g.p.width(), budgetBuckets, 1, 0)
	}
	return Answer{}
}

func (g *retryBudget) Done(time.Duration, Call, strategies.Outcome) {}

func (g *retryBudget) Cancel(now time.Duration, c Call) {
	if !c.Retry {
		g.accounts.add(now, g.p.width(), budgetBuckets, -1, 0)
	}
}

func (g *retryBudget) Drop(now time.Duration, c Call) {
	if c.Retry {
		g.accounts.add(now, g.p.width(), budgetBuckets, 0, -1)
	}
}

func (g *retryBudget) State(now time.Duration) State {
	left, whole := g.balance(now)
	return State{Level: share(float64(left), float64(whole))}
}
