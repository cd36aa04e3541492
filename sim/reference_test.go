package sim

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
	"time"

	"herdsim/downstream"
	"herdsim/strategies"
)

// reference is a second engine, written from the description of the model alone: one heap of everything that is to
// come, every attempt kept for ever, every list searched from its beginning. It shares with the engine only what says
// how long something takes: the keyed streams, the distributions and the strategies.
type reference struct {
	cfg   Config
	now   Time
	plan  plan
	live  int // things to come that are not changes of the downstream
	tasks []*refTask

	running []*planned // departures to come: of requests, and of debts
	queue   []*refCall
	debt    time.Duration
	tokens  *refBucket
	server  refServer
	place   int64 // the next one that the coordinator gives away

	log      []moment
	trace    []AttemptRecord
	wasted   []Time
	departed Time // the last departure
	events   int64
}

type refTask struct {
	number       int64
	herd         bool
	limits       Limits
	after        func() // what its client does when it has succeeded or is given up
	calls        []*refCall
	previous     time.Duration // the strategy's own last wait
	slept        time.Duration // the sum of those
	succeeded    Time          // -1 if it has not
	deadLettered bool
}

// A refCall is one attempt.
type refCall struct {
	task   *refTask
	number int64
	sent   Time

	arrived, started, left Time // -1 until it reaches the downstream, is given a slot, leaves the queue
	swallowed              bool
	timeout, departure     *planned
	until                  Time // it may wait in the queue
	begun                  refBegun

	ended   bool
	outcome Outcome
	end     Time
}

// A level is how many requests wait and how many slots work.
type level struct{ queue, inUse int64 }

// A moment is when something happened, and the levels before and after.
type moment struct {
	at            Time
	before, after level
}

func (c *refCall) firstOfHerd() bool { return c.task.herd && c.number == 1 }

func (c *refCall) key() (task, attempt uint64) { return uint64(c.task.number), uint64(c.number) }

// playReference returns what the model says of a run: its Result, and the records of all attempts in the order in which
// they ended; those that did not come last, by task and attempt.
func playReference(cfg Config) (*Result, []AttemptRecord) {
	r := &reference{cfg: cfg}
	if l := cfg.Downstream.RateLimit; l != nil {
		r.tokens = newRefBucket(*l)
	}
	for i, o := range cfg.Downstream.Outages {
		r.schedule(&planned{at: o.From, class: changes, task: int64(2 * i), do: func() { r.begin(o) }})
		r.schedule(&planned{at: o.To, class: changes, task: int64(2*i + 1), do: func() { r.finish(o) }})
	}
	r.startServer()
	r.startHerd()
	r.startTraffic()
	end := r.play()
	res := r.result(end)
	return res, r.trace
}

func (r *reference) play() CutOff {
	for {
		next := r.peek()
		switch {
		case r.events == r.cfg.MaxEvents:
			return AtMaxEvents
		case r.live == 0 && len(r.queue) == 0: // and so nothing is in service
			return NotCutOff
		case next.at >= r.cfg.Horizon:
			return AtHorizon
		}
		heap.Pop(&r.plan)
		if next.class == openings {
			r.live--
			next.do()
			continue
		}
		if next.class != changes {
			r.live--
		}
		r.track(next.at)
		r.now = next.at
		r.events++
		before := r.level()
		next.do()
		r.log = append(r.log, moment{next.at, before, r.level()})
	}
}

func (r *reference) level() level { return level{int64(len(r.queue)), int64(len(r.running))} }

func (r *reference) startHerd() {
	starts := newStream(r.cfg.Seed, forStart)
	bins := r.cfg.Start.Trace
	k := 0
	for i := range uint64(r.cfg.Workers) {
		t := &refTask{number: int64(i), herd: true, limits: r.cfg.Limits, after: func() {}, succeeded: -1}
		r.tasks = append(r.tasks, t)
		var at Time
		switch s := r.cfg.Start; {
		case s.Uniform > 0:
			at = Time(starts.uniform(i, 0) * float64(s.Uniform))
		case s.Spread != nil:
			var src source
			src.seed(starts, i, 0)
			at = s.Spread.Draw(&src)
		case s.Trace != nil:
			for k == bins[0].Count {
				bins, k = bins[1:], 0
			}
			at = bins[0].From + Time(float64(bins[0].To-bins[0].From)*(float64(k)/float64(bins[0].Count)))
			k++
		}
		r.send(t, at)
	}
}

