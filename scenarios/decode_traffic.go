package scenarios

import (
	"fmt"
	"math"
	"time"

	"herdsim/sim"
)

// traffic decodes what comes beside the herd.
func (d *decoder) traffic(o *object, s *Scenario) {
	s.Arrivals = d.arrivals(o, s.Horizon)
	s.Clients = d.clients(o, s.Horizon)
	s.Cron = d.cron(o, s.Horizon)
}

// open reports whether there is traffic beside the herd.
func (s *Scenario) open() bool { return s.Arrivals != nil || s.Clients != nil || s.Cron != nil }

func (d *decoder) arrivals(o *object, horizon time.Duration) *Arrivals {
	if !o.has("arrivals") {
		return nil
	}
	a := o.child("arrivals", arrivalsFields)
	if a == nil {
		return nil
	}
	out := &Arrivals{}
	out.Even = a.word("spacing") == "even"
	out.Clients = int(a.whole("clients"))
	out.Limits = d.ownLimits(a)
	given := a.only("rate", "phases", "trace")
	if given == "rate" {
		p := sim.Phase{Rate: a.rate("rate")}
		p.From, p.To = d.interval(a, o, horizon)
		out.Phases = []sim.Phase{p}
		return out
	}
	for _, key := range []string{"from", "to"} {
		if at, written := a.keys[key]; written && given != "" {
			d.report(at, a.path+key+" and "+a.path+given+" are both there", "from and to beside rate; phases and traces say themselves when they begin and end")
		}
	}
	switch given {
	case "phases":
		out.Phases = d.phases(a, o, horizon)
	case "trace":
		name, shown, data := d.traceFile(a, traceHeader+" or "+rateHeader)
		if out.File = name; data != nil {
			phases, problems := parseArrivals(shown, data, horizon)
			d.problems = append(d.problems, problems...)
			out.Data, out.Phases = data, phases
		}
	}
	return out
}

// ownLimits returns the limits of one kind of traffic, nil if it has none of its own.
func (d *decoder) ownLimits(o *object) *Limits {
	if !o.has("limits") {
		return nil
	}
	l := d.limits(o)
	return &l
}

// interval returns from and to of what is in root; the length may stand instead of to where there is a key for it.
func (d *decoder) interval(o, root *object, horizon time.Duration) (from, to time.Duration) {
	from = o.duration("from")
	to, word := o.durationOrWord("to")
	if word == horizonWord {
		to = horizon
	}
	key := "to"
	if o.field("for") != nil && o.has("for") {
		if key = "for"; o.has("to") {
			d.bothEnds(o)
			return from, to
		}
		to = later(from, o.duration("for"))
	}
	switch at := o.placeOf(key); {
	case !o.sound("from", key) || !root.sound("horizon"):
	case from >= to && key == "to" && o.values[key] == nil:
		d.report(o.placeOf("from"), o.path+"from is "+formatDuration(from)+" and the horizon is "+formatDuration(horizon), "from before the horizon")
	case from >= to:
		d.report(at, o.path+"from is "+formatDuration(from)+" and "+o.path+"to is "+formatDuration(to), "from before to")
	case to > horizon && key == "for":
		d.report(at, o.path+"for ends at "+formatDuration(to)+" and the horizon is "+formatDuration(horizon), "an end not after the horizon")
	case to > horizon:
		d.report(at, o.path+"to is "+formatDuration(to)+" and the horizon is "+formatDuration(horizon), "to not after the horizon")
	}
	return from, to
}

// later returns from + d, or the last instant if that is later still.
func later(from, d time.Duration) time.Duration { return from + min(d, math.MaxInt64-from) }

// bothEnds reports that both to and for say when something ends.
func (d *decoder) bothEnds(o *object) {
	d.report(o.keys["for"], o.path+"to and "+o.path+"for are both there", "one of them")
}

func (d *decoder) phases(a, root *object, horizon time.Duration) []sim.Phase {
	n := a.value("phases")
	if n.kind == list && len(n.items) == 0 {
		d.report(n.at, a.path+"phases is an empty list", a.field("phases").Form)
	}
	var phases []sim.Phase
	for i, item := range a.list("phases") {
		path := fmt.Sprintf("%sphases[%d]", a.path, i)
		if p := d.object(item, path+".", phaseFields, item.at); p != nil {
			phases = append(phases, d.phase(p, root, horizon))
		}
	}
	return phases
}

