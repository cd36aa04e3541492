package report

import "time"

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
	Load        float64 // open tasks per second after the trigger, in the mean; of all the time if it lasts to the end
	MaxRequests int64   // a task; 0 for no limit
	Capacity    float64 // requests per second; 0 without a bound, and then neither condition holds

	Cold     float64       // requests per second with an empty cache and a connection to be made for each; 0 without both
	Holds    int           // slots, queue or concurrency limit; -1 for no limit
	AtOnce   bool          // there is no queue: slots are unlimited, and the more are in service the longer it takes
	Patience time.Duration // the shortest timeout; 0 for ever, and then the second does not hold
	Sheds    string        // what keeps the downstream from work for callers that have gone, and so the second from holding
}

func conditions(s *Setup, maxRequests int64) Conditions {
	c := Conditions{
		Load: s.standingRate(), MaxRequests: maxRequests, Capacity: s.Capacity, Cold: s.ColdCapacity,
		Holds: s.holds(), AtOnce: s.Slots < 0, Patience: s.Patience, Sheds: s.Sheds,
	}
	if c.AtOnce && c.Sheds == "" && c.Capacity == s.RateLimit {
		c.Sheds = "taking all at once" // the rate limit alone bounds it, so whoever gets in waits for nobody
	}
	return c
}

// Amplified reports whether all retries together can ask for more than the capacity.
func (c *Conditions) Amplified() bool {
	return c.Capacity > 0 && c.Load > 0 && (c.MaxRequests == 0 || c.Load*float64(c.MaxRequests) > c.Capacity)
}

// Outwaits reports whether a full house is longer than anybody waits.
func (c *Conditions) Outwaits() bool {
	return c.Capacity > 0 && c.Patience > 0 && c.Sheds == "" &&
		(c.Holds < 0 || float64(c.Holds) > c.Capacity*c.Patience.Seconds())
}

// StaysCold reports whether the load alone is more than the downstream can serve with an empty cache and no connections.
func (c *Conditions) StaysCold() bool { return c.Cold > 0 && c.Load > c.Cold }

// Vulnerable reports whether both conditions hold: that a trigger may leave the run down for good.
func (c *Conditions) Vulnerable() bool { return c.Amplified() && c.Outwaits() }

// standingRate returns the scheduled open tasks per second from the end of the trigger to that of the traffic, in the mean.
func (s *Setup) standingRate() float64 {
	from, to := max(0, s.Trigger().To), s.TrafficSpan().To
	if due := s.Scheduled(from, to); from < to && due > 0 {
		return due / (to - from).Seconds()
	}
	return s.OpenRate
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
