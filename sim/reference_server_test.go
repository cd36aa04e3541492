package sim

import (
	"math"
	"math/big"
	"strconv"
	"time"

	"herdsim/downstream"
	"herdsim/strategies"
)

// refServer is what a downstream of the reference remembers, besides its queue and its slots.
type refServer struct {
	crashed bool
	crashes []Span
	up      *planned // the end of the crash

	cold   bool
	since  Time    // it started
	served int     // since then
	slow   float64 // share of the speed in an outage that slows down

	keys   float64 // filled
	keysAt Time
	idle   int // connections
	row    int // version

	emptyAt  Time    // when the queue was last empty
	promised float64 // the instant that was told last

	probe, answerBy *planned // the next one, and the end of the one that waits
	probeSent       Time
	failing         int

	states []StatePoint
}

// refBegun is what is known of a service at its beginning.
type refBegun struct {
	took   time.Duration
	row    int
	missed float64
}

// After the outages of an instant comes the end of a crash, then what concerns probes.
const (
	crashEnds = math.MaxInt64 - iota
	probeMoves
)

func loses(o downstream.Outage) bool { return o.Capacity == 0 && o.Mode != downstream.Stall }

func (r *reference) startServer() {
	d, s := r.cfg.Downstream, &r.server
	s.cold = d.WarmUp != nil && d.WarmUp.Cold
	if d.Cache != nil && !d.Cache.Cold {
		s.keys = float64(d.Cache.Keys)
	}
	if d.Pool != nil && d.Pool.Open {
		s.idle = d.Pool.Max
	}
	r.nextProbe()
}

// restart makes a downstream that was down start: cold, without connections.
func (r *reference) restart() {
	s := &r.server
	s.cold, s.since, s.served = r.cfg.Downstream.WarmUp != nil, r.now, 0
	s.keys, s.keysAt, s.idle = 0, r.now, 0
	r.nextProbe()
}

// down reports whether the downstream is down, and what that does to requests.
func (r *reference) down() (mode downstream.Mode, down bool) {
	if o, in := r.outage(r.now); in && loses(o) {
		return o.Mode, true
	}
	if r.server.crashed {
		return r.cfg.Downstream.Crash.Mode, true
	}
	return 0, false
}

// most returns how many requests may be in service at once.
func (r *reference) most() int {
	d := r.cfg.Downstream
	n := d.Slots
	if n == downstream.Unlimited {
		n = math.MaxInt
	}
	if d.Pool != nil {
		n = min(n, d.Pool.Max)
	}
	return min(n, r.room())
}

// room returns how many may be in slots and queue together.
func (r *reference) room() int {
	if n := r.cfg.Downstream.Concurrency; n > 0 {
		return n
	}
	return math.MaxInt
}

// slots returns how many slots take work now.
func (r *reference) slots() int {
	o, in := r.outage(r.now)
	_, down := r.down()
	switch {
	case down || in && o.Mode == downstream.Stall:
		return 0
	case !in || o.Mode == downstream.Slow:
		return r.most()
	}
	share, _ := new(big.Rat).SetString(strconv.FormatFloat(o.Capacity, 'g', -1, 64)) // the decimal that was written
	share.Mul(share, big.NewRat(int64(r.most()), 1))
	return max(1, int(new(big.Int).Quo(share.Num(), share.Denom()).Int64()))
}

func (r *reference) isFull() bool {
	limit := r.cfg.Downstream.Queue
	return limit != downstream.Unlimited && len(r.queue) >= limit || len(r.running)+len(r.queue) >= r.room()
}

func (r *reference) enqueue(c *refCall) {
	if len(r.queue) == 0 {
		r.server.emptyAt = r.now
	}
	if t := r.cfg.Downstream.QueueTimeout; t != nil {
		c.until = later(r.now, t.Interval)
		if r.now-r.server.emptyAt > t.Interval {
			c.until = later(r.now, t.Standing)
		}
	}
	r.queue = append(r.queue, c)
}

