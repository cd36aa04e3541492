// Package downstream models what serves the herd: slots, a queue, service times, a rate limit, outages.
//
// It knows nothing of workers or retries: a Server is told that request id arrives or departs at an instant, and says
// what happens to it. Instants are durations since the start of the run.
package downstream

import "time"

// Unlimited as Config.Queue is a queue without limit.
const Unlimited = -1

// Config describes a downstream. A zero is a zero: there are no defaults here.
type Config struct {
	Slots           int           // requests served at once, > 0
	Service         Distribution  // how long one request takes
	Queue           int           // waiting places besides the slots, >= 0, or Unlimited
	LIFO            bool          // serve the newest waiting request first
	CancelAbandoned bool          // drop the work of a client that has timed out
	RejectCost      time.Duration // what each rejection for want of room adds to the debt that slots work off
	RateLimit       *RateLimit    // a token bucket before the slots; nil for none
	Outages         []Outage      // in order of From, not overlapping
}

// A RateLimit is a token bucket: it holds at most Burst tokens, starts full, gains Rate, and each request that reaches
// it spends one token or is rejected.
type RateLimit struct {
	Rate       Rate
	Burst      int  // >= 1
	RetryAfter bool // tell the refused when the next free token comes, each asker one place later
}

// A Rate is an exact number of events per time, so that 12/min is no rounded 0.2/s.
type Rate struct {
	Events int64         // >= 0
	Per    time.Duration // > 0
}

// PerSecond returns the rate in events per second.
func (r Rate) PerSecond() float64 { return float64(r.Events) / r.Per.Seconds() }

// An Outage is the half-open interval [From, To) in which the downstream fails.
//
// Refuse ends what is queued and in service as unavailable at From and refuses what comes. Hang loses what is queued or
// in service and swallows what comes without an answer. With a Capacity share above 0 (a brown-out) nothing is lost:
// max(1, floor(slots x share)) slots take work, what runs goes on and the queue stays.
type Outage struct {
	From, To time.Duration
	Mode     Mode
	Capacity float64 // share of the slots that still take work, in [0, 1)
}

// Full reports whether nothing is served in the outage.
func (o Outage) Full() bool { return o.Capacity == 0 }

// A Mode is what an outage does to requests.
type Mode uint8

const (
	Refuse Mode = iota // answered at once with a failure
	Hang               // never answered
)

// Recovery returns the end of the full outage that holds at t0, or 0 if there is none. Outages that follow one another
// without a gap count as one.
func (c Config) Recovery() time.Duration {
	var end time.Duration
	for _, o := range c.Outages {
		if o.Full() && o.From <= end && o.To > end {
			end = o.To
		}
	}
	return end
}

// Capacity returns the nominal requests per second: min(slots / mean service, rate limit). It is false when there is no
// bound: a service time of 0 and no rate limit. Outages, brown-outs and reject costs are ignored.
func (c Config) Capacity() (perSecond float64, bounded bool) {
	if mean := c.Service.Mean(); mean > 0 {
		perSecond, bounded = float64(c.Slots)/mean.Seconds(), true
	}
	if c.RateLimit != nil {
		if r := c.RateLimit.Rate.PerSecond(); !bounded || r < perSecond {
			perSecond, bounded = r, true
		}
	}
	return perSecond, bounded
}
