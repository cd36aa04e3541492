package broker

import (
	"slices"
	"time"
)

// A Death is an entry of x-death: how often a message died in a queue for a reason.
type Death struct {
	Queue  int
	Reason Reason
	Count  int
}

// Deaths returns x-death of a task's message, newest first. It is good until something happens to the message.
func (b *Broker) Deaths(task uint32) []Death {
	if int(task) >= len(b.deaths) {
		return nil
	}
	return b.deaths[task]
}

// die makes a message a dead letter. The death is noted before the broker looks for a cycle, so a message that expires
// into the queue it was in is gone at once.
//
// Source: rabbit_dead_letter.erl, publish; rabbit_fifo_dlx_worker.erl, forward.
func (b *Broker) die(now time.Duration, task uint32, queue int, why Reason) {
	s := &b.stores[queue]
	l := letter{task: task, to: s.cfg.DeadLetter, why: why}
	if s.cfg.Routed {
		l.to = b.Route(task, queue)
	}
	if l.to != None && b.cfg.Queues[l.to].Delayed { // which asks for no delay, so it is routed there and then
		l.to = b.cfg.Queues[l.to].DeadLetter
	}
	if l.to == None {
		b.drop(now, task, queue, NoDeadLetter)
		return
	}
	b.record(task, queue, why)
	l.cycle = why != Rejected && b.inCycle(task, l.to, why)
	switch {
	case s.cfg.atLeastOnce():
		b.forward(now, queue, l)
	case l.cycle:
		b.drop(now, task, queue, Cycle)
	default:
		s.count.Died[why]++
		b.enter(now, task, l.to, 0, false)
	}
}

// inCycle reports whether a message comes to a queue for the second time without anybody having rejected it since. 3.13.0
// to 3.13.2 went through the deaths in the order of the names of their queues, not of time; here not where a message would
// go round in no time.
//
// Source: rabbit_dead_letter.erl, is_cycle; rabbitmq-server#11159 and #11048.
func (b *Broker) inCycle(task uint32, to int, why Reason) bool {
	if b.cfg.Era == Era3_13 && why != MaxLen {
		return b.inCycleByName(task, to)
	}
	for _, d := range b.deaths[task] {
		if d.Reason == Rejected {
			return false
		}
		if d.Queue == to {
			return true
		}
	}
	return false
}

func (b *Broker) inCycleByName(task uint32, to int) bool {
	cycle := false
	for _, d := range b.deaths[task] {
		switch {
		case d.Reason != Rejected:
			cycle = cycle || d.Queue == to
		case b.cfg.Queues[d.Queue].Name < b.cfg.Queues[to].Name:
			return false
		}
	}
	return cycle
}

// record counts a death in x-death: one entry for each queue and reason, newest first. What a client has sent of it ends
// here, where the era does not take it up.
func (b *Broker) record(task uint32, queue int, why Reason) {
	for int(task) >= len(b.deaths) {
		b.deaths = append(b.deaths, nil)
	}
	m, deaths := &b.messages[task], b.deaths[task]
	if m.foreign {
		m.foreign, deaths = false, deaths[:0]
	}
	d := Death{queue, why, 1}
	for i, old := range deaths {
		if old.Queue == queue && old.Reason == why {
			d.Count += old.Count
			copy(deaths[1:i+1], deaths[:i])
			deaths[0] = d
			return
		}
	}
	b.deaths[task] = slices.Insert(deaths, 0, d)
}

func (b *Broker) drop(now time.Duration, task uint32, queue int, why Drop) {
	b.stores[queue].count.Dropped[why]++
	if b.Dead != nil {
		b.Dead(now, task, queue, true)
	}
}

// A letter is a dead letter on its way.
type letter struct {
	task  uint32
	to    int
	why   Reason
	cycle bool          // it has nowhere to go
	since time.Duration // it was last sent
}

// letters are the dead letters of a queue with at-least-once dead-lettering whose targets have not taken them. They stay
// in the queue they died in, though they are not ready there.
type letters struct {
	unsent    []letter // behind the others, from first on
	first     int
	unsettled []letter
	again     time.Duration // when those are sent again, or never
}

// ResendAfter is after how long a dead letter is sent again that its target has not taken; unsettledMost how many may be
// under way from a queue.
//
// Source: defaults of dead_letter_worker_publisher_confirm_timeout and dead_letter_worker_consumer_prefetch.
const (
	ResendAfter   = 180 * time.Second
	unsettledMost = 32
)

// atLeastOnce reports whether the queue keeps its dead letters until they are taken. Only a quorum queue that rejects can.
func (q *Queue) atLeastOnce() bool {
	return q.AtLeastOnce && q.Kind == Quorum && q.Overflow == RejectPublish
}

func (l *letters) reset() {
	*l = letters{unsent: l.unsent[:0], unsettled: l.unsettled[:0], again: never}
}

func (l *letters) len() int { return len(l.unsent) - l.first + len(l.unsettled) }

// forward sends a dead letter, if not too many are under way.
func (b *Broker) forward(now time.Duration, queue int, l letter) {
	s := &b.stores[queue]
	if len(s.letters.unsettled) >= unsettledMost {
		s.letters.unsent = append(s.letters.unsent, l)
		b.note(queue)
		return
	}
	b.send(now, queue, l)
}

// send sends a dead letter, and keeps it if it is not taken. One timer counts for all of a queue.
func (b *Broker) send(now time.Duration, queue int, l letter) {
	s := &b.stores[queue]
	if !l.cycle && !b.refuses(l.to) {
		s.count.Died[l.why]++
		b.enter(now, l.task, l.to, 0, false)
		return
	}
	l.since = now
	s.letters.unsettled = append(s.letters.unsettled, l)
	b.note(queue)
	if s.letters.again == never {
		s.letters.again, s.timed = add(now, ResendAfter), true
		b.watch(queue)
	}
}

// resend sends the dead letters of a queue again that have not been taken for too long, and then what waited behind them.
func (b *Broker) resend(now time.Duration, queue int) {
	l := &b.stores[queue].letters
	l.again = never
	due := l.unsettled
	l.unsettled = nil
	for _, one := range due {
		if one.cycle || now-one.since >= ResendAfter {
			b.send(now, queue, one)
		} else {
			l.unsettled = append(l.unsettled, one)
		}
	}
	for l.first < len(l.unsent) && len(l.unsettled) < unsettledMost {
		l.first++
		b.send(now, queue, l.unsent[l.first-1])
	}
	if l.first == len(l.unsent) {
		l.unsent, l.first = l.unsent[:0], 0
	}
	if len(l.unsettled) > 0 {
		l.again = add(now, ResendAfter)
	}
	b.watch(queue)
}
