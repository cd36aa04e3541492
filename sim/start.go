package sim

import "time"

// atOnce reports whether the whole herd calls at t0.
func (s Start) atOnce() bool { return s.Uniform <= 0 && s.Spread == nil && s.Trace == nil }

// late is about when the last workers start.
func (s Start) late() Time {
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

// draw returns when somebody starts that is drawn by the number (entity, index) of a stream, where no trace tells.
func (s Start) draw(src *source, from stream, entity, index uint64) time.Duration {
	switch {
	case s.Uniform > 0:
		return time.Duration(from.uniform(entity, index) * float64(s.Uniform))
	case s.Spread != nil:
		src.seed(from, entity, index)
		return s.Spread.Draw(src)
	}
	return 0
}

// startHerd makes the first calls: at t0 there and then, later ones through the agenda.
func (e *Engine) startHerd() {
	s := e.cfg.Start
	starts := newStream(e.cfg.Seed, forStart)
	worker := uint32(0)
	switch {
	case s.Uniform > 0 || s.Spread != nil:
		for ; worker < e.herd; worker++ {
			e.send(worker, 1, s.draw(&e.src, starts, uint64(worker), 0), 0)
		}
	case s.Trace != nil:
		for _, b := range s.Trace {
			for k := range b.Count {
				e.send(worker, 1, b.From+Time(float64(b.To-b.From)*(float64(k)/float64(b.Count))), 0)
				worker++
			}
		}
	case e.cfg.Network != nil || e.tiers.timed:
		for ; worker < e.herd; worker++ {
			e.send(worker, 1, 0, 0)
		}
	default:
		e.cursor = 0
		return
	}
	e.cursor = e.herd
}
