package scenarios

import (
	"slices"
	"strings"
	"testing"
)

func TestPartsAreSpoken(t *testing.T) {
	t.Chdir("testdata/accepted")
	for file, want := range map[string][]string{
		"smallest.yaml": nil,
		"parts.yaml": {
			"newest first above 50 waiting", "overflow dropped", "at most 500 inside", "queue timeout 100 ms (standing 5 ms)",
			"Retry-After place in line × (1 + U[0, 100%))", "slowdown σ 5%, κ 0.05%", "warm-up from 20% in 5,000 requests",
			"rate limit ramps up from 10% in 60 s", "cache with 90% hits", "pool of 10 connections",
			"optimistic concurrency on one row", "crashes for 30 s above 400 inside or above 300 waiting or after 3 failed probes",
		},
		"parts-plain.yaml": {
			"tiers of 4 × 4 × 3 × 2 attempts (deadlines passed)", "queue timeout 1 s", "Retry-After 5 s",
			"slower by 100% for each other request in service", "warm-up from 50% in 60 s", "cache with 100% hits",
			"crashes for 30 s above 400 inside",
		},
	} {
		s, err := Load(Request{Source: file})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Spoken(); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", file, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
