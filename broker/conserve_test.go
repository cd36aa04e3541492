package broker

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// drawQueues returns a work queue, one for dead letters, and up to four others, which lead anywhere.
func drawQueues(t *rapid.T) []Queue {
	n := rapid.IntRange(2, 6).Draw(t, "queues")
	var queues []Queue
	for i := range n {
		q := Queue{
			Name:          string(rune('a' + rapid.IntRange(0, 25).Draw(t, "name"))),
			Kind:          drawKind(t),
			TTL:           time.Duration(rapid.SampledFrom([]int{0, 0, 1, 5, 20}).Draw(t, "TTL")) * ms,
			MaxLength:     rapid.SampledFrom([]int{None, None, 0, 1, 3, 10}).Draw(t, "length"),
			Overflow:      rapid.SampledFrom([]Overflow{DropHead, RejectPublish, RejectPublishDLX}).Draw(t, "overflow"),
			DeadLetter:    rapid.IntRange(None, n-1).Draw(t, "dead letters"),
			DeliveryLimit: rapid.SampledFrom([]int{None, 0, 1, 5}).Draw(t, "delivery limit"),
			AtLeastOnce:   rapid.Bool().Draw(t, "at least once"),
			Inert:         i == 1,
		}
		if rapid.Bool().Draw(t, "held back") {
			q.RetryMin, q.RetryMax = 2*ms, 7*ms
		}
		if i > 1 && rapid.IntRange(0, 3).Draw(t, "delayed") == 0 {
			q.Delayed, q.DeadLetter = true, 0
		}
		q.Routed = !q.Delayed && rapid.IntRange(0, 3).Draw(t, "routed") == 0
		queues = append(queues, q)
	}
	return queues
}

// An audit knows of each message what a broker has said of it.
type audit struct {
	b         *Broker
	published int64
	gone      map[uint32]int // acknowledged, or dropped
	hands     []Delivery
	now       time.Duration
}

// check adds up, queue by queue and in all.
func (a *audit) check(t *rapid.T) {
	t.Helper()
	var still, acked, dropped int64
	for i := range a.b.cfg.Queues {
		c := a.b.Counts(i)
		left := c.Acked
		for _, n := range c.Died {
			left += n
		}
		for _, n := range c.Dropped {
			left += n
			dropped += n
		}
		here := int64(a.b.Ready(i))
		if i == work {
			here += int64(a.b.Unacked())
		}
		if c.Entered != left+here || here < 0 {
			t.Fatalf("queue %d: %+v, and %d are still there", i, c, here)
		}
		still += here
		if i == work {
			acked = c.Acked
		}
		if q := a.b.cfg.Queues[i]; q.MaxLength != None && q.Overflow == DropHead && !q.Delayed {
			if over := a.b.stores[i].ready() - a.b.slotsOf(i) - q.MaxLength; over > 0 {
				t.Fatalf("queue %d is too long by %d", i, over)
			}
		}
	}
	if len(a.hands) != a.b.Unacked() {
		t.Fatalf("%d out, consumers hold %d", a.b.Unacked(), len(a.hands))
	}
	if a.published != acked+dropped+still {
		t.Fatalf("%d published, %d acknowledged, %d dropped, %d still there", a.published, acked, dropped, still)
	}
	if next := a.b.Next(); next < a.now {
		t.Fatalf("at %v the next event is at %v", a.now, next)
	}
}

// No message is lost without a word: at every instant what was published is acknowledged, dropped for a reason, or still in
// a queue or in somebody's hands, in each queue and in all.
func TestNoMessageIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := Config{Era: drawEra(t), Queues: drawQueues(t), Consumers: rapid.IntRange(0, 3).Draw(t, "consumers"), Prefetch: rapid.IntRange(0, 4).Draw(t, "prefetch")}
		if rapid.Bool().Draw(t, "timeout") {
			cfg.AckTimeout, cfg.Tick = 10*ms, 3*ms
		}
		var b Broker
		b.Reset(cfg, 0)
		a := audit{b: &b, gone: map[uint32]int{}}
		b.Route = func(task uint32, queue int) int { return int(task+uint32(queue))%(len(cfg.Queues)+1) - 1 }
		b.Dead = func(_ time.Duration, task uint32, _ int, dropped bool) {
			if dropped {
				a.gone[task]++
			}
		}
		b.Closed = func(_ time.Duration, d Delivery) { a.forget(t, d) }
		for range rapid.IntRange(1, 150).Draw(t, "steps") {
			a.step(t)
			a.check(t)
		}
		for _, n := range a.gone {
			if n > 1 {
				t.Fatalf("a message is gone %d times", n)
			}
		}
	})
}

// forget takes a delivery out of the hands of its consumer, who has lost it.
func (a *audit) forget(t *rapid.T, d Delivery) {
	for i, h := range a.hands {
		if h.Task == d.Task && h.tag == d.tag {
			a.hands = append(a.hands[:i], a.hands[i+1:]...)
			return
		}
	}
	t.Fatalf("delivery %+v is taken back, but nobody holds it", d)
}

func (a *audit) step(t *rapid.T) {
	b := a.b
	var d Delivery
	what := rapid.SampledFrom([]string{"publish", "publish", "publish", "deliver", "deliver", "ack", "nack", "reject", "dead", "close", "wait", "republish"}).Draw(t, "step")
	switch what {
	case "ack", "nack", "reject", "dead", "republish":
		if len(a.hands) == 0 {
			return
		}
		i := rapid.IntRange(0, len(a.hands)-1).Draw(t, "delivery")
		d = a.hands[i]
		a.hands = append(a.hands[:i], a.hands[i+1:]...)
	}
	queue := rapid.IntRange(0, len(b.cfg.Queues)-1).Draw(t, "queue")
	ttl := time.Duration(rapid.IntRange(0, 30).Draw(t, "TTL")) * ms
	answered := true
	switch what {
	case "publish":
		task := uint32(len(b.messages))
		b.Publish(a.now, task, queue, ttl, false)
		a.published++
	case "deliver":
		if d, ok := b.Deliver(a.now); ok {
			a.hands = append(a.hands, d)
		}
	case "ack":
		a.gone[d.Task]++
		answered = b.Ack(d)
	case "nack":
		answered = b.GiveBack(a.now, d, Nack, true)
	case "reject":
		answered = b.GiveBack(a.now, d, Reject, true)
	case "dead":
		answered = b.GiveBack(a.now, d, Reject, false)
	case "republish":
		answered = b.Ack(d)
		a.published++ // the old one is done
		b.Publish(a.now, d.Task, queue, ttl, rapid.Bool().Draw(t, "copied"))
	case "close":
		if n := len(b.consumers); n > 0 {
			b.Close(a.now, uint32(rapid.IntRange(0, n-1).Draw(t, "consumer")))
		}
	case "wait":
		until := a.now + time.Duration(rapid.SampledFrom([]int{1, 5, 20, 200_000}).Draw(t, "ms"))*ms
		for n := 0; b.Next() <= until && n < 200; n++ {
			a.now = max(a.now, b.Next())
			b.Advance(a.now)
			a.check(t)
		}
		a.now = max(a.now, until)
		b.Advance(a.now)
	}
	if !answered {
		t.Fatalf("the answer to %+v is not taken", d)
	}
}
