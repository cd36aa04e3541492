package sim

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A sortedList is an agenda that a stable sort keeps in order.
type sortedList []event

func (l *sortedList) push(e event) {
	*l = append(*l, e)
	slices.SortStableFunc(*l, byOrder)
}

func (l *sortedList) insert(e event) {
	i, _ := slices.BinarySearchFunc(*l, e, byOrder)
	*l = slices.Insert(*l, i, e)
}

func byOrder(a, b event) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.task, b.task), cmp.Compare(a.attempt, b.attempt))
}

// A pattern says how far ahead of now the next attempt lies.
type pattern struct {
	name  string
	ahead func(r *rand.Rand, longest Time) time.Duration
}

var patterns = []pattern{
	{"now", func(*rand.Rand, Time) time.Duration { return 0 }},
	{"equal", func(_ *rand.Rand, longest Time) time.Duration { return longest / 2 }},
	{"few instants", func(r *rand.Rand, longest Time) time.Duration { return longest / 8 * time.Duration(r.Int64N(9)) }},
	{"dense", func(r *rand.Rand, _ Time) time.Duration { return time.Duration(r.Int64N(5)) }},
	{"sparse", func(r *rand.Rand, longest Time) time.Duration { return time.Duration(r.Int64N(int64(longest) + 1)) }},
	{"exponential", func(r *rand.Rand, longest Time) time.Duration {
		return time.Duration(r.ExpFloat64() * float64(longest) / 20)
	}},
	{"beyond", func(r *rand.Rand, longest Time) time.Duration {
		return later(longest, time.Duration(r.Int64N(int64(longest)+1)))
	}},
	{"far", func(r *rand.Rand, _ Time) time.Duration { return time.Duration(r.Int64()) }},
	{"for ever", func(r *rand.Rand, _ Time) time.Duration { return math.MaxInt64 - time.Duration(r.Int64N(3)) }},
	{"every size", func(r *rand.Rand, _ Time) time.Duration { return time.Duration(r.Int64() >> r.IntN(63)) }},
}

// agendaCase is a random interleaving of what an engine does with an agenda.
type agendaCase struct {
	*rapid.T
	agenda  agenda
	model   sortedList
	r       *rand.Rand
	mix     []pattern
	longest Time
	now     Time
	pushed  uint32
	largest uint32 // task number
}

func (c *agendaCase) push(from Time) {
	p := c.mix[c.r.IntN(len(c.mix))]
	e := event{at: min(later(from, p.ahead(c.r, c.longest)), math.MaxInt64-1), task: c.r.Uint32N(c.largest), attempt: c.pushed, prev: time.Duration(c.pushed)}
	c.pushed++
	c.agenda.push(e)
	c.model.insert(e)
}

func (c *agendaCase) pop() {
	next := c.agenda.peek()
	if len(c.model) == 0 {
		if next != nil {
			c.Fatalf("%+v is left of nothing", *next)
		}
		return
	}
	want := c.model[0]
	if next == nil || *next != want {
		c.Fatalf("next is %+v, want %+v, of %d", next, want, len(c.model))
	}
	c.agenda.pop()
	c.model = c.model[1:]
	c.now = want.at
}

// take takes a whole bucket, and lets some of its attempts come back, soon or later.
func (c *agendaCase) take() {
	until, widest, most := later(c.now, c.ahead()), c.longest/Time(1+c.r.IntN(500)), c.r.Int64N(200)
	b, ok := c.agenda.bag(until, widest, most)
	if !ok {
		return
	}
	var got []event
	for some := b.next(); len(some) > 0; some = b.next() {
		for _, e := range some {
			got = append(got, e)
			i, found := slices.BinarySearchFunc(c.model, e, byOrder)
			if !found {
				c.Fatalf("%+v was in the bag and is not to come", e)
			}
			c.model = slices.Delete(c.model, i, i+1)
		}
		for range c.r.IntN(len(some) + 1) {
			c.push(some[c.r.IntN(len(some))].at)
		}
	}
	if int64(len(got)) > most || b.to > until || b.to-b.from > widest {
		c.Fatalf("a bag of %d over [%d, %d), want at most %d, until %d, not wider than %d", len(got), b.from, b.to, most, until, widest)
	}
	for _, e := range got {
		if e.at < b.from || e.at >= b.to || e.at < c.now {
			c.Fatalf("%+v in a bag over [%d, %d) at %d", e, b.from, b.to, c.now)
		}
	}
	c.now = b.from
	if len(c.model) > 0 {
		c.now = min(c.model[0].at, b.to) // no attempt comes before this any more
	}
}

func (c *agendaCase) ahead() time.Duration {
	return c.mix[c.r.IntN(len(c.mix))].ahead(c.r, c.longest)
}

func (c *agendaCase) check() {
	if c.agenda.count != len(c.model) {
		c.Fatalf("%d to come, want %d", c.agenda.count, len(c.model))
	}
}

// An agenda gives events back in their order, whatever is pushed between. The memory is that of the case before.
func TestAgendaKeepsTheOrder(t *testing.T) {
	var memory agenda
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), rapid.Uint64().Draw(t, "more of it")))
		c := &agendaCase{T: t, agenda: memory, r: r, largest: 1 + uint32(r.Int64()>>r.IntN(63)>>32),
			longest: Time(r.Int64()>>r.IntN(63)) + 1}
		for _, i := range r.Perm(len(patterns))[:1+r.IntN(4)] {
			c.mix = append(c.mix, patterns[i])
			t.Log(patterns[i].name)
		}
		c.agenda.reset(1<<r.IntN(16), c.longest>>r.IntN(10))
		n := []int{20, 300, 3000}[r.IntN(3)]
		bags := r.IntN(2) == 0
		for phase := range 4 {
			growing := phase%2 == 0
			for range n {
				switch roll := r.IntN(10); {
				case roll < 6 == growing:
					c.push(c.now)
				case bags && roll == 9:
					c.take()
				default:
					c.pop()
				}
			}
			c.check()
		}
		for len(c.model) > 0 {
			c.pop()
		}
		c.pop()
		memory = c.agenda
	})
}

// The list that the agenda is compared with inserts where a stable sort would put it.
func TestSortedListIsAStableSort(t *testing.T) {
	var a, b sortedList
	r := rand.New(rand.NewPCG(1, 1))
	for i := range uint32(500) {
		e := event{at: Time(r.Int64N(20)), task: r.Uint32N(5), attempt: i}
		a.push(e)
		b.insert(e)
	}
	if !slices.Equal(a, b) {
		t.Error("they differ")
	}
}
