package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"herdsim/sim"
	"herdsim/strategies"

	"charm.land/lipgloss/v2"
	"pgregory.net/rapid"
)

func text(t testing.TB, r *Report, o TextOptions) string {
	t.Helper()
	return string(written(t, func(w io.Writer) error { return r.WriteText(w, o) }))
}

func TestTextFiles(t *testing.T) {
	for name, o := range map[string]TextOptions{
		"dirac-60.txt":       {Width: 60},
		"dirac-80.txt":       {Width: 80},
		"dirac-120.txt":      {Width: 120},
		"dirac-80-ascii.txt": {Width: 80, ASCII: true},
		"dirac-100.ansi":     {Width: 100, Color: true},
	} {
		golden(t, name, []byte(text(t, toyDirac(), o)))
	}
	for name, r := range odd() {
		golden(t, strings.ReplaceAll(name, " ", "-")+".txt", []byte(text(t, r, TextOptions{Width: 100})))
	}
}

// of returns a report of some entries.
func of(entries ...Entry) *Report { return &Report{Setup: diracSetup(), Entries: entries} }

// odd returns reports that are not what one expects.
func odd() map[string]*Report {
	jitter := func(first int64) *sim.Result { return spreadOut(1000, first) }
	stuck := func() *sim.Result {
		return toy(1000, 0, wave{index: 0, failure: 1000}, wave{index: 10, served: 988, rejected: 12})
	}

	nothing := of(entry("fixed", nil), entry("exponential", nil))
	nothing.Partial = true

	partial := of(entry("fixed", spikes(1000, 10, 20, 30, 40, 50)), entry("exponential", nil))
	partial.Partial = true

	replicates := of(
		entry("fixed", spikes(1000, 10, 20, 30, 40, 50), spikes(1000, 10, 20, 30, 40, 50), spikes(1000, 10, 20, 30, 40, 50)),
		entry("full-jitter", jitter(164), jitter(150), jitter(171)),
		entry("exponential", spikes(1000, 10, 30, 70, 150, 310), stuck(), stuck()))
	replicates.Setup.Replicates = 3

	single := of(entry("fixed", spikes(1, 10)))
	single.Setup.Workers, single.Setup.Title = 1, ""

	open := func(served, rejected int64) *sim.Result {
		r := toy(0, 0, wave{index: 3, served: served, rejected: rejected}, wave{index: 30, served: served})
		r.Herd, r.Completions = sim.Tally{}, nil
		for i := range r.Windows { // all of whom were asked for the first time
			w := &r.Windows[i]
			w.Tasks, w.Goodput = w.Requests, w.Outcomes[strategies.Served]
		}
		r.Open = sim.Tally{Tasks: 2*served + rejected, Succeeded: 2 * served, DeadLettered: rejected}
		r.End = sim.AtHorizon
		return r
	}
	arrivals := of(entry("fixed", open(30, 10)), entry("linear", open(25, 0)))
	arrivals.Setup.Workers, arrivals.Setup.OpenRate, arrivals.Setup.Recovery = 0, 8, 0

	unbounded := toyDirac()
	unbounded.Setup.Capacity, unbounded.Setup.Queue, unbounded.Expected = 0, -1, nil

	never := of(
		entry("fixed", toy(1000, 0, wave{index: 0, failure: 1000}, wave{index: 35_999, rejected: 1000})),
		entry("linear", toy(1000, 1000, wave{index: 0, failure: 1000}, wave{index: 10, rejected: 900})))
	never.Setup.Recovery, never.Setup.Timeout = 24*time.Hour, time.Second

	failure := of(entry("fixed", toy(5, 5, wave{index: 0, failure: 5})), entry("linear", toy(5, 5, wave{index: 0, failure: 5})))
	failure.Setup.Workers = 5

	long := strings.Repeat("a-very-long-name-", 3) + "of-64-charac"
	names := of(entry(long+"1", jitter(100)), entry(long+"2", jitter(60)), entry(strings.Repeat("群", 30), jitter(40)),
		entry("\x1b[31mred\x1b[0m\tline\nbreak\u202e", jitter(50)))
	names.Setup.Title = "Escape \x1b[2J codes\r\n in a title"

	enormous := of(entry("fixed", huge()), entry("linear", huge()))
	enormous.Setup.Capacity, enormous.Setup.Slots = 1e-6, 1

	var many []Entry
	for i := range 200 {
		e := entry("fixed", toy(10, 0, wave{index: int64(i), failure: 10}, wave{index: int64(3 * i), served: 3}))
		e.Name = fmt.Sprintf("fixed(delay=%dms)", i)
		many = append(many, e)
	}
	return map[string]*Report{
		"nothing": nothing, "partial": partial, "replicates": replicates, "one worker": single, "arrivals": arrivals,
		"unbounded": unbounded, "never": never, "failure alone": failure, "names": names, "enormous": enormous,
		"no entry": of(), "two hundred": of(many...),
	}
}

