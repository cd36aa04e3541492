package broker

import "time"

// A Broker is the state of a broker during one run. There is one message a task.
type Broker struct {
	cfg       Config
	stores    []store
	messages  []message
	consumers []consumer
	turn      int // the consumer that is asked first
	free      int // consumers with a free slot
	delayed   [][]uint32
	next      time.Duration
	tick      time.Duration // of the acknowledgement timeout

	// Dead is told of every message that ends in an inert queue or is dropped; nil for nobody.
	Dead func(now time.Duration, task uint32, queue int, dropped bool)
	// Route says where the dead letters of a routed queue go.
	Route func(task uint32, queue int) (to int)
	// Closed is told of every delivery that is taken back from a consumer whose channel is closed; nil for nobody.
	Closed func(now time.Duration, d Delivery)
}

// A consumer holds deliveries that it has not answered, in the order of delivery.
type consumer struct {
	held []Delivery
}

// A Delivery is a message in the hands of a consumer.
type Delivery struct {
	Task     uint32
	Consumer int
	At       time.Duration
	Again    bool // it was delivered before
}

// Reset makes b the broker of cfg, empty, for so many tasks; more may come.
func (b *Broker) Reset(cfg Config, tasks int) {
	b.cfg = cfg
	for len(b.stores) < len(cfg.Queues) {
		b.stores = append(b.stores, store{})
		b.delayed = append(b.delayed, nil)
	}
	b.stores, b.delayed = b.stores[:len(cfg.Queues)], b.delayed[:len(cfg.Queues)]
	for i := range b.stores {
		b.stores[i].reset(&b.cfg.Queues[i])
		b.delayed[i] = b.delayed[i][:0]
	}
	b.messages = append(b.messages[:0], make([]message, tasks)...)
	b.consumers = append(b.consumers[:0], make([]consumer, cfg.Consumers)...)
	b.turn, b.free, b.next = 0, cfg.Consumers, never
	b.tick = never
	if cfg.AckTimeout > 0 {
		b.tick = cfg.Tick
	}
}

// Next returns when the broker next does something by itself, or the largest Duration. Ticks count only while something is
// unacknowledged.
func (b *Broker) Next() time.Duration {
	if b.tick < b.next && b.Unacked() > 0 {
		return b.tick
	}
	return b.next
}

// Publish brings a message to a queue, with a time to live of its own (0 for none), as a client does: what the broker has
// written into its headers goes on if the client copies them, and the era lets it. It reports false if the broker did not
// take it.
func (b *Broker) Publish(now time.Duration, task uint32, queue int, ttl time.Duration, copied bool) bool {
	for int(task) >= len(b.messages) {
		b.messages = append(b.messages, message{})
	}
	m := &b.messages[task]
	if !copied || !b.cfg.Era.continues() {
		m.deaths = m.deaths[:0]
	}
	m.ttl = ttl
	return b.enter(now, task, queue, true)
}

// enter appends a message to a queue. byClient says that somebody is there to be told if there is no room.
func (b *Broker) enter(now time.Duration, task uint32, queue int, byClient bool) bool {
	s, m := &b.stores[queue], &b.messages[task]
	s.count.Entered++
	m.deliveries, m.redelivery = 0, false
	if !b.makeRoom(now, task, queue, byClient) {
		return false
	}
	s.seq++
	m.seq, m.entered, m.expires = s.seq, now, never
	if s.cfg.Delayed {
		m.expires = add(now, m.ttl)
		b.delayed[queue] = up(b.delayed[queue], task, b.messages, byDue)
		b.watch(queue)
		return true
	}
	ttl := m.ttl
	if own := s.cfg.TTL; own > 0 && (ttl == 0 || own < ttl) {
		ttl = own
	}
	if ttl > 0 {
		m.expires = add(now, ttl)
	}
	s.push(task)
	if s.ready() == 1 {
		b.watch(queue)
	}
	if s.cfg.Inert && b.Dead != nil {
		b.Dead(now, task, queue, false)
	}
	return true
}

// makeRoom applies the length limit of a queue to a message that comes. Only ready messages count. A quorum queue that
// rejects learns of its length one message late.
func (b *Broker) makeRoom(now time.Duration, task uint32, queue int, byClient bool) bool {
	s := &b.stores[queue]
	most := s.cfg.MaxLength
	if most == None {
		return true
	}
	if s.cfg.Overflow == DropHead {
		for s.ready() >= max(most, 1) {
			b.die(now, s.pop(b.messages), queue, MaxLen)
		}
		b.watch(queue)
		return true
	}
	if s.cfg.Kind == Quorum {
		most++
	}
	if s.ready() < most {
		return true
	}
	switch {
	case s.cfg.Overflow == RejectPublishDLX && s.cfg.DeadLetter != None:
		b.die(now, task, queue, MaxLen)
	case byClient:
		b.drop(now, task, queue, NotTaken)
	default:
		b.drop(now, task, queue, Lost)
	}
	return false
}

