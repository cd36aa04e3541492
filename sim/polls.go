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
	next    []look // a heap: of each process the next
	looks   []Time // of all processes, ascending
}

// A look is the n-th of a process.
type look struct {
	at      Time
	process uint64
	n       uint64
}

func (l *look) before(m *look) bool { return l.at < m.at || l.at == m.at && l.process < m.process }

func (p *polls) reset(cfg *Config) {
	*p = polls{poll: cfg.Poll, horizon: cfg.Horizon, next: p.next[:0], looks: p.looks[:0]}
	if p.poll.Every <= 0 {
		return
	}
	p.sleeps = newStream(cfg.Seed, forPoll)
	for i := range max(1, p.poll.Processes) {
		p.next = pushHeap(p.next, p.first(uint64(i)))
	}
}

// first draws when a process, which has long been running at t0, looks first: it is met in a sleep in proportion to the
// length of that, at any place of it.
func (p *polls) first(process uint64) look {
	u, place := p.sleeps.uniform(process, 0), p.sleeps.uniform(process, 1)
	short, long := 1-p.poll.Jitter, 1+p.poll.Jitter
	length := math.Sqrt(short*short + u*(long*long-short*short))
	return look{at: max(saturated(float64(p.poll.Every)*length*place), time.Microsecond), process: process, n: 2}
}

// after lets the process of a look sleep once more.
func (p *polls) after(l look) look {
	u := p.sleeps.uniform(l.process, l.n)
	sleep := saturated(float64(p.poll.Every) * (1 + p.poll.Jitter*(2*u-1)))
	return look{at: addSaturated(l.at, max(sleep, time.Microsecond)), process: l.process, n: l.n + 1}
}

// found returns when a retry that is due is found: at the first look at or after it. Beyond the horizon nothing is.
func (p *polls) found(due Time) Time {
	if p.poll.Every <= 0 || due >= p.horizon {
		return due
	}
	for len(p.looks) == 0 || p.looks[len(p.looks)-1] < due {
		var l look
		l, p.next = popHeap(p.next)
		p.looks = append(p.looks, l.at)
		p.next = pushHeap(p.next, p.after(l))
	}
	i, _ := slices.BinarySearch(p.looks, due)
	return p.looks[i]
}
