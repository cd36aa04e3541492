package broker

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The tables in testdata were measured on one node of RabbitMQ 3.10.8 (Debian 12) and 4.0.5 (Debian 13), on loopback. What
// was counted there has to come out exactly; instants have a tolerance: a broker is never early, and late by the time that a
// machine takes.

// table returns the rows of a file by column.
func table(t *testing.T, name string) (rows []map[string]string) {
	t.Helper()
	file, err := os.Open("testdata/" + name)
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

func millis(t *testing.T, text string) time.Duration {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(x * float64(time.Millisecond))
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// An arrival is a message that has left the queue it waited in.
type arrival struct {
	at   time.Duration
	task uint32
}

// hol_3.10.8.csv: the head of the line. Each message in the order measured, never early, late by what a machine takes.
func TestHeadOfLineAsMeasured(t *testing.T) {
	type group struct{ scenario, mode string }
	groups := map[group][]map[string]string{}
	var order []group
	for _, row := range table(t, "hol_3.10.8.csv") {
		g := group{row["scenario"], row["mode"]}
		if groups[g] == nil {
			order = append(order, g)
		}
		groups[g] = append(groups[g], row)
	}
	for _, g := range order {
		t.Run(g.scenario+"/"+g.mode, func(t *testing.T) {
			waiting := Queue{Name: "retry", DeadLetter: 0, MaxLength: None, DeliveryLimit: None}
			switch g.mode {
			case "ttl-quorum":
				waiting.Kind = Quorum
			case "delayed":
				waiting.Delayed = true
			}
			if g.scenario == "min_queue_ttl_2000" {
				waiting.TTL = 2 * time.Second
			}
			var b Broker
			b.Reset(Config{Queues: []Queue{{Name: "work", DeadLetter: None, MaxLength: None, DeliveryLimit: None}, waiting}}, 0)
			rows := groups[g]
			slices.SortFunc(rows, func(x, y map[string]string) int { return int(millis(t, x["publish_ms"]) - millis(t, y["publish_ms"])) })
			var got []arrival
			for _, row := range rows {
				at := millis(t, row["publish_ms"])
				drainUntil(&b, at, &got)
				ttl := max(millis(t, row["requested_delay_ms"]), 0)
				b.Publish(at, uint32(number(t, row["msg_id"])), 1, ttl, false)
			}
			drainUntil(&b, never-1, &got)
			checkArrivals(t, rows, got, g.mode)
		})
	}
}

// checkArrivals holds what came against what was measured.
func checkArrivals(t *testing.T, rows []map[string]string, got []arrival, mode string) {
	t.Helper()
	tolerance := 22 * time.Millisecond
	if mode == "ttl-quorum" {
		tolerance = 170 * time.Millisecond // each batch is a write to the log
	} else if mode == "delayed" {
		tolerance = 35 * time.Millisecond // one process for all, residual at most 32 ms
	}
	var measured []map[string]string
	for _, row := range rows {
		if row["arrival_ms"] != "NOT_ARRIVED" {
			measured = append(measured, row)
		}
	}
	if len(got) != len(measured) {
		t.Fatalf("%d messages arrive, measured %d", len(got), len(measured))
	}
	at := map[uint32]time.Duration{}
	for _, a := range got {
		at[a.task] = a.at
	}
	var bursts [2]int
	for _, row := range measured {
		id := uint32(number(t, row["msg_id"]))
		if late := millis(t, row["arrival_ms"]) - at[id]; late < 0 || late > tolerance {
			t.Errorf("message %d leaves at %v, measured %s ms: %v apart", id, at[id], row["arrival_ms"], late)
		}
	}
	if mode != "delayed" {
		slices.SortFunc(measured, func(x, y map[string]string) int { return number(t, x["arrival_order"]) - number(t, y["arrival_order"]) })
		for i, row := range measured {
			if id := uint32(number(t, row["msg_id"])); got[i].task != id {
				t.Fatalf("message %d leaves as the %d-th, measured %d", got[i].task, i, id)
			}
			if i == 0 || got[i].at != got[i-1].at {
				bursts[0]++
			}
			if i == 0 || millis(t, row["arrival_ms"])-millis(t, measured[i-1]["arrival_ms"]) > tolerance {
				bursts[1]++
			}
		}
		if len(measured) == 200 && (bursts[0] != 8 || mode == "ttl-classic" && bursts[1] != 8) {
			t.Errorf("200 messages leave in %d bursts, measured %d, want 8", bursts[0], bursts[1])
		}
	}
}

// maxlen_3.10.8.csv: which messages a full queue keeps, refuses and gives to the queue of dead letters.
func TestLengthLimitAsMeasured(t *testing.T) {
	for _, row := range table(t, "maxlen_3.10.8.csv") {
		name := fmt.Sprintf("%s/%s/%s held", row["queue_type"], row["overflow"], row["unacked_first"])
		t.Run(name, func(t *testing.T) {
			q := Queue{Name: "work", DeadLetter: 1, MaxLength: number(t, row["x_max_length"]), DeliveryLimit: None}
			q.Overflow = map[string]Overflow{"drop-head": DropHead, "reject-publish": RejectPublish, "reject-publish-dlx": RejectPublishDLX}[row["overflow"]]
			if row["queue_type"] == "quorum" {
				q.Kind = Quorum
			}
			var b Broker
			held := number(t, row["unacked_first"])
			b.Reset(Config{Consumers: min(held, 1), Prefetch: held, Queues: []Queue{q, {Name: "dlq", DeadLetter: None, MaxLength: None, Inert: true}}}, 0)
			acks := 0
			for id := range uint32(number(t, row["published"])) {
				if b.Publish(0, id, 0, 0, false) {
					acks++
				}
				if int(id) < held {
					if _, ok := b.Deliver(0); !ok {
						t.Fatal("nobody takes the message")
					}
				}
			}
			ids := func(queue int) string {
				text := ""
				for s := &b.stores[queue]; s.ready() > 0; {
					text += fmt.Sprint(s.pop(), " ")
				}
				return text
			}
			if acks != number(t, row["confirm_ack"]) {
				t.Errorf("%d are taken, measured %s", acks, row["confirm_ack"])
			}
			if got := ids(0); got != row["queue_ids"] {
				t.Errorf("the queue holds %s, measured %s", got, row["queue_ids"])
			}
			if got := ids(1); got != row["dlq_ids"] {
				t.Errorf("the dead letters are %s, measured %s", got, row["dlq_ids"])
			}
			if died := b.Counts(0).Died; strings.TrimSpace(row["dlq_reason"]) != "" && died[MaxLen] == 0 {
				t.Errorf("deaths %v, want for their length", died)
			}
		})
	}
}
