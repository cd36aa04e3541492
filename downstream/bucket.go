package downstream

import (
	"math"
	"math/bits"
	"time"
)

// bucket is a token bucket in exact integers: levels are in units of 1/Per tokens, of which Events come in every
// nanosecond.
type bucket struct {
	limit RateLimit
	full  int64 // Burst tokens
	level int64
	last  time.Duration

	// The last token that somebody was told of comes part/Events of a nanosecond after promised.
	promised time.Duration
	part     int64
	started  time.Duration // of the ramp
	ramps    bool
}

// MaxBurst returns the largest burst that a bucket of rate r can count exactly.
func (r Rate) MaxBurst() int64 { return math.MaxInt64/4/int64(r.Per) - 1 }

func (b *bucket) reset(l RateLimit) {
	*b = bucket{limit: l, full: int64(l.Burst) * int64(l.Rate.Per)}
	b.level = b.full
}

// take spends a token, or says how long it takes until the next one that is not yet promised comes.
func (b *bucket) take(now time.Duration) (ok bool, retryAfter time.Duration) {
	b.earn(now)
	token := int64(b.limit.Rate.Per)
	if b.level >= token {
		b.level -= token
		return true, 0
	}
	if !b.limit.RetryAfter {
		return false, 0
	}
	return false, b.promise(now, token)
}

// start begins the ramp of the rate.
func (b *bucket) start(now time.Duration) {
	b.earn(now)
	b.started, b.ramps = now, b.limit.Ramp.Over > 0
}

// earn adds what has come in since the last time.
func (b *bucket) earn(now time.Duration) {
	span := int64(now - b.last)
	if b.ramps {
		span = b.limit.Ramp.grown(now-b.started) - b.limit.Ramp.grown(b.last-b.started)
		b.ramps = now-b.started < b.limit.Ramp.Over
	}
	b.last = now
	b.level += min(mulSaturated(b.limit.Rate.Events, span), b.full-b.level)
}

// grown returns the integral of the share over the time t since the start, in whole ns, so that the sum over pieces is
// that of the whole.
func (r Ramp) grown(t time.Duration) int64 {
	if t >= r.Over {
		return int64(t) - int64((1-r.From)*float64(r.Over)/2)
	}
	return int64(float64(t) * (r.From + (1-r.From)*float64(t)/float64(r.Over)/2))
}

// promise returns how long it takes until the next token that nobody was told of, rounded up.
func (b *bucket) promise(now time.Duration, token int64) (retryAfter time.Duration) {
	events := b.limit.Rate.Events
	if events == 0 {
		return math.MaxInt64
	}
	ahead := token
	if b.promised < now || b.promised == now && b.part == 0 {
		b.promised, b.part, ahead = now, 0, token-b.level
	}
	b.promised = addSaturated(b.promised, time.Duration(ahead/events))
	if b.part += ahead % events; b.part >= events {
		b.part -= events
		b.promised = addSaturated(b.promised, 1)
	}
	if b.part > 0 {
		return addSaturated(b.promised, 1) - now
	}
	return b.promised - now
}

// mulSaturated multiplies two numbers that are not negative.
func mulSaturated(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}
