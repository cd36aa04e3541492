package sim_test

import (
	"strconv"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

// spread is a herd of n workers whose first calls spread evenly over so many windows of 10 ms, all served at once.
func spread(n, windows int) sim.Config {
	cfg := base(n, n, 0, 0, strategies.Immediate{})
	cfg.Window = second / 100
	cfg.Start.Uniform = time.Duration(windows) * cfg.Window
	return cfg
}

// holding returns a reading of how many of the given windows hold so many calls.
func holding(calls int64, windows int) func(*played) float64 {
	return func(p *played) float64 {
		n, empty := 0, windows
		for _, w := range p.Windows {
			if w.Requests == calls {
				n++
			}
			if w.Requests > 0 {
				empty--
			}
		}
		if calls == 0 {
			return float64(empty)
		}
		return float64(n)
	}
}

// J1: the chance that no two meet in a window, by each of the peaks.
func TestNoTwoInOneWindow(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		n, windows, runs int
		want             float64
	}{{23, 365, 4000, 0.492703}, {100, 10_000, 1000, 0.608566}, {100, 60_000, 1000, 0.920769}} {
		row := "J1, " + strconv.Itoa(test.n) + " in " + strconv.Itoa(test.windows)
		alone := 0
		play := player(t, spread(test.n, test.windows), false)
		for _, seed := range seeds(row, test.runs) {
			r := play(seed)
			if r.PeakWindow != r.Peak10ms {
				t.Fatalf("seed %d: the peak in a window of 10 ms is %d and %d", seed, r.PeakWindow, r.Peak10ms)
			}
			if r.Peak10ms == 1 {
				alone++
			}
		}
		share(t, row, alone, test.runs, test.want)
	}
}

// J2: how a herd that spreads evenly fills windows. The row's CV follows from its sd.
func TestOccupancyOfWindows(t *testing.T) {
	t.Parallel()
	variance := func(mean float64, windows int) func(*played) float64 {
		return func(p *played) float64 {
			sum := holding(0, windows)(p) * mean * mean
			for _, w := range p.Windows {
				sum += (float64(w.Requests) - mean) * (float64(w.Requests) - mean)
			}
			return sum / float64(windows)
		}
	}
	for _, test := range []struct {
		n, windows, runs int
		sd               float64
	}{{1000, 1000, 50, 0.9995}, {1000, 100, 200, 3.146427}, {1000, 60, 300, 4.048319}, {10_000, 100, 60, 9.949874}} {
		row := "J2, " + strconv.Itoa(test.n) + " in " + strconv.Itoa(test.windows)
		mean := float64(test.n) / float64(test.windows)
		agree(t, spread(test.n, test.windows), test.runs,
			quantity{row: row + ", variance", want: test.sd * test.sd, read: variance(mean, test.windows)})
	}
	agree(t, spread(1000, 1000), 100,
		quantity{row: "J2, 1000 in 1000, empty", want: 367.695425, read: holding(0, 1000)},
		quantity{row: "J2, 1000 in 1000, exactly one", want: 368.063488, read: holding(1, 1000)})
	const runs = 1000
	play := player(t, spread(1000, 100), false)
	empty, one := 0, 0
	for _, seed := range seeds("J2, 1000 in 100, empty", runs) {
		p := play(seed)
		empty += int(holding(0, 100)(p))
		one += int(holding(1, 100)(p))
	}
	share(t, "J2, 1000 in 100, empty", empty, runs*100, 0.00431712/100)
	share(t, "J2, 1000 in 100, exactly one", one, runs*100, 0.0436073/100)
}

// J3: the busiest of the windows that a herd spreads over evenly.
func TestBusiestWindow(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		n, windows, runs int
		mean, own        float64 // and its standard error, if it is not exact
		atMost           []point
	}{
		{5, 3, 5000, 2.777778, 0, []point{{2, 0.370370}, {3, 0.864198}, {4, 0.987654}}},
		{100, 100, 2000, 4.232595, 0, []point{{3, 0.126156}, {4, 0.701646}, {5, 0.947599}, {6, 0.992908}}},
		{1000, 100, 1000, 18.761660, 0, []point{{17, 0.228011}, {18, 0.488098}, {19, 0.714820}, {20, 0.859615}, {22, 0.973085}, {25, 0.998442}}},
		{1000, 60, 1000, 26.845366, 0, []point{{25, 0.278809}, {26, 0.484279}, {27, 0.669042}, {30, 0.943279}, {33, 0.993426}}},
		{1000, 1000, 300, 5.53, 0.01, nil},
		{10_000, 100, 100, 125.7, 0.2, nil},
	} {
		row := "J3, " + strconv.Itoa(test.n) + " in " + strconv.Itoa(test.windows)
		play := player(t, spread(test.n, test.windows), false)
		var peaks []float64
		for _, seed := range seeds(row, test.runs) {
			peaks = append(peaks, float64(play(seed).Peak10ms))
		}
		compare(t, row+", mean", peaks, test.mean, test.own)
		for _, f := range test.atMost {
			n := 0
			for _, peak := range peaks {
				if peak <= f.x {
					n++
				}
			}
			share(t, row+", at most "+f.at(), n, test.runs, f.y)
		}
	}
}

