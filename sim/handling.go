package sim

import (
	"math"
	"time"

	"herdsim/broker"
	"herdsim/strategies"
)

// message lets what was planned for a message happen: it is published, or its consumer has slept.
func (e *Engine) message(a event) {
	e.events++
	e.now = a.at
	e.rec.tick(a.at)
	m := e.messages.of(a.task)
	switch {
	case m.state == unpublished:
		e.publish(a.task, 0, 0, false)
	case m.state == sleeping && m.attempt == a.attempt:
		e.wake(a.task)
	default:
		e.freeLate(a.task, a.attempt) // it slept over a delivery that was taken from it
	}
	e.dispatch()
}

// brokerActs does what the broker does by itself.
func (e *Engine) brokerActs() {
	b := &e.messages
	e.events++
	e.now = b.next
	e.rec.tick(e.now)
	b.broker.Advance(e.now)
	if b.replay <= e.now {
		e.replay()
	}
	e.dispatch()
}

// publish brings a message to a queue. If the broker does not take it, its client gives it up.
func (e *Engine) publish(task uint32, queue int, ttl time.Duration, copied bool) {
	e.messages.of(task).state = queuedUp
	e.messages.broker.Publish(e.now, task, queue, ttl, copied)
}

// dispatch hands out deliveries while there are messages and consumers with room.
func (e *Engine) dispatch() {
	b := &e.messages
	for {
		d, ok := b.broker.Deliver(e.now)
		if !ok {
			b.find()
			e.noteBlocked(e.now)
			return
		}
		m := b.of(d.Task)
		m.delivery = d
		if b.cfg.Sequential && b.handlers[d.Consumer].busy {
			b.putOff(d.Task)
			continue
		}
		e.handle(d.Task, b.cfg.Delivery)
	}
}

// putOff puts a delivery into the backlog of its handler.
func (b *messages) putOff(task uint32) {
	m := b.of(task)
	h := &b.handlers[m.delivery.Consumer]
	m.state, m.next = backlogged, noTask
	if h.first == noTask {
		h.first = task
	} else {
		b.of(h.last).next = task
	}
	h.last = task
}

// handle begins an attempt of a message that a consumer holds, after a time.
func (e *Engine) handle(task uint32, after time.Duration) {
	m := e.messages.of(task)
	m.state = held
	e.takeUp(task)
	if m.attempt++; m.attempt == 0 {
		m.attempt = math.MaxUint32
	}
	e.messages.handlers[m.delivery.Consumer].busy = true
	e.transit.push(due{at: addSaturated(e.now, after), prev: m.prev, task: task, attempt: m.attempt})
}

// handled lets the consumer of a delivery go on, and reports whether the broker still takes an answer to it.
func (e *Engine) handled(task, attempt uint32) (current bool) {
	m := e.messages.of(task)
	if m.attempt != attempt || m.state != held && m.state != sleeping {
		e.freeLate(task, attempt)
		return false
	}
	e.freeHandler(m.delivery.Consumer)
	return true
}

func (e *Engine) freeLate(task, attempt uint32) {
	key := [2]uint32{task, attempt}
	if consumer, ok := e.messages.late[key]; ok {
		delete(e.messages.late, key)
		e.freeHandler(consumer)
	}
}

// freeHandler lets a consumer begin with its next delivery, if that has come.
func (e *Engine) freeHandler(consumer uint32) {
	h := &e.messages.handlers[consumer]
	h.busy = false
	if task := h.first; task != noTask {
		h.first = e.messages.of(task).next
		e.handle(task, max(0, addSaturated(e.messages.broker.Delivered(task), e.messages.cfg.Delivery)-e.now))
	}
}

// messageDone ends a message whose attempt has succeeded. It reports false if its delivery was taken from the consumer: the
// work is done, and will be done again.
func (e *Engine) messageDone(task, attempt uint32) bool {
	if !e.handled(task, attempt) {
		e.dispatch()
		return false
	}
	m := e.messages.of(task)
	e.messages.letGo(m)
	e.messages.broker.Ack(m.delivery)
	m.state = done
	e.dispatch()
	return true
}

// messageFailed decides what becomes of a message whose attempt has failed.
func (e *Engine) messageFailed(f failed) {
	m := e.messages.of(f.task)
	if m.attempt != f.request || m.state != held {
		e.freeLate(f.task, f.request)
		e.dispatch()
		return
	}
	if e.messages.cfg.Crash && f.outcome == strategies.Errored && e.poisoned(f.task) {
		e.crash(m.delivery.Consumer)
		e.dispatch()
		return
	}
	f.prev = m.prev
	e.retryTask(e.messages.known(f.task)+1, f)
	e.dispatch()
}

// putBack lets a message wait for its next attempt in the way of the topology.
func (e *Engine) putBack(task uint32, wait, prev time.Duration) {
	b := &e.messages
	m := b.of(task)
	m.prev, m.wait = prev, wait
	switch b.cfg.OnFailure {
	case Sleep:
		m.state = sleeping
		b.letGo(m)
		if at := addSaturated(e.now, wait); at < e.cfg.Horizon {
			e.agenda.push(event{at: at, task: task, attempt: m.attempt})
		} else {
			e.dropped = true
		}
		return
	case Nack:
		e.giveBack(task, broker.Nack, true)
	case Return:
		e.giveBack(task, broker.Reject, true)
	case DeadLetter:
		e.giveBack(task, broker.Nack, false)
	default:
		e.publishAgain(task, wait)
	}
	e.messageExecuted(task)
}

// publishAgain acknowledges a message and brings it to a queue where it waits.
func (e *Engine) publishAgain(task uint32, wait time.Duration) {
	b := &e.messages
	m := b.of(task)
	b.letGo(m)
	e.freeHandler(m.delivery.Consumer)
	b.broker.Ack(m.delivery)
	m.retries++
	switch b.cfg.OnFailure {
	case Ladder:
		rung := b.cfg.Rungs[len(b.cfg.Rungs)-1]
		for i := len(b.cfg.Rungs) - 1; i >= 0 && b.cfg.Rungs[i].Wait >= wait; i-- {
			rung = b.cfg.Rungs[i]
		}
		e.publish(task, rung.Queue, 0, b.cfg.Copied)
	case BinaryLevels:
		e.publishLevels(task, wait)
	case Publish:
		e.publish(task, b.cfg.Retry, 0, b.cfg.Copied)
	default:
		e.publish(task, b.cfg.Retry, max(wait, 1), b.cfg.Copied)
	}
}

// giveBack answers the delivery of a message with a nack. That changes no header.
func (e *Engine) giveBack(task uint32, how broker.Answer, requeue bool) {
	m := e.messages.of(task)
	m.state = queuedUp
	e.messages.letGo(m)
	e.freeHandler(m.delivery.Consumer)
	e.messages.broker.GiveBack(e.now, m.delivery, how, requeue)
}

// wake ends the sleep of a consumer over a message.
func (e *Engine) wake(task uint32) {
	e.giveBack(task, broker.Nack, e.messages.cfg.Requeue)
	e.messageExecuted(task)
}

// deadLetterMessage lets the client of a message that it has given up bring it to the queue of dead letters.
func (e *Engine) deadLetterMessage(task uint32) {
	b := &e.messages
	m := b.of(task)
	b.letGo(m)
	e.freeHandler(m.delivery.Consumer)
	b.broker.Ack(m.delivery)
	e.executed(task, e.now, GivenUp, noWait)
	e.publish(task, b.cfg.DLQ, 0, b.cfg.Copied)
}
