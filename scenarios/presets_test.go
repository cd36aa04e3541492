package scenarios

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"herdsim/sim"
	"herdsim/strategies"
)

// loadText loads a scenario of the given text behind what every one of these has.
func loadText(t *testing.T, text string) *Scenario {
	t.Helper()
	s, err := Load(Request{Source: "-", Stdin: strings.NewReader("name: presets\nworkers: 2\nnetwork: 1ms\ndownstream: {slots: 1}\n" + text)})
	if err != nil {
		t.Fatalf("\n%v", err)
	}
	return s
}

// TestPresetsLoadAndReadBack has all presets in one scenario, and again each with its first field that is a duration set to
// another one.
func TestPresetsLoadAndReadBack(t *testing.T) {
	var text strings.Builder
	text.WriteString("strategies:\n")
	overridden := 0
	for _, p := range Presets() {
		fmt.Fprintf(&text, "  - preset: %s\n", p.Name)
		for _, f := range findStrategy(p.Entry.Key).Fields {
			if f.Kind == Duration && (f.Key == "base" || f.Key == "delay") {
				fmt.Fprintf(&text, "  - {name: other %s, preset: {name: %s, %s: 17ms}}\n", p.Name, p.Name, f.Key)
				overridden++
			}
		}
	}
	// Two take something off each delay, which their base has to cover.
	s := loadText(t, strings.NewReplacer("bus-go, base: 17ms", "bus-go, base: 17s", "gaxios-default, base: 17ms", "gaxios-default, base: 17s").Replace(text.String()))
	if len(s.Strategies) != len(Presets())+overridden || overridden < 90 {
		t.Errorf("%d entries, %d of them overridden", len(s.Strategies), overridden)
	}
	mustReload(t, s)
	if validate := compileSchema(t); validate(s.YAML()) != nil {
		t.Errorf("the schema refuses what was written: %v", validate(s.YAML()))
	}
	for _, e := range s.Strategies {
		if e.Preset == "" || e.Strategy == nil {
			t.Errorf("%s: preset %q, strategy %v, want both", e.Name, e.Preset, e.Strategy)
		}
	}
}

// TestPresetIsItsSpec: what a preset stands for may be written without it, and gives the same run.
func TestPresetIsItsSpec(t *testing.T) {
	for _, p := range Presets() {
		e := p.Entry
		e.Preset, e.Name = "", "plain"
		plain := &Scenario{Strategies: []Entry{e}}
		named := loadText(t, "strategies: [{name: plain, preset: "+p.Name+"}]").Strategies[0]
		named.Preset = ""
		if got, want := fmt.Sprintf("%+v", named), fmt.Sprintf("%+v", plain.Strategies[0]); got != want {
			t.Errorf("%s is %s, want %s", p.Name, got, want)
		}
		spec := "  - name: plain\n    " + strings.ReplaceAll(strings.TrimSpace(p.YAML()), "\n", "\n    ")
		if got := fmt.Sprintf("%+v", loadText(t, "strategies:\n"+spec+"\n").Strategies[0]); got != fmt.Sprintf("%+v", named) {
			t.Errorf("%s as it is shown is %s, want %+v", p.Name, got, named)
		}
	}
}

