package sim

import (
	"container/heap"
	"math"
	"math/big"
	"time"

	"herdsim/downstream"
	"herdsim/strategies"
)

// A class says what comes first at one instant.
type class int

const (
	changes class = iota
	departures
	answers
	timeouts
	arrivals
	openings // an open task appears; its first attempt is an arrival
)

// planned is something that is to come.
type planned struct {
	at            Time
	class         class
	task, attempt int64
	call          *refCall // whose departure it is; nil for others
	void          bool
	do            func()
}

// plan is a heap of them, in the order of the model.
type plan []*planned

func (p plan) Len() int      { return len(p) }
func (p plan) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p *plan) Push(x any)   { *p = append(*p, x.(*planned)) }
func (p *plan) Pop() any {
	last := len(*p) - 1
	x := (*p)[last]
	*p = (*p)[:last]
	return x
}
func (p plan) Less(i, j int) bool {
	a, b := p[i], p[j]
	switch {
	case a.at != b.at:
		return a.at < b.at
	case a.class != b.class:
		return a.class < b.class
	case a.task != b.task:
		return a.task < b.task
	}
	return a.attempt < b.attempt
}

func (r *reference) schedule(p *planned) *planned {
	if p.class != changes {
		r.live++
	}
	heap.Push(&r.plan, p)
	return p
}

func (r *reference) cancel(p *planned) {
	if p != nil && !p.void {
		p.void = true
		r.live--
	}
}

// peek returns what comes next, nil if there is nothing.
func (r *reference) peek() *planned {
	for len(r.plan) > 0 && r.plan[0].void {
		heap.Pop(&r.plan)
	}
	if len(r.plan) == 0 {
		return nil
	}
	return r.plan[0]
}

// retry decides what a task does after an attempt that failed.
func (r *reference) retry(c *refCall, after time.Duration) {
	t := c.task
	if limit := t.limits.MaxAttempts; limit > 0 && c.number >= int64(limit) {
		r.deadLetter(t)
		return
	}
	wait, again := r.wait(c, after)
	if !again {
		r.deadLetter(t)
		return
	}
	if !r.cfg.IgnoreRetryAfter {
		wait = max(wait, after)
	}
	at := later(r.now, wait)
	begun := t.calls[0].sent
	if limit := t.limits.MaxElapsed; limit > 0 && at-begun > limit {
		r.deadLetter(t)
		return
	}
	if limit := t.limits.Deadline; limit > 0 && at-begun >= limit {
		r.deadLetter(t)
		return
	}
	r.send(t, at)
}

func (r *reference) wait(c *refCall, after time.Duration) (wait time.Duration, again bool) {
	t, waits := c.task, newStream(r.cfg.Seed, forWait)
	u := waits.uniform(c.key())
	if r.cfg.FirstWait > 0 && c.number == 1 {
		return time.Duration(u * float64(r.cfg.FirstWait)), true
	}
	if r.cfg.Paced {
		return r.turnAfter(r.now) - r.now, true
	}
	a := strategies.Attempt{
		Worker: int(t.number), Retry: int(c.number), SinceReset: int(c.number), Outcome: c.outcome,
		Now: r.now, Elapsed: r.now - t.calls[0].sent, Previous: t.previous, Slept: t.slept,
		RetryAfter: after, HasRetryAfter: after > 0,
	}
	if c.number > 1 {
		a.PreviousU = waits.uniform(uint64(t.number), uint64(c.number-1))
	}
	wait, again = r.cfg.Strategy.Wait(a, u)
	t.previous = wait
	t.slept = later(t.slept, wait)
	return wait, again
}

// turnAfter gives away the next place of the coordinator whose turn is to come and finds the downstream up.
func (r *reference) turnAfter(now Time) Time {
	d := r.cfg.Downstream
	if (d.Service.Mean() == 0 || r.most() == math.MaxInt) && d.RateLimit == nil {
		t := d.Recovery() // everybody has a place at any time from then on
		if t <= now {
			t = now + leastPutOff
		}
		for o, in := r.outage(t); in && o.Full(); o, in = r.outage(t) {
			t = o.To
		}
		return t
	}
	for {
		t := r.turn(r.place)
		r.place++
		o, in := r.outage(t)
		if t == math.MaxInt64 || t > now && !(in && o.Full()) {
			return t
		}
	}
}

