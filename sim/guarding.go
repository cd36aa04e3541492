package sim

import (
	"herdsim/strategies/guards"
)

// guarding asks the guards of a run and tells them of calls. Without guards it does nothing.
type guarding struct {
	specs   []guards.Spec
	shared  []guards.Guard // by guard; nil where each client has its own
	own     []guards.Guard // by client and guard, made when a client first calls
	clients int
	calls   []guards.Call // by task and guard: what the guards gave for the attempt under way; see keep
	herd    uint32
	open    int // clients of the arrivals
	traffic *openTraffic
	client  stream
	luck    stream
	waits   stream // the own next wait of a worker that is put off
	results []GuardResult
	tracked int // windows that have been looked at
}

// A GuardResult is what one guard did in a run, all its instances together.
type GuardResult struct {
	Name       string
	Shared     bool
	Instances  int
	Opened     int64 // how often a breaker opened
	Suppressed int64 // attempts put off
	Delayed    int64 // attempts sent later
	Refused    int64 // tasks given up because a retry was refused
	Track      []GuardPoint
}

// A GuardPoint is the state of a guard at the end of a window, noted when it has changed: the share of its instances
// that are open and half-open, and the mean of what they have left. Of many instances 100 are looked at.
type GuardPoint struct {
	Window                int64
	Open, HalfOpen, Level float64
}

const trackedClients = 100

func (g *guarding) reset(cfg *Config, traffic *openTraffic) {
	*g = guarding{specs: cfg.Guards, herd: uint32(cfg.Workers), traffic: traffic}
	if len(g.specs) == 0 {
		return
	}
	g.client, g.luck = newStream(cfg.Seed, forClient), newStream(cfg.Seed, forGuard)
	g.waits = newStream(cfg.Seed, forPutOff)
	g.clients = cfg.Workers
	if cfg.Arrivals != nil {
		g.open = max(1, cfg.Arrivals.Clients)
		g.clients += g.open
	}
	if cfg.Cron != nil {
		g.clients += cfg.Cron.Count
	}
	if cfg.Clients != nil {
		g.clients += cfg.Clients.Count
	}
	g.shared = make([]guards.Guard, len(g.specs))
	g.results = make([]GuardResult, len(g.specs))
	each := false
	for i, s := range g.specs {
		g.results[i] = GuardResult{Name: s.Name, Shared: s.Shared, Instances: g.clients}
		if s.Shared {
			g.shared[i], g.results[i].Instances = s.Maker.Make(), 1
		} else {
			each = true
		}
	}
	if each {
		g.own = make([]guards.Guard, g.clients*len(g.specs))
	}
}

// on reports whether there is any guard.
func (g *guarding) on() bool { return len(g.specs) > 0 }

// of returns guard i of the client of a task.
func (g *guarding) of(task uint32, i int) guards.Guard {
	if s := g.shared[i]; s != nil {
		return s
	}
	return g.ofClient(task, i)
}

// ofClient returns guard i of the client of a task, which is not shared.
func (g *guarding) ofClient(task uint32, i int) guards.Guard {
	client := int(task)
	if task >= g.herd {
		client = int(g.herd)
		if from := g.traffic.origin(task - g.herd); from == 0 {
			client += int(g.client.uniform(uint64(task), 0) * float64(g.open))
		} else {
			client += g.open + int(from) - 1 // the same job of all ticks is one client
		}
	}
	at := client*len(g.specs) + i
	if g.own[at] == nil {
		g.own[at] = g.specs[i].Maker.Make()
	}
	return g.own[at]
}

// call returns what guard i gave for the attempt of a task that is under way or to come.
func (g *guarding) call(task, attempt uint32, i int) (c guards.Call) {
	if at := int(task)*len(g.specs) + i; at < len(g.calls) {
		c = g.calls[at]
	}
	c.Retry = attempt > 1
	return c
}

