package sim_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"herdsim/broker"
	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

// What users of RabbitMQ clients have reported, and what was measured with consumers, played by the engine.

// workers are a classic or quorum work queue and consumers; the first poison messages never succeed.
func workers(kind string, poison, healthy, consumers, prefetch int) sim.Config {
	row := map[string]string{"queue_type": kind, "consumers": fmt.Sprint(consumers), "prefetch": fmt.Sprint(prefetch)}
	cfg := consuming(row, poison, healthy, broker.Era4_0)
	cfg.Horizon = time.Minute
	cfg.Broker.Sequential = false
	return cfg
}

func retryQueue() broker.Queue {
	return broker.Queue{Name: "retry", DeadLetter: 0, MaxLength: broker.None, DeliveryLimit: broker.None}
}

// rabbitmq-c#743, symfony#34107, and measured: a crash brings the whole window back. With a limit of 2 and a window of 10, three
// crashes make dead letters of all ten, healthy or not; a classic queue goes on for ever.
func TestTheoryCrashTakesTheWholeWindow(t *testing.T) {
	for _, sequential := range []bool{true, false} {
		cfg := workers("quorum", 1, 9, 1, 10)
		cfg.Broker.Crash, cfg.Broker.Sequential = true, sequential
		cfg.Broker.Queues[0].DeliveryLimit = 2
		cfg.Downstream.Service = downstream.Constant{D: 5 * time.Millisecond}
		res := player(t, cfg, false)(1).Result
		if q := res.Queues[0]; q.Died[broker.DeliveryLimit] != 10 || q.Deliveries != 30 || res.Queues[1].Ready != 10 || res.Herd.Succeeded != 0 {
			t.Errorf("sequential %v: %d dead letters after %d deliveries, %d done, want 10 after 3 crashes of 10", sequential, q.Died[broker.DeliveryLimit], q.Deliveries, res.Herd.Succeeded)
		}
		cfg = workers("classic", 1, 9, 1, 10)
		cfg.Broker.Crash, cfg.Broker.Sequential, cfg.Horizon = true, sequential, 3*time.Second
		cfg.Downstream.Service = downstream.Constant{D: 5 * time.Millisecond}
		res = player(t, cfg, false)(1).Result
		if q := res.Queues[0]; res.Herd.Succeeded != 0 || res.Herd.Unfinished != 10 || q.Deliveries < 3000 {
			t.Errorf("classic, sequential %v: %d done, %d deliveries, want none and a loop", sequential, res.Herd.Succeeded, q.Deliveries)
		}
	}
}

// NServiceBus.RabbitMQ#1550, rabbitmq-server#11937: since 4.0 a quorum queue that sets no limit gives a message up after its
// 21st delivery; without a place for dead letters it is gone.
func TestTheoryDefaultDeliveryLimit(t *testing.T) {
	cfg := workers("quorum", 1, 0, 1, 10)
	cfg.Broker.Queues[0].DeadLetter = broker.None
	res := player(t, cfg, false)(1).Result
	if q := res.Queues[0]; res.Attempts != 21 || q.Dropped[broker.NoDeadLetter] != 1 || res.Herd.DeadLettered != 1 {
		t.Errorf("%d attempts, %+v, want 21 and a drop", res.Attempts, q.Counts)
	}
}

// StackOverflow 23158310: a nack brings the stored message back, unchanged, so what a client counts in a header never grows,
// and its limit never comes; published again it does.
func TestTheoryNackChangesNoHeader(t *testing.T) {
	cfg := workers("classic", 1, 0, 1, 1)
	cfg.MaxAttempts, cfg.Horizon = 3, 3*time.Second
	if res := player(t, cfg, false)(1).Result; res.Herd.DeadLettered != 0 || res.Attempts < 3000 {
		t.Errorf("requeued: %d given up after %d attempts, want none, and a loop", res.Herd.DeadLettered, res.Attempts)
	}
	cfg.Broker.OnFailure, cfg.Broker.Retry = sim.PublishTTL, 2
	cfg.Broker.Queues = append(cfg.Broker.Queues, retryQueue())
	cfg.Horizon = time.Minute
	if res := player(t, cfg, false)(1).Result; res.Herd.DeadLettered != 1 || res.Attempts != 3 {
		t.Errorf("published again: %d given up after %d attempts, want 1 after 3", res.Herd.DeadLettered, res.Attempts)
	}
}