// TestPresetGivesWay: limits, Retry-After and poller of a preset hold unless somebody wrote others.
func TestPresetGivesWay(t *testing.T) {
	polled := sim.Poll{Every: 5 * time.Second, Jitter: 0.5, Processes: 1}
	for _, row := range []struct {
		name, text string
		limits     Limits
		ignore     bool
		poll       sim.Poll
	}{
		{"the preset's own", "strategies: [preset: sidekiq-8]", Limits{MaxAttempts: 26}, true, polled},
		{"the scenario has limits", "limits: {max_attempts: 3}\nstrategies: [preset: sidekiq-8]", Limits{MaxAttempts: 3}, true, polled},
		{"the scenario has none and says so", "limits: {}\nstrategies: [preset: sidekiq-8]", Limits{}, true, polled},
		{"the entry has limits", "limits: {max_attempts: 3}\nstrategies: [{preset: sidekiq-8, limits: {max_elapsed: 1m}}]", Limits{MaxElapsed: time.Minute}, true, polled},
		{"the entry honours", "strategies: [{preset: sidekiq-8, retry_after: honor}]", Limits{MaxAttempts: 26}, false, polled},
		{"the entry has no poller", "strategies: [{preset: sidekiq-8, poll: none}]", Limits{MaxAttempts: 26}, true, sim.Poll{}},
		{"the entry has another poller", "strategies: [{preset: sidekiq-8, poll: {every: 20s, jitter: 100%, processes: 10}}]",
			Limits{MaxAttempts: 26}, true, sim.Poll{Every: 20 * time.Second, Jitter: 1, Processes: 10}},
		{"null is as if it were not there", "strategies: [{preset: {name: sidekiq-8, base: null}, poll: null, limits: ~}]", Limits{MaxAttempts: 26}, true, polled},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := loadText(t, row.text)
			e := s.Strategies[0]
			if e.Limits != row.limits || e.IgnoreRetryAfter != row.ignore || e.Poll != row.poll || e.Name != "sidekiq-8" {
				t.Errorf("%s has %+v, ignores %v, %+v, want %+v, %v, %+v", e.Name, e.Limits, e.IgnoreRetryAfter, e.Poll, row.limits, row.ignore, row.poll)
			}
			if c := s.Config(0, 1); c.Poll != row.poll || c.MaxAttempts != row.limits.MaxAttempts || c.MaxElapsed != row.limits.MaxElapsed {
				t.Errorf("the run has %+v, %d, %v", c.Poll, c.MaxAttempts, c.MaxElapsed)
			}
			mustReload(t, s)
		})
	}
}

func TestPresetOverrides(t *testing.T) {
	s := loadText(t, "strategies:\n  - preset: {name: aws-sdk-go-v2-standard, cap: 5s}\n  - {name: b, preset: {name: celery-autoretry-backoff, cap: none, grain: none, rounding: down}}\n")
	want := []strategies.Strategy{
		strategies.FullJitter{Base: 50 * time.Millisecond, Factor: 2, Cap: 5 * time.Second},
		strategies.FullJitter{Base: time.Second, Factor: 2},
	}
	for i, e := range s.Strategies {
		if e.Strategy != want[i] {
			t.Errorf("%s is %+v, want %+v", e.Name, e.Strategy, want[i])
		}
	}
	for _, line := range []string{"preset: {name: aws-sdk-go-v2-standard, cap: 5s}", "preset: {name: celery-autoretry-backoff, cap: none, grain: none"} {
		if !strings.Contains(string(s.YAML()), line) {
			t.Errorf("what is written has no %q:\n%s", line, s.YAML())
		}
	}
	mustReload(t, s)
	set := with(t, Request{Set: []string{"expect=null", "strategies=[{preset: aws-sdk-go-v2-standard}]", "strategies[0].preset.cap=5s"}}).Strategies[0]
	if set.Strategy != want[0] || set.Name != "aws-sdk-go-v2-standard" {
		t.Errorf("--set makes %s %+v, want %+v", set.Name, set.Strategy, want[0])
	}
	spec := with(t, Request{Strategies: []string{"preset(sidekiq-8, base=30s, limits.max_attempts=2, name=mine)"}}).Strategies[0]
	if k, ok := spec.Strategy.(strategies.Polynomial); !ok || k.Base != 30*time.Second || spec.Limits.MaxAttempts != 2 || spec.Name != "mine" {
		t.Errorf("the spec makes %+v", spec)
	}
}

