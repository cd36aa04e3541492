package broker

import "time"

// A place is that of a message in a heap: by instant, then by its position in its queue. What decides over the order lies
// in the heap itself, so keeping it touches no message.
type place struct {
	at   time.Duration
	seq  uint64
	task uint32
}

func (p *place) before(q *place) bool { return p.at < q.at || p.at == q.at && p.seq < q.seq }

// up adds a place to a heap.
func up(heap []place, p place) []place {
	heap = append(heap, p)
	i := len(heap) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !p.before(&heap[parent]) {
			break
		}
		heap[i] = heap[parent]
		i = parent
	}
	heap[i] = p
	return heap
}

// down takes the first place from a heap.
func down(heap []place) []place {
	n := len(heap) - 1
	last := heap[n]
	heap = heap[:n]
	i := 0
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && heap[child+1].before(&heap[child]) {
			child++
		}
		if !heap[child].before(&last) {
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

// A line is a first-in first-out queue of numbers.
type line struct {
	ring       []uint32 // length a power of two
	head, tail uint64
}

func (l *line) reset() { l.head, l.tail = 0, 0 }

func (l *line) len() int { return int(l.tail - l.head) }

// first returns the number at the head. There must be one.
func (l *line) first() uint32 { return l.ring[l.head&uint64(len(l.ring)-1)] }

func (l *line) push(n uint32) {
	if l.len() == len(l.ring) {
		old := l.ring
		l.ring = make([]uint32, max(64, 2*len(old)))
		for p := l.head; p != l.tail; p++ {
			l.ring[p&uint64(len(l.ring)-1)] = old[p&uint64(len(old)-1)]
		}
	}
	l.ring[l.tail&uint64(len(l.ring)-1)] = n
	l.tail++
}

// pop takes the number at the head. There must be one.
func (l *line) pop() uint32 {
	n := l.first()
	l.head++
	return n
}
