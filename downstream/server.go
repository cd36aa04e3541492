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
	Refused                  // refused by an outage or a crash
	Swallowed                // taken by an outage or a crash that hangs: no answer will come
	Breaking                 // it makes the downstream crash: all is lost, and it with it
	Dropped                  // there was no room, and no answer will come
)

// A Server is the state of a downstream during one run. Its caller keeps the clock: it tells of arrivals, of slots that
// fall free and of changes when they are due, in the order of time.
type Server struct {
	cfg    Config
	slots  int // that there are
	room   int // most requests in slots and queue together
	open   int // slots that take work now: fewer in a brown-out, none when down
	busy   int
	debt   time.Duration
	queue  queue
	limit  bucket
	line   line
	speed  speed
	cache  cache
	pool   pool
	probe  probe
	faults faults
	row    uint64 // version of the row that all contend for

	forgets bool // nothing is remembered of a request that is Full, and nothing told
}

// Reset makes s the server of cfg at t0, before any change that is due then.
func (s *Server) Reset(cfg Config) {
	q := s.queue
	q.reset(cfg.QueueTimeout != nil || cfg.Crash != nil && cfg.Crash.Liveness.Every > 0)
	*s = Server{cfg: cfg, slots: cfg.MostInService(), room: math.MaxInt, queue: q}
	if cfg.Concurrency > 0 {
		s.room = cfg.Concurrency
	}
	s.open = s.slots
	s.forgets = cfg.RateLimit == nil && cfg.RejectCost == 0 && cfg.RetryAfter == nil && cfg.QueueTimeout == nil && cfg.Overflow == Reject
	if cfg.RateLimit != nil {
		s.limit.reset(*cfg.RateLimit)
	}
	s.line.reset(cfg)
	s.speed.reset(cfg)
	s.cache.reset(cfg.Cache)
	s.pool.reset(cfg.Pool)
	s.probe.reset(cfg.Crash, 0)
	s.faults.reset()
}

// Busy returns how many slots are working.
func (s *Server) Busy() int { return s.busy }

// Queued returns how many requests wait.
func (s *Server) Queued() int { return s.queue.waiting }

// full reports whether there is no place in the queue for one more.
func (s *Server) full() bool {
	return s.cfg.Queue != Unlimited && s.queue.waiting >= s.cfg.Queue || s.busy+s.queue.waiting >= s.room
}

// TurnsAway reports whether every request would be Full now, with nothing to remember of it.
func (s *Server) TurnsAway() bool {
	return s.forgets && s.busy >= s.open && s.full() && !s.faults.down()
}

// Admit says what becomes of a request that arrives now. retryAfter > 0 is what the downstream asks of a client it
// has Limited, or for which it is Full.
func (s *Server) Admit(now time.Duration) (v Verdict, retryAfter time.Duration) {
	if s.faults.down() {
		return s.faults.refusal(), 0
	}
	if s.cfg.RateLimit != nil {
		if ok, after := s.limit.take(now); !ok {
			return Limited, after
		}
	}
	free := s.busy < s.open && s.busy+s.queue.waiting < s.room
	switch {
	case !free && s.full():
		s.debt = addSaturated(s.debt, s.cfg.RejectCost)
		if s.cfg.Overflow == Drop {
			return Dropped, 0
		}
		if s.forgets {
			return Full, 0
		}
		return Full, s.line.ask(now)
	case s.breaks(free):
		return Breaking, 0
	case free:
		s.busy++
		return Started, 0
	}
	return Waiting, 0
}

// Expired takes the oldest request out of the queue if it has waited longer than it may and its place is needed. The
// caller asks before Admit, until there is none.
func (s *Server) Expired(now time.Duration) (id uint32, ok bool) {
	if s.cfg.QueueTimeout == nil || s.queue.waiting == 0 || !s.full() || s.queue.oldest().until >= now {
		return 0, false
	}
	id, _ = s.queue.pop(false)
	return id, true
}

// Asks returns what a rejection of a request whose time in the queue is over asks of its client.
func (s *Server) Asks(now time.Duration) (retryAfter time.Duration) { return s.line.ask(now) }

// Enqueue lets a request that may wait do so from now on and returns its place.
func (s *Server) Enqueue(id uint32, now time.Duration) (place uint64) {
	return s.queue.push(id, s.queue.stampOf(now, s.cfg.QueueTimeout))
}

// Leave takes the request at place out of the queue.
func (s *Server) Leave(place uint64) { s.queue.leave(place) }

// Free ends the work of one slot.
func (s *Server) Free() { s.busy-- }

// A Job is the next work of a slot.
type Job struct {
	ID   uint32        // of the request whose turn it is
	Debt time.Duration // > 0: there is no request; the slot works off the debt for rejected ones, for so long
	Late bool          // the request has waited longer than it may: it is rejected, and the slot is still free
}

// Take gives the next work to a slot that is free: first the debt for rejected requests, which keeps one slot busy for
// that long, then the request whose turn it is. ok is false if there is no free slot, or nothing to do.
func (s *Server) Take(now time.Duration) (job Job, ok bool) {
	if s.busy >= s.open || s.nextOutage() <= now { // where one begins as another ends, the slots are never all free
		return Job{}, false
	}
	if s.debt > 0 {
		job.Debt, s.debt = s.debt, 0
		s.busy++
		return job, true
	}
	newest := s.cfg.Order == LIFO || s.cfg.Order == Adaptive && s.queue.waiting > s.cfg.LIFOAbove
	if s.probe.waits {
		s.probe.answer(&s.queue, newest)
	}
	if s.queue.waiting == 0 {
		return Job{}, false
	}
	id, stamp := s.queue.pop(newest)
	if s.cfg.QueueTimeout != nil && stamp.until < now {
		return Job{ID: id, Late: true}, true
	}
	s.busy++
	return Job{ID: id}, true
}

// Drain takes the next request out of the queue without serving it.
func (s *Server) Drain() (id uint32, ok bool) {
	if s.queue.waiting == 0 {
		s.queue.reset(s.queue.timed)
		return 0, false
	}
	id, _ = s.queue.pop(false)
	return id, true
}

func addSaturated(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
