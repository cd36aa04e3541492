// Package experiment plays the runs that are to be compared: every strategy of a scenario, in all its replicates.
//
// Each run is a pure function of its sim.Config, so what comes back depends neither on the number of threads nor on the
// order in which runs end.
package experiment

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/semaphore"

	"herdsim/sim"
)

// A Grid is a table of runs: one row a strategy, one column a replicate.
type Grid struct {
	Rows, Replicates int
	// Config returns the run of a row, counted from 0, and a replicate, counted from 1. It is called once for each, in
	// row order, from one goroutine.
	Config func(row, replicate int) sim.Config
}

// Options say how a grid is played. The zero Options play it silently on all cores.
type Options struct {
	Parallel int   // most runs at once; 0 = GOMAXPROCS
	Memory   int64 // bytes that the runs at once may need by estimate, a larger one goes alone; 0 = DefaultMemory
	// Tracer returns what is told of every attempt of a run. Runs at once call it at once. nil = no trace.
	Tracer func(row, replicate int) (Tracer, error)
	// Take takes the result of each run that came to its end, instead of Results, which would hold all of them until the
	// last. Runs at once call it at once. nil = Results hold them.
	Take func(row, replicate int, r *sim.Result)
	// Progress is told how far a run is: one call at a time, in no fixed order. nil = nobody listens.
	Progress func(Progress)
}

// DefaultMemory lets two runs of about five million workers go on at once.
const DefaultMemory = 1 << 30

// bytesPerTask is what a run holds for one task: its place in the agenda and in the queue, and the completion that
// stays in the result.
const bytesPerTask = 96

// bytesPerClosedTask is what is left of a task that a client of closed-loop traffic has done: its place in two tables.
const bytesPerClosedTask = 12

// A Tracer takes the attempts of one run, in the order in which they ended.
type Tracer interface {
	// Attempt takes one. An error ends the whole grid.
	Attempt(sim.AttemptRecord) error
	// Close is called once, when the run has ended; finished is false if it was cut short and its attempts are to be
	// forgotten.
	Close(finished bool) error
}

// Progress says how far one run is.
type Progress struct {
	Row, Replicate int
	Now            sim.Time
	Events         int64
	Unfinished     int64 // tasks that are not done
	Done           bool  // the run has ended
}

// Results are the runs of a grid that came to their end.
type Results struct {
	Runs    [][]*sim.Result // by row and replicate - 1; nil where the run did not end, or went to Options.Take
	Missing int             // how many did not
}

// A Panic is a bug that a run ran into, with the stack where it did.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprint(p.Value) }

// Run plays the grid. When ctx is cancelled, runs that have ended are kept, those under way are dropped, the others do
// not begin; that is no error. An error is one of a Tracer, and ends the other runs too. A panic in a run ends them as
// well and goes on in the caller's goroutine, as a *Panic.
func Run(ctx context.Context, g Grid, o Options) (Results, error) {
	var engines sync.Pool // their memory is worth keeping: a cold run of a small herd costs twice a warm one
	return run(ctx, g, o, func(ctx context.Context, cfg sim.Config) *sim.Result {
		e, _ := engines.Get().(*sim.Engine)
		if e == nil {
			e = new(sim.Engine)
		}
		result := e.Run(ctx, cfg)
		engines.Put(e)
		return result
	})
}

// An engine plays one run.
type engine func(context.Context, sim.Config) *sim.Result

func run(ctx context.Context, g Grid, o Options, e engine) (Results, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := &player{ctx: ctx, cancel: cancel, engine: e, options: o, runs: make([][]*sim.Result, g.Rows)}
	p.play(g)

	if p.panicked != nil {
		panic(p.panicked)
	}
	return Results{Runs: p.runs, Missing: g.Rows*g.Replicates - p.ended}, p.err
}

// A player is one call of Run.
type player struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	engine  engine
	options Options
	runs    [][]*sim.Result // each run writes its own place

	mu       sync.Mutex // guards what follows, and the calls of Progress
	ended    int        // runs that came to their end
	err      error
	panicked *Panic
}

// play starts the runs in row order, as places and memory fall free, and waits for them.
func (p *player) play(g Grid) {
	for row := range p.runs {
		p.runs[row] = make([]*sim.Result, g.Replicates)
	}
	parallel, memory := p.options.Parallel, p.options.Memory
	if parallel <= 0 {
		parallel = runtime.GOMAXPROCS(0)
	}
	if memory <= 0 {
		memory = DefaultMemory
	}
	places, bytes := semaphore.NewWeighted(int64(parallel)), semaphore.NewWeighted(memory)
	var wg sync.WaitGroup
	defer wg.Wait()
	for row := range g.Rows {
		for replicate := 1; replicate <= g.Replicates; replicate++ {
			cfg := g.Config(row, replicate)
			need := min(estimate(cfg), memory)
			if places.Acquire(p.ctx, 1) != nil || bytes.Acquire(p.ctx, need) != nil {
				return
			}
			wg.Go(func() {
				defer places.Release(1)
				defer bytes.Release(need)
				p.one(cfg, row, replicate)
			})
		}
	}
}

// estimate returns the bytes that a run may need.
func estimate(cfg sim.Config) int64 {
	const most = 1 << 50
	held, closed := tasks(cfg), closedTasks(cfg)
	held -= closed
	if cfg.Clients != nil {
		held += float64(cfg.Clients.Count) // each has one task at a time
	}
	return int64(min(held*bytesPerTask+closed*bytesPerClosedTask, most))
}

// one plays one run and keeps its result if it came to its end.
func (p *player) one(cfg sim.Config, row, replicate int) {
	defer p.catch()
	if p.ctx.Err() != nil {
		return
	}
	var tracer Tracer
	if p.options.Tracer != nil {
		var err error
		if tracer, err = p.options.Tracer(row, replicate); err != nil {
			p.fail(err)
			return
		}
		cfg.Trace = func(a sim.AttemptRecord) {
			if err := tracer.Attempt(a); err != nil {
				p.fail(err)
			}
		}
	}
	p.listen(&cfg, row, replicate)
	result := p.engine(p.ctx, cfg)
	finished := result.End != sim.Cancelled
	if tracer != nil {
		if err := tracer.Close(finished); err != nil {
			p.fail(err)
			return
		}
	}
	if !finished {
		return
	}
	p.keep(row, replicate, result)
	p.tell(Progress{
		Row: row, Replicate: replicate, Now: result.EndedAt, Events: result.Events,
		Unfinished: result.Herd.Unfinished + result.Open.Unfinished, Done: true,
	})
}

// keep puts a result where it is wanted.
func (p *player) keep(row, replicate int, result *sim.Result) {
	if p.options.Take != nil {
		p.options.Take(row, replicate, result)
	} else {
		p.runs[row][replicate-1] = result
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended++
}

// listen has the run report how far it is.
func (p *player) listen(cfg *sim.Config, row, replicate int) {
	if p.options.Progress == nil {
		return
	}
	cfg.Progress = func(now sim.Time, events, unfinished int64) {
		p.tell(Progress{Row: row, Replicate: replicate, Now: now, Events: events, Unfinished: unfinished})
	}
}

func (p *player) tell(progress Progress) {
	if p.options.Progress == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.options.Progress(progress)
}

// fail keeps the first error and ends the other runs.
func (p *player) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
	p.cancel(err)
}

// catch keeps the first panic and ends the other runs.
func (p *player) catch() {
	value := recover()
	if value == nil {
		return
	}
	stack := debug.Stack()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.panicked == nil {
		p.panicked = &Panic{Value: value, Stack: stack}
	}
	p.cancel(p.panicked)
}
