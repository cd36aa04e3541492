package scenarios

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"herdsim/downstream"
	"herdsim/sim"
)

// longDescription is how many characters of a description a picture has room for, about.
const longDescription = 60

// Describe writes for people what an entry does: its wait, and what it has of its own beside it. Where that gets long, a
// preset's name stands for all that is the preset's, so that what tells two entries with the same preset apart is seen.
func (s *Scenario) Describe(e Entry) string {
	text := e.Formula
	if terms := s.Terms(e); terms != "" {
		text += "; " + terms
	}
	p, ok := FindPreset(e.Preset)
	if !ok || e.Formula != p.Entry.Formula || utf8.RuneCountInString(text) <= longDescription {
		return text
	}
	if terms := s.termsBeside(e, p.Entry); terms != "" {
		return p.Name + "; " + terms
	}
	if e.Name == p.Name {
		return text // which says more
	}
	return p.Name
}

// Terms writes for people what an entry has of its own beside the wait, where it differs from the scenario's: "first
// U[0, 10 s); 6 attempts". "" if it has nothing.
func (s *Scenario) Terms(e Entry) string { return s.termsBeside(e, Entry{Limits: s.Limits}) }

// termsBeside writes the terms of an entry that differ from the scenario's, and from the limits and so on of another.
func (s *Scenario) termsBeside(e, known Entry) string {
	var terms []string
	add := func(format string, args ...any) { terms = append(terms, fmt.Sprintf(format, args...)) }
	if e.FirstWait > 0 {
		add("first U[0, %s)", spoken(e.FirstWait))
	}
	if !sameStart(e.Start, s.Start) {
		add("start %s", spokenStart(e.Start))
	}
	if e.Limits != known.Limits {
		switch {
		case e.Limits.MaxAttempts == 1:
			add("one attempt, no retry")
		case e.Limits.MaxAttempts > 0:
			add("%d attempts", e.Limits.MaxAttempts)
		}
		if e.Limits.MaxElapsed > 0 {
			add("within %s", spoken(e.Limits.MaxElapsed))
		}
		if e.Limits.Deadline > 0 {
			add("deadline %s", spoken(e.Limits.Deadline))
		}
		if e.Limits == (Limits{}) {
			add("no limit")
		}
	}
	if !reflect.DeepEqual(e.Guards, s.Guards) {
		add("%s", spokenGuards(e.Guards))
	}
	if !reflect.DeepEqual(e.Broker, s.Broker) {
		add("%s", e.Broker.spoken())
	}
	if e.IgnoreRetryAfter && !known.IgnoreRetryAfter {
		add("ignores Retry-After")
	}
	if e.RetryAfter.Most > 0 && e.RetryAfter != known.RetryAfter {
		add("Retry-After up to %s", spoken(e.RetryAfter.Most))
	}
	if e.RetryAfter.Jitter > 0 && e.RetryAfter != known.RetryAfter {
		add("Retry-After × (1 + U[0, %s))", formatShare(e.RetryAfter.Jitter))
	}
	if e.Poll != known.Poll {
		add("%s", spokenPoll(e.Poll))
	}
	return strings.Join(terms, "; ")
}

// spokenPoll says how often somebody looks for due retries: of several processes, all together.
func spokenPoll(p sim.Poll) string {
	switch {
	case p.Every == 0:
		return "not polled"
	case p.Processes > 1:
		mean := float64(p.Every) / float64(p.Processes)
		digit := math.Pow(10, math.Floor(math.Log10(mean))-2)
		return "polled every " + spoken(time.Duration(math.Round(mean/digit)*digit)) + " on average"
	case p.Jitter > 0:
		return "polled every " + spoken(p.Every) + " × (1 ± " + formatShare(p.Jitter) + ")"
	}
	return "polled every " + spoken(p.Every)
}

func sameStart(a, b Start) bool {
	return a.File == b.File && a.Uniform == b.Uniform && a.Spread == b.Spread && slices.Equal(a.Trace, b.Trace)
}

func spokenStart(s Start) string {
	switch d := s.Spread.(type) {
	case downstream.Normal:
		return fmt.Sprintf("N(%s, %s)", spoken(d.M), spoken(d.SD))
	case downstream.Exponential:
		return "Exp(" + spoken(d.M) + ")"
	}
	switch {
	case s.File != "":
		return "as in " + s.File
	case s.Uniform > 0:
		return "U[0, " + spoken(s.Uniform) + ")"
	}
	return "at once"
}
