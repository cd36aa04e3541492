package guards_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"herdsim/strategies"
	"herdsim/strategies/guards"
)

// opened returns a client of which the breaker opens at an instant, after so many failures.
func opened(t *testing.T, name string, failures int, at time.Duration) client {
	t.Helper()
	c := client{t, preset(t, "breaker", name)}
	for i := range failures {
		if s := c.guard.State(at); s.Phase != guards.Closed {
			t.Fatalf("%s: open after %d failures, want %d", name, i, failures)
		}
		c.call(at, failed)
	}
	c.phase(at, guards.Open)
	return c
}

// retry-clients.md section 5 and 1.11: how many failures open it, and the first instant at which a call may pass.
func TestOpenUntil(t *testing.T) {
	for _, b := range []struct {
		name     string
		failures int
		passes   time.Duration
	}{
		{"gobreaker", 6, 60*second + 1}, // run: still open at exactly 60 s, half-open a nanosecond later
		{"resilience4j", 100, 60*second + 1},
		{"polly", 100, 5 * second},
		{"failsafe-go", 1, 60 * second},
		{"opossum", 1, 30 * second},
		{"40-percent", 10, 30 * second},
	} {
		t.Run(b.name, func(t *testing.T) {
			c := opened(t, b.name, b.failures, 0)
			c.putOff(0, b.passes)
			c.putOff(b.passes-1, b.passes)
			c.phase(b.passes-1, guards.Open)
			c.phase(b.passes, guards.HalfOpen) // for the first who calls
			c.send(b.passes)
		})
	}
}

// Hystrix looks at its health every 500 ms: 20 failures at 0.1 s open it at 0.5 s, for 5 s and a nanosecond.
func TestHystrixLooksNowAndThen(t *testing.T) {
	c := client{t, preset(t, "breaker", "hystrix")}
	for range 30 {
		c.call(100*time.Millisecond, failed)
	}
	c.call(500*time.Millisecond-1, served)
	c.putOff(700*time.Millisecond, 5500*time.Millisecond+1)
	c.phase(700*time.Millisecond, guards.Open)
	probe := c.send(5500*time.Millisecond + 1)
	c.putOff(6*second, 6*second)
	c.guard.Done(6*second, probe, failed)
	c.putOff(6*second, 11*second+1)

	quiet := client{t, preset(t, "breaker", "hystrix")}
	for range 19 { // less than 20 requests are not judged
		quiet.call(0, failed)
	}
	quiet.call(second, served)
	quiet.phase(second, guards.Closed)
}

func TestConsecutiveFailuresStartAnew(t *testing.T) {
	c := client{t, preset(t, "breaker", "gobreaker")}
	for range 100 {
		for range 5 {
			c.call(0, failed)
		}
		c.call(0, served)
	}
	c.phase(0, guards.Closed)
}

// resilience4j judges the last 100: nothing before there are 100, then at each result.
func TestCountWindow(t *testing.T) {
	c := client{t, preset(t, "breaker", "resilience4j")}
	for range 49 {
		c.call(0, failed)
	}
	for range 60 {
		c.call(0, served)
	}
	c.phase(0, guards.Closed) // 40 failures left of the last 100
	for range 40 {
		c.call(0, failed) // each takes the place of one of the first failures
	}
	c.phase(0, guards.Closed)
	for i := range 10 {
		c.phase(0, guards.Closed)
		c.call(0, failed)
		if i == 9 {
			c.phase(0, guards.Open) // 50 of 100
		}
	}
}

// resilience4j: ten probes, and no decision before all ten have ended, however they end.
func TestProbesAreJudgedTogether(t *testing.T) {
	for failures, want := range map[int]guards.Phase{0: guards.Closed, 4: guards.Closed, 5: guards.Open, 10: guards.Open} {
		c := opened(t, "resilience4j", 100, 0)
		at := 61 * second
		var probes []guards.Call
		for range 10 {
			probes = append(probes, c.send(at))
		}
		c.putOff(at, at)
		for i, p := range probes {
			c.phase(at, guards.HalfOpen)
			c.putOff(at, at) // no permit comes back
			o := served
			if i < failures {
				o = failed
			}
			c.guard.Done(at, p, o)
		}
		c.phase(at, want)
	}
}

