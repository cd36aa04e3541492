package scenarios

import (
	"time"

	"pgregory.net/rapid"

	"herdsim/broker"
	"herdsim/downstream"
)

// drawBrokered gives a scenario a broker, and takes away what does not go with one.
func drawBrokered(t *rapid.T, s *Scenario) {
	s.Network, s.Guards, s.Tiers, s.PassDeadlines, s.Clients = nil, nil, nil, false, nil
	s.Limits.Deadline, s.Downstream.Contention = 0, downstream.NoContention
	s.Workers = rapid.IntRange(1, maxConsumers).Draw(t, "consumers")
	if s.Start.File == "" {
		s.Messages.Count = rapid.IntRange(1, 9).Draw(t, "messages")
		s.Messages.Poison = rapid.IntRange(0, s.Messages.Count).Draw(t, "poisonous")
	}
	s.Broker = drawBroker(t, "broker", s.Horizon)
}

func drawBroker(t *rapid.T, name string, horizon time.Duration) *Broker {
	b := &Broker{
		Era:        rapid.SampledFrom([]broker.Era{broker.Era3_10, broker.Era3_13, broker.Era4_0, broker.Era4_3}).Draw(t, name+" era"),
		Prefetch:   rapid.IntRange(0, 1_000_000).Draw(t, name+" prefetch"),
		Sequential: rapid.Bool().Draw(t, name+" sequential"),
		Delivery:   drawUpTo(t, name+" delivery", time.Microsecond, time.Hour),
		Crash:      rapid.Bool().Draw(t, name+" crash"),
		Fresh:      rapid.Bool().Draw(t, name+" fresh"),
		AckTimeout: rapid.SampledFrom([]time.Duration{0, drawDuration(t, name+" timeout", time.Millisecond)}).Draw(t, name+" acknowledged"),
		Tick:       drawDuration(t, name+" tick", time.Millisecond),
		Alert:      rapid.IntRange(broker.None, 1e8).Draw(t, name+" alert"),
		Topology:   rapid.SampledFrom([]string{requeueing, sleeping, ttlQueue, fixedTTL, ladder, delayedExchange, binaryLevels, delayedRetry, custom}).Draw(t, name),
	}
	if rapid.Bool().Draw(t, name+" replayed") {
		b.Replay = &Replay{At: drawUpTo(t, name+" at", 0, horizon-1), Reset: rapid.Bool().Draw(t, name+" reset")}
		if rapid.Bool().Draw(t, name+" slowly") {
			b.Replay.Rate = drawRate(t)
		}
	}
	if b.Topology == delayedExchange {
		b.Era = min(b.Era, broker.Era4_0)
	}
	b.Work = drawQueue(t, name+" work")
	drawTopology(t, name, b)
	if b.Topology == ttlQueue || b.Topology == fixedTTL || b.Topology == ladder || b.Topology == binaryLevels || b.Topology == custom {
		b.CountDeath = rapid.Bool().Draw(t, name+" x-death")
	}
	return b
}

func drawQueue(t *rapid.T, name string) Queue {
	q := Queue{
		Kind:          rapid.SampledFrom([]broker.Kind{broker.Classic, broker.Quorum}).Draw(t, name+" kind"),
		MaxLength:     rapid.IntRange(broker.None, 1e9).Draw(t, name+" length"),
		DeliveryLimit: broker.None,
		Overflow:      rapid.SampledFrom([]broker.Overflow{broker.DropHead, broker.RejectPublish}).Draw(t, name+" overflow"),
	}
	switch {
	case q.Kind == broker.Quorum:
		q.DeliveryLimit = rapid.IntRange(broker.None, 1e6).Draw(t, name+" deliveries")
		q.AtLeastOnce = q.Overflow == broker.RejectPublish && rapid.Bool().Draw(t, name+" at least once")
	case rapid.Bool().Draw(t, name+" dlx"):
		q.Overflow = broker.RejectPublishDLX
	}
	if q.MaxLength == broker.None && !q.AtLeastOnce {
		q.Overflow = broker.DropHead // the others need a length
	}
	return q
}

func drawTopology(t *rapid.T, name string, b *Broker) {
	wait := drawUpTo(t, name+" wait", time.Millisecond, longest/64)
	switch b.Topology {
	case sleeping:
		b.Requeue = rapid.Bool().Draw(t, name+" requeued")
	case fixedTTL:
		b.TTL = wait
	case ladder:
		for i := range rapid.IntRange(1, 64).Draw(t, name+" rungs") {
			b.Rungs = append(b.Rungs, time.Duration(i+1)*wait)
		}
	case delayedRetry:
		b.Era, b.Work.Kind, b.Min, b.Max = broker.Era4_3, broker.Quorum, wait, 2*wait
		if b.Work.Overflow == broker.RejectPublishDLX {
			b.Work.Overflow = broker.DropHead
		}
	case custom:
		b.Work.Name = rapid.StringMatching(`[A-Z0-9._-]{1,10}`).Draw(t, name+" name") // none of those below
		names := []string{b.Work.Name, deadName, "retry", "1e3", ""}
		to := rapid.SampledFrom(names)
		b.Work.DeadLetterTo = to.Draw(t, name+" to")
		for _, n := range names[1:4] {
			q := drawQueue(t, name+" "+n)
			if q.Name = n; n != deadName {
				q.TTL, q.DeadLetterTo = rapid.SampledFrom([]time.Duration{0, wait}).Draw(t, n+" ttl"), to.Draw(t, n+" to")
			}
			b.Queues = append(b.Queues, q)
		}
		b.OnFailure.How = rapid.SampledFrom([]string{"requeue", "return", "dead-letter", sleeping, publishing}).Draw(t, name+" fails")
		if b.OnFailure.How == publishing {
			b.OnFailure.Queue, b.OnFailure.Waiting = rapid.SampledFrom(names[:4]).Draw(t, name+" publishes"), rapid.Bool().Draw(t, name+" waiting")
		}
		b.Requeue = b.OnFailure.How == sleeping && rapid.Bool().Draw(t, name+" requeued")
	}
}

// drawEntryOfBroker changes an entry so that it goes with the broker of its scenario.
func drawEntryOfBroker(t *rapid.T, e *Entry, s *Scenario) {
	for e.Key == pacedKey {
		e.Key, e.Strategy = drawStrategy(t)
	}
	e.Guards, e.Poll.Every, e.Poll.Jitter, e.Poll.Processes, e.Limits.Deadline = nil, 0, 0, 0, 0
	if e.Broker = s.Broker; rapid.Bool().Draw(t, "own broker") {
		e.Broker = drawBroker(t, "own broker", s.Horizon)
	}
}
