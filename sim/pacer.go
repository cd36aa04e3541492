package sim

import (
	"math"
	"math/bits"
	"time"

	"herdsim/downstream"
)

// pacer is the coordinator of the paced reference: place p has its turn at
//
//	recovery + floor(p / slots) × mean service
//
// or, if the rate limit gives its token later, then. No real client can know this. A worker that is turned away takes
// the next free place that is still to come.
type pacer struct {
	cfg      downstream.Config
	recovery Time
	mean     time.Duration
	place    int64
}

func newPacer(cfg downstream.Config) pacer {
	p := pacer{cfg: cfg, recovery: cfg.Recovery(), mean: cfg.Service.Mean()}
	if cfg.MostInService() == math.MaxInt {
		p.mean = 0 // nobody has to wait for a slot
	}
	return p
}

// next returns the next free turn after now.
func (p *pacer) next(now Time) Time {
	for {
		t := p.turn(p.place)
		if t > now {
			end := p.upAgain(t)
			if end == t {
				p.place++
				return t
			}
			now = end - 1
		}
		if p.mean == 0 && p.cfg.RateLimit == nil {
			// No place is ever taken. One that was turned away all the same comes back a little later.
			return p.upAgain(max(now+leastPutOff, p.recovery))
		}
		p.skipTo(now)
	}
}

func (p *pacer) turn(place int64) Time {
	t := mulSaturated(place/int64(p.cfg.MostInService()), p.mean)
	if l := p.cfg.RateLimit; l != nil && place >= int64(l.Burst) {
		t = max(t, tokenAt(*l, place-int64(l.Burst)+1))
	}
	return addSaturated(p.recovery, t)
}

// tokenAt returns when a bucket that was empty has gained n tokens, if each is spent as soon as it is there: a
// nanosecond early is too early. That is after ceil(n × Per / Events), but if there is room for one token only, what it
// gains beyond it within a nanosecond is lost, and each takes ceil(Per / Events).
func tokenAt(l downstream.RateLimit, n int64) Time {
	if l.Burst == 1 {
		return mulSaturated(n, timeOf(l.Rate, 1))
	}
	return timeOf(l.Rate, n)
}

// timeOf returns in how many nanoseconds, rounded up, a rate brings n events.
func timeOf(r downstream.Rate, n int64) Time {
	hi, lo := bits.Mul64(uint64(n), uint64(r.Per))
	if hi >= uint64(r.Events) {
		return math.MaxInt64
	}
	t, rest := bits.Div64(hi, lo, uint64(r.Events))
	if rest > 0 {
		t++
	}
	return Time(min(t, math.MaxInt64))
}

// skipTo moves on to the first place whose turn is after now, by doubling and halving: turns never go back.
func (p *pacer) skipTo(now Time) {
	lo, step := p.place, int64(1)
	for p.turn(lo+step) <= now && step < 1<<61 {
		lo, step = lo+step, 2*step
	}
	hi := lo + step
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; p.turn(mid) <= now {
			lo = mid
		} else {
			hi = mid
		}
	}
	p.place = hi
}

// upAgain returns t, or the end of the full outage that t lies in.
func (p *pacer) upAgain(t Time) Time {
	for _, o := range p.cfg.Outages {
		if o.Full() && o.From <= t && t < o.To {
			t = o.To
		}
	}
	return t
}

func mulSaturated(n int64, d time.Duration) time.Duration {
	if d > 0 && n > math.MaxInt64/int64(d) {
		return math.MaxInt64
	}
	return time.Duration(n) * d
}

func addSaturated(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// saturated turns nanoseconds that are not negative into a Duration.
func saturated(ns float64) time.Duration {
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}
