package strategies

import "time"

// Immediate does not wait:
//
//	wait = 0
//
// The whole herd comes back at once, as often as the downstream can turn it away. It is the default of several clients
// (urllib3, axios-retry, tenacity) and the measure of how bad a retry can be.
type Immediate struct{}

var _ Uniform = Immediate{}

// Law returns the wait before retry n: always 0.
func (Immediate) Law(int) Law { return Law{Cap: NoBound} }

// Wait returns 0 and true.
func (Immediate) Wait(Attempt, float64) (time.Duration, bool) { return 0, true }
