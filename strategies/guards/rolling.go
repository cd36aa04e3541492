package guards

import "time"

// rolling sums two counts over the last so many buckets of time, the current one, which is not over, among them. Buckets
// begin at multiples of their width since t0. They are made when there is something to count.
type rolling struct {
	ring []counts
	slot int64         // number of the newest bucket
	end  time.Duration // and its end
	a, b int64         // sums
}

type counts struct{ a, b int32 }

// add counts at an instant.
func (r *rolling) add(now, width time.Duration, buckets int, a, b int32) {
	if r.ring == nil {
		r.ring, r.slot = make([]counts, max(buckets, 1)), int64(now/max(width, 1))
	}
	if now >= r.end {
		r.forget(now, width)
	}
	c := &r.ring[r.slot%int64(len(r.ring))]
	c.a, c.b = c.a+a, c.b+b
	r.a, r.b = r.a+int64(a), r.b+int64(b)
}

// forget drops the buckets that have left the window at an instant.
func (r *rolling) forget(now, width time.Duration) {
	width = max(width, 1)
	slot, n := int64(now/width), int64(len(r.ring))
	r.end = now - now%width + width
	if slot <= r.slot {
		return
	}
	if slot-r.slot >= n {
		clear(r.ring)
		r.slot, r.a, r.b = slot, 0, 0
		return
	}
	for r.slot < slot {
		r.slot++
		c := &r.ring[r.slot%n]
		r.a, r.b = r.a-int64(c.a), r.b-int64(c.b)
		*c = counts{}
	}
}

// sums returns the sums at an instant, and forgets nothing.
func (r *rolling) sums(now, width time.Duration) (a, b int64) {
	if now < r.end {
		return r.a, r.b
	}
	slot := int64(now / max(width, 1))
	n := int64(len(r.ring))
	if slot-r.slot >= n {
		return 0, 0
	}
	a, b = r.a, r.b
	for s := r.slot + 1; s <= slot; s++ {
		a, b = a-int64(r.ring[s%n].a), b-int64(r.ring[s%n].b)
	}
	return a, b
}

// empty forgets everything.
func (r *rolling) empty() {
	clear(r.ring)
	r.a, r.b = 0, 0
}

// last sums the failures among the last results, at most a given number of them: a ring of bits, which grows as results
// come, so that a client with few calls keeps few.
type last struct {
	bits     []uint64
	count    int // results in the ring
	next     int
	failures int
}

// add counts a result, and drops the oldest if there are more than most, which is >= 1 and always the same.
func (l *last) add(failed bool, most int) {
	word, bit := l.next/64, uint64(1)<<(l.next%64)
	if word == len(l.bits) {
		l.bits = append(l.bits, 0)
	}
	if l.count < most {
		l.count++
	} else if l.bits[word]&bit != 0 {
		l.failures--
	}
	l.bits[word] &^= bit
	if failed {
		l.bits[word] |= bit
		l.failures++
	}
	if l.next++; l.next == most {
		l.next = 0
	}
}

func (l *last) empty() { l.count, l.next, l.failures = 0, 0, 0 }
