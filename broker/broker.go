package broker

import "time"

// A Broker is the state of a broker during one run. There is one message a task. Its caller lets it act when Next says so,
// and delivers whenever that is possible: a message that a consumer has room for does not count for the length of its queue.
type Broker struct {
	cfg       Config
	stores    []store
	messages  []message
	deaths    [][]Death // by task, newest first; only as far as somebody has died
	consumers []consumer
	open      line // consumers with a free slot, in the order in which they are served
	prefetch  int
	slots     int // free ones of all consumers
	unacked   int
	next      time.Duration
	tick      time.Duration // of the acknowledgement timeout

	// Dead is told of every message that ends in an inert queue or is dropped; nil for nobody.
	Dead func(now time.Duration, task uint32, queue int, dropped bool)
	// Route says where the dead letters of a routed queue go.
	Route func(task uint32, queue int) (to int)
	// Closed is told of every delivery that is taken back from a consumer whose channel is closed; nil for nobody.
	Closed func(now time.Duration, d Delivery)
}

// Reset makes b the broker of cfg, empty, for so many tasks; more may come.
func (b *Broker) Reset(cfg Config, tasks int) {
	b.cfg = cfg
	for len(b.stores) < len(cfg.Queues) {
		b.stores = append(b.stores, store{})
	}
	b.stores = b.stores[:len(cfg.Queues)]
	for i := range b.stores {
		b.stores[i].reset(&b.cfg.Queues[i])
	}
	b.messages = append(b.messages[:0], make([]message, tasks)...)
	for i := range b.deaths {
		b.deaths[i] = b.deaths[i][:0]
	}
	b.prefetch = cfg.Prefetch
	if b.prefetch == 0 {
		b.prefetch = 1 << 30
		if cfg.Queues[work].Kind == Quorum {
			b.prefetch = quorumPrefetch
		}
	}
	b.consumers = b.consumers[:0]
	b.open.reset()
	for i := range cfg.Consumers {
		b.consumers = append(b.consumers, consumer{first: noTask, last: noTask})
		b.open.push(uint32(i))
	}
	b.slots, b.unacked, b.next = b.prefetch*cfg.Consumers, 0, never
	b.tick = never
	if cfg.AckTimeout > 0 && (cfg.Era < Era4_3 || cfg.Queues[work].Kind == Quorum) {
		b.tick = cfg.Tick
	}
}

// Next returns when the broker next does something by itself, or the largest Duration. Ticks count only while something is
// unacknowledged.
func (b *Broker) Next() time.Duration {
	if b.tick < b.next && b.unacked > 0 {
		return b.tick
	}
	return b.next
}

// Publish brings a message to a queue, with a time to live of its own (0 for none), as a client does: what the broker has
// written into its headers goes on if the client copies them, and the era lets it; where it does not, it can be read until
// the broker writes there again. It reports false if the broker did not take it.
func (b *Broker) Publish(now time.Duration, task uint32, queue int, ttl time.Duration, copied bool) bool {
	for int(task) >= len(b.messages) {
		b.messages = append(b.messages, message{})
	}
	if int(task) < len(b.deaths) {
		if !copied {
			b.deaths[task] = b.deaths[task][:0]
		}
		b.messages[task].foreign = !b.cfg.Era.continues()
	}
	return b.enter(now, task, queue, ttl, true)
}

// enter appends a message to a queue. byClient says that somebody is there to be told if there is no room.
func (b *Broker) enter(now time.Duration, task uint32, queue int, ttl time.Duration, byClient bool) bool {
	s, m := &b.stores[queue], &b.messages[task]
	s.count.Entered++
	m.deliveries, m.redelivery = 0, false
	if s.cfg.Delayed && (ttl <= 0 || ttl > LongestDelay) {
		s.count.Acked++
		return b.enter(now, task, s.cfg.DeadLetter, 0, byClient)
	}
	if b.refuses(queue) {
		b.refuse(now, task, queue, byClient)
		return false
	}
	s.seq++
	m.seq, m.entered, m.expires = s.seq, now, never
	if s.cfg.Delayed {
		s.timed = true
		s.delayed = up(s.delayed, place{at: add(now, ttl), seq: m.seq, task: task})
		b.watch(queue)
		b.note(queue)
		return true
	}
	if own := s.cfg.TTL; own > 0 && (ttl <= 0 || own < ttl) {
		ttl = own
	}
	if ttl > 0 {
		m.expires, s.timed = add(now, ttl), true
	}
	s.fresh.push(task)
	if s.ready() == 1 {
		b.watch(queue)
	}
	if s.cfg.Inert && b.Dead != nil {
		b.Dead(now, task, queue, false)
	}
	b.trim(now, queue, b.slotsOf(queue))
	b.note(queue)
	return true
}

// note keeps how many messages of a queue wait after one has come, if that is the most so far.
func (b *Broker) note(queue int) {
	s := &b.stores[queue]
	s.most = max(s.most, max(0, s.ready()-b.slotsOf(queue))+s.heldBack())
}

// slotsOf returns how many messages of a queue consumers have room for.
func (b *Broker) slotsOf(queue int) int {
	if queue == work {
		return b.slots
	}
	return 0
}

