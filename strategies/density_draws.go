package strategies

import (
	"math"
	"slices"
	"time"
)

const (
	densityRounds = 8       // each of as many clients as a table of waits is drawn from
	densitySteps  = 1 << 24 // retries of all clients together
)

// densityDraws adds the retries of a population of clients, evenly dealt u at each retry, to the windows.
func densityDraws(s Strategy, step time.Duration, bins []float64) {
	const one = 1.0 / (draws * densityRounds)
	left := densitySteps
	clients := make([]Attempt, draws)
	for round := range densityRounds {
		here := clients[:draws]
		clear(here)
		for retry := 1; len(here) > 0; retry++ {
			alive := here[:0]
			for i, a := range here {
				a.Retry, a.SinceReset, a.Outcome = retry, retry, Rejected
				u := (float64(deal(i, retry+round*7919)) + (float64(round)+0.5)/densityRounds) / draws
				wait, again := s.Wait(a, u)
				if left--; !again {
					continue
				}
				a.Previous, a.PreviousU, a.Slept = wait, u, plus(a.Slept, wait)
				a.Now, a.Elapsed = a.Slept, a.Slept
				if j := a.Slept / step; int64(j) < int64(len(bins)) {
					bins[j] += one
					alive = append(alive, a)
				}
			}
			if here = alive; left < 0 { // they hardly wait at all
				bins[0] = math.Inf(1)
				return
			}
		}
	}
}

// Quantiles returns, for each of the first retries, the waits that the shares 1/2n, 3/2n, … of all clients stay below: n
// waits in rising order, each standing for an equal part. They are exact if waits depend on the retry's number and u
// alone, else from 2¹⁵ clients. There are fewer retries if the strategy gives up.
func Quantiles(s Strategy, retries, n int) [][]time.Duration {
	if ReadsPrevious(s) || ReadsSlept(s) {
		return quantilesOfDraws(s, retries, n)
	}
	rows := make([][]time.Duration, 0, max(retries, 0))
	for retry := 1; retry <= retries; retry++ {
		at, again := waitAt(s, retry)
		if !again {
			break
		}
		row := make([]time.Duration, n)
		for i := range row {
			row[i] = at((float64(i) + 0.5) / float64(n))
		}
		slices.Sort(row)
		rows = append(rows, row)
	}
	return rows
}

func quantilesOfDraws(s Strategy, retries, n int) [][]time.Duration {
	rows := make([][]time.Duration, 0, max(retries, 0))
	drawWaits(s, retries, func(_ int, waits []time.Duration) {
		row := make([]time.Duration, n)
		for i := range row {
			row[i] = waits[(2*i+1)*len(waits)/(2*n)]
		}
		rows = append(rows, row)
	})
	return rows
}
