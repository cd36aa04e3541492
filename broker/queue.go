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
	expires    time.Duration // never, if it does not; of a delayed message, when it is due
	deaths     []Death       // newest first
	ttl        time.Duration // its own; 0 = none
	deliveries uint32        // that were returned, of a quorum queue
	redelivery bool          // it was delivered before from this queue
}

// A Death is an entry of x-death: how often a message died in a queue for a reason.
type Death struct {
	Queue  int
	Reason Reason
	Count  int
}

// store is the ready messages of a queue. Those that were returned are kept beside the others and come first: in a classic
// queue at their old positions, which are all before those of what was never delivered; in a quorum queue with a delivery
// limit in the order in which they came back. A quorum queue without a limit appends them.
type store struct {
	cfg      *Queue
	ring     []uint32 // tasks; length a power of two
	head     uint64
	tail     uint64
	returned []uint32 // a heap by seq, or a FIFO from first on
	first    int
	fifo     bool // of returned
	seq      uint64
	next     time.Duration // when its head expires, or the next delayed message is due
	count    Counts
}

// Counts says what became of the messages that entered a queue: Entered = Acked + Died + Dropped + those that are ready or
// unacknowledged.
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
	ring, returned := s.ring, s.returned[:0]
	*s = store{cfg: cfg, ring: ring, returned: returned, next: never}
	s.fifo = cfg.Kind == Quorum
}

// left counts a message that leaves so much later than it was due.
func (s *store) left(late time.Duration) {
	s.count.Left++
	s.count.Late += late
	s.count.LateMax = max(s.count.LateMax, late)
}

func (s *store) returns() int { return len(s.returned) - s.first }

// ready returns how many messages there are.
func (s *store) ready() int { return int(s.tail-s.head) + s.returns() }

func (s *store) push(task uint32) {
	if s.tail-s.head == uint64(len(s.ring)) {
		old := s.ring
		s.ring = make([]uint32, max(64, 2*len(old)))
		for p := s.head; p != s.tail; p++ {
			s.ring[p&uint64(len(s.ring)-1)] = old[p&uint64(len(old)-1)]
		}
	}
	s.ring[s.tail&uint64(len(s.ring)-1)] = task
	s.tail++
}

// peek returns the message at the head. There must be one.
func (s *store) peek() uint32 {
	if s.returns() > 0 {
		return s.returned[s.first]
	}
	return s.ring[s.head&uint64(len(s.ring)-1)]
}

// pop takes the message at the head.
func (s *store) pop(messages []message) uint32 {
	switch {
	case s.returns() == 0:
		task := s.ring[s.head&uint64(len(s.ring)-1)]
		s.head++
		return task
	case s.fifo:
		task := s.returned[s.first]
		if s.first++; s.first == len(s.returned) {
			s.returned, s.first = s.returned[:0], 0
		} else if s.first >= 1024 && 2*s.first > len(s.returned) {
			s.returned = s.returned[:copy(s.returned, s.returned[s.first:])]
			s.first = 0
		}
		return task
	}
	task := s.returned[0]
	s.returned = down(s.returned, messages, bySeq)
	return task
}

// giveBack puts a message back that was delivered.
func (s *store) giveBack(task uint32, messages []message) {
	switch {
	case !s.fifo:
		s.returned = up(s.returned, task, messages, bySeq)
	case s.cfg.DeliveryLimit == None:
		s.push(task)
	default:
		s.returned = append(s.returned, task)
	}
}

func bySeq(a, b *message) bool { return a.seq < b.seq }

func byDue(a, b *message) bool {
	return a.expires < b.expires || a.expires == b.expires && a.seq < b.seq
}

// up adds a task to a heap.
func up(heap []uint32, task uint32, messages []message, before func(a, b *message) bool) []uint32 {
	heap = append(heap, task)
	i := len(heap) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !before(&messages[task], &messages[heap[parent]]) {
			break
		}
		heap[i] = heap[parent]
		i = parent
	}
	heap[i] = task
	return heap
}

// down takes the first task from a heap.
func down(heap []uint32, messages []message, before func(a, b *message) bool) []uint32 {
	n := len(heap) - 1
	last := heap[n]
	heap = heap[:n]
	i := 0
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && before(&messages[heap[child+1]], &messages[heap[child]]) {
			child++
		}
		if !before(&messages[heap[child]], &messages[last]) {
			break
		}
		heap[i] = heap[child]
		i = child
	}
	if n > 0 {
		heap[i] = last
	}
	return heap
}
