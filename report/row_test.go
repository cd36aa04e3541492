package report

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"herdsim/sim"
	"herdsim/strategies"
)

func TestColumns(t *testing.T) {
	// The order that users were promised.
	want := strings.Split("scenario,strategy,replicate,seed,tasks,succeeded,dead_lettered,unfinished,open_tasks,"+
		"open_succeeded,open_dead_lettered,attempts,retries,served,rejected,unavailable,timed_out,errored,in_flight,wasted,"+
		"attempts_per_task,peak_10ms,peak_100ms,peak_1s,peak_over_capacity,dispersion,overload_s,completion_p50_s,"+
		"completion_p90_s,completion_p99_s,completion_s,bound_s,efficiency,latency_p50_s,latency_p99_s,queue_wait_mean_s,"+
		"queue_mean,utilisation,open_latency_p50_s,open_latency_p99_s,events,cut_off,"+
		"suppressed,breaker_opened,budget_refused,"+
		"crashes,recovered,recovered_s,goodput_end_share,attempts_per_task_end,wasted_end_share,"+
		"deliveries,redeliveries,dlq_depth,dropped,hol_delay_mean_s,hol_delay_max_s,alert_s,starved,blocked_s", ",")
	if got := Columns(); !slices.Equal(got, want) {
		t.Errorf("Columns() = %v\nwant %v", got, want)
	}
	if n := len((&Row{}).Cells()); n != len(want) {
		t.Errorf("a row has %d cells, want %d", n, len(want))
	}
}

// full is a result in which every number is another, small enough to compute its row by hand.
func full() *sim.Result {
	return &sim.Result{
		Herd: sim.Tally{Tasks: 4, Succeeded: 4}, Open: sim.Tally{Tasks: 6, Succeeded: 2, DeadLettered: 3, Unfinished: 1},
		Attempts: 21, Retries: 11, Outcomes: [6]int64{6, 5, 4, 3, 2, 1}, Wasted: 7, Events: 42,
		End: sim.AtHorizon, EndedAt: 2 * time.Second,
		Window: 100 * time.Millisecond,
		Windows: []sim.Window{
			{Index: 0, Requests: 4, Failure: 4, Outcomes: [6]int64{strategies.Unavailable: 4}},
			{Index: 2, Requests: 12, Outcomes: [6]int64{strategies.Served: 4, strategies.Rejected: 5, strategies.TimedOut: 3}},
			{Index: 3, Requests: 5, Outcomes: [6]int64{strategies.Served: 2, strategies.Errored: 2, strategies.InFlight: 1}},
			{Index: 9, Wasted: 7},
		},
		Peak10ms: 8, Peak100ms: 12, Peak1s: 17, PeakWindow: 12,
		FirstRetry: 150 * time.Millisecond, LastRequest: 399 * time.Millisecond,
		Completions: []sim.Time{300 * time.Millisecond, 400 * time.Millisecond, 500 * time.Millisecond, 800 * time.Millisecond},
		Latency:     sim.Quantiles{Count: 6, P50: 100 * time.Millisecond, P99: 200 * time.Millisecond},
		OpenLatency: sim.Quantiles{Count: 2, P50: 110 * time.Millisecond, P99: 210 * time.Millisecond},
		QueueWait:   sim.Mean{Sum: 300 * time.Millisecond, Count: 3},
		Observed:    2 * time.Second, QueueArea: 0.3, BusyTime: time.Second, HerdWork: 400 * time.Millisecond,
	}
}

// fullSetup lets 5 requests through in a window.
func fullSetup() Setup {
	return Setup{
		Name: "small", Seed: 7, Replicates: 1, Window: 100 * time.Millisecond, Workers: 4, OpenRate: 3, Slots: 5, Capacity: 50,
		Recovery: 200 * time.Millisecond,
	}
}

func fullReport(change func(*Setup, *sim.Result)) *Report {
	r := full()
	rep := &Report{Setup: fullSetup(), Entries: []Entry{{Name: "fixed", Key: "fixed", Runs: []*sim.Result{r}, Seeds: []uint64{7}, Alert: 1}}}
	if change != nil {
		change(&rep.Setup, r)
	}
	return rep
}

