package strategies

import "time"

// WaitStats describe the wait before one retry of a worker that fails again and again.
type WaitStats struct {
	Retry               int           // from 1
	Min, Mean, P95, Max time.Duration // Max is the least upper bound; NoBound for none
	AtCapShare          float64       // the chance that the wait is the strategy's cap exactly
	Exact               bool          // from a closed form or an integral; else from draws, good to about 1 %
}
