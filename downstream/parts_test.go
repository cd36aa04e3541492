package downstream

import (
	"math"
	"testing"
	"time"
)

// analytic.md A9, the Universal Scalability Law: with sigma = 5 % and kappa = 0.05 % a service of 1 ms has these
// throughputs at n in service, and the most at n = sqrt((1-sigma)/kappa) = 43.59, that is at 44.
func TestSlowdownIsTheScalabilityLaw(t *testing.T) {
	var s Server
	s.Reset(Config{Slots: Unlimited, Slowdown: &Slowdown{Sigma: 0.05, Kappa: 0.0005}})
	want := map[int]float64{1: 1000, 10: 6688.963211, 32: 10505.581095, 44: 10742.1875, 100: 9174.311927}
	peak, most := 0, 0.0
	for n := 1; n <= 100; n++ {
		s.Admit(0)
		x := float64(n) / s.Begin(0, ms, 0, 0).Took.Seconds()
		if w, listed := want[n]; listed && math.Abs(x/w-1) > 1e-6 { // times are whole nanoseconds
			t.Errorf("X(%d) = %.3f, want %.3f", n, x, w)
		}
		if x > most {
			peak, most = n, x
		}
	}
	if peak != 44 {
		t.Errorf("the peak is at %d, want 44", peak)
	}
}

// The newest first while more than two wait.
func TestAdaptiveOrder(t *testing.T) {
	s := started(Config{Slots: 1, Queue: Unlimited, Order: Adaptive, LIFOAbove: 2}, 5)
	for _, want := range []uint32{4, 3, 1, 2} {
		s.Free()
		if job, _ := s.Take(0); job.ID != want {
			t.Errorf("%d is taken, want %d", job.ID, want)
		}
	}
}

// Who came when the queue had been standing for longer than the interval may wait only for the short time.
func TestStandingQueue(t *testing.T) {
	s := started(Config{Slots: 1, Queue: 3, QueueTimeout: &QueueTimeout{Standing: 5 * ms, Interval: 100 * ms}}, 2)
	offer(s, 2, 100*ms) // for 100 ms, and not for longer
	offer(s, 3, 101*ms)
	if id, ok := s.Expired(100 * ms); ok {
		t.Errorf("%d has expired at the end of its time, not after it", id)
	}
	if id, ok := s.Expired(102 * ms); !ok || id != 1 {
		t.Errorf("%d, %v has expired in the full house, want 1, true", id, ok)
	}
	if id, ok := s.Expired(300 * ms); ok {
		t.Errorf("%d has expired where there is room", id)
	}
	s.Free()
	if job, _ := s.Take(104 * ms); job != (Job{ID: 2}) {
		t.Errorf("%+v is taken, want 2 in time", job)
	}
	s.Free()
	if job, _ := s.Take(107 * ms); job != (Job{ID: 3, Late: true}) || s.Busy() != 0 {
		t.Errorf("%+v is taken, want 3 too late", job)
	}
}

func TestConcurrencyLimitsSlotsAndQueue(t *testing.T) {
	var s Server
	s.Reset(Config{Slots: 2, Queue: 10, Concurrency: 3})
	wantVerdicts(t, offers(&s, 5, 0), Started, Started, Waiting, Full, Full)
	s.Reset(Config{Slots: 4, Queue: 10, Concurrency: 3})
	wantVerdicts(t, offers(&s, 4, 0), Started, Started, Started, Full)
}

// The k-th who is turned away is told the k-th place of a line that moves at 1 / 40 ms, and the line goes on.
func TestPlaceInLine(t *testing.T) {
	s := started(Config{Slots: 2, Service: Constant{80 * ms}, RetryAfter: &RetryAfter{Place: true}}, 2)
	for k := time.Duration(1); k <= 5; k++ {
		if _, after := s.Admit(0); after != k*40*ms {
			t.Errorf("the %d-th is told %v, want %v", k, after, k*40*ms)
		}
	}
	if _, after := s.Admit(100 * ms); after != 140*ms {
		t.Errorf("100 ms later the sixth is told %v, want 140ms", after)
	}
	if _, after := s.Admit(time.Second); after != 40*ms {
		t.Errorf("when the line is gone one is told %v, want 40ms", after)
	}
}

// Over a ramp from 10 % in 10 s a rate of 1000/s brings 5500 tokens, and 1000/s after it, however often it is asked.
func TestRampIsItsIntegral(t *testing.T) {
	for _, step := range []time.Duration{100 * time.Microsecond, 7 * time.Microsecond} {
		var b bucket
		b.reset(RateLimit{Rate: Rate{1000, time.Second}, Burst: 5, Ramp: Ramp{From: 0.1, Over: 10 * time.Second}})
		for range 5 {
			b.take(0)
		}
		b.start(0)
		tokens := 0
		for now := step; now < 12*time.Second; now += step {
			if ok, _ := b.take(now); ok {
				tokens++
			}
			if seconds := float64(now) / 1e9; now%time.Second < step {
				want := 1000 * (min(seconds, 10)*0.1 + 0.9*min(seconds, 10)*min(seconds, 10)/20 + max(0, seconds-10))
				if math.Abs(float64(tokens)-want) > 1.01 {
					t.Errorf("asked every %v, at %v: %d tokens, want %.1f", step, now, tokens, want)
				}
			}
		}
	}
}

// Misses for random keys that overlap fill K (1 - (1 - 1/K)^n) of K keys on average, and those in turn n.
func TestOverlappingMisses(t *testing.T) {
	c := Config{Slots: Unlimited, Cache: &Cache{HitRatio: 1, Keys: 100, Cold: true}}
	s := started(c, 0)
	var begun []Begun
	for range 100 {
		s.Admit(0)
		begun = append(begun, s.Begin(0, ms, 0, 0))
	}
	for _, b := range begun {
		s.Finish(0, b, true)
	}
	if share, _ := s.State(0); math.Abs(share-(1-math.Pow(0.99, 100))) > 1e-12 {
		t.Errorf("a hundred at once fill a share of %v", share)
	}
	s.Reset(c)
	for range 60 {
		s.Finish(0, s.Begin(0, ms, 0, 0.999), true)
	}
	if share, _ := s.State(0); share != 0.6 {
		t.Errorf("sixty misses in turn fill a share of %v", share)
	}
}

// Keys are lost with the rate 1 / TTL each.
func TestKeysAreLost(t *testing.T) {
	s := started(Config{Slots: 1, Cache: &Cache{HitRatio: 0.9, Keys: 10, TTL: time.Minute}}, 0)
	for now := time.Duration(0); now <= 3*time.Minute; now += 7 * time.Second {
		if share, _ := s.State(now); math.Abs(share-math.Exp(-now.Minutes())) > 1e-12 {
			t.Errorf("after %v a share of %v is filled", now, share)
		}
	}
}
