package report

import (
	"math"
	"time"

	"herdsim/sim"
)

// A State is what became of a run.
type State uint8

const (
	NotApplicable State = iota // nothing that could be judged: no traffic, or too little of it
	NeverDown                  // the goodput followed the offered load all the time
	Recovered                  // it was down, and came back for good
	Undecided                  // down at the end, where the trigger still lasts, or has ended just before
	Overloaded                 // down at the end, and more is offered than the capacity: no wonder
	Stuck                      // down at the end, although the trigger is over and the capacity would do
	Finished                   // no open traffic: the whole herd has been served
	Unfinished                 // some of the herd was never served: without open traffic, or where that is well
	Steady                     // nothing has disturbed it, and less than all is served all the time
)

// stateNames are what result.json calls the states.
var stateNames = [...]string{
	NotApplicable: "not applicable", NeverDown: "never down", Recovered: "recovered", Undecided: "undecided",
	Overloaded: "overloaded", Stuck: "stuck", Finished: "finished", Unfinished: "unfinished", Steady: "steady",
}

func (s State) String() string { return stateNames[s] }

// A Verdict says whether a run came back by itself, when, and if not, what keeps it down. docs/verdict.md has the
// definition.
type Verdict struct {
	State State

	// At is when the goodput was back for good and the herd beside it was served (Recovered), when the last of a herd
	// alone had its answer (Finished), else 0.
	At       time.Duration
	Goodput  time.Duration // when the goodput was back, 0 if it was never down; of a Recovered run
	Relapses int           // how often it went down again after it had been back

	Trigger sim.Span      // what disturbed it; From is -1 if nothing did
	Base    float64       // goodput over offered load before the trigger, at most 1; of a Steady run all the time
	Width   time.Duration // of the pieces
	Pieces  []Piece       // one after the other from t0 on; none without open traffic

	End   Piece  // the last two pieces together; of no width without them
	Loops []Loop // what keeps a Stuck or Unfinished run down, the main one first; none if nothing is known to

	Crashes    int // of the downstream, in the whole run
	Conditions Conditions

	left, tasks int64 // of the herd
	messages    bool  // which waits in a broker
	tiered      bool
}

// A Piece is a part of the run over which goodput and offered load are compared.
type Piece struct {
	From, To sim.Time
	Offered  float64 // tasks that came: first attempts at the downstream, or by the schedule if that is clearly more
	Reached  int64   // first attempts at the downstream
	Goodput  int64   // tasks that had their answer and succeeded
	Requests int64
	Wasted   int64 // work that ended for callers that had gone
	Departed int64 // all work that ended, the wasted included
	Crashed  bool  // the downstream was down after a crash at some instant of it
	Good     bool
}

// OfferedRate returns the offered tasks per second.
func (p *Piece) OfferedRate() float64 { return rate(p.Offered, p.To-p.From) }

// GoodputShare returns goodput over offered load, none if nothing was offered.
func (p *Piece) GoodputShare() Number { return per(float64(p.Goodput), p.Offered) }

// AttemptsPerTask returns requests over the first attempts among them, none if there was no first one.
func (p *Piece) AttemptsPerTask() Number { return per(float64(p.Requests), float64(p.Reached)) }

// WastedShare returns the share of the work that was for callers that had gone, none if no work ended.
func (p *Piece) WastedShare() Number { return per(float64(p.Wasted), float64(p.Departed)) }

func rate(n float64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return n / d.Seconds()
}

// Recovered reports whether the run is well at its end; ok is false where that cannot be said.
func (v *Verdict) Recovered() (yes, ok bool) {
	switch v.State {
	case NeverDown, Recovered, Finished:
		return true, true
	case Overloaded, Stuck, Unfinished:
		return false, true
	}
	return false, false
}

// Verdict judges a run: entry as in Entries, replicate from 1. It must have been finished.
func (r *Report) Verdict(entry, replicate int) Verdict {
	e := &r.Entries[entry]
	return Judge(e.Runs[replicate-1], &r.Setup, e.MaxRequests)
}

