package sim_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"herdsim/broker"
	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

// What was measured on RabbitMQ with consumers, played by the engine. The tables are in ../broker/testdata, see there.

func measured(t *testing.T, name string) (rows []map[string]string) {
	t.Helper()
	file, err := os.Open("../broker/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func value(t *testing.T, row map[string]string, column string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(row[column], 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// consuming is a work queue, its queue of dead letters, and consumers whose handlers take as long as the downstream.
func consuming(row map[string]string, poison, healthy int, era broker.Era) sim.Config {
	whole := func(column string) int { n, _ := strconv.Atoi(row[column]); return n }
	work := broker.Queue{Name: "work", DeadLetter: 1, MaxLength: broker.None, DeliveryLimit: broker.None}
	if row["queue_type"] == "quorum" {
		work.Kind = broker.Quorum
		work.DeliveryLimit = era.DefaultDeliveryLimit()
		switch limit := whole("delivery_limit"); {
		case limit > 0:
			work.DeliveryLimit = limit
		case limit < 0: // set to none
			work.DeliveryLimit = broker.None
		}
	}
	dead := broker.Queue{Name: "dlq", DeadLetter: broker.None, MaxLength: broker.None, DeliveryLimit: broker.None, Inert: true}
	return sim.Config{
		Seed: 1, MaxEvents: 1 << 40, Window: 100 * time.Millisecond, Workers: poison + healthy, Strategy: strategies.Fixed{Delay: time.Second},
		Downstream: downstream.Config{Slots: downstream.Unlimited, Service: downstream.Constant{}},
		Broker: &sim.Broker{
			Config:   broker.Config{Era: era, Queues: []broker.Queue{work, dead}, Consumers: max(1, whole("consumers")), Prefetch: whole("prefetch")},
			Delivery: 400 * time.Microsecond, Poison: poison, DLQ: 1, Sequential: true,
		},
	}
}

// requeue_*.csv: who starves when messages that never succeed are requeued at once, and how often each is delivered.
func TestTheoryRequeueAsMeasured(t *testing.T) {
	for version, era := range map[string]broker.Era{"3.10.8": broker.Era3_10, "4.0.5": broker.Era4_0} {
		for i, row := range measured(t, "requeue_"+version+".csv") {
			name := fmt.Sprintf("%s/%d/%s, limit %s, %s poison, %s consumers, prefetch %s, %s", version, i, row["queue_type"], row["delivery_limit"],
				row["poison"], row["consumers"], row["prefetch"], row["method"])
			t.Run(name, func(t *testing.T) {
				poison, healthy := int(value(t, row, "poison")), int(value(t, row, "healthy"))
				cfg := consuming(row, poison, healthy, era)
				cfg.Horizon = time.Duration(value(t, row, "window_s") * float64(time.Second))
				cfg.Downstream.Service = downstream.Constant{D: time.Duration(value(t, row, "proc_ms") * float64(time.Millisecond))}
				if cfg.Broker.Queues[0].Kind == broker.Quorum {
					cfg.Broker.Delivery = 2 * time.Millisecond
				}
				deliveries, order := 0, []int64{}
				cfg.Trace = func(a sim.AttemptRecord) {
					if a.Task < int64(poison) {
						deliveries++
					} else {
						order = append(order, a.Task)
					}
				}
				res := player(t, cfg, false)(1).Result
				if got := res.Herd.Succeeded; float64(got) != value(t, row, "healthy_done") {
					t.Errorf("%d healthy messages are done, measured %s", got, row["healthy_done"])
				}
				if got := res.Queues[1].Ready; float64(got) != value(t, row, "dlq") {
					t.Errorf("%d dead letters, measured %s", got, row["dlq"])
				}
				checkStarved(t, res, healthy, cfg.Horizon)
				if got := res.Herd.Unfinished; float64(got) != value(t, row, "left_in_queue") {
					t.Errorf("%d messages are left, measured %s", got, row["left_in_queue"])
				}
				if limit := cfg.Broker.Queues[0].DeliveryLimit; limit != broker.None && limit < 100 && float64(deliveries) != value(t, row, "poison_deliveries") {
					t.Errorf("%d deliveries of poison, measured %s", deliveries, row["poison_deliveries"])
				}
				for k := 1; k < len(order); k++ {
					if order[k] < order[k-1] && row["healthy_order"] == "in-order" && value(t, row, "consumers") == 1 {
						t.Errorf("healthy messages in the order %v, measured in order", order)
						break
					}
				}
			})
		}
	}
}

// checkStarved holds what a run says of starvation to who was served: all of the healthy messages, or none.
func checkStarved(t *testing.T, res *sim.Result, healthy int, window time.Duration) {
	t.Helper()
	switch {
	case res.Herd.Succeeded > 0 && res.Starved > 0:
		t.Errorf("%d messages have starved, and all healthy ones are done", res.Starved)
	case res.Herd.Succeeded > 0 && res.Blocked > window/2:
		t.Errorf("consumers were blocked for %v of %v, and all healthy messages are done", res.Blocked, window)
	case res.Herd.Succeeded == 0 && healthy > 0 && res.Starved != int64(healthy):
		t.Errorf("%d messages have starved, of %d healthy ones", res.Starved, healthy)
	case res.Herd.Succeeded == 0 && healthy > 0 && res.Blocked < window-10*time.Millisecond:
		t.Errorf("consumers were blocked for %v of %v, and no healthy message is done", res.Blocked, window)
	}
}

// sleep_3.10.8.csv: what a consumer that sleeps over a failure keeps from the others.
func TestTheorySleepAsMeasured(t *testing.T) {
	for _, row := range measured(t, "sleep_3.10.8.csv") {
		t.Run(row["variant"], func(t *testing.T) {
			failing, healthy := int(value(t, row, "failing")), int(value(t, row, "healthy"))
			cfg := consuming(row, failing, healthy, broker.Era3_10)
			cfg.Horizon = 15 * time.Second
			cfg.Downstream.Service = downstream.Constant{D: 10 * time.Millisecond}
			cfg.Broker.Sequential = row["goroutine_per_delivery"] == "false"
			cfg.Broker.OnFailure = sim.Sleep
			switch row["on_fail"] {
			case "requeue":
				cfg.Broker.Requeue = true
			case "republish":
				cfg.Broker.OnFailure, cfg.Broker.Retry = sim.PublishTTL, 2
				cfg.Broker.Queues = append(cfg.Broker.Queues, broker.Queue{Name: "retry", DeadLetter: 0, MaxLength: broker.None, DeliveryLimit: broker.None})
			}
			var first, last time.Duration
			cfg.Trace = func(a sim.AttemptRecord) {
				if a.Task >= int64(failing) && a.Outcome == strategies.Served {
					if first == 0 {
						first = a.End
					}
					last = a.End
				}
			}
			res := player(t, cfg, false)(1).Result
			if got := res.Herd.Succeeded; float64(got) != value(t, row, "healthy_done") {
				t.Fatalf("%d healthy messages are done, measured %s", got, row["healthy_done"])
			}
			if value(t, row, "healthy_done") == 0 {
				return
			}
			// Here a failure takes as long as a success, there it takes no time.
			failures := 1.0
			if failing > 0 {
				failures = value(t, row, "failing_deliveries") / float64(failing)
			}
			if cfg.Broker.Sequential {
				failures *= float64(failing)
			}
			longer := time.Duration(failures * 10 * float64(time.Millisecond))
			for _, c := range []struct {
				what   string
				got    time.Duration
				column string
			}{{"first", first, "first_healthy_ms"}, {"last", last, "last_healthy_ms"}} {
				want := time.Duration(value(t, row, c.column) * float64(time.Millisecond))
				// A machine is late by a millisecond a message, and a few more to begin with.
				if c.got > want+longer+2*time.Millisecond || c.got < want-want/5-20*time.Millisecond {
					t.Errorf("the %s is done at %v, measured %v", c.what, c.got, want)
				}
			}
		})
	}
}
