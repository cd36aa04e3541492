package report

import (
	"math"
	"time"

	"herdsim/sim"
	"herdsim/strategies"
)

const (
	leastPieces   = 3 // with fewer there is nothing to judge
	mostPieces    = 10_000
	usualPieces   = 30  // into which the traffic is cut if nothing else makes them wider
	widthWindows  = 10  // a piece has as many windows at least
	pieceTasks    = 25  // and as many tasks in the mean
	instantTasks  = 10  // so many tasks in the mean make the step in which the instant of recovery is looked for
	mostSteps     = 500 // and there are no more of them
	defaultWithin = 0.2 // of the goodput may be missing
)

func (s *Setup) within() float64 {
	if s.Within > 0 {
		return s.Within
	}
	return defaultWithin
}

// A counter sums up the windows of a run.
type counter struct {
	run   *sim.Result
	setup *Setup   // the schedule
	end   sim.Time // of the traffic
	least float64  // goodput over offered load from which on a piece is good
}

func newCounter(run *sim.Result, s *Setup) *counter {
	end := s.TrafficSpan().To
	switch cutOff := run.End != sim.NotCutOff && run.End != sim.AtHorizon; {
	case end <= 0: // nobody knows the schedule
		end = run.EndedAt
	case cutOff:
		end = min(end, run.EndedAt)
	}
	schedule := *s
	if s.ErrorRate > 0 {
		schedule.Clients = nil // they have no schedule while calls fail by themselves: trying again takes their time
	}
	return &counter{run: run, setup: &schedule, end: end}
}

// width returns that of the pieces: as the scenario says, else a thirtieth of the time until the traffic ends, so wide
// that ten windows and 25 tasks in the mean fit in; up to whole periods of cron, and to whole windows.
func (c *counter) width(s *Setup) time.Duration {
	width := s.For
	if width <= 0 {
		width = max(widthWindows*c.run.Window, c.end/usualPieces)
		if tasks := c.run.Open.Tasks + c.run.Herd.Tasks; tasks > 0 {
			width = max(width, min(c.end/widthWindows, time.Duration(pieceTasks*float64(c.end)/float64(tasks))))
		}
		if s.Cron != nil {
			width = roundUp(width, s.Cron.Every)
		}
	}
	return roundUp(max(width, c.end/mostPieces), c.run.Window)
}

func roundUp(d, unit time.Duration) time.Duration {
	if unit <= 0 || d%unit == 0 || d > math.MaxInt64-unit {
		return d
	}
	return (d/unit + 1) * unit
}

// cut cuts the time until the traffic ends into pieces; what is left at the end belongs to the last of them.
func (c *counter) cut(width time.Duration) []Piece {
	var pieces []Piece
	for from := sim.Time(0); width > 0 && c.end-from >= width; from += width {
		to := from + width
		if c.end-to < width {
			to = c.end
		}
		pieces = append(pieces, c.piece(from, to))
	}
	return pieces
}

// piece sums up the windows that begin in [from, to).
func (c *counter) piece(from, to sim.Time) Piece {
	p := Piece{From: from, To: to}
	windows := c.run.Windows
	for i := c.first(from); i < len(windows) && sim.Time(windows[i].Index)*c.run.Window < to; i++ {
		w := &windows[i]
		p.Reached += w.Tasks
		p.Goodput += w.Goodput
		p.Requests += w.Requests
		p.Wasted += w.Wasted
		p.Departed += w.Wasted + w.Outcomes[strategies.Served] + w.Outcomes[strategies.Errored]
	}
	p.Offered = float64(p.Reached)
	if due := c.setup.Scheduled(from, to); due-3*math.Sqrt(due) > p.Offered {
		p.Offered = due // guards hold calls back, or closed-loop clients wait
	}
	for _, crash := range c.run.Crashes {
		p.Crashed = p.Crashed || crash.From < to && (crash.To < 0 || crash.To > from)
	}
	return p
}

// first returns the first window that begins at t or later.
func (c *counter) first(t sim.Time) int {
	low, high := 0, len(c.run.Windows)
	for low < high {
		if middle := (low + high) / 2; sim.Time(c.run.Windows[middle].Index)*c.run.Window < t {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// good reports whether as much was served as may be expected: no crash, and at least the given share of the offered load
// but one standard deviation of its number, sqrt(offered), so that the pieces of small loads are not down for a task that
// falls behind their edge. Where nothing is offered nothing may be asked either, unless it is served.
func (c *counter) good(p *Piece) bool {
	if p.Crashed {
		return false
	}
	if p.Offered == 0 {
		return p.Requests == 0 || p.Goodput > 0
	}
	return float64(p.Goodput) >= c.least*p.Offered-math.Sqrt(p.Offered)
}

// dip returns the end of the last part, from the beginning of the trigger to a piece after its end, in which less than
// half of what may be expected was served: a dip too short to make its piece a bad one, or one that ends in a piece which
// makes up for it. Parts are so wide that 25 tasks come in each in the mean. It is 0 if there was none.
func (c *counter) dip(trigger sim.Span, width time.Duration, base float64) (at sim.Time) {
	if trigger.From < 0 {
		return 0
	}
	from, end := trigger.From-trigger.From%c.run.Window, c.end
	if end-trigger.To > width {
		end = trigger.To + width
	}
	whole := c.piece(from, end)
	step := c.step(&whole, pieceTasks)
	for ; end-from >= step; from += step {
		part, least := c.piece(from, from+step), 0.5
		if part.Offered > float64(part.Reached) {
			least = 0.25 // of what is due, which in one of many short parts may be half by chance
		}
		if part.Offered > 0 && float64(part.Goodput) < least*base*part.Offered {
			at = from + step
		}
	}
	return at
}

// step returns the width of steps through p in each of which so many tasks come in the mean.
func (c *counter) step(p *Piece, tasks float64) time.Duration {
	step := max(1, (p.To-p.From)/mostSteps)
	if p.Offered > 0 {
		step = max(step, time.Duration(tasks*float64(p.To-p.From)/p.Offered))
	}
	return roundUp(step, c.run.Window)
}

// back returns the instant in the last piece that is not good from which on the rest of it is: going back from its end
// in steps of so many windows that ten tasks come in each in the mean, the start of the last one that is good.
func (c *counter) back(p *Piece) sim.Time {
	step := c.step(p, instantTasks)
	at := p.To
	for at-step >= p.From {
		part := c.piece(at-step, at)
		if !c.good(&part) {
			break
		}
		at -= step
	}
	return at
}

// undisturbed reports whether nothing has happened to the run that it could recover from: no trigger, no crash, no load
// that changes all the time, as that of a trace, a sine or cron, and no start with a cold cache or at less than full speed.
func (c *counter) undisturbed(trigger sim.Span) bool {
	if trigger.From >= 0 || len(c.run.Crashes) > 0 || c.setup.Traced || c.setup.Cron != nil {
		return false
	}
	if a := c.setup.Arrivals; a != nil {
		for _, p := range a.Phases {
			if p.Shape == sim.Sine {
				return false
			}
		}
	}
	return len(c.run.States) == 0 || c.run.States[0].Cache >= 1 && c.run.States[0].Warm >= 1
}
