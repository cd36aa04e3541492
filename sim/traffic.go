package sim

import "math"

// openTraffic is where tasks come from that are not of the herd. Of each kind it knows the next one alone, so that it
// takes memory for what waits, not for what will come.
type openTraffic struct {
	next     Time // of any kind; the largest Time when there are no more
	arrivals arriving
	cron     cron
	clients  clients
	limits   [kinds]*Limits
	origins  []uint32 // by open task, if there is anything but arrivals: 0 for those, then the jobs of cron, then the clients
	jobs     uint32   // of cron
	count    uint32   // of tasks
	unseen   int      // tasks since the last look up
}

// A kind of open traffic. At one instant tasks come in this order.
type kind uint8

const (
	ofArrivals kind = iota
	ofCron
	ofClients
	kinds
)

func (o *openTraffic) reset(cfg *Config) {
	o.count, o.unseen, o.jobs, o.origins = 0, 0, 0, nil
	_, o.limits = cfg.limits()
	o.arrivals.reset(cfg)
	o.cron.reset(cfg)
	o.clients.reset(cfg)
	if cfg.Cron != nil {
		o.jobs = uint32(cfg.Cron.Count)
	}
	if cfg.Cron != nil || cfg.Clients != nil {
		o.origins = []uint32{}
	}
	o.find()
}

// find works out when the next task comes.
func (o *openTraffic) find() { o.next = min(o.arrivals.next, o.cron.next, o.clients.next) }

// origin returns where the n-th open task comes from: 0 for arrivals, then the jobs of cron, then the clients.
func (o *openTraffic) origin(n uint32) uint32 {
	if o.origins == nil {
		return 0
	}
	return o.origins[n]
}

// kind returns the kind of the n-th open task.
func (o *openTraffic) kind(n uint32) kind {
	switch from := o.origin(n); {
	case from == 0:
		return ofArrivals
	case from <= o.jobs:
		return ofCron
	}
	return ofClients
}

// waiting returns how many tasks to come take memory.
func (o *openTraffic) waiting() int { return o.cron.later.count + o.clients.thinking.count }

// take takes the next task and returns its origin, or false if that only turned out when the next task comes.
func (o *openTraffic) take() (origin uint32, ok bool) {
	switch o.next {
	case o.arrivals.next:
		o.arrivals.advance()
		ok = true
	case o.cron.next:
		origin, ok = o.cron.take()
		origin++
	default:
		origin, ok = 1+o.jobs+o.clients.take(), true
	}
	o.find()
	return origin, ok
}

// openTask lets the next open task call for the first time.
func (e *Engine) openTask(now Time) {
	o := &e.open
	laid := o.cron.later.count
	origin, ok := o.take()
	// What only comes is no event. Still the bounds must hold when much comes and little happens.
	if o.unseen += 1 + max(0, o.cron.later.count-laid); o.unseen >= checkEvery || o.cron.full {
		o.unseen, e.checkAt = 0, e.events
	}
	if !ok {
		return
	}
	task := e.herd + o.count
	o.count++
	e.res.Open.Tasks++
	if o.origins != nil {
		o.origins = append(o.origins, origin)
	}
	if e.firstSent != nil {
		e.firstSent = append(e.firstSent, now)
	}
	if e.slept != nil {
		e.slept = append(e.slept, 0)
	}
	e.send(task, 1, now, 0)
}

// settled lets a client go on whose task has succeeded or is given up at an instant.
func (e *Engine) settled(task uint32, at Time) {
	if o := &e.open; o.clients.cfg != nil && o.kind(task-e.herd) == ofClients {
		o.clients.think(o.origin(task-e.herd)-1-o.jobs, at)
		o.next = min(o.next, o.clients.next)
	}
}

// clients are those of closed-loop traffic. Each has one task at a time, or thinks.
type clients struct {
	cfg      *Clients
	next     Time
	thoughts stream
	thinking agenda   // an event's task is the client
	number   []uint32 // by client: how often it has thought
	src      source
}

func (c *clients) reset(cfg *Config) {
	*c = clients{cfg: cfg.Clients, next: math.MaxInt64, thinking: c.thinking, number: c.number[:0]}
	c.thinking.count = 0
	if c.cfg == nil {
		return
	}
	c.thinking.reset(c.cfg.Count, min(mulSaturated(4, c.cfg.Think.Mean()), cfg.Horizon))
	c.thoughts = newStream(cfg.Seed, forThink)
	c.number = append(c.number, make([]uint32, c.cfg.Count)...)
	for i := range c.cfg.Count {
		c.think(uint32(i), c.cfg.From)
	}
}

// think lets a client think, unless its next task would come too late.
func (c *clients) think(client uint32, now Time) {
	c.src.seed(c.thoughts, uint64(client), uint64(c.number[client]))
	c.number[client]++
	if at := addSaturated(now, c.cfg.Think.Draw(&c.src)); at < c.cfg.To {
		c.thinking.push(event{at: at, task: client})
		c.next = min(c.next, at)
	}
}

// take returns the client that makes the next task.
func (c *clients) take() uint32 {
	client := c.thinking.peek().task
	c.thinking.pop()
	c.next = math.MaxInt64
	if first := c.thinking.peek(); first != nil {
		c.next = first.at
	}
	return client
}
