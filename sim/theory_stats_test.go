package sim_test

import (
	"context"
	"hash/fnv"
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

// The theory files hold the engine to the rows of a table of analytic results ("D7" and so on, analytic.md): closed
// forms, and means of an independent simulation with the standard deviation of one of its runs. Rows without luck must
// come out to the last request; means must lie within 4 standard errors. Numbers of runs are fixed, and seeds follow from
// the row's name, so the outcome is too. Run with -v, the tests show each value beside its row.

const standardErrors = 4

// coarsest is the largest standard error, as a share of the row's value, that still makes a comparison worth its name.
const coarsest = 0.08

// A played is a run with every attempt that ended in it, in that order; attempts only if they were asked for.
type played struct {
	*sim.Result
	attempts []sim.AttemptRecord
}

// A quantity is something of a run that theory knows the mean of.
type quantity struct {
	row  string
	want float64
	runs int     // want is itself the mean of so many runs; 0 if it is exact
	sd   float64 // of one of those runs, if the row tells; else it is taken to be like ours
	read func(*played) float64
}

// agree plays cfg n times and compares the means of the quantities.
func agree(t *testing.T, cfg sim.Config, n int, quantities ...quantity) {
	t.Helper()
	agreeAll(t, n, quantities, player(t, cfg, false))
}

// agreeTraced is agree for quantities that are read off single attempts.
func agreeTraced(t *testing.T, cfg sim.Config, n int, quantities ...quantity) {
	t.Helper()
	agreeAll(t, n, quantities, player(t, cfg, true))
}

func agreeAll(t *testing.T, n int, quantities []quantity, play func(seed uint64) *played) {
	t.Helper()
	values := make([][]float64, len(quantities))
	for _, seed := range seeds(quantities[0].row, fewer(n)) {
		p := play(seed)
		for i, q := range quantities {
			values[i] = append(values[i], q.read(p))
		}
	}
	for i, q := range quantities {
		own := 0.0
		if q.runs > 0 {
			if own = q.sd; own == 0 {
				own = stat.StdDev(values[i], nil)
			}
			own /= math.Sqrt(float64(q.runs))
		}
		compare(t, q.row, values[i], q.want, own)
	}
}

// fewer returns how many of n seeds are asked: all, or a quarter with -short, as under the race detector, which does not look
// for luck.
func fewer(n int) int {
	if testing.Short() {
		return min(n, max(12, n/4)) // fewer would not tell their own spread
	}
	return n
}

// seeds returns n seeds of a row's own, so that rows do not share their luck.
func seeds(row string, n int) []uint64 {
	h := fnv.New64a()
	h.Write([]byte(row))
	all := make([]uint64, n)
	for i := range all {
		all[i] = h.Sum64() + uint64(i)
	}
	return all
}

// player returns a function that plays cfg under a seed. What it returns is good until it is called again.
func player(t *testing.T, cfg sim.Config, traced bool) func(seed uint64) *played {
	var e sim.Engine
	p := &played{}
	if traced {
		cfg.Trace = func(a sim.AttemptRecord) { p.attempts = append(p.attempts, a) }
	}
	return func(seed uint64) *played {
		t.Helper()
		cfg.Seed = seed
		p.attempts = p.attempts[:0]
		p.Result = e.Run(context.Background(), cfg)
		checkConservation(t, p.Result)
		return p
	}
}

// compare holds the mean of independent values against a row's value, which has a standard error of its own.
func compare(t *testing.T, row string, values []float64, want, own float64) {
	t.Helper()
	mean, sd := stat.MeanStdDev(values, nil)
	judge(t, row, mean, sd/math.Sqrt(float64(len(values))), want, own)
	if se := sd / math.Sqrt(float64(len(values))); se > coarsest*math.Abs(want) && !testing.Short() {
		t.Errorf("%s: a standard error of %.3g is too coarse for %.6g", row, se, want)
	}
}

// judge fails the test if a value lies too far from the row's.
func judge(t *testing.T, row string, got, se, want, own float64) {
	t.Helper()
	all := math.Hypot(se, own)
	z := 0.0
	if got != want {
		z = (got - want) / all
	}
	t.Logf("%-44s %12.6g ± %-8.2g want %12.6g ± %-8.2g z = %+.2f", row, got, se, want, own, z)
	if !(math.Abs(z) <= standardErrors) {
		t.Errorf("%s: %.6g ± %.2g, want %.6g ± %.2g: %.1f standard errors off", row, got, se, want, own, z)
	}
}

// share holds k of n independent cases against the chance p.
func share(t *testing.T, row string, k, n int, p float64) {
	t.Helper()
	judge(t, row, float64(k)/float64(n), math.Sqrt(p*(1-p)/float64(n)), p, 0)
}

// open is Poisson traffic alone, given up when it is turned away.
func open(rate downstream.Rate, slots, queue int, service downstream.Distribution) sim.Config {
	cfg := base(0, slots, queue, 0, strategies.Fixed{Delay: second})
	cfg.Window, cfg.MaxAttempts, cfg.Downstream.Service = time.Hour, 1, service
	cfg.Arrivals = sim.Poisson(rate, 0, cfg.Horizon)
	return cfg
}

// agreeSteady compares means over n stretches of the steady state of cfg.
func agreeSteady(t *testing.T, cfg sim.Config, n int, length time.Duration, quantities ...quantity) {
	t.Helper()
	agreeAll(t, n, quantities, steady(t, cfg, length, false))
}

// agreeSteadyTraced is agreeSteady for quantities that are read off single attempts too.
func agreeSteadyTraced(t *testing.T, cfg sim.Config, n int, length time.Duration, quantities ...quantity) {
	t.Helper()
	agreeAll(t, n, quantities, steady(t, cfg, length, true))
}

// steady returns a function that plays cfg under a seed and returns a stretch of its steady state. A run begins empty,
// which would bias a mean; so the first tenth of the given length, at least ten relaxation times of the queues here, is
// taken off again: what the same run had counted when it was cut off there. Attempts are those of tasks that came after
// it and a twentieth before the end, by when all of them have ended.
func steady(t *testing.T, cfg sim.Config, length time.Duration, traced bool) func(seed uint64) *played {
	warm := length / 10
	begin, all := cfg, cfg
	begin.Horizon, all.Horizon = warm, length
	playBegin, playAll := player(t, begin, false), player(t, all, traced)
	return func(seed uint64) *played {
		t.Helper()
		p := playAll(seed)
		difference := since(playBegin(seed).Result, p.Result)
		attempts := p.attempts[:0]
		came := make([]bool, p.Open.Tasks)
		for _, a := range p.attempts {
			if a.Attempt == 1 {
				came[a.Task] = a.Sent >= warm && a.Sent < length-warm/2
			}
			if came[a.Task] && a.End < 0 {
				t.Fatalf("task %d has not ended when the run does", a.Task)
			}
			if came[a.Task] {
				attempts = append(attempts, a)
			}
		}
		return &played{difference, attempts}
	}
}

// since returns what b has counted beyond a, of what queues are judged by.
func since(a, b *sim.Result) *sim.Result {
	d := &sim.Result{
		Attempts:  b.Attempts - a.Attempts,
		Retries:   b.Retries - a.Retries,
		Observed:  b.Observed - a.Observed,
		QueueArea: b.QueueArea - a.QueueArea,
		BusyTime:  b.BusyTime - a.BusyTime,
		QueueWait: sim.Mean{Sum: b.QueueWait.Sum - a.QueueWait.Sum, Count: b.QueueWait.Count - a.QueueWait.Count},
	}
	d.Open.Tasks = b.Open.Tasks - a.Open.Tasks
	for i := range d.Outcomes {
		d.Outcomes[i] = b.Outcomes[i] - a.Outcomes[i]
	}
	return d
}

// What quantities are read by.

func completion(p *played) float64 { return last(p.Result).Seconds() }
func calls(p *played) float64      { return float64(p.Attempts) }
func wasted(p *played) float64     { return float64(p.Wasted) }
func peak1s(p *played) float64     { return float64(p.Peak1s) }
func meanWait(p *played) float64   { return p.QueueWait.Sum.Seconds() / float64(p.QueueWait.Count) }
func waiting(p *played) float64    { return p.QueueArea / p.Observed.Seconds() }
func busy(p *played) float64       { return p.BusyTime.Seconds() / p.Observed.Seconds() }
func inSystem(p *played) float64   { return waiting(p) + busy(p) }

func rejected(p *played) float64 { return float64(p.Outcomes[strategies.Rejected]) }
func blocked(p *played) float64  { return rejected(p) / float64(p.Attempts) }

// busiest returns the most requests in a window from the given instant on, the failure itself included.
func busiest(from sim.Time) func(*played) float64 {
	return func(p *played) float64 {
		most := int64(0)
		for _, w := range p.Windows {
			if sim.Time(w.Index)*p.Window >= from {
				most = max(most, w.Requests)
			}
		}
		return float64(most)
	}
}

// shareOf returns a reading of the share of attempts that a condition holds for.
func shareOf(holds func(sim.AttemptRecord) bool) func(*played) float64 {
	return func(p *played) float64 {
		n := 0
		for _, a := range p.attempts {
			if holds(a) {
				n++
			}
		}
		return float64(n) / float64(len(p.attempts))
	}
}

// square returns a reading of the squared distance from a known mean, which has the variance as its mean.
func square(mean float64, read func(*played) float64) func(*played) float64 {
	return func(p *played) float64 { return (read(p) - mean) * (read(p) - mean) }
}
