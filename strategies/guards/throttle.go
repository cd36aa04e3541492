package guards

import (
	"time"

	"herdsim/strategies"
)

// Throttle is the client-side throttling of the SRE book: an attempt is put off with the chance
//
//	p = max(0, (requests - K × accepts) / (requests + 1))
//
// requests counts attempts when they are due, put off or not, accepts those that the downstream served or failed after
// service, both over Window. With K = 2 the downstream is asked about twice as often as it accepts, and when it accepts
// nothing, now and then, so that the client finds out that it is back; a lower K holds back more. Window is kept in Buckets, of which the current one is not
// over.
//
// Source: Beyer et al., "Site Reliability Engineering", 2016, chapter 21 (K = 2, two minutes); go-zero, core/breaker
// (googlebreaker.go: K = 1.5, 10 s in 40 buckets, without its protection of the first five).
type Throttle struct {
	K       float64       // >= 1
	Window  time.Duration // > 0
	Buckets int           // >= 1
}

var _ Maker = (*Throttle)(nil)

// Make returns a throttle that has seen no call.
func (p *Throttle) Make() Guard { return &throttle{p: p} }

type throttle struct {
	p     *Throttle
	calls rolling // requests and accepts
}

func (p *Throttle) width() time.Duration { return max(p.Window/time.Duration(max(p.Buckets, 1)), 1) }

// chance returns the chance to be put off.
func (g *throttle) chance(now time.Duration) float64 {
	requests, accepts := g.calls.sums(now, g.p.width())
	return max(0, (float64(requests)-g.p.K*float64(accepts))/float64(requests+1))
}

func (g *throttle) Allow(time.Duration, strategies.Outcome) (uint64, bool) { return 0, true }

func (g *throttle) Admit(now time.Duration, _ Call, u float64) Answer {
	p := g.chance(now)
	g.calls.add(now, g.p.width(), g.p.Buckets, 1, 0)
	if u < p {
		return Answer{Verdict: PutOff, Until: now}
	}
	return Answer{}
}

func (g *throttle) Done(now time.Duration, _ Call, o strategies.Outcome) {
	if o == strategies.Served || o == strategies.Errored {
		g.calls.add(now, g.p.width(), g.p.Buckets, 0, 1)
	}
}

func (g *throttle) Cancel(now time.Duration, _ Call) {
	g.calls.add(now, g.p.width(), g.p.Buckets, -1, 0)
}

func (g *throttle) Drop(time.Duration, Call) {}

func (g *throttle) State(now time.Duration) State { return State{Level: 1 - g.chance(now)} }
