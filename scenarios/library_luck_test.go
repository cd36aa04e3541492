package scenarios_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"herdsim/scenarios"
	"herdsim/sim"
	"herdsim/strategies"
)

// observe returns the mean and the standard deviation of a quantity over replicates 1 to n of a strategy.
func observe(t *testing.T, s *scenarios.Scenario, strategy string, n int, what func(*sim.Result) float64) (mean, sd float64) {
	t.Helper()
	i := entry(t, s, strategy)
	var sum, squares float64
	for r := 1; r <= n; r++ {
		x := what(sim.Run(context.Background(), s.Config(i, r)))
		sum += x
		squares += x * x
	}
	mean = sum / float64(n)
	return mean, math.Sqrt(max(0, squares-float64(n)*mean*mean) / float64(n-1))
}

// peakFrom returns the busiest window at t or later.
func peakFrom(t time.Duration) func(*sim.Result) float64 {
	return func(r *sim.Result) float64 {
		most := int64(0)
		for _, w := range r.Windows {
			if time.Duration(w.Index)*r.Window >= t {
				most = max(most, w.Requests)
			}
		}
		return float64(most)
	}
}

// requestsIn returns how many requests reach the downstream in [from, to).
func requestsIn(from, to time.Duration) func(*sim.Result) float64 {
	return func(r *sim.Result) float64 {
		n := int64(0)
		for _, w := range r.Windows {
			if at := time.Duration(w.Index) * r.Window; at >= from && at < to {
				n += w.Requests
			}
		}
		return float64(n)
	}
}

// lastFrom returns when the last worker was served, in seconds after t.
func lastFrom(t time.Duration) func(*sim.Result) float64 {
	return func(r *sim.Result) float64 { return (r.Completions[len(r.Completions)-1] - t).Seconds() }
}

func attempts(r *sim.Result) float64 { return float64(r.Attempts) }
func wasted(r *sim.Result) float64   { return float64(r.Wasted) }
func dead(r *sim.Result) float64     { return float64(r.Herd.DeadLettered) }

// busy is the share of time in which slots work, summed over the slots.
func busy(r *sim.Result) float64 { return r.BusyTime.Seconds() / r.Observed.Seconds() }

func unavailable(r *sim.Result) float64 { return float64(r.Outcomes[strategies.Unavailable]) }

// success and perCall are of open traffic: the share of calls that succeed, and the attempts a call.
func success(r *sim.Result) float64 { return float64(r.Open.Succeeded) / float64(r.Open.Tasks) }
func perCall(r *sim.Result) float64 { return float64(r.Attempts) / float64(r.Open.Tasks) }

