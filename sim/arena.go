package sim

// arena hands out chunks of events from one block of memory and takes them back.
type arena struct {
	size   int32 // events in a chunk, a power of two
	events []event
	next   []int32 // by chunk: the one after it in its chain, or in the list of free ones
	free   int32
}

const noChunk = -1

// reset empties the arena and makes room for n events in chunks of the given size, a power of two.
func (a *arena) reset(size, n int) {
	a.size = int32(size)
	if chunks := n / size; cap(a.events) < chunks*size {
		a.events, a.next = make([]event, 0, chunks*size), make([]int32, 0, chunks)
	}
	a.events, a.next = a.events[:0], a.next[:0]
	a.free = noChunk
}

func (a *arena) get() int32 {
	if c := a.free; c != noChunk {
		a.free = a.next[c]
		return c
	}
	c := int32(len(a.next))
	a.next = append(a.next, noChunk)
	if n := len(a.events) + int(a.size); n <= cap(a.events) {
		a.events = a.events[:n]
	} else {
		// Grow by a quarter: at ten million workers doubling would waste more than the events take.
		grown := make([]event, n, max(n+n/4, 64*int(a.size)))
		copy(grown, a.events)
		a.events = grown
	}
	return c
}

// A chain is an unordered bag of events in chunks. The zero chain is empty.
type chain struct {
	first, last int32
	count       int32
}

func (a *arena) push(c *chain, e event) {
	in := c.count & (a.size - 1)
	if in == 0 {
		chunk := a.get()
		if c.count == 0 {
			c.first = chunk
		} else {
			a.next[c.last] = chunk
		}
		c.last = chunk
	}
	a.events[int(c.last)*int(a.size)+int(in)] = e
	c.count++
}

// pour appends the events of c to buf and empties c.
func (a *arena) pour(c *chain, buf []event) []event {
	left, chunk := c.count, c.first
	for left > 0 {
		n := min(left, a.size)
		buf = append(buf, a.chunk(chunk, n)...)
		chunk = a.put(chunk)
		left -= n
	}
	c.count = 0
	return buf
}

// chunk returns the first n events of a chunk.
func (a *arena) chunk(i, n int32) []event {
	at := int(i) * int(a.size)
	return a.events[at : at+int(n)]
}

// put frees a chunk and returns the one after it.
func (a *arena) put(chunk int32) (next int32) {
	next = a.next[chunk]
	a.next[chunk], a.free = a.free, chunk
	return next
}

// sameInstant reports whether the events of c all lie on one instant.
func (a *arena) sameInstant(c chain) bool {
	left, chunk := c.count, c.first
	for left > 0 {
		n := min(left, a.size)
		for i := range a.chunk(chunk, n) {
			if a.events[int(chunk)*int(a.size)+i].at != a.events[int(c.first)*int(a.size)].at {
				return false
			}
		}
		chunk = a.next[chunk]
		left -= n
	}
	return true
}
