package scenarios

import (
	"time"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

func encodeArrivals(s *Scenario) any {
	a := s.Arrivals
	if a == nil {
		return wordText(none)
	}
	f := fileArrivals{Spacing: "poisson", Clients: uint64(a.Clients), Limits: encodeOwnLimits(a.Limits)}
	if a.Even {
		f.Spacing = "even"
	}
	switch p := a.Phases[0]; {
	case a.File != "":
		f.Trace = a.File
	case len(a.Phases) == 1 && p.Shape == sim.Constant:
		f.Rate, f.From, f.To = encodeRate(p.Rate), encodeDuration(p.From), s.encodeEnd(p.To)
	default:
		for _, p := range a.Phases {
			f.Phases = append(f.Phases, encodePhase(p, s))
		}
	}
	return f
}

func encodePhase(p sim.Phase, s *Scenario) filePhase {
	f := filePhase{From: encodeDuration(p.From), To: s.encodeEnd(p.To)}
	switch p.Shape {
	case sim.Constant:
		f.Rate = encodeRate(p.Rate)
	case sim.Ramp:
		f.Ramp = &fileRamp{encodeRate(p.Rate), encodeRate(p.End)}
	case sim.Sine:
		f.Sine = &fileSine{encodeRate(p.Rate), encodeRate(p.End), encodeDuration(p.Span)}
	case sim.Spike:
		f.Spike = &fileSpike{encodeRate(p.Rate), encodeDuration(p.Span)}
	}
	return f
}

func encodeRate(r downstream.Rate) rateText { return rateText(formatRate(r)) }

// encodeEnd writes when something ends.
func (s *Scenario) encodeEnd(to time.Duration) durationText {
	if to == s.Horizon {
		return horizonWord
	}
	return encodeDuration(to)
}

// encodeOwnLimits writes limits that are left out if there are none of one's own.
func encodeOwnLimits(l *Limits) *fileLimits {
	if l == nil {
		return nil
	}
	f := encodeLimits(*l)
	return &f
}

func encodeClients(s *Scenario) any {
	c := s.Clients
	if c == nil {
		return wordText(none)
	}
	return fileClients{uint64(c.Count), encodeLaw(c.Think), encodeDuration(c.From), s.encodeEnd(c.To), encodeOwnLimits(c.Limits)}
}

func encodeCron(s *Scenario) any {
	c := s.Cron
	if c == nil {
		return wordText(none)
	}
	return fileCron{
		encodeDuration(c.Every), uint64(c.Count), encodeStart(Start{Start: c.Spread}), encodeDuration(c.From), s.encodeEnd(c.To),
		encodeOwnLimits(c.Limits),
	}
}

func encodeTiers(tiers []sim.Tier) []fileTier {
	f := []fileTier{}
	for _, t := range tiers {
		f = append(f, fileTier{uint64(t.Attempts), encodeTierStrategy(t.Strategy), encodeOptional(t.Timeout)})
	}
	return f
}

func encodeTierStrategy(s strategies.Strategy) any {
	if s == (strategies.Immediate{}) {
		return wordText("immediate")
	}
	return encodeStrategy(s)
}
