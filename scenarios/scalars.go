package scenarios

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"herdsim/downstream"
)

// The scalars of the format: each has a parser that is exact, or refuses, and a formatter whose text the parser reads
// back to the same value.

// longest bounds every duration of a scenario: 290 years, nearly what a Duration can hold. The engine saturates sums.
const longest = 106_000 * 24 * time.Hour

// longestPer bounds the time that a rate is counted in, so that ten of it do not overflow.
const longestPer = 3650 * 24 * time.Hour

const day = 24 * time.Hour

var (
	countPattern    = regexp.MustCompile(`^(0|[1-9][0-9]*(_[0-9]+)*)$`)
	decimalPattern  = regexp.MustCompile(`^([0-9]+(\.[0-9]+)?|\.[0-9]+)$`)
	durationPattern = regexp.MustCompile(`^(([0-9]+(\.[0-9]+)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h|d))+$`)
	durationPart    = regexp.MustCompile(`([0-9.]+)([a-zµμ]+)`)
	ratePattern     = regexp.MustCompile(`^([0-9][0-9_]*(?:\.[0-9]+)?|\.[0-9]+) ?/ ?(s|min|h|d)$`)
)

// longestScalar bounds the text of a number, so that exact arithmetic stays cheap.
const longestScalar = 40

var durationUnits = map[string]time.Duration{
	"ns": time.Nanosecond, "us": time.Microsecond, "µs": time.Microsecond, "μs": time.Microsecond,
	"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": day,
}

// A rateUnit is a word after the slash of a rate.
type rateUnit struct {
	name string
	per  time.Duration
}

var rateUnits = []rateUnit{{"s", time.Second}, {"min", time.Minute}, {"h", time.Hour}, {"d", day}}

// parseCount reads a whole number, such as 5000 or 5_000.
func parseCount(text string) (uint64, bool) {
	if !countPattern.MatchString(text) {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.ReplaceAll(text, "_", ""), 10, 64)
	return n, err == nil
}

// formatCount writes n with an underscore between groups of three digits from 10_000 on.
func formatCount(n uint64) string {
	text := strconv.FormatUint(n, 10)
	if len(text) < 5 {
		return text
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "_" + text[i:]
	}
	return text
}

// decimal reads a plain decimal number exactly.
func decimal(text string) (*big.Rat, bool) {
	if len(text) > longestScalar || !decimalPattern.MatchString(text) {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// parseNumber reads a plain decimal number as the nearest float.
func parseNumber(text string) (float64, bool) {
	r, ok := decimal(text)
	if !ok {
		return 0, false
	}
	f, _ := r.Float64()
	return f, true
}

func formatNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// parseShare reads a percentage, or a plain number, as a share.
func parseShare(text string) (float64, bool) {
	percent, isPercent := strings.CutSuffix(text, "%")
	r, ok := decimal(percent)
	if !ok {
		return 0, false
	}
	if isPercent {
		r.Quo(r, big.NewRat(100, 1))
	}
	f, _ := r.Float64()
	return f, true
}

// formatShare writes a share as a percentage: it moves the point of the shortest decimal by two places, so nothing is
// rounded.
func formatShare(f float64) string {
	whole, fraction, _ := strings.Cut(formatNumber(f), ".")
	for len(fraction) < 2 {
		fraction += "0"
	}
	whole = strings.TrimLeft(whole+fraction[:2], "0")
	if whole == "" {
		whole = "0"
	}
	if fraction = fraction[2:]; fraction != "" {
		whole += "." + fraction
	}
	return whole + "%"
}

// A durationFault says why a text is no duration.
type durationFault uint8

const (
	durationOK      durationFault = iota
	durationBad                   // of another form
	durationNoUnit                // a bare number
	durationTooLong               // longer than longest
	durationTooFine               // not in whole nanoseconds
)

// parseDuration reads a duration as Go writes them, with d for days besides: 1d12h, 1.5s, 100ms. Negative ones are of
// no use here and have no form.
func parseDuration(text string) (time.Duration, durationFault) {
	if len(text) > longestScalar {
		return 0, durationBad
	}
	if decimalPattern.MatchString(text) {
		return 0, durationNoUnit
	}
	if !durationPattern.MatchString(text) {
		return 0, durationBad
	}
	sum := new(big.Rat)
	for _, part := range durationPart.FindAllStringSubmatch(text, -1) {
		r, ok := decimal(part[1])
		if !ok {
			return 0, durationBad
		}
		sum.Add(sum, r.Mul(r, new(big.Rat).SetInt64(int64(durationUnits[part[2]]))))
	}
	switch {
	case sum.Cmp(new(big.Rat).SetInt64(int64(longest))) > 0:
		return 0, durationTooLong
	case !sum.IsInt():
		return 0, durationTooFine
	}
	return time.Duration(sum.Num().Int64()), durationOK
}

// formatDuration writes d >= 0 as parseDuration reads it: 0s, 1.5s, 1d12h.
func formatDuration(d time.Duration) string {
	text := ""
	for _, unit := range []string{"d", "h", "m"} {
		if n := d / durationUnits[unit]; n > 0 {
			text += strconv.FormatInt(int64(n), 10) + unit
			d %= durationUnits[unit]
		}
	}
	if d > 0 || text == "" {
		text += strings.ReplaceAll(d.String(), "µ", "u")
	}
	return text
}

// parseRate reads a rate such as 200/s, 12/min or 0.5/s. It stays exact: 0.5/s is 5 events in 10 s.
func parseRate(text string) (downstream.Rate, bool) {
	m := ratePattern.FindStringSubmatch(text)
	if m == nil || len(text) > longestScalar {
		return downstream.Rate{}, false
	}
	var per time.Duration
	for _, u := range rateUnits {
		if u.name == m[2] {
			per = u.per
		}
	}
	whole, fraction, _ := strings.Cut(strings.ReplaceAll(m[1], "_", ""), ".")
	fraction = strings.TrimRight(fraction, "0")
	for range fraction {
		if per > longestPer/10 {
			return downstream.Rate{}, false
		}
		per *= 10
	}
	events, err := strconv.ParseInt(whole+fraction, 10, 64)
	return downstream.Rate{Events: events, Per: per}, err == nil
}

// formatRate writes a rate as it was written: the unit is the one of which r.Per is a power of ten.
func formatRate(r downstream.Rate) string {
	for _, u := range rateUnits {
		digits := 0
		per := u.per
		for ; per < r.Per && per <= longestPer; per *= 10 {
			digits++
		}
		if per != r.Per {
			continue
		}
		text := strconv.FormatInt(r.Events, 10)
		if digits > 0 {
			for len(text) <= digits {
				text = "0" + text
			}
			text = text[:len(text)-digits] + "." + text[len(text)-digits:]
		}
		return text + "/" + u.name
	}
	return formatNumber(r.PerSecond()) + "/s"
}