// cases.md 81 (resilience4j #935 and others): ten permits and eight results leave it half-open for ever, unless there is
// a longest time for that.
func TestCase81PermitsNeverReturned(t *testing.T) {
	longest := *(maker(t, "breaker", "resilience4j").(*guards.Breaker))
	longest.MaxHalfOpen = 20 * second
	for _, b := range []struct {
		guard guards.Guard
		ends  bool
	}{{preset(t, "breaker", "resilience4j"), false}, {longest.Make(), true}} {
		c := client{t, b.guard}
		for range 100 {
			c.call(0, failed)
		}
		at := 61 * second
		for i := range 10 {
			if p := c.send(at); i < 8 {
				c.guard.Done(at, p, served)
			}
		}
		c.putOff(at+20*second-1, at+20*second-1)
		if !b.ends {
			c.putOff(1000*time.Hour, 1000*time.Hour)
			continue
		}
		c.putOff(at+20*second, at+20*second+60*second+1) // open again, from when the time was over
		c.send(at + 80*second + 1)
	}
}

// cases.md 83 (Hystrix #1861 and others): the result of a call from before it opened does not end the probing; only the
// probe decides. failsafe-go is one of the others to this day: it keeps no account of whose result it is.
func TestCase83OnlyTheProbeDecides(t *testing.T) {
	for _, o := range []strategies.Outcome{failed, served} {
		c := client{t, preset(t, "breaker", "failsafe-go")}
		old := c.send(0)
		c.call(0, failed)
		at := 61 * second
		c.send(at)
		c.guard.Done(at, old, o)
		c.phase(at, map[strategies.Outcome]guards.Phase{failed: guards.Open, served: guards.Closed}[o])
	}
	for _, name := range []string{"gobreaker", "polly", "resilience4j"} {
		c := client{t, preset(t, "breaker", name)}
		old := c.send(0)
		for c.guard.State(0).Phase == guards.Closed {
			c.call(0, failed)
		}
		at := 61 * second
		probe := c.send(at)
		for _, o := range []strategies.Outcome{failed, served} {
			c.guard.Done(at, old, o)
			c.phase(at, guards.HalfOpen)
		}
		if name == "resilience4j" {
			continue // nine more probes are to come
		}
		c.guard.Done(at, probe, served)
		c.phase(at, guards.Closed)
	}
}

// cases.md 85 (denoland/std PR #7306): what a slow probe of an earlier half-open period brings counts in no later one.
func TestCase85StaleProbe(t *testing.T) {
	for _, counts := range []bool{false, true} {
		p := guards.Breaker{Consecutive: 1, OpenFor: strategies.Exponential{Base: second, Factor: 1}, Probes: 2, ProbeFailures: 1, CountStale: counts}
		c := client{t, p.Make()}
		c.call(0, failed)
		slow, quick := c.send(second), c.send(second)
		c.guard.Done(second, quick, failed)
		c.phase(second, guards.Open)
		c.send(2 * second)
		c.guard.Done(2*second, slow, failed)
		if want := map[bool]guards.Phase{false: guards.HalfOpen, true: guards.Open}[counts]; c.guard.State(2*second).Phase != want {
			t.Errorf("stale results count: %v: phase %v, want %v", counts, c.guard.State(2*second).Phase, want)
		}
	}
}

// cases.md 86 (safe-client-gateway PR #3442): probes of an upstream that hangs do not pile up, whoever asks how often.
func TestCase86ProbesInFlightAreCapped(t *testing.T) {
	for _, p := range guards.Presets() {
		b, isBreaker := p.Maker.(*guards.Breaker)
		if !isBreaker {
			continue
		}
		c := client{t, p.Maker.Make()}
		for range 1000 {
			if a := c.guard.Admit(0, guards.Call{}, 0); a.Verdict == guards.Proceed {
				c.guard.Done(0, guards.Call{Ticket: a.Ticket}, failed)
			}
		}
		probes := 0
		for i := range 10_000 {
			if c.guard.Admit(100*second+time.Duration(i)*time.Millisecond, guards.Call{}, 0).Verdict == guards.Proceed {
				probes++
			}
		}
		if probes != b.Probes {
			t.Errorf("%s: %d probes of an upstream that hangs, want %d", p.Name, probes, b.Probes)
		}
	}
}

