package sim

import (
	"pgregory.net/rapid"

	"herdsim/downstream"
)

// traffic draws open traffic of each kind, or none.
func (d drawing) traffic(cfg *Config) {
	if d.one(4, "arrivals") {
		cfg.Arrivals = &Arrivals{Even: rapid.Bool().Draw(d.T, "even"), Limits: d.limits()}
		for range rapid.IntRange(1, 4).Draw(d.T, "phases") {
			cfg.Arrivals.Phases = append(cfg.Arrivals.Phases, d.phase())
		}
	}
	if d.one(5, "cron") {
		from := d.steps("from", 0, 5)
		cfg.Cron = &Cron{Every: d.steps("every", 1, 20), Count: rapid.IntRange(1, 8).Draw(d.T, "jobs"), From: from,
			To: from + d.steps("length", 0, 60), Limits: d.limits()}
		switch rapid.IntRange(0, 2).Draw(d.T, "spread") {
		case 0:
			cfg.Cron.Spread.Uniform = d.steps("uniform", 1, 40)
		case 1:
			cfg.Cron.Spread.Spread = d.distribution("law", 30)
		}
	}
	if d.one(5, "clients") {
		from := d.steps("from", 0, 5)
		cfg.Clients = &Clients{Count: rapid.IntRange(1, 8).Draw(d.T, "clients"), Think: d.distribution("think", 5), From: from,
			To: from + d.steps("length", 0, 60), Limits: d.limits()}
	}
}

func (d drawing) phase() Phase {
	rate := func(what string) downstream.Rate {
		return downstream.Rate{Events: rapid.Int64Range(0, 20).Draw(d.T, what), Per: 10 * d.grid}
	}
	from := d.steps("from", 0, 10)
	p := Phase{From: from, To: from + d.steps("length", 0, 60), Rate: rate("rate"), End: rate("end"),
		Shape: rapid.SampledFrom([]Shape{Constant, Constant, Ramp, Sine, Spike}).Draw(d.T, "shape")}
	if p.Shape == Sine || p.Shape == Spike {
		p.Span = d.steps("span", 1, 50)
	}
	return p
}

// limits draws limits of one kind of traffic, or nil for those of the run.
func (d drawing) limits() *Limits {
	if !d.one(3, "limits of its own") {
		return nil
	}
	return &Limits{
		MaxAttempts: rapid.SampledFrom([]int{0, 1, 2, 5}).Draw(d.T, "max attempts"),
		MaxElapsed:  d.steps("max elapsed", 0, 30),
		Deadline:    d.steps("deadline", 0, 30),
	}
}