// takesNewest reports whether it is the newest's turn, and not the oldest's.
func (r *reference) takesNewest() bool {
	d := r.cfg.Downstream
	return d.Order == downstream.LIFO || d.Order == downstream.Adaptive && len(r.queue) > d.LIFOAbove
}

// nextInLine returns whose turn it is, -1 for nobody's.
func (r *reference) nextInLine() int {
	if n := len(r.queue); n == 0 || r.takesNewest() {
		return n - 1
	}
	return 0
}

// expireForRoom rejects, while the house is full, the oldest that has waited for too long.
func (r *reference) expireForRoom() {
	for r.cfg.Downstream.QueueTimeout != nil && len(r.queue) > 0 && r.isFull() && r.now > r.queue[0].until {
		c := r.queue[0]
		r.queue = r.queue[1:]
		r.expire(c)
	}
}

func (r *reference) expire(c *refCall) {
	c.left = r.now
	if !c.ended {
		r.reply(c, strategies.Rejected, r.asked(c))
	}
}

// asked returns what a rejection for want of room asks a worker to wait.
func (r *reference) asked(c *refCall) time.Duration {
	ask := r.cfg.Downstream.RetryAfter
	if ask == nil {
		return 0
	}
	wait := ask.Delay
	if ask.Place {
		capacity, bounded := r.cfg.Downstream.Capacity()
		s := &r.server
		s.promised = max(s.promised, float64(r.now))
		if bounded {
			s.promised += 1e9 / capacity
		}
		wait = saturated(math.Ceil(s.promised - float64(r.now)))
	}
	if ask.Jitter > 0 {
		u := newStream(r.cfg.Seed, forAsking).uniform(c.key())
		wait = later(wait, saturated(ask.Jitter*u*float64(wait)))
	}
	return wait
}

// beginService says how long the service of a call takes that begins now.
func (r *reference) beginService(c *refCall) refBegun {
	d, s := r.cfg.Downstream, &r.server
	b := refBegun{row: s.row}
	service, extra := r.draw(d.Service, forService, c), time.Duration(0)
	if d.Pool != nil && s.idle == 0 {
		extra = r.draw(d.Pool.Handshake, forHandshake, c)
	}
	s.idle = max(0, s.idle-1)
	if d.Contention == downstream.OCC {
		extra = later(extra, r.draw(r.cfg.Network, forReadReply, c))
		extra = later(extra, r.draw(r.cfg.Network, forWriteRequest, c))
	}
	if k := d.Cache; k != nil {
		u := newStream(r.cfg.Seed, forCache).uniform(c.key())
		switch share := r.cached(r.now); {
		case u < k.HitRatio*share:
			service = k.Hit
		case u < k.HitRatio:
			b.missed = float64(k.Keys) - s.keys
		}
	}
	factor := 1 / r.speed(r.now)
	if l, n := d.Slowdown, float64(len(r.running)+1); l != nil {
		factor *= 1 + l.Sigma*(n-1) + l.Kappa*(n-1)*n
	}
	if factor != 1 {
		ns := math.Round(float64(service) * factor)
		if service = math.MaxInt64; ns < math.MaxInt64 {
			service = time.Duration(ns)
		}
	}
	b.took = later(service, extra)
	return b
}

// finishService ends the service of a call and reports whether it has failed for another's write.
func (r *reference) finishService(c *refCall) (conflict bool) {
	d, s := r.cfg.Downstream, &r.server
	s.served++
	if k := d.Cache; k != nil && c.begun.missed > 0 && (!k.FillAnswered || !c.ended) {
		r.cached(r.now)
		missing := float64(k.Keys) - s.keys
		s.keys = min(float64(k.Keys), s.keys+min(1, missing/c.begun.missed))
	}
	if !c.ended {
		s.idle++
	}
	if d.Contention != downstream.OCC {
		return false
	}
	if conflict = s.row != c.begun.row; !conflict {
		s.row++
	}
	return conflict
}

