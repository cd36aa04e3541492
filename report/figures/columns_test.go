package figures

import (
	"math"
	"slices"
	"testing"
	"time"

	"herdsim/sim"
	"herdsim/strategies"
)

func windowsOf(indexAndRequests ...int64) row {
	r := &sim.Result{Window: 100 * time.Millisecond}
	for i := 0; i < len(indexAndRequests); i += 2 {
		n := indexAndRequests[i+1]
		r.Windows = append(r.Windows, sim.Window{Index: indexAndRequests[i], Requests: n, Outcomes: [6]int64{strategies.Rejected: n}})
	}
	return row{Result: r}
}

// No bar is thinner than can be seen, none hides a higher one, and what lies beyond the axis is counted.
func TestColumns(t *testing.T) {
	v := &view{window: 100 * time.Millisecond}
	wide := timeAxis{max: 10 * time.Second}
	cs, rest := v.columns(windowsOf(0, 5, 1, 7, 99, 3, 100, 11, 250, 2), wide, 100, 500)
	if len(cs) != 3 || cs[0].x0 != 100 || cs[0].x1 != 104 || cs[1].x0 != 104 || cs[2].x1 != 500 {
		t.Errorf("a window of 4 pt: %+v", cs)
	}
	if want := (beyond{13, 10 * time.Second, 25100 * time.Millisecond}); rest != want {
		t.Errorf("beyond: %+v, want %+v", rest, want)
	}

	narrow := timeAxis{max: time.Hour}
	cs, _ = v.columns(windowsOf(0, 5, 1, 900, 2, 7, 35_999, 3), narrow, 100, 500)
	if len(cs) != 2 || cs[0].requests != 900 || cs[0].parts[strategies.Rejected] != 900 || cs[1].requests != 3 {
		t.Errorf("windows that share a place: %+v", cs)
	}
	for _, c := range cs {
		if c.x1-c.x0 < thinnest-1e-9 || c.x1 > 500 {
			t.Errorf("a bar from %v to %v", c.x0, c.x1)
		}
	}

	// The failure itself lies behind the busiest of the others.
	r := windowsOf(0, 1000, 1, 30)
	r.Windows[0].Failure = 1000
	r.Windows[0].Outcomes = [6]int64{strategies.Unavailable: 1000}
	cs, _ = v.columns(r, narrow, 100, 500)
	if len(cs) != 1 || cs[0].requests != 30 || cs[0].total != 1000 || cs[0].parts[strategies.Unavailable] != 0 {
		t.Errorf("the failure and a retry in one place: %+v", cs)
	}
}

func TestApart(t *testing.T) {
	w := sim.Window{Requests: 60, Failure: 25, Outcomes: [6]int64{10, 10, 20, 10, 0, 10}}
	if got, want := apart(w), [6]int64{10, 10, 0, 5, 0, 10}; got != want {
		t.Errorf("apart from the failure: %v, want %v", got, want)
	}
}

