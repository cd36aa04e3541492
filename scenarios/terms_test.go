package scenarios

import (
	"strings"
	"testing"
)

func TestTerms(t *testing.T) {
	const text = `name: terms
workers: 10
limits: {max_attempts: 3}
downstream: {slots: 1}
strategies:
  - fixed
  - {name: a, fixed: {}, first_wait: 10s}
  - {name: b, fixed: {}, start: 2m, retry_after: ignore}
  - {name: c, fixed: {}, limits: {max_attempts: 1}}
  - {name: d, fixed: {}, limits: {max_attempts: 6, max_elapsed: 1m}}
  - {name: e, fixed: {}, limits: {}}
  - {name: f, fixed: {}, start: {normal: {mean: 2s, sd: 1s}}}
  - {name: g, fixed: {}, start: {exponential: 1s}}
`
	want := []string{"", "first U[0, 10 s)", "start U[0, 2 min); ignores Retry-After", "one attempt", "6 attempts; up to 60 s",
		"no limit", "start N(2 s, 1 s)", "start Exp(1 s)"}
	s, err := Load(Request{Source: "-", Stdin: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range s.Strategies {
		if got := s.Terms(e); got != want[i] {
			t.Errorf("Terms(%s) = %q, want %q", e.Name, got, want[i])
		}
	}
}
