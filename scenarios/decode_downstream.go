package scenarios

import (
	"fmt"
	"math/big"

	"herdsim/downstream"
)

func (d *decoder) downstream(o *object, network downstream.Distribution) downstream.Config {
	c := downstream.Config{Slots: 1, Service: downstream.Constant{}}
	if !o.has("downstream") {
		return c
	}
	p := o.child("downstream", downstreamFields)
	if p == nil {
		return c
	}
	c.Service = d.distribution(p, "service")
	before := len(d.problems)
	c.Slots = d.slots(p, c.Service)
	slots := c.Slots
	if len(d.problems) > before || p.partial {
		slots = downstream.Unlimited // as far as is known
	}
	queue, word := p.count("queue")
	c.Queue = int(queue)
	if word == unlimited {
		c.Queue = downstream.Unlimited
	}
	if p.word("overflow") == "drop" {
		c.Overflow = downstream.Drop
	}
	d.order(p, &c)
	d.admission(p, &c)
	c.CancelAbandoned = p.flag("cancel_abandoned")
	c.RejectCost = p.duration("reject_cost")
	c.RateLimit = d.rateLimit(p)
	c.Slowdown = d.slowdown(p)
	c.WarmUp = d.warmUp(p)
	c.Cache = d.cache(p)
	c.Pool = d.pool(p, slots)
	c.Crash = d.crash(p)
	if c.Contention = contention(p); c.Contention == downstream.OCC && o.sound("network") && (network == nil || network.Mean() == 0) {
		d.report(p.placeOf("contention"), p.path+"contention is occ, and the network is 0s", "a network delay: between reading the row and writing it lie two of them")
	}
	c.Outages = d.outages(p)
	d.inLine(p, c)
	return c
}

// slots returns how many requests are served at once, from slots or from capacity x mean service.
func (d *decoder) slots(p *object, service downstream.Distribution) int {
	switch {
	case p.has("slots") && p.has("capacity"):
		d.report(p.keys["capacity"], p.path+"slots and "+p.path+"capacity are both there", "one of them")
		return 1
	case p.has("slots"):
		slots, word := p.count("slots")
		if word == unlimited {
			return downstream.Unlimited
		}
		return int(max(slots, 1))
	case !p.has("capacity"):
		if !p.partial && !p.faulty["slots"] && !p.faulty["capacity"] {
			d.report(p.at, p.path+"slots is missing", "slots: "+p.field("slots").allowed()+"; or capacity: "+p.field("capacity").allowed())
		}
		return 1
	}
	rate := p.rate("capacity")
	if rate.Events == 0 {
		return 1
	}
	mean := service.Mean()
	slots := new(big.Rat).Mul(big.NewRat(rate.Events, int64(rate.Per)), new(big.Rat).SetInt64(int64(mean)))
	most, _ := parseCount(p.field("slots").Max)
	if slots.IsInt() && slots.Sign() > 0 && slots.Cmp(new(big.Rat).SetUint64(most)) <= 0 {
		return int(slots.Num().Int64())
	}
	amount, _ := slots.Float64()
	d.report(p.placeOf("capacity"),
		fmt.Sprintf("%scapacity is %s, and with a mean service of %s that makes %.6g slots", p.path, formatRate(rate), formatDuration(mean), amount),
		"capacity x mean service is a whole number from 1 to "+formatCount(most))
	return 1
}

func (d *decoder) rateLimit(p *object) *downstream.RateLimit {
	if !p.has("rate_limit") {
		return nil
	}
	r := p.child("rate_limit", rateLimitFields)
	if r == nil {
		return nil
	}
	burst, _ := r.count("burst")
	out := &downstream.RateLimit{Rate: r.rate("rate"), Burst: int(burst), RetryAfter: r.flag("retry_after")}
	if r.has("ramp") {
		if up := r.child("ramp", rampUpFields); up != nil {
			out.Ramp = downstream.Ramp{From: up.share("from"), Over: up.duration("over")}
		}
	}
	return out
}

// list returns the items under key, none if it is absent, and reports what is no list or too long a one.
func (o *object) list(key string) []*node {
	n := o.value(key)
	if n == nil {
		return nil
	}
	if n.kind != list {
		o.wrong(key, n, "no list")
		return nil
	}
	if most, ok := parseCount(o.field(key).Max); ok && uint64(len(n.items)) > most {
		o.d.report(n.at, fmt.Sprintf("%s%s has %d items", o.path, key, len(n.items)), "at most "+formatCount(most))
		return nil
	}
	return n.items
}