// J4: calls beyond k in a window, if each window had room for k.
func TestExcessOverRoomInWindows(t *testing.T) {
	t.Parallel()
	excess := func(k int64, per int) func(*played) float64 {
		return func(p *played) float64 {
			var sum int64
			for _, w := range p.Windows {
				sum += max(0, w.Requests-k)
			}
			return float64(sum) / float64(per)
		}
	}
	agree(t, spread(1000, 10), 300, quantity{row: "J4, M = 10, per bin", want: 3.781511, read: excess(100, 10)})
	agree(t, spread(1000, 12), 1000, quantity{row: "J4, M = 12, per bin", want: 0.111450, read: excess(100, 12)})
	agree(t, spread(1000, 60), 500,
		quantity{row: "J4, M = 60, k = 20, in all", want: 29.871741, read: excess(20, 1)},
		quantity{row: "J4, M = 60, k = 25, in all", want: 2.689890, read: excess(25, 1)})
}

// J5: a second of open traffic sees more than 100 calls.
func TestOverflowOfOpenTraffic(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rate int64
		want float64
	}{{70, 0.000293}, {75, 0.002432}, {80, 0.013169}, {85, 0.049345}, {90, 0.134900}, {95, 0.282332}, {100, 0.473438}} {
		const seconds = 2000
		cfg := open(downstream.Rate{Events: test.rate, Per: second}, 1, 0, downstream.Constant{})
		row := "J5, " + strconv.Itoa(int(test.rate)) + "/s"
		cfg.Seed, cfg.Window, cfg.Horizon = seeds(row, 1)[0], second, seconds*second
		over := 0
		for _, w := range run(t, cfg).Windows {
			if w.Requests > 100 {
				over++
			}
		}
		share(t, row, over, seconds, test.want)
	}
}

// J6: a herd that spreads evenly over W before a queue without limit, in services of 1/C.
func TestSpreadOfTheBareMinimum(t *testing.T) {
	t.Parallel()
	const n, service = 1000, second / 100
	herd := func(spread time.Duration) sim.Config {
		cfg := base(n, 1, downstream.Unlimited, service, strategies.Immediate{})
		cfg.Start.Uniform = spread
		return cfg
	}
	extra := func(spread time.Duration) func(*played) float64 {
		return func(p *played) float64 { return float64(last(p.Result)-spread) / float64(service) }
	}
	longest := func(p *played) float64 {
		var most time.Duration
		for _, a := range p.attempts {
			most = max(most, a.Queued)
		}
		return float64(most) / float64(service)
	}
	// Beyond W the last is served W x max_k(U_(k) - (k-1)/N) later, N order statistics: the one-sided statistic of
	// Kolmogorov and Smirnov, with mean Q(N) / 2N; the row has the limit of large N, 19.82.
	const least = n * service
	agreeTraced(t, herd(least), 300,
		quantity{row: "J6, W = N/C, extra time", want: ramanujanQ(n) / 2, read: extra(least)},
		quantity{row: "J6, W = N/C, max wait", want: 35.094, runs: 1, sd: 0.035, read: longest})
	agreeTraced(t, herd(least*12/10), 800,
		quantity{row: "J6, W = 1.2 N/C, extra time", want: 2.247, runs: 1, sd: 0.012, read: extra(least * 12 / 10)},
		quantity{row: "J6, W = 1.2 N/C, max wait", want: 12.334, runs: 1, sd: 0.012, read: longest})
	agreeTraced(t, herd(least*2), 100,
		quantity{row: "J6, W = 2 N/C, max wait", want: 4.805, runs: 1, sd: 0.004, read: longest})
}

// ramanujanQ returns the sum over k of n! / ((n-k)! n^k), 1 <= k <= n.
func ramanujanQ(n int) float64 {
	sum, term := 0.0, 1.0
	for k := range n {
		sum += term
		term *= float64(n-k-1) / float64(n)
	}
	return sum
}