// TestReportsOfPresets runs public reports against the presets of the clients that they are about: the waits before one
// retry, and which share of the clients meets at the cap.
func TestReportsOfPresets(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	for _, row := range []struct {
		report, preset string
		retry          int
		min, max       time.Duration
		atCap          float64
	}{
		{"aws/aws-sdk-go-v2#3091: no jitter from attempt 5, run", "aws-sdk-go-v2-legacy-pre-1.48", 5, 20 * s, 20 * s, 1},
		{"aws/aws-sdk-go-v2#3091: jitter up to 20 s, since 1.48", "aws-sdk-go-v2-standard-throttle", 6, 0, 20 * s, 0},
		{"jd/tenacity#703: one value once saturated", "tenacity-wait-exponential-jitter-max10", 5, 10 * s, 10 * s, 1},
		{"kubernetes/kubernetes#87915: crash loops without jitter", "k8s-crashloopbackoff", 6, 300 * s, 300 * s, 1},
		{"kubernetes/kubernetes#31396: 5,000 failures of an item", "k8s-workqueue-item-exponential", 5000, 1000 * s, 1000 * s, 1},
		{"kubernetes-sigs/cluster-api#13416: 1 s for ever, where it should double", "k8s-workqueue-item-exponential", 9, 1280 * ms, 1280 * ms, 0},
		{"sidekiq/sidekiq#480: a splay of ten seconds at the first retry", "sidekiq-8", 1, 15 * s, 24 * s, 0},
		{"grpc/proposal#452, grpc/grpc-go#7514: not close to 0", "grpc-go-retry-policy-a6-example", 1, 80 * ms, 120 * ms, 0},
		{"grpc/grpc#1633: 20 % in connection backoff", "grpc-java-connection-backoff", 12, 96 * s, 144 * s, 0},
		{"grpc-go, first reconnect exactly 1 s", "grpc-go-connection-backoff", 1, s, s, 0},
		{"grpc-js, first reconnect exactly 1 s", "grpc-js-connection-backoff", 1, s, s, 0},
		{"grpc-java, first reconnect 0.8 to 1.2 s", "grpc-java-connection-backoff", 1, 800 * ms, 1200 * ms, 0},
		{"grpc C-core, first reconnect 0.8 to 1.2 s", "grpc-core-cpp-connection-backoff", 1, 800 * ms, 1200 * ms, 0},
		{"nats-io/nats.go#563: 100 ms of jitter", "nats-go-reconnect", 1, 2 * s, 2100 * ms, 0},
		{"urllib3/urllib3#3677: backoff factor 0, ten retries at once", "urllib3-default", 10, 0, 0, 0},
		{"urllib3/urllib3#847: the first retry is at once", "urllib3-backoff-factor-1", 1, 0, 0, 0},
		{"urllib3/urllib3#3377: the second waits 2 f", "urllib3-backoff-factor-1", 2, 2 * s, 2 * s, 0},
		{"softonic/axios-retry#243: no delay by default", "axios-retry-default", 3, 0, 0, 0},
		{"softonic/axios-retry#106: exponential begins at 200 ms", "axios-retry-exponentialDelay", 1, 200 * ms, 240 * ms, 0},
		{"Finagle exponentialJittered: the first without jitter", "finagle-exponentialJittered-1s-32s", 1, s, s, 0},
		{"Finagle equalJittered: constant at the cap", "finagle-equalJittered-5s-300s", 8, 300 * s, 300 * s, 1},
		{"spring-attic/spring-retry#126: up to 30 s, and no jitter left", "spring-retry-exponential-random", 10, 30 * s, 30 * s, 1},
		{"cenkalti/backoff#117: up to 1.5 × MaxInterval", "cenkalti-backoff-v5", 30, 30 * s, 90 * s, 0},
		{"avast/retry-go#30: retry 38 saturates", "avast-retry-go-v4", 38, strategies.NoBound, strategies.NoBound, 0},
		{"fluent/fluent-logger-forward-node#44: p-retry cuts at 2^31 - 1 ms", "p-retry-default", 40, 2147483647 * ms, 2147483647 * ms, 1},
		{"Polly #2163: attempt 1024 saturates", "polly-v8-exponential-jitter-2s", 1025, strategies.NoBound, strategies.NoBound, 0},
		{"linkerd: no jitter at the cap", "linkerd-httproute-retry", 5, 250 * ms, 250 * ms, 1},
	} {
		t.Run(row.report, func(t *testing.T) {
			p, ok := FindPreset(row.preset)
			if !ok {
				t.Fatalf("no preset %s", row.preset)
			}
			a := strategies.Attempt{Retry: row.retry, SinceReset: row.retry, Outcome: strategies.Rejected}
			low, _ := p.Entry.Strategy.Wait(a, 0)
			high, _ := p.Entry.Strategy.Wait(a, lastU)
			if u, isUniform := p.Entry.Strategy.(strategies.Uniform); isUniform && row.retry <= 40 {
				d := strategies.Describe(u, row.retry)[row.retry-1]
				low, high = d.Min, d.Max
				if d.AtCapShare != row.atCap {
					t.Errorf("%v are at the cap, want %v", d.AtCapShare, row.atCap)
				}
			}
			if low != row.min || high != row.max {
				t.Errorf("retry %d waits %v to %v, want %v to %v", row.retry, low, high, row.min, row.max)
			}
		})
	}
}

