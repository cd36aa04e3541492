package scenarios

import (
	"slices"
	"strconv"
	"time"

	"herdsim/broker"
	"herdsim/sim"
)

// Each topology becomes queues and what a consumer does with a message whose attempt has failed. Queue 0 is the work
// queue, and but for a custom topology queue 1 is that of dead letters.
//
// Sources: RabbitMQ documentation (dlx, ttl, quorum-queues), docs.particular.net and kombu for the binary levels; see
// docs/broker.md.

// atDead is the index of the queue of dead letters.
const atDead = 1

// levels is how many queues the binary levels are: waits of up to 2^28 - 1 seconds.
//
// Source: docs.particular.net, "Delayed delivery"; kombu 5.5, native_delayed_delivery.
const levels = 28

// run returns what the engine needs of a broker, for so many consumers and poisonous messages.
func (b *Broker) run(consumers, poison int) *sim.Broker {
	out := &sim.Broker{
		Config: broker.Config{
			Era: b.Era, Consumers: consumers, Prefetch: b.Prefetch, AckTimeout: b.AckTimeout, Tick: b.Tick,
			Queues: []broker.Queue{b.Work.run(workName, atDead), parking()},
		},
		Sequential: b.Sequential, Delivery: b.Delivery, DLQ: atDead, CountDeath: b.CountDeath, Copied: !b.Fresh, Poison: poison, Crash: b.Crash,
	}
	if r := b.Replay; r != nil {
		out.Replay = &sim.Replay{At: r.At, Rate: r.Rate.PerSecond(), Reset: r.Reset}
	}
	b.compile(out)
	return out
}

func (b *Broker) compile(out *sim.Broker) {
	switch b.Topology {
	case requeueing:
		out.OnFailure = sim.Nack
	case sleeping:
		out.OnFailure, out.Requeue = sim.Sleep, b.Requeue
	case ttlQueue:
		out.OnFailure, out.Retry = sim.PublishTTL, add(out, b.waiting(retryName, 0))
	case fixedTTL:
		out.OnFailure = sim.DeadLetter
		out.Queues[0].DeadLetter = add(out, b.waiting(retryName, b.TTL))
	case ladder:
		b.compileLadder(out)
	case delayedExchange:
		q := b.waiting(retryName, 0)
		q.Delayed = true
		out.OnFailure, out.Retry = sim.PublishTTL, add(out, q)
	case binaryLevels:
		b.compileLevels(out)
	case delayedRetry:
		out.OnFailure = sim.Return
		out.Queues[0].RetryMin, out.Queues[0].RetryMax = b.Min, b.Max
	case custom:
		b.compileCustom(out)
	}
}

// add appends a queue and returns its index.
func add(out *sim.Broker, q broker.Queue) int {
	out.Queues = append(out.Queues, q)
	return len(out.Queues) - 1
}

// waiting is a queue that messages wait in; what expires there goes back to the work queue, with the same guarantee as
// what the work queue dead-letters.
func (b *Broker) waiting(name string, ttl time.Duration) broker.Queue {
	q := Queue{Kind: b.Work.Kind, TTL: ttl, MaxLength: broker.None, DeliveryLimit: broker.None, AtLeastOnce: b.Work.AtLeastOnce}
	if q.AtLeastOnce {
		q.Overflow = broker.RejectPublish
	}
	return q.run(name, 0)
}

// parking is the queue of dead letters of every topology but a custom one.
func parking() broker.Queue {
	return broker.Queue{Name: deadName, MaxLength: broker.None, DeadLetter: broker.None, DeliveryLimit: broker.None, Inert: true}
}

func (b *Broker) compileLadder(out *sim.Broker) {
	out.OnFailure = sim.Ladder
	for _, r := range b.Rungs {
		queue := add(out, b.waiting(retryName+"-"+formatDuration(r), r))
		out.Rungs = append(out.Rungs, sim.Rung{Queue: queue, Wait: r})
	}
}

// compileLevels makes the binary levels, from the longest on: what leaves one goes to the next that its wait needs.
func (b *Broker) compileLevels(out *sim.Broker) {
	out.OnFailure = sim.BinaryLevels
	for level := levels - 1; level >= 0; level-- {
		wait := time.Second << level
		q := b.waiting("level-"+strconv.Itoa(level), wait)
		q.Routed = true
		out.Rungs = append(out.Rungs, sim.Rung{Queue: add(out, q), Wait: wait})
	}
}

func (b *Broker) compileCustom(out *sim.Broker) {
	all := append([]Queue{b.Work}, b.Queues...)
	index := func(name string) int { return slices.IndexFunc(all, func(q Queue) bool { return q.Name == name }) }
	out.Queues = nil
	for _, q := range all {
		queue := q.run(q.Name, index(q.DeadLetterTo)) // no queue has an empty name, and -1 is none
		queue.Inert = q.Name == deadName
		add(out, queue)
	}
	out.DLQ = index(deadName)
	switch f := b.OnFailure; f.How {
	case "requeue":
		out.OnFailure = sim.Nack
	case "return":
		out.OnFailure = sim.Return
	case "dead-letter":
		out.OnFailure = sim.DeadLetter
	case sleeping:
		out.OnFailure, out.Requeue = sim.Sleep, b.Requeue
	case publishing:
		out.Retry, out.OnFailure = index(f.Queue), sim.Publish
		if f.Waiting {
			out.OnFailure = sim.PublishTTL
		}
	}
}

// run returns the queue for the engine.
func (q Queue) run(name string, deadLetter int) broker.Queue {
	return broker.Queue{
		Name: name, Kind: q.Kind, TTL: q.TTL, MaxLength: q.MaxLength, Overflow: q.Overflow, DeadLetter: deadLetter, DeliveryLimit: q.DeliveryLimit,
		AtLeastOnce: q.AtLeastOnce,
	}
}
