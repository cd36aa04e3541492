package scenarios

import (
	"slices"
	"strings"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/sim"
)

func TestParseSweep(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"downstream.queue=10,20, 50", "10 20 50"},
		{"workers=1_000", "1_000"},
		{"downstream.queue=10..50/5", "10 20 30 40 50"},
		{"downstream.queue=0..10/4", "0 3 7 10"}, // whole numbers stay whole
		{"downstream.queue=1..3/9", "1 2 3"},     // and each is there once
		{"workers=10_000..30_000/3", "10_000 20_000 30_000"},
		{"downstream.queue=50..10/3", "50 30 10"},
		{"task.timeout=1s..2s/4", "1s 1.3333s 1.6667s 2s"}, // a thousandth of 1/3 s is 0.33 ms: the power of ten below it
		{"task.timeout=1ns..4ns/3", "1ns 3ns 4ns"},
		{"task.timeout=30s..2m/4", "30s 1m 1m30s 2m"},
		{"arrivals.rate=100/s..300/s/3", "100/s 200/s 300/s"},
		{"arrivals.rate=1/min..2/min/3", "1/min 1.5/min 2/min"},
		{"task.error_rate=0%..50%/3", "0% 25% 50%"},
		{"load=0.5x..2x/4", "0.5x 1x 1.5x 2x"},
		{"strategies[0].exponential.factor=1.5..2.5/3", "1.5 2 2.5"},
		{"downstream.queue=unlimited,1..3/3", "unlimited 1 2 3"},
		{"arrivals={rate: 80/s, from: 1s},{rate: 90/s}", "{rate: 80/s, from: 1s} {rate: 90/s}"},
		{"strategies[0].fixed.jitter=80%..130%", ""}, // a jitter has two dots, too, and needs quotes
		{"strategies[0].fixed.jitter='80%..130%',full", "'80%..130%' full"},
	} {
		s, err := ParseSweep("--x", c.text)
		if got := strings.Join(s.Values, " "); got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s gives %q and %v, want %q", c.text, got, err, c.want)
		}
	}
}

