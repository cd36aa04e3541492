package scenarios

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// An Expectation is one checked line of expect: A op B, with op one of < <= > >= ==, A and B made of numbers, durations
// (in seconds), percentages and references name.column with + - * / and parentheses. A time can only be compared with a
// time, and only be added to one; 0 is both. Values that differ by less than one part in 10^9 are equal.
type Expectation struct {
	Line    string // as written
	Skipped string // why it cannot be judged: a flag took away a strategy that it names; "" if it can

	left, right expression
	op          string
}

// A reference is a column of a strategy: "exponential-10%".completion.
type reference struct {
	strategy, column string
	at               int // where in the line, in characters from 0
}

// An expression is a number, a reference, or two expressions with an operator. It is nil in the zero Expectation.
type expression interface {
	// value returns what it comes to. A false means that it cannot be said, and why.
	value(cells *cells) (v float64, why string)
}

// A constant is a number, or a time in seconds.
type constant struct {
	v    float64
	time bool
}

type binary struct {
	op   byte // + - * /
	a, b expression
}

// cells remembers what was looked up, for the detail.
type cells struct {
	lookup func(strategy, column string) (float64, bool)
	said   []string
}

// Eval judges the line for one replicate. lookup returns the cell of summary.csv in the row of a strategy and a column
// of Columns, times in seconds, cut_off as 1 or 0; false for an empty cell.
//
// An empty completion, the completion of a herd of which not all succeeded, and the recovery of what has not recovered
// count as infinite; with any other empty cell, that of a run that is undecided among them, a division by zero, or a difference of two infinities the line is not met. detail says what was compared,
// as "full-jitter.completion_s = 4.2; 4.2 < 10". An error means that Line is no expectation, which cannot come from Load.
func (e Expectation) Eval(lookup func(strategy, column string) (value float64, ok bool)) (met bool, detail string, err error) {
	if e.left == nil {
		if e, err = parseExpectation(e.Line); err != nil {
			return false, "", err
		}
	}
	c := &cells{lookup: lookup}
	left, why := e.left.value(c)
	right, alsoWhy := e.right.value(c)
	detail = strings.Join(c.said, ", ")
	if why == "" {
		why = alsoWhy
	}
	if why != "" {
		if detail != "" {
			detail += "; "
		}
		return false, detail + why, nil
	}
	if _, plain := e.left.(reference); !plain || !isConstant(e.right) || len(c.said) != 1 {
		detail += "; " + short(left) + " " + e.op + " " + short(right)
	}
	same := equal(left, right)
	switch e.op {
	case "<":
		met = left < right && !same
	case "<=":
		met = left < right || same
	case ">":
		met = left > right && !same
	case ">=":
		met = left > right || same
	case "==":
		met = same
	}
	return met, strings.TrimPrefix(detail, "; "), nil
}

func isConstant(e expression) bool { _, ok := e.(constant); return ok }

// equal leaves sums their rounding: 0.1 + 0.2 is 0.3.
func equal(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) && !math.IsInf(a-b, 0)
}

func (c constant) value(*cells) (float64, string) { return c.v, "" }

func (r reference) value(c *cells) (float64, string) {
	v, ok := c.lookup(r.strategy, r.column)
	isCompletion := slices.Contains(completions, r.column)
	if r.column == "completion_s" {
		tasks, known := c.lookup(r.strategy, "tasks")
		done, knownToo := c.lookup(r.strategy, "succeeded")
		if known && knownToo && done < tasks {
			ok = false
		}
	}
	decided := true
	if r.column == "recovered_s" {
		_, decided = c.lookup(r.strategy, "recovered")
	}
	name := r.strategy + "." + r.column
	switch {
	case ok && !math.IsNaN(v):
	case !decided:
		return 0, name + " has no value, as it is undecided whether that recovers"
	case isCompletion:
		v = math.Inf(1)
	default:
		return 0, name + " has no value"
	}
	if text := name + " = " + short(v); !slices.Contains(c.said, text) {
		c.said = append(c.said, text)
	}
	return v, ""
}

func (b binary) value(c *cells) (float64, string) {
	x, why := b.a.value(c)
	y, alsoWhy := b.b.value(c)
	switch {
	case why != "":
		return 0, why
	case alsoWhy != "":
		return 0, alsoWhy
	}
	v := 0.0
	switch b.op {
	case '+':
		v = x + y
	case '-':
		v = x - y
	case '*':
		v = x * y
	case '/':
		if y == 0 {
			return 0, "a division by 0"
		}
		v = x / y
	}
	if math.IsNaN(v) {
		return 0, short(x) + " " + string(b.op) + " " + short(y) + " has no value"
	}
	return v, ""
}

// short writes a value with six digits at most, as the detail of a line needs.
func short(v float64) string {
	if math.IsInf(v, 1) {
		return "infinite"
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// expectations decodes expect, and checks that the strategies it names are there.
func (d *decoder) expectations(o *object, s *Scenario) {
	var names []string
	for _, e := range s.Strategies {
		names = append(names, e.Name)
	}
	for i, n := range o.list("expect") {
		if n.broken {
			continue
		}
		path := fmt.Sprintf("expect[%d]", i)
		if n.kind != scalar || n.null {
			d.report(n.at, path+" is "+n.what(), "a line such as full-jitter.peak_over_capacity < 10")
			continue
		}
		e, err := parseExpectation(n.text)
		if err != nil {
			fault := err.(*expectFault)
			d.reportNear(n.inside(fault.at), path+": "+fault.message, fault.allowed, fault.suggestion)
			continue
		}
		for _, r := range e.references() {
			switch {
			case slices.Contains(names, r.strategy):
			case d.removed[r.strategy]:
				e.Skipped = "strategy " + quote(r.strategy) + " is not among those that run"
			default:
				d.reportNear(n.inside(r.at), fmt.Sprintf("%s: there is no strategy %s", path, quote(r.strategy)),
					"one of "+strings.Join(names, ", "), near(r.strategy, names))
			}
		}
		if e.Skipped != "" {
			s.Skipped = append(s.Skipped, e)
		} else {
			s.Expect = append(s.Expect, e)
		}
	}
}

// references returns all that the line refers to, in order.
func (e Expectation) references() []reference {
	var out []reference
	var walk func(expression)
	walk = func(x expression) {
		switch x := x.(type) {
		case reference:
			out = append(out, x)
		case binary:
			walk(x.a)
			walk(x.b)
		}
	}
	walk(e.left)
	walk(e.right)
	return out
}
