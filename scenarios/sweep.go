package scenarios

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"
)

// A Sweep is a field of a scenario and the values that it takes one after the other.
type Sweep struct {
	Flag   string   // that asks for it, for errors: "--x"
	Path   string   // as that of --set, or SweepLoad or SweepTrigger
	Values []string // at least one, as --set takes them, no two alike
}

// Paths of a Sweep that are no field of a scenario.
const (
	SweepLoad    = "load"    // all traffic that keeps coming, times a factor: see Scenario.Loaded
	SweepTrigger = "trigger" // the length of the trigger: see Scenario.Triggered
)

// MostSwept is how many values a Sweep may have.
const MostSwept = 100

// A Setting is one value of a Sweep.
type Setting struct{ Flag, Path, Value string }

// At returns the i-th value.
func (s Sweep) At(i int) Setting { return Setting{s.Flag, s.Path, s.Values[i]} }

// ParseSweep reads PATH=V1,V2,... or PATH=FROM..TO/STEPS. Commas within brackets and quotes part nothing. STEPS values
// lie evenly from FROM to TO, both among them; from one whole number to another they are whole, other numbers,
// durations, rates, shares and factors such as 0.5x are cut to a thousandth of the distance. The error is of type
// Errors.
func ParseSweep(flag, text string) (Sweep, error) {
	fault := func(message, allowed string) (Sweep, error) {
		return Sweep{}, Errors{{File: flagSource(flag, text).name, Message: message, Allowed: allowed}}
	}
	path, rest, found := strings.Cut(text, "=")
	s := Sweep{Flag: flag, Path: strings.TrimSpace(path)}
	if _, ok := parsePath(s.Path); !found || !ok {
		return fault("not of the form PATH=VALUES", "as downstream.queue=10,20,50 or load=0.5x..1.5x/11")
	}
	values, ok := splitArguments(rest)
	switch {
	case !ok:
		return fault("brackets or quotes are not closed", "as arrivals={rate: 80/s},{rate: 90/s}")
	case len(values) == 0 || slices.Contains(values, ""):
		return fault("a value is missing", "values with commas between them, as 10,20,50")
	}
	for _, v := range values {
		steps, isRange, why := expandRange(v)
		switch {
		case why != "":
			return fault(quote(v)+" "+why, fmt.Sprintf("as 1..10/10, 1s..10s/4, 50/s..150/s/11, 0%%..50%%/6 or 0.5x..2x/4, of 2 to %d steps", MostSwept))
		case isRange:
			s.Values = append(s.Values, steps...)
		default:
			s.Values = append(s.Values, v)
		}
	}
	if len(s.Values) > MostSwept {
		return fault(fmt.Sprintf("%d values", len(s.Values)), fmt.Sprintf("at most %d", MostSwept))
	}
	for i, v := range s.Values {
		if slices.Contains(s.Values[:i], v) {
			return fault(quote(v)+" is there twice", "each value once")
		}
	}
	return s, nil
}

// expandRange reads FROM..TO/STEPS. It is no range if there are no two dots in it or it is in brackets or quotes; why
// says what is wrong with one.
func expandRange(text string) (values []string, isRange bool, why string) {
	from, rest, found := strings.Cut(text, "..")
	if !found || strings.ContainsAny(text, `[]{}()"'`) {
		return nil, false, ""
	}
	i := strings.LastIndexByte(rest, '/')
	if i < 0 {
		return nil, true, "does not say in how many steps"
	}
	to, count := strings.TrimSpace(rest[:i]), strings.TrimSpace(rest[i+1:])
	n, ok := parseCount(count)
	if !ok || n < 2 || n > MostSwept {
		return nil, true, "has " + quote(count) + " steps"
	}
	a, unit, ok := measure(strings.TrimSpace(from))
	b, other, ok2 := measure(to)
	switch {
	case !ok || !ok2:
		return nil, true, "is not from one number to another"
	case unit != other:
		return nil, true, "is from one unit to another"
	case a.Cmp(b) == 0:
		return nil, true, "ends where it begins"
	}
	step := new(big.Rat).Sub(b, a)
	step.Quo(step, new(big.Rat).SetInt64(int64(n-1)))
	grain := grainOf(step)
	if unit == "" && a.IsInt() && b.IsInt() || unit == "ns" && grain.Cmp(big.NewRat(1, 1)) < 0 {
		grain = big.NewRat(1, 1)
	}
	for k := range int64(n) {
		v := new(big.Rat).Mul(step, new(big.Rat).SetInt64(k))
		if v.Add(v, a); k > 0 && k < int64(n)-1 {
			v = roundTo(v, grain)
		}
		if text := sweepText(v, unit); !slices.Contains(values, text) { // whole numbers may be closer than steps
			values = append(values, text)
		}
	}
	return values, true, ""
}

// measure reads a number and its unit: ns for durations, % for shares, x for factors, /s and the like for rates, "" for
// plain numbers.
func measure(text string) (value *big.Rat, unit string, ok bool) {
	if d, fault := parseDuration(text); fault == durationOK {
		return new(big.Rat).SetInt64(int64(d)), "ns", true
	}
	if m := ratePattern.FindStringSubmatch(text); m != nil {
		value, ok = decimal(strings.ReplaceAll(m[1], "_", ""))
		return value, "/" + m[2], ok
	}
	for _, unit := range []string{"%", "x"} {
		if number, found := strings.CutSuffix(text, unit); found {
			value, ok = decimal(number)
			return value, unit, ok
		}
	}
	value, ok = decimal(strings.ReplaceAll(text, "_", ""))
	return value, "", ok
}

// sweepText writes what measure reads.
func sweepText(value *big.Rat, unit string) string {
	if unit == "ns" {
		return formatDuration(time.Duration(value.Num().Int64()))
	}
	places, exact := value.FloatPrec()
	if !exact {
		places = 12
	}
	text := value.FloatString(places)
	if unit == "" && value.IsInt() && value.Num().IsUint64() {
		text = formatCount(value.Num().Uint64())
	}
	return text + unit
}

// grainOf returns the power of ten that is at most a thousandth of step.
func grainOf(step *big.Rat) *big.Rat {
	grain, ten := big.NewRat(1, 1), big.NewRat(10, 1)
	limit := new(big.Rat).Quo(new(big.Rat).Abs(step), big.NewRat(1000, 1))
	for grain.Cmp(limit) > 0 {
		grain.Quo(grain, ten)
	}
	for next := new(big.Rat).Mul(grain, ten); next.Cmp(limit) <= 0; next = new(big.Rat).Mul(grain, ten) {
		grain = next
	}
	return grain
}

// roundTo returns the multiple of grain that is nearest to v >= 0.
func roundTo(v, grain *big.Rat) *big.Rat {
	q := new(big.Rat).Quo(v, grain)
	q.Add(q, big.NewRat(1, 2))
	return q.SetInt(new(big.Int).Quo(q.Num(), q.Denom())).Mul(q, grain)
}
