package sim_test

import (
	"context"
	"testing"
	"time"

	"herdsim/broker"
	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

// workQueue is a classic queue with a backlog, and consumers with a window of 100 who requeue what fails: every other
// attempt.
func workQueue(messages int) sim.Config {
	return sim.Config{
		Seed: 1, Horizon: time.Hour, MaxEvents: 1 << 40, Window: 100 * time.Millisecond, Workers: messages, ErrorRate: 0.5,
		Strategy:   strategies.Fixed{Delay: time.Second},
		Downstream: downstream.Config{Slots: downstream.Unlimited, Service: downstream.Constant{D: 10 * time.Millisecond}},
		Broker: &sim.Broker{
			Config: broker.Config{Consumers: 10, Prefetch: 100, Queues: []broker.Queue{
				{Name: "work", DeadLetter: 1, MaxLength: broker.None, DeliveryLimit: broker.None},
				{Name: "dlq", DeadLetter: broker.None, MaxLength: broker.None, DeliveryLimit: broker.None, Inert: true},
			}},
			Delivery: 400 * time.Microsecond, DLQ: 1,
		},
	}
}

// BenchmarkBroker measures deliveries: with requeueing, as they come, and one after the other; through a retry queue with a
// time to live a message.
func BenchmarkBroker(b *testing.B) {
	shapes := []struct {
		name string
		turn func(*sim.Config)
	}{
		{"requeue", func(*sim.Config) {}},
		{"quorum", func(c *sim.Config) {
			c.Broker.Queues[0].Kind, c.Broker.Queues[0].DeliveryLimit = broker.Quorum, 20
		}},
		{"sequential", func(c *sim.Config) {
			c.Broker.Sequential = true
			c.Downstream.Service = downstream.Constant{D: 10 * time.Microsecond}
		}},
		{"ttl-queue", func(c *sim.Config) {
			c.Broker.Queues = append(c.Broker.Queues, broker.Queue{Name: "retry", MaxLength: broker.None, DeliveryLimit: broker.None})
			c.Broker.OnFailure, c.Broker.Retry = sim.PublishTTL, 2
		}},
	}
	for _, shape := range shapes {
		cfg := workQueue(100_000)
		shape.turn(&cfg)
		b.Run(shape.name, func(b *testing.B) {
			b.ReportAllocs()
			var e sim.Engine
			var deliveries int64
			for b.Loop() {
				r := e.Run(context.Background(), cfg)
				if r.Herd.Unfinished > 0 {
					b.Fatalf("%d messages unfinished", r.Herd.Unfinished)
				}
				deliveries += r.Queues[0].Deliveries
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(deliveries), "ns/delivery")
			b.ReportMetric(float64(deliveries)/b.Elapsed().Seconds(), "deliveries/s")
		})
	}
}
