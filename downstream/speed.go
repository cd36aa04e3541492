package downstream

import (
	"math"
	"time"
)

// speed is what makes a service longer than it would be on an idle, warm server.
type speed struct {
	slowdown *Slowdown
	warmUp   *WarmUp
	outage   float64 // share of the full speed while one slows the server down; else 1
	cold     bool
	since    time.Duration // it started
	served   int           // since it started
}

func (v *speed) reset(cfg Config) {
	*v = speed{slowdown: cfg.Slowdown, warmUp: cfg.WarmUp, outage: 1}
	v.cold = cfg.WarmUp != nil && cfg.WarmUp.Cold
}

func (v *speed) start(now time.Duration) { v.cold, v.since, v.served = v.warmUp != nil, now, 0 }

// changes reports whether the share of the full speed is ever less than 1.
func (v *speed) changes(outages []Outage) bool {
	for _, o := range outages {
		if o.Mode == Slow {
			return true
		}
	}
	return v.warmUp != nil
}

// share returns the share of the full speed that the server has reached now.
func (v *speed) share(now time.Duration) float64 {
	if !v.cold {
		return 1
	}
	w := v.warmUp
	grown := 0.0
	if w.Requests > 0 {
		grown = float64(v.served) / float64(w.Requests)
	} else {
		grown = float64(now-v.since) / float64(w.Over)
	}
	if grown >= 1 {
		v.cold = false
		return 1
	}
	return w.From + (1-w.From)*grown
}

// time returns how long a service takes that begins now beside n - 1 others.
func (v *speed) time(service, now time.Duration, n int) time.Duration {
	factor := 1 / (v.share(now) * v.outage)
	if l := v.slowdown; l != nil {
		others := float64(n - 1)
		factor *= 1 + l.Sigma*others + l.Kappa*others*float64(n)
	}
	if factor == 1 {
		return service
	}
	return round(float64(service) * factor)
}

// A Begun is what the server has to know at the end of a service of what it was at its beginning.
type Begun struct {
	Took    time.Duration // how long the service takes
	version uint64        // of the row, when it was read
	missed  float64       // keys of the cache, if its own was one of them
}

// Varies reports whether services take anything but the time that was drawn for them, so that Begin has to be asked.
func (s *Server) Varies() bool {
	return s.speed.changes(s.cfg.Outages) || s.cfg.Slowdown != nil || s.cfg.Cache != nil || s.cfg.Pool != nil || s.cfg.Contention == OCC
}

// MustConnect reports whether the next service needs a new connection first.
func (s *Server) MustConnect() bool { return s.cfg.Pool != nil && s.pool.idle == 0 }

// Begin begins the service of a request that has been given a slot. service is what was drawn for it, extra is added to
// it as it is: a handshake if it must connect, and the way between read and write under contention. u in [0, 1) decides
// over the cache.
func (s *Server) Begin(now, service, extra time.Duration, u float64) Begun {
	b := Begun{version: s.row}
	if s.cfg.Cache != nil {
		var hit bool
		if hit, b.missed = s.cache.ask(now, u); hit {
			service = s.cfg.Cache.Hit
		}
	}
	if s.cfg.Pool != nil {
		s.pool.use()
	}
	b.Took = addSaturated(s.speed.time(service, now, s.busy), extra)
	return b
}

// Finish ends a service. answered says that its client is still waiting. conflict says that the row has been written to
// since it was read: the request has failed.
func (s *Server) Finish(now time.Duration, b Begun, answered bool) (conflict bool) {
	s.speed.served++
	if s.cfg.Cache != nil && b.missed > 0 && (answered || !s.cfg.Cache.FillAnswered) {
		s.cache.fill(now, b.missed)
	}
	if s.cfg.Pool != nil && answered {
		s.pool.giveBack()
	}
	if s.cfg.Contention != OCC {
		return false
	}
	if b.version != s.row {
		return true
	}
	s.row++
	return false
}

// State returns which share of the cache is filled and which of the speed is reached, both 1 where there is no such part.
func (s *Server) State(now time.Duration) (cache, warm float64) {
	return s.cache.share(now), s.speed.share(now) * s.speed.outage
}

// HasState reports whether State is ever anything but 1.
func (s *Server) HasState() bool { return s.cfg.Cache != nil || s.speed.changes(s.cfg.Outages) }

// MostInService returns how many requests can be in service at once: slots, connections, or what is let in.
func (c Config) MostInService() int {
	n := c.Slots
	if n == Unlimited {
		n = math.MaxInt
	}
	if c.Pool != nil {
		n = min(n, c.Pool.Max)
	}
	if c.Concurrency > 0 {
		n = min(n, c.Concurrency)
	}
	return n
}
