package strategies_test

import (
	"math"
	"testing"
	"time"

	"herdsim/strategies"
)

// TestOverflowReports runs the inputs of public bug reports in which a wait became negative or zero at high retry
// numbers. Where a report names no base or cap, the library's own default is taken. Whatever the jitter, want is the
// longest wait, and no wait may be shorter than the shortest.
func TestOverflowReports(t *testing.T) {
	const jsTimer = math.MaxInt32 * ms // the longest that setTimeout takes
	doubling := func(base, most time.Duration) strategies.Strategy {
		return strategies.Exponential{Base: base, Factor: 2, Cap: most}
	}
	for _, row := range []struct {
		name           string
		s              strategies.Strategy
		retry          int
		shortest, want time.Duration
	}{
		{"kubernetes/kubernetes#31396: 5,000 failures of an item", doubling(5*ms, 1000*second), 5000, 1000 * second, 1000 * second},
		{"kubernetes/kubernetes#31396: factor 10", strategies.Exponential{Base: ms, Factor: 10, Cap: 1000 * second}, 5000,
			1000 * second, 1000 * second},
		{"avast/retry-go#30: retry 34 of base 1s", doubling(second, 0), 34, second << 33, second << 33},
		{"avast/retry-go#30: retry 35 of base 1s", doubling(second, 0), 35, math.MaxInt64, math.MaxInt64},
		{"App-vNext/Polly#2163: attempt 1024 with jitter", strategies.Exponential{Base: 2 * second, Factor: 2, Jitter: around(0.25)}, 1025,
			math.MaxInt64 / 4 * 3, math.MaxInt64},
		{"App-vNext/Polly#2163: attempt 1024 of its own strategy", strategies.DecorrelatedV2{Base: 2 * second}, 1025,
			math.MaxInt64, math.MaxInt64},
		{"App-vNext/Polly#2163: with a MaxDelay", strategies.DecorrelatedV2{Base: 2 * second, Cap: time.Minute}, 1025, time.Minute, time.Minute},
		{"Polly-Contrib/Polly.Contrib.WaitAndRetry#24: retry 50 of seed 1s", strategies.DecorrelatedV2{Base: second}, 50,
			math.MaxInt64, math.MaxInt64},
		{"carlescere/goback#5: attempt 36 of 100ms up to 1s", doubling(100*ms, second), 36, second, second},
		{"google/dart-neats#46: attempt 64", strategies.Exponential{Base: 400 * ms, Factor: 2, Cap: 30 * second, Jitter: around(0.25)}, 64,
			22500 * ms, 37500 * ms},
		{"Netflix/titus-control-plane#486: retry 31", doubling(100*ms, time.Minute), 31, time.Minute, time.Minute},
		{"yigit/android-priority-jobqueue#419: a long-lived job", doubling(ms, time.Hour), 1000, time.Hour, time.Hour},
		{"scylladb/latte#208: attempt 64 with jitter", strategies.FullJitter{Base: 100 * ms, Factor: 2, Cap: 5 * second}, 64, 0, 5 * second},
		{"envoyproxy/envoy#10417: 32 retries of base 1ms, no max", doubling(ms, math.MaxInt64), 33, ms << 32, ms << 32},
		{"envoyproxy/envoy#10417: with jitter", strategies.FullJitter{Base: ms, Factor: 2, Cap: math.MaxInt64}, 33, 0, ms << 32},
		{"redis/redis-py#4320: 1024 failures, base 0.1, cap 3", doubling(100*ms, 3*second), 1024, 3 * second, 3 * second},
		{"anthropics/anthropic-sdk-python#1760: attempt 1024, cap 60", doubling(500*ms, time.Minute), 1025, time.Minute, time.Minute},
		{"marin-community/marin#2868: attempt 2,000", doubling(second, time.Minute), 2000, time.Minute, time.Minute},
		{"zenml-io/zenml#5265: attempt 100,000", doubling(second, time.Minute), 100_000, time.Minute, time.Minute},
		{"codingjoe/threadmill#47: attempt 47 of 1s up to 1h", doubling(second, time.Hour), 47, time.Hour, time.Hour},
		{"fluent/fluent-logger-forward-node#44: beyond 2^31-1 ms", doubling(second, jsTimer), 40, jsTimer, jsTimer},
		{"pathosDev/actor-ts#771: factor 10, 1000ms, attempt 8", strategies.Exponential{Base: second, Factor: 10, Cap: jsTimer}, 9,
			jsTimer, jsTimer},
		{"reactor/reactor-addons#282: the longest cap with jitter", strategies.Exponential{Base: 100 * ms, Factor: 2, Cap: math.MaxInt64,
			Jitter: around(0.5)}, 200, math.MaxInt64 / 2, math.MaxInt64},
		{"thomhurst/Dekaf#3068: attempt 65", doubling(100*ms, second), 65, second, second},
		{"open-telemetry/opentelemetry-collector-contrib#46178: a high attempt", doubling(100*ms, time.Minute), 1_000_000,
			time.Minute, time.Minute},
		{"IBM/sarama NewExponentialBackoff: 38 retries of 100ms up to 1s", doubling(100*ms, second), 38, second, second},
		{"IBM/sarama NewExponentialBackoff: 64 retries", doubling(100*ms, second), 64, second, second},
		{"k8s wait.Backoff: step 34 of 1s without a cap", doubling(second, 0), 35, math.MaxInt64, math.MaxInt64},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := wait(t, row.s, row.retry, top); !near(got, row.want) {
				t.Errorf("longest Wait(retry %d) = %v, want %v", row.retry, got, row.want)
			}
			if got := wait(t, row.s, row.retry, 0); !near(got, row.shortest) {
				t.Errorf("shortest Wait(retry %d) = %v, want %v", row.retry, got, row.shortest)
			}
		})
	}
}

