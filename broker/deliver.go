package broker

import "time"

const work = 0 // the queue that consumers take from

// A consumer holds deliveries that it has not answered: a list in the order of delivery.
type consumer struct {
	first, last uint32 // tasks
	held        int
}

// A Delivery is a message in the hands of a consumer.
type Delivery struct {
	Task     uint32
	tag      uint32 // which of the message's deliveries
	Consumer uint32
	Again    bool // it was delivered before
}

// Deliver gives the message at the head of the work queue to a consumer with a free slot: to the one that has had one
// for the longest time without being served. ok is false if there is no message, or nobody to take it.
//
// Source: rabbit_queue_consumers.erl, deliver and unblock; rabbit_fifo.erl, service_queue.
func (b *Broker) Deliver(now time.Duration) (d Delivery, ok bool) {
	s := &b.stores[work]
	if s.next <= now { // nobody gets what has expired
		b.release(now, work)
	}
	if b.open.len() == 0 || s.ready() == 0 {
		return d, false
	}
	i := b.open.pop()
	task := s.pop()
	b.watch(work)
	if b.unacked == 0 && b.tick <= now { // nobody has looked while nothing was out
		b.tick = add(now-now%b.cfg.Tick, b.cfg.Tick)
	}
	m, c := &b.messages[task], &b.consumers[i]
	m.tag++
	d = Delivery{Task: task, tag: m.tag, Consumer: i, Again: m.redelivery}
	s.count.Deliveries++
	if m.redelivery {
		s.count.Redelivers++
	}
	m.redelivery, m.out, m.delivered, m.consumer = true, true, now, i
	m.prev, m.next = c.last, noTask
	if c.last == noTask {
		c.first = task
	} else {
		b.messages[c.last].next = task
	}
	c.last = task
	b.unacked++
	b.slots--
	if c.held++; c.held < b.prefetch {
		b.open.push(i)
	}
	if s.next <= now { // the new head may have expired long ago
		b.release(now, work)
	}
	return d, true
}

// Delivered returns when a task's message was last delivered.
func (b *Broker) Delivered(task uint32) time.Duration { return b.messages[task].delivered }

// Unacked returns how many deliveries have not been answered.
func (b *Broker) Unacked() int { return b.unacked }

// settle takes a delivery out of its consumer's hands. It reports false if that was done before.
func (b *Broker) settle(d Delivery) bool {
	m := &b.messages[d.Task]
	if !m.out || m.tag != d.tag {
		return false
	}
	c := &b.consumers[m.consumer]
	if m.prev == noTask {
		c.first = m.next
	} else {
		b.messages[m.prev].next = m.next
	}
	if m.next == noTask {
		c.last = m.prev
	} else {
		b.messages[m.next].prev = m.prev
	}
	m.out = false
	b.freed(m.consumer, 1)
	return true
}

// freed gives a consumer so many slots back.
func (b *Broker) freed(consumer uint32, n int) {
	c := &b.consumers[consumer]
	if c.held >= b.prefetch && n > 0 {
		b.open.push(consumer)
	}
	c.held -= n
	b.slots += n
	b.unacked -= n
}

// Ack answers a delivery: the message is done, or its client has moved it on. It reports false if the consumer has lost the
// delivery since.
func (b *Broker) Ack(d Delivery) bool {
	if !b.settle(d) {
		return false
	}
	b.stores[work].count.Acked++
	return true
}

// An Answer is how a consumer gives a message back.
type Answer uint8

const (
	Nack   Answer = iota // basic.nack
	Reject               // basic.reject
	loss                 // its channel is gone
)

// GiveBack answers a delivery with a nack or a rejection: the message is requeued, or becomes a dead letter. It reports
// false if the consumer has lost the delivery since.
func (b *Broker) GiveBack(now time.Duration, d Delivery, how Answer, requeue bool) bool {
	if !b.settle(d) {
		return false
	}
	if !requeue {
		b.die(now, d.Task, work, Rejected)
		return true
	}
	slots := b.slots
	if b.cfg.Queues[work].Kind == Classic {
		slots-- // a classic queue looks at its length before it delivers
	}
	b.requeue(now, d.Task, how)
	b.requeued(now, slots)
	return true
}

// requeue puts a message back into the work queue: in a classic queue at its old position; in a quorum queue behind what
// has been returned before, or, without a delivery limit, behind everything. Beyond the limit it is a dead letter.
func (b *Broker) requeue(now time.Duration, task uint32, how Answer) {
	s, m := &b.stores[work], &b.messages[task]
	if s.cfg.Kind == Quorum && (b.cfg.Era < Era4_3 || how != Nack) {
		m.deliveries++
		if limit := s.cfg.DeliveryLimit; limit != None && int(m.deliveries) > limit {
			b.die(now, task, work, DeliveryLimit)
			return
		}
	}
	if s.cfg.RetryMin > 0 {
		s.timed = true
		s.delayed = up(s.delayed, place{at: add(now, s.cfg.heldBack(m.deliveries)), seq: m.seq, task: task})
	} else {
		b.back(now, work, task)
	}
	b.watch(work)
}

// back puts a message back among those that are ready. If its time is over it has been due only from now on: before that
// nobody stood before it.
func (b *Broker) back(now time.Duration, queue int, task uint32) {
	m := &b.messages[task]
	m.expires = max(m.expires, now)
	b.stores[queue].giveBack(task, m.seq)
}

// heldBack returns for how long a message is held back that has come back so many times.
func (q *Queue) heldBack(deliveries uint32) time.Duration {
	n := time.Duration(max(1, deliveries))
	if q.RetryMin > q.RetryMax/n {
		return q.RetryMax
	}
	return q.RetryMin * n
}

// requeued sees to the work queue after something has come back: it may have become too long for the slots that there are,
// and what has expired while it was out does so now.
func (b *Broker) requeued(now time.Duration, slots int) {
	b.trim(now, work, slots)
	b.release(now, work)
	b.note(work)
}

// Close closes the channel of a consumer, as when that crashes: all that it holds is requeued, in the order of delivery. It
// has a new channel at once.
func (b *Broker) Close(now time.Duration, consumer uint32) { b.close(now, consumer, loss) }

func (b *Broker) close(now time.Duration, consumer uint32, how Answer) {
	c := &b.consumers[consumer]
	slots, held := b.slots, c.held
	first := c.first
	c.first, c.last = noTask, noTask
	b.freed(consumer, held)
	for task := first; task != noTask; {
		m := &b.messages[task]
		next := m.next
		m.out = false
		if b.Closed != nil {
			b.Closed(now, Delivery{Task: task, tag: m.tag, Consumer: consumer})
		}
		b.requeue(now, task, how)
		task = next
	}
	b.requeued(now, slots)
}

// closeLate closes the channels of consumers that have not answered a delivery in time. From 4.3 on that does not count as
// a failed delivery.
func (b *Broker) closeLate(now time.Duration) {
	how := loss
	if b.cfg.Era >= Era4_3 {
		how = Nack
	}
	for i := range b.consumers {
		if first := b.consumers[i].first; first != noTask && now-b.messages[first].delivered >= b.cfg.AckTimeout {
			b.close(now, uint32(i), how)
		}
	}
}

// DeliveryCount returns how often a task's message has come back to its quorum queue: x-delivery-count.
func (b *Broker) DeliveryCount(task uint32) int { return int(b.messages[task].deliveries) }