// Judge judges a run. Only the Conditions depend on what most says.
func Judge(run *sim.Result, s *Setup, most MaxRequests) Verdict {
	v := Verdict{
		Trigger: s.Trigger(), Base: s.mostSuccess(most), Crashes: len(run.Crashes),
		Conditions: conditions(s, most), left: run.Herd.Tasks - run.Herd.Succeeded, tasks: run.Herd.Tasks, tiered: s.Tiered,
		messages: len(run.Queues) > 0,
	}
	if run.Open.Tasks == 0 && !s.HasOpen() {
		v.judgeHerd(run, s)
		return v
	}
	if run.Window <= 0 {
		return v
	}
	c := newCounter(run, s)
	v.Width = c.width(s)
	v.Pieces = c.cut(v.Width)
	if len(v.Pieces) < leastPieces {
		return v
	}
	n := len(v.Pieces)
	v.End = c.piece(v.Pieces[n-2].From, v.Pieces[n-1].To)
	if v.Base <= 0 {
		return v // no task can succeed, whatever becomes of the service
	}
	base := baseLevel(v.Pieces, v.Trigger.From, v.Base)
	if base == 0 {
		base = v.Base // nothing succeeded before the trigger: that is no level to come back to
	}
	v.mark(c, base)
	v.decide(c)
	return v
}

// mark sets the base level, and by it which pieces are good.
func (v *Verdict) mark(c *counter, base float64) {
	v.Base, c.least = base, (1-c.setup.within())*base
	for i := range v.Pieces {
		v.Pieces[i].Good = c.good(&v.Pieces[i])
	}
	n := len(v.Pieces)
	v.End.Good = v.Pieces[n-2].Good && v.Pieces[n-1].Good
}

// decide finds the state of a run with open traffic from its pieces, and when it was back.
func (v *Verdict) decide(c *counter) {
	back := sim.Time(0)
	last := v.walk()
	if v.End.Good {
		back = v.back(c, last)
	}
	herd, served := herdServed(c.run)
	switch {
	case v.End.Good && !served:
		v.State = Unfinished
	case last >= 0 && c.undisturbed(v.Trigger) && !c.overrun(v.Pieces) && !(c.setup.exceeds(&v.End) && !v.End.Good):
		v.settle(c)
	case v.Trigger.To <= v.End.From && c.overrun(v.Pieces):
		v.State = Overloaded
	case v.End.Good && back == 0 && herd <= c.setup.HerdEnd+v.Width:
		v.State = NeverDown
	case v.End.Good && back <= c.end:
		v.State, v.At, v.Goodput = Recovered, max(back, herd), back
	case v.Trigger.To > v.End.From:
		v.State = Undecided
	case c.setup.exceeds(&v.End):
		v.State = Overloaded
	default:
		v.State = Stuck
		v.Loops = loops(c.run, c.setup, &v.End)
	}
}

// settle judges a run that nothing has disturbed, and of which not all is served, by itself: by its first two pieces. It
// is Stuck only if it has fallen below these.
func (v *Verdict) settle(c *counter) {
	most := v.Base
	v.Relapses = 0
	v.mark(c, baseLevel(v.Pieces, v.Pieces[1].To, most))
	v.State = Stuck
	if v.End.Good {
		v.State, v.Base = Steady, baseLevel(v.Pieces, c.end, most)
	}
	v.Loops = loops(c.run, c.setup, &v.End)
}

// herdServed returns when 99 % of the herd, without those that gave up, had their answer; 0 without a herd, and false if
// so many never had.
func herdServed(run *sim.Result) (at sim.Time, ok bool) {
	stayed := run.Herd.Tasks - run.Herd.DeadLettered
	need := stayed - stayed/100
	if need <= 0 {
		return 0, true
	}
	if int64(len(run.Completions)) < need {
		return 0, false
	}
	return run.Completions[need-1], true
}