// near allows for the last digits of a float.
func near(got, want time.Duration) bool {
	return math.Abs(float64(got)-float64(want)) <= 1e-15*float64(want)
}

// TestMaxIntervalOfMaxInt64 is the report on cenkalti/backoff v4: with MaxInterval = MaxInt64 and no limit on elapsed
// time, 1,004 of 2,000 delays were negative.
func TestMaxIntervalOfMaxInt64(t *testing.T) {
	s := strategies.Exponential{Base: 500 * ms, Factor: 1.5, Cap: math.MaxInt64, Jitter: around(0.5)}
	last := time.Duration(0)
	for retry := 1; retry <= 2000; retry++ {
		shortest, longest := wait(t, s, retry, 0), wait(t, s, retry, top)
		if shortest < 250*ms || longest < shortest || longest < last {
			t.Fatalf("retry %d waits %d to %d after at most %d", retry, shortest, longest, last)
		}
		last = longest
	}
}

// TestJitterReports runs the inputs of public reports of jitter that is missing or lost: what share of the workers
// meets at the cap, and between which bounds the others lie.
func TestJitterReports(t *testing.T) {
	grpc := func(j strategies.Jitter) strategies.Strategy {
		return strategies.Exponential{Base: second, Factor: 1.6, Cap: 120 * second, Jitter: j}
	}
	tenacity := strategies.Exponential{Base: second, Factor: 2, Cap: 10 * second, Jitter: added(second), Clamp: strategies.ClampAfter}
	spread := tenacity
	spread.Clamp = strategies.ClampBefore
	legacy := strategies.Exponential{Base: second, Factor: 2, Cap: 20 * second, FirstExponent: 1}
	retryIn := strategies.Polynomial{Base: second, Jitter: added(10 * second), Rising: strategies.RisingWidth, Rounding: strategies.Rounding{Grain: second}}
	rails := strategies.Polynomial{Base: 2 * second, Unit: second, Power: 4, Origin: 1}
	railsJittered := rails
	railsJittered.Jitter = above(0.15)
	nats := strategies.Fixed{Delay: 2 * second, Jitter: added(100 * ms), Sweep: 3}
	spring := strategies.Exponential{Base: 50 * ms, Factor: 2, Cap: 3 * second, Jitter: above(1), Clamp: strategies.ClampBoth}
	for _, row := range []struct {
		name     string
		s        strategies.Strategy
		retry    int
		min, max time.Duration
		atCap    float64
	}{
		{"aws/aws-sdk-go-v2#3091: as reported, no jitter from attempt 5", legacy, 5, 20 * second, 20 * second, 1},
		{"aws/aws-sdk-go-v2#3091: as it should be", strategies.FullJitter{Base: second, Factor: 2, Cap: 20 * second, FirstExponent: 1}, 5,
			0, 20 * second, 0},
		{"aws/aws-sdk-go#669: +3% of jitter", strategies.Exponential{Base: second, Factor: 2, Jitter: above(0.03)}, 4,
			8 * second, 8240 * ms, 0},
		{"aws/aws-sdk-go#669: full jitter", strategies.FullJitter{Base: second, Factor: 2}, 4, 0, 8 * second, 0},
		{"jd/tenacity#703: as reported, one value from attempt 5", tenacity, 5, 10 * second, 10 * second, 1},
		{"jd/tenacity#703: as it should be", spread, 5, 10 * second, 11 * second, 0},
		{"kubernetes/kubernetes#87915: crash loops, unjittered", strategies.Exponential{Base: 10 * second, Factor: 2, Cap: 300 * second}, 6,
			300 * second, 300 * second, 1},
		{"grpc/proposal#452: as reported, close to 0", strategies.FullJitter{Base: 100 * ms, Factor: 2, Cap: second}, 1, 0, 100 * ms, 0},
		{"grpc/proposal#452: as it should be", strategies.Exponential{Base: 100 * ms, Factor: 2, Cap: second, Jitter: around(0.2)}, 1,
			80 * ms, 120 * ms, 0},
		{"grpc/grpc#1633: connection backoff without jitter", grpc(strategies.Jitter{}), 12, 120 * second, 120 * second, 1},
		{"grpc/grpc#1633: with 20 %", grpc(around(0.2)), 12, 96 * second, 144 * second, 0},
		{"grpc-go first reconnect: 0.8 to 1.2 s", grpc(around(0.2)), 1, 800 * ms, 1200 * ms, 0},
		{"nats-io/nats.go#563: reconnect with 100 ms", strategies.Fixed{Delay: 2 * second, Jitter: added(100 * ms)}, 1,
			2 * second, 2100 * ms, 0},
		{"sidekiq/sidekiq#5324, #6990: retry_in 1 s, first: 1 to 10", retryIn, 1, second, 10 * second, 0},
		{"sidekiq/sidekiq#5324, #6990: retry_in 1 s, second: 1 to 20", retryIn, 2, second, 20 * second, 0},
		{"sidekiq/sidekiq#5324, #6990: retry_in 1 s, third: 1 to 30", retryIn, 3, second, 30 * second, 0},
		{"rails/rails#31872: as reported, 4th execution is 4^4 + 2", rails, 4, 258 * second, 258 * second, 0},
		{"rails/rails#31872: as it should be, spread by 15 %", railsJittered, 4, 258 * second, 296700 * ms, 0},
		{"nats-io/nats.java#1586: as reported, no jitter within a pool of 3", nats, 2, 0, 0, 0},
		{"nats-io/nats.java#1586: jitter at the end of the pool", nats, 3, 2 * second, 2100 * ms, 0},
		{"spring-attic/spring-retry#126: clipped at 3 s, and the jitter lost", spring, 8, 3 * second, 3 * second, 1},
		{"frain-dev/convoy#2829: 5 s of jitter, not above the longest", strategies.Exponential{Base: 10 * second, Factor: 2, Cap: time.Minute,
			Jitter: added(5 * second), Clamp: strategies.ClampAfter}, 9, time.Minute, time.Minute, 1},
		{"urllib3/urllib3#3677: backoff factor 0, ten immediate retries", strategies.Exponential{Factor: 2}, 10, 0, 0, 0},
		{"softonic/axios-retry#243: default delay 0", strategies.Immediate{}, 3, 0, 0, 0},
		{"softonic/axios-retry#106: exponential starts at 200 ms", strategies.Exponential{Base: 100 * ms, Factor: 2, FirstExponent: 1,
			Jitter: above(0.2)}, 1, 200 * ms, 240 * ms, 0},
		{"Finagle exponentialJittered: jitter at the cap too", strategies.FullJitter{Base: second, Factor: 2, Cap: 32 * second}, 20,
			0, 32 * second, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := strategies.Describe(row.s, row.retry)[row.retry-1]
			if got.Min != row.min || got.Max != row.max || got.AtCapShare != row.atCap {
				t.Errorf("retry %d: %v to %v, %v at the cap, want %v to %v, %v",
					row.retry, got.Min, got.Max, got.AtCapShare, row.min, row.max, row.atCap)
			}
		})
	}
}

