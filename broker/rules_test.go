package broker

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The rules that brokers follow, on random inputs. Each was read in the sources of RabbitMQ and measured.

const ms = time.Millisecond

func drawKind(t *rapid.T) Kind { return rapid.SampledFrom([]Kind{Classic, Quorum}).Draw(t, "kind") }

func drawEra(t *rapid.T) Era {
	return rapid.SampledFrom([]Era{Era3_10, Era3_13, Era4_0, Era4_3}).Draw(t, "era")
}

// Rule 1: a queue with times to live and no consumer gives up message i at max(exit of i-1, its entry + the lower of both
// times to live). What has none blocks the others for ever. Rule 2: with one time to live for all that is entry + TTL.
func TestExpiryFollowsTheRunningMaximum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		retry := plain("retry", drawKind(t))
		retry.DeadLetter = 0
		uniform := rapid.Bool().Draw(t, "uniform")
		if uniform || rapid.Bool().Draw(t, "queue TTL") {
			retry.TTL = time.Duration(rapid.IntRange(1, 3000).Draw(t, "queue TTL")) * ms
		}
		var b Broker
		b.Reset(Config{Era: drawEra(t), Queues: []Queue{plain("work", Classic), retry}}, 0)
		var want, got []arrival
		now, exit := time.Duration(0), time.Duration(0)
		for id := range uint32(rapid.IntRange(1, 60).Draw(t, "messages")) {
			now += time.Duration(rapid.IntRange(0, 200).Draw(t, "gap")) * ms
			ttl := time.Duration(0)
			if !uniform {
				ttl = time.Duration(rapid.IntRange(0, 5000).Draw(t, "TTL")) * ms
			}
			drainUntil(&b, now, &got)
			b.Publish(now, id, 1, ttl, false)
			lives := time.Duration(never)
			for _, one := range []time.Duration{ttl, retry.TTL} {
				if one > 0 {
					lives = min(lives, one)
				}
			}
			exit = max(exit, add(now, lives))
			if uniform && exit != now+retry.TTL {
				t.Fatalf("message %d should leave at %v, rule 2 says %v", id, exit, now+retry.TTL)
			}
			if exit < never {
				want = append(want, arrival{exit, id})
			}
		}
		drainUntil(&b, never-1, &got)
		if !slices.Equal(got, want) {
			t.Fatalf("messages leave %v, want %v", got, want)
		}
		c := b.Counts(1)
		if left := int64(len(got)); c.Left != left || c.Died[Expired] != left || int(c.Entered-left) != b.Ready(1) {
			t.Fatalf("counts %+v, %d wait, want %d gone", c, b.Ready(1), left)
		}
	})
}

// Rule 3: a delayed exchange holds each message for its own delay, ordered by when it is due; what asks for more than
// 2^32-1 ms, or for nothing, is routed at once (rabbitmq-delayed-message-exchange#23, #71, #122, #227; measured).
func TestDelayedExchangeHoldsEachMessageForItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		exchange := plain("delayed", Classic)
		exchange.Delayed, exchange.DeadLetter = true, 0
		var b Broker
		b.Reset(Config{Queues: []Queue{plain("work", Classic), exchange}}, 0)
		var want, got []arrival
		now := time.Duration(0)
		for id := range uint32(rapid.IntRange(1, 60).Draw(t, "messages")) {
			now += time.Duration(rapid.IntRange(0, 20).Draw(t, "gap")) * ms
			delay := time.Duration(rapid.OneOf(rapid.IntRange(0, 500), rapid.IntRange(1<<32-2, 1<<32)).Draw(t, "delay")) * ms
			drainUntil(&b, now, &got)
			before := b.Ready(0)
			b.Publish(now, id, 1, delay, false)
			if delay == 0 || delay > LongestDelay {
				delay = 0
				got = append(got, arrival{now, id})
			}
			if b.Ready(0) != before+1 && delay == 0 {
				t.Fatalf("message %d is held, want it routed at once", id)
			}
			want = append(want, arrival{now + delay, id})
		}
		drainUntil(&b, never-1, &got)
		// At one instant what was routed at once comes after what was due then.
		slices.SortFunc(want, func(x, y arrival) int { return order(x, y) })
		slices.SortFunc(got, func(x, y arrival) int { return order(x, y) })
		if !slices.Equal(got, want) {
			t.Fatalf("messages arrive %v, want %v", got, want)
		}
	})
}

func order(x, y arrival) int {
	if x.at != y.at {
		return int(min(max(x.at-y.at, -1), 1))
	}
	return int(x.task) - int(y.task)
}

// A naiveQueue is a work queue as rules 4 to 7 put it: a list, and consumers who wait in line.
type naiveQueue struct {
	cfg     Queue
	waiting []uint32 // never delivered, or appended again
	back    []uint32 // returned
	pos     map[uint32]int
	line    []uint32
	held    map[uint32][]Delivery
}

func (q *naiveQueue) publish(task uint32) {
	q.pos[task] = len(q.pos)
	q.waiting = append(q.waiting, task)
}

// take returns who gets which message next.
func (q *naiveQueue) take() (task, consumer uint32, ok bool) {
	if len(q.line) == 0 || len(q.back)+len(q.waiting) == 0 {
		return 0, 0, false
	}
	from := &q.waiting
	if len(q.back) > 0 {
		from = &q.back
	}
	task, *from = (*from)[0], (*from)[1:]
	consumer, q.line = q.line[0], q.line[1:]
	return task, consumer, true
}

