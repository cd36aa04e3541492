package sim

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"herdsim/broker"
	"herdsim/strategies"
)

// drawBroker draws a Config with a broker in it: all topologies, eras, limits, timeouts and failures of the downstream.
func drawBroker(t *rapid.T) Config {
	d := newDrawing(t)
	cfg := d.config()
	cfg.Network, cfg.Paced, cfg.Clients, cfg.Guards, cfg.Tiers, cfg.Poll = nil, false, nil, nil, nil, Poll{}
	cfg.MaxEvents = min(cfg.MaxEvents, 5000)
	if cfg.Strategy == nil {
		cfg.Strategy = strategies.FullJitter{Base: d.grid, Factor: 2, Cap: 100 * d.grid}
	}
	b := &Broker{
		OnFailure:  rapid.SampledFrom([]OnFailure{Nack, Return, Sleep, DeadLetter, PublishTTL, Publish, Ladder, BinaryLevels}).Draw(t, "on failure"),
		Sequential: rapid.Bool().Draw(t, "sequential"),
		Delivery:   max(1, d.grid/rapid.SampledFrom([]time.Duration{1, 7, 50}).Draw(t, "delivery")),
		Retry:      2,
		DLQ:        1,
		Requeue:    rapid.Bool().Draw(t, "requeue"),
		CountDeath: rapid.Bool().Draw(t, "count deaths"),
		Copied:     rapid.Bool().Draw(t, "copied"),
		Poison:     rapid.IntRange(0, 5).Draw(t, "poison"),
		Crash:      d.one(4, "crashes"),
	}
	b.Era = rapid.SampledFrom([]broker.Era{broker.Era3_10, broker.Era3_13, broker.Era4_0, broker.Era4_3}).Draw(t, "era")
	b.Consumers, b.Prefetch = rapid.IntRange(1, 4).Draw(t, "consumers"), rapid.IntRange(0, 5).Draw(t, "prefetch")
	if d.one(3, "ack timeouts") {
		b.AckTimeout, b.Tick = d.steps("ack timeout", 1, 20), d.steps("tick", 1, 5)
	}
	for i, name := range []string{"work", "dlq", "retry", "rung-a", "rung-b", "rung-c"} {
		q := broker.Queue{Name: name, MaxLength: broker.None, DeadLetter: 0, DeliveryLimit: broker.None, Kind: rapid.SampledFrom([]broker.Kind{broker.Classic, broker.Quorum}).Draw(t, "kind")}
		if d.one(5, "a full queue") {
			q.MaxLength = rapid.IntRange(0, 8).Draw(t, "length")
			q.Overflow = rapid.SampledFrom([]broker.Overflow{broker.DropHead, broker.RejectPublish, broker.RejectPublishDLX}).Draw(t, "overflow")
			q.AtLeastOnce = rapid.Bool().Draw(t, "at least once")
		}
		switch i {
		case 0:
			q.DeadLetter = rapid.SampledFrom([]int{broker.None, 1, 2}).Draw(t, "dead letters")
			q.DeliveryLimit = rapid.SampledFrom([]int{broker.None, 0, 3, 20}).Draw(t, "delivery limit")
			if d.one(4, "held back") {
				q.RetryMin, q.RetryMax = d.grid, 5*d.grid
			}
		case 1:
			q.DeadLetter, q.Inert = broker.None, true
		case 2:
			q.Delayed = b.OnFailure == PublishTTL && rapid.Bool().Draw(t, "delayed exchange")
		default:
			q.TTL = d.grid * time.Duration(1<<i)
			q.Routed = b.OnFailure == BinaryLevels
			b.Rungs = append(b.Rungs, Rung{Queue: i, Wait: q.TTL})
		}
		if i != 1 && !q.Delayed && q.TTL == 0 && d.one(3, "a time to live") {
			q.TTL = d.steps("TTL", 1, 30)
		}
		b.Queues = append(b.Queues, q)
	}
	if d.one(3, "a replay") {
		b.Replay = &Replay{At: d.steps("replay", 1, 50), Rate: rapid.SampledFrom([]float64{0, 1, 1000}).Draw(t, "rate"), Reset: rapid.Bool().Draw(t, "reset")}
	}
	cfg.Broker = b
	return cfg
}

