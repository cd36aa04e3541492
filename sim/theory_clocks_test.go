package sim_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

var fullJitter = strategies.FullJitter{Base: second, Factor: 2, Cap: 60 * second}

// A point is a value of a function.
type point struct{ x, y float64 }

func (p point) at() string { return strconv.FormatFloat(p.x, 'g', -1, 64) }

// instants returns when each of n failing workers makes attempt k + 1, in s.
func instants(t *testing.T, row string, n, attempts int, s strategies.Strategy) func(k int) []float64 {
	t.Helper()
	sent := make([][]float64, attempts)
	cfg := failing(n, attempts, s)
	cfg.Seed = seeds(row, 1)[0]
	cfg.Trace = func(a sim.AttemptRecord) { sent[a.Attempt-1] = append(sent[a.Attempt-1], a.Sent.Seconds()) }
	run(t, cfg)
	return func(k int) []float64 { return sent[k] }
}

// B-b to B-e: the distribution of the instants at which a client under full jitter tries again.
func TestClockOfFullJitter(t *testing.T) {
	t.Parallel()
	const n = 20_000
	at := instants(t, "B-b", n, 21, fullJitter)
	for _, test := range []struct {
		k        int
		mean, sd float64
	}{{5, 15.5, 5.330729}, {10, 151.5, 36.245689}, {20, 451.5, 65.679144}} {
		row := "B-b, n = " + strconv.Itoa(test.k)
		compare(t, row+", mean", at(test.k), test.mean, 0)
		var squares []float64
		for _, x := range at(test.k) {
			squares = append(squares, (x-test.mean)*(x-test.mean))
		}
		compare(t, row+", variance", squares, test.sd*test.sd, 0)
	}
	within := func(k int, from, to float64) (count int) {
		for _, x := range at(k) {
			if from <= x && x < to {
				count++
			}
		}
		return count
	}
	// The density of a sum of two is made of straight lines between the values at 0, 1, 2 and 3, that of three is
	// curved: over a width w it differs by w^2 / 24 times its second derivative, 1/4 at most, from its value in the middle.
	const width = 0.1
	for _, f := range []point{{0.5, 0.25}, {1.5, 0.5}, {2.5, 0.25}} {
		share(t, "B-c, f2 at "+f.at(), within(2, f.x-width/2, f.x+width/2), n, f.y*width)
	}
	share(t, "B-c, f2 from 1 on", within(2, 1, 1+width), n, 0.5*width)
	share(t, "B-c, f2 up to 2", within(2, 2-width, 2), n, 0.5*width)
	for _, f := range []point{{0.5, 0.015625}, {1, 0.0625}, {2, 0.1875}, {3, 0.25}, {4, 0.25}, {5, 0.1875}, {6, 0.0625}} {
		share(t, "B-d, f3 at "+f.at(), within(3, f.x-width/2, f.x+width/2), n, f.y*width)
	}
	for _, f := range []point{{1, 0.020833}, {2, 0.145833}, {3, 0.375}, {5, 0.854167}} {
		share(t, "B-e, F3 at "+f.at(), within(3, 0, f.x), n, f.y)
	}
}

// B-f and B-g: what a failing herd asks of the downstream under full jitter, from the histogram.
func TestRequestDensityOfFullJitter(t *testing.T) {
	t.Parallel()
	const n, runs, width = 50_000, 16, second / 20
	cfg := failing(n, 0, fullJitter)
	cfg.Horizon, cfg.Window = 30*second, width
	play := player(t, cfg, false)
	var density [30 * second / width][]float64 // of retries per client and s, by window, of each run
	var until [len(density) + 1][]float64      // retries per client before each window
	for _, seed := range seeds("B-f", runs) {
		p := play(seed)
		sum := 0.0
		for i, w := range p.Windows {
			if w.Index != int64(i) {
				t.Fatalf("window %d is missing", i)
			}
			retries := float64(w.Requests-w.Failure) / n
			density[i] = append(density[i], retries/width.Seconds())
			until[i] = append(until[i], sum)
			sum += retries
		}
		until[len(density)] = append(until[len(density)], sum)
	}
	// The density is smooth but for kinks at whole seconds: from the two windows on one side it is extrapolated.
	side := func(near, next int) (values []float64) {
		for run := range runs {
			values = append(values, 1.5*density[near][run]-0.5*density[next][run])
		}
		return values
	}
	window := func(x float64) int { return int(math.Round(x / width.Seconds())) }
	for _, g := range []point{{0.25, 1.128947}, {0.5, 1.265953}, {0.75, 1.411268}, {1, 1.565145}, {1.5, 0.633669}, {2, 0.706347},
		{2.5, 0.517354}, {3, 0.299533}, {4, 0.334826}, {5, 0.307080}, {7, 0.154053}, {10, 0.162305}} {
		i := window(g.x)
		compare(t, "B-f, g/N at "+g.at(), side(i-1, i-2), g.y, 0)
	}
	compare(t, "B-f, g/N after 1", side(window(1), window(1)+1), 0.565145, 0)
	for _, g := range []point{{1, 1.271493}, {2, 1.905854}, {3, 2.418404}, {5, 3.067272}, {7, 3.494729}, {10, 3.987306},
		{15, 4.533881}, {30, 5.521469}} {
		compare(t, "B-g, attempts until "+g.at(), until[window(g.x)], g.y, 0)
	}
}

