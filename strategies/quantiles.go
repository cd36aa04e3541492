package strategies

import (
	"math"
	"time"

	"gonum.org/v1/gonum/integrate/quad"
)

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
	sum, from := 0.0, 0.0
	for _, to := range panelEnds {
		sum += integrate(from, to, quad.Fixed(f, from, to, points, quad.Legendre{}, 0))
		from = to
	}
	return nanoseconds(sum)
}

// panelEnds cut [0, 1] into panels to begin with: even ones in the middle, ever smaller ones towards the ends. There,
// what a wait does before it is clipped can hide from the points of a wide panel.
var panelEnds = func() (ends []float64) {
	const finest, coarse = 40, 5
	for i := finest; i > coarse; i-- {
		ends = append(ends, math.Ldexp(1, -i))
	}
	for i := range 1<<coarse - 1 {
		ends = append(ends, math.Ldexp(float64(i+1), -coarse))
	}
	for i := coarse + 1; i <= finest; i++ {
		ends = append(ends, 1-math.Ldexp(1, -i))
	}
	return append(ends, 1)
}()

// shareFrom returns the measure of the u whose wait is at least the given one.
func shareFrom(at func(u float64) time.Duration, wait time.Duration) float64 {
	if at(0) >= wait {
		return 1
	}
	below, from := 0.0, 1.0
	for range 53 {
		if middle := (below + from) / 2; at(middle) >= wait {
			from = middle
		} else {
			below = middle
		}
	}
	if from > 1-1e-6 { // the open end of an interval, rounded up
		return 0
	}
	return 1 - from
}
