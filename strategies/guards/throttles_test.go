package guards_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"herdsim/strategies"
	"herdsim/strategies/guards"
)

// retry-clients.md section 3: the last of 5,000 items that fail at once waits 490 s, 4,900 of them wait.
func TestTokenBucketOfClientGo(t *testing.T) {
	g := preset(t, "token-bucket", "client-go")
	delayed, latest := 0, time.Duration(0)
	for range 5000 {
		instant, ok := g.Allow(0, failed)
		if !ok {
			t.Fatal("refused")
		}
		// Its own backoff is 5 ms; the longer of the two counts.
		a := g.Admit(5*time.Millisecond, guards.Call{Retry: true, Allowance: instant}, 0)
		if a.Verdict == guards.Delay {
			delayed++
			latest = a.Until
			if b := g.Admit(a.Until, guards.Call{Retry: true, Reserved: true, Allowance: instant}, 0); b.Verdict != guards.Proceed {
				t.Fatalf("at its instant %v: %+v", a.Until, b)
			}
		}
	}
	if delayed != 4900 || latest != 490*second {
		t.Errorf("%d delayed, the last until %v; want 4,900 and 490 s", delayed, latest)
	}
	if s := g.State(0); s.Level != 0 {
		t.Errorf("level %v of an empty bucket", s.Level)
	}
	if s := g.State(495 * second); s.Level != 0.5 {
		t.Errorf("level %v at 495 s, want 0.5", s.Level)
	}
}

func TestTokenBucketOfFirstAttempts(t *testing.T) {
	retriesOnly := preset(t, "token-bucket", "client-go")
	all := (&guards.TokenBucket{Tokens: 3, Per: second, Burst: 2, All: true}).Make()
	for i, want := range []time.Duration{0, 0, 333_333_334, 666_666_667, second} {
		if a := retriesOnly.Admit(0, guards.Call{}, 0); a.Verdict != guards.Proceed {
			t.Errorf("first attempt: %+v", a)
		}
		a := all.Admit(0, guards.Call{}, 0)
		if want == 0 && a.Verdict != guards.Proceed || want > 0 && (a.Verdict != guards.Delay || a.Until != want) {
			t.Errorf("attempt %d: %+v, want %v", i+1, a, want)
		}
	}
	all.Drop(0, guards.Call{Reserved: true})
	if a := all.Admit(0, guards.Call{}, 0); a.Until != second {
		t.Errorf("the token of an attempt that is not made: %+v, want it at 1 s", a)
	}
}

// With K = 2 and a downstream that refuses all, n requests leave a chance of n/(n+1); when half is accepted, none is held
// back.
func TestThrottleOfTheBook(t *testing.T) {
	g := preset(t, "throttle", "sre-book")
	for i := range 9 {
		if got, want := 1-g.State(0).Level, float64(i)/float64(i+1); math.Abs(got-want) > 1e-12 {
			t.Errorf("after %d requests the chance is %v, want %v", i, got, want)
		}
		g.Admit(0, guards.Call{}, 0.999) // put off or not, it counts
	}
	if a := g.Admit(0, guards.Call{}, 0.9); a.Verdict != guards.Proceed {
		t.Errorf("u = p: %+v, want it to proceed", a)
	}
	if a := g.Admit(0, guards.Call{}, 0.9); a.Verdict != guards.PutOff || a.Until != 0 {
		t.Errorf("u below p: %+v, want a put-off", a)
	}
	for i := range 6 { // 11 requests, of which so many were accepted
		o := served
		if i%2 == 1 {
			o = strategies.Errored // the downstream took it
		}
		g.Done(0, guards.Call{}, o)
	}
	if level := g.State(0).Level; level != 1 {
		t.Errorf("6 of 11 accepted: level %v, want 1", level)
	}
	if level := g.State(2 * time.Minute).Level; level != 1 {
		t.Errorf("two minutes later: level %v, want 1", level)
	}
}

