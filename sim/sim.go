// Package sim is the engine: a discrete-event simulation of a herd of workers that retry against one downstream.
package sim

import "context"

// Run lets time pass: it plays the run that cfg describes until no event is left, the horizon, the limit on events, or
// the context ends it, and returns what was recorded.
func Run(ctx context.Context, cfg Config) *Result {
	panic("sim: under construction")
}
