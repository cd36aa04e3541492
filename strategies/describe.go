package strategies

import "time"

// WaitStats describe the wait before one retry of a worker that fails again and again.
type WaitStats struct {
	Retry               int           // from 1
	Min, Mean, P95, Max time.Duration // Max is the least upper bound; NoBound if there is none
	AtCapShare          float64       // the chance that the wait is the strategy's cap itself; 0 if it has none
	Exact               bool          // from a closed form or an integral; false if from draws, good to about 1 %
}

// A describer knows the statistics of its first waits.
type describer interface {
	describe(retries int) []WaitStats
}

// Describe returns the statistics of the first waits of a worker that fails, and never resets its backoff. For a
// strategy of this package they are exact. Another is integrated over u if it says, by ReadsPrevious and ReadsSlept,
// that its waits depend on the retry's number and u alone, and is drawn from otherwise. Every attempt it is shown was
// Rejected at once and without a Retry-After. The table ends early where the strategy gives up.
func Describe(s Strategy, retries int) []WaitStats {
	if d, ok := s.(describer); ok {
		return d.describe(retries)
	}
	if u, ok := s.(Uniform); ok {
		return fill(retries, func(retry int) WaitStats { return u.Law(retry - 1).describe(retry) })
	}
	if ReadsPrevious(s) || ReadsSlept(s) {
		return describeDraws(s, retries)
	}
	return describeQuantiles(s, retries)
}

// fill returns the rows of retry 1, 2, ... retries.
func fill(retries int, row func(retry int) WaitStats) []WaitStats {
	rows := make([]WaitStats, 0, max(retries, 0))
	for retry := 1; retry <= retries; retry++ {
		rows = append(rows, row(retry))
	}
	return rows
}

func (s Memoryless) describe(retries int) []WaitStats {
	p95, _ := s.Wait(Attempt{}, 0.95)
	return fill(retries, func(retry int) WaitStats {
		return WaitStats{Retry: retry, Mean: max(s.Mean, 0), P95: p95, Max: NoBound, Exact: true}
	})
}

func (s Decorrelated) describe(retries int) []WaitStats {
	if s.FromPrevious || s.First.Is {
		return describeChain(s, retries)
	}
	first := s.Law(0)
	if !(first.Width > 1e-9*float64(s.Base)) || s.Base >= limit(s.Cap) { // there is no luck in it, or next to none
		return fill(retries, func(retry int) WaitStats { return first.describe(retry) })
	}
	var c *chain
	longest := time.Duration(0)
	return fill(retries, func(retry int) WaitStats {
		row := s.Law(longest).describe(retry)
		longest = row.Max
		if retry == 1 {
			c = newChain(s, retries)
			return row
		}
		c.next()
		row.Mean, row.P95, row.AtCapShare = nanoseconds(c.mean()), nanoseconds(c.exceeded(0.05)), 0
		if s.Cap > 0 {
			row.AtCapShare = c.atMost
		}
		return row
	})
}

// nanoseconds rounds to a Duration that is not negative.
func nanoseconds(x float64) time.Duration { return Law{Low: x, Cap: NoBound}.At(0) }
