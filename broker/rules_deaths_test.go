package broker

import (
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Rule 9: with a limit of L a message of a quorum queue is delivered L+1 times, then it is a dead letter, or gone if there
// is no place for those. A classic queue does not count; from 4.3 on a nack does not count, a rejection and a crash do.
func TestDeliveryLimitCountsReturns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		era := drawEra(t)
		cfg := plain("work", drawKind(t))
		switch rapid.SampledFrom([]string{"default", "none", "set"}).Draw(t, "limit") {
		case "default":
			cfg.DeliveryLimit = era.DefaultDeliveryLimit()
		case "set":
			cfg.DeliveryLimit = rapid.IntRange(0, 30).Draw(t, "L")
		}
		if rapid.Bool().Draw(t, "dead letters") {
			cfg.DeadLetter = 1
		}
		dlq := plain("dlq", Classic)
		dlq.Inert = true
		var b Broker
		b.Reset(Config{Era: era, Consumers: 1, Prefetch: 1, Queues: []Queue{cfg, dlq}}, 1)
		b.Publish(0, 0, 0, 0, false)
		deliveries, failures := 0, 0
		for range 100 {
			d, ok := b.Deliver(0)
			if !ok {
				break
			}
			deliveries++
			if n := b.DeliveryCount(0); n != failures {
				t.Fatalf("x-delivery-count %d, want %d", n, failures)
			}
			how := rapid.SampledFrom([]string{"nack", "reject", "crash"}).Draw(t, "how")
			switch how {
			case "nack":
				b.GiveBack(0, d, Nack, true)
			case "reject":
				b.GiveBack(0, d, Reject, true)
			case "crash":
				b.Close(0, 0)
			}
			if cfg.Kind == Quorum && (how != "nack" || era != Era4_3) {
				failures++
			}
		}
		c := b.Counts(0)
		limited := cfg.Kind == Quorum && cfg.DeliveryLimit != None
		switch {
		case !limited || failures <= cfg.DeliveryLimit:
			if deliveries != 100 || b.Ready(0) != 1 {
				t.Fatalf("gone after %d deliveries and %d failures, want it back for ever: %+v", deliveries, failures, c)
			}
		case failures != cfg.DeliveryLimit+1 || era != Era4_3 && deliveries != failures:
			t.Fatalf("gone after %d deliveries and %d failures, limit %d", deliveries, failures, cfg.DeliveryLimit)
		case cfg.DeadLetter == None && c.Dropped[NoDeadLetter] != 1, cfg.DeadLetter == 1 && (c.Died[DeliveryLimit] != 1 || b.Ready(1) != 1):
			t.Fatalf("limit reached: %+v, dead letters %d", c, b.Ready(1))
		}
	})
}

// Of messages whose queue sets no limit, quorum queues make dead letters after 21 deliveries since 4.0, and never before
// (4.0 release notes; Particular/NServiceBus.RabbitMQ#1550, #1688).
func TestDefaultDeliveryLimit(t *testing.T) {
	for era, want := range map[Era]int{Era3_10: None, Era3_13: None, Era4_0: 20, Era4_3: 20} {
		if got := era.DefaultDeliveryLimit(); got != want {
			t.Errorf("era %d: limit %d, want %d", era, got, want)
		}
	}
}

// Rule 10: x-death has an entry for each queue and reason, the newest first, and counts. Of what a client publishes again
// with its headers, only brokers to 3.12 and from 3.13.3 on go on with it; fresh headers start again everywhere.
func TestDeathsAreCountedByQueueAndReason(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		era := drawEra(t)
		queues := []Queue{plain("work", Classic), plain("1", Quorum), plain("2", Classic), plain("3", Quorum)}
		for i := 1; i < len(queues); i++ {
			queues[i].TTL, queues[i].DeadLetter = ms, 0
		}
		queues[0].Routed = true
		var b Broker
		b.Reset(Config{Era: era, Consumers: 1, Queues: queues}, 1)
		next := 1
		b.Route = func(uint32, int) int { return next }
		b.Publish(0, 0, 0, 0, false)
		type key struct {
			queue  int
			reason Reason
		}
		counts := map[key]int{}
		var now time.Duration
		var newest key
		for range rapid.IntRange(1, 30).Draw(t, "rounds") {
			d, ok := b.Deliver(now)
			if !ok {
				t.Fatal("nothing to deliver")
			}
			next = rapid.IntRange(1, 3).Draw(t, "queue")
			copied := rapid.Bool().Draw(t, "copied")
			republish := rapid.Bool().Draw(t, "republish")
			if republish {
				b.Ack(d)
				if !copied || era != Era3_10 {
					clear(counts)
				}
				b.Publish(now, 0, next, 0, copied)
			} else {
				b.GiveBack(now, d, Nack, false)
				counts[key{0, Rejected}]++
			}
			newest = key{next, Expired}
			counts[newest]++
			now = b.Next()
			b.Advance(now)
			got := map[key]int{}
			for _, d := range b.Deaths(0) {
				got[key{d.Queue, d.Reason}] = d.Count
			}
			if !maps.Equal(got, counts) {
				t.Fatalf("x-death counts %v, want %v", got, counts)
			}
			if first := b.Deaths(0)[0]; (key{first.Queue, first.Reason}) != newest {
				t.Fatalf("x-death begins with %v, want %v", first, newest)
			}
		}
	})
}

