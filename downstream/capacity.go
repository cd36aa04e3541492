package downstream

import "math"

// Capacity returns the nominal requests per second, of a server that is warm: the throughput of its slots, but no more
// than the rate limit. It is false when there is no bound. Outages, brown-outs, handshakes, contention and reject costs are
// ignored.
//
// With n requests in service the throughput is n / (service x (1 + Sigma (n-1) + Kappa n (n-1))), the service that of a
// full cache, HitRatio x Hit + (1 - HitRatio) x mean service; the capacity is the most of it for any n that slots, pool and
// concurrency limit allow, which is n / service for all of them without a Slowdown.
func (c Config) Capacity() (perSecond float64, bounded bool) { return c.capacity(true) }

// ColdCapacity is Capacity with an empty cache, with a connection to be made for every request, and at the speed from
// which a warm-up begins.
func (c Config) ColdCapacity() (perSecond float64, bounded bool) { return c.capacity(false) }

func (c Config) capacity(warm bool) (perSecond float64, bounded bool) {
	perSecond = math.Inf(1)
	service := c.Service.Mean().Seconds()
	if warm && c.Cache != nil {
		service = c.Cache.HitRatio*c.Cache.Hit.Seconds() + (1-c.Cache.HitRatio)*service
	}
	if !warm && c.Pool != nil {
		service += c.Pool.Handshake.Mean().Seconds()
	}
	if !warm && c.WarmUp != nil {
		service /= c.WarmUp.From
	}
	if service > 0 {
		perSecond = c.atOnce() / service
	}
	if c.RateLimit != nil {
		perSecond = min(perSecond, c.RateLimit.Rate.PerSecond())
	}
	if math.IsInf(perSecond, 1) {
		return 0, false
	}
	return perSecond, true
}

// atOnce returns how many times the throughput of one request alone in service is that of the best number of them.
func (c Config) atOnce() float64 {
	most := c.MostInService()
	l := c.Slowdown
	if l == nil {
		if most == math.MaxInt {
			return math.Inf(1)
		}
		return float64(most)
	}
	times := func(n float64) float64 { return n / (1 + l.Sigma*(n-1) + l.Kappa*n*(n-1)) }
	switch {
	case l.Sigma >= 1: // one more in service takes all others as much time as it gains
		return 1
	case l.Kappa > 0:
		peak := max(1, math.Floor(math.Sqrt((1-l.Sigma)/l.Kappa)))
		if peak+1 <= float64(most) {
			return max(times(peak), times(peak+1))
		}
	case most == math.MaxInt:
		return 1 / l.Sigma // which no number reaches; +Inf without any slowdown
	}
	return times(float64(most))
}
