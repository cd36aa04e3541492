package report

import (
	"math"

	"herdsim/sim"
)

// fadedAfter is after how many decay times a spike of arrivals counts as over: it has fallen to 5 % of its peak.
const fadedAfter = 3

// HasOpen reports whether tasks come besides the herd.
func (s *Setup) HasOpen() bool {
	return s.OpenRate > 0 || s.Arrivals != nil || s.Clients != nil || s.Cron != nil
}

// openNoun is what a task of the open traffic is called: only arrivals arrive.
func (s *Setup) openNoun() string {
	switch {
	case s.Clients == nil && s.Cron == nil:
		return "arrival"
	case s.Arrivals == nil:
		return "task"
	}
	return "open task"
}

// TrafficSpan returns from when until when tasks come besides the herd, by the schedule and before the horizon; the
// whole run if the schedule is not known.
func (s *Setup) TrafficSpan() sim.Span {
	span := sim.Span{From: math.MaxInt64, To: -1}
	cover := func(from, to sim.Time) {
		if from < to {
			span.From, span.To = min(span.From, from), max(span.To, to)
		}
	}
	if s.Arrivals != nil {
		for _, p := range s.Arrivals.Phases {
			cover(p.From, p.To)
		}
	}
	if s.Clients != nil {
		cover(s.Clients.From, s.Clients.To)
	}
	if s.Cron != nil {
		cover(s.Cron.From, s.Cron.To)
	}
	if span.To < 0 {
		span = sim.Span{From: 0, To: s.Horizon}
	}
	if s.Horizon > 0 {
		span.To = min(span.To, s.Horizon)
	}
	return span
}

// ClientRate returns how many tasks per second the closed-loop clients make if each is served at once, count / (think +
// service + both ways of the network), but no more than the capacity; 0 without any.
func (s *Setup) ClientRate() float64 {
	if s.Clients == nil || s.Clients.Think == nil {
		return 0
	}
	rate := float64(s.Clients.Count) / (s.Clients.Think.Mean() + s.Service + 2*s.Network).Seconds()
	if s.Capacity > 0 {
		rate = min(rate, s.Capacity)
	}
	return rate
}

// Scheduled returns how many open tasks are due in [from, to) by the schedule: the integral of the rates of the arrivals,
// the counts of the cron ticks, and the tasks of clients that are served at once.
func (s *Setup) Scheduled(from, to sim.Time) float64 {
	kinds := s.scheduled(from, to)
	return kinds[0] + kinds[1] + kinds[2]
}

// scheduled returns the terms of Scheduled: arrivals, clients, cron.
func (s *Setup) scheduled(from, to sim.Time) (tasks [3]float64) {
	if s.Arrivals != nil {
		for i := range s.Arrivals.Phases {
			tasks[0] += due(&s.Arrivals.Phases[i], from, to)
		}
	}
	if c := s.Clients; c != nil {
		if a, b := max(from, c.From), min(to, c.To); a < b {
			tasks[1] = s.ClientRate() * (b - a).Seconds()
		}
	}
	if c := s.Cron; c != nil && c.Every > 0 {
		ticks := func(before sim.Time) int64 { // at From + k Every < before
			if before = min(before, c.To); before <= c.From {
				return 0
			}
			return int64((before-c.From-1)/c.Every) + 1
		}
		tasks[2] = float64(c.Count) * float64(ticks(to)-ticks(from))
	}
	return tasks
}

// due returns the integral of the rate of p over [from, to).
func due(p *sim.Phase, from, to sim.Time) float64 {
	a, b := max(from, p.From), min(to, p.To)
	if a >= b {
		return 0
	}
	rate, length := p.Rate.PerSecond(), (b - a).Seconds()
	switch p.Shape {
	case sim.Ramp:
		slope := (p.End.PerSecond() - rate) / (p.To - p.From).Seconds()
		return length * (rate + slope*((a-p.From)+(b-p.From)).Seconds()/2)
	case sim.Spike:
		decay := p.Span.Seconds()
		return rate * decay * (math.Exp(-(a-p.From).Seconds()/decay) - math.Exp(-(b-p.From).Seconds()/decay))
	case sim.Sine:
		const perPeriod = 64 // midpoints: within 0.1 % even where the rate is cut off at 0
		n := perPeriod * min(64, math.Ceil(length/p.Span.Seconds()))
		sum := 0.0
		for i := range int(n) {
			t := (a - p.From).Seconds() + length*(float64(i)+0.5)/n
			sum += max(0, rate+p.End.PerSecond()*math.Sin(2*math.Pi*t/p.Span.Seconds()))
		}
		return sum * length / n
	}
	return rate * length
}

