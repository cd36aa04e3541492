package sim_test

import (
	"math"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

// A ramp, a wave that falls below nothing, and a spike at once: each second has as many tasks as the integral of their
// sum says, which is summed up here from what a Phase is defined as.
func TestPhasesBringWhatTheirRatesSay(t *testing.T) {
	t.Parallel()
	const runs, end = 25, 40
	cfg := open(perSecond(0), downstream.Unlimited, 0, downstream.Constant{})
	cfg.Window, cfg.Horizon = second, end*second
	cfg.Arrivals.Phases = []sim.Phase{
		{From: 5 * second, To: 25 * second, Shape: sim.Ramp, Rate: perSecond(20), End: perSecond(100)},
		{To: end * second, Shape: sim.Sine, Rate: perSecond(30), End: perSecond(50), Span: 8 * second},
		{From: 12 * second, To: 35 * second, Shape: sim.Spike, Rate: perSecond(200), Span: 4 * second},
	}
	rate := func(t float64) (sum float64) {
		if t >= 5 && t < 25 {
			sum += 20 + 4*(t-5)
		}
		if t >= 12 && t < 35 {
			sum += 200 * math.Exp(-(t-12)/4)
		}
		return sum + max(0, 30+50*math.Sin(2*math.Pi*t/8))
	}
	var counts [end]float64
	play := player(t, cfg, false)
	for _, seed := range seeds("phases", runs) {
		for _, w := range play(seed).Windows {
			counts[w.Index] += float64(w.Tasks)
		}
	}
	for i, n := range counts {
		const steps = 10_000
		want := 0.0
		for k := range steps {
			want += rate(float64(i)+(float64(k)+0.5)/steps) / steps
		}
		if z := (n/runs - want) / math.Sqrt(want/runs); want > 0.5 && math.Abs(z) > standardErrors || want < 1e-9 && n > 0 {
			t.Errorf("second %d: %.2f tasks, want %.2f: %.1f standard errors off", i, n/runs, want, z)
		}
	}
}

// Overload.md 2.2, after M. Brooker, "What is Backoff For?": every call fails with chance f, a task makes up to four, and
// waits 0.1 s, 0.2 s, 0.4 s between them. Backoff takes no load off a downstream that has clients without bound, and much
// off one with a hundred that do one thing after the other.
//
// Such a client there begins its next task at the next beat of 10/s after the last one began, or at once if that is past.
// What is left to wait when a task took S is on average 0.1 s E[exp(-S / 0.1 s)], and a rate does not depend on more of a
// wait than its mean: our clients think as long on average. Numbers are of one run, whose tasks begin in 10 s.
func TestWhatBackoffIsFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		fails                     string
		f                         float64
		serial, all, first, begun float64 // calls of serial clients and of unbounded ones, first tries of both; 0 if not told
	}{
		{"f = 0.5", 0.5, 8247, 18_954, 4447, 10_171},
		{"f = 0.75", 0.75, 6465, 28_131, 0, 10_171},
	} {
		t.Run(test.fails, func(t *testing.T) {
			t.Parallel()
			cfg := base(0, downstream.Unlimited, 0, 0, strategies.Exponential{Base: second / 10, Factor: 2})
			cfg.MaxAttempts, cfg.ErrorRate = 4, test.f
			cfg.Network = downstream.Exponential{M: 10 * time.Millisecond}
			tasks := func(p *played) float64 { return float64(p.Open.Tasks) }

			serial := cfg
			serial.Clients = &sim.Clients{Count: 100, Think: downstream.Exponential{M: untilTheBeat(test.f)}, To: 10 * second}
			rows := []quantity{{row: "2.2, serial calls, " + test.fails, want: test.serial, runs: 1, read: calls}}
			if test.first > 0 {
				rows = append(rows, quantity{row: "2.2, serial first tries, " + test.fails, want: test.first, runs: 1, read: tasks})
			}
			agree(t, serial, 20, rows...)

			cfg.Arrivals = sim.Poisson(perSecond(1000), 0, 10*second)
			agree(t, cfg, 20, quantity{row: "2.2, unbounded calls, " + test.fails, want: test.all, runs: 1, read: calls},
				quantity{row: "2.2, unbounded first tries, " + test.fails, want: test.begun, runs: 1, read: tasks})
		})
	}
}

