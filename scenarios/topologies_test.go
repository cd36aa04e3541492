package scenarios

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"herdsim/sim"
)

// topology is a scenario of four messages whose waits are 8, 1, 4 and 0.5 s, at a downstream that refuses everything at
// first and then answers at once. A delivery takes 1 ms.
const topology = `
name: topology
horizon: 1m
workers: 1
messages: {count: 4}
downstream: {slots: unlimited, service: 0s, outages: [{from: 0s, to: OUTAGE}]}
broker: {BROKER, delivery: 1ms, prefetch: unlimited}
limits: {max_attempts: LIMIT}
strategies: [expr: "worker == 0 ? 8 : worker == 1 ? 1 : worker == 2 ? 4 : 0.5"]
`

// played returns when each message of a topology was attempted, in milliseconds, and what became of the run.
func played(t *testing.T, broker, outage, limit string) (attempts [4][]int64, res *sim.Result) {
	t.Helper()
	text := strings.NewReplacer("BROKER", broker, "OUTAGE", outage, "LIMIT", limit).Replace(topology)
	s, err := Load(Request{Source: "-", Stdin: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	cfg := s.Config(0, 1)
	cfg.Trace = func(a sim.AttemptRecord) {
		attempts[a.Task] = append(attempts[a.Task], a.Arrived.Microseconds())
	}
	res = sim.Run(context.Background(), cfg)
	for i := range attempts {
		slices.Sort(attempts[i])
	}
	return attempts, res
}

// Each topology brings messages back when its rule says.
func TestTopologiesBringMessagesBack(t *testing.T) {
	const first = 1000 // µs: a delivery after t0
	for _, c := range []struct {
		name, broker, outage string
		want                 [4][]int64 // µs
	}{
		// Nothing leaves before what was published before it: all after the longest wait, and one more delivery.
		{"one queue, a time to live each", "topology: ttl-queue", "100ms",
			[4][]int64{{first, 8_002_000}, {first, 8_002_000}, {first, 8_002_000}, {first, 8_002_000}}},
		{"each by itself", "topology: delayed-exchange", "100ms",
			[4][]int64{{first, 8_002_000}, {first, 1_002_000}, {first, 4_002_000}, {first, 502_000}}},
		{"the wait is the queue's", "topology: fixed-ttl, ttl: 30s", "100ms",
			[4][]int64{{first, 30_002_000}, {first, 30_002_000}, {first, 30_002_000}, {first, 30_002_000}}},
		{"the next rung, or the last", "topology: ladder, rungs: [3s, 5s]", "100ms",
			[4][]int64{{first, 5_002_000}, {first, 3_002_000}, {first, 5_002_000}, {first, 3_002_000}}},
		{"whole seconds", "topology: binary-levels", "100ms",
			[4][]int64{{first, 8_002_000}, {first, 1_002_000}, {first, 4_002_000}, {first, 1_002_000}}},
		{"at once", "topology: requeue", "3ms",
			[4][]int64{{first, 2000, 3000}, {first, 2000, 3000}, {first, 2000, 3000}, {first, 2000, 3000}}},
		{"asleep together", "topology: sleep, then: requeue", "100ms",
			[4][]int64{{first, 8_002_000}, {first, 1_002_000}, {first, 4_002_000}, {first, 502_000}}},
		// One after the other: the sleeps add up, and each message goes behind those in hand.
		{"asleep in turn", "topology: sleep, then: requeue, handler: sequential", "13200ms",
			[4][]int64{{first, 13_501_000}, {8_001_000, 13_501_000}, {9_001_000, 13_501_000}, {13_001_000, 13_502_000}}},
		// Held back for 1, 2, 3, 3 s, whatever the strategy says.
		{"by the broker", `topology: delayed-retry, era: "4.3", queue: quorum, min: 1s, max: 3s`, "7s",
			[4][]int64{
				{first, 1_002_000, 3_003_000, 6_004_000, 9_005_000}, {first, 1_002_000, 3_003_000, 6_004_000, 9_005_000},
				{first, 1_002_000, 3_003_000, 6_004_000, 9_005_000}, {first, 1_002_000, 3_003_000, 6_004_000, 9_005_000},
			}},
		{"a chain of two queues", "topology: custom, on_failure: dead-letter, queues: [{name: in, dead_letter_to: a}, " +
			"{name: a, ttl: 1s, dead_letter_to: b}, {name: b, ttl: 2s, dead_letter_to: in}, {name: dlq}]", "4s",
			[4][]int64{
				{first, 3_002_000, 6_003_000}, {first, 3_002_000, 6_003_000}, {first, 3_002_000, 6_003_000}, {first, 3_002_000, 6_003_000},
			}},
		{"the shorter of the two", "topology: custom, on_failure: {publish: a}, queues: [{name: in}, {name: a, ttl: 5s, dead_letter_to: in}, {name: dlq}]",
			"100ms", [4][]int64{{first, 5_002_000}, {first, 5_002_000}, {first, 5_002_000}, {first, 5_002_000}}},
		{"the queue's own", "topology: custom, on_failure: {publish: a, ttl: none}, queues: [{name: in}, {name: dlq}, {name: a, ttl: 2s, dead_letter_to: in}]",
			"100ms", [4][]int64{{first, 2_002_000}, {first, 2_002_000}, {first, 2_002_000}, {first, 2_002_000}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, res := played(t, c.broker, c.outage, "none")
			for i, want := range c.want {
				if !slices.Equal(got[i], want) {
					t.Errorf("message %d is attempted at %v µs, want %v", i, got[i], want)
				}
			}
			if res.Herd.Succeeded != 4 {
				t.Errorf("%d of 4 succeeded", res.Herd.Succeeded)
			}
		})
	}
}

// How often a message that never succeeds is delivered, and whether it then is a dead letter.
func TestTopologiesGiveUp(t *testing.T) {
	for _, c := range []struct {
		name, broker, limit string
		attempts            int // of each message; 0 = more than a limit explains
		dead                bool
	}{
		{"a header counts", "topology: ladder, rungs: [1s]", "3", 3, true},
		{"x-death counts what expires", "topology: ladder, rungs: [1s], count: x-death, era: \"3.10\"", "3", 3, true},
		{"from 4.0 on it begins anew with each publish", "topology: ladder, rungs: [1s], count: x-death", "3", 0, false},
		{"and in 3.13 where headers are fresh", "topology: ladder, rungs: [1s], count: x-death, headers: fresh, era: \"3.13\"", "3", 0, false},
		{"not where the broker does it all", "topology: fixed-ttl, ttl: 1s", "3", 3, true},
		{"a header that nobody writes", "topology: fixed-ttl, ttl: 1s, count: header", "3", 0, false},
		{"a nack changes no header", "topology: sleep, then: requeue", "3", 0, false},
		{"to sleep and dead-letter is one attempt", "topology: sleep", "3", 1, true},
		{"L + 1 deliveries", "topology: requeue, queue: quorum, delivery_limit: 5", "none", 6, true},
		{"21 by default from 4.0 on", "topology: requeue, queue: quorum", "none", 21, true},
		{"none by default before", `topology: requeue, queue: quorum, era: "3.13"`, "none", 0, false},
		{"from 4.3 on a nack is no failure", `topology: requeue, queue: quorum, era: "4.3"`, "none", 0, false},
		{"but a rejection is", `topology: delayed-retry, queue: quorum, era: "4.3", min: 100ms, max: 100ms`, "none", 21, true},
		{"a crash takes all four along", "topology: requeue, queue: quorum, delivery_limit: 2, crash: true", "none", 3, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.NewReplacer("BROKER", c.broker, "OUTAGE", "1ns", "LIMIT", c.limit, "count: 4", "count: 1, poison: 1",
				"horizon: 1m", "horizon: 20s").Replace(topology)
			s, err := Load(Request{Source: "-", Stdin: strings.NewReader(text)})
			if err != nil {
				t.Fatal(err)
			}
			res := sim.Run(context.Background(), s.Config(0, 1))
			if got := int(res.Attempts); c.attempts > 0 && got != c.attempts || c.attempts == 0 && got < 2 {
				t.Errorf("%d attempts, want %d", got, c.attempts)
			}
			if got := res.Herd.DeadLettered == 1; got != c.dead {
				t.Errorf("dead-lettered: %t, want %t", got, c.dead)
			}
		})
	}
}

// What expires finds no room: it is lost, or kept.
func TestTopologiesLoseOrKeep(t *testing.T) {
	for guarantee, want := range map[string]int64{"at-most-once": 4, "at-least-once, overflow: reject-publish": 0} {
		_, res := played(t, "topology: custom, queue: quorum, on_failure: dead-letter, queues: [{name: in, dead_letter_to: wait}, "+
			"{name: wait, ttl: 1s, dead_letter_to: full, dead_letter: "+guarantee+"}, "+
			"{name: full, kind: classic, max_length: 0, overflow: reject-publish}, {name: dlq}]", "1s", "none")
		if got := res.Herd.DeadLettered; got != want || res.Herd.Unfinished != 4-want {
			t.Errorf("%s: %d of 4 are lost, want %d", guarantee, got, want)
		}
	}
}

// A wait that nobody keeps makes nobody too late.
func TestTopologiesWithoutWaitsAreNotLate(t *testing.T) {
	for _, broker := range []string{"topology: requeue", "topology: fixed-ttl, ttl: 1s"} {
		if _, res := played(t, broker, "100ms", "none, max_elapsed: 400ms"); res.Herd.Succeeded != 4 {
			t.Errorf("%s: %d of 4 succeeded", broker, res.Herd.Succeeded)
		}
	}
}

// A consumer that handles one delivery after the other does not handle one before it has come, so that time passes even
// where an attempt takes none: two messages, each once a delivery.
func TestSequentialConsumersLetTimePass(t *testing.T) {
	got, _ := played(t, "topology: requeue, handler: sequential", "3ms", "none")
	for i := range got {
		if want := []int64{1000, 2000, 3000}; !slices.Equal(got[i], want) {
			t.Errorf("message %d is attempted at %v µs, want %v", i, got[i], want)
		}
	}
}

// What a topology does not say is as the documentation says.
func TestBrokerDefaults(t *testing.T) {
	s, err := Load(Request{Source: "-", Stdin: strings.NewReader(strings.NewReplacer("BROKER", "topology: sleep", ", delivery: 1ms, prefetch: unlimited", "",
		"OUTAGE", "1s", "LIMIT", "none").Replace(topology))})
	if err != nil {
		t.Fatal(err)
	}
	b := s.Config(0, 1).Broker
	if b.Consumers != 1 || b.Prefetch != 10 || b.Delivery != 400*time.Microsecond || b.AckTimeout != 30*time.Minute || b.Tick != time.Minute ||
		b.Sequential || b.Requeue || !b.Copied || b.CountDeath || b.Replay != nil {
		t.Errorf("%+v", *b)
	}
}