// With luck, the library is within 4 standard errors of references: SE² = sd²/ours + sd²/theirs, sd as observed here.
func TestLibraryWithinNoise(t *testing.T) {
	const back = 28 * time.Minute
	for _, row := range []struct {
		source, name, strategy, what string
		observed                     func(*sim.Result) float64
		want, unit                   float64 // the unit it was rounded to
		seeds                        float64 // of the reference; 0 for a closed form
		replicates                   int
		set                          string
	}{
		{"C3'", "reconnect-10k", "full-jitter", "last success", lastFrom(0), 148.5, 0.1, 10, 10, ""},
		{"C3'", "reconnect-10k", "full-jitter", "attempts", attempts, 39804, 1, 10, 10, ""},
		{"C3'", "reconnect-10k", "full-jitter", "wasted", wasted, 29804, 1, 10, 10, ""},
		{"C4'", "reconnect-10k", "spread-start", "last success", lastFrom(0), 10.14, 0.01, 10, 10, ""},
		{"C4'", "reconnect-10k", "spread-start", "busiest second", peakFrom(0), 1055.7, 0.1, 10, 10, "window=1s"},
		{"B3", "long-outage", "full-jitter", "last success", lastFrom(0), 118.19, 0.01, 100, 20, ""},
		{"B3", "long-outage", "full-jitter", "attempts", attempts, 8634.2, 0.1, 100, 20, ""},
		{"B3", "long-outage", "full-jitter", "busiest second after the recovery", peakFrom(time.Minute), 37.2, 0.1, 100, 20, "window=1s"},
		{"incident 11", "jitter-lost-at-cap", "jitter-then-clamp", "peak after the recovery", peakFrom(back), 413, 1, 1, 6, ""},
		{"incident 11", "jitter-lost-at-cap", "clamp-then-jitter", "peak after the recovery", peakFrom(back), 228, 1, 1, 6, ""},
		{"incident 11", "jitter-lost-at-cap", "fifteen-to-thirty", "peak after the recovery", peakFrom(back), 27, 1, 1, 6, ""},
		{"incident 11", "jitter-lost-at-cap", "jitter-then-clamp", "last success", lastFrom(back), 676, 1, 1, 6, ""},
		{"incident 11", "jitter-lost-at-cap", "clamp-then-jitter", "last success", lastFrom(back), 469, 1, 1, 6, ""},
		{"incident 11", "jitter-lost-at-cap", "fifteen-to-thirty", "last success", lastFrom(back), 1792, 1, 1, 6, ""},
		{"B-h, n = 8", "http-client", "full-jitter-8-retries", "dead letters", dead, 6.199, 0, 0, 30, "downstream.outages[0].mode=refuse"},
		{"Irwin-Hall: waits below 1, 2, 4, 8, 16 s that sum to less than 30 s - 5 x 2 s", "http-client", "full-jitter", "dead letters", dead,
			1000 * sumBelow(20, 1, 2, 4, 8, 16), 0, 0, 30, ""},
		{"rand(30) + 15 s, half of which is below 30 s", "sidekiq-outage", "unpolled-6", "refused", unavailable, 5000 + 2500, 0, 0, 10, ""},
		{"a quarter of all in 100 ms, and the largest of four", "grpc-reconnect", "grpc-java", "peak of the retries", peakFrom(500 * time.Millisecond), 2500 + 50*1.0294, 0, 0, 20, ""},
		{"whole seconds 0..180 and 0..360 that sum to less than 300", "celery-retry", "halved", "dead letters", dead, 2000 * 38_010 / (181. * 361), 0, 0, 20, ""},
		{"sums of 0..1, 0..2 and 0..4 that are 1: 1/2 + 1/3 + 1/10", "celery-retry", "autoretry", "requests at 1 s", peakFrom(time.Second), 2000 * (1/2. + 1/3. + 1/10.), 0, 0, 10, ""},
		{"ten calls open them, a probe at 39 s + U[0, 30 s), and one more if that is before 60 s", "breaker-40-percent", "own-jitter", "attempts", attempts, 10_000 + 1_000 + 700, 0, 0, 20, ""},
		{"1 - exp(-1799 s / 1024 s) of 707 ask each second (incident 33)", "ntp-silence", "each-second", "requests in the last second of silence",
			requestsIn(3599*time.Second, 3600*time.Second), 707 * -math.Expm1(-1799./1024), 0, 0, 20, ""},
		{"10,000 / 120 s for 60 s (incident 10)", "agent-deploy", "as-proposed", "requests on the even middle",
			requestsIn(90*time.Second, 150*time.Second), 5000, 0, 0, 20, ""},
		{"10 a second of 10.5 ms (incident 14)", "mosquitto-10k", "10-a-second", "utilisation of its slot", busy, 0.105, 0, 0, 10, ""},
		{"A1: 1 - f^4", "budget-vs-breaker", "three-retries", "success", success, 0.9375, 0, 0, 10, ""},
		{"A1: 1 + f + f^2 + f^3", "budget-vs-breaker", "three-retries", "load", perCall, 1.875, 0, 0, 10, ""},
		{"A1: 1 - f^4", "budget-vs-breaker", "three-retries", "success", success, 0.9984, 0, 0, 10, "task.error_rate=20%"},
		{"A1: 1 + f + f^2 + f^3", "budget-vs-breaker", "three-retries", "load", perCall, 1.248, 0, 0, 10, "task.error_rate=20%"},
		{"overload.md 2.1", "budget-vs-breaker", "bucket", "success", success, 0.568, 0.001, 5, 10, ""},
		{"overload.md 2.1", "budget-vs-breaker", "bucket", "load", perCall, 1.142, 0.001, 5, 10, ""},
		{"overload.md 2.1", "budget-vs-breaker", "bucket", "success", success, 0.906, 0.001, 5, 10, "task.error_rate=20%"},
		{"overload.md 2.1", "budget-vs-breaker", "bucket", "load", perCall, 1.135, 0.001, 5, 10, "task.error_rate=20%"},
		{"overload.md 2.1", "budget-vs-breaker", "breaker", "success", success, 0.501, 0.001, 5, 10, ""},
		{"overload.md 2.1", "budget-vs-breaker", "breaker", "success", success, 0.926, 0.001, 5, 10, "task.error_rate=10%"},
		{"overload.md 2.1", "budget-vs-breaker", "breaker", "load", perCall, 1.031, 0.001, 5, 10, "task.error_rate=10%"},
		{"overload.md 2.1, 10 clients", "budget-vs-breaker", "bucket", "load", perCall, 1.107, 0.001, 1, 10, "arrivals={rate: 100/s, to: 60s, clients: 10}"},
		{"overload.md 2.1, 10 clients", "budget-vs-breaker", "bucket", "success", success, 0.546, 0.001, 1, 10, "arrivals={rate: 100/s, to: 60s, clients: 10}"},
		{"overload.md 2.1, 100 clients", "budget-vs-breaker", "bucket", "load", perCall, 1.169, 0.001, 1, 10, "arrivals={rate: 100/s, to: 60s, clients: 100}"},
		{"overload.md 1.5", "aws-occ", "no-backoff", "calls", attempts, 2422.3, 0.1, 1000, 40, ""},
		{"overload.md 1.5", "aws-occ", "no-backoff", "last success", lastFrom(0), 2.027, 0.001, 1000, 40, ""},
		{"overload.md 1.5", "aws-occ", "exponential", "calls", attempts, 1853.4, 0.1, 1000, 40, ""},
		{"overload.md 1.5", "aws-occ", "exponential", "last success", lastFrom(0), 63.412, 0.001, 1000, 40, ""},
		{"overload.md 1.5", "aws-occ", "equal-jitter", "calls", attempts, 812.5, 0.1, 1000, 40, ""},
		{"overload.md 1.5", "aws-occ", "equal-jitter", "last success", lastFrom(0), 6.601, 0.001, 1000, 40, ""},
		{"overload.md 1.5", "aws-occ", "full-jitter", "calls", attempts, 795.8, 0.1, 1000, 40, ""},
		{"overload.md 1.5", "aws-occ", "full-jitter", "last success", lastFrom(0), 4.932, 0.001, 1000, 40, ""},
		{"overload.md 1.5", "aws-occ", "decorrelated", "calls", attempts, 1003.5, 0.1, 1000, 40, ""},
		{"overload.md 1.5", "aws-occ", "decorrelated", "last success", lastFrom(0), 4.604, 0.001, 1000, 40, ""},
		{"overload.md 1.5, 200 clients", "aws-occ", "equal-jitter", "calls", attempts, 1872.4, 0.1, 1000, 20, "workers=200"},
		{"overload.md 1.5, 200 clients", "aws-occ", "full-jitter", "calls", attempts, 1890.2, 0.1, 1000, 20, "workers=200"},
		{"overload.md 1.5, 200 clients", "aws-occ", "decorrelated", "calls", attempts, 2609.2, 0.1, 1000, 20, "workers=200"},
		{"overload.md 2.2", "serial-clients", "backoff", "calls", attempts, 8247, 1, 1, 20, ""},
		{"overload.md 2.2, open", "serial-clients", "at-once", "calls", attempts, 18_787, 1, 1, 20, "clients=null & arrivals={rate: 1000/s}"},
		{"overload.md 2.2, open", "serial-clients", "backoff", "calls", attempts, 18_562, 1, 1, 20, "clients=null & arrivals={rate: 1000/s}"},
		{"overload.md 1.5, fact 7", "aws-occ", "one-second", "calls", attempts, 376, 1, 1000, 40, ""},
	} {
		var set []string
		if row.set != "" {
			set = strings.Split(row.set, " & ")
		}
		mean, sd := observe(t, load(t, row.name, set...), row.strategy, row.replicates, row.observed)
		variance := sd * sd / float64(row.replicates)
		if row.seeds > 0 {
			variance += sd * sd / row.seeds
		}
		if tolerance := 4*math.Sqrt(variance) + row.unit/2; !(math.Abs(mean-row.want) <= tolerance) || sd == 0 {
			t.Errorf("%s: %s of %s: %s = %.2f, want %.2f within %.2f", row.source, row.strategy, row.name, row.what, mean, row.want, tolerance)
		}
	}
}

