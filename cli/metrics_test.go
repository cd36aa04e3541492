package cli

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// lastSamples returns the last value of each series of a file of metrics, and holds the file to the rules of OpenMetrics: its
// families are not mixed, the samples of a series stand together and in the order of time, counters do not fall, and the
// end is marked.
func lastSamples(t *testing.T, text string) map[string]float64 {
	t.Helper()
	body, found := strings.CutSuffix(text, "# EOF\n")
	if !found {
		t.Fatal("there is no # EOF at the end")
	}
	last, at, family, over := map[string]float64{}, map[string]float64{}, "", map[string]bool{}
	histogram := false
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		if comment, ok := strings.CutPrefix(line, "# TYPE "); ok {
			over[family] = true
			family, _, _ = strings.Cut(comment, " ")
			histogram = strings.HasSuffix(comment, " histogram")
			if over[family] {
				t.Fatalf("family %s stands in two places", family)
			}
			continue
		}
		if strings.HasPrefix(line, "# ") {
			continue
		}
		head, stamp, _ := strings.Cut(line[strings.LastIndex(line, "} ")+2:], " ")
		series := line[:strings.LastIndex(line, "} ")+1]
		value, err := strconv.ParseFloat(head, 64)
		if err != nil || !strings.HasPrefix(series, family) {
			t.Fatalf("%s: %v, in family %s", line, err, family)
		}
		when, err := strconv.ParseFloat(stamp, 64)
		if err != nil || at[series] >= when {
			t.Fatalf("%s: %v, after %v", line, err, at[series])
		}
		if (strings.Contains(series, "_total{") || histogram) && value < last[series] {
			t.Fatalf("%s falls from %v", line, last[series])
		}
		last[series], at[series] = value, when
	}
	return last
}

// The metrics of a run end in what summary.csv counts.
func TestMetricsAgreeWithTheSummary(t *testing.T) {
	for name, scenario := range map[string]string{
		"herd":   "{name: herd, workers: 300, limits: {max_attempts: 5}, task: {timeout: 2s}, downstream: {slots: 5, queue: 100}, strategies: [fixed, full-jitter, exponential]}",
		"guards": "{name: guards, workers: 200, downstream: {slots: 9, outages: [{from: 0s, to: 3s}]}, guards: [retry-quota: aws, breaker: gobreaker], strategies: [fixed, decorrelated]}",
		"open":   "{name: open, workers: 50, horizon: 10m, arrivals: {rate: 40/s, to: 20s, limits: {max_attempts: 2}}, downstream: {slots: 3, queue: 9}, strategies: [full-jitter]}",
		"messages": "{name: messages, workers: 4, messages: {count: 100, poison: 3}, limits: {max_attempts: 4}, broker: {topology: ttl-queue}, " +
			"downstream: {slots: 4, service: 10ms, outages: [{from: 0s, to: 1s}]}, strategies: [full-jitter]}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.WriteFile("scenario.yaml", []byte(scenario), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, scrape := range []string{"70ms", "5s"} {
				b := newBench("run", "scenario.yaml", "--out", "out", "--figures", "none", "--replicates", "2", "--metrics", filepath.Join("new", "out.om"), "--scrape", scrape)
				b.run(t, ExitDone)
				compareWithSummary(t)
			}
		})
	}
}

// compareWithSummary compares new/out.om with out/summary.csv.
func compareWithSummary(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("new", "out.om"))
	if err != nil {
		t.Fatal(err)
	}
	last := lastSamples(t, string(text))
	file, err := os.Open(filepath.Join("out", "summary.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range rows[1:] {
		row := map[string]string{}
		for i, column := range rows[0] {
			row[column] = cells[i]
		}
		number := func(columns ...string) (sum float64) {
			for _, column := range columns {
				x, err := strconv.ParseFloat(row[column], 64)
				if err != nil {
					t.Fatal(err)
				}
				sum += x
			}
			return sum
		}
		// sum adds the series of the run whose labels have all of those.
		sum := func(family string, labels ...string) (sum float64) {
			labels = append(labels, `{scenario="`+row["scenario"]+`",strategy="`+row["strategy"]+`",replicate="`+row["replicate"]+`"`)
		next:
			for series, value := range last {
				for _, label := range labels {
					if !strings.HasPrefix(series, family+"{") || !strings.Contains(series, label) {
						continue next
					}
				}
				sum += value
			}
			return sum
		}
		executed := func(status string) float64 { return sum("worker_job_execution_total", `status="`+status+`"`) }
		checks := map[string][2]float64{
			"success":    {executed("success"), number("succeeded", "open_succeeded")},
			"failed_dlq": {executed("failed_dlq"), number("dead_lettered", "open_dead_lettered")},
			"dlq":        {sum("worker_dlq_messages"), number("dead_lettered", "open_dead_lettered")},
			"retry":      {executed("retry"), number("retries", "suppressed")},
			"sleeps":     {sum("worker_retry_sleep_duration_seconds_count"), executed("retry")},
			"requests":   {sum("downstream_requests_total"), number("attempts")},
			"in service": {sum("downstream_in_service_requests"), 0},
			"queued":     {sum("downstream_queued_requests"), 0},
		}
		for _, outcome := range []string{"served", "rejected", "unavailable", "timed_out", "errored", "in_flight"} {
			checks[outcome] = [2]float64{sum("downstream_requests_total", `outcome="`+outcome+`"`), number(outcome)}
		}
		for what, c := range checks {
			if c[0] != c[1] {
				t.Errorf("%s %s: %s: %v in the metrics, %v in the summary", row["strategy"], row["replicate"], what, c[0], c[1])
			}
		}
	}
}