// Where a broker ignores what a client has sent of x-death, the next consumer still sees it; it ends with the next death
// (measured: x-death of replayed messages survives on 3.10.8 and 4.0.5).
func TestDeathsOfReplayedMessagesCanBeRead(t *testing.T) {
	for _, era := range []Era{Era3_10, Era3_13, Era4_0, Era4_3} {
		work, dlq := plain("work", Classic), plain("dlq", Classic)
		work.DeadLetter, dlq.Inert = 1, true
		var b Broker
		b.Reset(Config{Era: era, Consumers: 1, Queues: []Queue{work, dlq}}, 1)
		b.Publish(0, 0, 0, 0, false)
		d, _ := b.Deliver(0)
		b.GiveBack(0, d, Nack, false)
		task, _ := b.Shift(1)
		b.Publish(0, task, 0, 0, true)
		if got := b.Deaths(0); len(got) != 1 || got[0].Count != 1 {
			t.Errorf("era %d: x-death %v after a replay, want one death", era, got)
		}
		d, _ = b.Deliver(0)
		b.GiveBack(0, d, Nack, false)
		want := 1
		if era == Era3_10 {
			want = 2
		}
		if got := b.Deaths(0); len(got) != 1 || got[0].Count != want {
			t.Errorf("era %d: x-death %v after the next death, want a count of %d", era, got, want)
		}
	}
}

// Rule 11: a message that goes round without anybody rejecting it is dropped where it would come for the second time. One
// rejection on the way lets it go on.
func TestCyclesAreDropped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "queues")
		rejecting := rapid.Bool().Draw(t, "rejecting")
		var queues []Queue
		for i := range n + 1 { // the work queue comes first; without a consumer it expires as well
			q := plain("ring-"+string(rune('a'+i)), drawKind(t)) // in an order that 3.13 gets right too
			q.TTL, q.DeadLetter = time.Duration(rapid.IntRange(1, 50).Draw(t, "TTL"))*ms, (i+1)%(n+1)
			queues = append(queues, q)
		}
		consumers := 0
		if rejecting {
			consumers = 1
		}
		var b Broker
		b.Reset(Config{Era: drawEra(t), Consumers: consumers, Queues: queues}, 1)
		b.Publish(0, 0, 0, 0, false)
		deaths, now := 0, time.Duration(0)
		for range 10 * (n + 1) {
			if d, ok := b.Deliver(now); ok {
				b.GiveBack(now, d, Reject, false)
			}
			if b.Next() < never {
				now = b.Next()
				b.Advance(now)
				deaths++
			}
		}
		var dropped int64
		for i := range queues {
			dropped += b.Counts(i).Dropped[Cycle]
		}
		switch {
		case !rejecting && (dropped != 1 || deaths != n+1 || b.Counts(n).Dropped[Cycle] != 1):
			t.Fatalf("%d dropped after %d deaths in a ring of %d, want it dropped where the ring closes", dropped, deaths, n+1)
		case rejecting && dropped != 0:
			t.Fatalf("dropped from a ring with a rejection in it")
		}
	})
}

// Rule 12: what is not acknowledged within T is taken back at the next tick, with all that its consumer holds: at most one
// tick late. From 4.3 on only quorum queues look.
func TestAckTimeoutClosesWithinATick(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		work := plain("work", drawKind(t))
		timeout := time.Duration(rapid.IntRange(1, 60).Draw(t, "T")) * time.Second
		tick := time.Duration(rapid.IntRange(1, 60).Draw(t, "tick")) * time.Second
		era := drawEra(t)
		var b Broker
		b.Reset(Config{Era: era, Consumers: 1, Queues: []Queue{work}, AckTimeout: timeout, Tick: tick}, 0)
		taken := map[uint32]bool{}
		b.Closed = func(_ time.Duration, d Delivery) { taken[d.Task] = true }
		first := time.Duration(rapid.IntRange(0, 1000).Draw(t, "idle")) * time.Second / 7
		n := rapid.IntRange(1, 10).Draw(t, "messages")
		for id := range uint32(n) {
			b.Publish(first, id, 0, 0, false)
			if _, ok := b.Deliver(first); !ok {
				t.Fatal("nothing to deliver")
			}
		}
		if work.Kind == Classic && era == Era4_3 {
			if b.Next() != never {
				t.Fatalf("a classic queue of 4.3 looks at %v", b.Next())
			}
			return
		}
		for now := b.Next(); len(taken) == 0; now = b.Next() {
			if now < first || now > first+timeout+tick {
				t.Fatalf("looks at %v, want within [T, T+tick] of %v", now, first)
			}
			b.Advance(now)
			if len(taken) > 0 && (now < first+timeout || len(taken) != n || b.Ready(0) != n || b.Unacked() != 0) {
				t.Fatalf("%d of %d taken back at %v, delivered at %v, T %v", len(taken), n, now, first, timeout)
			}
		}
		for id := range uint32(n) {
			if d, ok := b.Deliver(first); !ok || d.Task != id || !d.Again {
				t.Fatalf("delivery %+v, want message %d again", d, id)
			}
		}
	})
}
