package guards

import (
	"time"

	"herdsim/strategies"
)

// ConcurrencyLimit bounds the attempts that are under way at once: one beyond Limit is put off. It is a bulkhead without
// a queue, as resilience4j, Polly and Hystrix (10) have it.
type ConcurrencyLimit struct {
	Limit int64 // >= 1
}

var _ Maker = (*ConcurrencyLimit)(nil)

// Make returns a limit that has seen no call.
func (p *ConcurrencyLimit) Make() Guard { return &concurrencyLimit{p: p} }

type concurrencyLimit struct {
	p      *ConcurrencyLimit
	active int64
}

func (g *concurrencyLimit) Allow(time.Duration, strategies.Outcome) (uint64, bool) { return 0, true }

func (g *concurrencyLimit) Admit(now time.Duration, _ Call, _ float64) Answer {
	if g.active >= g.p.Limit {
		return Answer{Verdict: PutOff, Until: now}
	}
	g.active++
	return Answer{}
}

func (g *concurrencyLimit) Done(time.Duration, Call, strategies.Outcome) { g.active-- }
func (g *concurrencyLimit) Cancel(time.Duration, Call)                   { g.active-- }
func (g *concurrencyLimit) Drop(time.Duration, Call)                     {}

func (g *concurrencyLimit) State(time.Duration) State {
	return State{Level: share(float64(g.p.Limit-g.active), float64(g.p.Limit))}
}
