package guards

import (
	"math"
	"time"

	"herdsim/strategies"
)

// ConcurrentRetries bounds how many retries are under way at once, against the calls that are:
//
//	refused if retries >= Min and retries >= ⌊Share × active⌋   (Above: retries > Share × active)
//
// Where retries are counted from is what makes the difference when many calls fail at once (envoy #30205): of 1,000 that
// fail together at a Share of 20 %, ChargeDecided lets 200 be retried, ChargeSent all of them, because none counts
// while it waits.
//
// Active are the attempts sent and not ended. At a decision the call that has just failed is one of them, and under
// ChargeDecided the retries that wait are, too. Under CheckSent active are the tasks not ended, whether they wait or not,
// and each retry that is sent and not ended counts once more.
//
// Source: envoy, resource_manager_impl.h (20 %, at least 3, once configured; else max_retries 3, a Share of 0);
// failsafe-go 0.9.8, budget (20 %, 3), which looks after the delay.
type ConcurrentRetries struct {
	Share  float64 // >= 0; of the active calls
	Min    int64   // >= 0; so many are always let through
	Charge Charge
	Above  bool
}

// A Charge says when a retry is judged, and from when it counts.
type Charge uint8

const (
	ChargeDecided Charge = iota // both when it is decided
	ChargeSent                  // judged when it is decided, counts when it is sent
	CheckSent                   // both when it is sent; refused then
)

var _ Maker = (*ConcurrentRetries)(nil)

// Make returns a guard that has seen no call.
func (p *ConcurrentRetries) Make() Guard { return &concurrentRetries{p: p} }

type concurrentRetries struct {
	p                        *ConcurrentRetries
	active, retries, waiting int64 // retries: those that count; waiting: those that are allowed and not sent yet, but for ChargeSent
}

// full reports whether another retry is refused.
func (g *concurrentRetries) full(active int64) bool {
	if g.retries < g.p.Min {
		return false
	}
	limit := g.p.Share * float64(active)
	if g.p.Above {
		return float64(g.retries) > limit
	}
	return float64(g.retries) >= math.Floor(limit+1e-9) // 0.29 × 100 is 29
}

// executions returns what Share is of.
func (g *concurrentRetries) executions() int64 {
	if g.p.Charge == CheckSent {
		return g.active + g.waiting + g.retries
	}
	return g.active + g.waiting
}

func (g *concurrentRetries) Allow(time.Duration, strategies.Outcome) (uint64, bool) {
	if g.p.Charge != CheckSent && g.full(g.active+g.waiting+1) {
		return 0, false
	}
	if g.p.Charge == ChargeDecided {
		g.retries++
	}
	if g.p.Charge != ChargeSent {
		g.waiting++
	}
	return 0, true
}

func (g *concurrentRetries) Admit(_ time.Duration, c Call, _ float64) Answer {
	if c.Retry {
		if g.p.Charge == CheckSent && g.full(g.executions()) {
			return Answer{Verdict: Refuse}
		}
		if g.p.Charge != ChargeDecided {
			g.retries++
		}
		if g.p.Charge != ChargeSent {
			g.waiting--
		}
	}
	g.active++
	return Answer{}
}

func (g *concurrentRetries) Done(_ time.Duration, c Call, _ strategies.Outcome) {
	g.active--
	if c.Retry {
		g.retries--
	}
}

func (g *concurrentRetries) Cancel(_ time.Duration, c Call) {
	g.active--
	if !c.Retry {
		return
	}
	if g.p.Charge != ChargeDecided {
		g.retries--
	}
	if g.p.Charge != ChargeSent {
		g.waiting++
	}
}

func (g *concurrentRetries) Drop(_ time.Duration, c Call) {
	if !c.Retry {
		return
	}
	if g.p.Charge == ChargeDecided {
		g.retries--
	}
	if g.p.Charge != ChargeSent {
		g.waiting--
	}
}

func (g *concurrentRetries) State(time.Duration) State {
	limit := max(float64(g.p.Min), math.Floor(g.p.Share*float64(g.executions())))
	return State{Level: share(limit-float64(g.retries), limit)}
}
