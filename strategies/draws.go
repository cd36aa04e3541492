package strategies

import (
	"math"
	"slices"
	"sort"
	"time"

	"gonum.org/v1/gonum/integrate/quad"
)

// topU is the largest u there is, of 53 bits: the u of the longest wait.
const topU = 1 - 1.0/(1<<53)

// describeQuantiles describes a strategy whose waits depend on the retry's number and u alone. If a wait never decreases
// in u, it is the u-quantile: its percentiles are read off, its mean is the integral.
func describeQuantiles(s Strategy, retries int) []WaitStats {
	rows := make([]WaitStats, 0, max(retries, 0))
	for retry := 1; retry <= retries; retry++ {
		quantile := func(u float64) (time.Duration, bool) {
			return s.Wait(Attempt{Retry: retry, SinceReset: retry, Outcome: Rejected}, u)
		}
		again, plain := survey(quantile)
		if !plain {
			return describeDraws(s, retries)
		}
		if !again {
			break
		}
		at := func(u float64) time.Duration { wait, _ := quantile(u); return wait }
		row := WaitStats{Retry: retry, Min: at(0), Mean: mean(at), P95: at(0.95), Max: at(topU), Exact: true}
		if most := capOf(s); most > 0 {
			row.AtCapShare = shareFrom(at, most)
		}
		rows = append(rows, row)
	}
	return rows
}

// survey looks at a quantile function on a grid: does the strategy go on, and is the function plain, that is, the same
// in this for all u and never decreasing?
func survey(quantile func(u float64) (time.Duration, bool)) (again, plain bool) {
	const grid = 512
	last, again := quantile(0)
	for i := 1; i <= grid; i++ {
		wait, more := quantile(min(float64(i)/grid, topU))
		if more != again || wait < last {
			return again, false
		}
		last = wait
	}
	return again, true
}

// mean integrates a quantile function over u. A panel is halved until that no longer changes its part, so kinks and
// steps are closed in on.
func mean(at func(u float64) time.Duration) time.Duration {
	f := func(u float64) float64 { return float64(at(u)) }
	// The values are rounded to a nanosecond, or to what a float holds, so a panel's average is not known better; nor
	// does a step matter whose panel contributes a hundredth of that.
	unit := 1 + 1e-14*f(topU)
	const narrowest = 1e-15
	var integrate func(from, to, guess float64) float64
	integrate = func(from, to, guess float64) float64 {
		middle := (from + to) / 2
		left := quad.Fixed(f, from, middle, points, quad.Legendre{}, 0)
		right := quad.Fixed(f, middle, to, points, quad.Legendre{}, 0)
		off := math.Abs(left + right - guess)
		if off <= unit*max(to-from, 0.01) || to-from < narrowest {
			return left + right
		}
		return integrate(from, middle, left) + integrate(middle, to, right)
	}
	sum := 0.0
	const panels = 32
	for i := range panels {
		from, to := float64(i)/panels, float64(i+1)/panels
		sum += integrate(from, to, quad.Fixed(f, from, to, points, quad.Legendre{}, 0))
	}
	return nanoseconds(sum)
}

// shareFrom returns the measure of the u whose wait is at least the given one.
func shareFrom(at func(u float64) time.Duration, wait time.Duration) float64 {
	const steps = 1 << 53
	first := sort.Search(steps, func(i int) bool { return at(float64(i)/steps) >= wait })
	share := float64(steps-first) / steps
	if share < 1e-6 { // the open end of an interval, rounded up
		return 0
	}
	return share
}

// draws is how many workers stand for all where waits depend on the worker's past.
const draws = 1 << 15

// describeDraws describes any strategy by what a population of workers draws. At each retry the u are spread evenly over
// [0, 1) and dealt to the workers anew, which is far more exact than as many independent draws.
func describeDraws(s Strategy, retries int) []WaitStats {
	rows := make([]WaitStats, 0, max(retries, 0))
	workers := make([]Attempt, draws)
	waits := make([]time.Duration, 0, draws)
	for retry := 1; retry <= retries; retry++ {
		waits = waits[:0]
		sum, atCap, most := 0.0, 0, capOf(s)
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
			sum += float64(wait)
			if most > 0 && wait == most {
				atCap++
			}
		}
		n := len(waits)
		if n == 0 {
			break
		}
		workers = workers[:n]
		slices.Sort(waits)
		rows = append(rows, WaitStats{
			Retry: retry, Min: waits[0], Mean: nanoseconds(sum / float64(n)), P95: waits[(95*n+99)/100-1], Max: waits[n-1],
			AtCapShare: float64(atCap) / float64(n),
		})
	}
	return rows
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
