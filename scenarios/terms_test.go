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
	want := []string{"", "first U[0, 10 s)", "start U[0, 2 min); ignores Retry-After", "one attempt, no retry", "6 attempts; within 60 s",
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

// Entries with one preset differ in what is their own, which is what a description has room for.
func TestDescribe(t *testing.T) {
	const text = `name: terms
workers: 10
downstream: {slots: 1}
strategies:
  - {name: again, immediate: {}, limits: {max_attempts: 2}}
  - {name: plain, fixed: {}, poll: {every: 10s, jitter: 0%}}
  - {name: sidekiq-8, preset: sidekiq-8}
  - {name: processes, preset: sidekiq-8, poll: {every: 2500s, jitter: 100%, processes: 500}}
  - {name: odd, preset: sidekiq-8, poll: {every: 10s, jitter: 100%, processes: 3}}
  - {name: spread, preset: sidekiq-8, first_wait: 3m, poll: none}
  - {name: limited, preset: sidekiq-8, limits: {max_attempts: 2}}
  - {name: obedient, preset: sidekiq-8, retry_after: {}}
  - {name: guarded, preset: sidekiq-8, guards: [breaker: gobreaker]}
  - {name: renamed, preset: sidekiq-8}
  - {name: other, preset: {name: sidekiq-8, unit: 2s}, first_wait: 3m}
  - {name: short, preset: celery-default-retry-delay}
`
	want := []string{
		"at once; 2 attempts", "1 s; polled every 10 s",
		"15 s + 1 s × n⁴ + U[0, 10 s × (n+1)), rounded down to 1 s; 26 attempts; ignores Retry-After; polled every 5 s × (1 ± 50%)",
		"sidekiq-8; polled every 5 s on average", "sidekiq-8; polled every 3.33 s on average", "sidekiq-8; first U[0, 3 min); not polled",
		"sidekiq-8; 2 attempts", "sidekiq-8", "sidekiq-8; breaker(gobreaker)", "sidekiq-8",
		"15 s + 2 s × n⁴ + U[0, 10 s × (n+1)), rounded down to 1 s; first U[0, 3 min); 26 attempts; ignores Retry-After; polled every 5 s × (1 ± 50%)",
		"3 min; 4 attempts; ignores Retry-After",
	}
	s, err := Load(Request{Source: "-", Stdin: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range s.Strategies {
		if got := s.Describe(e); got != want[i] {
			t.Errorf("Describe(%s) = %q, want %q", e.Name, got, want[i])
		}
	}
}
