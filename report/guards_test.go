package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"herdsim/sim"
)

// someGuards is what two guards did.
func someGuards() []sim.GuardResult {
	return []sim.GuardResult{
		{Name: "breaker", Shared: true, Instances: 1, Opened: 3, Suppressed: 20, Delayed: 1, Track: []sim.GuardPoint{
			{Window: 0, Open: 1}, {Window: 10, HalfOpen: 1, Level: 0.5}, {Window: 12, Level: 1},
		}},
		{Name: "retry-quota", Instances: 1000, Suppressed: 3, Delayed: 2, Refused: 5},
	}
}

func TestGuardNote(t *testing.T) {
	for _, c := range []struct {
		guards []sim.GuardResult
		want   string
	}{
		{nil, ""},
		{[]sim.GuardResult{{Name: "throttle", Instances: 1}}, ""},
		{someGuards(), "breaker: opened 3 times, 20 calls put off, 1 call sent later; 1,000 × retry-quota: 3 calls put off, 2 calls sent later, 5 tasks were refused a retry"},
		{[]sim.GuardResult{{Name: "b", Instances: 1, Opened: 1, Suppressed: 12431}}, "b: opened 1 time, 12,431 calls put off"},
	} {
		if got := guardNote(&sim.Result{Guards: c.guards}); got != c.want {
			t.Errorf("note %q, want %q", got, c.want)
		}
	}
}

func guarded() *Report {
	r := toy(3, 0, wave{index: 0, failure: 3}, wave{index: 10, served: 3})
	r.Guards = someGuards()
	return &Report{Setup: diracSetup(), Entries: []Entry{entry("guarded", r)}}
}

func TestGuardsInText(t *testing.T) {
	got := text(t, guarded(), TextOptions{Width: 200})
	if want := "guarded: breaker: opened 3 times, 20 calls put off"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

func TestGuardsInJSON(t *testing.T) {
	d, err := ReadJSON(bytes.NewReader(written(t, guarded().WriteJSON)))
	if err != nil {
		t.Fatal(err)
	}
	at := func(windows int64) Seconds { return seconds(sim.Time(windows) * window) }
	want := []Guard{
		{Name: "breaker", Scope: "shared", Instances: 1, Opened: 3, Suppressed: 20, Delayed: 1, Track: []GuardState{
			{T: at(1), Open: 1}, {T: at(11), HalfOpen: 1, Level: 0.5}, {T: at(13), Level: 1},
		}},
		{Name: "retry-quota", Scope: "worker", Instances: 1000, Suppressed: 3, Delayed: 2, Refused: 5, Track: []GuardState{}},
	}
	if diff := cmp.Diff(want, d.Runs[0].Guards); diff != "" {
		t.Error(diff)
	}
}

func TestGuardsInJSONAreChecked(t *testing.T) {
	whole := string(written(t, guarded().WriteJSON))
	for from, to := range map[string]string{
		`"scope":"shared"`:  `"scope":"all"`,
		`"opened":3`:        `"opened":-3`,
		`"half_open":1`:     `"half_open":2`,
		`{"t_s":1.1,"open"`: `{"t_s":0.1,"open"`,
	} {
		if strings.Count(whole, from) != 1 {
			t.Fatalf("%s is there %d times", from, strings.Count(whole, from))
		}
		_, err := ReadJSON(strings.NewReader(strings.Replace(whole, from, to, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), "runs[0].guards[0].") {
			t.Errorf("%s: error %v, want one of runs[0].guards[0]", to, err)
		}
	}
}