// turn returns when a place has its turn: when a slot is free for it, and the rate limit has its token.
func (r *reference) turn(place int64) Time {
	d := r.cfg.Downstream
	turn := big.NewInt(place / int64(r.most()))
	turn.Mul(turn, big.NewInt(int64(d.Service.Mean())))
	if l := d.RateLimit; l != nil && place >= int64(l.Burst) {
		if l.Rate.Events == 0 {
			return math.MaxInt64
		}
		tokens, period := big.NewRat(place-int64(l.Burst)+1, 1), big.NewRat(int64(l.Rate.Per), l.Rate.Events)
		if l.Burst == 1 { // what comes after a whole token, until it is spent at the next nanosecond, is lost
			period.SetInt(ceil(period))
		}
		if at := ceil(tokens.Mul(tokens, period)); at.Cmp(turn) > 0 {
			turn = at
		}
	}
	turn.Add(turn, big.NewInt(int64(d.Recovery())))
	return clip(turn)
}

// outage returns the outage that an instant lies in.
func (r *reference) outage(t Time) (o downstream.Outage, in bool) {
	for _, o := range r.cfg.Downstream.Outages {
		if o.From <= t && t < o.To {
			return o, true
		}
	}
	return o, false
}

// draw returns a random duration of d for a call, 0 if d is nil.
func (r *reference) draw(d downstream.Distribution, p purpose, c *refCall) time.Duration {
	if d == nil {
		return 0
	}
	var src source
	task, attempt := c.key()
	src.seed(newStream(r.cfg.Seed, p), task, attempt)
	return d.Draw(&src)
}

// refBucket is a token bucket in exact fractions.
type refBucket struct {
	limit    downstream.RateLimit
	perNs    *big.Rat // tokens
	tokens   *big.Rat
	at       Time
	promised *big.Rat // the instant of the last token that somebody was told of
}

func newRefBucket(l downstream.RateLimit) *refBucket {
	return &refBucket{limit: l, perNs: big.NewRat(l.Rate.Events, int64(l.Rate.Per)), tokens: big.NewRat(int64(l.Burst), 1),
		promised: big.NewRat(-1, 1)}
}

func (b *refBucket) take(now Time) (ok bool, retryAfter time.Duration) {
	one := big.NewRat(1, 1)
	b.tokens.Add(b.tokens, new(big.Rat).Mul(b.perNs, big.NewRat(int64(now-b.at), 1)))
	if full := big.NewRat(int64(b.limit.Burst), 1); b.tokens.Cmp(full) > 0 {
		b.tokens = full
	}
	b.at = now
	if b.tokens.Cmp(one) >= 0 {
		b.tokens.Sub(b.tokens, one)
		return true, 0
	}
	switch {
	case !b.limit.RetryAfter:
		return false, 0
	case b.perNs.Sign() == 0:
		return false, math.MaxInt64
	}
	t := big.NewRat(int64(now), 1)
	if b.promised.Cmp(t) > 0 {
		b.promised.Add(b.promised, new(big.Rat).Inv(b.perNs))
	} else {
		missing := new(big.Rat).Sub(one, b.tokens)
		b.promised = new(big.Rat).Add(t, missing.Quo(missing, b.perNs))
	}
	return false, clip(ceil(new(big.Rat).Sub(b.promised, t)))
}

// ceil rounds a fraction that is not negative up.
func ceil(x *big.Rat) *big.Int {
	q, rest := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// clip returns x, or the longest Duration if x is longer.
func clip(x *big.Int) time.Duration {
	if !x.IsInt64() {
		return math.MaxInt64
	}
	return time.Duration(x.Int64())
}

// later returns t + d, or the largest Time.
func later(t Time, d time.Duration) Time {
	if sum := t + d; sum >= t {
		return sum
	}
	return math.MaxInt64
}