// Trigger returns what disturbs the run: from the first to the last of the outages, the first calls of the herd, and
// the changes of the rate of arrivals inside of TrafficSpan: a phase that begins or ends, all of a ramp, a spike until
// it has fallen to 5 %. A phase that lasts to the end of the traffic disturbs only by its beginning, and a measured trace,
// which changes all the time, not at all. From is -1 if there is nothing.
func (s *Setup) Trigger() sim.Span {
	trigger := sim.Span{From: -1, To: -1}
	cover := func(from, to sim.Time) {
		if trigger.From < 0 || from < trigger.From {
			trigger.From = from
		}
		trigger.To = max(trigger.To, to)
	}
	if s.Workers > 0 {
		cover(0, s.HerdEnd)
	}
	for _, o := range s.Outages {
		cover(o.From, o.To)
	}
	span := s.TrafficSpan()
	inside := func(t sim.Time) {
		if span.From < t && t < span.To {
			cover(t, t)
		}
	}
	if s.Arrivals != nil && !s.Traced {
		for _, p := range s.Arrivals.Phases {
			switch p.Shape {
			case sim.Ramp:
				cover(p.From, min(p.To, span.To))
			case sim.Spike:
				cover(p.From, min(p.From+min(fadedAfter*p.Span, p.To-p.From), span.To))
			default:
				inside(p.From)
			}
			inside(p.To)
		}
	}
	if s.Clients != nil {
		inside(s.Clients.From)
		inside(s.Clients.To)
	}
	return trigger
}

// MeanRate returns the scheduled open tasks per second over TrafficSpan.
func (s *Setup) MeanRate() float64 {
	span := s.TrafficSpan()
	if span.To <= span.From {
		return 0
	}
	return s.Scheduled(span.From, span.To) / (span.To - span.From).Seconds()
}

// rates returns the least and the most of the total rate of the arrivals over TrafficSpan, per second: of what they are
// at each beginning and end of a phase, and between these at a hundred instants of those that change.
func (s *Setup) rates() (low, high float64) {
	span := s.TrafficSpan()
	low = math.Inf(1)
	look := func(t sim.Time) {
		if t < span.From || t >= span.To {
			return
		}
		var sum float64
		for i := range s.Arrivals.Phases {
			if p := &s.Arrivals.Phases[i]; p.From <= t && t < p.To {
				sum += due(p, t, t+1) * 1e9
			}
		}
		low, high = min(low, sum), max(high, sum)
	}
	for _, p := range s.Arrivals.Phases {
		look(p.From)
		look(p.To - 1)
		look(p.To)
		if p.Shape == sim.Sine || p.Shape == sim.Spike {
			const looks = 100
			for i := range sim.Time(looks) {
				look(p.From + min(p.To-p.From, 3*p.Span)/looks*i)
			}
		}
	}
	return low, high
}

// manyPhases are more than a line can tell of.
const manyPhases = 50

// openTraffic says what comes besides the herd: "arrivals 80/s", "100 clients that think 1 s", "1,000 tasks every 1 min".
func (s *Setup) openTraffic() []string {
	var parts []string
	switch {
	case s.Arrivals == nil:
		if s.OpenRate > 0 && s.Clients == nil && s.Cron == nil {
			parts = append(parts, "arrivals "+PerTime(s.OpenRate))
		}
	case s.Traced || len(s.Arrivals.Phases) > manyPhases:
		only := Setup{Arrivals: s.Arrivals, Horizon: s.Horizon}
		parts = append(parts, "arrivals "+PerTime(only.MeanRate())+" in the mean")
	default:
		low, high := s.rates()
		text := PerTime(high)
		if Short(low) != Short(high) {
			text = Short(low) + "–" + Short(high) + "/s"
		}
		parts = append(parts, "arrivals "+text)
	}
	if c := s.Clients; c != nil && c.Think != nil {
		parts = append(parts, plural(float64(c.Count), "client")+" that think "+Setting(c.Think.Mean()))
	}
	if c := s.Cron; c != nil {
		parts = append(parts, plural(float64(c.Count), "task")+" every "+Setting(c.Every))
	}
	return parts
}