// A peak is labelled if the load falls to half of it on both sides before it rises higher.
func TestSummits(t *testing.T) {
	at := func(heights ...int64) []column {
		var cs []column
		for i, h := range heights {
			if h > 0 {
				cs = append(cs, column{x0: float64(i), x1: float64(i + 1), requests: h})
			}
		}
		return cs
	}
	for _, c := range []struct {
		name    string
		heights []int64
		want    []int64
	}{
		{"spikes, highest first", []int64{0, 5, 0, 9, 0, 7}, []int64{9, 7, 5}},
		{"a plateau with noise", []int64{90, 100, 95, 98, 97}, []int64{100}},
		{"a hump and a lower one", []int64{10, 80, 30, 60, 10}, []int64{80, 60}},
		{"a shoulder", []int64{10, 80, 50, 60, 10}, []int64{80}},
		{"equal spikes", []int64{5, 0, 5}, []int64{5, 5}},
		{"one block", []int64{5, 5, 5}, []int64{5}},
		{"nothing", nil, nil},
	} {
		cs := at(c.heights...)
		var got []int64
		for _, i := range summits(cs) {
			got = append(got, cs[i].requests)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestThin(t *testing.T) {
	line := []point{{0, 0}, {1, 1.01}, {2, 2}, {3, 3}, {4, 0}, {5, 0}, {6, 0}}
	if got, want := thin(line, 0.1), []point{{0, 0}, {3, 3}, {4, 0}, {6, 0}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := thin(line[:2], 9); len(got) != 2 {
		t.Errorf("%v, want both ends", got)
	}
	if got := thin([]point{{1, 1}, {5, 5}, {1, 1}}, 0.1); len(got) != 3 {
		t.Errorf("a way there and back: %v", got)
	}
}

// Workers are in the order they were served, those never served last.
func TestFollow(t *testing.T) {
	rec := func(task, attempt int64, o sim.Outcome, end time.Duration) sim.AttemptRecord {
		return sim.AttemptRecord{Task: task, Attempt: attempt, Outcome: o, End: end}
	}
	r := row{Result: &sim.Result{Herd: sim.Tally{Tasks: 10}, Sample: []sim.AttemptRecord{
		rec(0, 1, strategies.Rejected, 1), rec(6, 1, strategies.Rejected, 1), rec(3, 1, strategies.Served, 9),
		rec(0, 2, strategies.Served, 5), rec(12, 1, strategies.Served, 2), rec(1, 1, strategies.InFlight, -1),
	}}}
	var got []int64
	for _, w := range follow(r) {
		got = append(got, w.task)
	}
	if want := []int64{0, 3, 1, 6}; !slices.Equal(got, want) {
		t.Errorf("workers %v, want %v", got, want)
	}
}

// A period of 1 s looks regular whatever its width on the page, and bars side by side have no gap between them.
func TestCombsAreRegular(t *testing.T) {
	v := &view{window: 100 * time.Millisecond}
	var comb []int64
	for i := range int64(60) {
		comb = append(comb, 10*i, 100)
	}
	for _, shown := range []time.Duration{70 * time.Second, 90 * time.Second, 100 * time.Second, 130 * time.Second, 170 * time.Second} {
		a := timeAxis{max: shown}
		cs, _ := v.columns(windowsOf(comb...), a, plotLeft, plotRight)
		if len(cs) != 60 {
			t.Fatalf("%v: %d bars for 60 spikes", shown, len(cs))
		}
		for i, c := range cs {
			want := plotLeft + a.at(time.Duration(i)*time.Second)*(plotRight-plotLeft)
			if math.Abs(c.x0-want) > 1e-6 || math.Abs(c.x1-c.x0-thinnest) > 1e-6 {
				t.Errorf("%v: spike %d from %.3f to %.3f, want it at %.3f", shown, i, c.x0, c.x1, want)
			}
		}
	}

	var dense []int64 // a window is 0.42 pt wide, and one that is empty too thin to be seen
	for i := range int64(900) {
		if i != 500 {
			dense = append(dense, i, 5)
		}
	}
	a := timeAxis{max: 90 * time.Second}
	cs, _ := v.columns(windowsOf(dense...), a, plotLeft, plotRight)
	for i, c := range cs[1:] {
		if c.x0 != cs[i].x1 || c.x0 != snap(c.x0) {
			t.Errorf("bar %d begins at %v, the one before it ends at %v", i+1, c.x0, cs[i].x1)
		}
	}
	if n := v.shared(a); int64(len(cs)) < 900/n-1 || int64(len(cs)) > 900/n+1 {
		t.Errorf("%d bars of %d windows each", len(cs), n)
	}
	if n := v.shared(timeAxis{max: 10 * time.Second}); n != 1 {
		t.Errorf("%d windows share a bar of 4 pt, want 1", n)
	}
}
