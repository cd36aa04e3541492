// Package downstream models what serves the herd: slots, a queue, service times, a rate limit, outages.
//
// It knows nothing of workers or retries: a Server is told that request id arrives or departs at an instant, and says
// what happens to it. Instants are durations since the start of the run.
package downstream

import "time"

// Unlimited as Config.Queue is a queue without limit, as Config.Slots a server that takes all at once.
const Unlimited = -1

// Config describes a downstream. A zero is a zero: there are no defaults here.
type Config struct {
	Slots           int           // requests served at once, > 0, or Unlimited
	Service         Distribution  // how long one request takes
	Queue           int           // waiting places besides the slots, >= 0, or Unlimited
	Overflow        Overflow      // what becomes of a request for which there is no room
	Order           Order         // who is taken from the queue
	LIFOAbove       int           // for Adaptive: the newest first while more than so many wait
	CancelAbandoned bool          // drop the work of a client that has timed out
	RejectCost      time.Duration // what each rejection for want of room adds to the debt that slots work off
	RateLimit       *RateLimit    // a token bucket before the slots; nil for none
	Outages         []Outage      // in order of From, not overlapping

	Concurrency  int           // most requests in the slots and the queue together; 0 = no limit of its own
	QueueTimeout *QueueTimeout // rejects what has waited too long when its turn comes; nil for none
	RetryAfter   *RetryAfter   // what a rejection for want of room asks of the client; nil for nothing
	Slowdown     *Slowdown     // service slows with load; nil for none
	Cache        *Cache        // answers part of the requests quickly; nil for none
	WarmUp       *WarmUp       // slow after a start; nil for none
	Pool         *Pool         // connections that have to be made first; nil for none
	Crash        *Crash        // breaks down under load; nil for never
	Contention   Contention
}

// An Overflow is what becomes of a request for which there is no room.
type Overflow uint8

const (
	Reject Overflow = iota // answered at once with a rejection
	Drop                   // never answered, as by a full backlog of connections
)

// An Order is who is taken from the queue.
type Order uint8

const (
	FIFO     Order = iota // the oldest
	LIFO                  // the newest
	Adaptive              // the oldest, but the newest while more than LIFOAbove wait
)

// A Contention is what requests do to each other besides taking slots.
type Contention uint8

const (
	NoContention Contention = iota
	// OCC is optimistic concurrency control on one row: a request reads the row's version when its service begins and
	// writes when it ends; the write fails if the version is no longer the one it read. Between the two lie, beside the
	// service, the reply to the read and the request to write, each a network delay.
	//
	// Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015, and its simulator.
	OCC
)

// A RateLimit is a token bucket: it holds at most Burst tokens, starts full, gains Rate, and each request that reaches
// it spends one token or is rejected.
type RateLimit struct {
	Rate       Rate
	Burst      int  // >= 1
	RetryAfter bool // tell the refused when the next free token comes at the full rate, each asker one place later
	Ramp       Ramp // of the rate after each full outage or crash; the zero Ramp for none
}

// A Ramp is a share that grows from From to 1 in the time Over, linearly. The zero Ramp is 1 always.
type Ramp struct {
	From float64       // in [0, 1)
	Over time.Duration // > 0
}

// A QueueTimeout rejects a request that has waited longer than it may, when its turn for a slot comes or its place is
// needed: Standing if the queue had not been empty for more than Interval when it came, else Interval. A plain queue timeout
// has Standing = Interval.
//
// Source: B. Maurer, "Fail at Scale", ACM Queue 13(8), 2015, after K. Nichols, V. Jacobson, "Controlling Queue Delay",
// ACM Queue 10(5), 2012.
type QueueTimeout struct {
	Standing time.Duration // > 0
	Interval time.Duration // >= Standing
}

// A RetryAfter is what a rejection for want of room asks of the client: to wait Delay, or, with Place, until its place in
// line comes up, the line moving at the nominal capacity; and a random share of up to Jitter of that longer.
type RetryAfter struct {
	Place  bool
	Delay  time.Duration // > 0 unless Place
	Jitter float64       // >= 0: U[0, Jitter) of the wait is added
}

