package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"herdsim/sim"
	"herdsim/strategies"

	"pgregory.net/rapid"
)

// written returns what a writer function of a report writes.
func written(t testing.TB, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestCSVFiles(t *testing.T) {
	r := toyDirac()
	golden(t, "summary.csv", written(t, r.WriteSummaryCSV))
	golden(t, "requests.csv", written(t, r.WriteRequestsCSV))
	golden(t, "completion.csv", written(t, r.WriteCompletionCSV))
}

func TestCSVOfNothing(t *testing.T) {
	r := &Report{Setup: diracSetup(), Entries: []Entry{{Name: "fixed", Runs: []*sim.Result{nil}}}}
	for _, write := range []func(io.Writer) error{r.WriteSummaryCSV, r.WriteRequestsCSV, r.WriteCompletionCSV} {
		if lines := strings.Count(string(written(t, write)), "\n"); lines != 1 {
			t.Errorf("%d lines without a finished run, want the header alone", lines)
		}
	}
}

// column returns the sum of a column of a CSV file over the rows of a strategy.
func columnSum(t *testing.T, file []byte, strategy, name string) (sum int64, last string) {
	t.Helper()
	records, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	strategyAt, at := -1, -1
	for i, h := range records[0] {
		switch h {
		case "strategy":
			strategyAt = i
		case name:
			at = i
		}
	}
	for _, rec := range records[1:] {
		if rec[strategyAt] == strategy {
			last = rec[at]
			n, _ := strconv.ParseInt(rec[at], 10, 64)
			sum += n
		}
	}
	return sum, last
}

func TestRowsSumUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var waves []wave
		index, tasks := int64(0), int64(0)
		n := func(name string) int64 { return rapid.Int64Range(0, 50).Draw(rt, name) }
		for range rapid.IntRange(0, 20).Draw(rt, "waves") {
			w := wave{index: index, failure: n("failure"), served: n("served"), rejected: n("rejected"), inFlight: n("in flight")}
			tasks += w.served
			waves = append(waves, w)
			index += rapid.Int64Range(1, 1000).Draw(rt, "gap")
		}
		left, gaveUp := n("left"), n("gave up")
		name := rapid.StringMatching(`[a-z",()= ×\n]{1,20}`).Draw(rt, "name")
		run := toy(tasks+left+gaveUp, gaveUp, waves...)
		r := &Report{Setup: diracSetup(), Entries: []Entry{{Name: name, Runs: []*sim.Result{run}}}}
		requests, summary := written(t, r.WriteRequestsCSV), written(t, r.WriteSummaryCSV)
		for series, total := range map[string]string{
			"requests": "attempts", "served": "served", "rejected": "rejected", "unavailable": "unavailable",
		} {
			got, _ := columnSum(t, requests, name, series)
			if want, _ := columnSum(t, summary, name, total); got != want {
				rt.Fatalf("%s sums up to %d in requests.csv, %s is %d in summary.csv", series, got, total, want)
			}
		}
		_, share := columnSum(t, written(t, r.WriteCompletionCSV), name, "served_share")
		want := ""
		if tasks > 0 {
			want = ExactFloat(float64(tasks) / float64(tasks+left+gaveUp))
		}
		if share != want {
			rt.Fatalf("the last served_share is %q, want %q", share, want)
		}
	})
}

func TestCompletionAtTheEdgeOfAWindow(t *testing.T) {
	r := toy(4, 0)
	r.Herd.Succeeded, r.Herd.Unfinished = 3, 1
	r.Completions = []sim.Time{0, window - 1, window}
	var got []string
	for row := range completionRows(r) {
		got = append(got, fmt.Sprintf("%s %v", row.T, row.Share))
	}
	if want := "0.1 0.5, 0.2 0.75"; strings.Join(got, ", ") != want {
		t.Errorf("shares %v, want %s", got, want)
	}
}

func TestAttemptWriter(t *testing.T) {
	var b bytes.Buffer
	a := NewAttemptWriter(&b)
	trace := a.Trace("full-jitter", 2)
	trace(sim.AttemptRecord{Task: 0, Attempt: 1, Outcome: strategies.Unavailable, Failure: true})
	trace(sim.AttemptRecord{Task: 3, Attempt: 2, Sent: 1300 * time.Millisecond, Arrived: 1350 * time.Millisecond,
		Outcome: strategies.Served, End: 1600 * time.Millisecond, Waited: 1300 * time.Millisecond, Queued: 150 * time.Millisecond})
	a.Trace(`exponential(base=1s, cap="x")`, 1)(sim.AttemptRecord{Task: 7, Attempt: 1, Outcome: strategies.InFlight, End: -1})
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	want := `strategy,replicate,worker,attempt,t_s,outcome,end_s,waited_s,queued_s
full-jitter,2,0,1,0,unavailable,0,0,0
full-jitter,2,3,2,1.3,served,1.6,1.3,0.15
"exponential(base=1s, cap=""x"")",1,7,1,0,in_flight,,0,0
`
	if b.String() != want {
		t.Errorf("attempts.csv:\n%s\nwant:\n%s", b.String(), want)
	}
}

// A fullDisk takes so many bytes and then fails.
type fullDisk struct{ room int }

var errFull = errors.New("no space left on device")

func (d *fullDisk) Write(b []byte) (int, error) {
	if len(b) > d.room {
		n := d.room
		d.room = 0
		return n, errFull
	}
	d.room -= len(b)
	return len(b), nil
}

func TestWriteErrorsAreReturned(t *testing.T) {
	r := toyDirac()
	attempts := func(w io.Writer) error {
		a := NewAttemptWriter(w)
		trace := a.Trace("fixed", 1)
		for i := range int64(5000) {
			trace(sim.AttemptRecord{Task: i, Attempt: 1})
		}
		return a.Close()
	}
	for name, write := range map[string]func(io.Writer) error{
		"summary":    r.WriteSummaryCSV,
		"requests":   r.WriteRequestsCSV,
		"completion": r.WriteCompletionCSV,
		"attempts":   attempts,
		"json":       r.WriteJSON,
		"markdown":   r.WriteMarkdown,
		"text":       func(w io.Writer) error { return r.WriteText(w, TextOptions{Width: 100}) },
	} {
		size := len(written(t, write))
		for _, room := range []int{0, 1, size / 2, size - 1} {
			if err := write(&fullDisk{room}); !errors.Is(err, errFull) {
				t.Errorf("%s with room for %d of %d bytes: error %v, want %v", name, room, size, err, errFull)
			}
		}
		if err := write(&fullDisk{size}); err != nil {
			t.Errorf("%s with room for all: %v", name, err)
		}
	}
}
