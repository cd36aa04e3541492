package experiment

import (
	"context"
	"math"
)

// A Tally counts how runs of one kind ended.
type Tally struct {
	Recovered, Stuck int
	Undecided        int // cut off before it showed
}

// Runs returns how many there were.
func (t Tally) Runs() int { return t.Recovered + t.Stuck + t.Undecided }

// An Ending is what most runs of a kind did.
type Ending uint8

const (
	Open      Ending = iota // too few are decided
	Recovers                // more than half recovered
	Sticks                  // half or more got stuck
	Abandoned               // the search was told to end before it was known
)

// of says what t shows of planned runs, Open while the rest could still turn it.
func (t Tally) of(planned int) Ending {
	switch {
	case 2*t.Recovered > planned:
		return Recovers
	case 2*t.Stuck >= planned:
		return Sticks
	}
	return Open
}

// A Probe plays the replicates from first to last, counted from 1, with a lever at x. It returns fewer if ctx is
// cancelled.
type Probe func(ctx context.Context, x int64, first, last int) (Tally, error)

// A Search looks for the value of a lever beyond which the runs of a scenario end in another way.
//
// It doubles or halves the lever from From on until a majority of the replicates ends in another way, and then halves
// the interval between the last two values. So both ends of what it finds were played; what lies between the values
// that it tried it does not know, for nothing says that the ending is monotone.
type Search struct {
	From        int64 // where the lever stands; >= Least
	Least, Most int64 // where it may be; Least >= 0
	Up          bool  // first look above From; else below
	Both        bool  // look on the other side if there is nothing
	Replicates  int   // of each value
}

// A Point is a value that was played. It need not have all replicates: a search stops when the majority is settled.
type Point struct {
	X int64
	Tally
}

// A Finding is what a Search found. Recovers and Sticks are the ends of the bracket, with all their replicates, if
// Found.
type Finding struct {
	Found            bool
	Recovers, Sticks Point
	Tried            []Point // in the order in which they were played, From first
	Runs             int
	Abandoned        bool // ctx was cancelled, or too many runs at a value were undecided, before all was tried
}

// resolution is how narrow a bracket gets: a part of its upper end, or 1.
const resolution = 50

// Find plays the search. An error is one of the probe.
func (s Search) Find(ctx context.Context, probe Probe) (Finding, error) {
	f := finder{Search: s, ctx: ctx, probe: probe}
	f.find()
	return f.Finding, f.err
}

type finder struct {
	Search
	Finding
	ctx   context.Context
	probe Probe
	err   error
}

func (f *finder) find() {
	here := f.ending(f.From)
	if here != Recovers && here != Sticks {
		f.Abandoned = true
		return
	}
	found := f.gallop(here, f.Up)
	if !found && f.Both && f.ctx.Err() == nil && f.err == nil {
		f.gallop(here, !f.Up)
	}
}

// gallop moves away from From until the ending is another than here, and narrows down where that is.
func (f *finder) gallop(here Ending, up bool) bool {
	for near := f.From; ; {
		far := f.next(near, up)
		if far == near {
			return false
		}
		switch ending := f.ending(far); {
		case ending == Open || ending == Abandoned:
			f.Abandoned = true
			return false
		case ending != here:
			f.narrow(near, far, here)
			return true
		}
		near = far
	}
}

// next returns twice x or half of it, within the limits.
func (f *finder) next(x int64, up bool) int64 {
	switch {
	case !up:
		return max(f.Least, x/2)
	case x > math.MaxInt64/2:
		return f.Most
	}
	return min(f.Most, max(2*x, x+1))
}

// narrow halves the interval between a value that ends as here and one that does not.
func (f *finder) narrow(near, far int64, here Ending) {
	for gap := far - near; max(gap, -gap) > max(1, max(near, far)/resolution); gap = far - near {
		middle := near + gap/2
		switch ending := f.ending(middle); ending {
		case Open, Abandoned: // what was found is still true
			f.Abandoned = true
			f.settle(near, far, here)
			return
		case here:
			near = middle
		default:
			far = middle
		}
	}
	f.settle(near, far, here)
}

// settle plays the rest of the replicates at both ends.
func (f *finder) settle(near, far int64, here Ending) {
	f.Found = true
	f.Recovers, f.Sticks = f.all(near), f.all(far)
	if here == Sticks {
		f.Recovers, f.Sticks = f.Sticks, f.Recovers
	}
}

// ending plays replicates at x until a majority is settled. They are played in two parts, the first of which may do.
func (f *finder) ending(x int64) Ending {
	f.Tried = append(f.Tried, Point{X: x})
	p := &f.Tried[len(f.Tried)-1]
	for _, last := range []int{f.Replicates/2 + 1, f.Replicates} {
		if f.play(p, last); f.err != nil || p.Runs() < last {
			return Abandoned
		}
		if e := p.of(f.Replicates); e != Open {
			return e
		}
	}
	return Open
}

// play adds the replicates up to last to a point.
func (f *finder) play(p *Point, last int) {
	first := p.Runs() + 1
	if first > last || f.err != nil {
		return
	}
	t, err := f.probe(f.ctx, p.X, first, last)
	f.err = err
	f.Runs += t.Runs()
	p.Recovered, p.Stuck, p.Undecided = p.Recovered+t.Recovered, p.Stuck+t.Stuck, p.Undecided+t.Undecided
}

// all returns the point at x with the rest of its replicates.
func (f *finder) all(x int64) Point {
	for i := range f.Tried {
		if f.Tried[i].X == x {
			f.play(&f.Tried[i], f.Replicates)
			return f.Tried[i]
		}
	}
	panic("experiment: an end that was not played")
}

// MostRuns bounds the runs of a Search: all replicates of every value that it can come to.
func (s Search) MostRuns() int {
	values, longest := 1, 0
	f := finder{Search: s}
	for _, up := range []bool{s.Up, !s.Up} {
		if up != s.Up && !s.Both {
			break
		}
		for x := s.From; ; {
			y := f.next(x, up)
			if y == x {
				break
			}
			halvings := 0
			for gap := max(x, y) - min(x, y); gap > max(1, max(x, y)/resolution); gap = (gap + 1) / 2 {
				halvings++
			}
			values, longest, x = values+1, max(longest, halvings), y
		}
	}
	return (values + longest) * s.Replicates
}
