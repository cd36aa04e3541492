package report

import (
	"math"
	"time"

	"herdsim/sim"
)

// Conditions are the two that both have to hold for a run to stay down by retries and timeouts, computed from the set-up
// alone:
//
//	offered load × most requests a task > capacity
//	what the house holds > capacity × patience
//
// By the first the tasks of a run that is down ask for more than can be served; by the second a full house is so long
// that whoever is served at its end has gone.
//
// Source: R. Isaacs et al., "Analyzing Metastable Failures", HotOS 2025.
type Conditions struct {
	Load     float64 // open tasks per second after the trigger, in the mean; of all the time if it lasts to the end
	Shares   []Share // of Load, by what a task may ask
	Asked    float64 // requests per second if all tasks ask as often as they may; infinite without a limit
	Capacity float64 // requests per second; 0 without a bound, and then neither condition holds

	Cold     float64       // requests per second while it is cold: see Setup.ColdCapacity; 0 where it cannot be
	Holds    int           // slots, queue or concurrency limit; -1 for no limit
	AtOnce   bool          // there is no queue: slots are unlimited, and the more are in service the longer it takes
	Patience time.Duration // the shortest timeout; 0 for ever, and then the second does not hold
	Sheds    string        // what keeps the downstream from work for callers that have gone, and so the second from holding
}

// A Share of the open traffic are tasks that may ask as often.
type Share struct {
	Load        float64 // tasks per second
	MaxRequests int64   // a task; 0 for no limit
}

// MaxRequests are how many requests an open task of each kind may make of the downstream: its attempts, times those of
// all tiers; 0 for no limit, and for a kind that does not come.
type MaxRequests struct{ Arrivals, Clients, Cron int64 }

func conditions(s *Setup, most MaxRequests) Conditions {
	c := Conditions{
		Capacity: s.Capacity, Cold: s.ColdCapacity,
		Holds: s.holds(), AtOnce: s.Slots < 0, Patience: s.Patience, Sheds: s.Sheds,
	}
	for i, load := range s.standing() {
		c.add(Share{load, [...]int64{most.Arrivals, most.Clients, most.Cron}[i]})
	}
	if c.AtOnce && c.Sheds == "" && c.Capacity == s.RateLimit {
		c.Sheds = "taking all at once" // the rate limit alone bounds it, so whoever gets in waits for nobody
	}
	return c
}

// add counts a kind of traffic.
func (c *Conditions) add(kind Share) {
	if kind.Load <= 0 {
		return
	}
	c.Load += kind.Load
	if c.Asked += kind.Load * float64(kind.MaxRequests); kind.MaxRequests == 0 {
		c.Asked = math.Inf(1)
	}
	for i := range c.Shares {
		if c.Shares[i].MaxRequests == kind.MaxRequests {
			c.Shares[i].Load += kind.Load
			return
		}
	}
	c.Shares = append(c.Shares, kind)
}

// maxRequests returns how many requests a task of those that may make most may make, 0 for no limit.
func (c *Conditions) maxRequests() (most int64) {
	for _, kind := range c.Shares {
		if kind.MaxRequests == 0 {
			return 0
		}
		most = max(most, kind.MaxRequests)
	}
	return most
}

// Amplified reports whether all retries together can ask for more than the capacity.
func (c *Conditions) Amplified() bool {
	return c.Capacity > 0 && c.Asked > c.Capacity
}

// Outwaits reports whether a full house is longer than anybody waits.
func (c *Conditions) Outwaits() bool { return c.outwaits(c.Capacity) }

func (c *Conditions) outwaits(capacity float64) bool {
	return capacity > 0 && c.Patience > 0 && c.Sheds == "" &&
		(c.Holds < 0 || float64(c.Holds) > capacity*c.Patience.Seconds())
}

// VulnerableCold reports whether both conditions hold while the downstream is cold.
func (c *Conditions) VulnerableCold() bool { return c.Asked > c.Cold && c.outwaits(c.Cold) }

// StaysCold reports whether the load alone is more than the downstream can serve with an empty cache and no connections.
func (c *Conditions) StaysCold() bool { return c.Cold > 0 && c.Load > c.Cold }

// Vulnerable reports whether both conditions hold: that a trigger may leave the run down for good.
func (c *Conditions) Vulnerable() bool { return c.Amplified() && c.Outwaits() }

// standing returns the scheduled tasks per second of arrivals, clients and cron from the end of the trigger to that of the
// traffic, in the mean; of all the time where nothing comes after the trigger.
func (s *Setup) standing() [3]float64 {
	span := s.TrafficSpan()
	for _, from := range []sim.Time{max(0, s.Trigger().To), span.From} {
		loads, length := s.scheduled(from, span.To), (span.To - from).Seconds()
		if from >= span.To || loads == [3]float64{} {
			continue
		}
		for i := range loads {
			loads[i] /= length
		}
		return loads
	}
	return [3]float64{s.OpenRate, 0, 0} // nobody knows the schedule
}

// holds returns how many requests the downstream holds at most, -1 for no limit.
func (s *Setup) holds() int {
	n := -1
	if s.Slots >= 0 && s.Queue >= 0 {
		n = s.Slots + s.Queue
	}
	if s.Concurrency > 0 && (n < 0 || s.Concurrency < n) {
		n = s.Concurrency
	}
	return n
}
