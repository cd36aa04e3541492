package sim

import "math"

// cron is periodic traffic. A tick whose jobs do not call at once is laid out when it comes.
type cron struct {
	cfg     *Cron
	horizon Time
	next    Time // a job, or a tick to be laid out
	tick    Time // the next; the largest Time when there are no more
	number  uint32
	job     uint32 // the next of the tick, of jobs that call at once
	spreads bool   // jobs do not call at once
	later   agenda // jobs of the ticks that have come; an event's task is the tick, its attempt the job
	beyond  bool   // some jobs come after the horizon
	full    bool   // a tick has more jobs than an engine may hold
	spread  stream
	src     source
}

func (c *cron) reset(cfg *Config) {
	*c = cron{cfg: cfg.Cron, horizon: cfg.Horizon, next: math.MaxInt64, tick: math.MaxInt64, later: c.later}
	c.later.count = 0
	if c.cfg == nil || c.cfg.From >= c.cfg.To {
		return
	}
	c.spread = newStream(cfg.Seed, forCron)
	c.tick = c.cfg.From
	if c.spreads = !c.cfg.Spread.atOnce(); c.spreads {
		c.later.reset(min(c.cfg.Count, 1<<20), min(c.cfg.Spread.late(), cfg.Horizon))
	}
	c.find()
}

// find works out when to take something next.
func (c *cron) find() {
	c.next = c.tick
	if !c.spreads {
		return
	}
	if first := c.later.peek(); first != nil {
		c.next = min(c.next, first.at)
	}
	if c.beyond {
		c.next = min(c.next, c.horizon)
	}
}

// take takes the next job, or lays out the tick that is due and returns false.
func (c *cron) take() (job uint32, ok bool) {
	switch {
	case !c.spreads:
		job, ok = c.job, true
		if c.job++; c.job == uint32(c.cfg.Count) {
			c.job = 0
			c.wind()
		}
	case c.next == c.tick:
		c.layOut()
		c.wind()
	default:
		job, ok = c.later.peek().attempt, true
		c.later.pop()
	}
	c.find()
	return job, ok
}

// wind goes on to the next tick.
func (c *cron) wind() {
	c.number++
	if c.tick = addSaturated(c.tick, c.cfg.Every); c.tick >= c.cfg.To {
		c.tick = math.MaxInt64
	}
}

// layOut draws when the jobs of the tick call.
func (c *cron) layOut() {
	if c.full = c.cfg.Count+c.later.count > bounds.bytes/eventBytes; c.full {
		return
	}
	for job := range uint32(c.cfg.Count) {
		at := addSaturated(c.tick, c.cfg.Spread.draw(&c.src, c.spread, uint64(c.number), uint64(job)))
		if at >= c.horizon {
			c.beyond = true
			continue
		}
		c.later.push(event{at: at, task: c.number, attempt: job})
	}
}
