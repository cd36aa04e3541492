package scenarios

import (
	"context"
	"strings"
	"testing"

	"herdsim/sim"
)

// A client that never waits is refused because time would stand still; a budget or a breaker lets it pass.
func TestGuardsLetTimePass(t *testing.T) {
	for guard, want := range map[string]bool{
		"retry-budget: finagle": true, "retry-tokens: brooker": true, "retry-quota: aws": true, "retry-throttling: grpc": true,
		"retry-breaker: brooker": true, "breaker: gobreaker": true, "throttle: sre-book": true, "token-bucket: client-go": true,
		"concurrent-retries: envoy": false, "adaptive-rate: aws": false, "concurrency-limit: {limit: 5}": false,
	} {
		text := "name: x\nworkers: 10\ndownstream: {slots: 1, service: 1s, outages: [{from: 0s, to: 1s}]}\n" +
			"guards: [" + guard + "]\nstrategies: [immediate]\nhorizon: 1m\nmax_events: 2_000_000\n"
		s, err := Load(Request{Source: "-", Stdin: strings.NewReader(text)})
		if got := err == nil; got != want {
			t.Errorf("%s: Load gives %v, want success %v", guard, err, want)
		}
		if err != nil {
			continue
		}
		if r := sim.Run(context.Background(), s.Config(0, 1)); r.End == sim.AtMaxEvents {
			t.Errorf("%s: time stands still at %v", guard, r.EndedAt)
		}
	}
}
