package report

import (
	"bytes"
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"

	"herdsim/sim"

	"github.com/google/go-cmp/cmp"
)

// smallReport has two short runs, of which one is unfinished, and an unfinished replicate.
func smallReport() *Report {
	return &Report{
		Version: "v1.2.3",
		Setup:   diracSetup(),
		Entries: []Entry{
			entry("fixed", spikes(300, 10, 20)),
			entry("hopeless", toy(3, 1, wave{index: 0, failure: 3}, wave{index: 1, rejected: 2}), nil),
		},
		Expected: []Expected{{Line: "fixed.peak_1s < 1 & \"x\"", Detail: "300 < 1"}},
		Scenario: json.RawMessage(`{"name":"dirac","horizon":"1h","expect":["a < b"]}`),
	}
}

func TestJSONFile(t *testing.T) {
	got := written(t, smallReport().WriteJSON)
	platform := strings.NewReplacer(
		`"goos": "`+runtime.GOOS+`"`, `"goos": "GOOS"`, `"goarch": "`+runtime.GOARCH+`"`, `"goarch": "GOARCH"`)
	golden(t, "result.json", []byte(platform.Replace(string(got))))
	if !json.Valid(got) {
		t.Error("it is no JSON")
	}
}

func TestJSONIsTheSameTwice(t *testing.T) {
	if a, b := written(t, toyDirac().WriteJSON), written(t, toyDirac().WriteJSON); !bytes.Equal(a, b) {
		t.Error("two reports of the same runs differ")
	}
}