// B-h and B-i: how many have spent all retries before an outage ends, under full jitter.
func TestDeadLettersOfAnOutage(t *testing.T) {
	t.Parallel()
	const n = 20_000
	for _, test := range []struct {
		outage  time.Duration
		retries int
		want    float64
	}{
		{30 * second, 5, 0.999992}, {30 * second, 6, 0.453125}, {30 * second, 7, 0.062153}, {30 * second, 8, 0.006199},
		{30 * second, 10, 0.000033},
		{60 * second, 6, 0.999972}, {60 * second, 7, 0.475000}, {60 * second, 8, 0.128611}, {60 * second, 10, 0.003998},
	} {
		cfg := base(n, n, 0, 0, fullJitter)
		cfg.MaxAttempts = test.retries + 1
		cfg.Downstream.Outages = []downstream.Outage{{To: test.outage}}
		row := "B-h, n = "
		if test.outage == 60*second {
			row = "B-i, n = "
		}
		row += strconv.Itoa(test.retries)
		cfg.Seed = seeds(row, 1)[0]
		share(t, row, int(run(t, cfg).Herd.DeadLettered), n, test.want)
	}
}

// The long-run rows of section 5: how often a client calls whose delay has reached the cap.
func TestRateAtTheCap(t *testing.T) {
	t.Parallel()
	const most = 30 * second
	backoff := func(j strategies.Jitter) strategies.Strategy {
		return strategies.Exponential{Base: second, Factor: 2, Cap: most, Jitter: j}
	}
	for _, test := range []struct {
		row      string
		strategy strategies.Strategy
		want     float64 // calls per client and s
	}{
		{"none", backoff(strategies.Jitter{}), 1. / 30},
		{"full", strategies.FullJitter{Base: second, Factor: 2, Cap: most}, 2. / 30},
		{"equal", strategies.EqualJitter{Base: second, Factor: 2, Cap: most}, 4. / 90},
		{"+100 % after the cap", backoff(strategies.Jitter{Kind: strategies.JitterAbove, Share: 1}), 0.022222},
		{"decorrelated", strategies.Decorrelated{Base: second, Factor: 3, Cap: most}, 1 / 18.5806},
	} {
		// From 20 caps on, by when the clients have lost each other; for 20 whole caps, so that the comb of no jitter
		// shows each of its teeth.
		from, to := 20*most, 40*most
		cfg := failing(200, 0, test.strategy)
		cfg.Horizon, cfg.Window = to, from
		var rates []float64
		play := player(t, cfg, false)
		for _, seed := range seeds(test.row, 20) {
			p := play(seed)
			rates = append(rates, float64(p.Windows[len(p.Windows)-1].Requests)/(200*(to-from).Seconds()))
		}
		compare(t, "rate at the cap, "+test.row, rates, test.want, 0)
	}
}

// The decorrelated rows of section 5: its means while there is no cap, and the point mass at the cap in the long run.
func TestDecorrelatedInTheLongRun(t *testing.T) {
	t.Parallel()
	free := make([][]float64, 7)
	cfg := failing(40_000, 6, strategies.Decorrelated{Base: second, Factor: 3})
	cfg.Trace = func(a sim.AttemptRecord) { free[a.Attempt] = append(free[a.Attempt], a.Waited.Seconds()) }
	run(t, cfg)
	for i, want := range []float64{2, 3.5, 5.75, 9.125, 14.1875} {
		compare(t, "decorrelated, wait "+strconv.Itoa(i+1), free[i+2], want, 0)
	}
	// A wait is longer than the one before by a factor of only e^0.1 on the average of its logarithm, so it takes some
	// fifty to get from the base to the cap.
	const settled, attempts = 80, 120
	mean := func(of func(sim.AttemptRecord) float64) func(*played) float64 {
		return func(p *played) float64 {
			n, sum := 0, 0.0
			for _, a := range p.attempts {
				if a.Attempt > settled {
					n++
					sum += of(a)
				}
			}
			return sum / float64(n)
		}
	}
	for _, test := range []struct {
		base, most  time.Duration
		mean, atCap float64
	}{
		{second, 60 * second, 33.7273, 0.338861},
		{second, 30 * second, 18.5806, 0.381123},
		{second / 10, 20 * second, 9.7600, 0.289161},
	} {
		row := "decorrelated, base " + test.base.String() + ", cap " + test.most.String()
		atCap := func(a sim.AttemptRecord) float64 {
			if a.Waited == test.most {
				return 1
			}
			return 0
		}
		agreeTraced(t, failing(150, attempts, strategies.Decorrelated{Base: test.base, Factor: 3, Cap: test.most}), 20,
			quantity{row: row + ", mean", want: test.mean, read: mean(func(a sim.AttemptRecord) float64 { return a.Waited.Seconds() })},
			quantity{row: row + ", share at the cap", want: test.atCap, read: mean(atCap)})
	}
}
