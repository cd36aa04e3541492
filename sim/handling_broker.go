package sim

import (
	"math"
	"time"

	"herdsim/broker"
)

// publishLevels brings a message to the first of the levels that make up its wait, in whole seconds, rounded up.
func (e *Engine) publishLevels(task uint32, wait time.Duration) {
	b := &e.messages
	most := uint64(1)<<len(b.cfg.Rungs) - 1
	b.of(task).left = min(uint64((wait+time.Second-1)/time.Second), most)
	e.publish(task, e.nextLevel(task), 0, b.cfg.Copied)
}

// nextLevel returns the queue of the longest level that a message still has to wait in, or the work queue.
func (e *Engine) nextLevel(task uint32) (queue int) {
	b := &e.messages
	m := b.of(task)
	for i, rung := range b.cfg.Rungs {
		if bit := uint64(1) << (len(b.cfg.Rungs) - 1 - i); m.left&bit != 0 {
			m.left &^= bit
			return rung.Queue
		}
	}
	return 0
}

// messageDied gives up a task whose message has come to the queue of dead letters, or is gone.
func (e *Engine) messageDied(now time.Duration, task uint32, _ int, dropped bool) {
	m := e.messages.of(task)
	counted := m.state == parked // and dropped from there
	m.state = parked
	if dropped {
		m.state = done
	}
	if !counted {
		e.tallyDead(task, now)
	}
}

// crash lets a consumer die with all that it holds, and start again. Its requests that are under way are nobody's.
func (e *Engine) crash(consumer uint32) {
	b := &e.messages
	b.crashing = true
	b.broker.Close(e.now, consumer)
	b.crashing = false
	b.handlers[consumer].busy = false
}

// messageTaken notes that a delivery was taken from a consumer that had not answered it. Whoever has begun with it goes on.
func (e *Engine) messageTaken(_ time.Duration, d broker.Delivery) {
	b := &e.messages
	m, h := b.of(d.Task), &b.handlers[d.Consumer]
	begun := m.state != backlogged
	b.letGo(m)
	m.state = queuedUp
	h.first = noTask // all that it holds is taken
	if begun && !b.crashing {
		b.late[[2]uint32{d.Task, m.attempt}] = d.Consumer
	}
}

// replay moves dead letters back to the work queue.
func (e *Engine) replay() {
	b := &e.messages
	r := b.cfg.Replay
	if b.replay == r.At && b.left == 0 {
		b.left = b.broker.Ready(b.cfg.DLQ)
	}
	for b.left > 0 && b.replay <= e.now {
		task, ok := b.broker.Shift(b.cfg.DLQ)
		if !ok {
			break
		}
		b.left--
		if r.Reset {
			b.of(task).retries = 0
		}
		e.tallyRevived(task)
		e.publish(task, 0, 0, !r.Reset)
		if r.Rate > 0 {
			b.replay = addSaturated(b.replay, saturated(math.Round(float64(time.Second)/r.Rate)))
		}
	}
	if b.left == 0 || b.broker.Ready(b.cfg.DLQ) == 0 {
		b.replay = math.MaxInt64
	}
}

// A QueueResult is what happened in one queue of a broker: Entered = Acked + Died + Dropped + Ready + Unacked.
type QueueResult struct {
	Name string
	Dead bool // it is the queue of dead letters
	broker.Counts
	Ready, Unacked int // at the end
	Most           int // messages that ever waited, at whatever instant
	Track          []QueuePoint
}

// A QueuePoint is the state of a queue at the end of a window, noted when it has changed.
type QueuePoint struct {
	Window         int64
	Ready, Unacked int
	HeldBack       int           // of Ready: not to be delivered yet
	Oldest         time.Duration // age of the message at the head; 0 if there is none
	broker.Counts
}

// trackQueues notes the state of the queues at the end of the last window.
func (e *Engine) trackQueues() {
	b := &e.messages
	n := len(e.res.Windows)
	if !b.on() || n == b.tracked {
		return
	}
	b.tracked = n
	w := e.res.Windows[n-1].Index
	end := addSaturated(Time(w)*e.cfg.Window, e.cfg.Window-1)
	for i := range e.res.Queues {
		q := &e.res.Queues[i]
		p := QueuePoint{Window: w, Ready: b.broker.Ready(i), HeldBack: b.broker.HeldBack(i), Counts: b.broker.Counts(i)}
		if i == 0 {
			p.Unacked = b.broker.Unacked()
		}
		if since, ok := b.broker.Oldest(i); ok {
			p.Oldest = end - since
		}
		q.Ready, q.Unacked, q.Most, q.Counts = p.Ready, p.Unacked, b.broker.Most(i), p.Counts
		if k := len(q.Track); k == 0 || p.Counts != q.Track[k-1].Counts || p.Unacked != q.Track[k-1].Unacked || p.Ready > 0 {
			q.Track = append(q.Track, p)
		}
	}
}