func TestJSONHoldsWhatTheCSVFilesHold(t *testing.T) {
	for name, r := range map[string]*Report{"dirac": toyDirac(), "small": smallReport(), "by hand": fullReport(nil)} {
		d, err := ReadJSON(bytes.NewReader(written(t, r.WriteJSON)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var rows []Row
		i := 0
		for _, e := range r.Entries {
			for _, run := range e.Runs {
				if run == nil {
					continue
				}
				if diff := cmp.Diff(slices.Collect(requestRows(run)), d.Runs[i].Requests); diff != "" {
					t.Errorf("%s: requests of run %d: %s", name, i, diff)
				}
				if want := slices.Collect(completionRows(run)); !slices.Equal(want, d.Runs[i].Completion) {
					t.Errorf("%s: completion of run %d is %v, want %v", name, i, d.Runs[i].Completion, want)
				}
				rows = append(rows, d.Runs[i].Summary)
				i++
			}
		}
		if i != len(d.Runs) {
			t.Errorf("%s: %d runs, want %d", name, len(d.Runs), i)
		}
		if diff := cmp.Diff(r.Summary(), rows); diff != "" {
			t.Errorf("%s: summary: %s", name, diff)
		}
		if diff := cmp.Diff(r.Expected, d.Expectations); diff != "" {
			t.Errorf("%s: expectations: %s", name, diff)
		}
	}
}

func TestJSONOfNothing(t *testing.T) {
	r := &Report{Partial: true, Entries: []Entry{{Name: "fixed", Runs: []*sim.Result{nil}}}}
	text := written(t, r.WriteJSON)
	d, err := ReadJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if !d.Partial || len(d.Runs) != 0 || d.Expectations != nil {
		t.Errorf("read back as %+v", d)
	}
}

func TestJSONRefusesABrokenScenario(t *testing.T) {
	r := smallReport()
	r.Scenario = json.RawMessage(`{"name":`)
	if err := r.WriteJSON(&bytes.Buffer{}); err == nil || !strings.HasPrefix(err.Error(), "scenario: ") {
		t.Errorf("error %v, want one about the scenario", err)
	}
}

func TestReadJSONRefuses(t *testing.T) {
	good := string(written(t, smallReport().WriteJSON))
	for _, c := range []struct{ name, old, new, want string }{
		{"no JSON", good, "{\n  x", "line 2, column 3: "},
		{"nothing", good, "", "line 1, column 0: unexpected end of JSON input"},
		{"something after it", "]\n}\n", "]\n}\n{}", "invalid character"},
		{"an array", good, "[]", "cannot unmarshal array"},
		{"another version", `"format_version": 1`, `"format_version": 2`, "format_version: 2; allowed: 1"},
		{"no version", `"format_version": 1,`, ``, "format_version: 0; allowed: 1"},
		{"a summary without a column", `"wasted":0,"attempts_per_task"`, `"attempts_per_task"`, "runs[0]: summary: wasted is missing"},
		{"no summary", `"summary"`, `"sum"`, "runs[0].summary.strategy is empty"},
		{"a negative count", `"retries":380`, `"retries":-380`, "runs[0].summary.retries: -380; allowed: at least 0"},
		{"a fraction of a count", `"retries":380`, `"retries":0.5`, "runs[0]: "},
		{"replicate 0", `"replicate":1`, `"replicate":0`, "runs[0].summary.replicate: 0; allowed: at least 1"},
		{"tasks that do not add up", `"succeeded":300`, `"succeeded":299`, "runs[0].summary.tasks: 300 is not the sum"},
		{"attempts that do not add up", `"rejected":80`, `"rejected":81`, "runs[0].summary.attempts: 680 is not the sum"},
		{"a sum that overflows", `"succeeded":300`, `"succeeded":9223372036854775807`, "runs[0].summary.tasks: 300 is not the sum"},
		{"a wrong cut_off", `"cut_off":false`, `"cut_off":true`, "runs[0].summary.cut_off: true; with 0 unfinished tasks it is false"},
		{"a negative time", `"completion_s":2.05`, `"completion_s":-2.05`, "runs[0]: -2.05 is no time in seconds"},
		{"a time beyond all clocks", `"completion_s":2.05`, `"completion_s":1e300`, "runs[0]: 1e300 is no time in seconds"},
		{"an infinite number", `"queue_wait_mean_s":0.25`, `"queue_wait_mean_s":1e999`, "runs[0]: 1e999 is no finite number"},
		{"windows out of order", `{"t_s":2,"window_s"`, `{"t_s":1,"window_s"`, "runs[0].requests[2].t_s: 1; allowed: later"},
		{"a window without width", `{"t_s":2,"window_s":0.1`, `{"t_s":2,"window_s":0`, "runs[0].requests[2]: t_s or window_s"},
		{"fewer requests than served", `"requests":300,"served":220`, `"requests":219,"served":220`, "runs[0].requests[1].requests: 219"},
		{"a negative window count", `"requests":300,"served":220`, `"requests":-300,"served":220`, "runs[0].requests[1].requests: -300"},
		{"more failures than requests", `"failure_itself":300`, `"failure_itself":301`, "runs[0].requests[0].failure_itself: 301"},
		{"a share above one", `"served_share":1}`, `"served_share":1.5}`, `runs[0].completion[1]: "2.1", 1.5; allowed:`},
		{"a share that shrinks", `"served_share":1}`, `"served_share":0.5}`, "runs[0].completion[1]: time and share"},
		{"a run twice", `"strategy":"hopeless"`, `"strategy":"fixed"`, `runs[1]: "fixed" replicate 1 is there twice`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(good, c.old) {
				t.Fatalf("there is no %s in the file", c.old)
			}
			bad := strings.Replace(good, c.old, c.new, 1)
			if _, err := ReadJSON(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

func TestSecondsReadFromOtherNotations(t *testing.T) {
	for text, want := range map[string]string{
		"1e-9": "0.000000001", "1.5E1": "15", "0.1000000004": "0.1", "9223372035.999999999": "9223372035.999999999",
	} {
		var s Seconds
		if err := json.Unmarshal([]byte(text), &s); err != nil || s.String() != want {
			t.Errorf("%s is read as %q, %v, want %s", text, s, err, want)
		}
	}
}

func FuzzReadJSON(f *testing.F) {
	good := written(f, smallReport().WriteJSON)
	f.Add(good)
	f.Add([]byte(`{"format_version":1,"runs":[{"summary":null,"requests":[null],"completion":[{}]}]}`))
	f.Add([]byte(`{"format_version":1,"runs":null,"scenario":[[[[]]]]}`))
	f.Add(bytes.Replace(good, []byte("0.1"), []byte("1e-400"), 1))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := ReadJSON(bytes.NewReader(text))
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		for _, run := range d.Runs { // what is accepted keeps its promises
			if s := run.Summary; s.Strategy == "" || s.Tasks != s.Succeeded+s.DeadLettered+s.Unfinished {
				t.Errorf("accepted %+v", s)
			}
		}
	})
}