// Polly, failsafe-go: one probe at a time; a probe that another guard held back is no probe.
func TestCancelledProbe(t *testing.T) {
	c := opened(t, "polly", 100, 0)
	probe := c.send(5 * second)
	c.putOff(5*second, 5*second)
	c.guard.Cancel(5*second, probe)
	c.guard.Done(6*second, c.send(6*second), served)
	c.phase(6*second, guards.Closed)
	c.call(6*second, failed) // of one result nothing is made
	c.phase(6*second, guards.Closed)
}

// The open time of Linkerd grows from 1 s to 60 s, and has no jitter at the cap; a probe that is served starts it anew.
func TestOpenTimeGrows(t *testing.T) {
	for _, u := range []float64{0, 0.5} {
		g := preset(t, "breaker", "linkerd")
		var now time.Duration
		fail := func() guards.Answer {
			a := g.Admit(now, guards.Call{}, u)
			if a.Verdict == guards.Proceed {
				g.Done(now, guards.Call{Ticket: a.Ticket}, failed)
				a = g.Admit(now, guards.Call{}, u)
			}
			return a
		}
		for range 7 {
			fail()
		}
		for i, base := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
			want := min(time.Duration(float64(base*second)*(1+0.5*u)), 60*second)
			a := fail()
			if a.Verdict != guards.PutOff || a.Until-now != want {
				t.Fatalf("u = %v, opening %d: %+v at %v, want it open for %v", u, i+1, a, now, want)
			}
			now = a.Until
		}
		g.Done(now, guards.Call{Ticket: g.Admit(now, guards.Call{}, u).Ticket}, served)
		for range 7 {
			fail()
		}
		if a, want := fail(), time.Duration(float64(second)*(1+0.5*u)); a.Until-now != want {
			t.Errorf("u = %v: open for %v after it had closed, want %v", u, a.Until-now, want)
		}
	}
}

// opossum opens above 50 %, not at it; the others at it.
func TestRatioIsReached(t *testing.T) {
	at := func(name string, pairs int) guards.Phase {
		c := client{t, preset(t, "breaker", name)}
		for range pairs {
			c.call(0, served)
			c.call(0, failed)
		}
		return c.guard.State(0).Phase
	}
	if p := at("opossum", 50); p != guards.Closed {
		t.Errorf("opossum at 50 %%: phase %v, want closed", p)
	}
	if p := at("resilience4j", 50); p != guards.Open {
		t.Errorf("resilience4j at 50 %%: phase %v, want open", p)
	}
}

// What opens those that have a share of a window in time: it is the last of so many results, of which so many failed.
func TestShareOfTime(t *testing.T) {
	for _, b := range []struct {
		name             string
		results, failing int
		want             guards.Phase
	}{
		{"polly", 99, 99, guards.Closed}, // throughput of at least 100
		{"polly", 100, 9, guards.Closed},
		{"polly", 100, 10, guards.Open}, // at 10 %
		{"40-percent", 9, 4, guards.Closed},
		{"40-percent", 10, 3, guards.Closed},
		{"40-percent", 10, 4, guards.Open},
		{"finagle", 4, 2, guards.Closed}, // at least 5 requests
		{"finagle", 5, 1, guards.Closed}, // a success rate of 80 % is not below it
		{"finagle", 5, 2, guards.Open},
		{"finagle", 5, 5, guards.Open}, // in a row
	} {
		c := client{t, preset(t, "breaker", b.name)}
		for i := range b.results {
			o := failed
			if i < b.results-b.failing {
				o = served
			}
			c.call(time.Duration(i)*20*time.Millisecond, o)
		}
		if s := c.guard.State(2 * second); s.Phase != b.want {
			t.Errorf("%s: %d of %d failed: phase %v, want %v", b.name, b.failing, b.results, s.Phase, b.want)
		}
	}
}

// Polly and others ask after a failure alone; resilience4j after any result.
func TestWhenRatioIsAsked(t *testing.T) {
	for _, b := range []struct {
		name     string
		failures int // one result less than it wants
		want     guards.Phase
	}{{"40-percent", 9, guards.Closed}, {"polly", 99, guards.Closed}, {"resilience4j", 99, guards.Open}} {
		c := client{t, preset(t, "breaker", b.name)}
		for range b.failures {
			c.call(0, failed)
		}
		c.call(0, served)
		c.phase(0, b.want)
	}
}