// In the long run, with every request refused, about one in ln n more is sent; with a share a accepted of what is sent, K
// times as many requests are sent as are accepted.
func TestThrottleEquilibrium(t *testing.T) {
	g := (&guards.Throttle{K: 2, Window: 100 * second, Buckets: 100}).Make()
	r := rand.New(rand.NewPCG(3, 4))
	const offered, capacity = 200, 50 // per second
	sent, accepted := 0, 0
	for s := range 300 {
		room := capacity
		for range offered {
			at := time.Duration(s) * second
			if g.Admit(at, guards.Call{}, r.Float64()).Verdict != guards.Proceed {
				continue
			}
			o := strategies.Rejected
			if room > 0 {
				room--
				o = served
			}
			if g.Done(at, guards.Call{}, o); s >= 150 {
				sent++
				if o == served {
					accepted++
				}
			}
		}
	}
	if ratio := float64(sent) / float64(accepted); math.Abs(ratio-2) > 0.05 {
		t.Errorf("%d sent, %d accepted: ratio %v, want K = 2", sent, accepted, ratio)
	}
}

func TestConcurrencyLimit(t *testing.T) {
	c := client{t, (&guards.ConcurrencyLimit{Limit: 2}).Make()}
	first := c.send(0)
	second := c.send(0)
	c.putOff(1, 1)
	c.guard.Done(1, first, failed)
	c.send(1)
	c.guard.Cancel(1, second)
	c.send(1)
	c.putOff(2, 2)
}

// The rate of AWS' adaptive mode: nothing is held back before the first rejection; then Beta × the measured rate, which
// CUBIC brings back to w after K seconds.
func TestAdaptiveRateFollowsCubic(t *testing.T) {
	g := preset(t, "adaptive-rate", "aws")
	at := time.Duration(0)
	for range 500 { // 10 a second for 50 s
		at += 100 * time.Millisecond
		if a := g.Admit(at, guards.Call{}, 0); a.Verdict != guards.Proceed {
			t.Fatalf("held back before a rejection: %+v", a)
		}
		g.Done(at, guards.Call{}, served)
	}
	g.Done(at, guards.Call{}, strategies.Rejected)
	const w, beta, scale = 10, 0.7, 0.4
	rate := rateOf(t, g, at)
	if math.Abs(rate-beta*w) > 0.2*w*beta {
		t.Errorf("rate %v after a rejection at 10 per second, want about 7", rate)
	}
	k := math.Cbrt(w * (1 - beta) / scale)
	after := at + time.Duration(k*float64(second))
	for now := at; now < after; now += 100 * time.Millisecond {
		g.Done(now, guards.Call{}, served)
	}
	g.Done(after, guards.Call{}, served)
	if rate := rateOf(t, g, after); math.Abs(rate-w) > 0.2*w {
		t.Errorf("rate %v after K = %.2f s, want about w = 10", rate, k)
	}
}

// rateOf takes tokens until two are promised, and returns the rate at which they come.
func rateOf(t *testing.T, g guards.Guard, at time.Duration) float64 {
	t.Helper()
	var until []time.Duration
	for range 100 {
		if a := g.Admit(at, guards.Call{}, 0); a.Verdict == guards.Delay {
			if until = append(until, a.Until); len(until) == 11 {
				for range 11 {
					g.Drop(at, guards.Call{Reserved: true})
				}
				return 10 / (until[10] - until[0]).Seconds()
			}
		}
	}
	t.Fatal("nothing is held back")
	return 0
}

// A first rejection before anything is measured leaves the least rate: one attempt in two seconds.
func TestAdaptiveRateOfACrowd(t *testing.T) {
	g := preset(t, "adaptive-rate", "aws")
	g.Admit(0, guards.Call{}, 0)
	g.Done(0, guards.Call{}, strategies.Rejected)
	for i, want := range []time.Duration{2 * second, 4 * second, 6 * second} {
		if a := g.Admit(0, guards.Call{}, 0); a.Verdict != guards.Delay || a.Until != want {
			t.Errorf("attempt %d: %+v, want a delay until %v", i+1, a, want)
		}
	}
	if a := g.Admit(2*second, guards.Call{Reserved: true}, 0); a.Verdict != guards.Proceed {
		t.Errorf("at its instant: %+v", a)
	}
}