// back returns when a run that is good at its end was so for good; last is its last piece that is not good, -1 if all
// are. It is 0 for a run that was never down.
func (v *Verdict) back(c *counter, last int) sim.Time {
	at := c.dip(v.Trigger, v.Width, v.Base)
	if last < 0 {
		return c.setup.outlast(sim.Span{From: at, To: at}, at)
	}
	p := &v.Pieces[last]
	start := c.back(p)
	if start <= p.From {
		start = p.To // each step of it will do, and all together do not
	}
	if at = max(at, start); v.Trigger.To <= p.To {
		at = max(at, v.Trigger.To)
	}
	return c.setup.outlast(sim.Span{From: p.From, To: max(p.To, at)}, at)
}

// outlast returns at, or the end of a full outage that overlaps down if that is later: good pieces may reach into an
// outage, but nobody recovers in it.
func (s *Setup) outlast(down sim.Span, at sim.Time) sim.Time {
	for _, o := range s.FullOutages {
		if o.From < down.To && o.To > down.From {
			at = max(at, o.To)
		}
	}
	return at
}

// exceeds reports whether more is offered in p than the capacity, by two standard deviations or more.
func (s *Setup) exceeds(p *Piece) bool {
	return s.Capacity > 0 && p.Offered-s.Capacity*(p.To-p.From).Seconds() > 2*math.Sqrt(p.Offered)
}

// overrun reports whether clearly more than the capacity is offered in each of the last two pieces: by two standard
// deviations or more, and by a twentieth. Then goodput that is nearly as high as the offered load is none that lasts.
func (c *counter) overrun(pieces []Piece) bool {
	const clear = 1.05
	for i := range pieces[len(pieces)-2:] {
		p := &pieces[len(pieces)-2+i]
		if !c.setup.exceeds(p) || p.OfferedRate() < clear*c.setup.Capacity {
			return false
		}
	}
	return true
}

// judgeHerd judges a run without open traffic. One whose herd was not served is asked for loops in its last fifteenth,
// which is as long as two pieces would be; if all of its tasks ended, one way or the other, only for crashes.
func (v *Verdict) judgeHerd(run *sim.Result, s *Setup) {
	switch n := len(run.Completions); {
	case run.Herd.Tasks == 0:
		return
	case v.left > 0 || n == 0:
		v.State = Unfinished
		if run.Window <= 0 {
			return
		}
		c := counter{run: run, setup: s, end: run.EndedAt}
		end := c.piece(run.EndedAt-run.EndedAt/usualPieces*2, run.EndedAt)
		switch {
		case run.CutOff() && v.Trigger.To > end.From:
			v.State = Undecided
		case run.CutOff():
			v.Loops = loops(run, s, &end)
		default:
			v.Loops = crashCycle(run, &end)
		}
	default:
		v.State, v.At = Finished, run.Completions[n-1]
	}
}

// walk counts the relapses and returns the last piece that is not good, -1 if all are.
func (v *Verdict) walk() (last int) {
	last = -1
	for i, p := range v.Pieces {
		if p.Good {
			continue
		}
		if last >= 0 && last < i-1 {
			v.Relapses++
		}
		last = i
	}
	return last
}

// mostSuccess returns the share of the open tasks that succeed if every attempt is served: those that are not poison, and
// whose attempts, as many as they may make, do not all fail by themselves.
func (s *Setup) mostSuccess(most MaxRequests) float64 {
	c := conditions(s, most)
	lost := 0.0
	for _, kind := range c.Shares {
		if kind.MaxRequests > 0 {
			lost += kind.Load / c.Load * math.Pow(s.ErrorRate, float64(kind.MaxRequests))
		}
	}
	return (1 - s.Poison) * (1 - lost)
}

// baseLevel returns goodput over offered load in the pieces that end until a time, at most most; most if there are none
// in which anything was offered.
func baseLevel(pieces []Piece, until sim.Time, most float64) float64 {
	var offered, goodput float64
	for _, p := range pieces {
		if p.To <= until {
			offered += p.Offered
			goodput += float64(p.Goodput)
		}
	}
	if offered == 0 {
		return most
	}
	return min(most, goodput/offered)
}
