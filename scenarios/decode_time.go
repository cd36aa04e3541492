package scenarios

import (
	"slices"
	"strings"

	"herdsim/downstream"
)

// one returns the only key of a mapping that has to have exactly one of the fields, with what stands under it.
func (o *object) one(key string, n *node, fields []Field) (law *object, name string) {
	law = o.d.object(n, o.path+key+".", fields, n.at)
	if law == nil {
		return nil, ""
	}
	if len(law.values) == 1 && len(law.seen) == 1 {
		for name = range law.values {
		}
		return law, name
	}
	if len(law.keys) == len(law.seen) { // else an unknown key was reported
		what := "is empty"
		if len(law.keys) > 1 {
			what = "has more than one law"
		}
		o.d.report(n.at, o.path+key+" "+what, "exactly one of "+keyList(fields))
	}
	return nil, ""
}

// distribution returns how long something takes: a constant or a law.
func (d *decoder) distribution(o *object, key string) downstream.Distribution {
	n := o.value(key)
	if n == nil || n.kind != mapping {
		text := o.field(key).Default
		if n != nil {
			text = n.text
		}
		value, why := constantField.duration(text)
		if n != nil && (n.kind != scalar || why != "") {
			o.wrong(key, n, why)
		}
		return downstream.Constant{D: value}
	}
	law, name := o.one(key, n, distributionFields)
	if law == nil {
		return downstream.Constant{}
	}
	switch name {
	case "exponential":
		return downstream.Exponential{M: law.duration(name)}
	case "lognormal":
		if p := law.child(name, meanCVFields); p != nil {
			return downstream.Lognormal{M: p.duration("mean"), CV: p.number("cv")}
		}
	case "gamma":
		if p := law.child(name, meanCVFields); p != nil {
			return downstream.Gamma{M: p.duration("mean"), CV: p.number("cv")}
		}
	case "uniform":
		if p := law.child(name, uniformFields); p != nil {
			return d.uniform(p)
		}
	case "bimodal":
		if p := law.child(name, bimodalFields); p != nil {
			return downstream.Bimodal{Fast: p.duration("fast"), Slow: p.duration("slow"), SlowShare: p.share("slow_share")}
		}
	case "normal":
		if p := law.child(name, normalFields); p != nil {
			return downstream.Normal{M: p.duration("mean"), SD: p.duration("sd")}
		}
	}
	return downstream.Constant{}
}

// constantField is what a plain duration in place of a law may be.
var constantField = Field{Kind: Duration}

func (d *decoder) uniform(p *object) downstream.Distribution {
	u := downstream.Uniform{Min: p.duration("min"), Max: p.duration("max")}
	if p.sound("min", "max") && u.Min >= u.Max {
		d.report(p.placeOf("max"), p.path+"min is "+formatDuration(u.Min)+" and max is "+formatDuration(u.Max), "min below max; for a constant, the duration alone")
	}
	return u
}

// network returns the one-way delay, nil for none.
func (d *decoder) network(o *object) downstream.Distribution {
	n := d.distribution(o, "network")
	if n == (downstream.Constant{}) {
		return nil
	}
	return n
}

// start returns how first calls spread.
func (d *decoder) start(o *object, key string) Start { return d.starting(o, key, startFields) }

// starting returns how calls spread, by one of the laws.
func (d *decoder) starting(o *object, key string, laws []Field) Start {
	var s Start
	n := o.value(key)
	switch {
	case n == nil:
		return s
	case n.kind != mapping:
		value, why := constantField.duration(n.text)
		if n.kind != scalar || why != "" {
			o.wrong(key, n, why)
		}
		s.Uniform = value
		return s
	}
	law, name := o.one(key, n, laws)
	if law == nil {
		return s
	}
	switch name {
	case "normal":
		if p := law.child(name, normalFields); p != nil {
			s.Spread = downstream.Normal{M: p.duration("mean"), SD: p.duration("sd")}
		}
	case "exponential":
		s.Spread = downstream.Exponential{M: law.duration(name)}
	case "trace":
		s = d.trace(law)
	}
	return s
}

// outputs are the names of tables that a run writes; a trace is copied beside them.
var outputs = []string{"summary.csv", "requests.csv", "completion.csv", "attempts.csv", "load.csv", "phase.csv"}

// trace reads the measured start of a herd from the file beside the scenario.
func (d *decoder) trace(law *object) Start {
	name, shown, data := d.traceFile(law, traceHeader)
	s := Start{File: name}
	if data != nil {
		bins, problems := parseTrace(shown, data)
		d.problems = append(d.problems, problems...)
		s.Data, s.Trace = data, bins
	}
	return s
}

// traceFile reads the file that is named under trace, and returns its name, what to call it in an error, and its content,
// nil if there was a problem.
func (d *decoder) traceFile(o *object, columns string) (name, shown string, data []byte) {
	name, n := o.line("trace"), o.values["trace"]
	switch {
	case name == "":
		if n != nil && n.kind == scalar && n.text == "" && !n.null {
			d.report(n.at, o.path+"trace is empty", o.field("trace").Form)
		}
		return "", "", nil
	case strings.ContainsAny(name, `/\:`):
		d.report(n.at, o.path+"trace is "+quote(name), o.field("trace").Form)
		return name, "", nil
	case isOutput(name):
		d.report(n.at, o.path+"trace is "+quote(name)+", which is the name of a result", "any other name")
		return name, "", nil
	}
	shown, data, err := d.traces(name)
	if err != nil {
		d.report(n.at, o.path+"trace is "+quote(name)+": "+err.Error(), "a CSV file beside the scenario with the columns "+columns)
		return name, "", nil
	}
	return name, shown, append([]byte{}, data...)
}

func isOutput(name string) bool {
	return slices.ContainsFunc(outputs, func(o string) bool { return strings.EqualFold(o, name) })
}
