package scenarios

import (
	"math"
	"slices"
	"strings"
	"time"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies/guards"
)

// The methods below return a copy of a scenario with one thing changed, for searches. What is not changed is shared.

// mostRate is the limit that rates of traffic have in a file, too.
const mostRate = 1_000_000_000

// mostTasks bounds what Loaded makes of clients and ticks, which is the limit of a herd.
const mostTasks = 100_000_000

// whole says whether a setting changes a checked scenario rather than one of its fields.
func (v Setting) whole() bool { return v.Path == SweepLoad || v.Path == SweepTrigger }

// vary applies a setting that is no field.
func (d *decoder) vary(s *Scenario, v Setting) *Scenario {
	at := place{src: flagSource(v.Flag, v.Path+"="+v.Value)}
	if v.Path == SweepLoad {
		number, _ := strings.CutSuffix(v.Value, "x")
		factor, ok := parseNumber(number)
		switch {
		case !s.Keeps():
			d.report(at, "the scenario has no traffic that keeps coming", "a scenario with arrivals, clients or cron")
		case !ok || factor <= 0 || factor > MostLoad:
			d.report(at, "load is "+quote(v.Value), "a factor above 0x and up to "+formatNumber(MostLoad)+"x, such as 0.5x")
		default:
			return s.Loaded(factor)
		}
		return s
	}
	length, fault := parseDuration(v.Value)
	t, ok := s.Trigger()
	switch {
	case !ok:
		d.report(at, "the scenario has no one trigger with a length", OneTrigger)
	case fault != durationOK || length == 0 || length > t.Most:
		d.report(at, "trigger is "+quote(v.Value), "a duration above 0s and up to "+formatDuration(t.Most)+", as the trigger begins at "+formatDuration(t.From))
	default:
		return s.Triggered(length)
	}
	return s
}

// MostLoad is the largest factor for Loaded.
const MostLoad = 1000

// Keeps reports whether there is traffic that keeps coming.
func (s *Scenario) Keeps() bool { return s.Arrivals != nil || s.Clients != nil || s.Cron != nil }

// Loaded returns the scenario with its traffic times by, in (0, MostLoad]: the rates of arrivals, the clients and the
// tasks of each tick, of which there remains at least one. The herd stays as it is.
func (s *Scenario) Loaded(by float64) *Scenario {
	out := *s
	if s.Arrivals != nil {
		a := *s.Arrivals
		a.File, a.Data = "", nil // no longer as measured
		a.Phases = slices.Clone(a.Phases)
		for i := range a.Phases {
			p := &a.Phases[i]
			p.Rate, p.End = faster(p.Rate, by), faster(p.End, by)
		}
		out.Arrivals = &a
	}
	if s.Clients != nil {
		c := *s.Clients
		c.Count = times(c.Count, by)
		out.Clients = &c
	}
	if s.Cron != nil {
		c := *s.Cron
		c.Count = times(c.Count, by)
		out.Cron = &c
	}
	return &out
}

// times returns n times by, a whole number from 1 to mostTasks.
func times(n int, by float64) int {
	return int(min(max(math.Round(float64(n)*by), 1), mostTasks))
}

// faster returns the rate times by, as near as whole nanoseconds allow, at most mostRate.
func faster(r downstream.Rate, by float64) downstream.Rate {
	if by == 1 || r.Events == 0 {
		return r
	}
	if r.PerSecond()*by >= mostRate {
		return downstream.Rate{Events: mostRate, Per: time.Second}
	}
	for r.Per < time.Hour && r.Events < math.MaxInt64/100 { // so that the rounding is small
		r.Events, r.Per = r.Events*10, r.Per*10
	}
	r.Per = time.Duration(math.Round(min(float64(r.Per)/by, float64(longest))))
	return r
}

// A Trigger is what sets a scenario off, if that is one thing and has a length: its only outage, or its only phase of
// arrivals that begins and ends while others go on.
type Trigger struct {
	Burst        bool // a phase of arrivals; else an outage
	From, Length time.Duration
	Most         time.Duration // the longest that it may be
	index        int           // of the phase
}

// OneTrigger says what Scenario.Trigger asks for.
const OneTrigger = "one outage and no burst, or one phase of arrivals that begins and ends while others go on, and no outage"

// Trigger returns the trigger; false if there are none or several.
func (s *Scenario) Trigger() (Trigger, bool) {
	var all []Trigger
	for _, o := range s.Downstream.Outages {
		all = append(all, Trigger{From: o.From, Length: o.To - o.From, Most: s.Horizon - o.From})
	}
	if s.Arrivals != nil {
		for i, p := range s.Arrivals.Phases {
			if within(p, s.Arrivals.Phases) {
				all = append(all, Trigger{Burst: true, From: p.From, Length: p.To - p.From, Most: s.Horizon - p.From, index: i})
			}
		}
	}
	if len(all) != 1 {
		return Trigger{}, false
	}
	return all[0], true
}

// within reports whether a phase begins after another one has begun and ends before that ends.
func within(p sim.Phase, all []sim.Phase) bool {
	return slices.ContainsFunc(all, func(o sim.Phase) bool { return o.From < p.From && p.To < o.To })
}

