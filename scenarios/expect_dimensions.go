package scenarios

import (
	"fmt"
	"strings"
)

// A dimension is the power of seconds that an expression is measured in: 0 for numbers and shares, 1 for times.
type dimension struct {
	power int
	any   bool // it is 0, which is so many of whatever there is
}

// dimensionOf returns the dimension of an expression whose parts fit together.
func dimensionOf(e expression) dimension {
	switch e := e.(type) {
	case constant:
		if e.time {
			return dimension{power: 1}
		}
		return dimension{any: e.v == 0}
	case reference:
		if strings.HasSuffix(e.column, "_s") {
			return dimension{power: 1}
		}
	case binary:
		a, b := dimensionOf(e.a), dimensionOf(e.b)
		switch {
		case e.op == '*':
			return dimension{a.power + b.power, a.any || b.any}
		case e.op == '/':
			return dimension{a.power - b.power, a.any}
		case a.any:
			return b
		}
		return a
	}
	return dimension{}
}

// fits reports whether a and b can be added and compared.
func (a dimension) fits(b dimension) bool { return a.any || b.any || a.power == b.power }

func (a dimension) String() string {
	switch a.power {
	case 0:
		return "a number"
	case 1:
		return "a time"
	}
	return fmt.Sprintf("seconds to the power of %d", a.power)
}

// mismatch says that what stands at a place cannot follow op, and what could.
func (p *expectParser) mismatch(at int, op string, left, right expression) {
	a, b := dimensionOf(left), dimensionOf(right)
	if a.fits(b) {
		return
	}
	allowed, suggestion := "the same on both sides", ""
	switch a.power {
	case 0:
		allowed = "a number, a percentage, or a column of numbers"
	case 1:
		allowed = "a time such as 1.5s, or a column of times"
	}
	if text := valuePattern.FindString(p.line[at:]); a.power == 1 && isConstant(right) && !strings.HasSuffix(text, "%") {
		suggestion = text + "s"
	}
	p.pos = at
	p.fail(fmt.Sprintf("%s after %s, where %s is due", b, quote(op), a), allowed, suggestion)
}
