// Package broker models the queues of a message broker as RabbitMQ has them: expiry at the head, requeueing, dead letters,
// delivery limits, length limits, prefetch. It knows nothing of what handlers do: its caller keeps the clock, publishes,
// takes deliveries and answers them.
//
// Its rules were read in the sources and measured on RabbitMQ 3.10.8 and 4.0.5; each is named where it is played. Instants
// are durations since the start of the run.
package broker

import "time"

// None stands for no queue, no limit.
const None = -1

// LongestDelay is for how long a delayed exchange holds a message at most. What asks for more, or for nothing, is routed at
// once.
const LongestDelay = (1<<32 - 1) * time.Millisecond

const quorumPrefetch = 2000

// Config describes a broker. A zero is a zero: there are no defaults here.
type Config struct {
	Era       Era
	Queues    []Queue // the first is the one that consumers take from
	Consumers int
	Prefetch  int // most unacknowledged deliveries of a consumer; 0 = no limit, but for the 2,000 of a quorum queue

	// A consumer that has not answered a delivery after AckTimeout loses its channel at the next tick, and everything it
	// holds is requeued; 0 = never. From 4.3 on only quorum queues do that. Tick > 0 then.
	AckTimeout, Tick time.Duration
}

// An Era is a range of versions that behave alike.
type Era uint8

const (
	Era3_10 Era = iota // to 3.12, and from 3.13.3 on: x-death in what a client publishes is continued
	Era3_13            // 3.13.0 to 3.13.2: it is ignored, and cycles are seen where there are none
	Era4_0             // 4.0 to 4.2: ignored too; quorum queues have a delivery limit of 20 by default
	Era4_3             // from 4.3 on: of returns only rejections and lost channels count against the limit
)

// DefaultDeliveryLimit is the delivery limit of a quorum queue that sets none, or None.
//
// Source: rabbit_quorum_queue.erl, DEFAULT_DELIVERY_LIMIT.
func (e Era) DefaultDeliveryLimit() int {
	if e >= Era4_0 {
		return 20
	}
	return None
}

// continues reports whether x-death in what a client publishes is taken up.
func (e Era) continues() bool { return e == Era3_10 }

// A Kind is how a queue keeps its messages.
type Kind uint8

const (
	Classic Kind = iota
	Quorum
)

// A Queue describes one queue.
type Queue struct {
	Name          string
	Kind          Kind
	TTL           time.Duration // of its messages; 0 = none of its own
	MaxLength     int           // ready messages; None = no limit
	Overflow      Overflow
	DeadLetter    int           // index of the queue that its dead letters go to; None = they are dropped
	DeliveryLimit int           // of a quorum queue; None = no limit
	RetryMin      time.Duration // > 0: what is returned is held back for min(RetryMin × max(1, its delivery count), RetryMax), each by itself
	RetryMax      time.Duration
	AtLeastOnce   bool // its dead letters stay until they are taken; of a quorum queue that rejects, else ignored, as brokers do
	Delayed       bool // no queue but a delayed exchange: it routes each message when that is due, to where dead letters would go
	Routed        bool // its dead letters go where Broker.Route says
	Inert         bool // a parking place: nothing is taken from it but by Shift
}

// An Overflow is what becomes of a message for which a queue has no room.
type Overflow uint8

const (
	DropHead         Overflow = iota // the oldest ready message is dead-lettered
	RejectPublish                    // the publisher is told that it is not taken
	RejectPublishDLX                 // the same, and it is dead-lettered
)

// A Reason is why a message was dead-lettered.
type Reason uint8

const (
	Rejected Reason = iota
	Expired
	MaxLen
	DeliveryLimit
	reasons
)

// Reasons is how many there are.
const Reasons = int(reasons)

// A Drop is why a message is gone without having been acknowledged.
type Drop uint8

const (
	NoDeadLetter Drop = iota // it was a dead letter of a queue that has no place for them
	Cycle                    // it would have gone round for ever: dropped without a word
	NotTaken                 // its publisher was told that there is no room
	Lost                     // a dead letter for which there was no room
	drops
)

// Drops is how many there are.
const Drops = int(drops)
