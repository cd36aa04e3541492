package figures

import (
	"slices"
	"strings"
	"testing"
	"time"

	"herdsim/report"
	"herdsim/sim"
)

// guarded is a report of one strategy for each list of guards, whose runs end at 3 s.
func guarded(rows ...[]sim.GuardResult) *report.Report {
	var entries []report.Entry
	for i, gs := range rows {
		r := every(time.Second, 3*time.Second)
		r.Guards = gs
		entries = append(entries, report.Entry{Name: string(rune('a' + i)), Runs: []*sim.Result{r}})
	}
	return aReport(entries...)
}

func guard(name string, track ...sim.GuardPoint) []sim.GuardResult {
	return []sim.GuardResult{{Name: name, Track: track}}
}

// Keys name what is drawn below the rows, and nothing else.
func TestLaneKeys(t *testing.T) {
	closed, open, half := sim.GuardPoint{Level: 1}, sim.GuardPoint{Window: 5, Open: 1}, sim.GuardPoint{Window: 9, HalfOpen: 1}
	some, spent := sim.GuardPoint{Window: 5, Open: 0.5, Level: 0.5}, sim.GuardPoint{Window: 5}
	breaker, budget := guard("breaker(polly)", closed, open), guard("retry-quota(aws)", closed, spent)
	for _, c := range []struct {
		name string
		rows [][]sim.GuardResult
		want []string
	}{
		{"none", [][]sim.GuardResult{nil}, nil},
		{"nothing happened", [][]sim.GuardResult{guard("breaker", closed)}, nil},
		{"never half-open", [][]sim.GuardResult{breaker}, []string{"breaker(polly) open"}},
		{"half-open", [][]sim.GuardResult{guard("breaker", closed, open, half)}, []string{"breaker open", "half-open"}},
		{"some of many", [][]sim.GuardResult{guard("breaker", closed, some)}, []string{"breaker open (fainter: not all)"}},
		{"a budget", [][]sim.GuardResult{budget}, []string{"retry-quota(aws): what is left"}},
		{"both", [][]sim.GuardResult{append(slices.Clone(budget), breaker...)}, []string{"breaker(polly) open", "retry-quota(aws): what is left"}},
		{"an empty budget", [][]sim.GuardResult{guard("retry-quota(aws)", sim.GuardPoint{})}, []string{"retry-quota(aws): empty"}},
		{"twice the same", [][]sim.GuardResult{breaker, breaker}, []string{"breaker(polly) open"}},
		{"two presets", [][]sim.GuardResult{breaker, guard("breaker(hystrix)", open)}, []string{"breaker open"}},
		{"two kinds", [][]sim.GuardResult{budget, guard("retry-tokens", spent)}, []string{"guard: what is left"}},
	} {
		var got []string
		for _, text := range texts(overview, guarded(c.rows...)) {
			if strings.Contains(text, "open") || strings.Contains(text, "what is left") || strings.Contains(text, "empty") {
				got = append(got, text)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: keys %q, want %q", c.name, got, c.want)
		}
	}
}

// A lane has no parts beyond its end, nor such as are too narrow to exist.
func TestLaneSpans(t *testing.T) {
	x := func(window int64) float64 { return min(float64(window), 100) }
	got := laneSpans([]sim.GuardPoint{{Window: 0, Level: 1}, {Window: 40, Open: 1}, {Window: 90, Level: 1}, {Window: 120}, {Window: 130}}, x, 95)
	want := []laneSpan{{0, 40, sim.GuardPoint{Level: 1}}, {40, 90, sim.GuardPoint{Window: 40, Open: 1}}, {90, 95, sim.GuardPoint{Window: 90, Level: 1}}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// An open breaker is drawn in a colour of its own, and an empty bucket as an empty lane.
func TestLanesAreSeen(t *testing.T) {
	const open, bed = "fill:#3C006C", "fill:#E1E4E6"
	plain := drawn(t, overview, guarded(nil))
	for _, c := range []struct {
		name   string
		guards []sim.GuardResult
		seen   bool
	}{
		{"open", guard("breaker", sim.GuardPoint{Window: 5, Open: 1}), true},
		{"empty", guard("bucket", sim.GuardPoint{}), false},
	} {
		svg := drawn(t, overview, guarded(c.guards))
		key := 0 // its square has the colour, too; an empty lane has one of its own
		if c.seen {
			key = 1
		}
		if n := strings.Count(svg, open) - strings.Count(plain, open); n != 2*key {
			t.Errorf("%s: the colour of open breakers is used %d times more, want %d", c.name, n, 2*key)
		}
		if n := strings.Count(svg, bed) - strings.Count(plain, bed); n != 2-key {
			t.Errorf("%s: the colour of lanes is used %d times more, want %d", c.name, n, 2-key)
		}
	}
}

// Texts below a row make way for its lanes.
func TestTextsMakeWayForLanes(t *testing.T) {
	both := append(guard("breaker", sim.GuardPoint{Open: 1}), guard("bucket", sim.GuardPoint{})...)
	for _, f := range []Figure{overview, spike} {
		lowest := func(r *report.Report, text string) float64 {
			p, l := record(f, r)
			keepApart(t, f.Name, l)
			for _, b := range p.texts {
				if b.text == text {
					return b.y0 - p.texts[slices.IndexFunc(p.texts, func(b textBox) bool { return b.text == "b" })].y0
				}
			}
			t.Fatalf("%s: no %q", f.Name, text)
			return 0
		}
		without, with := lowest(guarded(nil, nil), "seconds since the failure"), lowest(guarded(both, both), "seconds since the failure")
		if want := 2 * (laneGap + laneHeight); with-without < want-0.01 {
			t.Errorf("%s: the time axis is %.1f further down, want %.1f", f.Name, with-without, want)
		}
	}
}