// untilTheBeat returns the mean of what is left until the next beat of a Poisson clock of 10/s when a task of up to four
// calls is done, each of which takes two delays of 10 ms, exponentially distributed, and fails with chance f.
func untilTheBeat(f float64) time.Duration {
	const beat, delay = 0.1, 0.01
	call := math.Pow(1/(1+delay/beat), 2) // E[exp(-x / beat)] of its time x
	sum, passed := 0.0, 0.0
	for n := 1; n <= 4; n++ {
		chance := math.Pow(f, float64(n-1)) // that it makes n calls
		if n < 4 {
			chance *= 1 - f
		}
		sum += chance * math.Pow(call, float64(n)) * math.Exp(-passed/beat)
		passed += 0.1 * math.Pow(2, float64(n-1))
	}
	return time.Duration(beat * sum * 1e9)
}

// Overload.md 2.3, after M. Brooker, "Open and Closed, Omission and Collapse": one server, services of 0.1 s,
// exponentially distributed, 8/s asked of it. From open traffic a request takes exponentially long, 0.5 s on average.
// One client that waits for itself never waits for another. Of ten, one finds the others as they are on average without
// it (the arrival theorem), and takes as many services as it finds others, and one.
//
// The study does not tell how long its ten think. Both its quantiles are those of about 9/8 s, in which the nine others
// ask 8/s if they are never held up; what comes of that is computed below. Its numbers are of one run of 5000 s.
func TestOpenAndClosed(t *testing.T) {
	t.Parallel()
	p50 := func(p *played) float64 { return p.OpenLatency.P50.Seconds() }
	p99 := func(p *played) float64 { return p.OpenLatency.P99.Seconds() }
	traffic := open(perSecond(8), 1, unlimited, memoryless)
	traffic.Horizon = 5000 * second
	one, ten := traffic, traffic
	one.Arrivals, ten.Arrivals = nil, nil
	one.Clients = &sim.Clients{Count: 1, Think: downstream.Exponential{M: 125 * second / 1000}, To: traffic.Horizon}
	ten.Clients = &sim.Clients{Count: 10, Think: downstream.Exponential{M: 1125 * time.Millisecond}, To: traffic.Horizon}
	for _, test := range []struct {
		row            string
		cfg            sim.Config
		median, high   float64 // exact
		median1, high1 float64 // of the study
	}{
		{"2.3, open", traffic, math.Ln2 / 2, math.Log(100) / 2, 0.363, 2.44},
		{"2.3, closed, 1", one, math.Ln2 / 10, math.Log(100) / 10, 0.069, 0.458},
		{"2.3, closed, 10", ten, amongOthers(9, 1.125, 0.5), amongOthers(9, 1.125, 0.99), 0.186, 0.963},
	} {
		t.Run(test.row, func(t *testing.T) {
			t.Parallel()
			agree(t, test.cfg, 16,
				quantity{row: test.row + ", p50", want: test.median, read: p50},
				quantity{row: test.row + ", p99", want: test.high, read: p99},
				quantity{row: test.row + ", p50 of the study", want: test.median1, runs: 1, read: p50},
				quantity{row: test.row + ", p99 of the study", want: test.high1, runs: 1, read: p99})
		})
	}
}

// amongOthers returns a quantile of the time that a request takes at one server with services of 0.1 s, if it finds there
// some of so many others, which think for the given seconds.
func amongOthers(others int, think, quantile float64) float64 {
	later := func(t float64) float64 { // the chance that it takes longer
		sum, all, found := 0.0, 0.0, 1.0
		for k := range others + 1 {
			all += found
			term, tail := math.Exp(-t/0.1), 0.0 // k + 1 services take longer: at most k are done by then
			for j := range k + 1 {
				tail += term
				term *= t / 0.1 / float64(j+1)
			}
			sum += found * tail
			found *= float64(others-k) * 0.1 / think
		}
		return sum / all
	}
	low, high := 0.0, 10.0
	for range 60 {
		if mid := (low + high) / 2; later(mid) > 1-quantile {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// Every minute 50 jobs call at once before 10 slots: each tick echoes as often as retries are due, 10 calls fewer each
// time, and the next tick brings it all again.
func TestTicksEcho(t *testing.T) {
	t.Parallel()
	cfg := base(0, 10, 0, second/10, strategies.Fixed{Delay: 5 * second})
	cfg.Window = second
	cfg.Cron = &sim.Cron{Every: 60 * second, Count: 50, To: 150 * second}
	got := map[int64]int64{}
	for _, w := range run(t, cfg).Windows {
		if w.Requests > 0 {
			got[w.Index] = w.Requests
		}
	}
	for _, tick := range []int64{0, 60, 120} {
		for k := range int64(5) {
			if at := tick + 5*k; got[at] != 50-10*k {
				t.Errorf("%d requests at %d s, want %d", got[at], at, 50-10*k)
			}
		}
	}
	if len(got) != 15 {
		t.Errorf("requests in %d seconds, want 15: %v", len(got), got)
	}
}
