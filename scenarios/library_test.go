package scenarios_test

import (
	"bytes"
	"context"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"herdsim/cli"
	"herdsim/report"
	"herdsim/scenarios"
	"herdsim/sim"
)

// command runs herdsim as its user would, and returns what result.json holds.
func command(t *testing.T, args ...string) (doc *report.Document, code int, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = cli.Main(&cli.Process{
		Args:  append(args, "--out", "none", "--format", "json", "--quiet"),
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		LookupEnv: func(string) (string, bool) { return "", false },
		Terminal:  func(any) (int, bool) { return 0, false },
		Exit:      func(int) {},
	})
	doc, err := report.ReadJSON(&out)
	if err != nil {
		t.Fatalf("exit code %d, stdout: %v, stderr:\n%s", code, err, errs.String())
	}
	return doc, code, errs.String()
}

// Every scenario of the library shows what it says it shows, by the command's own judgement.
func TestLibraryMeetsItsExpectations(t *testing.T) {
	for _, info := range scenarios.Builtin() {
		t.Run(info.Name, func(t *testing.T) {
			t.Parallel()
			doc, code, stderr := command(t, "run", info.Name)
			if code != cli.ExitDone {
				t.Errorf("exit code %d:\n%s", code, stderr)
			}
			if len(doc.Expectations) == 0 {
				t.Error("it expects nothing")
			}
			for _, e := range doc.Expectations {
				if !e.Met || e.Skipped != "" {
					t.Errorf("%s: met %t, %s%s", e.Line, e.Met, e.Detail, e.Skipped)
				}
			}
		})
	}
}

// Every file says in comments what it teaches, before the first key, and is named as its file is.
func TestLibraryTeaches(t *testing.T) {
	for _, info := range scenarios.Builtin() {
		text, err := scenarios.BuiltinText(info.Name)
		if err != nil {
			t.Fatal(err)
		}
		head, _, named := strings.Cut(string(text), "\nname: "+info.Name+"\n")
		if !named || !strings.HasPrefix(head, "# yaml-language-server: $schema=scenario.schema.json\n#\n# ") {
			t.Errorf("%s: does not begin with the schema, the lesson and its name", info.Name)
		}
		if info.Title == "" {
			t.Errorf("%s: has no title", info.Name)
		}
		for _, part := range []string{"\n# Given:    ", "\n# Derived:  ", "\n# Assumed:  "} {
			if !strings.Contains(head, part) {
				t.Errorf("%s: does not say what is %s", info.Name, strings.ToLower(strings.Trim(part, "\n#: ")))
			}
		}
		if !strings.Contains(head, "\n#   Source: ") && !strings.Contains(head, "\n# Constructed") {
			t.Errorf("%s: names no source", info.Name)
		}
	}
}

// docs/incidents.md lists every scenario of something that was observed, and no scenario that is not there.
func TestIncidentsAreListed(t *testing.T) {
	page, err := os.ReadFile("../docs/incidents.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, link := range regexp.MustCompile(`\[([a-z0-9-]+)\]\(\.\./scenarios/library/([a-z0-9-]+)\.yaml\)`).FindAllStringSubmatch(string(page), -1) {
		if listed[link[1]] = true; link[1] != link[2] {
			t.Errorf("%s is linked as %s", link[2], link[1])
		}
	}
	for _, info := range scenarios.Builtin() {
		text, err := scenarios.BuiltinText(info.Name)
		if observed := strings.Contains(string(text), "\n# Observed: "); err != nil || observed != listed[info.Name] {
			t.Errorf("%s: observed %t, listed %t, %v", info.Name, observed, listed[info.Name], err)
		}
		delete(listed, info.Name)
	}
	if len(listed) > 0 {
		t.Errorf("there are no scenarios %v", listed)
	}
}

