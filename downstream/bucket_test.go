package downstream

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// fractions is a token bucket that counts in fractions and looks at a clock.
type fractions struct {
	perNs, full, tokens *big.Rat
	at                  time.Duration
	promised            *big.Rat // when the last token comes that somebody was told of
}

func newFractions(l RateLimit) *fractions {
	return &fractions{
		perNs: big.NewRat(l.Rate.Events, int64(l.Rate.Per)), full: big.NewRat(int64(l.Burst), 1),
		tokens: big.NewRat(int64(l.Burst), 1), promised: new(big.Rat),
	}
}

var one = big.NewRat(1, 1)

func (f *fractions) take(now time.Duration) (ok bool, tokenAt *big.Rat) {
	f.tokens.Add(f.tokens, new(big.Rat).Mul(f.perNs, big.NewRat(int64(now-f.at), 1)))
	f.at = now
	if f.tokens.Cmp(f.full) > 0 {
		f.tokens.Set(f.full)
	}
	if f.tokens.Cmp(one) >= 0 {
		f.tokens.Sub(f.tokens, one)
		return true, nil
	}
	if f.perNs.Sign() == 0 {
		return false, big.NewRat(math.MaxInt64, 1)
	}
	t, missing := big.NewRat(int64(now), 1), one
	if f.promised.Cmp(t) <= 0 {
		f.promised, missing = t, new(big.Rat).Sub(one, f.tokens)
	}
	f.promised = new(big.Rat).Add(f.promised, new(big.Rat).Quo(missing, f.perNs))
	return false, f.promised
}

// isCeil reports whether t is x rounded up, or the longest Duration if x is longer.
func isCeil(t time.Duration, x *big.Rat) bool {
	longest := big.NewRat(math.MaxInt64, 1)
	if x.Cmp(longest) >= 0 {
		return t == math.MaxInt64
	}
	d := new(big.Rat).Sub(big.NewRat(int64(t), 1), x)
	return d.Sign() >= 0 && d.Cmp(one) < 0
}

// The bucket agrees with fractions to the nanosecond, at any rate, burst and gap between requests.
func TestBucketIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), rapid.Uint64().Draw(t, "more of it")))
		l := RateLimit{RetryAfter: true, Rate: Rate{
			Events: rapid.SampledFrom([]int64{0, 1, 3, 7, 12, 200, 999_999, 1_000_000_000}).Draw(t, "events"),
			Per:    rapid.SampledFrom([]time.Duration{1, 7, time.Millisecond, time.Second, time.Minute, time.Hour, 24 * time.Hour}).Draw(t, "per"),
		}}
		l.Burst = int(min(l.Rate.MaxBurst(), rapid.SampledFrom([]int64{1, 2, 3, 10, 1000, math.MaxInt64}).Draw(t, "burst")))
		var b bucket
		b.reset(l)
		model := newFractions(l)
		gap := time.Duration(r.Int64() >> r.IntN(63)) // of the order of the time between tokens, or not
		if l.Rate.Events > 0 && r.IntN(2) == 0 {
			gap = 2*l.Rate.Per/time.Duration(l.Rate.Events) + 2
		}
		var now time.Duration
		for range 200 {
			if r.IntN(3) == 0 {
				now = addSaturated(now, time.Duration(r.Int64N(int64(gap)+1)))
			}
			ok, after := b.take(now)
			want, at := model.take(now)
			if ok != want {
				t.Fatalf("%+v at %d: %v, want %v", l, now, ok, want)
			}
			if !ok && (after <= 0 && now < math.MaxInt64 || l.Rate.Events > 0 && !isCeil(now+after, at) || l.Rate.Events == 0 && after != math.MaxInt64) {
				t.Fatalf("%+v at %d: come back in %d, want at %v", l, now, after, at.FloatString(3))
			}
		}
	})
}

// Who is told when to come, and comes then, has a token, if nobody else comes between.
func TestWhoComesWhenToldHasAToken(t *testing.T) {
	for _, rate := range []Rate{{1, time.Second}, {12, time.Minute}, {3, time.Second}, {999_999, 24 * time.Hour}, {7, 50}} {
		var b bucket
		b.reset(RateLimit{Rate: rate, Burst: 5, RetryAfter: true})
		var told []time.Duration
		for i := range 110_000 {
			ok, after := b.take(0)
			if ok != (i < 5) {
				t.Fatalf("%v: request %d of a burst of 5: %v", rate, i, ok)
			}
			if !ok {
				told = append(told, after)
			}
		}
		for i, at := range told {
			// The i-th token comes after (i+1) Per/Events.
			want := new(big.Rat).Mul(big.NewRat(int64(i+1), 1), big.NewRat(int64(rate.Per), rate.Events))
			if !isCeil(at, want) {
				t.Fatalf("%v: asker %d is told %v, want %s ns", rate, i, at, want.FloatString(3))
			}
			if ok, _ := b.take(at); !ok {
				t.Fatalf("%v: asker %d comes at %v, as told, and is turned away", rate, i, at)
			}
		}
	}
}

func TestBucketWithoutRetryAfterSaysNothing(t *testing.T) {
	var b bucket
	b.reset(RateLimit{Rate: Rate{1, time.Second}, Burst: 1})
	b.take(0)
	if ok, after := b.take(0); ok || after != 0 {
		t.Errorf("take = %v, %v, want false, 0s", ok, after)
	}
}

func TestBucketHoldsNoMoreThanItsBurst(t *testing.T) {
	var b bucket
	b.reset(RateLimit{Rate: Rate{10, time.Second}, Burst: 3})
	for range 3 {
		b.take(0)
	}
	for i, want := range []bool{true, true, true, false} {
		if ok, _ := b.take(time.Hour); ok != want {
			t.Errorf("request %d an hour later: %v, want %v", i, ok, want)
		}
	}
	if ok, _ := b.take(time.Hour + 100*time.Millisecond - 1); ok {
		t.Error("a token comes a nanosecond early")
	}
	if ok, _ := b.take(time.Hour + 100*time.Millisecond); !ok {
		t.Error("a token does not come after 100ms")
	}
}
