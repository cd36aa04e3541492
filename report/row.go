package report

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A Row is one line of summary.csv: one strategy, one replicate. Its fields are the columns, in their order, each named
// by its json tag; a field without a value is an empty cell.
//
// Tasks, Succeeded, DeadLettered, Unfinished, the completions, Bound and Efficiency are of the herd, Open... of the open
// traffic, the rest of both together.
type Row struct {
	Scenario  string `json:"scenario"`
	Strategy  string `json:"strategy"`
	Replicate int64  `json:"replicate"` // from 1
	Seed      uint64 `json:"seed"`

	Tasks            int64 `json:"tasks"`
	Succeeded        int64 `json:"succeeded"`
	DeadLettered     int64 `json:"dead_lettered"`
	Unfinished       int64 `json:"unfinished"`
	OpenTasks        int64 `json:"open_tasks"`
	OpenSucceeded    int64 `json:"open_succeeded"`
	OpenDeadLettered int64 `json:"open_dead_lettered"`

	Attempts    int64 `json:"attempts"`
	Retries     int64 `json:"retries"`
	Served      int64 `json:"served"`
	Rejected    int64 `json:"rejected"`
	Unavailable int64 `json:"unavailable"`
	TimedOut    int64 `json:"timed_out"`
	Errored     int64 `json:"errored"`
	InFlight    int64 `json:"in_flight"`
	Wasted      int64 `json:"wasted"`

	AttemptsPerTask  Number  `json:"attempts_per_task"`
	Peak10ms         int64   `json:"peak_10ms"`
	Peak100ms        int64   `json:"peak_100ms"`
	Peak1s           int64   `json:"peak_1s"`
	PeakOverCapacity Number  `json:"peak_over_capacity"`
	Dispersion       Number  `json:"dispersion"`
	Overload         Seconds `json:"overload_s"`

	CompletionP50 Seconds `json:"completion_p50_s"`
	CompletionP90 Seconds `json:"completion_p90_s"`
	CompletionP99 Seconds `json:"completion_p99_s"`
	Completion    Seconds `json:"completion_s"` // of the last task that succeeded, whatever became of the others
	Bound         Seconds `json:"bound_s"`
	Efficiency    Number  `json:"efficiency"`

	LatencyP50     Seconds `json:"latency_p50_s"`
	LatencyP99     Seconds `json:"latency_p99_s"`
	QueueWaitMean  Number  `json:"queue_wait_mean_s"`
	QueueMean      Number  `json:"queue_mean"`
	Utilisation    Number  `json:"utilisation"`
	OpenLatencyP50 Seconds `json:"open_latency_p50_s"`
	OpenLatencyP99 Seconds `json:"open_latency_p99_s"`

	Events int64 `json:"events"`
	CutOff bool  `json:"cut_off"` // a herd task was unfinished when the run ended

	Suppressed    int64 `json:"suppressed"`     // calls that guards put off
	BreakerOpened int64 `json:"breaker_opened"` // times, of all breakers
	BudgetRefused int64 `json:"budget_refused"` // tasks given up because a retry was refused

	Crashes            int64   `json:"crashes"`               // of the downstream
	Recovered          Truth   `json:"recovered"`             // see Verdict; none where it does not apply
	RecoveredAt        Seconds `json:"recovered_s"`           // 0 if it was never down
	GoodputEndShare    Number  `json:"goodput_end_share"`     // of the offered load, in the last two pieces
	AttemptsPerTaskEnd Number  `json:"attempts_per_task_end"` // in the last two pieces
	WastedEndShare     Number  `json:"wasted_end_share"`      // of the work, in the last two pieces

	Deliveries   int64   `json:"deliveries"`       // by the broker
	Redeliveries int64   `json:"redeliveries"`     // of them, those of messages that were delivered before
	DLQDepth     int64   `json:"dlq_depth"`        // at the end
	Dropped      int64   `json:"dropped"`          // messages that are gone without having been acknowledged
	HOLDelayMean Number  `json:"hol_delay_mean_s"` // how much later than due messages left the queues where they waited
	HOLDelayMax  Seconds `json:"hol_delay_max_s"`
	Alert        Seconds `json:"alert_s"`   // when more dead letters than Entry.Alert had come together; none for never
	Starved      int64   `json:"starved"`   // messages that no handler had begun with at the end
	Blocked      Seconds `json:"blocked_s"` // in which messages were ready, and all that consumers held was slept over or poison; none without a broker
}

