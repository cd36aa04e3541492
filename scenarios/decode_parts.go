package scenarios

import (
	"cmp"
	"fmt"
	"time"

	"herdsim/downstream"
)

// The parts of a downstream beside slots, queue, rate limit and outages. Each returns nil if it is not there.

// order decodes who is taken from the queue.
func (d *decoder) order(p *object, c *downstream.Config) {
	above, _ := p.count("lifo_above")
	c.LIFOAbove = int(above)
	switch p.word("order") {
	case "lifo":
		c.Order = downstream.LIFO
	case "adaptive":
		c.Order = downstream.Adaptive
		if !p.has("lifo_above") && p.sound("lifo_above") {
			d.report(p.placeOf("order"), p.path+"order is adaptive, and "+p.path+"lifo_above is missing", "lifo_above: "+p.field("lifo_above").allowed())
		}
		return
	}
	if above > 0 && p.sound("order") {
		d.report(p.placeOf("lifo_above"), fmt.Sprintf("%slifo_above is %s, and %sorder is not adaptive", p.path, formatCount(above), p.path), "order: adaptive, or no lifo_above")
	}
}

// admission decodes what is turned away, and what it is told.
func (d *decoder) admission(p *object, c *downstream.Config) {
	concurrency, _ := p.count("concurrency")
	c.Concurrency = int(concurrency)
	c.QueueTimeout = d.queueTimeout(p)
	if c.QueueTimeout != nil && c.Queue == 0 && p.sound("queue") {
		d.report(p.placeOf("queue_timeout"), p.path+"queue_timeout is there, and "+p.path+"queue is 0", "a queue that requests can wait in")
	}
	c.RetryAfter = d.placeInLine(p)
}

func (d *decoder) queueTimeout(p *object) *downstream.QueueTimeout {
	n := p.value("queue_timeout")
	switch {
	case n == nil:
		return nil
	case n.kind != mapping:
		plain, ok := p.plainDuration("queue_timeout", n, &queueTimeoutFields[0])
		if !ok {
			return nil
		}
		return &downstream.QueueTimeout{Standing: plain, Interval: plain}
	}
	q := p.child("queue_timeout", queueTimeoutFields)
	if q == nil {
		return nil
	}
	out := &downstream.QueueTimeout{Standing: q.duration("standing"), Interval: q.duration("interval")}
	if q.sound("standing", "interval") && out.Standing > out.Interval {
		d.report(q.placeOf("standing"), q.path+"standing is "+formatDuration(out.Standing)+" and "+q.path+"interval is "+formatDuration(out.Interval), "standing at most interval")
	}
	return out
}

// placeInLine decodes what a rejection asks of the client.
func (d *decoder) placeInLine(p *object) *downstream.RetryAfter {
	n := p.value("retry_after")
	switch {
	case n == nil:
		return nil
	case n.kind == scalar && n.text == inLine:
		return &downstream.RetryAfter{Place: true}
	case n.kind != mapping:
		plain, ok := p.plainDuration("retry_after", n, &placeFields[0])
		if !ok {
			return nil
		}
		return &downstream.RetryAfter{Delay: plain}
	}
	r := p.child("retry_after", placeFields)
	if r == nil {
		return nil
	}
	delay, word := r.durationOrWord("delay")
	return &downstream.RetryAfter{Place: word == inLine, Delay: delay, Jitter: r.share("jitter")}
}

// plainDuration reads the duration that stands where a map could, within the limits of f.
func (o *object) plainDuration(key string, n *node, f *Field) (d time.Duration, ok bool) {
	if n.kind != scalar {
		o.wrong(key, n, "")
		return 0, false
	}
	value, why := f.duration(n.text)
	if why != "" {
		o.wrongNear(key, n, why, cmp.Or(durationSuggestion(n.text), near(n.text, o.field(key).Words)))
	}
	return value, why == ""
}

// inLine checks that a line moves in which a rejection is told its place.
func (d *decoder) inLine(p *object, c downstream.Config) {
	if c.RetryAfter == nil || !c.RetryAfter.Place || !p.sound("retry_after", "service", "slots") {
		return
	}
	if _, bounded := c.Capacity(); !bounded {
		d.report(p.placeOf("retry_after"), p.path+"retry_after is by place in line, and without a capacity no line moves", "a capacity, or a delay")
	}
}

