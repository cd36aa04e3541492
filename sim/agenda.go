package sim

import (
	"math"
	"math/bits"
)

// agenda holds the attempts to come and gives them back in order (event.before).
//
// It is a ladder of time buckets. The lowest rung is a ring of coarse buckets over the longest wait, with an overflow
// bag for what lies beyond. When a coarse bucket's time comes it is spread over a rung of finer buckets sized to its
// content, and so on, until a bucket holds few events or one instant: that one is sorted, once, and becomes the run
// that events are taken from. An event that falls into the time of the run goes to a small heap beside it, and when
// that heap grows the rest of the run's time becomes a rung again. So an insertion is an append, and no event is
// compared with more than its neighbours in time.
type agenda struct {
	far      arena // of the ring and the overflow
	ring     rung
	close    arena  // of the rungs: a little memory, used again and again while it is in the cache
	rungs    []rung // finer and finer
	depth    int    // rungs in use
	overflow chain
	earliest Time // of the overflow

	run             []event // [runAt:] is to come
	sorted          bool    // the run is
	runAt           int
	runFrom, runEnd Time    // what it covers: events before runEnd go to near
	near            []event // a heap
	limit           int     // of near, before its time is spread again
	spare           []event // for sorting
	count           int
}

// A rung is a row of buckets of 1<<shift nanoseconds each. Those up to current have been taken.
type rung struct {
	shift   uint
	base    int64 // number of the first bucket, counted from t0
	current int64 // absolute number of the bucket that was taken last
	end     Time  // of the last bucket
	buckets []chain
}

const (
	fineChunk = 8
	maxChunk  = 64
	runMost   = 96  // more events than that are spread again rather than sorted
	nearMost  = 192 // more than that beside a run and its time is spread again, if it can be
	perFine   = 16  // events a fine bucket should hold
)

// reset empties the agenda for about n events that lie up to longest ahead.
func (g *agenda) reset(n int, longest Time) {
	coarse := max(16, min(4096, 1<<bits.Len(uint(n/16))))
	chunk := min(maxChunk, max(8, 1<<bits.Len(uint(n/coarse/8))))
	g.far.reset(chunk, n+n/8+coarse*chunk/2)
	g.close.reset(fineChunk, n/8)
	g.ring = rung{buckets: resized(g.ring.buckets, coarse), current: -1}
	g.ring.shift = uint(bits.Len64(uint64(longest) / uint64(coarse-1)))
	g.depth, g.overflow, g.earliest = 0, chain{}, math.MaxInt64
	g.run, g.runAt, g.runEnd, g.sorted, g.near, g.limit = g.run[:0], 0, 1, true, g.near[:0], nearMost
	g.count = 0
}

func resized(b []chain, n int) []chain {
	if cap(b) < n {
		return make([]chain, n)
	}
	b = b[:n]
	clear(b)
	return b
}

// push adds e, which must not lie before the last event taken.
func (g *agenda) push(e event) {
	g.count++
	if e.at < g.runEnd {
		g.pushNear(e)
		return
	}
	for i := g.depth - 1; i >= 0; i-- {
		r := &g.rungs[i]
		if e.at < r.end {
			g.close.push(&r.buckets[int64(e.at)>>r.shift-r.base], e)
			return
		}
	}
	g.pushRing(e)
}

func (g *agenda) pushRing(e event) {
	n := int64(e.at) >> g.ring.shift
	if ahead := n - g.ring.current; ahead <= int64(len(g.ring.buckets)) {
		g.far.push(&g.ring.buckets[n&int64(len(g.ring.buckets)-1)], e)
		return
	}
	g.far.push(&g.overflow, e)
	g.earliest = min(g.earliest, e.at)
}

// peek returns the next event, nil if there is none. It stays valid until the next push.
func (g *agenda) peek() *event {
	if g.runAt == len(g.run) && len(g.near) == 0 && !g.advance() {
		return nil
	}
	if !g.sorted {
		g.sort()
	}
	if len(g.near) == 0 || g.runAt < len(g.run) && g.run[g.runAt].before(&g.near[0]) {
		return &g.run[g.runAt]
	}
	return &g.near[0]
}

// peekFirst returns the first event at t0, nil if there is none, before anything later has been taken.
func (g *agenda) peekFirst() *event {
	if len(g.near) == 0 {
		return nil
	}
	return &g.near[0]
}

// pop removes the event that peek returned.
func (g *agenda) pop() {
	g.count--
	if len(g.near) == 0 || g.runAt < len(g.run) && g.run[g.runAt].before(&g.near[0]) {
		g.runAt++
		return
	}
	_, g.near = popHeap(g.near)
}

// advance makes a run of the next bucket that holds anything.
func (g *agenda) advance() bool {
	if g.count == 0 {
		return false
	}
	for {
		bucket, in, from, to := g.nextBucket()
		if g.settle(bucket, in, from, to) {
			return true
		}
	}
}

// settle makes a run of a bucket, or spreads it if it holds too much.
func (g *agenda) settle(bucket *chain, in *arena, from, to Time) bool {
	if bucket.count <= runMost || to-from == 1 || in.sameInstant(*bucket) {
		g.run = in.pour(bucket, g.run[:0])
		g.runAt, g.runFrom, g.runEnd, g.limit, g.sorted = 0, from, to, nearMost, false
		return true
	}
	g.addRung(from, to, int(bucket.count))
	g.spread(bucket, in)
	return false
}