func TestRowByHand(t *testing.T) {
	// Dispersion: windows 1 (in which nothing happened), 2 and 3 with a load of 0, 12 and 5: mean 17/3, variance
	// (0 + 144 + 25)/3 - (17/3)² = 218/9, so 218/51.
	want := map[string]string{
		"scenario": "small", "strategy": "fixed", "replicate": "1", "seed": "7",
		"tasks": "4", "succeeded": "4", "dead_lettered": "0", "unfinished": "0",
		"open_tasks": "6", "open_succeeded": "2", "open_dead_lettered": "3",
		"attempts": "21", "retries": "11",
		"served": "6", "rejected": "5", "unavailable": "4", "timed_out": "3", "errored": "2", "in_flight": "1", "wasted": "7",
		"attempts_per_task": "2.1",
		"peak_10ms":         "8", "peak_100ms": "12", "peak_1s": "17", "peak_over_capacity": "2.4",
		"dispersion": ExactFloat(218.0 / 51), "overload_s": "0.1",
		"completion_p50_s": "0.4", "completion_p90_s": "0.8", "completion_p99_s": "0.8", "completion_s": "0.8",
		"bound_s": "0.28", "efficiency": "0.35",
		"latency_p50_s": "0.1", "latency_p99_s": "0.2", "queue_wait_mean_s": "0.1",
		"queue_mean": "0.15", "utilisation": "0.1", "open_latency_p50_s": "0.11", "open_latency_p99_s": "0.21",
		"events": "42", "cut_off": "false", "suppressed": "23", "breaker_opened": "3", "budget_refused": "5",
		"crashes": "2", "recovered": "false", "recovered_s": "", "goodput_end_share": "0", "attempts_per_task_end": "1.25",
		"wasted_end_share": "0.25",
		"deliveries":       "6", "redeliveries": "1", "dlq_depth": "2", "dropped": "1",
		"hol_delay_mean_s": "1", "hol_delay_max_s": "2", "alert_s": "1", "starved": "6", "blocked_s": "1.5",
	}
	rows := fullReport(func(s *Setup, r *sim.Result) {
		r.Guards, r.Queues, r.Starved, r.Blocked = someGuards(), someQueues(), 6, 1500*time.Millisecond
		// Pieces of 0.5 s, of which the last two have four tasks and five requests, and one of four works is for nobody.
		s.For, r.Crashes = 500*time.Millisecond, []sim.Span{{From: 0, To: 1}, {From: 2, To: 3}}
		r.Windows = append(r.Windows, sim.Window{Index: 11, Tasks: 4, Requests: 5, Wasted: 1,
			Outcomes: [6]int64{strategies.Errored: 3, strategies.TimedOut: 2}})
	}).Summary()
	if len(rows) != 1 {
		t.Fatalf("%d rows, want 1", len(rows))
	}
	for i, got := range rows[0].Cells() {
		name := Columns()[i]
		if name == "dispersion" {
			if math.Abs(rows[0].Dispersion.Value-218.0/51) > 1e-12 {
				t.Errorf("dispersion = %s, want %s", got, want[name])
			}
		} else if got != want[name] {
			t.Errorf("%s = %q, want %q", name, got, want[name])
		}
	}
}

func TestCells(t *testing.T) {
	second := func(n int) sim.Time { return sim.Time(n) * time.Second }
	for _, c := range []struct {
		name   string
		change func(*Setup, *sim.Result)
		want   map[string]string
	}{
		{"no capacity bound", func(s *Setup, r *sim.Result) { s.Capacity = 0 },
			map[string]string{"peak_over_capacity": "", "overload_s": "", "bound_s": "0.28"}},
		{"no retry", func(s *Setup, r *sim.Result) { r.FirstRetry = -1 },
			map[string]string{"dispersion": ""}},
		{"one window with retries", func(s *Setup, r *sim.Result) { r.FirstRetry = 300 * time.Millisecond },
			map[string]string{"dispersion": "0"}},
		{"a task gave up", func(s *Setup, r *sim.Result) {
			r.Herd = sim.Tally{Tasks: 5, Succeeded: 4, DeadLettered: 1}
		}, map[string]string{"bound_s": "", "efficiency": "", "completion_s": "0.8", "completion_p50_s": "0.5",
			"completion_p90_s": "", "completion_p99_s": "", "cut_off": "false"}},
		{"a task is unfinished", func(s *Setup, r *sim.Result) {
			r.Herd = sim.Tally{Tasks: 5, Succeeded: 4, Unfinished: 1}
		}, map[string]string{"bound_s": "", "cut_off": "true"}},
		{"nobody is served", func(s *Setup, r *sim.Result) {
			r.Herd, r.Completions = sim.Tally{Tasks: 4, DeadLettered: 4}, nil
			r.Latency, r.OpenLatency, r.QueueWait = sim.Quantiles{}, sim.Quantiles{}, sim.Mean{}
		}, map[string]string{"completion_s": "", "completion_p50_s": "", "latency_p50_s": "", "latency_p99_s": "",
			"open_latency_p50_s": "", "open_latency_p99_s": "", "queue_wait_mean_s": ""}},
		{"no herd", func(s *Setup, r *sim.Result) { r.Herd, r.Completions = sim.Tally{}, nil },
			map[string]string{"tasks": "0", "bound_s": "", "efficiency": "", "completion_p50_s": "", "attempts_per_task": "3.5"}},
		{"no task at all", func(s *Setup, r *sim.Result) { r.Herd, r.Open, r.Completions = sim.Tally{}, sim.Tally{}, nil },
			map[string]string{"attempts_per_task": ""}},
		{"nothing observed", func(s *Setup, r *sim.Result) { r.Observed = 0 },
			map[string]string{"queue_mean": "", "utilisation": ""}},
		{"done at once", func(s *Setup, r *sim.Result) {
			r.Completions = make([]sim.Time, 4)
			s.Recovery, r.HerdWork = 0, 0
		}, map[string]string{"completion_s": "0", "bound_s": "0", "efficiency": ""}},
		{"a rate limit is the longer bound", func(s *Setup, r *sim.Result) { s.RateLimit, s.Burst = 2, 1 },
			map[string]string{"bound_s": "1.7"}}, // 0.2 + (4 - 1) / 2
		{"a burst lets all through", func(s *Setup, r *sim.Result) { s.RateLimit, s.Burst = 0.001, 10 },
			map[string]string{"bound_s": "0.28"}},
		{"a rate limit too slow for any clock", func(s *Setup, r *sim.Result) { s.RateLimit, s.Burst = 1e-12, 1 },
			map[string]string{"bound_s": "", "efficiency": ""}},
		{"nearest rank of ten", func(s *Setup, r *sim.Result) {
			r.Herd = sim.Tally{Tasks: 10, Succeeded: 10}
			r.Completions = nil
			for i := range 10 {
				r.Completions = append(r.Completions, second(i+1))
			}
		}, map[string]string{"completion_p50_s": "5", "completion_p90_s": "9", "completion_p99_s": "10"}},
		{"a sum of waits too long to be kept", func(s *Setup, r *sim.Result) { r.QueueWait.Sum = math.MaxInt64 },
			map[string]string{"queue_wait_mean_s": ""}},
		{"a capacity that misses its whole number", func(s *Setup, r *sim.Result) {
			s.Capacity = 33 / (275 * time.Millisecond).Seconds() // 119.99999999999999, and a load of 12 in 100 ms
		}, map[string]string{"peak_over_capacity": "1", "overload_s": "0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cells := fullReport(c.change).Summary()[0].Cells()
			for i, name := range Columns() {
				if want, ok := c.want[name]; ok && cells[i] != want {
					t.Errorf("%s = %q, want %q", name, cells[i], want)
				}
			}
		})
	}
}

