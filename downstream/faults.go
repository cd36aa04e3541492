package downstream

import (
	"math"
	"time"
)

// faults is what keeps a server from its work: the outages of its configuration, and its own crash.
type faults struct {
	next    int           // index of the next change: 2i is the beginning of outage i, 2i+1 its end
	outage  int           // that holds; -1 for none
	full    bool          // it is a full one
	until   time.Duration // of a crash
	crashed bool
	mode    Mode // of what holds
	was     bool // down, before the last change
}

func (f *faults) reset() { *f = faults{outage: -1} }

// down reports whether nothing is served.
func (f *faults) down() bool { return f.full || f.crashed }

// refusal is what becomes of a request while the server is down.
func (f *faults) refusal() Verdict {
	if f.mode == Hang {
		return Swallowed
	}
	return Refused
}

// A Change is what a scheduled change of a Server, or a crash, did to it.
type Change struct {
	Lost    bool // what is queued and in service is gone, in the manner of Mode
	Mode    Mode
	Crashed bool          // it was a crash
	Until   time.Duration // of the crash
}

// NextChange returns the instant of the next scheduled change, or the largest Duration if there is none.
func (s *Server) NextChange() time.Duration {
	next := min(s.nextOutage(), s.probe.next())
	if s.faults.crashed {
		next = min(next, s.faults.until)
	}
	return next
}

func (s *Server) nextOutage() time.Duration {
	f := &s.faults
	if f.next >= 2*len(s.cfg.Outages) {
		return math.MaxInt64
	}
	o := s.cfg.Outages[f.next/2]
	if f.next%2 == 0 {
		return o.From
	}
	return o.To
}

// Change makes the scheduled change that is due now: the begin or the end of an outage, the end of a crash, or a probe.
// If it says that all is lost, the caller drops what is in service, and Drain hands out what was queued. After any change
// the caller calls Take until it has nothing more to give.
func (s *Server) Change(now time.Duration) Change {
	switch f := &s.faults; {
	case s.nextOutage() <= now:
		return s.changeOutage(now)
	case f.crashed && f.until <= now:
		f.crashed = false
		s.settle(now)
		return Change{}
	}
	if s.probe.next() <= now && s.probe.due(now, s.busy < s.open, s.full()) {
		return s.crash(now)
	}
	return Change{}
}

func (s *Server) changeOutage(now time.Duration) Change {
	f := &s.faults
	i, begins := f.next/2, f.next%2 == 0
	o := s.cfg.Outages[i]
	f.next++
	if !begins {
		f.outage, f.full = -1, false
		if f.crashed {
			f.mode = s.cfg.Crash.Mode
		}
		s.settle(now)
		return Change{Mode: o.Mode}
	}
	f.outage, f.full = i, o.loses()
	lost := f.full && !f.crashed
	if f.full {
		f.mode = o.Mode
	}
	s.settle(now)
	return Change{Lost: lost, Mode: o.Mode}
}

// settle opens the slots that may work now. A server that was down and is no longer has started.
func (s *Server) settle(now time.Duration) {
	f := &s.faults
	wasDown := f.was
	f.was = f.down()
	s.open = s.slots
	s.speed.outage = 1
	if f.outage >= 0 {
		switch o := s.cfg.Outages[f.outage]; {
		case f.full:
		case o.Mode == Stall:
			s.open = 0
		case o.Mode == Slow:
			s.speed.outage = o.Capacity
		default:
			s.open = max(1, int(float64(s.slots)*o.Capacity+1e-9)) // 100 x 0.29 is 28.999999999999996
		}
	}
	switch {
	case f.down():
		s.open, s.busy, s.debt = 0, 0, 0
		s.probe.stop()
	case wasDown:
		s.speed.start(now)
		s.cache.empty()
		s.pool.lose()
		s.probe.reset(s.cfg.Crash, now)
		if s.cfg.RateLimit != nil {
			s.limit.start(now)
		}
	}
}
