package scenarios

import (
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"herdsim/sim"
	"herdsim/strategies"
)

// Expr is a strategy that somebody wrote as a formula: the wait in seconds, as min(cap, base * 2 ** n) * u.
//
// The formula is parsed and checked once, by NewExpr, and turned into a short program on floats. A wait then takes some
// 50 ns, allocates nothing, and an Expr may serve any number of runs at the same time.
//
// A wait is a Duration whatever the formula gives: what is negative is 0, what is longer than the longest Duration or no
// number (0/0, the root of -1) is NoBound. So a worker whose wait has no value does not hammer: it stays away, and that
// is noticed. How often it happened in runs is counted, see Cuts.
type Expr struct {
	Formula   string
	Base, Cap time.Duration // what the formula calls base and cap; a Cap of 0 is none, and cap is then NoBound

	code     program
	reads    [variables]bool
	cuts     *Cuts
	counting bool
}

var (
	_ strategies.PreviousReader = (*Expr)(nil)
	_ strategies.SleptReader    = (*Expr)(nil)
	_ strategies.Capped         = (*Expr)(nil)
	_ strategies.Bounded        = (*Expr)(nil)
)

// NewExpr compiles a formula. Base and limit are what it may call base and cap, limit 0 for none. Its error is of type
// Errors, with the column in the formula.
func NewExpr(formula string, base, limit time.Duration) (*Expr, error) {
	f, fault := compileExpr(formula, base, limit)
	if fault != nil {
		p := Problem{File: "expr", Column: fault.at + 1, Message: fault.message, Allowed: fault.allowed, Suggestion: fault.suggestion, Source: formula}
		return nil, Errors{p}
	}
	return f, nil
}

// Wait returns what the formula gives, and true.
func (f *Expr) Wait(a strategies.Attempt, u float64) (time.Duration, bool) {
	wait, cut := inTime(f.code.run(&a, u))
	if cut != kept && f.counting {
		f.cuts.add(cut)
	}
	return wait, true
}

// ReadsPrevious reports whether prev is in the formula.
func (f *Expr) ReadsPrevious() bool { return f.reads[varPrev] }

// ReadsSlept reports whether slept is in the formula.
func (f *Expr) ReadsSlept() bool { return f.reads[varSlept] }

// WaitCap returns the cap, if the formula mentions it.
func (f *Expr) WaitCap() time.Duration {
	if f.reads[varCap] {
		return f.Cap
	}
	return 0
}

// LongestWait returns what strategies.Longest finds by asking, and counts no cuts on the way.
func (f *Expr) LongestWait() time.Duration { return strategies.Longest(uncounted{f}) }

// uncounted is an Expr whose cuts are not counted.
type uncounted struct{ f *Expr }

func (w uncounted) Wait(a strategies.Attempt, u float64) (time.Duration, bool) {
	wait, _ := inTime(w.f.code.run(&a, u))
	return wait, true
}

// counted returns the strategy as a run should ask it: an Expr then counts its cuts.
func counted(s strategies.Strategy) strategies.Strategy {
	f, ok := s.(*Expr)
	if !ok {
		return s
	}
	run := *f
	run.counting = true
	return &run
}

// spoken writes the formula in one line and without comments, with what its parameters are.
func (f *Expr) spoken() string {
	var parts []string
	for line := range strings.Lines(f.Formula) {
		code, _, _ := strings.Cut(line, "//")
		parts = append(parts, strings.Fields(code)...)
	}
	text := strings.Join(parts, " ")
	if f.reads[varBase] {
		text += ", base = " + spoken(f.Base)
	}
	switch {
	case f.reads[varCap] && f.Cap > 0:
		text += ", cap = " + spoken(f.Cap)
	case f.reads[varCap]:
		text += ", no cap"
	}
	return text
}

// expr returns the strategy that a formula of the file describes, or nil if it was reported.
func (o *object) expr() strategies.Strategy {
	base, limit := o.duration("base"), o.duration("cap")
	n := o.value("formula")
	if n == nil {
		return nil
	}
	if _, n = o.scalar("formula"); n == nil {
		return nil
	}
	f, fault := compileExpr(n.text, base, limit)
	if fault != nil {
		o.d.reportNear(n.inside(fault.at), o.path+"formula: "+fault.message, fault.allowed, fault.suggestion)
		o.faulty["formula"] = true
		return nil
	}
	return f
}

// endsAtZero reports whether a worker with long or with short luck does not wait any more after many retries.
func (f *Expr) endsAtZero() bool {
	const many = 1 << 10
	longest := time.Duration(0)
	for _, u := range []float64{0.5, 1 - 1.0/(1<<53)} {
		a := strategies.Attempt{Outcome: strategies.Rejected}
		for a.Retry = 1; a.Retry <= many; a.Retry++ {
			a.SinceReset = a.Retry
			wait, _ := f.Wait(a, u)
			a.Previous, a.PreviousU = wait, u
			a.Slept += min(wait, strategies.NoBound-a.Slept)
			a.Now, a.Elapsed = a.Slept, a.Slept
		}
		longest = max(longest, a.Previous)
	}
	return longest == 0
}

// A cut says what had to be done to a number of seconds to make it a wait.
type cut int

const (
	kept     cut = iota
	negative     // taken as 0
	tooLong      // taken as NoBound
	noNumber     // taken as NoBound
	cutKinds
)

// inTime returns seconds as a wait.
func inTime(seconds float64) (time.Duration, cut) {
	ns := math.RoundToEven(seconds * 1e9)
	switch {
	case ns != ns:
		return strategies.NoBound, noNumber
	case ns < 0:
		return 0, negative
	case ns >= 1<<63:
		return strategies.NoBound, tooLong
	}
	return time.Duration(ns), kept
}

// Cuts counts the waits of an Expr that were none. The sum over runs does not depend on their order, so it is the same
// however many ran at the same time.
type Cuts struct{ n [cutKinds]atomic.Int64 }

func (c *Cuts) add(kind cut) { c.n[kind].Add(1) }

var cutWords = [cutKinds]string{
	negative: "came out negative and became 0s",
	tooLong:  "came out longer than 292 years and were cut there",
	noNumber: "came out as no number and became 292 years",
}

// String says what was cut: "12 waits came out negative and became 0s". "" if nothing was.
func (c *Cuts) String() string {
	var parts []string
	for kind := negative; kind < cutKinds; kind++ {
		if n := c.n[kind].Load(); n > 0 {
			parts = append(parts, fmt.Sprintf("%s of its waits %s", grouped(n), cutWords[kind]))
		}
	}
	return strings.Join(parts, ", ")
}

// grouped writes a count with commas, as tables do.
func grouped(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// RunConfig is Config for a run that counts: what formulas have to cut in it is in Remarks.
func (s *Scenario) RunConfig(i, r int) sim.Config {
	c := s.Config(i, r)
	c.Strategy = counted(c.Strategy)
	return c
}

// Remarks says what is to be said about the runs of the scenario once they are over, a line each: how many waits of
// formulas had to be cut. It is empty if there is nothing to say.
func (s *Scenario) Remarks() []string {
	var lines []string
	for _, e := range s.Strategies {
		if f, ok := e.Strategy.(*Expr); ok {
			if text := f.cuts.String(); text != "" {
				lines = append(lines, e.Name+": "+text)
			}
		}
	}
	return lines
}
