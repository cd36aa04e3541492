package scenarios

import (
	"errors"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"herdsim/strategies"
)

func mustExpr(t testing.TB, formula string, base, limit time.Duration) *Expr {
	t.Helper()
	f, err := NewExpr(formula, base, limit)
	if err != nil {
		t.Fatalf("%s\n%v", formula, err)
	}
	return f
}

// someAttempt differs in every field, so that a name that reads the wrong one shows.
var someAttempt = strategies.Attempt{
	Worker: 17, Retry: 4, SinceReset: 3, Outcome: strategies.Rejected, Now: 90 * time.Second, Elapsed: 70 * time.Second,
	Previous: 5 * time.Second, Slept: 11 * time.Second, PreviousU: 0.75, RetryAfter: 7 * time.Second, HasRetryAfter: true,
}

func TestExprWaits(t *testing.T) {
	const base, limit, u = 500 * time.Millisecond, 32 * time.Second, 0.25
	for formula, want := range map[string]time.Duration{
		"n": 2 * time.Second, "retry": 4 * time.Second, "base": base, "cap": limit, "prev": 5 * time.Second, "slept": 11 * time.Second,
		"retry_after": 7 * time.Second, "u": 250 * time.Millisecond, "elapsed": 70 * time.Second, "now": 90 * time.Second, "worker": 17 * time.Second,

		"min(cap, base * 2 ** n) * u":           500 * time.Millisecond,
		"2 ** 3 ** 2":                           512 * time.Second, // from the right
		"-2 ** 2 + 5":                           time.Second,       // the power binds closer, as in mathematics
		"7 / 2":                                 3500 * time.Millisecond,
		"7 % 4 + mod(7.5, 2)":                   4500 * time.Millisecond,
		"10 - 3 - 2":                            5 * time.Second,
		"1_000 * 1e-3 + 0x10":                   17 * time.Second,
		"100ms + 1m30s * 2 + 1h - .5s":          time.Hour + 3*time.Minute - 400*time.Millisecond,
		"1d":                                    24 * time.Hour,
		"max(1, 2, 3) + min(4, 5) + max(6)":     13 * time.Second,
		"abs(-3) + floor(1.9) + ceil(1.1)":      6 * time.Second,
		"round(2.5) + sqrt(16) + log(exp(3))":   10 * time.Second,
		"log2(8) + log10(1000) + pow(2, 2)":     10 * time.Second,
		"cos(0) + sin(0) + tan(0)":              time.Second,
		"n > 1 ? 3 : 4":                         3 * time.Second,
		"n > 2 ? 3 : n == 2 ? 5 : 6":            5 * time.Second,
		"1 < n and n < 3 and 1 < n < 3 ? 1 : 2": time.Second,
		"not (n != 2) or false ? 1 : 2":         time.Second,
		"n >= 2 && n <= 2 || true ? 1 : 2":      time.Second,
		"if n < 2 { 1 } else { 2 }":             2 * time.Second,
		"let d = 2 * n; let e = d + 1; d * e":   20 * time.Second,
		"(let d = 3; d) + (let d = 4; d)":       7 * time.Second,
		"let many = n > 1; many ? 8 : 9":        8 * time.Second,
		"n | pow(3)":                            8 * time.Second,
		"1 // and no more":                      time.Second,
	} {
		f := mustExpr(t, formula, base, limit)
		if got, again := f.Wait(someAttempt, u); got != want || !again {
			t.Errorf("%s = %v, %v, want %v", formula, got, again, want)
		}
	}
}

