package sim

import (
	"math"
	"time"

	"herdsim/broker"
)

// Broker puts a message broker between the tasks and those that work on them. A task is a message: it is published where
// it would call for the first time, the consumers' handlers make its attempts, and the broker brings it back. Dead letters
// are the tasks that were given up. There is no Network, and there are no Guards, Tiers, Poll or Clients.
type Broker struct {
	broker.Config
	OnFailure  OnFailure
	Sequential bool          // a consumer handles one delivery after the other; else all that it holds at once
	Delivery   time.Duration // from the broker to a handler that waits for it; > 0
	Retry      int           // the queue, or delayed exchange, that PublishTTL and Publish publish to
	Rungs      []Rung        // for Ladder, ascending; for BinaryLevels from the longest on
	DLQ        int           // the queue of dead letters; inert
	Requeue    bool          // for Sleep: give the message back after the wait; else it is rejected
	CountDeath bool          // clients count retries by x-death, not by a header of their own. Only who publishes again can change a header
	Copied     bool          // clients that publish a message again copy its headers
	Poison     int           // the first so many tasks never succeed, whatever Config.Poison says
	Crash      bool          // a consumer does not survive a message that never succeeds: it loses all that it holds, and starts again
	Replay     *Replay       // nil for none
}

// An OnFailure is what a consumer does with a message whose attempt has failed, and so how the message waits for its next.
type OnFailure uint8

const (
	Nack         OnFailure = iota // basic.nack with requeue, at once
	Return                        // basic.reject with requeue, at once: a failed delivery to the broker, which may hold it back
	Sleep                         // sleep with the message in hand
	DeadLetter                    // basic.nack without requeue: the queue for dead letters is where it waits
	PublishTTL                    // publish it to a queue, or a delayed exchange, with the wait as its time to live, and acknowledge it
	Publish                       // publish it to a queue that has a time to live for all, and acknowledge it
	Ladder                        // the same, to the queue of the shortest rung that is not shorter than its wait
	BinaryLevels                  // the same, to one queue after the other, of 2^n seconds each
)

// waits reports whether the client's wait has a say in when the message comes again.
func (o OnFailure) waits() bool {
	return o == Sleep || o == PublishTTL || o == Ladder || o == BinaryLevels
}

// A Rung is a queue whose messages all wait as long.
type Rung struct {
	Queue int
	Wait  time.Duration
}

// A Replay moves what is in the queue of dead letters at an instant back to the work queue.
type Replay struct {
	At    Time
	Rate  float64 // messages a second; 0 = at once
	Reset bool    // the count of retries
}

// messages is the engine's side of the broker: what clients know of messages, and what their handlers do.
type messages struct {
	cfg      *Broker
	broker   broker.Broker
	tasks    []message
	handlers []handler
	late     map[[2]uint32]uint32 // consumers that go on with a delivery which was taken from them, by task and attempt
	crashing bool                 // nobody goes on
	replay   Time                 // the next one, or the largest Time
	left     int                  // to be replayed
	next     Time                 // the next thing that the broker does by itself, or a replay
	tracked  int
	blockage
}

// A message is what is known of a task outside the broker.
type message struct {
	delivery broker.Delivery
	attempt  uint32        // of its task; each delivery that is handled is one
	retries  uint32        // header
	next     uint32        // in the backlog of a handler
	prev     time.Duration // the strategy's last wait
	wait     time.Duration // the one that it was last put back with
	left     uint64        // binary levels that are to come
	state    messageState
	useful   bool // counted in blockage
}

type messageState uint8

const (
	unpublished messageState = iota
	queuedUp
	backlogged // with a consumer that has not begun with it
	held       // by a consumer that has
	sleeping
	parked // a dead letter
	done
)

// A handler is that of one consumer.
type handler struct {
	busy        bool
	first, last uint32 // deliveries that it has not begun with, if it is sequential: tasks, or noTask
}

func (m *messages) on() bool { return m.cfg != nil }

func (e *Engine) resetMessages(cfg *Config) {
	m := &e.messages
	m.cfg, m.next, m.replay = cfg.Broker, math.MaxInt64, math.MaxInt64
	if m.cfg == nil {
		return
	}
	m.broker.Reset(m.cfg.Config, cfg.Workers)
	m.tasks = append(m.tasks[:0], make([]message, cfg.Workers)...)
	m.handlers = m.handlers[:0]
	for range m.cfg.Consumers {
		m.handlers = append(m.handlers, handler{first: noTask, last: noTask})
	}
	m.late = map[[2]uint32]uint32{}
	m.tracked, m.left, m.blockage = 0, 0, blockage{}
	e.res.Queues = nil
	for i, q := range m.cfg.Queues {
		e.res.Queues = append(e.res.Queues, QueueResult{Name: q.Name, Dead: i == m.cfg.DLQ})
	}
	m.broker.Dead, m.broker.Route, m.broker.Closed = e.messageDied, func(task uint32, _ int) int { return e.nextLevel(task) }, e.messageTaken
	if m.cfg.Replay != nil {
		m.replay = m.cfg.Replay.At
	}
	m.find()
}

// find works out what is next.
func (m *messages) find() { m.next = min(m.broker.Next(), m.replay) }

// of returns the message of a task.
func (m *messages) of(task uint32) *message {
	for int(task) >= len(m.tasks) {
		m.tasks = append(m.tasks, message{})
	}
	return &m.tasks[task]
}

// known returns how often a client believes that a message has been tried again.
func (m *messages) known(task uint32) uint32 {
	if !m.cfg.CountDeath {
		return m.of(task).retries
	}
	n := 0
	for _, d := range m.broker.Deaths(task) {
		if d.Reason == broker.Expired {
			n += d.Count
		}
	}
	return uint32(n)
}