// Without luck, the library gives the rows of analytic.md section 8, and their kin, to the last request.
func TestLibraryExactly(t *testing.T) {
	runs := map[string]*report.Document{}
	for _, row := range []struct {
		source   string // where the numbers come from
		args     []string
		strategy string
		want     map[string]string
	}{
		{"C1'", []string{"reconnect-10k"}, "fixed",
			map[string]string{"completion_s": "100", "attempts": "55000", "wasted": "45000", "served": "10000"}},
		{"C1' with base 10 s and cap 120 s (incident 1)", []string{"reconnect-10k"}, "exponential",
			map[string]string{"completion_s": "760", "attempts": "55000", "wasted": "45000"}},
		{"B1", []string{"long-outage"}, "fixed",
			map[string]string{"completion_s": "70", "attempts": "65410", "peak_1s": "1000"}},
		{"B2", []string{"long-outage", "--strategy", "exponential(base=1s, cap=60s)"}, "exponential(base=1s, cap=60s)",
			map[string]string{"completion_s": "603.1", "attempts": "11050"}},
		{"waits of 1, 2, 4, 8, 16 s after timeouts of 2 s: at 41 s, 200 of them within 2 s", []string{"http-client"}, "exponential",
			map[string]string{"completion_s": "43", "succeeded": "200", "wasted": "800", "attempts": "6000"}},
		{"D2': all 5 retries spent before 30 s, P = .999992 a client", []string{"http-client", "--set", "downstream.outages[0].mode=refuse"}, "full-jitter",
			map[string]string{"dead_lettered": "1000", "attempts": "6000"}},
		{"incident 26: 3,204 calls, 1,045 in one second", []string{"cron-minute"}, "once",
			map[string]string{"tasks": "3204", "attempts": "3204", "peak_1s": "1045", "peak_over_capacity": "52.25"}},
		{"incident 27: 21,094 calls", []string{"cron-hour"}, "once",
			map[string]string{"tasks": "21094", "attempts": "21094"}},
		{"the n-th takes 100 ms + 50 ms (n-1), and leaves after 30 s", []string{"mqtt-7k"}, "fixed",
			map[string]string{"succeeded": "599", "recovered": "false"}},
		{"incident 16: 7,000 at 10 a second", []string{"mqtt-7k"}, "admit-10",
			map[string]string{"succeeded": "7000", "attempts": "7000", "recovered": "true"}},
		{"incident 55: 20 % of 1,000", []string{"proxy-budget"}, "decided",
			map[string]string{"retries": "200", "budget_refused": "800", "succeeded": "200"}},
		{"incident 55: all 1,000", []string{"proxy-budget"}, "sent",
			map[string]string{"retries": "1000", "budget_refused": "0"}},
		{"room for 64 messages, nine times", []string{"sqs-receives"}, "nine-receives",
			map[string]string{"succeeded": "576", "attempts": "15696"}},
		{"48 times 12 s", []string{"morning-scale-up"}, "five-a-minute",
			map[string]string{"completion_s": "576", "attempts": "48"}},
		{"two of 12 s each 30 s, 10, 20, ... 160 s and 18 times 300 s between them", []string{"morning-scale-up"}, "all-at-once",
			map[string]string{"completion_s": "6424", "attempts": "600"}},
		{"18,000 requests a second are 7 times normal (incident 2), a sixth of both", []string{"relist-3k"}, "fixed",
			map[string]string{"peak_1s": "3000"}},

		{"B1 again", []string{"breaker-40-percent"}, "no-breaker",
			map[string]string{"completion_s": "70", "attempts": "65410", "suppressed": "0"}},
		{"ten calls each open them, 1,000 probes fail, then 1,000 - 110 k in round k, from 69 s on each 30 s", []string{"breaker-40-percent"}, "own",
			map[string]string{"completion_s": "339.1", "attempts": "16050", "rejected": "4050", "suppressed": "6050", "breaker_opened": "6050"}},
		{"500 tokens at 14 a retry (aws-sdk-go-v2 v1.48.0, run)", []string{"aws-sdk-throttled"}, "quota-48",
			map[string]string{"retries": "35", "attempts": "5035", "budget_refused": "5000", "dead_lettered": "5000"}},
		{"500 tokens at 5 a retry (aws-sdk-go-v2 v1.47.8, run)", []string{"aws-sdk-throttled"}, "quota-47",
			map[string]string{"retries": "100", "attempts": "5100", "budget_refused": "5000", "dead_lettered": "5000"}},
		{"1,010 that failed at 50 s wait for 20 s", []string{"aws-sdk-throttled"}, "sdk-47",
			map[string]string{"peak_10ms": "1010", "dead_lettered": "0"}},
		{"the last of 5,000 items at 490 s (client-go v0.37.2, run)", []string{"kubernetes-controllers", "--set", "downstream.outages[0].to=5ms"}, "workqueue",
			map[string]string{"completion_s": "490.01", "retries": "5000", "rejected": "0"}},
		{"109 tokens more for who came too early", []string{"kubernetes-controllers"}, "workqueue",
			map[string]string{"completion_s": "500.91", "retries": "5109", "unavailable": "5109"}},
		{"5 ms (2^12 - 1), the fifth wave of 960", []string{"kubernetes-controllers"}, "item-limiter",
			map[string]string{"completion_s": "21.435", "unavailable": "40000", "rejected": "9900"}},
		{"10 s (2^5 - 1), the fifth wave of 960", []string{"kubernetes-controllers"}, "crash-loop",
			map[string]string{"completion_s": "310.96", "unavailable": "5000", "rejected": "9900"}},
		{"all first retries after 1.000 s (grpc-go 1.85, run)", []string{"grpc-reconnect"}, "grpc-go",
			map[string]string{"peak_10ms": "10000", "unavailable": "10000", "succeeded": "10000"}},
		{"all first retries after 1.000 s (grpc-js 1.14.7, run)", []string{"grpc-reconnect"}, "grpc-js",
			map[string]string{"peak_10ms": "10000", "unavailable": "10000", "succeeded": "10000"}},
		{"room for 510 at 6 and at 9 min", []string{"celery-retry"}, "retry",
			map[string]string{"completion_s": "545.1", "succeeded": "1020", "attempts": "7490"}},
		{"room for 510 at 2^9 - 1 and 2^10 - 1 s", []string{"celery-retry"}, "autoretry-10-plain",
			map[string]string{"completion_s": "1028.1", "succeeded": "1020"}},
		{"waits of at most 1, 2 and 4 s", []string{"celery-retry"}, "autoretry",
			map[string]string{"dead_lettered": "2000", "attempts": "8000"}},
		{"first retries until 24 s fail, second until 59 s do not", []string{"sidekiq-outage"}, "unpolled-8",
			map[string]string{"unavailable": "10000", "rejected": "0", "attempts": "15000"}},
	} {
		key := strings.Join(row.args, " ")
		if runs[key] == nil {
			runs[key], _, _ = command(t, append([]string{"run"}, row.args...)...)
		}
		doc := runs[key]
		i := slices.IndexFunc(doc.Runs, func(r report.Run) bool { return r.Summary.Strategy == row.strategy })
		if i < 0 {
			t.Errorf("%v: there is no %s", row.args, row.strategy)
			continue
		}
		cells := doc.Runs[i].Summary.Cells()
		for column, want := range row.want {
			if got := cells[slices.Index(report.Columns(), column)]; got != want {
				t.Errorf("%s: %v: %s.%s = %s, want %s", row.source, row.args, row.strategy, column, got, want)
			}
		}
	}
}