// A formula for a strategy of the catalogue gives its waits, to the nanosecond that a second as a float may lose.
func TestExprMeetsTheCatalogue(t *testing.T) {
	const base, limit = 100 * time.Millisecond, 20 * time.Second
	for formula, want := range map[string]strategies.Strategy{
		"min(cap, base * 2 ** n) * u":                           strategies.FullJitter{Base: base, Factor: 2, Cap: limit},
		"let d = min(cap, base * 2 ** n); d / 2 + u * d / 2":    strategies.EqualJitter{Base: base, Factor: 2, Cap: limit},
		"min(cap, base + u * (3 * max(prev, base) - base))":     strategies.Decorrelated{Base: base, Factor: 3, Cap: limit},
		"min(cap, base * retry)":                                strategies.Linear{Base: base, Cap: limit},
		"-log(1 - u) * 2":                                       strategies.Memoryless{Mean: 2 * time.Second},
		"n == 0 ? 1s : n == 1 ? 10s : 1m":                       strategies.Schedule{Delays: []time.Duration{time.Second, 10 * time.Second, time.Minute}},
		"min(cap, base * 1.5 ** n) * (0.9 + u * 0.2) // +-10 %": strategies.Exponential{Base: base, Factor: 1.5, Cap: limit, Jitter: strategies.Jitter{Kind: strategies.JitterAround, Share: 0.1}},
	} {
		f := mustExpr(t, formula, base, limit)
		previous := time.Duration(0)
		for retry := 1; retry <= 64; retry++ {
			for _, u := range []float64{0, 0.1, 0.5, 0.9, 1 - 1.0/(1<<53)} {
				a := strategies.Attempt{Retry: retry, SinceReset: retry, Previous: previous}
				got, _ := f.Wait(a, u)
				wait, _ := want.Wait(a, u)
				if d := got - wait; d < -1 || d > 1 {
					t.Errorf("%s, retry %d, u %v: %v, want %v", formula, retry, u, got, wait)
				}
				if u == 0.5 {
					previous = wait
				}
			}
		}
	}
}

func TestExprIsCutToAWait(t *testing.T) {
	for formula, want := range map[string]struct {
		wait time.Duration
		said string
	}{
		"-1":                 {0, "1 of its waits came out negative and became 0s"},
		"-1e-10":             {0, ""}, // rounds to 0
		"log(0)":             {0, "1 of its waits came out negative and became 0s"},
		"2 ** 5000":          {strategies.NoBound, "1 of its waits came out longer than 292 years and were cut there"},
		"1e10":               {strategies.NoBound, "1 of its waits came out longer than 292 years and were cut there"},
		"sqrt(-1)":           {strategies.NoBound, "1 of its waits came out as no number and became 292 years"},
		"0 / 0":              {strategies.NoBound, "1 of its waits came out as no number and became 292 years"},
		"n % 0":              {strategies.NoBound, "1 of its waits came out as no number and became 292 years"},
		"min(9, 2 ** 5000)":  {9 * time.Second, ""},
		"min(cap, 2 ** 100)": {strategies.NoBound, "1 of its waits came out longer than 292 years and were cut there"},
		"min(cap, 3)":        {3 * time.Second, ""},
	} {
		f := mustExpr(t, formula, time.Second, 0)
		got, _ := counted(f).Wait(someAttempt, 0.5)
		if got != want.wait || f.cuts.String() != want.said {
			t.Errorf("%s = %v, %q; want %v, %q", formula, got, f.cuts, want.wait, want.said)
		}
	}
}

// Only what runs ask is counted, and all of it, however many run at once.
func TestExprCountsCuts(t *testing.T) {
	s := with(t, Request{Strategies: []string{"expr(3 - n)"}, Set: []string{"limits.max_attempts=9"}})
	f := s.Strategies[0].Strategy.(*Expr)
	strategies.Describe(f, 12)
	strategies.Longest(f)
	s.Config(0, 1).Strategy.Wait(strategies.Attempt{Retry: 9, SinceReset: 9}, 0.5) // a trial
	if lines := s.Remarks(); len(lines) > 0 {
		t.Errorf("%q before anything ran", lines)
	}
	var all sync.WaitGroup
	for r := range 4 {
		all.Go(func() {
			run := s.RunConfig(0, r+1).Strategy
			for i := range 1000 {
				run.Wait(strategies.Attempt{Retry: i%5 + 1, SinceReset: i%5 + 1}, 0.5) // 3, 2, 1, 0, -1 s
			}
			strategies.Longest(run)
		})
	}
	all.Wait()
	if lines := strings.Join(s.Remarks(), "; "); lines != "expr(3 - n): 800 of its waits came out negative and became 0s" {
		t.Errorf("%q, want 800 waits of 0s", lines)
	}
}

func TestExprSaysWhatItReads(t *testing.T) {
	for _, tt := range []struct {
		formula         string
		previous, slept bool
		waitCap         time.Duration
	}{
		{"min(cap, base * 2 ** n) * u", false, false, time.Minute},
		{"prev * 3", true, false, 0},
		{"slept + u", false, true, 0},
		{"let previous = 1; elapsed + retry_after + previous", false, false, 0},
	} {
		f := mustExpr(t, tt.formula, time.Second, time.Minute)
		if f.ReadsPrevious() != tt.previous || f.ReadsSlept() != tt.slept || f.WaitCap() != tt.waitCap {
			t.Errorf("%s: previous %v, slept %v, cap %v; want %v, %v, %v", tt.formula, f.ReadsPrevious(), f.ReadsSlept(), f.WaitCap(), tt.previous, tt.slept, tt.waitCap)
		}
	}
}