// huge is a run with numbers of many digits.
func huge() *sim.Result {
	return &sim.Result{
		Herd:     sim.Tally{Tasks: 100_000_000, Succeeded: 1, Unfinished: 99_999_999},
		Attempts: 999_999_999_999, PeakWindow: 999_999_999, FirstRetry: 0, LastRequest: math.MaxInt64,
		End: sim.AtMaxEvents, Events: 999_999_999_999, EndedAt: math.MaxInt64, Window: window,
		Windows:     []sim.Window{{Index: 0, Requests: 999_999_999}, {Index: math.MaxInt64 / int64(window), Requests: 1}},
		Completions: []sim.Time{1},
	}
}

func TestNoLineIsLongerThanTheWidth(t *testing.T) {
	all := odd()
	all["dirac"] = toyDirac()
	for name, r := range all {
		for _, width := range []int{60, 61, 79, 80, 100, 120, 200, 1000} {
			for _, ascii := range []bool{false, true} {
				for i, line := range strings.Split(text(t, r, TextOptions{Width: width, ASCII: ascii, Color: width == 100}), "\n") {
					if w := lipgloss.Width(line); w > width {
						t.Errorf("%s: line %d takes %d of %d cells: %s", name, i+1, w, width, line)
					}
					if strings.HasSuffix(line, " ") {
						t.Errorf("%s: line %d of the report of width %d ends in a blank", name, i+1, width)
					}
				}
			}
		}
	}
}

func TestTheLeastWidth(t *testing.T) {
	if got, want := text(t, toyDirac(), TextOptions{}), text(t, toyDirac(), TextOptions{Width: 60}); got != want {
		t.Error("a width of 0 is not taken as 60")
	}
}

func TestWithoutColourThereAreNoEscapeCodes(t *testing.T) {
	for name, r := range odd() {
		for _, c := range text(t, r, TextOptions{Width: 90}) {
			if c != '\n' && !unicode.IsPrint(c) {
				t.Errorf("%s: %q is in the report", name, c)
			}
		}
		for _, c := range text(t, r, TextOptions{Width: 90, ASCII: true}) {
			if c >= utf8.RuneSelf {
				t.Errorf("%s: %q is in the ASCII report", name, c)
			}
		}
	}
}

func TestColourChangesNoCharacter(t *testing.T) {
	for name, r := range odd() {
		coloured := text(t, r, TextOptions{Width: 200, Color: true})
		var bare strings.Builder
		for coloured != "" {
			before, after, found := strings.Cut(coloured, "\x1b[")
			bare.WriteString(before)
			if coloured = after; found {
				_, coloured, _ = strings.Cut(after, "m")
			}
		}
		got := strings.Replace(bare.String(), ", blue fits, orange overloads", "", 1)
		if want := text(t, r, TextOptions{Width: 200}); got != want {
			t.Errorf("%s: with colour\n%s\nwithout\n%s", name, got, want)
		}
	}
}

func TestNarrowReportsDropTheMiddleNumber(t *testing.T) {
	for width, want := range map[int]bool{60: false, 79: false, 80: true, 120: true} {
		if got := strings.Contains(text(t, toyDirac(), TextOptions{Width: width}), "requests  all served"); got != want {
			t.Errorf("width %d: the column requests is there: %t, want %t", width, got, want)
		}
	}
}

// manyReplicates is a report as that of long-outage with replicates: long names, large numbers and a range for each.
func manyReplicates() *Report {
	run := func(requests int64, last time.Duration) *sim.Result {
		r := spreadOut(1000, requests/1000)
		r.Attempts, r.Completions[999] = requests, last
		return r
	}
	const s = time.Second
	r := of(
		entry("fixed-full-jitter", run(129_283, 70*s), run(128_944, 69*s), run(131_001, 72*s)),
		entry("equal-jitter", run(8635, 118*s), run(8512, 115*s), run(8701, 124*s)),
		entry("full-jitter-20s", run(65_410, 900*s), run(65_410, 901*s), run(65_410, 955*s)))
	r.Setup.Replicates = 3
	return r
}