func TestSummaryLeavesOutUnfinishedRuns(t *testing.T) {
	r := fullReport(nil)
	r.Entries[0].Runs = []*sim.Result{full(), nil, full()}
	r.Entries = append(r.Entries, Entry{Name: "linear", Runs: []*sim.Result{nil}})
	rows := r.Summary()
	if len(rows) != 2 || rows[0].Replicate != 1 || rows[1].Replicate != 3 {
		t.Errorf("rows = %+v, want replicates 1 and 3 of fixed", rows)
	}
}

func TestValue(t *testing.T) {
	r := fullReport(nil)
	left := full()
	left.Herd = sim.Tally{Tasks: 8, Succeeded: 4, Unfinished: 4}
	none := full()
	none.Herd, none.Completions = sim.Tally{}, nil
	r.Entries = append(r.Entries,
		Entry{Name: "left", Runs: []*sim.Result{left, nil}},
		Entry{Name: "none", Runs: []*sim.Result{none}})
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		strategy, column string
		replicate        int
		want             float64
		ok               bool
	}{
		{"fixed", "peak_over_capacity", 1, 2.4, true},
		{"fixed", "completion", 1, 0.8, true},
		{"fixed", "completion_s", 1, 0.8, true},
		{"fixed", "completion_p50", 1, 0.4, true},
		{"fixed", "queue_wait_mean", 1, 0.1, true},
		{"fixed", "peak_1s", 1, 17, true},
		{"fixed", "seed", 1, 7, true},
		{"fixed", "cut_off", 1, 0, true},
		{"left", "cut_off", 1, 1, true},
		{"left", "completion", 1, inf, false}, // though 4 of 8 were served
		{"left", "completion_p50", 1, 0.8, true},
		{"left", "completion_p90_s", 1, inf, false},
		{"left", "bound", 1, nan, false},
		{"left", "tasks", 2, nan, false},
		{"left", "tasks", 3, nan, false},
		{"left", "tasks", 0, nan, false},
		{"none", "completion", 1, nan, false},
		{"none", "completion_p99", 1, nan, false},
		{"fixed", "strategy", 1, nan, false},
		{"fixed", "s", 1, nan, false},
		{"fixed", "", 1, nan, false},
		{"linear", "tasks", 1, nan, false},
	} {
		got, ok := r.Value(c.strategy, c.column, c.replicate)
		if ok != c.ok || got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("Value(%s, %s, %d) = %v, %t, want %v, %t", c.strategy, c.column, c.replicate, got, ok, c.want, c.ok)
		}
	}
}

func TestEveryFieldOfRowHasACell(t *testing.T) {
	for f := range reflect.TypeFor[Row]().Fields() {
		switch f.Type {
		case reflect.TypeFor[string](), reflect.TypeFor[int64](), reflect.TypeFor[uint64](), reflect.TypeFor[bool](),
			reflect.TypeFor[Number](), reflect.TypeFor[Seconds](), reflect.TypeFor[Truth]():
		default:
			t.Errorf("%s is a %s, of which Cells knows nothing", f.Name, f.Type)
		}
	}
}
