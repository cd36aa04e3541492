package scenarios

import (
	"time"

	"pgregory.net/rapid"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

// drawInterval draws a piece of the run.
func drawInterval(t *rapid.T, horizon time.Duration) (from, to time.Duration) {
	to = rapid.SampledFrom([]time.Duration{horizon, horizon/2 + 1}).Draw(t, "to")
	return rapid.SampledFrom([]time.Duration{0, to / 2}).Draw(t, "from"), to
}

func drawOwnLimits(t *rapid.T) *Limits {
	l := drawLimits(t, "limits of its own")
	return rapid.SampledFrom([]*Limits{nil, &l}).Draw(t, "own limits")
}

func drawPhase(t *rapid.T, horizon time.Duration) sim.Phase {
	p := sim.Phase{Shape: rapid.SampledFrom([]sim.Shape{sim.Constant, sim.Ramp, sim.Sine, sim.Spike}).Draw(t, "shape"), Rate: drawRate(t)}
	p.From, p.To = drawInterval(t, horizon)
	if p.Shape == sim.Ramp || p.Shape == sim.Sine {
		p.End = drawRate(t)
	}
	if p.Shape == sim.Ramp && rapid.Bool().Draw(t, "from nothing") {
		p.Rate = downstream.Rate{Per: time.Second}
	}
	if p.Shape == sim.Sine || p.Shape == sim.Spike {
		p.Span = drawDuration(t, "span", time.Microsecond)
	}
	return p
}

func drawArrivals(t *rapid.T, horizon time.Duration) *Arrivals {
	a := &Arrivals{}
	for range rapid.IntRange(1, 3).Draw(t, "phases") {
		a.Phases = append(a.Phases, drawPhase(t, horizon))
	}
	a.Even = rapid.Bool().Draw(t, "even")
	a.Clients = rapid.IntRange(1, 1e7).Draw(t, "clients")
	a.Limits = drawOwnLimits(t)
	return a
}

// drawTraffic draws what comes beside the herd, and the tiers, which go without a network and without guards.
func drawTraffic(t *rapid.T, s *Scenario) {
	if rapid.Bool().Draw(t, "open") {
		s.Arrivals = drawArrivals(t, s.Horizon)
	}
	if rapid.Bool().Draw(t, "closed") {
		s.Clients = &sim.Clients{Count: rapid.IntRange(1, 1e7).Draw(t, "count"), Think: downstream.Exponential{M: drawDuration(t, "think", 1)}, Limits: drawOwnLimits(t)}
		s.Clients.From, s.Clients.To = drawInterval(t, s.Horizon)
	}
	if rapid.Bool().Draw(t, "periodic") {
		spread := rapid.SampledFrom([]sim.Start{
			{}, {Uniform: drawDuration(t, "spread", 1)}, {Spread: downstream.Exponential{M: time.Second}}, {Spread: downstream.Normal{M: time.Second, SD: 1}},
		}).Draw(t, "cron spread")
		s.Cron = &sim.Cron{Every: drawDuration(t, "every", longest/1000), Count: rapid.IntRange(1, 10_000).Draw(t, "tasks"), Spread: spread, Limits: drawOwnLimits(t)}
		s.Cron.From, s.Cron.To = drawInterval(t, s.Horizon)
	}
	if s.Network == nil && s.Guards == nil {
		for range rapid.IntRange(0, 3).Draw(t, "tiers") {
			tier := sim.Tier{Attempts: rapid.IntRange(1, 100).Draw(t, "calls"), Timeout: rapid.SampledFrom([]time.Duration{0, time.Second}).Draw(t, "patience")}
			tier.Strategy = rapid.SampledFrom([]strategies.Uniform{
				strategies.Immediate{}, strategies.Fixed{Delay: time.Second}, strategies.FullJitter{Base: time.Second, Factor: 2, Cap: time.Minute},
				strategies.Schedule{Delays: []time.Duration{0, time.Second}},
			}).Draw(t, "of the tier")
			s.Tiers = append(s.Tiers, tier)
		}
	}
	s.PassDeadlines = len(s.Tiers) > 0 && rapid.Bool().Draw(t, "passed")
	s.Verdict = Verdict{drawShare(t, "within"), rapid.SampledFrom([]time.Duration{0, drawDuration(t, "for", time.Microsecond)}).Draw(t, "judged over")}
}

func drawWide(t *rapid.T, name string) float64 {
	return rapid.SampledFrom([]float64{0, 0.01, 100, 100 * drawShare(t, name)}).Draw(t, name)
}

// drawParts draws the parts of a downstream beside those that every one has.
func drawParts(t *rapid.T, c *downstream.Config, network downstream.Distribution) {
	is := func(name string) bool { return rapid.Bool().Draw(t, name) }
	if is("adaptive") {
		c.Order, c.LIFOAbove = downstream.Adaptive, rapid.IntRange(0, 1e9).Draw(t, "above")
	}
	if is("dropping") {
		c.Overflow = downstream.Drop
	}
	c.Concurrency = rapid.SampledFrom([]int{0, 1, 1e9}).Draw(t, "concurrency")
	if is("queue timeout") && c.Queue != 0 {
		standing := drawDuration(t, "standing", time.Microsecond)
		c.QueueTimeout = &downstream.QueueTimeout{Standing: standing, Interval: drawUpTo(t, "interval", standing, longest)}
	}
	if is("slots without limit") {
		c.Slots = downstream.Unlimited
	}
	if is("slower") {
		c.Slowdown = &downstream.Slowdown{Sigma: drawWide(t, "sigma"), Kappa: 1e-4 + drawWide(t, "kappa")/2}
	}
	if is("asks to wait") {
		c.RetryAfter = &downstream.RetryAfter{Delay: drawDuration(t, "delay", 1), Jitter: drawWide(t, "jitter")}
		if _, bounded := c.Capacity(); bounded && is("place") {
			c.RetryAfter.Place, c.RetryAfter.Delay = true, 0
		}
	}
	if is("warms up") {
		c.WarmUp = &downstream.WarmUp{From: max(1e-6, 0.99*drawShare(t, "from")), Cold: is("cold"), Over: drawDuration(t, "over", time.Microsecond)}
		if is("by requests") {
			c.WarmUp.Over, c.WarmUp.Requests = 0, rapid.IntRange(1, 1e12).Draw(t, "requests")
		}
	}
	if is("cached") && c.RetryAfter == nil { // a cache that answers all at once has no capacity for a line
		c.Cache = &downstream.Cache{
			HitRatio: drawShare(t, "hits"), Hit: drawDuration(t, "hit", 0), Keys: rapid.IntRange(1, 1e9).Draw(t, "keys"),
			TTL: rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(t, "ttl"), FillAnswered: is("answered"), Cold: is("cold cache"),
		}
	}
	if is("pooled") {
		most := 100_000_000
		if c.Slots != downstream.Unlimited {
			most = c.Slots
		}
		c.Pool = &downstream.Pool{Max: rapid.IntRange(1, most).Draw(t, "pool"), Handshake: drawLaw(t, "handshake"), Open: is("connected")}
	}
	if is("crashes") {
		c.Crash = &downstream.Crash{InFlight: rapid.SampledFrom([]int{1, 1e9}).Draw(t, "in flight"), Down: drawDuration(t, "down", time.Microsecond)}
		c.Crash.Queued = rapid.SampledFrom([]int{0, 7}).Draw(t, "queued")
		c.Crash.Mode = rapid.SampledFrom([]downstream.Mode{downstream.Refuse, downstream.Hang}).Draw(t, "crash mode")
		if is("probed") {
			c.Crash.InFlight = 0
			c.Crash.Liveness = downstream.Liveness{Every: time.Minute, Timeout: time.Second, Failures: rapid.IntRange(1, 1e6).Draw(t, "failures")}
		}
	}
	if network != nil && network.Mean() > 0 && is("contended") {
		c.Contention = downstream.OCC
	}
	if c.RateLimit != nil && is("ramped") {
		c.RateLimit.Ramp = downstream.Ramp{From: 0.99 * drawShare(t, "ramp from"), Over: drawDuration(t, "ramp over", time.Microsecond)}
	}
}
