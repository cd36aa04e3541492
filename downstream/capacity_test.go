package downstream

import (
	"math"
	"testing"
	"time"
)

func TestCapacityOfParts(t *testing.T) {
	tenth := Constant{100 * time.Millisecond}
	for _, c := range []struct {
		name string
		cfg  Config
		want float64 // 0 for no bound
	}{
		{"slots", Config{Slots: 20, Service: tenth}, 200},
		{"a rate limit below them", Config{Slots: 20, Service: tenth, RateLimit: &RateLimit{Rate: Rate{50, time.Second}}}, 50},
		{"no time", Config{Slots: 20, Service: Constant{}}, 0},
		{"all at once", Config{Slots: Unlimited, Service: tenth}, 0},
		{"all at once up to a rate", Config{Slots: Unlimited, Service: tenth, RateLimit: &RateLimit{Rate: Rate{50, time.Second}}}, 50},
		{"all at once, as many as are let in", Config{Slots: Unlimited, Service: tenth, Concurrency: 7}, 70},
		{"a pool", Config{Slots: 20, Service: tenth, Pool: &Pool{Max: 5, Handshake: Constant{}}}, 50},
		// overload.md 2.4: latency 1 + 0.01 n, so n / (1 + 0.01 (n-1)) tends to 100 per second.
		{"linear slowdown without limit", Config{Slots: Unlimited, Service: Constant{time.Second}, Slowdown: &Slowdown{Sigma: 0.01}}, 100},
		// analytic.md A9: 1000 per second alone, sigma 0.05, kappa 0.0005: the peak at 44 is 10742.1875.
		{"USL at its peak", Config{Slots: Unlimited, Service: Constant{time.Millisecond}, Slowdown: &Slowdown{0.05, 0.0005}}, 10742.1875},
		{"USL before its peak", Config{Slots: 10, Service: Constant{time.Millisecond}, Slowdown: &Slowdown{0.05, 0.0005}}, 6688.963211},
		{"in turn", Config{Slots: 10, Service: tenth, Slowdown: &Slowdown{Sigma: 2}}, 10},
		// HotOS'21, section 2.2: with 90 % hits a database of 300 per second carries 3000.
		{"a cache", Config{Slots: 30, Service: tenth, Cache: &Cache{HitRatio: 0.9, Keys: 1}}, 3000},
	} {
		got, bounded := c.cfg.Capacity()
		if bounded != (c.want > 0) || math.Abs(got-c.want) > 1e-6*c.want {
			t.Errorf("%s: %v, %t, want %v", c.name, got, bounded, c.want)
		}
	}
	if got, _ := (Config{Slots: 30, Service: tenth, Cache: &Cache{HitRatio: 0.9, Keys: 1}}).ColdCapacity(); got != 300 {
		t.Errorf("with an empty cache: %v, want 300", got)
	}
	if got, _ := (Config{Slots: 30, Service: tenth, Pool: &Pool{Max: 30, Handshake: Constant{200 * time.Millisecond}}}).ColdCapacity(); math.Abs(got-100) > 1e-9 {
		t.Errorf("with a connection to be made for each: %v, want 100", got)
	}
	if got, _ := (Config{Slots: 20, Service: tenth, WarmUp: &WarmUp{From: 0.1, Requests: 50_000}}).ColdCapacity(); math.Abs(got-20) > 1e-9 {
		t.Errorf("at a tenth of the speed: %v, want 20", got)
	}
}

// The peak that is computed is the highest of all numbers at once, one by one.
func TestCapacityIsThePeak(t *testing.T) {
	for _, sigma := range []float64{0, 0.01, 0.3, 0.9, 1, 1.7} {
		for _, kappa := range []float64{0, 1e-5, 0.003, 0.2, 4} {
			for _, slots := range []int{1, 2, 3, 17, 500} {
				s := &Slowdown{Sigma: sigma, Kappa: kappa}
				best := 0.0
				for n := 1.0; n <= float64(slots); n++ {
					best = max(best, n/(1+sigma*(n-1)+kappa*n*(n-1)))
				}
				c := Config{Slots: slots, Service: Constant{D: time.Second}, Slowdown: s}
				if got, bounded := c.Capacity(); !bounded || math.Abs(got-best) > 1e-12*best {
					t.Errorf("%d slots, sigma %v, kappa %v: Capacity() = %v, want %v", slots, sigma, kappa, got, best)
				}
			}
		}
	}
}
