package downstream

// none marks a place in the queue whose request has left it.
const none = ^uint32(0)

// queue is a ring of request ids in the order they came. A place keeps its number while its request waits, so that a
// request can leave from the middle.
type queue struct {
	ring       []uint32 // length a power of two
	head, tail uint64   // places [head, tail) are in use
	waiting    int      // of them, those not left
}

func (q *queue) reset() { q.head, q.tail, q.waiting = 0, 0, 0 }

func (q *queue) at(place uint64) *uint32 { return &q.ring[place&uint64(len(q.ring)-1)] }

// push adds id at the end and returns its place.
func (q *queue) push(id uint32) uint64 {
	if q.tail-q.head == uint64(len(q.ring)) {
		q.grow()
	}
	place := q.tail
	*q.at(place) = id
	q.tail++
	q.waiting++
	return place
}

func (q *queue) grow() {
	old := *q
	q.ring = make([]uint32, max(64, 2*len(old.ring)))
	for p := old.head; p != old.tail; p++ {
		*q.at(p) = *old.at(p)
	}
}

// pop takes the oldest request, or the newest. The queue must not be empty.
func (q *queue) pop(newest bool) uint32 {
	for {
		var id uint32
		if newest {
			q.tail--
			id = *q.at(q.tail)
		} else {
			id = *q.at(q.head)
			q.head++
		}
		if id != none {
			q.waiting--
			return id
		}
	}
}

// leave empties a place. Empty places at either end are given back at once, so that a queue which is served from one
// end and abandoned at the other does not grow.
func (q *queue) leave(place uint64) {
	*q.at(place) = none
	q.waiting--
	for q.head != q.tail && *q.at(q.head) == none {
		q.head++
	}
	for q.head != q.tail && *q.at(q.tail - 1) == none {
		q.tail--
	}
}
