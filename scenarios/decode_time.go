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
func (d *decoder) start(o *object, key string) Start {
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
	law, name := o.one(key, n, startFields)
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
var outputs = []string{"summary.csv", "requests.csv", "completion.csv", "attempts.csv", "load.csv"}

// trace reads the measured start of a herd from the file beside the scenario.
func (d *decoder) trace(law *object) Start {
	name, n := law.line("trace"), law.values["trace"]
	if name == "" {
		if n != nil && n.kind == scalar && n.text == "" && !n.null {
			d.report(n.at, law.path+"trace is empty", law.field("trace").Form)
		}
		return Start{}
	}
	switch {
	case strings.ContainsAny(name, `/\:`):
		d.report(n.at, law.path+"trace is "+quote(name), law.field("trace").Form)
		return Start{File: name}
	case isOutput(name):
		d.report(n.at, law.path+"trace is "+quote(name)+", which is the name of a result", "any other name")
		return Start{File: name}
	}
	shown, data, err := d.traces(name)
	if err != nil {
		d.report(n.at, law.path+"trace is "+quote(name)+": "+err.Error(), "a CSV file beside the scenario with the columns t_s,count")
		return Start{File: name}
	}
	bins, problems := parseTrace(shown, data)
	d.problems = append(d.problems, problems...)
	s := Start{File: name, Data: data}
	s.Trace = bins
	return s
}

func isOutput(name string) bool {
	return slices.ContainsFunc(outputs, func(o string) bool { return strings.EqualFold(o, name) })
}
