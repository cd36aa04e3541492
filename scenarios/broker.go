package scenarios

import (
	"time"

	"herdsim/broker"
	"herdsim/downstream"
)

// Messages is the herd of a scenario with a broker: what lies in the work queue at t0.
type Messages struct {
	Count  int // 0 if Start is a trace, or there is no backlog
	Poison int // so many of them, the first, never succeed
}

// A Broker is what a scenario, or an entry, says of its message broker. What does not belong to its topology is zero.
type Broker struct {
	Era        broker.Era
	Prefetch   int           // most unacknowledged deliveries of a consumer; 0 = no limit
	Sequential bool          // a consumer handles one delivery after the other
	Delivery   time.Duration // from the broker to a handler
	Crash      bool          // a message that never succeeds takes its consumer down
	Fresh      bool          // clients that publish a message again write its headers anew
	CountDeath bool          // they count retries by x-death, not by a header of their own
	AckTimeout time.Duration // 0 for none
	Tick       time.Duration
	Alert      int // depth of the queue of dead letters above which somebody is called; broker.None for nobody
	Replay     *Replay

	Topology string
	Work     Queue // the queue that consumers take from; but for custom, without Name and DeadLetterTo

	Requeue   bool            // of sleep: requeued after it; else dead-lettered
	TTL       time.Duration   // of fixed-ttl
	Rungs     []time.Duration // of ladder, ascending
	Min, Max  time.Duration   // of delayed-retry
	Queues    []Queue         // of custom: all but Work
	OnFailure OnFailure       // of custom
}

// A Queue is a queue as a scenario writes it.
type Queue struct {
	Name          string
	Kind          broker.Kind
	TTL           time.Duration // 0 for none
	DeadLetterTo  string        // the name of a queue; "" for nowhere
	MaxLength     int           // broker.None for no limit
	Overflow      broker.Overflow
	DeliveryLimit int  // broker.None for none
	AtLeastOnce   bool // what it dead-letters is kept until it has arrived
}

// An OnFailure is what consumers of a custom topology do with a message whose attempt has failed.
type OnFailure struct {
	How     string // requeue, return, dead-letter, sleep, publish
	Queue   string // of publish
	Waiting bool   // of publish: with the wait as time to live
}

// A Replay moves what is in the queue of dead letters back to the work queue.
type Replay struct {
	At    time.Duration
	Rate  downstream.Rate // the zero Rate for all at once
	Reset bool            // the count of retries
}

// The topologies.
const (
	requeueing      = "requeue"
	sleeping        = "sleep"
	ttlQueue        = "ttl-queue"
	fixedTTL        = "fixed-ttl"
	ladder          = "ladder"
	delayedExchange = "delayed-exchange"
	binaryLevels    = "binary-levels"
	delayedRetry    = "delayed-retry"
	custom          = "custom"
)

// publishing is what an OnFailure does that names a queue.
const publishing = "publish"

// sleeps reports whether consumers wait with a message in hand.
func (b *Broker) sleeps() bool {
	return b.Topology == sleeping || b.Topology == custom && b.OnFailure.How == sleeping
}

// Names of queues in reports; a custom topology names its own, but for the queue of dead letters.
const (
	workName  = "work"
	deadName  = "dlq"
	retryName = "retry"
)

// spoken writes for people how messages wait: "ladder 5 s, 15 s, 1 min".
func (b *Broker) spoken() string {
	text := b.Topology
	switch b.Topology {
	case sleeping:
		text += " in hand"
	case fixedTTL:
		text += " of " + spoken(b.TTL)
	case ladder:
		text += " " + spokenList(b.Rungs)
	case delayedRetry:
		text += " of " + spoken(b.Min) + " to " + spoken(b.Max)
	}
	if b.Work.Kind == broker.Quorum {
		text += ", quorum"
	}
	return text
}
