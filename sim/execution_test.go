package sim

import (
	"context"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"herdsim/broker"
	"herdsim/downstream"
	"herdsim/strategies"
)

// Every task has any number of executions after which it is tried again, and at most one last one; the last ones are what
// the tallies count. To tell of them changes nothing.
func TestExecutionsAddUp(t *testing.T) {
	var e Engine
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		guarded := rapid.Bool().Draw(t, "guarded")
		if guarded {
			cfg.Guards = append(cfg.Guards, drawSpec(t, 0))
		}
		silent := e.Run(context.Background(), cfg)
		over, at := map[int64]bool{}, Time(0)
		var ends [2][3]int64 // of the herd and of open tasks
		cfg.Executed = func(x Execution) {
			switch {
			case over[x.Task]:
				t.Fatalf("task %d is executed again after its end: %+v", x.Task, x)
			case x.At < at:
				t.Fatalf("%+v is told of after %v", x, at)
			case (x.Then == Again) != (x.Wait >= 0):
				t.Fatalf("%+v, want a wait before another attempt, and only then", x)
			}
			at, over[x.Task] = x.At, x.Then != Again
			if x.Task < int64(cfg.Workers) {
				ends[0][x.Then]++
			} else {
				ends[1][x.Then]++
			}
		}
		r := e.Run(context.Background(), cfg)
		if d := diff(silent, r); d != "" {
			t.Errorf("the same run, told of:\n%s", d)
		}
		for i, tally := range []Tally{r.Herd, r.Open} {
			if ends[i][Done] != tally.Succeeded || ends[i][GivenUp] != tally.DeadLettered {
				t.Errorf("executions that end so: %v, tally %+v", ends[i], tally)
			}
		}
		if again := ends[0][Again] + ends[1][Again]; again < r.Retries && len(cfg.Tiers) == 0 {
			t.Errorf("%d executions are to be tried again, %d retries", again, r.Retries)
		}
	})
}

// What comes of the executions of one message that never succeeds, by what its consumer does with it. By rule 9 of RabbitMQ a
// delivery limit of 2 lets 3 be made.
func TestExecutionsOfMessages(t *testing.T) {
	const chosen = 50 * time.Millisecond
	again, over := func(wait time.Duration) Execution { return Execution{Then: Again, Wait: wait} }, Execution{Then: GivenUp, Wait: -1}
	for name, c := range map[string]struct {
		how   OnFailure
		limit int // of deliveries
		want  []Execution
	}{
		"requeued without a wait":            {Nack, broker.None, []Execution{again(-1), again(-1), again(-1)}},
		"requeued once too often":            {Nack, 2, []Execution{again(-1), again(-1), over}},
		"published with a wait":              {PublishTTL, broker.None, []Execution{again(chosen), again(chosen), over}},
		"published where all wait":           {Publish, broker.None, []Execution{again(-1), again(-1), over}},
		"slept over, and requeued":           {Sleep, 2, []Execution{again(chosen), again(chosen), {Then: GivenUp, Wait: chosen}}},
		"a dead letter, which comes back":    {DeadLetter, broker.None, []Execution{again(-1), again(-1), again(-1)}},
		"published to the rung above a wait": {Ladder, broker.None, []Execution{again(chosen), again(chosen), over}},
	} {
		queue := broker.Queue{Kind: broker.Quorum, DeadLetter: 1, MaxLength: broker.None, DeliveryLimit: c.limit}
		waiting := broker.Queue{TTL: time.Second, DeadLetter: 0, MaxLength: broker.None, DeliveryLimit: broker.None}
		if c.how == DeadLetter {
			queue.DeadLetter = 2
		}
		cfg := Config{
			Horizon: 3500 * time.Millisecond, MaxEvents: 1 << 20, Window: time.Second, Workers: 1, Strategy: strategies.Fixed{Delay: chosen},
			Limits:     Limits{MaxAttempts: 3},
			Downstream: downstream.Config{Slots: downstream.Unlimited, Service: downstream.Constant{}},
			Broker: &Broker{
				Config: broker.Config{
					Queues:    []broker.Queue{queue, {DeadLetter: broker.None, MaxLength: broker.None, DeliveryLimit: broker.None, Inert: true}, waiting},
					Consumers: 1, Prefetch: 1,
				},
				OnFailure: c.how, Requeue: true, Delivery: time.Millisecond, DLQ: 1, Retry: 2, Rungs: []Rung{{2, time.Second}}, Poison: 1,
			},
		}
		var got []Execution
		cfg.Executed = func(x Execution) {
			x.At = 0
			got = append(got, x)
		}
		new(Engine).Run(context.Background(), cfg)
		if got = got[:min(3, len(got))]; !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