// columns are the names of Row's fields.
var columns = func() []string {
	var names []string
	for f := range reflect.TypeFor[Row]().Fields() {
		names = append(names, f.Tag.Get("json"))
	}
	return names
}()

// Columns returns the names of the columns of summary.csv, in their order.
func Columns() []string { return slices.Clone(columns) }

// Cells returns the row as text, one cell a column: exact numbers, "" for none, true or false.
func (r *Row) Cells() []string {
	cells := make([]string, 0, len(columns))
	for _, v := range reflect.ValueOf(r).Elem().Fields() {
		switch x := v.Interface().(type) {
		case string:
			cells = append(cells, x)
		case int64:
			cells = append(cells, strconv.FormatInt(x, 10))
		case uint64:
			cells = append(cells, strconv.FormatUint(x, 10))
		case bool:
			cells = append(cells, strconv.FormatBool(x))
		case Number:
			cells = append(cells, x.String())
		case Truth:
			cells = append(cells, x.String())
		case Seconds:
			cells = append(cells, x.String())
		}
	}
	return cells
}

// LeftOver returns how many tasks of the herd never had their answer: dead-lettered or unfinished.
func (r *Row) LeftOver() int64 { return r.Tasks - r.Succeeded }

// Summary returns a row for each finished run: entries in the scenario's order, replicates ascending.
func (r *Report) Summary() []Row {
	var rows []Row
	for i := range r.Entries {
		e := &r.Entries[i]
		for j, result := range e.Runs {
			if result != nil {
				rows = append(rows, newRow(&r.Setup, e, j, result))
			}
		}
	}
	return rows
}

// Value returns a column of the summary for the expect lines: column is named as in summary.csv, with or without its _s;
// durations are in seconds, cut_off and recovered are 1 or 0, replicate counts from 1.
//
// Not ok is what has no finite value: +Inf where a completion is infinite (completion of a herd with tasks left over; a
// percentile that was never reached), a run has not recovered or an alert has not fired, NaN where there is nothing to compare (an empty cell, a name, an unknown
// strategy, column or replicate).
func (r *Report) Value(strategy, column string, replicate int) (value float64, ok bool) {
	field := slices.Index(columns, column)
	if field < 0 {
		field = slices.Index(columns, column+"_s")
	}
	i := slices.IndexFunc(r.Entries, func(e Entry) bool { return e.Name == strategy })
	if field < 0 || i < 0 || replicate < 1 || replicate > len(r.Entries[i].Runs) {
		return math.NaN(), false
	}
	e := &r.Entries[i]
	result := e.Runs[replicate-1]
	if result == nil {
		return math.NaN(), false
	}
	row := newRow(&r.Setup, e, replicate-1, result)
	name := columns[field]
	if strings.HasPrefix(name, "completion_") && row.Tasks > 0 {
		if v := reflect.ValueOf(row).Field(field).Interface().(Seconds); !v.OK || name == "completion_s" && row.LeftOver() > 0 {
			return math.Inf(1), false
		}
	}
	if name == "recovered_s" && row.Recovered.OK && !row.Recovered.Value || name == "alert_s" && !row.Alert.OK && e.alerts(result) {
		return math.Inf(1), false
	}
	return numeric(reflect.ValueOf(row).Field(field).Interface())
}

// numeric returns the number in a field of a Row, NaN and false if it holds none.
func numeric(field any) (float64, bool) {
	switch x := field.(type) {
	case int64:
		return float64(x), true
	case uint64:
		return float64(x), true
	case bool:
		return oneOrZero(x), true
	case Truth:
		if x.OK {
			return oneOrZero(x.Value), true
		}
	case Number:
		if x.OK {
			return x.Value, true
		}
	case Seconds:
		if x.OK {
			return float64(x.D) / 1e9, true // correctly rounded: 0.1, where D.Seconds() adds two roundings
		}
	}
	return math.NaN(), false
}

func oneOrZero(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
