package report

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"herdsim/broker"
	"herdsim/sim"

	"github.com/google/go-cmp/cmp"
)

// someQueues are those of a run of three windows of 100 ms: five messages, of which two are served, two come to the dead
// letters over a retry queue that a third leaves 2 s late, and one is dropped there.
func someQueues() []sim.QueueResult {
	at := func(window int64, ready, unacked int, oldest time.Duration, c broker.Counts) sim.QueuePoint {
		return sim.QueuePoint{Window: window, Ready: ready, Unacked: unacked, Oldest: oldest, Counts: c}
	}
	first := broker.Counts{Entered: 5, Deliveries: 4, Acked: 2}
	second := broker.Counts{Entered: 5, Deliveries: 6, Redelivers: 1, Acked: 4, Died: [broker.Reasons]int64{broker.Rejected: 1}}
	retry := broker.Counts{Entered: 3, Died: [broker.Reasons]int64{broker.Expired: 2}, Dropped: [broker.Drops]int64{broker.Cycle: 1},
		Late: 3 * time.Second, LateMax: 2 * time.Second, Left: 3}
	return []sim.QueueResult{
		{Name: "work", Counts: second, Most: 3, Track: []sim.QueuePoint{
			at(0, 1, 2, 99*time.Millisecond, first), at(9, 0, 0, 0, second),
		}},
		{Name: "dlq", Dead: true, Counts: broker.Counts{Entered: 2}, Ready: 2, Most: 2, Track: []sim.QueuePoint{
			at(2, 1, 0, 90*time.Millisecond, broker.Counts{Entered: 1}), at(9, 2, 0, 790*time.Millisecond, broker.Counts{Entered: 2}),
		}},
		{Name: "retry, slowly", Counts: retry, Most: 3, Track: []sim.QueuePoint{
			at(0, 3, 0, 40*time.Millisecond, broker.Counts{Entered: 3}), at(2, 0, 0, 0, retry),
		}},
	}
}

// queueReport has one run with a broker.
func queueReport() *Report {
	return fullReport(func(_ *Setup, r *sim.Result) { r.Queues = someQueues() })
}

func TestQueuesCSV(t *testing.T) {
	want := `strategy,replicate,t_s,window_s,queue,ready,unacked,oldest_s,entered,deliveries,redeliveries,acked,expired,rejected,maxlen,delivery_limit,dropped
fixed,1,0,0.1,work,1,2,0.099,5,4,0,2,0,0,0,0,0
fixed,1,0,0.1,"retry, slowly",3,0,0.04,3,0,0,0,0,0,0,0,0
fixed,1,0.2,0.1,dlq,1,0,0.09,1,0,0,0,0,0,0,0,0
fixed,1,0.2,0.1,"retry, slowly",0,0,,0,0,0,0,2,0,0,0,1
fixed,1,0.9,0.1,work,0,0,,0,2,1,2,0,1,0,0,0
fixed,1,0.9,0.1,dlq,2,0,0.79,1,0,0,0,0,0,0,0,0
`
	if diff := cmp.Diff(want, string(written(t, queueReport().WriteQueuesCSV))); diff != "" {
		t.Errorf("queues.csv (-want +got):\n%s", diff)
	}
	if !queueReport().HasQueues() || toyDirac().HasQueues() {
		t.Error("only a run with a broker has queues")
	}
}

// The head of a queue grows older until something happens, in whatever window that is, or the run ends.
func TestOldestEver(t *testing.T) {
	r := full() // which ends at 2 s
	r.Queues = someQueues()
	for i, want := range []time.Duration{
		899 * time.Millisecond,  // 99 ms at 0.1 s, and the next thing happens in the window from 0.9 s on
		1790 * time.Millisecond, // 790 ms at 1 s
		140 * time.Millisecond,  // 40 ms at 0.1 s, until 0.2 s
	} {
		if got := OldestEver(&r.Queues[i], r); got != want {
			t.Errorf("%s: %v, want %v", r.Queues[i].Name, got, want)
		}
	}
}

