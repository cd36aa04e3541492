package scenarios

import (
	"regexp"
)

// A decoder turns the nodes of a scenario into a Scenario, and collects every problem on the way.
type decoder struct {
	problems      Errors
	traces        traceReader
	removed       map[string]bool // names of strategies that the file had before flags changed the list
	limited       bool            // the scenario has limits of its own, before which those of presets give way
	ofPresets     bool            // it reads the presets themselves
	backlogFaulty bool            // how many messages there are could not be read
	noStrategies  bool            // flags left no list of strategies to check
}

// A traceReader returns the content of the trace file of that name, which lies beside the scenario, and what to call it
// in an error.
type traceReader func(name string) (shown string, data []byte, err error)

func (d *decoder) report(at place, message, allowed string) {
	d.reportNear(at, message, allowed, "")
}

func (d *decoder) reportNear(at place, message, allowed, suggestion string) {
	if len(d.problems) >= mostKept {
		return
	}
	d.problems = append(d.problems, problemAt(at, message, allowed, suggestion))
}

var namePattern = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

// scenario decodes the whole file.
func (d *decoder) scenario(root *node) *Scenario {
	s := &Scenario{}
	o := d.object(root, "", scenarioFields, root.at)
	if o == nil {
		return s
	}
	s.Name = d.name(o)
	s.Title = o.line("title")
	s.About = o.freeText("about", true)
	s.Seed, _ = o.count("seed")
	replicates, _ := o.count("replicates")
	s.Replicates = int(replicates)
	s.Horizon = o.duration("horizon")
	maxEvents, _ := o.count("max_events")
	s.MaxEvents = int64(maxEvents)
	s.Window = o.duration("window")
	workers, _ := o.count("workers")
	s.Workers = int(workers)
	s.Messages = d.messages(o)
	s.Broker = d.broker(o, s.Horizon)
	s.Start = d.start(o, "start")
	s.Network = d.network(o)
	d.traffic(o, s)
	s.Task = d.task(o)
	s.Limits, d.limited = d.limits(o), o.has("limits")
	s.Guards = d.guards(o)
	d.tiers(o, s)
	d.brokered(o, s)
	s.Downstream = d.downstream(o, s.Network)
	d.strategies(o, s)
	d.herd(o, s)
	s.Verdict = d.verdict(o)
	d.expectations(o, s)
	return s
}

func (d *decoder) name(o *object) string {
	text, n := o.scalar("name")
	if n != nil && !namePattern.MatchString(text) {
		d.report(n.at, "name is "+n.what(), o.field("name").Form)
		return ""
	}
	return text
}

// child returns the mapping under key, with all defaults if there is none; nil if it is no mapping.
func (o *object) child(key string, fields []Field) *object {
	at := o.at
	if k, ok := o.keys[key]; ok {
		at = k
	}
	return o.d.object(o.value(key), o.path+key+".", fields, at)
}

func (d *decoder) task(o *object) Task {
	t := o.child("task", taskFields)
	if t == nil {
		return Task{}
	}
	return Task{Timeout: t.duration("timeout"), Poison: t.share("poison"), ErrorRate: t.share("error_rate")}
}

func (d *decoder) limits(o *object) Limits {
	l := o.child("limits", limitsFields)
	if l == nil {
		return Limits{}
	}
	attempts, _ := l.count("max_attempts")
	return Limits{MaxAttempts: int(attempts), MaxElapsed: l.duration("max_elapsed"), Deadline: l.duration("deadline")}
}

// placeOf returns where the value of key stands, or where the mapping does if it is not there.
func (o *object) placeOf(key string) place {
	if n := o.values[key]; n != nil {
		return n.at
	}
	return o.at
}