func (d *decoder) slowdown(p *object) *downstream.Slowdown {
	if !p.has("slowdown") {
		return nil
	}
	s := p.child("slowdown", slowdownFields)
	if s == nil {
		return nil
	}
	out := &downstream.Slowdown{Sigma: s.share("sigma"), Kappa: s.share("kappa")}
	if s.sound("sigma", "kappa") && *out == (downstream.Slowdown{}) {
		d.report(s.at, p.path+"slowdown has neither sigma nor kappa", "one of them above 0")
	}
	return out
}

func (d *decoder) warmUp(p *object) *downstream.WarmUp {
	if !p.has("warm_up") {
		return nil
	}
	w := p.child("warm_up", warmUpFields)
	if w == nil {
		return nil
	}
	out := &downstream.WarmUp{From: w.share("from"), Cold: w.flag("cold")}
	switch w.only("over", "requests") {
	case "over":
		out.Over = w.duration("over")
	case "requests":
		requests, _ := w.count("requests")
		out.Requests = int(requests)
	}
	return out
}

func (d *decoder) cache(p *object) *downstream.Cache {
	if !p.has("cache") {
		return nil
	}
	c := p.child("cache", cacheFields)
	if c == nil {
		return nil
	}
	keys, _ := c.count("keys")
	return &downstream.Cache{
		HitRatio: c.share("hit_ratio"), Hit: c.duration("hit"), Keys: int(keys), TTL: c.duration("ttl"),
		FillAnswered: c.word("fill") == "answered", Cold: c.flag("cold"),
	}
}

// pool decodes the connections, of which there are at most slots if it is known how many those are.
func (d *decoder) pool(p *object, slots int) *downstream.Pool {
	if !p.has("pool") {
		return nil
	}
	c := p.child("pool", poolFields)
	if c == nil {
		return nil
	}
	most, _ := c.count("max")
	out := &downstream.Pool{Max: int(most), Handshake: d.distribution(c, "handshake"), Open: c.flag("open")}
	if c.sound("max") && slots != downstream.Unlimited && out.Max > slots {
		d.report(c.placeOf("max"), fmt.Sprintf("%smax is %s, and only %s are served at once", c.path, formatCount(most), formatCount(uint64(slots))),
			"max at most slots: a connection beyond them is never made")
	}
	return out
}

func (d *decoder) crash(p *object) *downstream.Crash {
	if !p.has("crash") {
		return nil
	}
	c := p.child("crash", crashFields)
	if c == nil {
		return nil
	}
	inFlight, _ := c.count("in_flight")
	queued, _ := c.count("queued")
	out := &downstream.Crash{InFlight: int(inFlight), Queued: int(queued), Down: c.duration("down"), Mode: c.mode()}
	if c.has("liveness") {
		out.Liveness = d.liveness(c)
	} else if inFlight == 0 && queued == 0 && c.sound("in_flight", "queued", "liveness") && !c.partial {
		d.report(c.at, p.path+"crash has no cause", "at least one of in_flight, queued, liveness")
	}
	return out
}

func (d *decoder) liveness(c *object) downstream.Liveness {
	l := c.child("liveness", livenessFields)
	if l == nil {
		return downstream.Liveness{}
	}
	failures, _ := l.count("failures")
	out := downstream.Liveness{Every: l.duration("every"), Timeout: l.duration("timeout"), Failures: int(failures)}
	if l.sound("every", "timeout") && out.Timeout > out.Every {
		d.report(l.placeOf("timeout"), l.path+"timeout is "+formatDuration(out.Timeout)+" and "+l.path+"every is "+formatDuration(out.Every), "timeout at most every")
	}
	return out
}

// mode returns what becomes of requests that are not served.
func (o *object) mode() downstream.Mode {
	switch o.word("mode") {
	case "hang":
		return downstream.Hang
	case "slow":
		return downstream.Slow
	case "stall":
		return downstream.Stall
	}
	return downstream.Refuse
}

func contention(p *object) downstream.Contention {
	if p.word("contention") == "occ" {
		return downstream.OCC
	}
	return downstream.NoContention
}
