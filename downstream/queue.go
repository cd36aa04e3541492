package downstream

import (
	"math"
	"time"
)

// none marks a place in the queue whose request has left it.
const none = ^uint32(0)

// queue is a ring of request ids in the order they came. A place keeps its number while its request waits, so that a
// request can leave from the middle.
type queue struct {
	ring       []uint32 // length a power of two
	head, tail uint64   // places [head, tail) are in use
	waiting    int      // of them, those not left

	timed  bool
	stamps []stamp       // beside the ring, if timed
	empty  time.Duration // when the queue was last found empty by one who came
}

// A stamp is when a request came to the queue, and until when it may wait.
type stamp struct{ came, until time.Duration }

func (q *queue) reset(timed bool) {
	q.head, q.tail, q.waiting, q.timed, q.empty = 0, 0, 0, timed, 0
	if timed && len(q.stamps) < len(q.ring) {
		q.stamps = make([]stamp, len(q.ring))
	}
}

func (q *queue) at(place uint64) *uint32 { return &q.ring[place&uint64(len(q.ring)-1)] }

func (q *queue) stamp(place uint64) *stamp { return &q.stamps[place&uint64(len(q.ring)-1)] }

// stampOf returns the stamp of a request that comes now.
func (q *queue) stampOf(now time.Duration, t *QueueTimeout) stamp {
	s := stamp{now, math.MaxInt64}
	if !q.timed {
		return s
	}
	if q.waiting == 0 {
		q.empty = now
	}
	if t != nil {
		most := t.Interval
		if now-q.empty > t.Interval {
			most = t.Standing
		}
		s.until = addSaturated(now, most)
	}
	return s
}

// push adds id at the end and returns its place.
func (q *queue) push(id uint32, s stamp) uint64 {
	if q.tail-q.head == uint64(len(q.ring)) {
		q.grow()
	}
	place := q.tail
	*q.at(place) = id
	if q.timed {
		*q.stamp(place) = s
	}
	q.tail++
	q.waiting++
	return place
}

func (q *queue) grow() {
	old := *q
	q.ring = make([]uint32, max(64, 2*len(old.ring)))
	if q.timed {
		q.stamps = make([]stamp, len(q.ring))
	}
	for p := old.head; p != old.tail; p++ {
		*q.at(p) = *old.at(p)
		if q.timed {
			*q.stamp(p) = *old.stamp(p)
		}
	}
}

// pop takes the oldest request, or the newest, with its stamp if there are any. The queue must not be empty.
func (q *queue) pop(newest bool) (id uint32, s stamp) {
	q.trim()
	place := q.head
	if newest {
		q.tail--
		place = q.tail
	} else {
		q.head++
	}
	q.waiting--
	if q.timed {
		s = *q.stamp(place)
	}
	return *q.at(place), s
}

// oldest returns the stamp of the oldest request. The queue must be timed and not empty.
func (q *queue) oldest() stamp {
	q.trim()
	return *q.stamp(q.head)
}

// newest returns the stamp of the newest request. The queue must be timed and not empty.
func (q *queue) newest() stamp {
	q.trim()
	return *q.stamp(q.tail - 1)
}

// trim gives empty places at either end back.
func (q *queue) trim() {
	for q.head != q.tail && *q.at(q.head) == none {
		q.head++
	}
	for q.head != q.tail && *q.at(q.tail - 1) == none {
		q.tail--
	}
}

// leave empties a place. Empty places at either end are given back at once, so that a queue which is served from one
// end and abandoned at the other does not grow.
func (q *queue) leave(place uint64) {
	*q.at(place) = none
	q.waiting--
	q.trim()
}