// cached returns which share of the keys is filled.
func (r *reference) cached(now Time) float64 {
	k, s := r.cfg.Downstream.Cache, &r.server
	if k == nil {
		return 1
	}
	if k.TTL > 0 && now > s.keysAt {
		s.keys *= math.Exp(-float64(now-s.keysAt) / float64(k.TTL))
	}
	s.keysAt = now
	return s.keys / float64(k.Keys)
}

// speed returns which share of its speed the downstream has.
func (r *reference) speed(now Time) float64 {
	share, s := 1.0, &r.server
	if w := r.cfg.Downstream.WarmUp; w != nil && s.cold {
		var grown float64
		if w.Requests > 0 {
			grown = float64(s.served) / float64(w.Requests)
		} else {
			grown = float64(now-s.since) / float64(w.Over)
		}
		if grown < 1 {
			share = w.From + (1-w.From)*grown
		}
	}
	if s.slow > 0 {
		share *= s.slow
	}
	return share
}

// crash breaks the downstream down.
func (r *reference) crash() {
	c, s := r.cfg.Downstream.Crash, &r.server
	s.crashed = true
	until := later(r.now, c.Down)
	s.crashes = append(s.crashes, Span{r.now, until})
	r.loseAll(c.Mode)
	s.up = r.schedule(&planned{at: until, class: changes, task: crashEnds, do: func() {
		s.crashed = false
		if o, in := r.outage(r.now); !in || !loses(o) {
			r.restart()
		}
		r.fill()
	}})
}

// nextProbe schedules a probe, if any are sent.
func (r *reference) nextProbe() {
	c := r.cfg.Downstream.Crash
	if c == nil || c.Liveness.Every == 0 {
		return
	}
	s := &r.server
	s.probe = r.schedule(&planned{at: later(r.now, c.Liveness.Every), class: changes, task: probeMoves, attempt: 1, do: func() {
		s.probeSent = r.now
		r.nextProbe()
		switch {
		case len(r.running) < r.slots():
			s.failing = 0
		case r.isFull():
			r.probeFails()
		default:
			s.answerBy = r.schedule(&planned{at: later(r.now, c.Liveness.Timeout), class: changes, task: probeMoves, do: func() {
				s.answerBy = nil
				r.probeFails()
			}})
		}
	}})
}

func (r *reference) probeFails() {
	if r.server.failing++; r.server.failing >= r.cfg.Downstream.Crash.Liveness.Failures {
		r.crash()
	}
}

// answerProbe answers the probe that waits if it is before who is next in line, -1 for nobody.
func (r *reference) answerProbe(next int) {
	s := &r.server
	if s.answerBy == nil {
		return
	}
	// Who comes at the instant of a change comes after it.
	if next >= 0 && (r.queue[next].arrived < s.probeSent) != r.takesNewest() {
		return
	}
	s.answerBy.void, s.answerBy, s.failing = true, nil, 0
}

func (r *reference) stopProbes() {
	s := &r.server
	for _, p := range []*planned{s.probe, s.answerBy} {
		if p != nil {
			p.void = true
		}
	}
	s.probe, s.answerBy, s.failing = nil, nil, 0
}

// track notes the state at the end of the window of the last event, if that ends by now.
func (r *reference) track(now Time) {
	d, n := r.cfg.Downstream, len(r.log)
	slow := false
	for _, o := range d.Outages {
		slow = slow || o.Mode == downstream.Slow
	}
	if n == 0 || d.Cache == nil && d.WarmUp == nil && !slow {
		return
	}
	w := int64(r.log[n-1].at / r.cfg.Window)
	end := later(Time(w)*r.cfg.Window, r.cfg.Window-1)
	if now <= end {
		return
	}
	states := r.server.states
	if n := len(states); n > 0 && states[n-1].Window == w {
		return
	}
	p := StatePoint{Window: w, Cache: r.cached(end), Warm: r.speed(end)}
	if n := len(states); n == 0 || states[n-1].Cache != p.Cache || states[n-1].Warm != p.Warm {
		r.server.states = append(states, p)
	}
}
