package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"herdsim/downstream"
)

// Terms writes for people what an entry has of its own beside the wait, where it differs from the scenario's: "first
// U[0, 10 s); at most 6 attempts". "" if it has nothing.
func (s *Scenario) Terms(e Entry) string {
	var terms []string
	add := func(format string, args ...any) { terms = append(terms, fmt.Sprintf(format, args...)) }
	if e.FirstWait > 0 {
		add("first U[0, %s)", spoken(e.FirstWait))
	}
	if !sameStart(e.Start, s.Start) {
		add("start %s", spokenStart(e.Start))
	}
	if e.Limits != s.Limits {
		switch {
		case e.Limits.MaxAttempts == 1:
			add("one attempt")
		case e.Limits.MaxAttempts > 0:
			add("%d attempts", e.Limits.MaxAttempts)
		}
		if e.Limits.MaxElapsed > 0 {
			add("up to %s", spoken(e.Limits.MaxElapsed))
		}
		if e.Limits == (Limits{}) {
			add("no limit")
		}
	}
	if !reflect.DeepEqual(e.Guards, s.Guards) {
		add("%s", spokenGuards(e.Guards))
	}
	if e.IgnoreRetryAfter {
		add("ignores Retry-After")
	}
	if e.RetryAfter.Most > 0 {
		add("Retry-After up to %s", spoken(e.RetryAfter.Most))
	}
	if e.RetryAfter.Jitter > 0 {
		add("Retry-After × (1 + U[0, %s))", formatShare(e.RetryAfter.Jitter))
	}
	if p := e.Poll; p.Every > 0 {
		text := "polled every " + spoken(p.Every)
		if p.Jitter > 0 {
			text += " × (1 ± " + formatShare(p.Jitter) + ")"
		}
		if p.Processes > 1 {
			text += fmt.Sprintf(" by %d", p.Processes)
		}
		add("%s", text)
	}
	return strings.Join(terms, "; ")
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