// refuses reports whether a queue has no room for another message, and does not make any. Only ready messages count. A
// quorum queue learns of its length one message late.
func (b *Broker) refuses(queue int) bool {
	s := &b.stores[queue]
	most := s.cfg.MaxLength
	if most == None || s.cfg.Overflow == DropHead || s.cfg.Delayed {
		return false
	}
	if s.cfg.Kind == Quorum {
		most++
	}
	return max(0, s.ready()-b.slotsOf(queue)) >= most
}

// refuse settles what becomes of a message for which there is no room.
func (b *Broker) refuse(now time.Duration, task uint32, queue int, byClient bool) {
	s := &b.stores[queue]
	switch {
	case s.cfg.Overflow == RejectPublishDLX && s.cfg.DeadLetter != None:
		b.die(now, task, queue, MaxLen)
	case byClient:
		b.drop(now, task, queue, NotTaken)
	default:
		b.drop(now, task, queue, Lost)
	}
}

// trim dead-letters the head of a queue that drops it, until what there is beside free slots is not too much.
func (b *Broker) trim(now time.Duration, queue, slots int) {
	s := &b.stores[queue]
	if s.cfg.MaxLength == None || s.cfg.Overflow != DropHead || s.cfg.Delayed {
		return
	}
	for s.ready() > 0 && s.ready()-slots > s.cfg.MaxLength {
		task := s.pop()
		b.watch(queue)
		b.die(now, task, queue, MaxLen)
	}
	b.release(now, queue) // the new head may have expired long ago
}

// watch works out when something in a queue is due, if that ever is.
func (b *Broker) watch(queue int) {
	if s := &b.stores[queue]; s.timed {
		b.find(s)
	}
}

// find works out when something in a queue is due, and in all.
func (b *Broker) find(s *store) {
	next := s.letters.again
	if !s.cfg.Inert && s.ready() > 0 {
		next = min(next, b.messages[s.peek()].expires)
	}
	if len(s.delayed) > 0 {
		next = min(next, s.delayed[0].at)
	}
	was := s.next
	s.next = next
	switch {
	case next <= b.next:
		b.next = next
	case was == b.next:
		b.next = never
		for i := range b.stores {
			b.next = min(b.next, b.stores[i].next)
		}
	}
}

// Advance does what is due: what has expired at the head of its queue becomes a dead letter, whatever else has expired
// behind it, and delayed messages go their way.
func (b *Broker) Advance(now time.Duration) {
	for b.next <= now {
		for queue := range b.stores {
			b.release(now, queue)
		}
	}
	if b.tick <= now {
		b.tick = add(b.tick, b.cfg.Tick)
		b.closeLate(now)
	}
}

// release lets go of what is due in a queue.
func (b *Broker) release(now time.Duration, queue int) {
	s := &b.stores[queue]
	for s.next <= now {
		switch {
		case s.letters.again <= now:
			b.resend(now, queue)
		case len(s.delayed) > 0 && s.delayed[0].at <= now:
			b.releaseDelayed(now, queue)
		default:
			task := s.pop()
			b.watch(queue)
			s.left(now - b.messages[task].expires)
			b.die(now, task, queue, Expired)
		}
	}
}

// releaseDelayed lets the first of the delayed messages of a queue go: on from an exchange, or back into the queue that it
// was returned to.
func (b *Broker) releaseDelayed(now time.Duration, queue int) {
	s := &b.stores[queue]
	p := s.delayed[0]
	s.delayed = down(s.delayed)
	s.left(now - p.at)
	if s.cfg.Delayed {
		b.watch(queue)
		s.count.Acked++
		b.enter(now, p.task, s.cfg.DeadLetter, 0, false)
		return
	}
	b.back(now, queue, p.task)
	b.watch(queue)
	b.trim(now, queue, b.slotsOf(queue))
}

// Shift takes the oldest message out of an inert queue, for somebody who moves it elsewhere.
func (b *Broker) Shift(queue int) (task uint32, ok bool) {
	s := &b.stores[queue]
	if s.ready() == 0 {
		return 0, false
	}
	s.count.Acked++
	return s.pop(), true
}

// Ready returns how many messages of a queue wait: also those that are held back, and dead letters that are not taken.
func (b *Broker) Ready(queue int) int {
	s := &b.stores[queue]
	return s.ready() + s.heldBack()
}

// Most returns how many messages of a queue ever waited, at most. One that a consumer has room for does not wait.
func (b *Broker) Most(queue int) int { return b.stores[queue].most }

// HeldBack returns how many of those that wait cannot be delivered or expire yet: the broker keeps them until they are due,
// or until another queue takes them.
func (b *Broker) HeldBack(queue int) int { return b.stores[queue].heldBack() }

// Oldest returns since when the message at the head of a queue has been there, or false if there is none.
func (b *Broker) Oldest(queue int) (since time.Duration, ok bool) {
	s := &b.stores[queue]
	if s.ready() == 0 {
		return 0, false
	}
	return b.messages[s.peek()].entered, true
}

// Counts returns what became of the messages of a queue.
func (b *Broker) Counts(queue int) Counts { return b.stores[queue].count }

func add(a, b time.Duration) time.Duration {
	if a > never-b {
		return never
	}
	return a + b
}