func (q *naiveQueue) giveBack(task uint32) {
	switch {
	case q.cfg.Kind == Classic:
		q.back = append(q.back, task)
		slices.SortFunc(q.back, func(x, y uint32) int { return q.pos[x] - q.pos[y] })
	case q.cfg.DeliveryLimit == None:
		q.waiting = append(q.waiting, task)
	default:
		q.back = append(q.back, task)
	}
}

// Rules 4 to 7: where a message goes that is given back, and who is served: in a classic queue to its old position, in a
// quorum queue in the order of nacks before everything else, or without a limit behind it; to the consumer that has waited
// for longest with a free slot.
func TestOrderAgreesWithALists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := plain("work", drawKind(t))
		if cfg.Kind == Quorum && rapid.Bool().Draw(t, "limit") {
			cfg.DeliveryLimit = 1 << 20
		}
		consumers, prefetch := rapid.IntRange(1, 4).Draw(t, "consumers"), rapid.IntRange(1, 5).Draw(t, "prefetch")
		q := naiveQueue{cfg: cfg, pos: map[uint32]int{}, held: map[uint32][]Delivery{}}
		var b Broker
		b.Reset(Config{Era: drawEra(t), Consumers: consumers, Prefetch: prefetch, Queues: []Queue{cfg}}, 0)
		for i := range uint32(consumers) {
			q.line = append(q.line, i)
		}
		tasks, most := uint32(0), 0
		free := func(c uint32, was int) {
			if was == prefetch {
				q.line = append(q.line, c)
			}
		}
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			c := uint32(rapid.IntRange(0, consumers-1).Draw(t, "consumer"))
			held := q.held[c]
			switch what := rapid.SampledFrom([]string{"publish", "deliver", "deliver", "nack", "nack", "ack", "close"}).Draw(t, "step"); {
			case what == "publish":
				b.Publish(0, tasks, 0, 0, false)
				q.publish(tasks)
				tasks++
			case what == "deliver":
				task, to, ok := q.take()
				d, got := b.Deliver(0)
				if ok != got || ok && (d.Task != task || d.Consumer != to) {
					t.Fatalf("delivery %+v %v, want message %d to consumer %d, %v", d, got, task, to, ok)
				}
				if !ok {
					continue
				}
				if q.held[to] = append(q.held[to], d); len(q.held[to]) < prefetch {
					q.line = append(q.line, to)
				}
			case len(held) == 0:
			case what == "close":
				b.Close(0, c)
				free(c, len(held))
				for _, d := range held {
					q.giveBack(d.Task)
				}
				q.held[c] = nil
			default:
				i := rapid.IntRange(0, len(held)-1).Draw(t, "delivery")
				d := held[i]
				q.held[c] = slices.Delete(slices.Clone(held), i, i+1)
				free(c, len(held))
				if what == "ack" {
					b.Ack(d)
				} else {
					b.GiveBack(0, d, Nack, true)
					q.giveBack(d.Task)
				}
				if b.Ack(d) || b.GiveBack(0, d, Reject, true) {
					t.Fatalf("delivery %+v is answered twice", d)
				}
			}
			ready, slots := len(q.back)+len(q.waiting), consumers*prefetch
			for _, held := range q.held {
				slots -= len(held)
			}
			if most = max(most, ready-slots); b.Ready(0) != ready || b.Most(0) != most {
				t.Fatalf("%d are ready, at most %d waited, want %d and %d", b.Ready(0), b.Most(0), ready, most)
			}
		}
	})
}

// Rule 8: if what is given back is delivered before the rest, healthy messages starve exactly if there are as many that
// always fail as there are slots. A consumer that handles one after the other spends (P-k)/P of its deliveries on healthy
// messages while k of its P slots are poisoned.
func TestStarvationTheorem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := plain("work", drawKind(t))
		cfg.DeliveryLimit = 1 << 30
		consumers, prefetch := rapid.IntRange(1, 4).Draw(t, "consumers"), rapid.IntRange(1, 8).Draw(t, "prefetch")
		slots := consumers * prefetch
		poison := rapid.IntRange(max(0, slots-3), slots+3).Draw(t, "poison")
		healthy := rapid.IntRange(slots, 200).Draw(t, "healthy")
		var b Broker
		b.Reset(Config{Consumers: consumers, Prefetch: prefetch, Queues: []Queue{cfg}}, 0)
		for id := range uint32(poison + healthy) {
			b.Publish(0, id, 0, 0, false)
		}
		done, deliveries := 0, 0
		var hands []Delivery // all slots, answered one after the other
		for range slots * (healthy + 1) {
			for d, ok := b.Deliver(0); ok; d, ok = b.Deliver(0) {
				hands = append(hands, d)
			}
			if len(hands) == 0 || done == healthy {
				break
			}
			d := hands[0]
			hands = hands[1:]
			deliveries++
			if int(d.Task) < poison {
				b.GiveBack(0, d, Nack, true)
				continue
			}
			b.Ack(d)
			done++
		}
		switch {
		case poison >= slots && done > 0:
			t.Fatalf("%d healthy messages are done beside %d poison in %d slots, want none", done, poison, slots)
		case poison < slots && done < healthy:
			t.Fatalf("%d of %d healthy messages are done beside %d poison in %d slots, want all", done, healthy, poison, slots)
		case poison < slots:
			// Each round over the slots serves slots-poison healthy messages, the last one not to its end.
			rounds := (healthy + slots - poison - 1) / (slots - poison)
			if deliveries > rounds*slots || deliveries < (rounds-1)*slots {
				t.Fatalf("%d deliveries for %d healthy messages, %d poison, %d slots: want a share of (P-k)/P, so %d rounds", deliveries, healthy, poison, slots, rounds)
			}
		}
	})
}
