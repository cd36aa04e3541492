package sim

import (
	"math"
	"time"
)

// A due is something that comes due for a request: its departure, its answer, or its worker's timeout.
type due struct {
	at      Time
	prev    time.Duration // for a timeout whose request has not arrived yet
	task    uint32
	attempt uint32
	request uint32 // index of the request; noRequest for none
	made    uint32 // its generation then: a due of an older one is stale
}

// event returns the attempt of a request that is on its way.
func (d due) event() event { return event{at: d.at, prev: d.prev, task: d.task, attempt: d.attempt} }

func (d *due) before(e *due) bool {
	switch {
	case d.at != e.at:
		return d.at < e.at
	case d.task != e.task:
		return d.task < e.task
	}
	return d.attempt < e.attempt
}

// dues gives dues back in order. Constant service times and timeouts come out in the order they went in, so whatever
// comes in order goes to a ring; the rest goes to a heap beside it.
type dues struct {
	ring       []due // length a power of two
	head, tail uint
	heap       []due
	soonest    Time // at of the first due, or the largest Time
}

func (q *dues) reset() {
	q.head, q.tail, q.heap, q.soonest = 0, 0, q.heap[:0], math.MaxInt64
}

func (q *dues) at(i uint) *due { return &q.ring[i&uint(len(q.ring)-1)] }

func (q *dues) push(d due) {
	q.soonest = min(q.soonest, d.at)
	if q.head != q.tail && d.before(q.at(q.tail-1)) {
		q.heap = pushHeap(q.heap, d)
		return
	}
	if q.tail-q.head == uint(len(q.ring)) {
		old := *q
		q.ring = make([]due, max(64, 2*len(old.ring)))
		for i := old.head; i != old.tail; i++ {
			*q.at(i) = *old.at(i)
		}
	}
	*q.at(q.tail) = d
	q.tail++
}

// pop takes the first due. There must be one.
func (q *dues) pop() due {
	var d due
	if q.head == q.tail || len(q.heap) > 0 && q.heap[0].before(q.at(q.head)) {
		d, q.heap = popHeap(q.heap)
	} else {
		d = *q.at(q.head)
		q.head++
	}
	q.soonest = math.MaxInt64
	if q.head != q.tail {
		q.soonest = q.at(q.head).at
	}
	if len(q.heap) > 0 {
		q.soonest = min(q.soonest, q.heap[0].at)
	}
	return d
}

func (q *dues) empty() bool { return q.head == q.tail && len(q.heap) == 0 }

// peek returns the first due. There must be one.
func (q *dues) peek() *due {
	if q.head == q.tail || len(q.heap) > 0 && q.heap[0].before(q.at(q.head)) {
		return &q.heap[0]
	}
	return q.at(q.head)
}

// inOrder reports whether a due comes after all in the ring.
func (q *dues) inOrder(d *due) bool { return q.head == q.tail || !d.before(q.at(q.tail-1)) }

// lanes are dues of which two sorts come in order each: what a consumer gets again, and what it gets next.
type lanes struct {
	left, right dues
	soonest     Time // at of the first due, or the largest Time
}

func (l *lanes) reset() {
	l.left.reset()
	l.right.reset()
	l.soonest = math.MaxInt64
}

func (l *lanes) push(d due) {
	l.soonest = min(l.soonest, d.at)
	if l.left.inOrder(&d) {
		l.left.push(d)
		return
	}
	l.right.push(d)
}

// pop takes the first due. There must be one.
func (l *lanes) pop() (d due) {
	if l.right.empty() || !l.left.empty() && l.left.peek().before(l.right.peek()) {
		d = l.left.pop()
	} else {
		d = l.right.pop()
	}
	l.soonest = min(l.left.soonest, l.right.soonest)
	return d
}

func (l *lanes) empty() bool { return l.left.empty() && l.right.empty() }
