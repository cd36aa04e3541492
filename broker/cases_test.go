package broker

import (
	"testing"
	"time"
)

// What users of RabbitMQ have reported, each with the inputs of the report.

// parked are a work queue, a queue for retries in front of it, and one for dead letters.
func parked(kind Kind) []Queue {
	work, retry, dlq := plain("work", kind), plain("retry", kind), plain("dlq", Classic)
	work.DeadLetter, retry.DeadLetter, dlq.Inert = 2, 0, true
	return []Queue{work, retry, dlq}
}

// exits publishes messages with these times to live to the queue for retries, and returns when they are back.
func exits(kind Kind, ttls ...time.Duration) (at []time.Duration) {
	var b Broker
	b.Reset(Config{Queues: parked(kind)}, 0)
	for id, ttl := range ttls {
		b.Publish(0, uint32(id), 1, ttl, false)
	}
	at = make([]time.Duration, len(ttls))
	var got []arrival
	drainUntil(&b, never-1, &got)
	for _, a := range got {
		at[a.task] = a.at
	}
	return at
}

func TestHeadOfLineReports(t *testing.T) {
	minutes := func(n ...time.Duration) []time.Duration {
		for i := range n {
			n[i] *= time.Minute
		}
		return n
	}
	for _, c := range []struct {
		name      string
		kind      Kind
		ttl, want []time.Duration
	}{
		{"rabbitmq-server#2007", Classic, minutes(3, 60, 30), minutes(3, 60, 60)},
		{"rabbitmq-server#10617, quorum", Quorum, minutes(60, 1), minutes(60, 60)},
		{"rabbitmq-website#1788, ascending hides it", Quorum, minutes(1, 2, 3), minutes(1, 2, 3)},
		{"laravel-queue-rabbitmq#232, mixed backoffs", Classic, minutes(10, 1, 5), minutes(10, 10, 10)},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i, at := range exits(c.kind, c.ttl...) {
				if at != c.want[i] {
					t.Errorf("message %d is back at %v, want %v", i, at, c.want[i])
				}
			}
		})
	}
}

// gojek/ziggurat#124: a queue for each time to live blocks nobody.
func TestQueuePerRungBlocksNobody(t *testing.T) {
	queues := rungs(Classic)
	var b Broker
	b.Reset(Config{Queues: queues}, 0)
	for id := range uint32(4) {
		b.Publish(0, id, 4-int(id), 0, false) // the longest first
	}
	var got []arrival
	drainUntil(&b, never-1, &got)
	for i, a := range got {
		if want := time.Second << i; a.at != want || int(a.task) != 3-i {
			t.Errorf("message %d is back at %v, want message %d at %v", a.task, a.at, 3-i, want)
		}
	}
}

// rabbitmq-server#10718: dead letters at least once stay in their queue for as long as the target refuses them, which looks
// like a time to live that does not work. They are sent again every 180 s, 32 at a time.
func TestAtLeastOnceKeepsWhatTheTargetRefuses(t *testing.T) {
	queues := parked(Quorum)
	retry, target := &queues[1], &queues[0]
	retry.TTL, retry.Overflow, retry.AtLeastOnce = time.Hour, RejectPublish, true
	target.MaxLength, target.Overflow, target.Kind = 10, RejectPublish, Classic
	var b Broker
	b.Reset(Config{Consumers: 1, Queues: queues, Prefetch: 1}, 0)
	for id := range uint32(100) {
		b.Publish(0, id, 1, 0, false)
	}
	b.Advance(b.Next())
	steps := []struct {
		at         time.Duration
		take       int
		ready, old int
	}{
		{time.Hour, 0, 11, 89}, // ten, and the one that the consumer has room for
		{time.Hour + ResendAfter, 5, 11, 89},
		{time.Hour + 2*ResendAfter, 0, 11, 84},
		{time.Hour + 3*ResendAfter, 11, 11, 84},
		{time.Hour + 4*ResendAfter, 0, 11, 73},
	}
	for _, s := range steps {
		for b.Next() <= s.at {
			b.Advance(b.Next())
		}
		if b.Ready(0) != s.ready || b.Ready(1) != s.old {
			t.Fatalf("at %v: %d there, %d kept, want %d and %d", s.at, b.Ready(0), b.Ready(1), s.ready, s.old)
		}
		for range s.take {
			d, ok := b.Deliver(s.at)
			if !ok {
				t.Fatal("nothing to deliver")
			}
			b.Ack(d)
		}
	}
	retry.AtLeastOnce = false
	b.Reset(Config{Queues: queues}, 0)
	for id := range uint32(100) {
		b.Publish(0, id, 1, 0, false)
	}
	b.Advance(time.Hour)
	if c := b.Counts(0); c.Dropped[Lost] != 90 || b.Ready(0) != 10 || b.Ready(1) != 0 {
		t.Errorf("at most once: %+v, want 90 lost", c)
	}
}