func TestParseSweepErrors(t *testing.T) {
	for text, want := range map[string]string{
		"downstream.queue":              `--x downstream.queue: not of the form PATH=VALUES`,
		"=1,2":                          `--x =1,2: not of the form PATH=VALUES`,
		"downstream.queue=":             `--x downstream.queue=: a value is missing`,
		"downstream.queue=1,,2":         `--x downstream.queue=1,,2: a value is missing`,
		"downstream.queue=1,2,1":        `--x downstream.queue=1,2,1: "1" is there twice`,
		"downstream.queue=[1":           `--x downstream.queue=[1: brackets or quotes are not closed`,
		"downstream.queue=1..9":         `--x downstream.queue=1..9: "1..9" does not say in how many steps`,
		"downstream.queue=1..9/1":       `--x downstream.queue=1..9/1: "1..9/1" has "1" steps`,
		"downstream.queue=1..900/101":   `--x downstream.queue=1..900/101: "1..900/101" has "101" steps`,
		"downstream.queue=1..1/2":       `--x downstream.queue=1..1/2: "1..1/2" ends where it begins`,
		"task.timeout=1s..9/3":          `--x task.timeout=1s..9/3: "1s..9/3" is from one unit to another`,
		"downstream.order=fifo..lifo/2": `--x downstream.order=fifo..lifo/2: "fifo..lifo/2" is not from one number to another`,
		"workers=1..60/60,101..160/60":  `--x workers=1..60/60,101..160/60: 120 values`,
	} {
		_, err := ParseSweep("--x", text)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
}

// stuckable is an M/M/1 service with an outage and traffic that goes on.
const stuckable = `name: mm1
horizon: 2m
task: {timeout: 1s}
limits: {max_attempts: 2}
arrivals: {rate: 280/s}
downstream: {slots: 1, service: {exponential: 3.333ms}, queue: unlimited, outages: [{from: 20s, to: 30s}]}
strategies: [fixed: {delay: 1s}, {name: slow, fixed: {delay: 9s}}]
`

func varied(t *testing.T, settings ...Setting) *Scenario {
	t.Helper()
	s, err := Load(Request{Source: "-", Stdin: strings.NewReader(stuckable), Vary: settings})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestVary(t *testing.T) {
	plain := varied(t)
	for _, c := range []struct {
		path, value string
		got         func(*Scenario) any
		want        any
	}{
		{"downstream.queue", "50", func(s *Scenario) any { return s.Downstream.Queue }, 50},
		{"strategies[1].fixed.delay", "3s", func(s *Scenario) any { return s.Strategies[1].Formula }, "3 s"},
		{"load", "0.5x", func(s *Scenario) any { return s.Arrivals.Phases[0].Rate.PerSecond() }, 140.0},
		{"load", "2", func(s *Scenario) any { return s.Arrivals.Phases[0].Rate.PerSecond() }, 560.0},
		{"trigger", "2s", func(s *Scenario) any { return s.Downstream.Outages[0].To }, 22 * time.Second},
		{"trigger", "100s", func(s *Scenario) any { return s.Downstream.Outages[0].To }, 2 * time.Minute},
	} {
		if got := c.got(varied(t, Setting{"--x", c.path, c.value})); got != c.want {
			t.Errorf("%s=%s gives %v, want %v", c.path, c.value, got, c.want)
		}
	}
	if got := varied(t); !slices.Equal(got.Arrivals.Phases, plain.Arrivals.Phases) || got.Downstream.Outages[0] != plain.Downstream.Outages[0] {
		t.Error("a change has reached the scenario that it is a copy of")
	}
	for value, want := range map[string]string{
		"load=0x":       `--x load=0x: load is "0x"; a factor above 0x`,
		"load=lots":     `--x load=lots: load is "lots"; a factor above 0x`,
		"trigger=101s":  `--x trigger=101s: trigger is "101s"; a duration above 0s and up to 1m40s`,
		"workers=-1":    `--x workers=-1: workers is "-1"`,
		"downstream.q=": `--x downstream.q=: `,
	} {
		path, v, _ := strings.Cut(value, "=")
		_, err := Load(Request{Source: "-", Stdin: strings.NewReader(stuckable), Vary: []Setting{{"--x", path, v}}})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", value, err, want)
		}
	}
	for path, value := range map[string]string{SweepLoad: "2x", SweepTrigger: "1s"} {
		_, err := Load(Request{Source: "dirac", Set: []string{"downstream.outages=null"}, Vary: []Setting{{"--y", path, value}}})
		if err == nil || !strings.Contains(err.Error(), "the scenario has no") {
			t.Errorf("%s of a herd alone: %v", path, err)
		}
	}
}

func TestTriggerIsOneThing(t *testing.T) {
	second := downstream.Rate{Events: 1, Per: time.Second}
	phase := func(from, to time.Duration) sim.Phase {
		return sim.Phase{From: from * time.Second, To: to * time.Second, Rate: second}
	}
	outage := []downstream.Outage{{From: time.Second, To: 3 * time.Second}}
	for name, c := range map[string]struct {
		outages []downstream.Outage
		phases  []sim.Phase
		length  time.Duration // 0 for none
	}{
		"none":                {nil, []sim.Phase{phase(0, 100)}, 0},
		"an outage":           {outage, []sim.Phase{phase(0, 100)}, 2 * time.Second},
		"a burst":             {nil, []sim.Phase{phase(0, 100), phase(20, 25)}, 5 * time.Second},
		"both":                {outage, []sim.Phase{phase(0, 100), phase(20, 25)}, 0},
		"two outages":         {append(outage, downstream.Outage{From: 5 * time.Second, To: 6 * time.Second}), nil, 0},
		"one after another":   {nil, []sim.Phase{phase(0, 20), phase(20, 25), phase(25, 100)}, 0},
		"it ends with others": {nil, []sim.Phase{phase(0, 100), phase(20, 100)}, 0},
	} {
		s := &Scenario{Horizon: 100 * time.Second, Arrivals: &Arrivals{Arrivals: sim.Arrivals{Phases: c.phases}}, Downstream: downstream.Config{Outages: c.outages}}
		got, ok := s.Trigger()
		if ok != (c.length > 0) || got.Length != c.length {
			t.Errorf("%s: trigger %+v, %v, want length %v", name, got, ok, c.length)
			continue
		}
		if !ok {
			continue
		}
		if again, _ := s.Triggered(7 * time.Second).Trigger(); again.Length != 7*time.Second || again.From != got.From {
			t.Errorf("%s: with a length of 7 s it is %+v", name, again)
		}
	}
}

func TestChangesOfOneThing(t *testing.T) {
	s := varied(t)
	if got := s.Attempting(1, 5); got.Strategies[1].Limits.MaxAttempts != 5 || got.Strategies[0].Limits.MaxAttempts != 2 || got.MaxAttempts(1) != 5 {
		t.Errorf("attempts %+v", got.Strategies)
	}
	s.Arrivals.Limits = &Limits{MaxAttempts: 3}
	if got := s.Attempting(0, 5); got.MaxAttempts(0) != 5 || s.MaxAttempts(0) != 3 {
		t.Errorf("attempts of the traffic %d, of what it was copied from %d", got.MaxAttempts(0), s.MaxAttempts(0))
	}
	if got := s.Queued(7).Downstream.Queue; got != 7 {
		t.Errorf("queue %d", got)
	}
	if got := s.Patient(time.Minute).Task.Timeout; got != time.Minute {
		t.Errorf("timeout %v", got)
	}
	for _, c := range s.Cures(0) {
		if got := len(c.Apply(s, 0).Cures(0)); got > len(s.Cures(0)) {
			t.Errorf("%s: %d cures are left", c.Name, got)
		}
	}
	again, err := Load(Request{Source: "-", Stdin: strings.NewReader(stuckable), Set: []string{
		s.Cures(0)[0].Name, s.Cures(0)[1].Name, s.Cures(0)[2].Name,
	}})
	if err != nil {
		t.Fatalf("what a cure says is no --set: %v", err)
	}
	if got := again.Cures(0); len(got) != 1 || again.Downstream.Order != downstream.LIFO || len(again.Guards) != 1 {
		t.Errorf("with all of them, %d are left of %+v", len(got), again.Downstream)
	}
}

func TestLoadAndLimitsOfAllTraffic(t *testing.T) {
	s := varied(t)
	s.Clients = &sim.Clients{Count: 10, Limits: &Limits{MaxAttempts: 7, Deadline: time.Minute}}
	s.Cron = &sim.Cron{Count: 1000, Limits: &Limits{MaxAttempts: 8}}
	if got := s.Loaded(0.04); got.Clients.Count != 1 || got.Cron.Count != 40 || s.Clients.Count != 10 {
		t.Errorf("%d clients and %d tasks a tick, want 1 and 40", got.Clients.Count, got.Cron.Count)
	}
	if got := s.MaxAttempts(0); got != 7 {
		t.Errorf("%d attempts, want those of the clients, 7", got)
	}
	got := s.Attempting(0, 2)
	if got.Clients.Limits.MaxAttempts != 2 || got.Cron.Limits.MaxAttempts != 2 || got.Clients.Limits.Deadline != time.Minute || s.Cron.Limits.MaxAttempts != 8 {
		t.Errorf("limits %+v and %+v", got.Clients.Limits, got.Cron.Limits)
	}
	if _, ok := s.Rate(); ok {
		t.Error("three kinds of traffic have one rate")
	}
}

func TestFasterIsExact(t *testing.T) {
	for _, c := range []struct {
		rate string
		by   float64
		want float64
	}{{"280/s", 0.5, 140}, {"280/s", 0.001, 0.28}, {"1/d", 1000, 1000. / 86400}, {"1000000/s", 1000, 1e9}, {"1000000/s", 999, 999e6}, {"7/min", 1.0 / 3, 7. / 180}} {
		r, _ := parseRate(c.rate)
		if got := faster(r, c.by).PerSecond(); got/c.want-1 > 1e-9 || c.want/got-1 > 1e-9 {
			t.Errorf("%s times %v = %v/s, want %v/s", c.rate, c.by, got, c.want)
		}
	}
}
