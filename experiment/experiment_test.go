package experiment

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"herdsim/sim"
)

// grid is a table of runs that carry their row and replicate in the seed.
func grid(rows, replicates int) Grid {
	return Grid{Rows: rows, Replicates: replicates, Config: func(row, replicate int) sim.Config {
		return sim.Config{Seed: uint64(100*row + replicate)}
	}}
}

// echo is an engine whose result names the run.
func echo(_ context.Context, cfg sim.Config) *sim.Result { return &sim.Result{Events: int64(cfg.Seed)} }

func TestEachRunHasItsPlace(t *testing.T) {
	for _, parallel := range []int{0, 1, 7} {
		r, err := run(t.Context(), grid(3, 4), Options{Parallel: parallel}, echo)
		if err != nil || r.Missing != 0 {
			t.Fatalf("parallel %d: missing %d, error %v", parallel, r.Missing, err)
		}
		for row, runs := range r.Runs {
			for i, result := range runs {
				if want := int64(100*row + i + 1); result.Events != want {
					t.Errorf("parallel %d: run [%d][%d] = %d, want %d", parallel, row, i, result.Events, want)
				}
			}
		}
	}
}

func TestCancelKeepsWhatHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	engine := func(ctx context.Context, cfg sim.Config) *sim.Result {
		if cfg.Seed == 3 { // the third run sees the end
			cancel()
			return &sim.Result{End: sim.Cancelled}
		}
		return echo(ctx, cfg)
	}
	r, err := run(ctx, grid(2, 3), Options{Parallel: 1}, engine)
	if err != nil {
		t.Fatal(err)
	}
	if r.Runs[0][0] == nil || r.Runs[0][1] == nil {
		t.Error("a run that had ended was dropped")
	}
	if r.Missing != 4 {
		t.Errorf("%d runs are missing, want 4", r.Missing)
	}
}

func TestParallelIsBounded(t *testing.T) {
	tests := []struct {
		name     string
		parallel int
		memory   int64
		workers  int
		most     int64
	}{
		{"by places", 3, 0, 10, 3},
		{"by memory", 8, 3 * 1000 * bytesPerTask, 1000, 3},
		{"too large for memory, alone", 8, 1000, 1000, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := grid(1, 24)
			g.Config = func(int, int) sim.Config { return sim.Config{Workers: tt.workers} }
			var now, most atomic.Int64
			full := make(chan struct{}) // closed once as many runs are under way as may be
			var once sync.Once
			engine := func(context.Context, sim.Config) *sim.Result {
				n := now.Add(1)
				defer now.Add(-1)
				for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
				}
				if n >= tt.most {
					once.Do(func() { close(full) })
				}
				<-full
				return &sim.Result{}
			}
			if _, err := run(t.Context(), g, Options{Parallel: tt.parallel, Memory: tt.memory}, engine); err != nil {
				t.Fatal(err)
			}
			if got := most.Load(); got != tt.most {
				t.Errorf("%d runs at once, want %d", got, tt.most)
			}
		})
	}
}

// A tape records what a Tracer is told.
type tape struct {
	attempts int
	closed   []bool
	err      error
}

func (t *tape) Attempt(sim.AttemptRecord) error { t.attempts++; return t.err }
func (t *tape) Close(finished bool) error       { t.closed = append(t.closed, finished); return nil }

// traced is an engine that traces as many attempts as the seed says.
func traced(ctx context.Context, cfg sim.Config) *sim.Result {
	for range cfg.Seed {
		cfg.Trace(sim.AttemptRecord{})
	}
	if ctx.Err() != nil {
		return &sim.Result{End: sim.Cancelled}
	}
	return &sim.Result{}
}

func TestEachRunHasItsTracer(t *testing.T) {
	tapes := make([]*tape, 4)
	o := Options{Parallel: 2, Tracer: func(_, replicate int) (Tracer, error) {
		tapes[replicate-1] = &tape{}
		return tapes[replicate-1], nil
	}}
	if _, err := run(t.Context(), grid(1, 4), o, traced); err != nil {
		t.Fatal(err)
	}
	for i, got := range tapes {
		if got.attempts != i+1 || !slices.Equal(got.closed, []bool{true}) {
			t.Errorf("replicate %d: %d attempts, closed %v", i+1, got.attempts, got.closed)
		}
	}
}

func TestTracerErrorEndsTheGrid(t *testing.T) {
	full := errors.New("disk full")
	bad := &tape{err: full}
	o := Options{Parallel: 1, Tracer: func(int, int) (Tracer, error) { return bad, nil }}
	r, err := run(t.Context(), grid(3, 3), o, traced)
	if !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
	if r.Missing != 9 || !slices.Equal(bad.closed, []bool{false}) {
		t.Errorf("%d runs are missing, tracer closed %v; want all 9, and one unfinished run", r.Missing, bad.closed)
	}
	o.Tracer = func(int, int) (Tracer, error) { return nil, full }
	if _, err := run(t.Context(), grid(1, 1), o, traced); !errors.Is(err, full) {
		t.Errorf("tracer that cannot open: error %v, want %v", err, full)
	}
}

func TestPanicReachesTheCaller(t *testing.T) {
	defer func() {
		p, ok := recover().(*Panic)
		if !ok || p.Error() != "sim: lost a task" || !strings.Contains(string(p.Stack), "experiment_test.go") {
			t.Errorf("recovered %v, want the panic of the run with its stack", p)
		}
	}()
	_, _ = run(t.Context(), grid(2, 2), Options{}, func(context.Context, sim.Config) *sim.Result {
		panic("sim: lost a task")
	})
}

func TestProgressCountsEachRunOnce(t *testing.T) {
	done := 0 // unguarded: calls of Progress exclude one another, which -race checks
	events := int64(0)
	o := Options{Parallel: 4, Progress: func(p Progress) {
		if p.Done {
			done++
		} else {
			events += p.Events
		}
	}}
	engine := func(ctx context.Context, cfg sim.Config) *sim.Result {
		cfg.Progress(0, 1, 5)
		return echo(ctx, cfg)
	}
	if _, err := run(t.Context(), grid(4, 5), o, engine); err != nil {
		t.Fatal(err)
	}
	if done != 20 || events != 20 {
		t.Errorf("%d runs done and %d reports under way, want 20 each", done, events)
	}
}