// celery#9867, #10095: native delayed delivery. A task that is published again with x-death copied, and passes a level for
// the second time, is lost on 3.10; since 4.0 what clients send is ignored. At least once it is kept for ever instead.
func TestCopiedDeathsCloseACycle(t *testing.T) {
	for _, c := range []struct {
		name        string
		era         Era
		copied      bool
		atLeastOnce bool
		back        int
		kept        int
	}{
		{"3.10, copied", Era3_10, true, false, 0, 0},
		{"3.10, copied, at least once", Era3_10, true, true, 0, 1},
		{"3.10, stripped", Era3_10, false, false, 1, 0},
		{"3.13, copied", Era3_13, true, false, 1, 0},
		{"4.0, copied", Era4_0, true, false, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			long, short := plain("celery_delayed_1", Quorum), plain("celery_delayed_0", Quorum)
			long.TTL, long.DeadLetter, short.TTL, short.DeadLetter = 2*time.Second, 2, time.Second, 0
			long.AtLeastOnce, long.Overflow = c.atLeastOnce, RejectPublish
			var b Broker
			b.Reset(Config{Era: c.era, Consumers: 1, Queues: []Queue{plain("celery", Quorum), long, short}}, 1)
			b.Publish(0, 0, 1, 0, false)
			var got []arrival
			drainUntil(&b, 3*time.Second, &got)
			d, ok := b.Deliver(3 * time.Second)
			if !ok {
				t.Fatal("the task is not back from its first wait")
			}
			b.Ack(d)
			b.Publish(3*time.Second, 0, 1, 0, c.copied)
			drainUntil(&b, time.Hour, &got)
			if b.Ready(0) != c.back || b.Ready(1) != c.kept || int(b.Counts(1).Dropped[Cycle]) != 1-c.back-c.kept {
				t.Errorf("%d back, %d kept, %d dropped, want %d, %d", b.Ready(0), b.Ready(1), b.Counts(1).Dropped[Cycle], c.back, c.kept)
			}
		})
	}
}

// rabbitmq-server#1061 and #11159: a cycle with a rejection in it goes on; 3.13.0 to 3.13.2 drop the message if the name of
// the queue it comes to sorts before that of the queue where it was rejected.
func TestRejectionInACycle(t *testing.T) {
	for _, c := range []struct {
		era    Era
		last   string
		rounds int
	}{{Era3_10, "a", 5}, {Era3_13, "z", 5}, {Era3_13, "a", 1}, {Era4_0, "a", 5}} {
		work, first, second := plain("main", Classic), plain("first", Classic), plain(c.last, Classic)
		work.DeadLetter, first.DeadLetter, second.DeadLetter, first.TTL, second.TTL = 1, 2, 0, ms, ms
		var b Broker
		b.Reset(Config{Era: c.era, Consumers: 1, Queues: []Queue{work, first, second}}, 1)
		b.Publish(0, 0, 0, 0, false)
		rounds := 0
		var got []arrival
		for now := time.Duration(0); rounds < 5; rounds++ {
			d, ok := b.Deliver(now)
			if !ok {
				rounds--
				break
			}
			b.GiveBack(now, d, Reject, false)
			now += time.Second
			drainUntil(&b, now, &got)
		}
		if rounds != c.rounds {
			t.Errorf("era %d, %s: %d rounds, want %d", c.era, c.last, rounds, c.rounds)
		}
	}
}

// rascal#125: x-death is written when a message becomes a dead letter, never when it is requeued.
func TestRequeueWritesNoDeath(t *testing.T) {
	for _, kind := range []Kind{Classic, Quorum} {
		var b Broker
		b.Reset(Config{Consumers: 1, Queues: parked(kind)}, 1)
		b.Publish(0, 0, 0, 0, false)
		for range 5 {
			d, _ := b.Deliver(0)
			b.GiveBack(0, d, Nack, true)
		}
		if deaths := b.Deaths(0); len(deaths) != 0 {
			t.Errorf("x-death %v after requeueing", deaths)
		}
	}
}

