package guards

import (
	"time"

	"herdsim/strategies"
)

// A Preset is a guard as a real client has it.
type Preset struct {
	Key    string // the kind of guard, as in a scenario: "breaker"
	Name   string // "gobreaker"
	Source string // where its numbers come from
	Maker  Maker
}

// openFor is an open time that is always the same.
func openFor(d time.Duration) strategies.Exponential {
	return strategies.Exponential{Base: d, Factor: 1}
}

// Presets returns all presets, by kind of guard.
func Presets() []Preset { return append(budgetPresets(), breakerPresets()...) }

func budgetPresets() []Preset {
	return []Preset{
		{"retry-throttling", "grpc", "gRFC A6, its example; gRPC throttles only if the service config says so", &RetryThrottling{MaxTokens: 10, TokenRatio: 0.1}},
		{"retry-quota", "aws", "aws-sdk-go-v2 v1.48.0, standard mode", &RetryQuota{Capacity: 500, RetryCost: 14, ThrottleCost: 5, TimeoutCost: 14, FirstSuccess: 1}},
		{"retry-quota", "aws-legacy", "aws-sdk-go-v2 up to v1.47, standard mode", &RetryQuota{Capacity: 500, RetryCost: 5, ThrottleCost: 5, TimeoutCost: 10, FirstSuccess: 1}},
		{"retry-budget", "finagle", "Finagle 24.5, RetryBudget()", &RetryBudget{TTL: 10 * time.Second, MinPerSecond: 10, Ratio: 0.2, Scale: 1000}},
		{"retry-budget", "linkerd", "Linkerd ServiceProfile, on tower's TpsBudget", &RetryBudget{TTL: 10 * time.Second, MinPerSecond: 10, Ratio: 0.2, Scale: 1}},
		{"concurrent-retries", "envoy", "Envoy, max_retries, which holds unless a retry budget is configured", &ConcurrentRetries{Min: 3}},
		{"concurrent-retries", "envoy-budget", "Envoy, retry_budget with its defaults", &ConcurrentRetries{Share: 0.2, Min: 3}},
		{"concurrent-retries", "envoy-budget-sent", "Envoy, retry_budget as reported in #30205", &ConcurrentRetries{Share: 0.2, Min: 3, Charge: ChargeSent}},
		{"concurrent-retries", "failsafe-go", "failsafe-go 0.9.8, budget", &ConcurrentRetries{Share: 0.2, Min: 3, Charge: CheckSent, Above: true}},
		{"retry-tokens", "brooker", "Brooker 2022, adaptive", &RetryTokens{Capacity: 5, Deposit: 0.1}},
		{"retry-breaker", "brooker", "Brooker 2022, circuit breaker", &RetryBreaker{Ratio: 0.1}},
		{"throttle", "sre-book", "SRE book, chapter 21", &Throttle{K: 2, Window: 2 * time.Minute, Buckets: 24}},
		{"throttle", "go-zero", "go-zero, core/breaker", &Throttle{K: 1.5, Window: 10 * time.Second, Buckets: 40}},
		{"adaptive-rate", "aws", "AWS SDKs, adaptive mode, as in botocore 1.43.67", &AdaptiveRate{Bucket: 500 * time.Millisecond, Smooth: 0.8, Beta: 0.7, Scale: 0.4, MinRate: 0.5, MinCapacity: 1}},
		{"token-bucket", "client-go", "client-go v0.37.2, DefaultTypedControllerRateLimiter", &TokenBucket{Tokens: 10, Per: time.Second, Burst: 100}},
	}
}

func breakerPresets() []Preset {
	return []Preset{
		{"breaker", "gobreaker", "sony/gobreaker v2.4.0: opens at the sixth failure in a row", &Breaker{
			Consecutive: 6, OpenFor: openFor(time.Minute), Strict: true, Probes: 1, ProbeFailures: 1,
		}},
		{"breaker", "resilience4j", "resilience4j 2.4.0: the last 100 calls, ten probes that are judged together", &Breaker{
			Ratio: 0.5, Calls: 100, MinCalls: 100, AfterSuccess: true, OpenFor: openFor(time.Minute), Strict: true,
			Probes: 10, ProbeFailures: 5, Together: true,
		}},
		{"breaker", "hystrix", "Hystrix 1.5: 10 s in ten buckets, looked at every 500 ms", &Breaker{
			Ratio: 0.5, Window: 10 * time.Second, Buckets: 10, MinCalls: 20, CheckEvery: 500 * time.Millisecond,
			OpenFor: openFor(5 * time.Second), Strict: true, Probes: 1, ProbeFailures: 1,
		}},
		{"breaker", "polly", "Polly 8", &Breaker{
			Ratio: 0.1, Window: 30 * time.Second, Buckets: 10, MinCalls: 100, OpenFor: openFor(5 * time.Second),
			Probes: 1, ProbeFailures: 1, InFlight: true,
		}},
		{"breaker", "failsafe-go", "failsafe-go 0.9.8: the first failure opens it, a late result decides as a probe does", &Breaker{
			Consecutive: 1, OpenFor: openFor(time.Minute), Probes: 1, ProbeFailures: 1, InFlight: true, CountStale: true,
		}},
		{"breaker", "opossum", "opossum 10: more than half of 10 s", &Breaker{
			Ratio: 0.5, Above: true, Window: 10 * time.Second, Buckets: 10, OpenFor: openFor(30 * time.Second),
			Probes: 1, ProbeFailures: 1, InFlight: true,
		}},
		{"breaker", "linkerd", "linkerd2-proxy, consecutive failure accrual: the jitter is lost at the cap", &Breaker{
			Consecutive: 7, Probes: 1, ProbeFailures: 1, InFlight: true,
			OpenFor: strategies.Exponential{
				Base: time.Second, Factor: 2, Cap: time.Minute, Clamp: strategies.ClampAfter,
				Jitter: strategies.Jitter{Kind: strategies.JitterAbove, Share: 0.5},
			},
		}},
		{"breaker", "finagle", "Finagle 24.5, failure accrual: five in a row, or more than 20 % of 30 s", &Breaker{
			Consecutive: 5, Ratio: 0.2, Above: true, Window: 30 * time.Second, Buckets: 10, MinCalls: 5,
			Probes: 1, ProbeFailures: 1, InFlight: true,
			OpenFor: strategies.Exponential{
				Base: 5 * time.Second, Factor: 2, Cap: 5 * time.Minute, Clamp: strategies.ClampAfter,
				Jitter: strategies.Jitter{Kind: strategies.JitterEqual},
				First:  strategies.Exact{Is: true, Wait: 5 * time.Second},
			},
		}},
		{"breaker", "40-percent", "the one that teams write: 40 % of 30 s failed", &Breaker{
			Ratio: 0.4, Window: 30 * time.Second, Buckets: 10, MinCalls: 10, OpenFor: openFor(30 * time.Second),
			Probes: 1, ProbeFailures: 1, InFlight: true,
		}},
	}
}
