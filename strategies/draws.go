package strategies

import (
	"slices"
	"time"
)

// draws is how many workers stand for all where waits depend on the worker's past.
const draws = 1 << 15

// describeDraws describes any strategy by what a population of workers draws.
func describeDraws(s Strategy, retries int) []WaitStats {
	rows := make([]WaitStats, 0, max(retries, 0))
	most := capOf(s)
	drawWaits(s, retries, func(retry int, waits []time.Duration) {
		sum, atCap, n := 0.0, 0, len(waits)
		for _, wait := range waits {
			sum += float64(wait)
			if most > 0 && wait == most {
				atCap++
			}
		}
		rows = append(rows, WaitStats{
			Retry: retry, Min: waits[0], Mean: nanoseconds(sum / float64(n)), P95: waits[(95*n+99)/100-1], Max: waits[n-1],
			AtCapShare: float64(atCap) / float64(n),
		})
	})
	return rows
}

// drawWaits hands over, for each of the first retries, the waits of a population of workers in rising order, until all
// have given up. At each retry the u are spread evenly over [0, 1) and dealt to the workers anew, which is far more exact
// than as many independent draws.
func drawWaits(s Strategy, retries int, row func(retry int, waits []time.Duration)) {
	workers := make([]Attempt, draws)
	waits := make([]time.Duration, 0, draws)
	for retry := 1; retry <= retries; retry++ {
		waits = waits[:0]
		for i, a := range workers {
			a.Retry, a.SinceReset, a.Outcome = retry, retry, Rejected
			u := (float64(deal(i, retry)) + 0.5) / draws
			wait, again := s.Wait(a, u)
			if !again {
				continue
			}
			a.Previous, a.PreviousU, a.Slept = wait, u, plus(a.Slept, wait)
			a.Now, a.Elapsed = a.Slept, a.Slept
			workers[len(waits)] = a
			waits = append(waits, wait)
		}
		if len(waits) == 0 {
			return
		}
		workers = workers[:len(waits)]
		slices.Sort(waits)
		row(retry, waits)
	}
}

// deal maps 0 .. draws-1 onto itself in an order of each retry's own: every step can be undone within the 15 bits.
func deal(i, retry int) int {
	x := uint32(i)
	for range 3 {
		x = (x*0x2c9277b5 + uint32(retry)*0x9e3779b1) % draws
		x ^= x >> 8
	}
	return int(x)
}

// plus adds two durations that are not negative, at most to NoBound.
func plus(a, b time.Duration) time.Duration {
	if a > NoBound-b {
		return NoBound
	}
	return a + b
}
