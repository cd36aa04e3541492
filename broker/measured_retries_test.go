package broker

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func plain(name string, kind Kind) Queue {
	return Queue{Name: name, Kind: kind, DeadLetter: None, MaxLength: None, DeliveryLimit: None}
}

// rungs are a work queue, and delay queues of 1, 2, 4 and 8 s that lead back to it.
func rungs(kind Kind) []Queue {
	queues := []Queue{plain("work", Classic)}
	for _, wait := range []time.Duration{1, 2, 4, 8} {
		q := plain("retry", kind)
		q.TTL, q.DeadLetter = wait*time.Second, 0
		queues = append(queues, q)
	}
	return queues
}

// ladder_3.10.8.csv: each retry waits in the queue of its rung, never less than that, and not much longer.
func TestLadderAsMeasured(t *testing.T) {
	rows := table(t, "ladder_3.10.8.csv")
	for _, kind := range []string{"classic", "quorum"} {
		for _, scenario := range []string{"spread4s", "burst"} {
			mine := slices.DeleteFunc(slices.Clone(rows), func(r map[string]string) bool {
				return r["scenario"] != scenario || r["delay_queue_type"] != kind
			})
			if len(mine) != 600 {
				t.Fatalf("%d rows of %s/%s, want 600", len(mine), scenario, kind)
			}
			t.Run(scenario+"/"+kind+"/overhead", func(t *testing.T) { checkOverhead(t, mine, kindOf(kind)) })
			t.Run(scenario+"/"+kind+"/waves", func(t *testing.T) { checkWaves(t, mine, kindOf(kind), scenario == "burst") })
		}
	}
}

func kindOf(name string) Kind {
	if name == "quorum" {
		return Quorum
	}
	return Classic
}

// checkOverhead publishes each message where and when its client did.
func checkOverhead(t *testing.T, rows []map[string]string, kind Kind) {
	var b Broker
	b.Reset(Config{Queues: rungs(kind)}, 0)
	slices.SortStableFunc(rows, func(x, y map[string]string) int {
		return int(millis(t, x["republish_ms"]) - millis(t, y["republish_ms"]))
	})
	var got []arrival
	for i, row := range rows {
		at := millis(t, row["republish_ms"])
		drainUntil(&b, at, &got)
		if retry := number(t, row["retry"]); retry > 0 {
			b.Publish(at, uint32(i), retry, 0, true)
		}
	}
	drainUntil(&b, never-1, &got)
	var over []time.Duration
	for _, a := range got {
		late := millis(t, rows[a.task]["delivered_ms"]) - a.at
		if late < 0 || late > 150*time.Millisecond { // the table's worst is 145 ms
			t.Errorf("message %s, retry %s: there %v, measured %s ms", rows[a.task]["msg_id"], rows[a.task]["retry"], a.at, rows[a.task]["delivered_ms"])
		}
		over = append(over, late)
	}
	slices.Sort(over)
	if len(over) != 400 || over[200] > 15*time.Millisecond { // the medians were 2.8 to 12 ms
		t.Errorf("%d retries, median overhead %v, want 400 and at most 15ms", len(over), over[len(over)/2])
	}
}

// drainUntil lets time pass and notes what comes to queue 0, where nobody takes it.
func drainUntil(b *Broker, until time.Duration, arrived *[]arrival) {
	for b.Next() <= until {
		now, before := b.Next(), b.Ready(0)
		b.Advance(now)
		for n := before; n < b.Ready(0); n++ {
			*arrived = append(*arrived, arrival{now, b.stores[0].fresh.ring[n]})
		}
	}
}

// checkWaves lets consumers fail each message as often as they did: the model's own times add up, and never come later.
func checkWaves(t *testing.T, rows []map[string]string, kind Kind, burst bool) {
	fails, started := map[uint32]int{}, map[uint32]time.Duration{}
	measured := map[[2]int]time.Duration{}
	for _, row := range rows {
		id, retry := number(t, row["msg_id"]), number(t, row["retry"])
		measured[[2]int{id, retry}] = millis(t, row["delivered_ms"])
		if retry == 0 {
			fails[uint32(id)], started[uint32(id)] = number(t, row["fail_times"]), millis(t, row["republish_ms"])
		}
	}
	var b Broker
	b.Reset(Config{Consumers: 1, Queues: rungs(kind)}, 200)
	retries := map[uint32]int{}
	waves := map[int][]time.Duration{}
	consume := func(now time.Duration) {
		for d, ok := b.Deliver(now); ok; d, ok = b.Deliver(now) {
			n := retries[d.Task]
			waves[n] = append(waves[n], now)
			if late := measured[[2]int{int(d.Task), n}] - now; late < 0 || late > time.Duration(n+1)*150*time.Millisecond {
				t.Errorf("message %d, retry %d: delivered at %v, measured %v", d.Task, n, now, measured[[2]int{int(d.Task), n}])
			}
			b.Ack(d)
			if n < fails[d.Task] {
				retries[d.Task]++
				b.Publish(now, d.Task, n+1, 0, true)
			}
		}
	}
	for id := range uint32(200) {
		for b.Next() <= started[id] {
			now := b.Next()
			b.Advance(now)
			consume(now)
		}
		b.Publish(started[id], id, 0, 0, false)
		consume(started[id])
	}
	for b.Next() < never {
		now := b.Next()
		b.Advance(now)
		consume(now)
	}
	for n, want := range []int{200, 160, 120, 80, 40} {
		if len(waves[n]) != want {
			t.Errorf("retry %d: %d messages, want %d", n, len(waves[n]), want)
		}
		from, to := slices.Min(waves[n]), slices.Max(waves[n])
		if due := time.Duration(1<<n-1) * time.Second; burst && (from < due || to > due+20*time.Millisecond) {
			t.Errorf("retry %d comes from %v to %v, want a wave at %v", n, from, to, due)
		}
	}
}