func TestRangesTakeTheRoomOfTheSparkline(t *testing.T) {
	for width, want := range map[int][]string{
		120: {"129 k (129–131)", "8,635 (8,512–8,701)", "70.0 s (69.0–72.0)", "118 s (115–124)", "numbers: median (least–most)\n"},
		100: {"129 k (129–131)", "8,635 (8,512–8,701)", "70.0 s (69.0–72.0)", "118 s (115–124)", "numbers: median (least–most)\n"},
		88:  {" 129,283 ", " 8,635 ", "118 s (115–124)", "numbers: median (least–most), of requests the"},
		80:  {" 129,283 ", " 8,635 ", " 118 s\n", "numbers: medians (their ranges need a"},
		60:  {" 118 s\n", "numbers: medians (their"},
	} {
		got := text(t, manyReplicates(), TextOptions{Width: width})
		unwrapped := strings.ReplaceAll(got, "\n    ", " ")
		for _, w := range want {
			if !strings.Contains(unwrapped, w) {
				t.Errorf("width %d: there is no %q in\n%s", width, w, got)
			}
		}
	}
}

func TestAnyText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := toyDirac()
		r.Setup.Title = rapid.String().Draw(rt, "title")
		r.Entries[0].Name = rapid.StringN(1, 64, -1).Draw(rt, "name")
		r.Expected[1].Detail = rapid.String().Draw(rt, "detail")
		o := TextOptions{Width: rapid.IntRange(60, 200).Draw(rt, "width"), ASCII: rapid.Bool().Draw(rt, "ascii")}
		for _, line := range strings.Split(text(t, r, o), "\n") {
			if w := lipgloss.Width(line); w > o.Width {
				rt.Fatalf("%d of %d cells: %q", w, o.Width, line)
			}
		}
	})
}

func TestTheHeaderNamesWhatMakesAttemptsDear(t *testing.T) {
	r := toyDirac()
	r.Setup.Timeout, r.Setup.RejectCost = 2*time.Second, 20*time.Millisecond
	r.Setup.Spoken = []string{"newest first", "pool of 10 connections"}
	if got, want := r.setupLine(), "queue 200, newest first, pool of 10 connections, timeout 2 s, a rejection costs 20 ms, seed 1"; !strings.Contains(got, want) {
		t.Errorf("%q, want %q in it", got, want)
	}
}

// Of a single run there is no median, however many were wanted.
func TestNoMedianOfOneRun(t *testing.T) {
	r := of(entry("fixed", outcome(9, 9, 80, second), nil), entry("linear", outcome(9, 9, 20, second), nil))
	r.Setup.Replicates, r.Partial = 2, true
	if got := text(t, r, TextOptions{Width: 100}); strings.Contains(got, "median") {
		t.Error(got)
	}
}

// A peak is written in orange from ten times the capacity on, as in the pictures.
func TestOrangePeaksBeginAtTenTimes(t *testing.T) {
	for peak, orange := range map[int64]bool{21: false, 198: false, 199: true, 1000: true} { // of a capacity of 20
		r := of(entry("fixed", outcome(9, 9, peak, second)), entry("linear", outcome(9, 9, 1, second)))
		ds := r.digests()
		if got := r.numberColumns(ds, false)[0].tones[0] == overloads; got != orange {
			t.Errorf("%d requests: orange is %t, want %t", peak, got, orange)
		}
	}
}

// The failure itself has a key where its mark is drawn: in a sparkline, or above the load in a tall plot.
func TestFailureHasAKeyWhereItIsDrawn(t *testing.T) {
	herd := func(loads ...int64) *Report {
		waves := []wave{{index: 0, failure: 100, rejected: loads[0]}}
		for i, n := range loads[1:] {
			waves = append(waves, wave{index: int64(i + 1), rejected: n})
		}
		return of(entry("fixed", toy(100, 100, waves...)), entry("linear", toy(100, 100, waves...)))
	}
	for _, c := range []struct {
		name   string
		report *Report
		width  int
		want   bool
	}{
		{"alone in its column", herd(0, 5), 60, true},
		{"below a load, without tall plots", herd(5, 5), 60, false},
		{"above a low load in a tall plot", herd(5, 5), 100, true},
		{"below a load as high", herd(99, 5), 100, false},
	} {
		var b strings.Builder
		if err := c.report.WriteText(&b, TextOptions{Width: c.width}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "░ failure"); got != c.want {
			t.Errorf("%s: a key: %t, want %t\n%s", c.name, got, c.want, b.String())
		}
	}
}

// The line of the set-up says when a service that is back fails once more.
func TestSetupLineNamesTheNextOutage(t *testing.T) {
	r := toyDirac()
	r.Setup.Away = 50 * time.Second
	if got, want := r.setupLine(), "service back at 500 ms, away again at 50 s, capacity"; !strings.Contains(got, want) {
		t.Errorf("%q lacks %q", got, want)
	}
	r.Setup.Recovery = 0
	if got, want := r.setupLine(), "1,000 workers, service away at 50 s, capacity"; !strings.Contains(got, want) {
		t.Errorf("%q lacks %q", got, want)
	}
}
