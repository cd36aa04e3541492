package sim_test

import (
	"context"
	"fmt"
	"time"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

// Evenly is a strategy of one's own: the workers share a window out among themselves, so that no two of them meet, and
// keep their distance from then on.
type Evenly struct {
	Window  time.Duration
	Workers int
}

// Wait is a pure function of what the worker knows and, if it wants luck, of u.
func (s Evenly) Wait(a strategies.Attempt, u float64) (time.Duration, bool) {
	if a.Retry > 1 {
		return s.Window, true
	}
	place := time.Duration(a.Worker % s.Workers)
	return s.Window * place / time.Duration(s.Workers), true
}

// Without these two methods a strategy is taken to depend on all that came before, which costs the engine memory.
func (Evenly) ReadsPrevious() bool { return false }
func (Evenly) ReadsSlept() bool    { return false }

// A thousand workers lose a service for half a second. It serves 20 at once, each for 100 ms.
func blip(s strategies.Strategy) sim.Config {
	return sim.Config{
		Seed: 1, Horizon: time.Hour, MaxEvents: 10_000_000, Window: 100 * time.Millisecond,
		Workers: 1000, Strategy: s,
		Downstream: downstream.Config{
			Slots: 20, Service: downstream.Constant{D: 100 * time.Millisecond}, Queue: 200,
			Outages: []downstream.Outage{{From: 0, To: 500 * time.Millisecond}},
		},
	}
}

// A strategy is one method, and a run a function of its Config. Full jitter brings up to 147 of them back in 100 ms, what
// shares out five seconds 20: just as many as can be served.
func ExampleRun() {
	for _, s := range []strategies.Strategy{
		strategies.FullJitter{Base: time.Second, Factor: 2, Cap: 32 * time.Second},
		Evenly{Window: 5 * time.Second, Workers: 1000},
	} {
		r := sim.Run(context.Background(), blip(s))
		last := r.Completions[len(r.Completions)-1].Round(100 * time.Millisecond)
		fmt.Printf("%T: %d attempts, at most %d in 100 ms, all served after %v\n", s, r.Attempts, r.Peak100ms, last)
	}
	// Output:
	// strategies.FullJitter: 3225 attempts, at most 147 in 100 ms, all served after 15.4s
	// sim_test.Evenly: 2100 attempts, at most 20 in 100 ms, all served after 5.6s
}

// A BackOff stands for a library's: an object of one worker, which it asks for the next wait again and again. Many
// libraries have one of this shape, with a NextBackOff and a Reset.
type BackOff struct {
	current, longest time.Duration
	random           func() float64 // in [0, 1)
}

func (b *BackOff) NextBackOff() time.Duration {
	wait := time.Duration((0.5 + b.random()) * float64(b.current))
	b.current = min(b.current*3/2, b.longest)
	return wait
}

// PerWorker makes a strategy of such objects: each worker has one of its own, and a new one whenever it begins anew. It
// has state, so unlike a plain strategy it serves one run at a time, and what it says depends on having been asked for
// each retry before.
type PerWorker struct {
	New   func(random func() float64) *BackOff
	state map[int]*BackOff
	u     float64
}

// Wait asks the worker's own object. If a library lets its random source be set, u belongs there: the same run then
// comes out the same every time, and under the luck that other strategies have.
func (p *PerWorker) Wait(a strategies.Attempt, u float64) (time.Duration, bool) {
	if p.state == nil {
		p.state = map[int]*BackOff{}
	}
	if a.SinceReset == 1 {
		p.state[a.Worker] = p.New(func() float64 { return p.u })
	}
	p.u = u
	return p.state[a.Worker].NextBackOff(), true
}

// LongestWait spares the engine asking: it would ask for retries out of order.
func (p *PerWorker) LongestWait() time.Duration { return 90 * time.Second }

var _ strategies.Bounded = &PerWorker{}

// A library with an object per worker is plugged in by an adapter that keeps one for each Attempt.Worker.
func Example_library() {
	s := &PerWorker{New: func(random func() float64) *BackOff {
		return &BackOff{current: 500 * time.Millisecond, longest: time.Minute, random: random}
	}}
	cfg := blip(s)
	waited := map[int64][]time.Duration{}
	cfg.Trace = func(a sim.AttemptRecord) {
		if a.Task == 17 && a.Attempt > 1 {
			waited[a.Task] = append(waited[a.Task], a.Waited.Round(time.Millisecond))
		}
	}
	r := sim.Run(context.Background(), cfg)
	fmt.Printf("%d attempts, at most %d in 100 ms, %d served\n", r.Attempts, r.Peak100ms, r.Herd.Succeeded)
	fmt.Println("worker 17 waited", waited[17])
	// Output:
	// 3575 attempts, at most 209 in 100 ms, 1000 served
	// worker 17 waited [283ms 740ms]
}