// Triggered returns the scenario with a trigger of another length, in (0, Most]. There must be one.
func (s *Scenario) Triggered(length time.Duration) *Scenario {
	t, ok := s.Trigger()
	if !ok {
		panic("scenarios: no trigger")
	}
	out := *s
	if !t.Burst {
		out.Downstream.Outages = slices.Clone(s.Downstream.Outages)
		out.Downstream.Outages[0].To = t.From + length
		return &out
	}
	a := *s.Arrivals
	a.File, a.Data = "", nil
	a.Phases = slices.Clone(a.Phases)
	a.Phases[t.index].To = t.From + length
	out.Arrivals = &a
	return &out
}

// MaxAttempts returns the most attempts of a task under entry i, 0 for no limit: those of the first traffic that has
// limits of its own, else those of the entry.
func (s *Scenario) MaxAttempts(i int) int {
	for _, l := range s.ownLimits() {
		if l != nil {
			return l.MaxAttempts
		}
	}
	return s.Strategies[i].Limits.MaxAttempts
}

// ownLimits returns the limits of arrivals, clients and cron, nil where there are none.
func (s *Scenario) ownLimits() (own [3]*Limits) {
	if s.Arrivals != nil {
		own[0] = s.Arrivals.Limits
	}
	if s.Clients != nil {
		own[1] = s.Clients.Limits
	}
	if s.Cron != nil {
		own[2] = s.Cron.Limits
	}
	return own
}

// Attempting returns the scenario with n attempts for every task of entry i, 0 for no limit.
func (s *Scenario) Attempting(i, n int) *Scenario {
	out := s.withEntry(i, func(e *Entry) { e.Limits.MaxAttempts = n })
	own := s.ownLimits()
	with := func(l *Limits) *Limits {
		changed := *l
		changed.MaxAttempts = n
		return &changed
	}
	if own[0] != nil {
		a := *s.Arrivals
		a.Limits, out.Arrivals = with(own[0]), &a
	}
	if own[1] != nil {
		c := *s.Clients
		c.Limits, out.Clients = with(own[1]), &c
	}
	if own[2] != nil {
		c := *s.Cron
		c.Limits, out.Cron = with(own[2]), &c
	}
	return out
}

// Queued returns the scenario with a queue of n places, or downstream.Unlimited.
func (s *Scenario) Queued(n int) *Scenario {
	out := *s
	out.Downstream.Queue = n
	return &out
}

// Patient returns the scenario with clients that wait for an answer so long, 0 for ever.
func (s *Scenario) Patient(timeout time.Duration) *Scenario {
	out := *s
	out.Task.Timeout = timeout
	return &out
}

// A Cure is a change that may free a scenario that is stuck.
type Cure struct {
	Name, Says string // as a field would say it, and in words
	Apply      func(s *Scenario, i int) *Scenario
}

// Cures returns the changes that are worth trying as they are, under entry i: those that the scenario has not made.
func (s *Scenario) Cures(i int) []Cure {
	var all []Cure
	if s.Downstream.Order != downstream.LIFO {
		all = append(all, Cure{"downstream.order=lifo", "serving the newest first", func(s *Scenario, _ int) *Scenario {
			out := *s
			out.Downstream.Order = downstream.LIFO
			return &out
		}})
	}
	if !s.Strategies[i].paced() && s.Broker == nil {
		all = append(all, Cure{"guards=[{retry-tokens: {capacity: 5, deposit: 0.1}, scope: shared}]", "a retry budget of 10 %", func(s *Scenario, i int) *Scenario {
			budget := guards.Spec{Name: "retry budget of 10 %", Maker: &guards.RetryTokens{Capacity: 5, Deposit: 0.1}, Shared: true}
			return s.withEntry(i, func(e *Entry) { e.Guards = append(slices.Clip(e.Guards), budget) })
		}})
	}
	if !s.Downstream.CancelAbandoned && s.Task.Timeout > 0 {
		all = append(all, Cure{"downstream.cancel_abandoned=true", "dropping what nobody waits for", func(s *Scenario, _ int) *Scenario {
			out := *s
			out.Downstream.CancelAbandoned = true
			return &out
		}})
	}
	return all
}

func (e *Entry) paced() bool { return e.Key == "paced" }

// withEntry returns the scenario with a changed copy of entry i.
func (s *Scenario) withEntry(i int, change func(*Entry)) *Scenario {
	out := *s
	out.Strategies = slices.Clone(s.Strategies)
	change(&out.Strategies[i])
	return &out
}

// Rate returns the rate of the traffic, if it is one of arrivals that does not change and there is no other.
func (s *Scenario) Rate() (downstream.Rate, bool) {
	if s.Arrivals == nil || s.Clients != nil || s.Cron != nil || len(s.Arrivals.Phases) != 1 || s.Arrivals.Phases[0].Shape != sim.Constant {
		return downstream.Rate{}, false
	}
	return s.Arrivals.Phases[0].Rate, true
}