// send lets a task make its next attempt at the given instant.
func (r *reference) send(t *refTask, at Time) {
	c := &refCall{task: t, number: int64(len(t.calls) + 1), sent: at, arrived: -1, started: -1, left: -1, end: -1}
	t.calls = append(t.calls, c)
	r.schedule(&planned{at: later(at, r.draw(r.cfg.Network, forRequestDelay, c)), class: arrivals, task: t.number,
		attempt: c.number, do: func() { r.arrive(c) }})
	if end := r.lastInstant(c); end >= 0 {
		c.timeout = r.schedule(&planned{at: end, class: timeouts, task: t.number, attempt: c.number,
			do: func() { r.giveUp(c) }})
	}
}

// lastInstant returns when a worker gives up a call: at the timeout or the deadline of its task, -1 for never.
func (r *reference) lastInstant(c *refCall) Time {
	end := Time(-1)
	if r.cfg.Timeout > 0 {
		end = later(c.sent, r.cfg.Timeout)
	}
	if limit := c.task.limits.Deadline; limit > 0 {
		if deadline := later(c.task.calls[0].sent, limit); end < 0 || deadline < end {
			end = deadline
		}
	}
	return end
}

// arrive lets a request reach the downstream.
func (r *reference) arrive(c *refCall) {
	c.arrived = r.now
	if mode, down := r.down(); down {
		r.refuse(c, mode)
		return
	}
	r.expireForRoom()
	if r.tokens != nil {
		if ok, after := r.tokens.take(r.now); !ok {
			r.reply(c, strategies.Rejected, after)
			return
		}
	}
	d := r.cfg.Downstream
	inside := len(r.running) + len(r.queue)
	slot := len(r.running) < r.slots() && inside < r.room()
	switch {
	case !slot && r.isFull():
		r.debt = later(r.debt, d.RejectCost)
		if d.Overflow == downstream.Reject {
			r.reply(c, strategies.Rejected, r.asked(c))
		}
	case d.Crash != nil && (d.Crash.InFlight > 0 && inside+1 > d.Crash.InFlight ||
		!slot && d.Crash.Queued > 0 && len(r.queue)+1 > d.Crash.Queued):
		r.crash()
		r.refuse(c, d.Crash.Mode)
	case c.ended && d.CancelAbandoned:
		// Its worker has timed out while it was on its way: dropped at the door.
	case slot:
		r.serve(c)
	default:
		r.enqueue(c)
	}
}

// refuse answers a request to a downstream that is down, or does not.
func (r *reference) refuse(c *refCall, mode downstream.Mode) {
	if mode == downstream.Hang {
		c.swallowed = true
	} else {
		r.reply(c, strategies.Unavailable, 0)
	}
}

func (r *reference) serve(c *refCall) {
	c.started = r.now
	c.begun = r.beginService(c)
	at := later(r.now, c.begun.took)
	c.departure = r.schedule(&planned{at: at, class: departures, task: c.task.number, attempt: c.number, call: c,
		do: func() { r.depart(c) }})
	r.running = append(r.running, c.departure)
}

// fill gives free slots what there is to do.
func (r *reference) fill() {
	for len(r.running) < r.slots() {
		if r.debt > 0 {
			var d *planned
			d = r.schedule(&planned{at: later(r.now, r.debt), class: departures, task: math.MaxInt64, do: func() { r.free(d) }})
			r.running = append(r.running, d)
			r.debt = 0
			continue
		}
		next := r.nextInLine()
		r.answerProbe(next)
		if next < 0 {
			return
		}
		c := r.queue[next]
		r.queue = slices.Delete(r.queue, next, next+1)
		if r.cfg.Downstream.QueueTimeout != nil && r.now > c.until {
			r.expire(c)
			continue
		}
		r.serve(c)
	}
}

