package sim

// A bag is a whole bucket of the agenda, in no order, that its owner empties chunk by chunk.
type bag struct {
	from, to Time // what it covers
	in       *arena
	chain    chain
	chunk    int32 // handed out last
	run      []event
}

// bag takes the next bucket as a whole if nothing of it has been taken, it ends by until, is not wider than widest and
// holds at most so many events. A bucket that is too wide for that is spread first, if it holds enough to be worth it.
func (g *agenda) bag(until, widest Time, most int64) (b bag, ok bool) {
	if g.runAt < len(g.run) || len(g.near) > 0 {
		if g.sorted || len(g.near) > 0 || g.runEnd > until || g.runEnd-g.runFrom > widest || int64(len(g.run)) > most {
			return b, false
		}
		g.runAt, g.sorted = len(g.run), true
		g.count -= len(g.run)
		return bag{from: g.runFrom, to: g.runEnd, run: g.run}, true
	}
	for g.count > 0 {
		bucket, in, from, to := g.nextBucket()
		if to <= until && to-from <= widest && int64(bucket.count) <= most {
			b = bag{from: from, to: to, in: in, chain: *bucket, chunk: noChunk}
			g.count -= int(bucket.count)
			g.run, g.runAt, g.runEnd, g.limit, g.sorted = g.run[:0], 0, to, nearMost, true
			if bucket.count > runMost {
				// Some of the next attempts of so many will fall into the same bucket again.
				g.addRung(from, to, int(bucket.count)/4)
			}
			bucket.count = 0
			return b, true
		}
		if g.settle(bucket, in, from, to) {
			return b, false
		}
	}
	return b, false
}

// next returns some of the events, none when all have been returned. They are valid until the call after; new events may
// be pushed meanwhile.
func (b *bag) next() []event {
	if b.in == nil {
		events := b.run
		b.run = nil
		return events
	}
	if b.chunk != noChunk {
		b.chain.first = b.in.put(b.chunk)
	}
	if b.chain.count == 0 {
		return nil
	}
	b.chunk = b.chain.first
	n := min(b.chain.count, b.in.size)
	b.chain.count -= n
	return b.in.chunk(b.chunk, n)
}