// nextBucket takes the next bucket that holds anything, with the arena its events are in and the time it covers.
func (g *agenda) nextBucket() (b *chain, in *arena, from, to Time) {
	for ; g.depth > 0; g.depth-- {
		r := &g.rungs[g.depth-1]
		for last := r.base + int64(len(r.buckets)) - 1; r.current < last; {
			r.current++
			if b := &r.buckets[r.current-r.base]; b.count > 0 {
				from, to = r.span()
				return b, &g.close, from, min(to, r.end)
			}
		}
	}
	b = g.nextCoarse()
	from, to = g.ring.span()
	return b, &g.far, from, to
}

// span returns the time that the current bucket covers.
func (r *rung) span() (from, to Time) {
	from = Time(r.current) << r.shift
	if to = from + 1<<r.shift; to < from {
		to = math.MaxInt64
	}
	return from, to
}

// nextCoarse takes the next bucket of the ring, after the overflow has given back what is due by then.
func (g *agenda) nextCoarse() *chain {
	r := &g.ring
	mask := int64(len(r.buckets) - 1)
	for step := 0; ; step++ {
		if step > len(r.buckets) {
			// The ring is empty: go on where the overflow begins.
			r.current = int64(g.earliest)>>r.shift - 1
		}
		if g.overflow.count > 0 && int64(g.earliest)>>r.shift <= r.current+1 {
			g.giveBack()
			step = 0
		}
		r.current++
		if b := &r.buckets[r.current&mask]; b.count > 0 {
			return b
		}
	}
}

// giveBack moves what it can from the overflow to the ring. If most of it still lies beyond, the ring is too short for
// the waits of this run, and its buckets are made wide enough.
func (g *agenda) giveBack() {
	all := g.far.pour(&g.overflow, nil)
	g.earliest = math.MaxInt64
	for _, e := range all {
		g.pushRing(e)
	}
	if int(g.overflow.count) <= len(all)/2 {
		return
	}
	all = g.far.pour(&g.overflow, all[:0])
	for i := range g.ring.buckets {
		all = g.far.pour(&g.ring.buckets[i], all)
	}
	var latest Time
	for i := range all {
		latest = max(latest, all[i].at)
	}
	r := &g.ring
	now := Time(r.current+1) << r.shift // nothing lies before it
	for int64(latest)>>r.shift-(int64(now)>>r.shift-1) > int64(len(r.buckets)) {
		r.shift++
	}
	r.current = int64(now)>>r.shift - 1
	g.earliest = math.MaxInt64
	for _, e := range all {
		g.pushRing(e)
	}
}

// addRung adds a finer rung over [from, to) for n events.
func (g *agenda) addRung(from, to Time, n int) {
	if g.depth == len(g.rungs) {
		g.rungs = append(g.rungs, rung{})
	}
	r := &g.rungs[g.depth]
	g.depth++
	want := max(2, min(n/perFine, 1<<11))
	r.shift = uint(max(0, bits.Len64(uint64(to-from-1))-bits.Len(uint(want-1))))
	r.base = int64(from) >> r.shift
	r.buckets = resized(r.buckets, int(int64(to-1)>>r.shift-r.base)+1)
	r.current = r.base - 1
	r.end = to
	g.run, g.runAt, g.runEnd, g.sorted = g.run[:0], 0, from, true
}

// spread moves the events of c to the finest rung.
func (g *agenda) spread(c *chain, in *arena) {
	r := &g.rungs[g.depth-1]
	var batch [maxChunk]event
	left, chunk := c.count, c.first
	c.count = 0
	for left > 0 {
		n := min(left, in.size)
		copy(batch[:n], in.chunk(chunk, n))
		chunk = in.put(chunk)
		for i := range batch[:n] {
			g.close.push(&r.buckets[int64(batch[i].at)>>r.shift-r.base], batch[i])
		}
		left -= n
	}
}

// pushNear adds e to the heap beside the run.
func (g *agenda) pushNear(e event) {
	if len(g.near) >= g.limit && g.respread(e) {
		return
	}
	g.near = pushHeap(g.near, e)
}

// respread turns the run and the heap beside it into a rung again, unless they all lie on one instant.
func (g *agenda) respread(e event) bool {
	if !g.sorted {
		g.sort()
	}
	from, to := e.at, e.at
	for _, part := range [2][]event{g.run[g.runAt:], g.near} {
		for i := range part {
			from, to = min(from, part[i].at), max(to, part[i].at)
		}
	}
	if from == to {
		g.limit *= 2 // look again when it has doubled
		return false
	}
	g.spare = append(append(g.spare[:0], g.run[g.runAt:]...), g.near...)
	g.near = g.near[:0]
	g.addRung(from, g.runEnd, len(g.spare))
	r := &g.rungs[g.depth-1]
	for _, f := range append(g.spare, e) {
		g.close.push(&r.buckets[int64(f.at)>>r.shift-r.base], f)
	}
	return true
}
