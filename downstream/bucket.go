package downstream

import (
	"math"
	"math/bits"
	"time"
)

// bucket is a token bucket in exact integers: levels are in units of 1/Per tokens, of which Events come in every
// nanosecond.
type bucket struct {
	limit    RateLimit
	full     int64 // Burst tokens
	level    int64
	promised int64 // how far ahead of now the last promised token comes, in the same units
	last     time.Duration
}

// MaxBurst returns the largest burst that a bucket of rate r can count exactly.
func (r Rate) MaxBurst() int64 { return math.MaxInt64/4/int64(r.Per) - 1 }

func (b *bucket) reset(l RateLimit) {
	*b = bucket{limit: l, full: int64(l.Burst) * int64(l.Rate.Per)}
	b.level = b.full
}

// take spends a token, or says how long it takes until the next one that is not yet promised comes.
func (b *bucket) take(now time.Duration) (ok bool, retryAfter time.Duration) {
	gain := mulSaturated(b.limit.Rate.Events, int64(now-b.last))
	b.last = now
	b.level += min(gain, b.full-b.level)
	b.promised -= min(gain, b.promised)
	token := int64(b.limit.Rate.Per)
	if b.level >= token {
		b.level -= token
		return true, 0
	}
	if !b.limit.RetryAfter {
		return false, 0
	}
	if b.promised == 0 {
		b.promised = token - b.level
	} else if b.promised <= math.MaxInt64-token {
		b.promised += token
	}
	if b.limit.Rate.Events == 0 {
		return false, math.MaxInt64
	}
	return false, time.Duration(1 + (b.promised-1)/b.limit.Rate.Events)
}

// mulSaturated multiplies two numbers that are not negative.
func mulSaturated(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}