// A Slowdown makes a service longer by the number n of requests in service when it begins, itself counted:
//
//	time = service x (1 + Sigma (n-1) + Kappa n (n-1))
//
// Sigma alone is a latency that is linear in the number in flight. With both, throughput over n is Gunther's Universal
// Scalability Law, which peaks at n = sqrt((1-Sigma)/Kappa).
//
// Source: N. J. Gunther, "Guerrilla Capacity Planning", Springer 2007, chapter 4.
type Slowdown struct {
	Sigma, Kappa float64 // >= 0
}

// A Cache answers a request in Hit instead of the service time with probability HitRatio x filled / Keys. It is cold
// after a start. A request is for one of the Keys with probability HitRatio, each as likely, and one that finds its key
// missing fills it when it is done; a filled key is lost again after an exponential time of mean TTL.
//
// With FillAnswered the client fills the cache, and only if it is still waiting for the answer: work for a client that
// has timed out fills nothing, so that a cold cache may stay cold (N. Bronson et al., "Metastable Failures in Distributed
// Systems", HotOS 2021, section 2.2).
type Cache struct {
	HitRatio     float64 // in [0, 1], when all keys are filled
	Hit          time.Duration
	Keys         int           // > 0
	TTL          time.Duration // 0 = for ever
	FillAnswered bool
	Cold         bool // at t0 too
}

// A WarmUp makes a service longer after a start: time = service / share, where the share grows linearly from From to 1
// in the time Over, or over so many Requests that have been served. A start is the end of a full outage or of a crash,
// and t0 if Cold.
type WarmUp struct {
	From     float64       // in (0, 1)
	Over     time.Duration // > 0, or
	Requests int           // > 0
	Cold     bool          // at t0 too
}

// A Pool is a pool of connections. A request needs one to itself; there are at most Max, so no more requests are in
// service at once. If none is idle a new one is made, which takes a Handshake of slot time before the service. The
// connection of a client that has timed out is closed, and all are lost in a full outage or a crash.
type Pool struct {
	Max       int // > 0
	Handshake Distribution
	Open      bool // at t0 Max connections are there already
}

// A Crash breaks the downstream down when it is overloaded: what is queued and in service is lost, as in an outage of
// the Mode, and for Down nothing is served; then it starts with an empty queue and cold caches, and may break again. Of
// InFlight, Queued and Liveness each that is set is a cause.
type Crash struct {
	InFlight int // more than this in the slots, those that work off the debt for rejections too, and in the queue; 0 = no cause
	Queued   int // more waiting than this, as for want of memory; 0 = no cause
	Liveness Liveness
	Down     time.Duration // > 0
	Mode     Mode
}

// A Liveness probe is sent Every so often, the first time Every after a start. It waits in the queue as a request does,
// but takes no place and no time. It fails if it meets a full house, or is unanswered when departures of the instant
// Timeout later begin. Failures probes in a row that failed are a crash. The zero Liveness is no probe.
type Liveness struct {
	Every    time.Duration // >= Timeout
	Timeout  time.Duration // > 0
	Failures int           // > 0
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
// max(1, floor(slots x share)) slots take work, what runs goes on and the queue stays. Slow loses nothing either: all slots
// work, but what begins its service takes service / Capacity. Stall (with no Capacity) is a pause: what runs goes on, what
// comes may wait, and nothing is taken from the queue before To.
type Outage struct {
	From, To time.Duration
	Mode     Mode
	Capacity float64 // share of the slots that still take work, in [0, 1)
}

// Full reports whether nothing begins to be served in the outage.
func (o Outage) Full() bool { return o.Capacity == 0 }

// loses reports whether what is there is lost.
func (o Outage) loses() bool { return o.Full() && o.Mode != Stall }

// A Mode is what an outage does to requests.
type Mode uint8

const (
	Refuse Mode = iota // answered at once with a failure
	Hang               // never answered
	Slow               // served, but slowly
	Stall              // nothing begins, nothing is lost
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
