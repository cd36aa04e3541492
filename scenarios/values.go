package scenarios

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"herdsim/downstream"
	"herdsim/strategies"
)

// The methods of an object that read one value each.

// count returns a whole number within the field's limits, or 0 and one of the field's words.
func (o *object) count(key string) (value uint64, word string) {
	f := o.field(key)
	text, n := o.scalar(key)
	if f.hasWord(text) || text == "" && n == nil {
		return 0, text
	}
	value, ok := parseCount(text)
	if !ok {
		o.wrongNear(key, n, countFault(text), cmp.Or(countSuggestion(text), near(text, f.Words)))
		return o.defaultCount(f), ""
	}
	if low, high := f.countRange(); value < low || value > high {
		o.wrong(key, n, "out of range")
		return o.defaultCount(f), ""
	}
	return value, ""
}

func (o *object) defaultCount(f *Field) uint64 {
	value, _ := parseCount(f.Default)
	return value
}

// duration returns the duration under key; a word that the field allows counts as 0.
func (o *object) duration(key string) time.Duration {
	value, _ := o.durationOrWord(key)
	return value
}

// durationOrWord returns the duration under key, or 0 and one of the field's words.
func (o *object) durationOrWord(key string) (value time.Duration, word string) {
	f := o.field(key)
	text, n := o.scalar(key)
	if f.hasWord(text) || text == "" && n == nil {
		return 0, text
	}
	if value, why := f.duration(text); why != "" {
		o.wrongNear(key, n, why, cmp.Or(durationSuggestion(text), near(text, f.Words)))
	} else {
		return value, ""
	}
	if f.hasWord(f.Default) {
		return 0, f.Default
	}
	value, _ = parseDuration(f.Default)
	return value, ""
}

// duration reads text within the limits of the field, or says what is wrong.
func (f *Field) duration(text string) (value time.Duration, why string) {
	value, fault := parseDuration(text)
	low, high := f.durationRange()
	switch {
	case fault == durationNoUnit:
		return 0, "a number without a unit"
	case fault == durationTooFine:
		return 0, "finer than a nanosecond"
	case fault == durationTooLong, fault == durationOK && (value < low || value > high):
		return 0, "out of range"
	case fault == durationBad && strings.HasPrefix(text, "-"):
		if _, fault := parseDuration(text[1:]); fault == durationOK {
			return 0, "out of range"
		}
		return 0, "no duration"
	case fault == durationBad:
		return 0, "no duration"
	}
	return value, ""
}

// rate returns the rate under key, or the zero Rate if there is none.
func (o *object) rate(key string) downstream.Rate {
	text, n := o.scalar(key)
	if n == nil {
		return downstream.Rate{}
	}
	rate, ok := parseRate(text)
	most, _ := parseRate(o.field(key).Max)
	switch _, isNumber := parseNumber(text); {
	case isNumber:
		o.wrongNear(key, n, "a number without a unit", text+"/s")
	case !ok && ratePattern.MatchString(text):
		o.wrong(key, n, "too fine")
	case !ok && ratePattern.MatchString(strings.TrimPrefix(text, "-")):
		o.wrong(key, n, "out of range")
	case !ok:
		o.wrongNear(key, n, "no rate", rateSuggestion(text))
	case rate.Events == 0 && o.field(key).Min == "", rate.PerSecond() > most.PerSecond():
		o.wrong(key, n, "out of range")
	default:
		return rate
	}
	return downstream.Rate{}
}

// share returns the share under key.
func (o *object) share(key string) float64 {
	f := o.field(key)
	text, n := o.scalar(key)
	value, ok := parseShare(text)
	if low, high := f.shareRange(); n != nil && (!ok || value < low || value > high) {
		why := "no share"
		if _, isNumber := parseShare(strings.TrimPrefix(text, "-")); isNumber {
			why = "out of range"
		}
		o.wrong(key, n, why)
		value, _ = parseShare(f.Default)
	}
	return value
}

// number returns the number under key.
func (o *object) number(key string) float64 {
	f := o.field(key)
	text, n := o.scalar(key)
	value, ok := parseNumber(text)
	low, _ := parseNumber(f.Min)
	high, _ := parseNumber(f.Max)
	if n != nil && (!ok || value < low || value > high) {
		why := "no plain number"
		if _, isNumber := parseNumber(strings.TrimPrefix(text, "-")); isNumber {
			why = "out of range"
		}
		o.wrong(key, n, why)
		value, _ = parseNumber(f.Default)
	}
	return value
}

