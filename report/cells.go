package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A Number is a computed value, or none: an empty cell in CSV, null in JSON.
type Number struct {
	Value float64
	OK    bool
}

// number returns x, or none if it is not finite.
func number(x float64) Number {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Number{}
	}
	return Number{x, true}
}

// per returns a / b, or none if b is 0.
func per(a, b float64) Number {
	if b == 0 {
		return Number{}
	}
	return number(a / b)
}

// String is the CSV cell: the shortest decimal that reads back, or "".
func (n Number) String() string {
	if !n.OK {
		return ""
	}
	return ExactFloat(n.Value)
}

// MarshalJSON writes the number, or null.
func (n Number) MarshalJSON() ([]byte, error) { return orNull(n.String()), nil }

// UnmarshalJSON reads a finite number or null.
func (n *Number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = Number{}
		return nil
	}
	x, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return fmt.Errorf("%.40s is no finite number", b)
	}
	*n = Number{x, true}
	return nil
}

// Seconds is a duration of whole nanoseconds, or none: an empty cell in CSV, null in JSON.
type Seconds struct {
	D  time.Duration
	OK bool
}

func seconds(d time.Duration) Seconds { return Seconds{d, true} }

// String is the CSV cell: seconds, exact to the nanosecond, or "".
func (s Seconds) String() string {
	if !s.OK {
		return ""
	}
	return ExactSeconds(s.D)
}

// MarshalJSON writes the exact number of seconds, or null.
func (s Seconds) MarshalJSON() ([]byte, error) { return orNull(s.String()), nil }

// UnmarshalJSON reads seconds >= 0 of at most 292 years, or null. What is written without an exponent and with no more
// than nine decimals is read exactly, anything else to the nearest nanosecond.
func (s *Seconds) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*s = Seconds{}
		return nil
	}
	d, ok := parseSeconds(string(b))
	if !ok {
		return fmt.Errorf("%.40s is no time in seconds; allowed: 0 to 9223372036", b)
	}
	*s = Seconds{d, true}
	return nil
}

func parseSeconds(text string) (time.Duration, bool) {
	const longest = math.MaxInt64 / 1_000_000_000 // whole seconds of a Duration
	whole, frac, _ := strings.Cut(text, ".")
	n, err := strconv.ParseUint(whole, 10, 63)
	if err == nil && n < longest && len(frac) <= 9 {
		if ns, err := strconv.ParseUint((frac + "000000000")[:9], 10, 63); err == nil {
			return time.Duration(n)*time.Second + time.Duration(ns), true
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x < longest) {
		return 0, false
	}
	return time.Duration(math.Round(x * 1e9)), true
}

func orNull(s string) []byte {
	if s == "" {
		return []byte("null")
	}
	return []byte(s)
}

// A Truth is true or false, or neither: an empty cell in CSV, null in JSON.
type Truth struct{ Value, OK bool }

// String is the CSV cell: true, false, or "".
func (t Truth) String() string {
	if !t.OK {
		return ""
	}
	return strconv.FormatBool(t.Value)
}

// MarshalJSON writes true, false, or null.
func (t Truth) MarshalJSON() ([]byte, error) { return orNull(t.String()), nil }

// UnmarshalJSON reads true, false or null.
func (t *Truth) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "null":
		*t = Truth{}
	case "true", "false":
		*t = Truth{string(b) == "true", true}
	default:
		return fmt.Errorf("%.40s is neither true nor false", b)
	}
	return nil
}
