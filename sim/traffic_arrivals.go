package sim

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"
)

// arriving is the open traffic of Arrivals: one task is to come, worked out when the one before has come.
//
// Time is cut into stretches in which the same phases hold. Within one, the mass of an instant is the integral of the
// rate from its beginning; a task comes where the mass has grown by its share since the task before, and a share that a
// stretch has no room for goes on into the next. Instants are exact to a nanosecond in the first 2^53 ns (104 days) of a
// run, and to one part in 2^53 beyond.
type arriving struct {
	next   Time // the largest Time when there are no more
	even   bool
	gaps   stream
	number uint64 // of the next task that is not worked out

	phases  []Phase // in order of From; [begun:] have not begun
	begun   int
	stretch stretch

	clock float64 // of the last task where the rate is constant, or the beginning of the stretch
	mass  float64 // of the last task where it is not; of even arrivals that of the first in the stretch
	first uint64  // the number of that
}

// A stretch is a piece of time in which the same phases hold.
type stretch struct {
	from, to Time
	phases   []curve
	constant bool
	gap      float64 // of a constant rate: mean, in ns
	mass     float64
	found    float64 // where a mass was last looked for
}

func (a *arriving) reset(cfg *Config) {
	*a = arriving{next: math.MaxInt64, phases: a.phases[:0], stretch: stretch{phases: a.stretch.phases[:0]}}
	if cfg.Arrivals == nil {
		return
	}
	a.even = cfg.Arrivals.Even
	a.gaps = newStream(cfg.Seed, forArrival)
	for _, p := range cfg.Arrivals.Phases {
		if p.To > p.From {
			a.phases = append(a.phases, p)
		}
	}
	slices.SortStableFunc(a.phases, func(p, q Phase) int { return cmp.Compare(p.From, q.From) })
	if a.proceed() {
		a.advance()
	}
}

// proceed goes on to the next stretch in which any phase holds.
func (a *arriving) proceed() bool {
	s := &a.stretch
	s.from = s.to
	s.phases = slices.DeleteFunc(s.phases, func(c curve) bool { return c.To <= s.from })
	if len(s.phases) == 0 {
		if a.begun == len(a.phases) {
			return false
		}
		s.from = a.phases[a.begun].From
	}
	for a.begun < len(a.phases) && a.phases[a.begun].From <= s.from {
		s.phases = append(s.phases, newCurve(a.phases[a.begun]))
		a.begun++
	}
	s.to = math.MaxInt64
	if a.begun < len(a.phases) {
		s.to = a.phases[a.begun].From
	}
	s.constant, s.found = true, 0
	rate := 0.0
	for i := range s.phases {
		c := &s.phases[i]
		c.begin(s.from)
		s.to = min(s.to, c.To)
		s.constant = s.constant && c.Shape == Constant
		rate += perSecond(c.Rate)
	}
	s.gap = float64(time.Second) / rate
	s.mass = s.massAt(float64(s.to - s.from))
	a.clock = float64(s.from)
	return true
}

// advance finds the next task.
func (a *arriving) advance() {
	last := a.next
	if a.number == 0 {
		last = 0
	}
	mass := a.mass
	if a.even {
		mass += float64(a.number - a.first)
	} else {
		mass += -math.Log1p(-a.gaps.uniform(a.number, 0))
	}
	for {
		if at, ok := a.place(mass); ok {
			a.next = max(at, last)
			a.number++
			return
		}
		mass -= a.room()
		if !a.proceed() {
			a.next = math.MaxInt64
			return
		}
		a.mass, a.first = 0, a.number
		if a.even {
			a.mass = mass
		}
	}
}

// place returns the instant of a task in the stretch, if it has one there.
func (a *arriving) place(mass float64) (at Time, ok bool) {
	s := &a.stretch
	switch {
	case s.mass == 0:
		return 0, false
	case s.constant && !a.even:
		clock := a.clock + mass*s.gap
		if clock >= float64(s.to) {
			return 0, false
		}
		a.clock, a.mass = clock, 0
		return min(max(saturated(math.Round(clock)), s.from), s.to-1), true
	case mass >= s.mass-roundOff*(1+s.mass):
		return 0, false // at the end, it belongs to what comes after
	case s.constant && len(s.phases) == 1 && a.mass == 0:
		at = addSaturated(s.from, inTurn(a.number-a.first, s.phases[0]))
	case s.constant:
		at = addSaturated(s.from, saturated(math.Round(max(0, mass)*s.gap)))
	default:
		at = addSaturated(s.from, saturated(math.Round(s.find(mass))))
	}
	if !a.even {
		a.mass = mass
	}
	return min(at, s.to-1), true
}

// roundOff is what sums may be off that are whole numbers on paper, as a share.
const roundOff = 8e-16

// room returns the mass between the last task and the end of the stretch, from where masses are counted in it.
func (a *arriving) room() float64 {
	if s := &a.stretch; s.constant && !a.even && s.mass > 0 {
		return (float64(s.to) - a.clock) / s.gap
	}
	return a.stretch.mass
}

// inTurn returns how long after the beginning of a constant rate its n-th event comes, from 0: n Per / Events, to the
// nearest nanosecond.
func inTurn(n uint64, c curve) time.Duration {
	events := uint64(c.Rate.Events)
	high, low := bits.Mul64(n, uint64(c.Rate.Per))
	low, carry := bits.Add64(low, events/2, 0)
	if high += carry; high >= events {
		return math.MaxInt64
	}
	quotient, _ := bits.Div64(high, low, events)
	return time.Duration(min(quotient, math.MaxInt64))
}

// massAt returns the mass at so many nanoseconds after the beginning of the stretch.
func (s *stretch) massAt(x float64) (mass float64) {
	for i := range s.phases {
		mass += s.phases[i].mass(x)
	}
	return mass
}

func (s *stretch) rateAt(x float64) (rate float64) {
	for i := range s.phases {
		rate += s.phases[i].rateAt(x)
	}
	return rate
}

// find returns where the stretch has a mass, which is at least that of the last time: by Newton's method, and by halving
// where that is slow or leaves the interval that the answer lies in.
func (s *stretch) find(mass float64) float64 {
	low, high := s.found, float64(s.to-s.from)
	x, step := low, high-low
	for high-low > closeEnough {
		off := s.massAt(x) - mass
		if off > 0 {
			high = x
		} else {
			low = x
		}
		before := step
		next := x - off/s.rateAt(x)
		if step = math.Abs(next - x); !(next > low && next < high) || step > before/2 {
			next = low + (high-low)/2
			step = high - low
		}
		if x == next || step <= closeEnough && next != low {
			x = next
			break
		}
		x = next
	}
	s.found = x
	return x
}

// closeEnough is how near a root is sought, in nanoseconds.
const closeEnough = 0.01
