package downstream

import (
	"math"
	"time"
)

// A Verdict is what a downstream does with a request that reaches it.
type Verdict uint8

const (
	Started   Verdict = iota // has a slot from now on
	Waiting                  // may wait: Enqueue it
	Full                     // rejected for want of room
	Limited                  // rejected by the rate limit
	Refused                  // refused by an outage
	Swallowed                // taken by an outage that hangs: no answer will come
)

// A Server is the state of a downstream during one run. Its caller keeps the clock: it tells of arrivals, of slots that
// fall free and of changes when they are due, in the order of time.
type Server struct {
	cfg   Config
	open  int // slots that take work now: fewer in a brown-out, none in a full outage
	busy  int
	down  bool
	mode  Mode
	debt  time.Duration
	queue queue
	limit bucket
	next  int // index of the next change: 2i is the beginning of outage i, 2i+1 its end
}

// Reset makes s the server of cfg at t0, before any change that is due then.
func (s *Server) Reset(cfg Config) {
	q := s.queue
	q.reset()
	*s = Server{cfg: cfg, open: cfg.Slots, queue: q}
	if cfg.RateLimit != nil {
		s.limit.reset(*cfg.RateLimit)
	}
}

// Busy returns how many slots are working.
func (s *Server) Busy() int { return s.busy }

// Queued returns how many requests wait.
func (s *Server) Queued() int { return s.queue.waiting }

// NextChange returns the instant of the next scheduled change, or the largest Duration if there is none.
func (s *Server) NextChange() time.Duration {
	if s.next >= 2*len(s.cfg.Outages) {
		return math.MaxInt64
	}
	o := s.cfg.Outages[s.next/2]
	if s.next%2 == 0 {
		return o.From
	}
	return o.To
}

// Change makes the next scheduled change. lost says that what is queued and in service is gone, and mode how; the caller
// drops what is in service, and Drain hands out what was queued. After any change the caller calls Take until it has
// nothing more to give.
func (s *Server) Change() (lost bool, mode Mode) {
	o := s.cfg.Outages[s.next/2]
	begins := s.next%2 == 0
	s.next++
	switch {
	case !begins:
		s.open, s.down = s.cfg.Slots, false
		return false, o.Mode
	case !o.Full():
		s.open = max(1, int(float64(s.cfg.Slots)*o.Capacity+1e-9)) // 100 x 0.29 is 28.999999999999996
		return false, o.Mode
	}
	s.open, s.down, s.mode = 0, true, o.Mode
	s.busy, s.debt = 0, 0
	return true, o.Mode
}

// Drain takes the next request out of the queue without serving it.
func (s *Server) Drain() (id uint32, ok bool) {
	if s.queue.waiting == 0 {
		s.queue.reset()
		return 0, false
	}
	return s.queue.pop(false), true
}

// TurnsAway reports whether every request would be Full now, with nothing to remember of it.
func (s *Server) TurnsAway() bool {
	return !s.down && s.busy >= s.open && s.cfg.Queue >= 0 && s.queue.waiting >= s.cfg.Queue && s.cfg.RateLimit == nil &&
		s.cfg.RejectCost == 0
}

// Admit says what becomes of a request that arrives now. retryAfter > 0 is what the downstream asks of a client it
// has Limited.
func (s *Server) Admit(now time.Duration) (v Verdict, retryAfter time.Duration) {
	if s.down {
		if s.mode == Hang {
			return Swallowed, 0
		}
		return Refused, 0
	}
	if s.cfg.RateLimit != nil {
		if ok, after := s.limit.take(now); !ok {
			return Limited, after
		}
	}
	switch {
	case s.busy < s.open:
		s.busy++
		return Started, 0
	case s.cfg.Queue == Unlimited || s.queue.waiting < s.cfg.Queue:
		return Waiting, 0
	}
	s.debt = addSaturated(s.debt, s.cfg.RejectCost)
	return Full, 0
}

// Enqueue lets a request that may wait do so and returns its place.
func (s *Server) Enqueue(id uint32) (place uint64) { return s.queue.push(id) }

// Leave takes the request at place out of the queue.
func (s *Server) Leave(place uint64) { s.queue.leave(place) }

// Free ends the work of one slot.
func (s *Server) Free() { s.busy-- }

// Take gives the next work to a slot that is free: first the debt for rejected requests, which keeps one slot busy for
// that long, then the request whose turn it is. ok is false if there is no free slot, or nothing to do.
func (s *Server) Take() (id uint32, debt time.Duration, ok bool) {
	switch {
	case s.busy >= s.open:
		return 0, 0, false
	case s.debt > 0:
		debt, s.debt = s.debt, 0
		s.busy++
		return 0, debt, true
	case s.queue.waiting > 0:
		s.busy++
		return s.queue.pop(s.cfg.Order == LIFO), 0, true
	}
	return 0, 0, false
}

func addSaturated(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