func (d *decoder) phase(p, root *object, horizon time.Duration) sim.Phase {
	var out sim.Phase
	out.From, out.To = d.interval(p, root, horizon)
	switch p.only("rate", "ramp", "sine", "spike") {
	case "rate":
		out.Rate = p.rate("rate")
	case "ramp":
		if r := p.child("ramp", rampFields); r != nil {
			out.Shape, out.Rate, out.End = sim.Ramp, r.rate("from"), r.rate("to")
			if r.sound("from", "to") && out.Rate.Events == 0 && out.End.Events == 0 {
				d.report(r.placeOf("to"), r.path+"from and "+r.path+"to are both 0", "one of them above 0")
			}
		}
	case "sine":
		if r := p.child("sine", sineFields); r != nil {
			out.Shape, out.Rate, out.End, out.Span = sim.Sine, r.rate("mean"), r.rate("amplitude"), r.duration("period")
		}
	case "spike":
		if r := p.child("spike", spikeFields); r != nil {
			out.Shape, out.Rate, out.Span = sim.Spike, r.rate("peak"), r.duration("decay")
		}
	}
	return out
}

func (d *decoder) clients(o *object, horizon time.Duration) *sim.Clients {
	if !o.has("clients") {
		return nil
	}
	c := o.child("clients", clientsFields)
	if c == nil {
		return nil
	}
	count, _ := c.count("count")
	before := len(d.problems)
	out := &sim.Clients{Count: int(count), Think: d.distribution(c, "think")}
	if c.has("think") && out.Think.Mean() == 0 && len(d.problems) == before {
		d.report(c.placeOf("think"), c.path+"think has a mean of 0s", "a duration above 0, or a law with a mean above 0: else a client never stops")
	}
	out.Limits = d.ownLimits(c)
	out.From, out.To = d.interval(c, o, horizon)
	return out
}

// mostDue bounds the tasks of ticks that have come and that have not called yet, which an engine keeps.
const mostDue = 20_000_000

func (d *decoder) cron(o *object, horizon time.Duration) *sim.Cron {
	if !o.has("cron") {
		return nil
	}
	c := o.child("cron", cronFields)
	if c == nil {
		return nil
	}
	count, _ := c.count("count")
	out := &sim.Cron{
		Every: c.duration("every"), Count: int(count), Spread: d.starting(c, "spread", spreadFields).Start, Limits: d.ownLimits(c),
	}
	spread := out.Spread.Uniform
	if out.Spread.Spread != nil {
		spread = out.Spread.Spread.Mean()
	}
	if due := float64(count) * (1 + float64(min(spread, horizon))/float64(out.Every)); spread > 0 && c.sound("every", "count") && due > mostDue {
		d.report(c.placeOf("count"), fmt.Sprintf("%scount is %s every %s, spread over %s: more than %s are due at once",
			c.path, formatCount(count), formatDuration(out.Every), formatDuration(spread), formatCount(mostDue)), "a smaller count, a longer every or a shorter spread")
	}
	out.From, out.To = d.interval(c, o, horizon)
	return out
}

// mostCalls bounds what the tiers may make of one attempt.
const mostCalls = 1_000_000

// tiers decodes the layers between the tasks and the downstream.
func (d *decoder) tiers(o *object, s *Scenario) {
	calls := uint64(1)
	items := o.list("tiers")
	for i, item := range items {
		path := fmt.Sprintf("tiers[%d]", i)
		t := d.object(item, path+".", tierFields, item.at)
		if t == nil {
			continue
		}
		attempts, _ := t.count("attempts")
		tier := sim.Tier{Attempts: int(attempts), Strategy: d.tierStrategy(t), Timeout: t.duration("timeout")}
		s.Tiers = append(s.Tiers, tier)
		if calls *= max(attempts, 1); calls > mostCalls {
			d.report(t.placeOf("attempts"), fmt.Sprintf("the attempts of tiers[0] to %s multiply to more than %s", path, formatCount(mostCalls)), "fewer tiers or attempts")
			calls = 1
		}
	}
	if s.Network != nil && len(items) > 0 {
		d.report(o.keys["tiers"], "there are tiers and a network", "tiers without a network: how long a call takes is then the downstream's alone")
	}
	s.PassDeadlines = o.word("deadlines") == "passed"
	if s.PassDeadlines && len(items) == 0 && o.sound("tiers") {
		d.report(o.placeOf("deadlines"), "deadlines is passed, and there are no tiers", "tiers, whose deadlines are passed down")
	}
}

// verdict decodes when a run counts as recovered.
func (d *decoder) verdict(o *object) Verdict {
	v := o.child("verdict", verdictFields)
	if v == nil {
		return Verdict{}
	}
	return Verdict{Within: v.share("within"), For: v.duration("for")}
}
