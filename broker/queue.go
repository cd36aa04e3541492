package broker

import (
	"math"
	"time"
)

const never = time.Duration(math.MaxInt64)

// A message is what the broker knows of a task's message. It is in one place at a time.
type message struct {
	seq        uint64        // its position in the queue it is in
	entered    time.Duration // that queue
	expires    time.Duration // never, if it does not; it does not while it is out
	delivered  time.Duration // last
	deliveries uint32        // that were returned, of a quorum queue
	tag        uint32        // how often it was delivered
	consumer   uint32        // the last one
	next, prev uint32        // deliveries of that consumer, in their order
	redelivery bool          // it was delivered before from this queue
	out        bool          // its consumer has not answered
	foreign    bool          // its x-death was sent by a client, and ends with its next death
}

const noTask = math.MaxUint32

// store is the ready messages of a queue. Those that were returned are kept beside the others and come first: in a classic
// queue at their old positions, which are all before those of what was never delivered; in a quorum queue with a delivery
// limit in the order in which they came back. A quorum queue without a limit appends them.
type store struct {
	cfg     *Queue
	fresh   line
	back    line    // returned to a quorum queue
	old     []place // returned to a classic queue
	delayed []place // not ready: by when they are due
	letters letters
	timed   bool // something in it may have become due since the start
	seq     uint64
	next    time.Duration // when its head expires, the next delayed message is due, or dead letters are sent again
	count   Counts
	most    int // that ever waited
}

// Counts says what became of the messages that entered a queue: Entered = Acked + Died + Dropped + those that are ready,
// held back, or unacknowledged.
type Counts struct {
	Entered    int64
	Deliveries int64
	Redelivers int64          // of Deliveries, those of messages that were delivered before
	Acked      int64          // also messages that were moved on
	Died       [Reasons]int64 // and went to the queue for dead letters
	Dropped    [Drops]int64
	Late       time.Duration // sum of how much later than due messages left for want of a place at the head
	LateMax    time.Duration
	Left       int64 // how many did
}

func (s *store) reset(cfg *Queue) {
	old := *s
	*s = store{cfg: cfg, fresh: old.fresh, back: old.back, old: old.old[:0], delayed: old.delayed[:0], letters: old.letters, next: never}
	s.fresh.reset()
	s.back.reset()
	s.letters.reset()
}

// left counts a message that leaves so much later than it was due.
func (s *store) left(late time.Duration) {
	s.count.Left++
	s.count.Late = add(s.count.Late, late)
	s.count.LateMax = max(s.count.LateMax, late)
}

// heldBack returns how many messages wait that are not ready.
func (s *store) heldBack() int { return len(s.delayed) + s.letters.len() }

// ready returns how many messages there are.
func (s *store) ready() int { return s.fresh.len() + s.back.len() + len(s.old) }

// peek returns the message at the head. There must be one.
func (s *store) peek() uint32 {
	switch {
	case len(s.old) > 0:
		return s.old[0].task
	case s.back.len() > 0:
		return s.back.first()
	}
	return s.fresh.first()
}

// pop takes the message at the head. There must be one.
func (s *store) pop() (task uint32) {
	switch {
	case len(s.old) > 0:
		task = s.old[0].task
		s.old = down(s.old)
		return task
	case s.back.len() > 0:
		return s.back.pop()
	}
	return s.fresh.pop()
}

// giveBack puts a message back that was delivered.
func (s *store) giveBack(task uint32, seq uint64) {
	switch {
	case s.cfg.Kind == Classic:
		s.old = up(s.old, place{seq: seq, task: task})
	case s.cfg.DeliveryLimit == None:
		s.fresh.push(task)
	default:
		s.back.push(task)
	}
}