// rabbitmq-server#10709, #11331, spring-cloud-stream#3019: a cap that is read from x-death works when the message is published
// again on 3.10, and never since 3.13; nacked through a queue for retries it works everywhere.
func TestTheoryCapFromDeaths(t *testing.T) {
	for _, era := range []broker.Era{broker.Era3_10, broker.Era3_13, broker.Era4_0, broker.Era4_3} {
		for _, how := range []sim.OnFailure{sim.PublishTTL, sim.DeadLetter} {
			for _, copied := range []bool{true, false} {
				cfg := workers("classic", 1, 0, 1, 1)
				cfg.MaxAttempts = 4
				b := cfg.Broker
				b.Era, b.OnFailure, b.CountDeath, b.Copied, b.Retry = era, how, true, copied, 2
				b.Queues = append(b.Queues, retryQueue())
				b.Queues[0].DeadLetter, b.Queues[2].TTL = 2, time.Second
				res := player(t, cfg, false)(1).Result
				attempts, dead := int64(4), int64(1)
				if how == sim.PublishTTL && (era != broker.Era3_10 || !copied) {
					attempts, dead = 60, 0 // one a second for a minute
				}
				if res.Attempts != attempts || res.Herd.DeadLettered != dead {
					t.Errorf("era %d, on failure %d, copied %v: %d attempts, %d given up, want %d and %d", era, how, copied, res.Attempts, res.Herd.DeadLettered, attempts, dead)
				}
			}
		}
	}
}

// lapin#357 and measured with T = 10 s and a tick of 5 s: a handler that does not answer loses its channel within [T, T+tick],
// all three deliveries come back, and the work is done twice. (php-amqplib#925 and node-rabbitmq-client#33 are the same.)
func TestTheoryAckTimeoutDoesWorkTwice(t *testing.T) {
	cfg := workers("classic", 0, 3, 1, 3)
	cfg.Broker.AckTimeout, cfg.Broker.Tick = 10*time.Second, 5*time.Second
	cfg.Downstream.Service = downstream.Constant{D: 12 * time.Second}
	cfg.Horizon = 20 * time.Second
	p := player(t, cfg, true)(1)
	if q := p.Queues[0]; q.Redelivers != 3 || q.Unacked != 3 || p.Herd.Succeeded != 0 || p.Wasted != 3 {
		t.Errorf("%d redelivered, %d out, %d done, %d wasted, want 3, 3, 0, 3", q.Redelivers, q.Unacked, p.Herd.Succeeded, p.Wasted)
	}
	for _, a := range p.attempts {
		if a.Attempt == 2 && (a.Sent < 10*time.Second || a.Sent > 15*time.Second+time.Millisecond) {
			t.Errorf("message %d comes back at %v, want within 10 and 15 s", a.Task, a.Sent)
		}
	}
}

// rabbitmq-server#12857: time in the consumer's own buffer counts, so prefetch × service time must stay below the timeout.
func TestTheoryAckTimeoutCountsTheBuffer(t *testing.T) {
	for prefetch, back := range map[int]bool{9: false, 20: true} {
		cfg := workers("classic", 0, 40, 1, prefetch)
		cfg.Broker.Sequential = true
		cfg.Broker.AckTimeout, cfg.Broker.Tick = 10*time.Second, 100*time.Millisecond
		cfg.Downstream.Service = downstream.Constant{D: time.Second}
		res := player(t, cfg, false)(1).Result
		if q := res.Queues[0]; (q.Redelivers > 0) != back {
			t.Errorf("prefetch %d, 1 s of work each, timeout 10 s: %d redelivered", prefetch, q.Redelivers)
		}
	}
}