// free takes the slot of a departure back and gives it to who is next.
func (r *reference) free(d *planned) {
	r.running = slices.DeleteFunc(r.running, func(other *planned) bool { return other == d })
	r.departed = r.now
	r.fill()
}

// depart ends the service of a request.
func (r *reference) depart(c *refCall) {
	conflict := r.finishService(c)
	r.free(c.departure)
	poisoned := newStream(r.cfg.Seed, forPoison).uniform(uint64(c.task.number), 0) < r.cfg.Poison
	failed := newStream(r.cfg.Seed, forError).uniform(c.key()) < r.cfg.ErrorRate
	switch {
	case c.ended:
		r.wasted = append(r.wasted, r.now)
	case poisoned || failed || conflict:
		r.reply(c, strategies.Errored, 0)
	default:
		r.reply(c, strategies.Served, 0)
	}
}

// reply sends an answer. One that comes after the timeout is heard by nobody, and the work for it was for nobody.
func (r *reference) reply(c *refCall, o Outcome, after time.Duration) {
	at := later(r.now, r.draw(r.cfg.Network, forReplyDelay, c))
	switch {
	case c.ended:
	case r.cfg.Network == nil:
		r.conclude(c, o, after)
	case r.lastInstant(c) >= 0 && at > r.lastInstant(c):
		if o == strategies.Served || o == strategies.Errored {
			r.wasted = append(r.wasted, r.now)
		}
	default:
		r.schedule(&planned{at: at, class: answers, task: c.task.number, attempt: c.number,
			do: func() { r.conclude(c, o, after) }})
	}
}

// conclude lets a worker have its answer.
func (r *reference) conclude(c *refCall, o Outcome, after time.Duration) {
	r.cancel(c.timeout)
	r.ended(c, o)
	if o == strategies.Served {
		c.task.succeeded = r.now
		c.task.after()
	} else {
		r.retry(c, after)
	}
}

// giveUp lets a worker time out.
func (r *reference) giveUp(c *refCall) {
	r.ended(c, strategies.TimedOut)
	waiting := slices.Index(r.queue, c)
	serving := c.departure != nil && slices.Contains(r.running, c.departure)
	switch {
	case !r.cfg.Downstream.CancelAbandoned:
	case waiting >= 0:
		r.queue = slices.Delete(r.queue, waiting, waiting+1)
		c.left = r.now
	case serving:
		r.cancel(c.departure)
		if r.now > c.started {
			r.wasted = append(r.wasted, r.now)
		}
		r.free(c.departure)
	}
	r.retry(c, 0)
}

// begin begins an outage.
func (r *reference) begin(o downstream.Outage) {
	if loses(o) {
		r.loseAll(o.Mode)
	}
	if o.Mode == downstream.Slow {
		r.server.slow = o.Capacity
	}
	r.fill()
}

// finish ends an outage.
func (r *reference) finish(o downstream.Outage) {
	r.server.slow = 0
	if loses(o) && !r.server.crashed {
		r.restart()
	}
	if _, another := r.outage(r.now); !another { // else it begins first
		r.fill()
	}
}

func (r *reference) loseAll(mode downstream.Mode) {
	lost := slices.Clone(r.queue)
	for _, d := range r.running {
		r.cancel(d)
		if d.call != nil {
			lost = append(lost, d.call)
		}
	}
	r.queue, r.running, r.debt = nil, nil, 0
	r.stopProbes()
	slices.SortFunc(lost, func(a, b *refCall) int {
		return cmp.Or(cmp.Compare(a.task.number, b.task.number), cmp.Compare(a.number, b.number))
	})
	for _, c := range lost {
		serving := c.started >= 0
		if !serving {
			c.left = r.now
		}
		switch {
		case c.ended && serving:
			r.wasted = append(r.wasted, r.now)
		case c.ended:
		case mode == downstream.Hang:
			c.swallowed = true
		default:
			r.reply(c, strategies.Unavailable, 0)
		}
	}
}