// Results leave a time window with their bucket.
func TestTimeWindow(t *testing.T) {
	p := guards.Breaker{Ratio: 0.5, Window: 10 * second, Buckets: 10, MinCalls: 4, OpenFor: strategies.Exponential{Base: second, Factor: 1}, Probes: 1, ProbeFailures: 1}
	for at, want := range map[time.Duration]guards.Phase{10*second - 1: guards.Open, 10 * second: guards.Closed} {
		c := client{t, p.Make()}
		for range 3 {
			c.call(0, failed)
		}
		c.call(at, failed)
		c.phase(at, want)
	}
}

// analytic.md A7: the chance that a healthy downstream opens the breaker, P(Bin(n, p) >= n/2).
func TestA7FalseTrips(t *testing.T) {
	const runs = 100_000
	for _, c := range []struct {
		n       int
		p, want float64
	}{{20, 0.3, 0.047962}, {20, 0.5, 0.588099}, {10, 0.1, 0.00163494}} {
		p := &guards.Breaker{Ratio: 0.5, Calls: c.n, MinCalls: c.n, AfterSuccess: true, OpenFor: strategies.Exponential{Base: second, Factor: 1}, Probes: 1, ProbeFailures: 1}
		r := rand.New(rand.NewPCG(7, uint64(c.n)))
		tripped := 0
		for range runs {
			g := p.Make()
			for range c.n {
				o := served
				if r.Float64() < c.p {
					o = failed
				}
				g.Done(0, guards.Call{}, o)
			}
			if g.State(0).Phase == guards.Open {
				tripped++
			}
		}
		got, se := float64(tripped)/runs, math.Sqrt(c.want*(1-c.want)/runs)
		if math.Abs(got-c.want) > 4*se {
			t.Errorf("n = %d, p = %v: opens with chance %v, want %v ± %v", c.n, c.p, got, c.want, 4*se)
		}
	}
}

// analytic.md A8: calls until k straight failures, (1-pᵏ)/((1-p)pᵏ) in the mean.
func TestA8StraightFailures(t *testing.T) {
	const runs = 20_000
	for _, c := range []struct {
		k       int
		p, want float64
	}{{5, 0.5, 62}, {3, 0.3, 51.481481}} {
		p := &guards.Breaker{Consecutive: c.k, OpenFor: strategies.Exponential{Base: second, Factor: 1}, Probes: 1, ProbeFailures: 1}
		r := rand.New(rand.NewPCG(8, uint64(c.k)))
		sum, squares := 0.0, 0.0
		for range runs {
			g, n := p.Make(), 0.0
			for g.State(0).Phase == guards.Closed {
				o := served
				if r.Float64() < c.p {
					o = failed
				}
				g.Done(0, guards.Call{}, o)
				n++
			}
			sum, squares = sum+n, squares+n*n
		}
		mean := sum / runs
		se := math.Sqrt((squares/runs - mean*mean) / runs)
		if math.Abs(mean-c.want) > 4*se {
			t.Errorf("k = %d, p = %v: %v calls, want %v ± %v", c.k, c.p, mean, c.want, 4*se)
		}
	}
}

// Finagle's equal jitter leaves the first open time exact, 5 s, and all at the cap, 5 min.
func TestFinagleOpensExactlyFirst(t *testing.T) {
	for _, p := range guards.Presets() {
		if p.Key != "breaker" || p.Name != "finagle" {
			continue
		}
		open := p.Maker.(*guards.Breaker).OpenFor
		for row, want := range map[int][2]time.Duration{1: {5 * second, 5 * second}, 2: {5 * second, 10 * second}, 20: {300 * second, 300 * second}} {
			low, _ := open.Wait(strategies.Attempt{SinceReset: row}, 0)
			high, _ := open.Wait(strategies.Attempt{SinceReset: row}, 1-1e-12)
			if low != want[0] || (high-want[1]).Abs() > time.Millisecond {
				t.Errorf("open time %d in a row is in [%v, %v), want [%v, %v)", row, low, high, want[0], want[1])
			}
		}
	}
}
