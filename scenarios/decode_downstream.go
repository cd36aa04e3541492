package scenarios

import (
	"fmt"
	"math/big"
	"slices"
	"time"

	"herdsim/downstream"
)

func (d *decoder) downstream(o *object) downstream.Config {
	c := downstream.Config{Slots: 1, Service: downstream.Constant{}}
	if !o.has("downstream") {
		return c
	}
	p := o.child("downstream", downstreamFields)
	if p == nil {
		return c
	}
	c.Service = d.distribution(p, "service")
	c.Slots = d.slots(p, c.Service)
	queue, word := p.count("queue")
	c.Queue = int(queue)
	if word == "unlimited" {
		c.Queue = downstream.Unlimited
	}
	if p.word("order") == "lifo" {
		c.Order = downstream.LIFO
	}
	c.CancelAbandoned = p.flag("cancel_abandoned")
	c.RejectCost = p.duration("reject_cost")
	c.RateLimit = d.rateLimit(p)
	c.Outages = d.outages(p)
	return c
}

// slots returns how many requests are served at once, from slots or from capacity x mean service.
func (d *decoder) slots(p *object, service downstream.Distribution) int {
	switch {
	case p.has("slots") && p.has("capacity"):
		d.report(p.keys["capacity"], p.path+"slots and "+p.path+"capacity are both there", "one of them")
		return 1
	case p.has("slots"):
		slots, _ := p.count("slots")
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
	return &downstream.RateLimit{Rate: r.rate("rate"), Burst: int(burst), RetryAfter: r.flag("retry_after")}
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

// outages returns the outages in the order of time, whatever order they were written in.
func (d *decoder) outages(p *object) []downstream.Outage {
	type placed struct {
		downstream.Outage
		at   place
		path string
	}
	var all []placed
	for i, n := range p.list("outages") {
		path := fmt.Sprintf("%soutages[%d]", p.path, i)
		a := d.object(n, path+".", outageFields, n.at)
		if a == nil {
			continue
		}
		out := downstream.Outage{From: a.duration("from"), To: a.duration("to"), Capacity: a.share("capacity")}
		if a.word("mode") == "hang" {
			out.Mode = downstream.Hang
		}
		if !a.sound("from", "to") {
			continue
		}
		if out.From >= out.To {
			d.report(a.placeOf("to"), fmt.Sprintf("%s is from %s to %s", path, formatDuration(out.From), formatDuration(out.To)), "from before to")
			continue
		}
		all = append(all, placed{out, a.at, path})
	}
	slices.SortStableFunc(all, func(a, b placed) int { return int(min(max(a.From-b.From, -1), 1)) })
	var end time.Duration
	var last string
	var outages []downstream.Outage
	for _, o := range all {
		if o.From < end {
			d.report(o.at, fmt.Sprintf("%s, from %s to %s, overlaps with %s, which ends at %s", o.path, formatDuration(o.From), formatDuration(o.To), last, formatDuration(end)), "outages that do not overlap")
		}
		if o.To > end {
			end, last = o.To, o.path
		}
		outages = append(outages, o.Outage)
	}
	return outages
}