// keep remembers what guard i gave. Most give nothing most of the time, and a table of tasks costs a cache miss an event:
// there is none before there is something in it.
func (g *guarding) keep(task uint32, i int, c guards.Call) {
	at := int(task)*len(g.specs) + i
	if at >= len(g.calls) {
		if !c.Reserved && c.Ticket == 0 && c.Allowance == 0 {
			return
		}
		g.calls = append(g.calls, make([]guards.Call, max(at+1, int(g.herd)*len(g.specs))-len(g.calls))...)
	}
	g.calls[at] = c
}

// allow asks whether a task may be tried again.
func (g *guarding) allow(task uint32, now Time, o Outcome) bool {
	for i := range g.specs {
		allowance, ok := g.of(task, i).Allow(now, o)
		if !ok {
			g.results[i].Refused++
			for j := range i {
				g.of(task, j).Drop(now, g.call(task, 2, j))
			}
			return false
		}
		g.keep(task, i, guards.Call{Allowance: allowance})
	}
	return true
}

// admit asks the guards whether an attempt may be sent, and takes back what the first have said if a later one says no.
func (g *guarding) admit(task, attempt uint32, now Time) guards.Answer {
	for i := range g.specs {
		c := g.call(task, attempt, i)
		c.Ticket = 0
		a := g.of(task, i).Admit(now, c, g.luck.uniform(uint64(task), uint64(now)+uint64(i)*oddA))
		c.Ticket = a.Ticket
		if a.Verdict == guards.Proceed {
			c.Reserved = false
			g.keep(task, i, c)
			continue
		}
		switch a.Verdict {
		case guards.PutOff:
			g.results[i].Suppressed++
		case guards.Delay:
			g.results[i].Delayed++
			c.Reserved = true
		case guards.Refuse:
			g.results[i].Refused++
		}
		g.keep(task, i, c)
		for j := range i {
			g.of(task, j).Cancel(now, g.call(task, attempt, j))
		}
		return a
	}
	return guards.Answer{}
}

// drop tells the guards that an attempt which they have not admitted will not be made.
func (g *guarding) drop(task, attempt uint32, now Time) {
	for i := range g.specs {
		g.of(task, i).Drop(now, g.call(task, attempt, i))
	}
}

// done tells the guards how an attempt ended.
func (g *guarding) done(task, attempt uint32, now Time, o Outcome) {
	for i := range g.specs {
		g.of(task, i).Done(now, g.call(task, attempt, i), o)
	}
}

// track notes the states of the guards at the end of a window.
func (g *guarding) track(window int64, end Time) {
	for i := range g.specs {
		p := GuardPoint{Window: window}
		seen := 0.0
		look := func(guard guards.Guard) {
			if guard == nil {
				seen++ // a client that has not called: its guard is as it was made
				p.Level++
				return
			}
			s := guard.State(end)
			seen++
			p.Level += s.Level
			switch s.Phase {
			case guards.Open:
				p.Open++
			case guards.HalfOpen:
				p.HalfOpen++
			}
		}
		if s := g.shared[i]; s != nil {
			look(s)
		} else {
			every := max(1, g.clients/trackedClients)
			for c := 0; c < g.clients; c += every {
				look(g.own[c*len(g.specs)+i])
			}
		}
		if seen > 0 {
			p.Open, p.HalfOpen, p.Level = p.Open/seen, p.HalfOpen/seen, p.Level/seen
		}
		r := &g.results[i]
		if n := len(r.Track); n == 0 || r.Track[n-1].Open != p.Open || r.Track[n-1].HalfOpen != p.HalfOpen || r.Track[n-1].Level != p.Level {
			r.Track = append(r.Track, p)
		}
	}
}

// finish returns what the guards did.
func (g *guarding) finish(now Time) []GuardResult {
	for i := range g.results {
		if s := g.shared[i]; s != nil {
			g.results[i].Opened = s.State(now).Opened
			continue
		}
		for c := range g.clients {
			if guard := g.own[c*len(g.specs)+i]; guard != nil {
				g.results[i].Opened += guard.State(now).Opened
			}
		}
	}
	return g.results
}
