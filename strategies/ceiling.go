package strategies

import (
	"math"
	"math/bits"
	"time"
)

// limit returns the cap as a bound: NoBound where there is none.
func limit(most time.Duration) time.Duration {
	if most <= 0 {
		return NoBound
	}
	return most
}

// exponent returns the exponent of a retry: first + n, at least first, at most the largest int.
func exponent(n, first int) int {
	n, first = max(n, 0), max(first, 0)
	if n > math.MaxInt-first {
		return math.MaxInt
	}
	return n + first
}

// ceiling returns min(limit, base × factorⁿ), for n >= 0. It is exact for factor 2, otherwise rounded to a nanosecond.
// It never decreases in n if factor is 1 or at least 1 + 10⁻⁷; closer to 1 the rounding of the power may show.
func ceiling(base time.Duration, factor float64, n int, limit time.Duration) time.Duration {
	switch {
	case base <= 0:
		return 0
	case n == 0:
		return min(base, limit)
	case factor == 2: // the usual factor, and the only one for which integers are the quick way
		if base <= limit>>n { // 0 for the largest n
			return base << uint(n)
		}
		return limit
	}
	x := float64(base) * power(factor, n)
	if !(x < float64(limit)) { // also if it is no number
		return limit
	}
	return time.Duration(math.RoundToEven(max(x, 0)))
}

// power returns fⁿ by squaring, +Inf as soon as it is known to exceed every Duration. math.Pow costs five times as much
// and is not the same to the last bit on all machines.
func power(f float64, n int) float64 {
	p := 1.0
	for n > 0 {
		if n&1 != 0 {
			p *= f
		}
		n >>= 1
		if n > 0 && f > 1<<63 {
			return math.Inf(1)
		}
		f *= f
	}
	return p
}

// times returns min(limit, d × k) in whole nanoseconds, for k >= 0.
func times(d time.Duration, k int, limit time.Duration) time.Duration {
	if d <= 0 || k <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(d), uint64(k))
	if hi != 0 || lo > uint64(limit) {
		return limit
	}
	return time.Duration(lo)
}