func TestExprAllocatesNothing(t *testing.T) {
	f := counted(mustExpr(t, "let d = min(cap, base * 2 ** n); n < 3 ? d * u : d / 2 - sqrt(slept + prev)", time.Second, time.Minute))
	if n := testing.AllocsPerRun(100, func() { f.Wait(someAttempt, 0.5) }); n != 0 {
		t.Errorf("%v allocations for a wait, want 0", n)
	}
}

// An error of the Go interface has a column and a caret too.
func TestNewExprNamesThePlace(t *testing.T) {
	_, err := NewExpr("min(1m30s, nn)", time.Second, 0)
	var problems Errors
	if !errors.As(err, &problems) || len(problems) != 1 || problems[0].Column != 12 {
		t.Fatalf("%#v, want one problem in column 12", err)
	}
	if text := err.Error(); !strings.HasSuffix(text, "\n  min(1m30s, nn)\n             ^") {
		t.Errorf("%s", text)
	}
}

// The caret stands below the fault, whatever else the SPEC says.
func TestExprInASpec(t *testing.T) {
	for spec, under := range map[string]string{
		"expr(x)":                                    "x",
		"expr(formula=xx, base=2s)":                  "xx",
		"expr( base * uu , name=uu)":                 "uu ,",
		`expr(base == 1 ? 1 : bade)`:                 "bade",
		`expr(name="a, b", formula = µ + 1)`:         "µ",
		`expr(min(cap, base * 2 ** m) * u, cap=32s)`: "m)",
	} {
		_, err := Load(Request{Source: "dirac", Strategies: []string{spec}})
		var problems Errors
		if !errors.As(err, &problems) || problems[0].Line != 0 || problems[0].Source != spec {
			t.Errorf("%s: %v, want a problem without a line that shows the whole", spec, err)
			continue
		}
		if got := string([]rune(spec)[problems[0].Column-1:]); !strings.HasPrefix(got, under) {
			t.Errorf("%s: the caret stands below %q, want %q", spec, got, under)
		}
	}
}

// Whatever the formula: it compiles or names a place, and a wait is one.
func FuzzExpr(f *testing.F) {
	for _, seed := range []string{
		"min(cap, base * 2 ** n) * u", "let d = 1s; d * u", "n < 3 ? 1 : -1", "1h30m + .5s", "((((", "1..2", "a[0].b", "# + 1", "\"x\"",
		"map([1], #)", "if n > 1 { 2 } else { 3 }", "2 ** 2 ** 2 ** 2 ** 2", "0 / 0", "1 < n < 3 ? u : prev", "x | y()", "µ", "1µs", "// c", "/* */ 1",
		"::min(1)", "n?.x", "n not in [1]", "99999999999999999999", "1e999", "0b1", "$env", "get($env, \"n\")", "'\\", "let a = let b = 1; b; a",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, formula string) {
		e, fault := compileExpr(formula, time.Second, time.Minute)
		if fault != nil {
			if fault.message == "" || fault.at < 0 || fault.at > len(formula) {
				t.Fatalf("%+v has no place", fault)
			}
			return
		}
		for _, u := range []float64{0, 0.5, 1 - 1.0/(1<<53)} {
			for _, retry := range []int{1, 2, 64, 1_000_000} {
				a := strategies.Attempt{Retry: retry, SinceReset: retry, Previous: math.MaxInt64}
				first, again := e.Wait(a, u)
				if second, _ := e.Wait(a, u); first < 0 || !again || first != second {
					t.Fatalf("retry %d: %v, then %v", retry, first, second)
				}
			}
		}
	})
}

// Every formula of the documentation compiles, and it names all that there is.
func TestExprDocumentation(t *testing.T) {
	text, err := os.ReadFile("../docs/formulas.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "```formulas\n")
	block, _, closed := strings.Cut(rest, "\n```")
	lines := strings.Split(block, "\n")
	if !found || !closed || len(lines) < 5 {
		t.Fatalf("%d lines of formulas in docs/formulas.md", len(lines))
	}
	for _, line := range lines {
		mustExpr(t, line, time.Second, time.Minute)
	}
	for _, name := range append(functionNames(), variableNames[:]...) {
		if !strings.Contains(string(text), "`"+name+"`") && !strings.Contains(string(text), "`"+name+"(") {
			t.Errorf("docs/formulas.md does not name %s", name)
		}
	}
}
