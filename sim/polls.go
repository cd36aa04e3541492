package sim

import (
	"math"
	"slices"
	"time"
)

// polls are the instants at which a scheduler looks for due retries, drawn as far as they are asked for.
type polls struct {
	poll    Poll
	horizon Time
	sleeps  stream
	next    []Time // by process
	count   []uint64
	looks   []Time // of all processes, ascending
}

func (p *polls) reset(cfg *Config) {
	*p = polls{poll: cfg.Poll, horizon: cfg.Horizon, looks: p.looks[:0]}
	if p.poll.Every <= 0 {
		return
	}
	p.sleeps = newStream(cfg.Seed, forPoll)
	n := max(1, p.poll.Processes)
	p.next, p.count = make([]Time, n), make([]uint64, n)
	for i := range p.next {
		p.first(i)
	}
}

// first draws when process i, which has long been running at t0, looks first: it is met in a sleep in proportion to the
// length of that, at any place of it.
func (p *polls) first(i int) {
	u, place := p.sleeps.uniform(uint64(i), 0), p.sleeps.uniform(uint64(i), 1)
	p.count[i] = 2
	short, long := 1-p.poll.Jitter, 1+p.poll.Jitter
	length := math.Sqrt(short*short + u*(long*long-short*short))
	p.next[i] = max(saturated(float64(p.poll.Every)*length*place), time.Microsecond)
}

// draw lets process i sleep once more.
func (p *polls) draw(i int) {
	u := p.sleeps.uniform(uint64(i), p.count[i])
	p.count[i]++
	sleep := saturated(float64(p.poll.Every) * (1 + p.poll.Jitter*(2*u-1)))
	p.next[i] = addSaturated(p.next[i], max(sleep, time.Microsecond))
}

// found returns when a retry that is due is found: at the first look at or after it. Beyond the horizon nothing is.
func (p *polls) found(due Time) Time {
	if p.poll.Every <= 0 || due >= p.horizon {
		return due
	}
	for len(p.looks) == 0 || p.looks[len(p.looks)-1] < due {
		first := 0
		for i := range p.next {
			if p.next[i] < p.next[first] {
				first = i
			}
		}
		p.looks = append(p.looks, p.next[first])
		p.draw(first)
	}
	i, _ := slices.BinarySearch(p.looks, due)
	return p.looks[i]
}