// TestRetryAfterReports: a server asks for an hour. Taken as it is the task is back after an hour, with a max after that,
// and ignored after the client's own second.
func TestRetryAfterReports(t *testing.T) {
	for _, row := range []struct {
		report, entry string
		back          time.Duration
	}{
		{"hashicorp/go-retryablehttp#131: honoured on 503", "preset: go-retryablehttp-default", time.Hour},
		{"hashicorp/go-retryablehttp#247: not above 30 s", "{preset: go-retryablehttp-default, retry_after: {max: 30s}}", 30 * time.Second},
		{"benoitc/livery#47: honoured up to 120 s", "{fixed: {delay: 1s}, retry_after: {max: 120s}}", 2 * time.Minute},
		{"failsafehttp: bounded, however long", "{preset: failsafe-go-default, retry_after: {max: 10s}}", 10 * time.Second},
		{"aws-sdk-go-v2: the standard header is ignored", "{fixed: {delay: 1s}, retry_after: ignore}", time.Second},
	} {
		t.Run(row.report, func(t *testing.T) {
			text := "name: after\nworkers: 2\nhorizon: 3h\ndownstream: {slots: 1, service: 1ms, queue: 9, rate_limit: {rate: 1/h, burst: 1, retry_after: true}}\nstrategies:\n  - " + row.entry + "\n"
			s, err := Load(Request{Source: "-", Stdin: strings.NewReader(text)})
			if err != nil {
				t.Fatal(err)
			}
			var back time.Duration
			c := s.Config(0, 1)
			c.Trace = func(r sim.AttemptRecord) {
				if r.Attempt == 2 {
					back = r.Sent
				}
			}
			sim.Run(context.Background(), c)
			if back != row.back {
				t.Errorf("the second attempt is sent at %v, want %v", back, row.back)
			}
		})
	}
}

// TestLuckIsEachWorkersOwn: go-retryablehttp seeds its jitter from the clock, so 5,000 clients that fail at one instant may
// draw one value. Here they draw 5,000.
func TestLuckIsEachWorkersOwn(t *testing.T) {
	const text = "name: luck\nworkers: 5000\nhorizon: 31s\ndownstream: {slots: 1, outages: [{from: 0s, to: 1s}]}\nstrategies: [preset: go-retryablehttp-linear-jitter]\n"
	s, err := Load(Request{Source: "-", Stdin: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	instants := map[time.Duration]bool{}
	c := s.Config(0, 1)
	c.Trace = func(r sim.AttemptRecord) {
		if r.Attempt == 2 {
			instants[r.Sent] = true
		}
	}
	sim.Run(context.Background(), c)
	// 5,000 of 2.9 × 10¹⁰ ns: two meet with a chance of 1 in 2,300.
	if len(instants) < 4999 {
		t.Errorf("5,000 workers come back at %d instants", len(instants))
	}
}