// TestCapReports: reports of a cap that did not hold, or that set in too early.
func TestCapReports(t *testing.T) {
	agenda := strategies.Exponential{Base: 100 * ms, Factor: 2, Cap: 500 * ms, Jitter: around(0.5), Clamp: strategies.ClampBoth}
	if got := wait(t, agenda, 10, top); got != 500*ms {
		t.Errorf("agenda/agenda#1748: up to %v, want 500ms", got)
	}
	cenkalti := strategies.Exponential{Base: 800 * ms, Factor: 1.5, Cap: 1200 * ms, Jitter: around(0.5)}
	if got := wait(t, cenkalti, 2, top); got != 1800*ms {
		t.Errorf("cenkalti/backoff#117: up to %v, want 1.8s as documented", got)
	}
	spring := strategies.Exponential{Base: 3 * second, Factor: 2, Cap: 30 * second}
	for i, want := range []time.Duration{3, 6, 12, 24, 30, 30} {
		if got := wait(t, spring, i+1, 0.5); got != want*second {
			t.Errorf("spring-attic/spring-retry#425: retry %d waits %v, want %v", i+1, got, want*second)
		}
	}
	temporal := strategies.Exponential{Base: 200 * ms, Factor: 2, Cap: time.Hour}
	for i, want := range []time.Duration{200, 400, 800} {
		if got := wait(t, temporal, i+1, 0.5); got != want*ms {
			t.Errorf("temporalio/temporal#1675: retry %d waits %v, want %v", i+1, got, want*ms)
		}
	}
	urllib3 := strategies.Exponential{Base: 100 * ms, Factor: 2, First: exactly(0)}
	for i, want := range []time.Duration{0, 200, 400} {
		if got := wait(t, urllib3, i+1, 0.5); got != want*ms {
			t.Errorf("urllib3/urllib3#847: retry %d waits %v, want %v as documented", i+1, got, want*ms)
		}
	}
	endless := strategies.Exponential{Base: second, Factor: 2, Cap: time.Minute}
	if got := wait(t, endless, math.MaxInt32, 0.5); got != time.Minute {
		t.Errorf("kubernetes/kubernetes#131122: %v after the cap, want 1m for ever", got)
	}
}