// A handler whose delivery was taken from it ends what it has begun, for nothing, and then goes on with the next: of three
// messages of 4 s each, one after the other, the third is late for a timeout of 10 s, and done at 16 s all the same.
func TestTheoryLateHandlerGoesOn(t *testing.T) {
	cfg := workers("classic", 0, 3, 1, 3)
	cfg.Broker.Sequential = true
	cfg.Broker.AckTimeout, cfg.Broker.Tick = 10*time.Second, time.Second
	cfg.Downstream.Service = downstream.Constant{D: 4 * time.Second}
	res := player(t, cfg, false)(1).Result
	if last := 16*time.Second + cfg.Broker.Delivery; res.Herd.Succeeded != 3 || res.Wasted != 1 || res.Completions[2] != last {
		t.Errorf("%d done, %d for nothing, %v, want 3, 1, the last at %v", res.Herd.Succeeded, res.Wasted, res.Completions, last)
	}
}

// celery#2731, MassTransit#1988, thunder#126: deliveries that wait in the consumer take its window; when all of it waits, the
// queue stands still. 2 consumers with a window of 80 hold 160.
func TestTheoryFullWindowStopsTheQueue(t *testing.T) {
	for failing, done := range map[int]int64{160: 0, 159: 500} {
		cfg := workers("classic", failing, 500, 2, 80)
		cfg.Broker.OnFailure, cfg.Broker.Requeue = sim.Sleep, true
		cfg.Strategy = strategies.Fixed{Delay: time.Hour}
		cfg.Downstream.Service = downstream.Constant{D: 10 * time.Millisecond}
		res := player(t, cfg, false)(1).Result
		if res.Herd.Succeeded != done || res.Queues[0].Unacked != failing {
			t.Errorf("%d sleep: %d done, %d unacknowledged, want %d and %d", failing, res.Herd.Succeeded, res.Queues[0].Unacked, done, failing)
		}
	}
}

// Measured: dead letters that are moved back keep their headers, so each is over its cap at once, unless the count is reset.
func TestTheoryReplay(t *testing.T) {
	for reset, attempts := range map[bool]int64{false: 3 + 1, true: 3 + 3} {
		cfg := workers("classic", 100, 0, 4, 10)
		cfg.MaxAttempts = 3
		b := cfg.Broker
		b.OnFailure, b.Retry, b.Queues = sim.PublishTTL, 2, append(b.Queues, retryQueue())
		b.Replay = &sim.Replay{At: 20 * time.Second, Rate: 50, Reset: reset}
		var sent []time.Duration
		cfg.Trace = func(a sim.AttemptRecord) {
			if a.Attempt == 4 {
				sent = append(sent, a.Sent)
			}
		}
		res := player(t, cfg, false)(1).Result
		if res.Attempts != 100*attempts || res.Herd.DeadLettered != 100 {
			t.Errorf("reset %v: %d attempts, %d dead letters, want %d and 100", reset, res.Attempts, res.Herd.DeadLettered, 100*attempts)
		}
		slices.Sort(sent)
		for i, at := range sent { // 50 a second from 20 s on
			if want := 20*time.Second + time.Duration(i)*20*time.Millisecond + b.Delivery; at != want {
				t.Fatalf("reset %v: replayed message %d is delivered at %v, want %v", reset, i, at, want)
			}
		}
	}
}

// celery#9207, NServiceBus: binary levels make up each wait of whole seconds, rounded up, and block nobody.
func TestTheoryBinaryLevelsWaitWholeSeconds(t *testing.T) {
	for wait, want := range map[time.Duration]time.Duration{1: time.Second, 2700 * time.Millisecond: 3 * time.Second, 13 * time.Second: 13 * time.Second, 100 * time.Second: 15 * time.Second} {
		cfg := workers("classic", 1, 0, 1, 1)
		cfg.Strategy, cfg.MaxAttempts = strategies.Fixed{Delay: wait}, 2
		b := cfg.Broker
		b.OnFailure = sim.BinaryLevels
		for i := 3; i >= 0; i-- {
			level := retryQueue()
			level.TTL, level.Routed = time.Second<<i, true
			b.Rungs = append(b.Rungs, sim.Rung{Queue: len(b.Queues), Wait: level.TTL})
			b.Queues = append(b.Queues, level)
		}
		p := player(t, cfg, true)(1)
		if len(p.attempts) != 2 {
			t.Fatalf("%d attempts, want 2", len(p.attempts))
		}
		if got := p.attempts[1].Sent - p.attempts[0].End - b.Delivery; got != want {
			t.Errorf("asked for %v, waited %v, want %v", wait, got, want)
		}
	}
}