// A deathRow is a delivery as its consumer saw it.
type deathRow struct {
	Scenario  string
	QueueType string `json:"queue_type"`
	Delivery  int
	Headers   struct {
		XDeath []struct {
			Count         int
			Queue, Reason string
		} `json:"x-death"`
	}
	Depth string `json:"depth_A/B_every_100ms"`
}

func deathRows(t *testing.T, name string) (rows []deathRow) {
	t.Helper()
	file, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row deathRow
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// xdeath_*.jsonl: what x-death says after so many rounds of a topology.
func TestDeathsAsMeasured(t *testing.T) {
	for version, era := range map[string]Era{"3.10.8": Era3_10, "4.0.5": Era4_0} {
		seen := map[byte]int{}
		for _, row := range deathRows(t, "xdeath_"+version+".jsonl") {
			scenario := row.Scenario[0]
			seen[scenario]++
			t.Run(version+"/"+row.Scenario+"/"+row.QueueType, func(t *testing.T) {
				if scenario == 'F' {
					checkCycle(t, row, era)
					return
				}
				checkDeaths(t, row, era)
			})
		}
		if want := (map[byte]int{'A': 14, 'B': 10, 'C': 10, 'D': 6, 'E': 12, 'F': 2}); len(seen) != len(want) || seen['E'] != want['E'] || seen['A'] != want['A'] {
			t.Errorf("%s: rows by scenario %v, want %v", version, seen, want)
		}
	}
}

// checkDeaths plays as many rounds as a delivery had behind it.
func checkDeaths(t *testing.T, row deathRow, era Era) {
	kind := kindOf(row.QueueType)
	queues := []Queue{plain("m.xd.main", kind), plain("m.xd.retry", kind)}
	queues[0].DeadLetter = 1
	for _, rung := range []string{"100", "200", "300", "400"} {
		queues = append(queues, plain("m.xd.l"+rung, kind))
	}
	for i := 1; i < len(queues); i++ {
		queues[i].DeadLetter, queues[i].TTL = 0, 100*time.Millisecond
	}
	var b Broker
	b.Reset(Config{Era: era, Consumers: 1, Queues: queues}, 1)
	b.Publish(0, 0, 0, 0, false)
	now := time.Duration(0)
	for round := range row.Delivery {
		d, ok := b.Deliver(now)
		if !ok {
			t.Fatalf("nothing to deliver in round %d", round)
		}
		switch row.Scenario[0] {
		case 'A':
			b.GiveBack(now, d, Nack, false)
		case 'E':
			b.Ack(d)
			b.Publish(now, 0, min(2+round, 5), 0, true)
		default:
			b.Ack(d)
			b.Publish(now, 0, 1, time.Second, row.Scenario[0] != 'C')
		}
		now = b.Next()
		b.Advance(now)
	}
	var got, want []string
	for _, d := range b.Deaths(0) {
		got = append(got, entry(queues[d.Queue].Name, []string{"rejected", "expired", "maxlen", "delivery_limit"}[d.Reason], d.Count))
	}
	for _, d := range row.Headers.XDeath {
		want = append(want, entry(d.Queue, d.Reason, d.Count))
	}
	if row.Scenario[0] == 'E' && era == Era3_10 && len(got) > 1 { // behind the newest, 3.10.8 keeps no order
		slices.Sort(got[1:])
		slices.Sort(want[1:])
	}
	if !slices.Equal(got, want) {
		t.Errorf("delivery %d has x-death %v, measured %v", row.Delivery, got, want)
	}
}

func entry(queue, reason string, count int) string {
	return queue + "/" + reason + strings.Repeat("+", count)
}

// checkCycle lets a message expire from A into B, and from there back.
func checkCycle(t *testing.T, row deathRow, era Era) {
	a, z := plain("A", kindOf(row.QueueType)), plain("B", kindOf(row.QueueType))
	a.DeadLetter, a.TTL, z.DeadLetter, z.TTL = 1, 200*time.Millisecond, 0, 200*time.Millisecond
	var b Broker
	b.Reset(Config{Era: era, Queues: []Queue{a, z}}, 1)
	b.Publish(0, 0, 0, 0, false)
	depths := []string{"1/0"}
	for b.Next() < never {
		b.Advance(b.Next())
		depths = append(depths, string(rune('0'+b.Ready(0)))+"/"+string(rune('0'+b.Ready(1))))
	}
	if want := slices.Compact(strings.Fields(row.Depth)); !slices.Equal(depths, want) {
		t.Errorf("depths %v, measured %v", depths, want)
	}
	if n := b.Counts(1).Dropped[Cycle]; n != 1 {
		t.Errorf("%d messages are dropped for going round, want 1", n)
	}
}
