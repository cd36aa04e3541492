package sim

import (
	"pgregory.net/rapid"

	"herdsim/downstream"
)

// parts adds any of the parts that a downstream may have besides slots and a queue.
func (d drawing) parts(cfg *Config) {
	c := &cfg.Downstream
	d.admission(c)
	d.pace(c)
	if d.one(2, "a crash") {
		c.Crash = d.crash()
	}
	if cfg.Network != nil && d.one(3, "contention") {
		c.Contention = downstream.OCC
	}
	for i := range c.Outages {
		switch o := &c.Outages[i]; {
		case o.Capacity > 0 && d.one(2, "slow"):
			o.Mode = downstream.Slow
		case o.Capacity == 0 && d.one(3, "a pause"):
			o.Mode = downstream.Stall
		}
	}
}

// admission draws who is let in, who is taken next, and what the others are told.
func (d drawing) admission(c *downstream.Config) {
	if d.one(6, "unlimited slots") {
		c.Slots = downstream.Unlimited
	}
	if d.one(4, "drops") {
		c.Overflow = downstream.Drop
	}
	if d.one(3, "adaptive order") {
		c.Order, c.LIFOAbove = downstream.Adaptive, rapid.IntRange(0, 6).Draw(d.T, "above")
	}
	if d.one(3, "concurrency") {
		c.Concurrency = rapid.IntRange(1, 12).Draw(d.T, "at once")
	}
	if d.one(3, "queue timeout") {
		c.QueueTimeout = &downstream.QueueTimeout{Standing: d.steps("standing", 1, 4)}
		c.QueueTimeout.Interval = c.QueueTimeout.Standing + d.steps("interval", 0, 8)
	}
	if d.one(3, "Retry-After") {
		c.RetryAfter = &downstream.RetryAfter{Jitter: rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(d.T, "jitter of it")}
		if c.RetryAfter.Place = rapid.Bool().Draw(d.T, "place"); !c.RetryAfter.Place {
			c.RetryAfter.Delay = d.steps("delay", 1, 10)
		}
	}
}

// pace draws what makes services longer or shorter.
func (d drawing) pace(c *downstream.Config) {
	if d.one(3, "slowdown") {
		c.Slowdown = &downstream.Slowdown{Sigma: rapid.SampledFrom([]float64{0, 0.05, 1}).Draw(d.T, "sigma"),
			Kappa: rapid.SampledFrom([]float64{0, 0.01}).Draw(d.T, "kappa")}
	}
	if d.one(3, "warm-up") {
		c.WarmUp = &downstream.WarmUp{From: rapid.SampledFrom([]float64{0.1, 0.5}).Draw(d.T, "from"), Cold: rapid.Bool().Draw(d.T, "cold")}
		if d.one(2, "by requests") {
			c.WarmUp.Requests = rapid.IntRange(1, 30).Draw(d.T, "requests")
		} else {
			c.WarmUp.Over = d.steps("over", 1, 30)
		}
	}
	if d.one(3, "cache") {
		c.Cache = &downstream.Cache{HitRatio: rapid.SampledFrom([]float64{0, 0.5, 0.9, 1}).Draw(d.T, "hit ratio"), Hit: d.steps("hit", 0, 1),
			Keys: rapid.IntRange(1, 30).Draw(d.T, "keys"), TTL: d.steps("TTL", 0, 40),
			FillAnswered: rapid.Bool().Draw(d.T, "answered"), Cold: rapid.Bool().Draw(d.T, "cold")}
	}
	if d.one(3, "pool") {
		c.Pool = &downstream.Pool{Max: rapid.IntRange(1, 10).Draw(d.T, "connections"), Handshake: d.distribution("handshake", 3),
			Open: rapid.Bool().Draw(d.T, "open")}
	}
}

func (d drawing) crash() *downstream.Crash {
	c := &downstream.Crash{Down: d.steps("down", 1, 8), Mode: rapid.SampledFrom([]downstream.Mode{downstream.Refuse, downstream.Hang}).Draw(d.T, "mode")}
	if d.one(2, "in flight") {
		c.InFlight = rapid.IntRange(1, 15).Draw(d.T, "in flight")
	}
	if d.one(2, "queued") {
		c.Queued = rapid.IntRange(1, 12).Draw(d.T, "queued")
	}
	if d.one(2, "liveness") || c.InFlight == 0 && c.Queued == 0 {
		c.Liveness = downstream.Liveness{Timeout: d.steps("timeout", 1, 3), Failures: rapid.IntRange(1, 3).Draw(d.T, "failures")}
		c.Liveness.Every = c.Liveness.Timeout + d.steps("every", 0, 3)
	}
	return c
}
