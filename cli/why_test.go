package cli

import (
	"os"
	"strings"
	"testing"
	"time"

	"herdsim/scenarios"
)

// sticking is a scenario that a brown-out leaves down.
const sticking = `{"name": "sticking", "horizon": "2m", "task": {"timeout": "1s"}, "limits": {"max_attempts": 2}, "arrivals": {"rate": "45/s"},
	"downstream": {"slots": 10, "service": {"exponential": "166.666666ms"}, "queue": "unlimited",
	"outages": [{"from": "20s", "to": "30s", "capacity": "1%"}]}, "strategies": [{"fixed": {"delay": "1s"}}]}`

func loaded(t *testing.T, set ...string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Load(scenarios.Request{Source: "-", Stdin: strings.NewReader(sticking), Set: set})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestInterruptedWhySaysWhatItFound(t *testing.T) {
	for _, format := range []string{"text", "json", "markdown", "csv"} {
		b := newBench("why", "-", "--format", format)
		b.Stdin = strings.NewReader(sticking)
		signals := make(chan os.Signal)
		b.Process.Stderr, b.Signals = &interrupting{bench: b, after: "searching", signals: signals}, signals
		b.run(t, ExitInterrupted)
		if !strings.HasSuffix(b.stderr.String(), "herdsim: interrupted; what was found is reported\n") {
			t.Errorf("stderr %q", &b.stderr)
		}
		want := map[string]string{
			"text": "stuck in 5 of 5 runs", "json": `"partial": true`, "markdown": "Interrupted: this is what was found until then.", "csv": "scenario,strategy",
		}[format]
		if !strings.Contains(b.stdout.String(), want) {
			t.Errorf("stdout without %q:\n%s", want, &b.stdout)
		}
	}

	b := newBench("why", "-")
	b.Stdin = strings.NewReader(endless)
	signals := make(chan os.Signal)
	b.Signals = signals
	b.Process.Terminal = func(any) (int, bool) { signals <- os.Interrupt; return 0, false }
	b.run(t, ExitInterrupted)
	if want := "herdsim: interrupted before a run was finished\n"; b.stderr.String() != want {
		t.Errorf("stderr %q, want %q", &b.stderr, want)
	}
}

// A value of a lever that does nothing gives the scenario back, and what it says of itself is a --set or a sweep that
// gives the same.
func TestLeversSayWhatTheyDo(t *testing.T) {
	for _, set := range [][]string{
		nil, {"limits.max_attempts=0", "task.timeout=null"}, {"downstream.queue=100"}, {"task.timeout=1.234567s"},
	} {
		s := loaded(t, set...)
		for _, recovers := range []bool{false, true} {
			for _, l := range levers(s, 0, recovers, 5000) {
				if l.search.From < l.search.Least || l.search.From > l.search.Most {
					t.Errorf("%v: %s stands at %d, outside of [%d, %d]", set, l.field, l.search.From, l.search.Least, l.search.Most)
				}
				for _, x := range []int64{l.search.Least, l.search.From, l.search.From/2 + l.search.Least, (l.search.From + l.search.Most) / 2, l.search.Most} {
					again, err := scenarios.Load(scenarios.Request{
						Source: "-", Stdin: strings.NewReader(sticking), Set: set,
						Vary: []scenarios.Setting{{Flag: "--x", Path: l.field, Value: l.value(x)}},
					})
					if err != nil {
						t.Errorf("%v: %s at %d: %v", set, l.field, x, err)
						continue
					}
					if got, want := string(l.at(x).YAML()), string(again.YAML()); got != want && l.field != "limits.max_attempts" {
						t.Errorf("%v: %s at %d is\n%s\n%s=%s is\n%s", set, l.field, x, got, l.field, l.value(x), want)
					}
					if got, want := l.at(x).MaxAttempts(0), again.MaxAttempts(0); got != want {
						t.Errorf("%v: %s at %d has %d attempts, want %d", set, l.field, x, got, want)
					}
				}
			}
		}
	}
}

func TestLeversThatDoNotApply(t *testing.T) {
	names := func(s *scenarios.Scenario) string {
		var all []string
		for _, l := range levers(s, 0, false, 0) {
			all = append(all, l.field)
		}
		return strings.Join(all, " ")
	}
	for _, c := range []struct{ set, want string }{
		{"seed=1", "load limits.max_attempts downstream.queue task.timeout trigger"},
		{"downstream.outages=null", "load limits.max_attempts downstream.queue task.timeout"},
		{"downstream.outages[1]={from: 40s, to: 50s}", "load limits.max_attempts downstream.queue task.timeout"},
	} {
		if got := names(loaded(t, c.set)); got != c.want {
			t.Errorf("%s: %s, want %s", c.set, got, c.want)
		}
	}
	if got := names(loaded(t, "workers=5", "arrivals=null")); strings.Contains(got, "load") {
		t.Errorf("a herd alone has the levers %s", got)
	}
}

func TestThreeDigits(t *testing.T) {
	for d, want := range map[time.Duration]time.Duration{
		1: 1, 999: 999, 1234: 1230, 1484375 * time.Microsecond: 1480 * time.Millisecond, 999_999 * time.Millisecond: 1000 * time.Second,
	} {
		if got := threeDigits(d); got != want {
			t.Errorf("%v is %v, want %v", d, got, want)
		}
	}
}