// watch works out when the head of a queue expires, or its next delayed message is due.
func (b *Broker) watch(queue int) {
	s := &b.stores[queue]
	s.next = never
	if s.ready() > 0 && !s.cfg.Inert {
		s.next = b.messages[s.peek()].expires
	}
	if d := b.delayed[queue]; len(d) > 0 {
		s.next = min(s.next, b.messages[d[0]].expires)
	}
	b.next = never
	for i := range b.stores {
		b.next = min(b.next, b.stores[i].next)
	}
}

// Advance does what is due: what has expired at the head of its queue becomes a dead letter, whatever else has expired
// behind it, and delayed messages go their way.
func (b *Broker) Advance(now time.Duration) {
	for b.next <= now {
		for queue := range b.stores {
			if b.stores[queue].next <= now {
				b.release(now, queue)
			}
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
		if d := b.delayed[queue]; len(d) > 0 && b.messages[d[0]].expires <= now {
			b.releaseDelayed(now, queue)
			continue
		}
		task := s.pop(b.messages)
		b.watch(queue)
		s.left(now - b.messages[task].expires)
		b.die(now, task, queue, Expired)
	}
}

// releaseDelayed lets the first of the delayed messages of a queue go.
func (b *Broker) releaseDelayed(now time.Duration, queue int) {
	s := &b.stores[queue]
	task := b.delayed[queue][0]
	b.delayed[queue] = down(b.delayed[queue], b.messages, byDue)
	m := &b.messages[task]
	s.left(now - m.expires)
	if !s.cfg.Delayed { // held back by the broker after a return
		m.expires = never
		s.giveBack(task, b.messages)
		b.watch(queue)
		return
	}
	b.watch(queue)
	s.count.Acked++
	m.ttl = 0
	b.enter(now, task, s.cfg.DeadLetter, false)
}

// die makes a message a dead letter.
func (b *Broker) die(now time.Duration, task uint32, queue int, why Reason) {
	s, m := &b.stores[queue], &b.messages[task]
	to := s.cfg.DeadLetter
	if s.cfg.Routed {
		to = b.Route(task, queue)
	}
	if to == None {
		b.drop(now, task, queue, NoDeadLetter)
		return
	}
	cycle := why != Rejected && b.inCycle(m, to)
	m.record(queue, why)
	if cycle {
		b.drop(now, task, queue, Cycle)
		return
	}
	s.count.Died[why]++
	m.ttl = 0
	b.enter(now, task, to, false)
}

// inCycle reports whether a message comes to a queue for the second time without anybody having rejected it since.
//
// Source: rabbit_dead_letter.erl, is_cycle.
func (b *Broker) inCycle(m *message, to int) bool {
	for _, d := range m.deaths {
		if d.Reason == Rejected {
			return false
		}
		if d.Queue == to {
			return true
		}
	}
	return false
}

// record counts a death in x-death: one entry for each queue and reason, newest first.
func (m *message) record(queue int, why Reason) {
	d := Death{queue, why, 1}
	for i, old := range m.deaths {
		if old.Queue == queue && old.Reason == why {
			d.Count += old.Count
			copy(m.deaths[1:i+1], m.deaths[:i])
			m.deaths[0] = d
			return
		}
	}
	m.deaths = append(m.deaths, Death{})
	copy(m.deaths[1:], m.deaths)
	m.deaths[0] = d
}

func (b *Broker) drop(now time.Duration, task uint32, queue int, why Drop) {
	b.stores[queue].count.Dropped[why]++
	if b.Dead != nil {
		b.Dead(now, task, queue, true)
	}
}

// Shift takes the oldest message out of an inert queue, for somebody who moves it elsewhere.
func (b *Broker) Shift(queue int) (task uint32, ok bool) {
	s := &b.stores[queue]
	if s.ready() == 0 {
		return 0, false
	}
	s.count.Acked++
	return s.pop(b.messages), true
}

// Deaths returns x-death of a task's message, newest first. It is good until something happens to the message.
func (b *Broker) Deaths(task uint32) []Death { return b.messages[task].deaths }

// Ready returns how many messages of a queue wait, delayed ones too.
func (b *Broker) Ready(queue int) int { return b.stores[queue].ready() + len(b.delayed[queue]) }

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