// The first calls of a scenario that starts from a measured herd are that herd, second by second or minute by minute.
func TestLibraryTraces(t *testing.T) {
	for name, width := range map[string]time.Duration{"cron-minute": time.Second, "cron-hour": time.Minute} {
		s := load(t, name, "window="+width.String())
		result := sim.Run(context.Background(), s.Config(entry(t, s, "once"), 1))
		counts := map[time.Duration]int64{}
		for _, w := range result.Windows {
			counts[time.Duration(w.Index)*width] = w.Requests
		}
		for _, b := range s.Start.Trace {
			if got := counts[b.From]; b.To-b.From != width || got != int64(b.Count) {
				t.Errorf("%s: %d calls in %v from %v on, measured were %d in %v", name, got, width, b.From, b.Count, b.To-b.From)
			}
		}
	}
}

// long-outage and long-outage-cost differ in the price of a rejection, in the horizon, and in nothing else.
func TestLongOutagesAreTheSame(t *testing.T) {
	free, priced := load(t, "long-outage"), load(t, "long-outage-cost")
	if free.Downstream.RejectCost != 0 || priced.Downstream.RejectCost == 0 {
		t.Errorf("a rejection costs %v and %v", free.Downstream.RejectCost, priced.Downstream.RejectCost)
	}
	priced.Downstream.RejectCost, priced.Horizon = 0, free.Horizon
	if len(free.Strategies) != len(priced.Strategies) {
		t.Fatalf("%d and %d strategies", len(free.Strategies), len(priced.Strategies))
	}
	for i, e := range free.Strategies {
		if e.Name != priced.Strategies[i].Name || !reflect.DeepEqual(free.Config(i, 1), priced.Config(i, 1)) {
			t.Errorf("%s and %s differ", e.Name, priced.Strategies[i].Name)
		}
	}
}

func load(t *testing.T, name string, set ...string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Load(scenarios.Request{Source: name, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func entry(t *testing.T, s *scenarios.Scenario, name string) int {
	t.Helper()
	i := slices.IndexFunc(s.Strategies, func(e scenarios.Entry) bool { return e.Name == name })
	if i < 0 {
		t.Fatalf("%s has no %s", s.Name, name)
	}
	return i
}
