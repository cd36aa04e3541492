package scenarios

import (
	"regexp"
	"strconv"
	"strings"
)

func countFault(text string) string {
	switch _, isNumber := parseNumber(text); {
	case isNumber && strings.Contains(text, "."):
		return "no whole number"
	case isNumber && strings.HasPrefix(text, "0"):
		return "with a leading 0"
	case isNumber, countPattern.MatchString(text):
		return "out of range"
	case strings.HasPrefix(text, "-") && countPattern.MatchString(text[1:]):
		return "out of range"
	}
	return "no whole number"
}

// countSuggestion reads what else people write for a whole number: 5,000, 5'000, 1e3, 10k.
func countSuggestion(text string) string {
	plain := strings.NewReplacer(",", "", "'", "", " ", "").Replace(text)
	if plain != text && countPattern.MatchString(plain) {
		n, _ := parseCount(plain)
		return formatCount(n)
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && strings.ContainsAny(text, "eE") && f == float64(int64(f)) && f >= 0 && f < 1e15 {
		return formatCount(uint64(f))
	}
	if digits, ok := strings.CutSuffix(strings.ToLower(text), "k"); ok && countPattern.MatchString(digits) && len(digits) < 6 {
		return digits + "_000"
	}
	return ""
}

// longUnits are how else people write the units of durations and rates.
var longUnits = regexp.MustCompile(`(?i)^(msecs?|milliseconds?|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?)$`)

// unit returns the first letter of a long unit, or ms; min where a rate needs it.
func unit(word string, minute string) string {
	word = strings.ToLower(word)
	switch {
	case strings.HasPrefix(word, "ms"), strings.HasPrefix(word, "milli"):
		return "ms"
	case strings.HasPrefix(word, "m"):
		return minute
	}
	return word[:1]
}

var amountAndUnit = regexp.MustCompile(`^([0-9.]+) *([A-Za-zµ]+)$`)

// durationSuggestion reads 10sec, 10 s and 5min.
func durationSuggestion(text string) string {
	m := amountAndUnit.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	if longUnits.MatchString(m[2]) {
		m[2] = unit(m[2], "m")
	}
	if _, fault := parseDuration(m[1] + m[2]); fault != durationOK {
		return ""
	}
	return m[1] + m[2]
}

// rateSuggestion reads 5/m, 5 per second and 5/hour.
func rateSuggestion(text string) string {
	amount, per, found := strings.Cut(strings.Replace(text, " per ", "/", 1), "/")
	if per = strings.TrimSpace(per); !found || per != "m" && !longUnits.MatchString(per) {
		return ""
	}
	text = strings.TrimSpace(amount) + "/" + unit(per, "min")
	if _, ok := parseRate(text); !ok {
		return ""
	}
	return text
}
