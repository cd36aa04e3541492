package downstream

import (
	"math"
	"time"
)

// breaks reports whether one more request is more than the server can bear: in a slot, or in the queue.
func (s *Server) breaks(slot bool) bool {
	c := s.cfg.Crash
	if c == nil {
		return false
	}
	return c.InFlight > 0 && s.busy+s.queue.waiting >= c.InFlight || !slot && c.Queued > 0 && s.queue.waiting >= c.Queued
}

// Crash makes the server crash now, because Admit has said that it is Breaking. What Change says of a change that is due
// holds here too.
func (s *Server) Crash(now time.Duration) Change { return s.crash(now) }

func (s *Server) crash(now time.Duration) Change {
	f, c := &s.faults, s.cfg.Crash
	f.crashed, f.until, f.mode = true, addSaturated(now, c.Down), c.Mode
	s.settle(now)
	return Change{Lost: true, Mode: c.Mode, Crashed: true, Until: f.until}
}

// probe is the liveness probe of a server: at most one at a time is under way.
type probe struct {
	cfg     Liveness
	at      time.Duration // of the next one; the largest Duration for none
	sent    time.Duration // of the one that waits
	waits   bool
	failing int // in a row
}

func (p *probe) reset(c *Crash, now time.Duration) {
	*p = probe{at: math.MaxInt64}
	if c != nil && c.Liveness.Every > 0 {
		p.cfg = c.Liveness
		p.at = addSaturated(now, p.cfg.Every)
	}
}

func (p *probe) stop() { p.at, p.waits = math.MaxInt64, false }

// next returns when something is due.
func (p *probe) next() time.Duration {
	if p.waits {
		return min(p.at, addSaturated(p.sent, p.cfg.Timeout))
	}
	return p.at
}

// due sends the probe that is due now, to a server with a free slot or a full house, or gives up the one that waits. It
// reports whether too many have failed.
func (p *probe) due(now time.Duration, free, full bool) (crash bool) {
	if p.waits { // and has no answer: a probe is not sent before the one before it has ended
		p.waits = false
		return p.fail()
	}
	p.sent, p.at = now, addSaturated(now, p.cfg.Every)
	switch {
	case free:
		p.failing = 0
	case full:
		return p.fail()
	default:
		p.waits = true
	}
	return false
}

func (p *probe) fail() (crash bool) {
	p.failing++
	return p.failing >= p.cfg.Failures
}

// answer answers the probe that waits if it is its turn, now that a slot is free. Who came at the instant at which it was
// sent came after it, as all do at an instant of a change.
func (p *probe) answer(q *queue, newest bool) {
	if q.waiting == 0 || newest && q.newest().came < p.sent || !newest && q.oldest().came >= p.sent {
		p.waits, p.failing = false, 0
	}
}
