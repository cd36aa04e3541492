package broker

import (
	"slices"
	"time"
)

const work = 0 // the queue that consumers take from

// Deliver gives the message at the head of the work queue to a consumer with a free slot: the one after the last that was
// served, round robin. ok is false if there is no message, or nobody to take it.
func (b *Broker) Deliver(now time.Duration) (d Delivery, ok bool) {
	s := &b.stores[work]
	if b.free == 0 || s.ready() == 0 {
		return d, false
	}
	for b.full(b.turn) {
		b.turn = (b.turn + 1) % len(b.consumers)
	}
	task := s.pop(b.messages)
	b.watch(work)
	m := &b.messages[task]
	d = Delivery{Task: task, Consumer: b.turn, At: now, Again: m.redelivery}
	s.count.Deliveries++
	if m.redelivery {
		s.count.Redelivers++
	}
	m.redelivery = true
	c := &b.consumers[b.turn]
	c.held = append(c.held, d)
	if b.full(b.turn) {
		b.free--
	}
	b.turn = (b.turn + 1) % len(b.consumers)
	return d, true
}

func (b *Broker) full(consumer int) bool {
	return b.cfg.Prefetch > 0 && len(b.consumers[consumer].held) >= b.cfg.Prefetch
}

// Unacked returns how many deliveries have not been answered.
func (b *Broker) Unacked() (n int) {
	for i := range b.consumers {
		n += len(b.consumers[i].held)
	}
	return n
}

// settle takes a delivery out of its consumer's hands. It reports false if that was done before.
func (b *Broker) settle(d Delivery) bool {
	c := &b.consumers[d.Consumer]
	i := slices.Index(c.held, d)
	if i < 0 {
		return false
	}
	if b.full(d.Consumer) {
		b.free++
	}
	c.held = slices.Delete(c.held, i, i+1)
	return true
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
	b.requeue(now, d.Task, how)
	return true
}

// requeue puts a message back into the work queue: in a classic queue at its old position; in a quorum queue behind what
// has been returned before, or, without a delivery limit, behind everything. Beyond the limit it is a dead letter. What
// has expired while it was out does so now.
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
		hold := s.cfg.RetryMin * time.Duration(max(1, m.deliveries))
		m.expires = add(now, min(hold, s.cfg.RetryMax))
		b.delayed[work] = up(b.delayed[work], task, b.messages, byDue)
		b.watch(work)
		return
	}
	s.giveBack(task, b.messages)
	b.watch(work)
	if s.next <= now {
		b.release(now, work)
	}
}

// Close closes the channel of a consumer: all that it holds is requeued, in the order of delivery. It has a new channel at
// once.
func (b *Broker) Close(now time.Duration, consumer int) { b.close(now, consumer, loss) }

func (b *Broker) close(now time.Duration, consumer int, how Answer) {
	c := &b.consumers[consumer]
	if b.full(consumer) {
		b.free++
	}
	held := slices.Clone(c.held)
	c.held = c.held[:0]
	for _, d := range held {
		if b.Closed != nil {
			b.Closed(now, d)
		}
		b.requeue(now, d.Task, how)
	}
}

// closeLate closes the channels of consumers that have not answered a delivery in time. From 4.3 on that does not count as
// a failed delivery.
func (b *Broker) closeLate(now time.Duration) {
	how := loss
	if b.cfg.Era >= Era4_3 {
		how = Nack
	}
	for i := range b.consumers {
		if held := b.consumers[i].held; len(held) > 0 && now-held[0].At >= b.cfg.AckTimeout {
			b.close(now, i, how)
		}
	}
}

// DeliveryCount returns how often a task's message has come back to its quorum queue: x-delivery-count.
func (b *Broker) DeliveryCount(task uint32) int { return int(b.messages[task].deliveries) }