// Whatever the broker: tasks = succeeded + dead-lettered + unfinished, messages = acknowledged + dead letters + dropped +
// still there in each queue, dead-lettered tasks are those in the queue for that or dropped, time never runs back, and the
// same Config gives the same Result.
func TestBrokerLosesNoTask(t *testing.T) {
	var e Engine
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawBroker(t)
		r := e.Run(context.Background(), cfg)
		for _, tally := range []Tally{r.Herd, r.Open} {
			if tally.Succeeded+tally.DeadLettered+tally.Unfinished != tally.Tasks || min(tally.Succeeded, tally.DeadLettered, tally.Unfinished) < 0 {
				t.Fatalf("tasks are lost: %+v", tally)
			}
		}
		checkQueues(t, r)
		if served := r.Outcomes[strategies.Served]; served < r.Herd.Succeeded+r.Open.Succeeded || served > r.Herd.Succeeded+r.Open.Succeeded+r.Wasted {
			t.Fatalf("%d attempts served, %d and %d tasks, %d wasted", served, r.Herd.Succeeded, r.Open.Succeeded, r.Wasted)
		}
		for i := range r.Windows {
			if i > 0 && r.Windows[i].Index <= r.Windows[i-1].Index {
				t.Fatalf("window %d comes after %d", r.Windows[i].Index, r.Windows[i-1].Index)
			}
		}
		var again Engine
		cfg.Trace = func(AttemptRecord) { checkBroker(t, &again.messages) }
		if d := diff(r, again.Run(context.Background(), cfg)); d != "" {
			t.Fatalf("the same again, - first, + second:\n%s", d)
		}
	})
}

// checkBroker adds up while a run goes on, whenever an attempt has ended.
func checkBroker(t *rapid.T, m *messages) {
	t.Helper()
	out := 0
	for i := range m.tasks {
		if s := m.tasks[i].state; s == held || s == backlogged || s == sleeping {
			out++
		}
	}
	if out != m.broker.Unacked() {
		t.Fatalf("consumers hold %d messages, the broker counts %d", out, m.broker.Unacked())
	}
	for i := range m.cfg.Queues {
		c := m.broker.Counts(i)
		left := c.Acked + int64(m.broker.Ready(i))
		for _, n := range c.Died {
			left += n
		}
		for _, n := range c.Dropped {
			left += n
		}
		if i == 0 {
			left += int64(out)
		}
		if c.Entered != left {
			t.Fatalf("queue %d loses messages: %+v, %d ready, %d held", i, c, m.broker.Ready(i), out)
		}
	}
}

// checkQueues adds up what came into the queues and what became of it.
func checkQueues(t *rapid.T, r *Result) {
	t.Helper()
	var dead int64
	for i, q := range r.Queues {
		left := q.Acked
		for _, n := range q.Died {
			left += n
		}
		for _, n := range q.Dropped {
			left += n
			dead += n
		}
		if i == 1 {
			dead += int64(q.Ready)
		}
		if q.Entered != left+int64(q.Ready)+int64(q.Unacked) {
			t.Fatalf("queue %s loses messages: %+v", q.Name, q)
		}
		for _, p := range q.Track {
			if p.Ready > q.Most {
				t.Fatalf("%d messages wait in queue %s in window %d, and never more than %d", p.Ready, q.Name, p.Window, q.Most)
			}
		}
		if n := len(q.Track); n > 0 && q.Track[n-1].Counts != q.Counts {
			t.Fatalf("queue %s ends with %+v, its last window with %+v", q.Name, q.Counts, q.Track[n-1].Counts)
		}
	}
	if dead != r.Herd.DeadLettered+r.Open.DeadLettered {
		t.Fatalf("%d messages are dead or dropped, %d and %d tasks", dead, r.Herd.DeadLettered, r.Open.DeadLettered)
	}
}
