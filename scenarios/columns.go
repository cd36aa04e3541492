package scenarios

import (
	"slices"
	"strings"
)

// Columns are the columns of summary.csv, in order.
var Columns = []string{
	"scenario", "strategy", "replicate", "seed", "tasks", "succeeded", "dead_lettered", "unfinished", "open_tasks",
	"open_succeeded", "open_dead_lettered", "attempts", "retries", "served", "rejected", "unavailable", "timed_out",
	"errored", "in_flight", "wasted", "attempts_per_task", "peak_10ms", "peak_100ms", "peak_1s", "peak_over_capacity",
	"dispersion", "overload_s", "completion_p50_s", "completion_p90_s", "completion_p99_s", "completion_s", "bound_s",
	"efficiency", "latency_p50_s", "latency_p99_s", "queue_wait_mean_s", "queue_mean", "utilisation",
	"open_latency_p50_s", "open_latency_p99_s", "events", "cut_off",
	"suppressed", "breaker_opened", "budget_refused",
	"crashes", "recovered", "recovered_s", "goodput_end_share", "attempts_per_task_end", "wasted_end_share",
	"deliveries", "redeliveries", "dlq_depth", "dropped", "hol_delay_mean_s", "hol_delay_max_s", "alert_s",
	"starved", "blocked_s",
}

// textColumns hold no number.
var textColumns = []string{"scenario", "strategy"}

// completions are the columns in which an empty cell means never.
var completions = []string{"completion_p50_s", "completion_p90_s", "completion_p99_s", "completion_s", "recovered_s", "alert_s"}

// column returns the full name of a column that may be written without its _s; false if there is none.
func column(name string) (string, bool) {
	for _, full := range []string{name, name + "_s"} {
		if slices.Contains(Columns, full) && !slices.Contains(textColumns, full) {
			return full, true
		}
	}
	return "", false
}

// judged are the columns that an expectation may name, as it would name them.
func judged() []string {
	var names []string
	for _, c := range Columns {
		name, timed := strings.CutSuffix(c, "_s")
		if timed && slices.Contains(Columns, name) {
			name = c // recovered is another column than recovered_s
		}
		if !slices.Contains(textColumns, c) {
			names = append(names, name)
		}
	}
	return names
}