// rabbitmq-server#2313 and measured: unacknowledged messages do not count for the length; a classic queue that is full drops
// its oldest when one comes back, and has room for the next; a quorum queue gives it out again first.
func TestLengthAfterARequeue(t *testing.T) {
	for kind, want := range map[Kind]struct{ ready, dropped int }{Classic: {4, 1}, Quorum: {5, 0}} {
		queues := parked(kind)
		queues[0].MaxLength = 5
		queues[0].DeliveryLimit = 100
		var b Broker
		b.Reset(Config{Consumers: 1, Prefetch: 3, Queues: queues}, 0)
		var hands []Delivery
		for id := range uint32(8) {
			b.Publish(0, id, 0, 0, false)
			if d, ok := b.Deliver(0); ok {
				hands = append(hands, d)
			}
		}
		if b.Ready(0) != 5 || len(hands) != 3 {
			t.Fatalf("%d ready and %d held, want 5 and 3", b.Ready(0), len(hands))
		}
		for _, d := range hands {
			b.GiveBack(0, d, Nack, true)
			b.Deliver(0)
		}
		if b.Ready(0) != want.ready || b.Ready(2) != want.dropped || b.Unacked() != 3 {
			t.Errorf("kind %d: %d ready, %d dropped, %d held, want %+v", kind, b.Ready(0), b.Ready(2), b.Unacked(), want)
		}
	}
}

// amqplib#488 and #544: with one slot a nacked message is the very next; with more, the next is what the consumer has.
func TestNextAfterANack(t *testing.T) {
	for prefetch, want := range map[int][]uint32{1: {0, 0, 0}, 3: {0, 1, 2, 0}} {
		var b Broker
		b.Reset(Config{Consumers: 1, Prefetch: prefetch, Queues: parked(Classic)}, 0)
		for id := range uint32(3) {
			b.Publish(0, id, 0, 0, false)
		}
		var hands []Delivery
		for i, task := range want {
			for d, ok := b.Deliver(0); ok; d, ok = b.Deliver(0) {
				hands = append(hands, d)
			}
			if hands[0].Task != task {
				t.Errorf("prefetch %d: message %d is handled as the %d-th, want %d", prefetch, hands[0].Task, i, task)
			}
			b.GiveBack(0, hands[0], Nack, true)
			hands = hands[1:]
		}
	}
}

// Measured: while a message is out its time to live does not end it; when it is given back it goes at once, with its
// original expiry.
func TestExpiryWaitsForTheRequeue(t *testing.T) {
	for _, kind := range []Kind{Classic, Quorum} {
		queues := parked(kind)
		queues[0].TTL = time.Second
		var b Broker
		b.Reset(Config{Consumers: 1, Queues: queues}, 0)
		b.Publish(0, 0, 0, 0, false)
		b.Publish(0, 1, 0, 0, false)
		early, _ := b.Deliver(0)
		late, _ := b.Deliver(0)
		b.GiveBack(900*ms, early, Nack, true)
		if b.Next() != time.Second {
			t.Errorf("kind %d: the message that is back expires at %v, want its original 1s", kind, b.Next())
		}
		b.Advance(time.Second)
		if b.Ready(2) != 1 || b.Unacked() != 1 {
			t.Errorf("kind %d: %d dead letters, %d out, want one each", kind, b.Ready(2), b.Unacked())
		}
		b.GiveBack(2*time.Second, late, Nack, true)
		if b.Ready(2) != 2 || b.Counts(0).Died[Expired] != 2 {
			t.Errorf("kind %d: %d dead letters after the requeue, want 2", kind, b.Ready(2))
		}
		if c := b.Counts(0); c.Late != 0 || c.LateMax != 0 { // a consumer held it, and no other message
			t.Errorf("kind %d: the messages stood behind others for %v, at most %v", kind, c.Late, c.LateMax)
		}
	}
}

// rabbit-4.3: a quorum queue holds what is returned back for min(min × max(1, delivery count), max), each by itself: 1, 2, 3
// and 4 s and so on for failures; a nack does not count, so it waits for min each time. The original expiry stays.
func TestDelayedRetry(t *testing.T) {
	for how, want := range map[Answer][]time.Duration{Reject: {1, 2, 3, 4, 5, 5}, Nack: {1, 1, 1, 1, 1, 1}} {
		queues := parked(Quorum)
		queues[0].RetryMin, queues[0].RetryMax, queues[0].DeliveryLimit = time.Second, 5*time.Second, 20
		var b Broker
		b.Reset(Config{Era: Era4_3, Consumers: 1, Queues: queues}, 0)
		b.Publish(0, 0, 0, 0, false)
		now := time.Duration(0)
		for i, wait := range want {
			d, _ := b.Deliver(now)
			b.GiveBack(now, d, how, true)
			if got := b.Next() - now; got != wait*time.Second {
				t.Errorf("answer %d: wait %d is %v, want %v", how, i, got, wait*time.Second)
			}
			now = b.Next()
			b.Advance(now)
		}
	}
}