// flag returns whether true stands under key.
func (o *object) flag(key string) bool {
	text, n := o.scalar(key)
	switch {
	case n == nil || !n.quoted && o.field(key).hasWord(text):
	case n.quoted:
		o.wrong(key, n, "in quotes")
	default:
		o.wrongNear(key, n, "", map[string]string{"yes": "true", "on": "true", "no": "false", "off": "false"}[strings.ToLower(text)])
	}
	return text == "true"
}

// word returns which of the field's words stands under key.
func (o *object) word(key string) string {
	f := o.field(key)
	text, n := o.scalar(key)
	if n != nil && !f.hasWord(text) {
		o.wrong(key, n, "")
		return f.Default
	}
	return text
}

// line returns the text under key: one line, without control characters, at most as long as the field allows.
func (o *object) line(key string) string { return o.freeText(key, false) }

// freeText returns the text under key, of one line or of several.
func (o *object) freeText(key string, lines bool) string {
	f := o.field(key)
	text, n := o.scalar(key)
	if n == nil {
		return ""
	}
	most, _ := parseCount(f.Max)
	switch {
	case uint64(utf8.RuneCountInString(text)) > most:
		o.wrong(key, n, fmt.Sprintf("%d characters long", utf8.RuneCountInString(text)))
	case !utf8.ValidString(text), strings.ContainsFunc(text, func(r rune) bool {
		return (unicode.IsControl(r) || r == '\u2028' || r == '\u2029') && !(lines && (r == '\n' || r == '\t'))
	}):
		o.wrong(key, n, "with a line end or a control character in it")
	default:
		return text
	}
	return ""
}

// jitter returns how the delay is spread.
func (o *object) jitter(key string) strategies.Jitter {
	text, n := o.scalar(key)
	switch text {
	case none:
		return strategies.Jitter{}
	case "full":
		return strategies.Jitter{Kind: strategies.JitterFull}
	case "equal":
		return strategies.Jitter{Kind: strategies.JitterEqual}
	}
	if from, to, between := strings.Cut(text, ".."); between {
		return o.jitterBetween(key, n, from, to)
	}
	if rest, above := strings.CutPrefix(text, "+"); strings.HasSuffix(text, "%") {
		share, ok := parseShare(rest)
		switch {
		case !ok:
			o.wrong(key, n, "no share")
		case above && share <= 10:
			return strategies.Jitter{Kind: strategies.JitterAbove, Share: share}
		case !above && share <= 1:
			return strategies.Jitter{Kind: strategies.JitterAround, Share: share}
		default:
			o.wrong(key, n, "out of range")
		}
		return strategies.Jitter{}
	}
	spread, why := constantField.duration(text)
	switch share, isShare := parseShare(text); {
	case why == "":
		return strategies.Jitter{Kind: strategies.JitterAdded, Spread: spread}
	case isShare && share <= 1:
		o.wrongNear(key, n, "a number without a unit", formatShare(share))
	case isShare:
		o.wrongNear(key, n, "a number without a unit", text+"%")
	default:
		o.wrongNear(key, n, "", near(text, []string{none, "full", "equal"}))
	}
	return strategies.Jitter{}
}

// jitterBetween returns the jitter from one share of the delay to another, as 80%..130%.
func (o *object) jitterBetween(key string, n *node, from, to string) strategies.Jitter {
	const most = 100 // times the delay
	low, lowOK := parseShare(from)
	high, highOK := parseShare(to)
	switch {
	case !lowOK || !highOK || !strings.HasSuffix(from, "%") || !strings.HasSuffix(to, "%"):
		o.wrong(key, n, "not two shares")
	case low > high || high > most:
		o.wrong(key, n, "out of range")
	default:
		return strategies.Jitter{Kind: strategies.JitterBetween, Share: low, Upto: high}
	}
	return strategies.Jitter{}
}

// durations returns a list of durations.
func (o *object) durations(key string) []time.Duration {
	items := o.list(key)
	if n := o.value(key); n != nil && n.kind == list && len(n.items) == 0 {
		o.d.report(n.at, o.path+key+" is an empty list", o.field(key).Form)
	}
	var out []time.Duration
	for i, item := range items {
		if item.broken {
			continue
		}
		value, why := constantField.duration(item.text)
		if item.kind != scalar {
			why = "no duration"
		}
		if why != "" {
			o.d.report(item.at, fmt.Sprintf("%s%s[%d] is %s, %s", o.path, key, i, item.what(), why), constantField.allowed())
			continue
		}
		out = append(out, value)
	}
	return out
}