// A ladder rounds each wait up to a rung; what is longer than all waits in the last.
func TestTheoryLadderRoundsUp(t *testing.T) {
	for wait, want := range map[time.Duration]time.Duration{1: time.Second, time.Second: time.Second, 1001 * time.Millisecond: 2 * time.Second, 3 * time.Second: 4 * time.Second, time.Minute: 4 * time.Second} {
		cfg := workers("classic", 1, 0, 1, 1)
		cfg.Strategy, cfg.MaxAttempts = strategies.Fixed{Delay: wait}, 2
		b := cfg.Broker
		b.OnFailure = sim.Ladder
		for i := range 3 {
			rung := retryQueue()
			rung.TTL = time.Second << i
			b.Rungs = append(b.Rungs, sim.Rung{Queue: len(b.Queues), Wait: rung.TTL})
			b.Queues = append(b.Queues, rung)
		}
		p := player(t, cfg, true)(1)
		if got := p.attempts[1].Sent - p.attempts[0].End - b.Delivery; got != want {
			t.Errorf("asked for %v, waited %v, want %v", wait, got, want)
		}
	}
}

// thunder#74, and a question about Spring AMQP (default-requeue-rejected): what fails is requeued by default, so as many messages
// that always fail as a consumer may hold block all others, and show as unacknowledged. Rejected into a queue with a time to
// live, with a cap from x-death, they do not.
func TestTheoryRequeueByDefaultBlocks(t *testing.T) {
	for _, requeue := range []bool{true, false} {
		cfg := workers("classic", 250, 1000, 1, 250)
		cfg.Downstream.Service = downstream.Constant{D: 10 * time.Millisecond}
		cfg.Horizon = 5 * time.Second
		done, given, held := int64(0), int64(0), 250
		if !requeue {
			b := cfg.Broker
			b.OnFailure, b.CountDeath, cfg.MaxAttempts = sim.DeadLetter, true, 3
			b.Queues = append(b.Queues, retryQueue())
			b.Queues[0].DeadLetter, b.Queues[2].TTL = 2, time.Second
			done, given, held = 1000, 250, 0
		}
		res := player(t, cfg, false)(1).Result
		if res.Herd.Succeeded != done || res.Herd.DeadLettered != given || res.Queues[0].Unacked != held {
			t.Errorf("requeue %v: %d done, %d given up, %d unacknowledged, want %d, %d, %d", requeue, res.Herd.Succeeded, res.Herd.DeadLettered, res.Queues[0].Unacked, done, given, held)
		}
	}
}

// broadway_rabbitmq#73, rabbitmq-server#1020: reject and requeue without a limit is a loop at the speed of the broker. Measured:
// 2,000 to 2,700 deliveries a second of one message alone (3.10.8, classic, prefetch 1 and 10).
func TestTheoryRequeueLoopSpeed(t *testing.T) {
	for _, how := range []sim.OnFailure{sim.Nack, sim.Return} {
		cfg := workers("classic", 1, 0, 1, 10)
		cfg.Broker.OnFailure, cfg.Horizon = how, 3*time.Second
		res := player(t, cfg, false)(1).Result
		if rate := float64(res.Queues[0].Deliveries) / 3; rate < 2000 || rate > 2750 || res.Queues[0].Redelivers != res.Queues[0].Deliveries-1 {
			t.Errorf("on failure %d: %.0f deliveries a second, %d redeliveries, want 2,000 to 2,750", how, rate, res.Queues[0].Redelivers)
		}
	}
}