func TestQueueColumnsOfTheSummary(t *testing.T) {
	for _, c := range []struct {
		alert int
		want  string // deliveries to alert_s
		value float64
		ok    bool
	}{
		{-1, "6,1,2,1,1,2,", math.NaN(), false},
		{0, "6,1,2,1,1,2,0.3", 0.3, true}, // the window that ends with the first dead letter is the third
		{1, "6,1,2,1,1,2,1", 1, true},
		{2, "6,1,2,1,1,2,", math.Inf(1), false},
	} {
		r := queueReport()
		r.Entries[0].Alert = c.alert
		cells := r.Summary()[0].Cells()
		if got := strings.Join(cells[len(cells)-9:len(cells)-2], ","); got != c.want {
			t.Errorf("alert above %d: %s, want %s", c.alert, got, c.want)
		}
		value, ok := r.Value("fixed", "alert", 1)
		if ok != c.ok || value != c.value && !(math.IsNaN(value) && math.IsNaN(c.value)) {
			t.Errorf("alert above %d: value %v, %t, want %v, %t", c.alert, value, ok, c.value, c.ok)
		}
	}
}

func TestQueuesInJSON(t *testing.T) {
	r := queueReport()
	d, err := ReadJSON(bytes.NewReader(written(t, r.WriteJSON)))
	if err != nil {
		t.Fatal(err)
	}
	got, result := d.Runs[0].Queues, r.Entries[0].Runs[0]
	if len(got) != len(result.Queues) {
		t.Fatalf("%d queues, want %d", len(got), len(result.Queues))
	}
	for i := range got {
		want := newQueue(&result.Queues[i])
		for row := range queueRows(&result.Queues[i], result.Window) {
			want.Track = append(want.Track, row)
		}
		if diff := cmp.Diff(want, got[i]); diff != "" {
			t.Errorf("queue %d: %s", i, diff)
		}
	}
	if q := got[2]; q.Dropped.Cycle != 1 || q.Dead.Expired != 2 || q.HOLDelayMean.Value != 1 || q.HOLDelayMax.D != 2*time.Second {
		t.Errorf("the retry queue is %+v", q)
	}
}

func TestReadJSONRefusesBrokenQueues(t *testing.T) {
	good := string(written(t, queueReport().WriteJSON))
	for _, c := range []struct{ old, new, want string }{
		{`"name":"work"`, `"name":""`, "runs[0].queues[0].name is empty"},
		{`"entered":5,"deliveries":6`, `"entered":6,"deliveries":6`, "runs[0].queues[0].entered: 6 is not the sum"},
		{`"entered":5,"deliveries":6,"redeliveries":1`, `"entered":5,"deliveries":6,"redeliveries":7`, "runs[0].queues[0].redeliveries: 7; allowed"},
		{`"entered":5,"deliveries":6,"redeliveries":1`, `"entered":5,"deliveries":-6,"redeliveries":1`, "runs[0].queues[0].a count is -6"},
		{`"t_s":0.9,"window_s":0.1,"ready":0`, `"t_s":0.9,"window_s":0.1,"ready":-1`, "runs[0].queues[0].track[1]: a count is -1"},
		{`"t_s":0.9,"window_s":0.1,"ready":0`, `"t_s":0,"window_s":0.1,"ready":0`, "runs[0].queues[0].track[1].t_s: 0"},
	} {
		bad := strings.Replace(good, c.old, c.new, 1)
		if bad == good {
			t.Fatalf("there is no %s in\n%s", c.old, good)
		}
		if _, err := ReadJSON(strings.NewReader(bad)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.new, err, c.want)
		}
	}
}

func TestQueuesInTextAndMarkdown(t *testing.T) {
	r := queueReport()
	r.Setup.Consumers, r.Setup.Prefetch = 4, 10
	run := r.Entries[0].Runs[0]
	run.Herd = sim.Tally{Tasks: 5, Succeeded: 2, DeadLettered: 3}
	run.Starved, run.Blocked = 1, 700*time.Millisecond
	many := full()
	for range 10 {
		many.Queues = append(many.Queues, sim.QueueResult{Name: "level", Counts: broker.Counts{Entered: 1, Acked: 1}})
	}
	r.Entries = append(r.Entries, entry("binary-levels", many))
	for name, o := range map[string]TextOptions{"queues-110.txt": {Width: 110}, "queues-60-ascii.txt": {Width: 60, ASCII: true}} {
		golden(t, name, []byte(text(t, r, o)))
	}
	golden(t, "queues.md", written(t, r.WriteMarkdown))
}
