package report

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"herdsim/sim"
	"herdsim/strategies"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

const window = 100 * time.Millisecond

// A wave is what one window of a toy run gets.
type wave struct{ index, failure, served, rejected, inFlight int64 }

// toy builds the result of a run from its waves, consistent in every sum: tasks workers, of which the served ones have
// their answer 50 ms after the start of their window, and gaveUp of the others are dead-lettered.
func toy(tasks, gaveUp int64, waves ...wave) *sim.Result {
	r := &sim.Result{Window: window, FirstRetry: -1, LastRequest: -1, EndedAt: window}
	for _, w := range waves {
		start := sim.Time(w.index) * window
		out := sim.Window{Index: w.index, Failure: w.failure, QueueMax: min(200, w.served), InServiceMax: min(20, w.served)}
		out.Outcomes[strategies.Served] = w.served
		out.Outcomes[strategies.Rejected] = w.rejected
		out.Outcomes[strategies.Unavailable] = w.failure
		out.Outcomes[strategies.InFlight] = w.inFlight
		for i, n := range out.Outcomes {
			out.Requests += n
			r.Outcomes[i] += n
		}
		if w.failure < out.Requests && r.FirstRetry < 0 {
			r.FirstRetry = start
		}
		r.LastRequest = start
		r.PeakWindow = max(r.PeakWindow, out.Requests-w.failure)
		r.Attempts += out.Requests
		r.Windows = append(r.Windows, out)
		for range w.served {
			r.Completions = append(r.Completions, start+window/2)
		}
		r.HerdWork += time.Duration(w.served) * window
		r.EndedAt = start + window
	}
	r.Peak10ms, r.Peak100ms, r.Peak1s = r.PeakWindow, r.PeakWindow, r.PeakWindow
	served := r.Outcomes[strategies.Served]
	r.Herd = sim.Tally{Tasks: tasks, Succeeded: served, DeadLettered: gaveUp, Unfinished: tasks - served - gaveUp}
	r.Retries = max(0, r.Attempts-tasks)
	r.Events = 2 * r.Attempts
	r.Observed = r.EndedAt
	r.BusyTime = r.HerdWork
	r.QueueArea = float64(served) * 0.25
	if served > 0 {
		r.Latency = sim.Quantiles{Count: served, P50: 600 * time.Millisecond, P99: 1100 * time.Millisecond}
		r.QueueWait = sim.Mean{Sum: time.Duration(served) * 250 * time.Millisecond, Count: served}
	}
	if r.Herd.Unfinished > 0 {
		r.End, r.EndedAt = sim.AtHorizon, 10*time.Minute
	}
	return r
}

// spikes is a herd that meets again at the given windows; each time 220 are served.
func spikes(tasks int64, at ...int64) *sim.Result {
	waves := []wave{{index: 0, failure: tasks}}
	left := tasks
	for _, i := range at {
		served := min(left, 220)
		left -= served
		waves = append(waves, wave{index: i, served: served, rejected: left})
	}
	return toy(tasks, 0, waves...)
}

// spreadOut is a herd whose load decays like 1/t from the given first load, about 20 served a window.
func spreadOut(tasks, first int64) *sim.Result {
	waves := []wave{{index: 0, failure: tasks}}
	left := tasks
	for i := int64(1); left > 0; i++ {
		served := int64(0)
		if i >= 5 {
			served = min(left, 20)
		}
		left -= served
		asked := max(served, int64(math.Round(float64(first)/(1+float64(i)/10))))
		waves = append(waves, wave{index: i, served: served, rejected: asked - served})
	}
	return toy(tasks, 0, waves...)
}

func entry(key string, runs ...*sim.Result) Entry {
	e := Entry{Name: key, Key: key, Formula: "a formula", Runs: runs}
	for i := range runs {
		e.Seeds = append(e.Seeds, uint64(i+1))
	}
	return e
}

func diracSetup() Setup {
	return Setup{
		Name: "dirac", Title: "A thousand workers lose a service for half a second", Seed: 1, Replicates: 1,
		Window: window, Workers: 1000, Slots: 20, Queue: 200, Recovery: 500 * time.Millisecond, Capacity: 200,
	}
}

// toyDirac has the shape of the built-in scenario of that name.
func toyDirac() *Report {
	return &Report{
		Version: "v1.2.3",
		Setup:   diracSetup(),
		Entries: []Entry{
			entry("fixed", spikes(1000, 10, 20, 30, 40, 50)),
			entry("exponential", spikes(1000, 10, 30, 70, 150, 310)),
			entry("full-jitter", spreadOut(1000, 164)),
			entry("decorrelated", spreadOut(1000, 61)),
			entry("paced", spreadOut(1000, 20)),
		},
		Expected: []Expected{
			{Line: "full-jitter.peak_over_capacity < 10", Met: true},
			{Line: "exponential.completion > full-jitter.completion", Detail: "5 s > 14.9 s"},
			{Line: "linear.peak_1s < 3", Skipped: "linear is not among the strategies of this run"},
		},
		Scenario: json.RawMessage(`{"name":"dirac","expect":["full-jitter.peak_over_capacity < 10"]}`),
	}
}
