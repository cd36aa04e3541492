package sim

import (
	"math"
	"time"
)

// atOnce reports whether the whole herd calls at t0.
func (s Start) atOnce() bool { return s.Uniform <= 0 && s.Spread == nil && s.Trace == nil }

// lateStart is about when the last workers start.
func (e *Engine) lateStart() Time {
	s := e.cfg.Start
	switch {
	case s.Uniform > 0:
		return s.Uniform
	case s.Spread != nil:
		return mulSaturated(4, s.Spread.Mean())
	case len(s.Trace) > 0:
		return s.Trace[len(s.Trace)-1].To
	}
	return 0
}

// startHerd makes the first calls: at t0 there and then, later ones through the agenda.
func (e *Engine) startHerd() {
	s := e.cfg.Start
	starts := newStream(e.cfg.Seed, forStart)
	worker := uint32(0)
	switch {
	case s.Uniform > 0:
		for ; worker < e.herd; worker++ {
			e.send(worker, 1, Time(starts.uniform(uint64(worker), 0)*float64(s.Uniform)), 0)
		}
	case s.Spread != nil:
		for ; worker < e.herd; worker++ {
			e.send(worker, 1, e.draw(s.Spread, starts, worker, 0), 0)
		}
	case s.Trace != nil:
		for _, b := range s.Trace {
			for k := range b.Count {
				e.send(worker, 1, b.From+Time(float64(b.To-b.From)*(float64(k)/float64(b.Count))), 0)
				worker++
			}
		}
	case e.cfg.Network != nil:
		for ; worker < e.herd; worker++ {
			e.send(worker, 1, 0, 0)
		}
	default:
		e.cursor = 0
		return
	}
	e.cursor = e.herd
}

// openTraffic is the Poisson stream of open tasks: one is to come, drawn when the one before has come.
type openTraffic struct {
	next  Time // the largest Time when there are no more
	to    Time
	gap   float64 // mean, in ns
	gaps  stream
	count uint32
	clock float64 // of next, before it was rounded to a nanosecond
}

func (o *openTraffic) reset(cfg *Config) {
	*o = openTraffic{next: math.MaxInt64}
	a := cfg.Arrivals
	if a == nil || a.Phases[0].Rate.Events == 0 {
		return
	}
	p := a.Phases[0]
	o.gap = float64(time.Second) / p.Rate.PerSecond()
	o.gaps = newStream(cfg.Seed, forArrival)
	o.clock, o.to = float64(p.From), p.To
	o.draw()
}

func (o *openTraffic) draw() {
	o.clock += -math.Log1p(-o.gaps.uniform(uint64(o.count), 0)) * o.gap
	if o.next = saturated(math.Round(o.clock)); o.next >= o.to {
		o.next = math.MaxInt64
	}
}

// openTask lets the next open task call for the first time.
func (e *Engine) openTask(now Time) {
	task := e.herd + e.open.count
	e.open.count++
	e.open.draw()
	e.res.Open.Tasks++
	if e.firstSent != nil {
		e.firstSent = append(e.firstSent, now)
	}
	if e.slept != nil {
		e.slept = append(e.slept, 0)
	}
	e.send(task, 1, now, 0)
}