// sumBelow is the chance that independent U[0, d) for each d sum to less than x: the generalised Irwin-Hall law.
func sumBelow(x float64, ds ...float64) float64 {
	sum, scale := 0.0, 1.0
	for i, d := range ds {
		scale *= d * float64(i+1)
	}
	for subset := range 1 << len(ds) {
		rest, sign := x, 1.0
		for i, d := range ds {
			if subset>>i&1 == 1 {
				rest, sign = rest-d, -sign
			}
		}
		if rest > 0 {
			sum += sign * math.Pow(rest, float64(len(ds)))
		}
	}
	return sum / scale
}

// In the long run of an outage a client that waits 30 s x U[1, 2) asks once in 45 s (analytic.md section 5), one that
// waits 1 s once a second: 97.8 % less.
func TestRelistInTheLongRun(t *testing.T) {
	const from, to = 300 * time.Second, 600 * time.Second // the outage's second half, five waits after all reached the cap
	s := load(t, "relist-3k")
	rate := func(r *sim.Result) float64 {
		return requestsIn(from, to)(r) / float64(r.Herd.Tasks) / (to - from).Seconds()
	}
	run := func(strategy string) float64 {
		return rate(sim.Run(context.Background(), s.Config(entry(t, s, strategy), 1)))
	}
	fixed, backoff := run("fixed"), run("client-go")
	if fixed != 1 {
		t.Errorf("fixed asks %v times a second, want 1", fixed)
	}
	if math.Abs(backoff*45-1) > 0.01 {
		t.Errorf("client-go asks %v times a second, want 1/45 within 1 %%", backoff)
	}
}
