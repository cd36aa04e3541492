package scenarios

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"herdsim/downstream"
	"herdsim/strategies/guards"
)

// A fileGuard has one of the guards and no other.
type fileGuard struct {
	Name              string                 `json:"name"`
	RetryThrottling   *fileRetryThrottling   `json:"retry-throttling,omitempty"`
	RetryQuota        *fileRetryQuota        `json:"retry-quota,omitempty"`
	RetryBudget       *fileRetryBudget       `json:"retry-budget,omitempty"`
	ConcurrentRetries *fileConcurrentRetries `json:"concurrent-retries,omitempty"`
	RetryTokens       *fileRetryTokens       `json:"retry-tokens,omitempty"`
	RetryBreaker      *fileRetryBreaker      `json:"retry-breaker,omitempty"`
	Breaker           *fileBreaker           `json:"breaker,omitempty"`
	Throttle          *fileThrottle          `json:"throttle,omitempty"`
	AdaptiveRate      *fileAdaptiveRate      `json:"adaptive-rate,omitempty"`
	ConcurrencyLimit  *fileConcurrencyLimit  `json:"concurrency-limit,omitempty"`
	TokenBucket       *fileTokenBucket       `json:"token-bucket,omitempty"`
	Scope             wordText               `json:"scope"`
}

type fileRetryThrottling struct {
	MaxTokens  float64 `json:"max_tokens"`
	TokenRatio float64 `json:"token_ratio"`
}

type fileRetryQuota struct {
	Capacity     uint64 `json:"capacity"`
	RetryCost    uint64 `json:"retry_cost"`
	ThrottleCost uint64 `json:"throttle_cost"`
	TimeoutCost  uint64 `json:"timeout_cost"`
	FirstSuccess uint64 `json:"first_success"`
}

type fileRetryBudget struct {
	TTL          durationText `json:"ttl"`
	MinPerSecond float64      `json:"min_per_second"`
	Ratio        shareText    `json:"ratio"`
	Scale        uint64       `json:"scale"`
}

type fileConcurrentRetries struct {
	Share  shareText `json:"share"`
	Min    uint64    `json:"min"`
	Charge wordText  `json:"charge"`
	Above  bool      `json:"above"`
}

type fileRetryTokens struct {
	Capacity float64 `json:"capacity"`
	Deposit  float64 `json:"deposit"`
}

type fileRetryBreaker struct {
	Ratio shareText `json:"ratio"`
}

type fileBreaker struct {
	Consecutive   uint64       `json:"consecutive"`
	Ratio         shareText    `json:"ratio"`
	Above         bool         `json:"above"`
	Calls         uint64       `json:"calls"`
	Window        durationText `json:"window"`
	Buckets       uint64       `json:"buckets"`
	MinCalls      uint64       `json:"min_calls"`
	AfterSuccess  bool         `json:"after_success"`
	CheckEvery    durationText `json:"check_every"`
	OpenFor       durationText `json:"open_for"`
	Factor        float64      `json:"factor"`
	Cap           durationText `json:"cap"`
	Jitter        jitterText   `json:"jitter"`
	Clamp         wordText     `json:"clamp"`
	First         durationText `json:"first,omitempty"`
	Strict        bool         `json:"strict"`
	Probes        uint64       `json:"probes"`
	ProbeFailures uint64       `json:"probe_failures"`
	InFlight      bool         `json:"in_flight"`
	Together      bool         `json:"together"`
	MaxHalfOpen   durationText `json:"max_half_open"`
	Stale         wordText     `json:"stale"`
}

type fileThrottle struct {
	K       float64      `json:"k"`
	Window  durationText `json:"window"`
	Buckets uint64       `json:"buckets"`
}

type fileAdaptiveRate struct {
	Bucket      durationText `json:"bucket"`
	Smooth      float64      `json:"smooth"`
	Beta        float64      `json:"beta"`
	Scale       float64      `json:"scale"`
	MinRate     float64      `json:"min_rate"`
	MinCapacity float64      `json:"min_capacity"`
}

type fileConcurrencyLimit struct {
	Limit uint64 `json:"limit"`
}

type fileTokenBucket struct {
	Rate  rateText `json:"rate"`
	Burst uint64   `json:"burst"`
	Of    wordText `json:"of"`
}

// encodeGuards writes guards with every field.
func encodeGuards(specs []guards.Spec) []fileGuard {
	out := []fileGuard{}
	for _, s := range specs {
		f := fileGuard{Name: s.Name, Scope: perWorker}
		if s.Shared {
			f.Scope = shared
		}
		encodeGuard(&f, s.Maker)
		out = append(out, f)
	}
	return out
}

// encodeGuard writes a guard under its key.
func encodeGuard(f *fileGuard, m guards.Maker) {
	switch g := m.(type) {
	case *guards.RetryThrottling:
		f.RetryThrottling = &fileRetryThrottling{g.MaxTokens, g.TokenRatio}
	case *guards.RetryQuota:
		f.RetryQuota = &fileRetryQuota{
			uint64(g.Capacity), uint64(g.RetryCost), uint64(g.ThrottleCost), uint64(g.TimeoutCost), uint64(g.FirstSuccess),
		}
	case *guards.RetryBudget:
		f.RetryBudget = &fileRetryBudget{encodeDuration(g.TTL), g.MinPerSecond, encodeShare(g.Ratio), uint64(g.Scale)}
	case *guards.ConcurrentRetries:
		charge := findGuard("concurrent-retries").field("charge").Words[g.Charge]
		f.ConcurrentRetries = &fileConcurrentRetries{encodeShare(g.Share), uint64(g.Min), wordText(charge), g.Above}
	case *guards.RetryTokens:
		f.RetryTokens = &fileRetryTokens{g.Capacity, g.Deposit}
	case *guards.RetryBreaker:
		f.RetryBreaker = &fileRetryBreaker{encodeShare(g.Ratio)}
	case *guards.Breaker:
		f.Breaker = encodeBreaker(g)
	case *guards.Throttle:
		f.Throttle = &fileThrottle{g.K, encodeDuration(g.Window), uint64(g.Buckets)}
	case *guards.AdaptiveRate:
		f.AdaptiveRate = &fileAdaptiveRate{encodeDuration(g.Bucket), g.Smooth, g.Beta, g.Scale, g.MinRate, g.MinCapacity}
	case *guards.ConcurrencyLimit:
		f.ConcurrencyLimit = &fileConcurrencyLimit{uint64(g.Limit)}
	case *guards.TokenBucket:
		f.TokenBucket = &fileTokenBucket{rateText(formatRate(downstream.Rate{Events: g.Tokens, Per: g.Per})), uint64(g.Burst), "retries"}
		if g.All {
			f.TokenBucket.Of = "all"
		}
	default:
		panic(fmt.Sprintf("scenarios: the guard %T has no form in a file", m))
	}
}

// encodeBreaker writes a breaker. A window that it does not use is written as the default.
func encodeBreaker(g *guards.Breaker) *fileBreaker {
	f := &fileBreaker{
		Consecutive: uint64(g.Consecutive), Ratio: encodeShare(g.Ratio), Above: g.Above, Calls: uint64(g.Calls),
		Window: encodeOptional(g.Window), Buckets: uint64(g.Buckets), MinCalls: uint64(g.MinCalls), AfterSuccess: g.AfterSuccess, CheckEvery: encodeOptional(g.CheckEvery),
		OpenFor: encodeDuration(g.OpenFor.Base), Factor: g.OpenFor.Factor, Cap: encodeOptional(g.OpenFor.Cap),
		Jitter: encodeJitter(g.OpenFor.Jitter), Clamp: encodeClamp(g.OpenFor.Clamp), First: encodeExact(g.OpenFor.First), Strict: g.Strict,
		Probes: uint64(g.Probes), ProbeFailures: uint64(g.ProbeFailures), InFlight: g.InFlight, Together: g.Together,
		MaxHalfOpen: encodeOptional(g.MaxHalfOpen), Stale: "ignore",
	}
	if g.CountStale {
		f.Stale = "count"
	}
	if g.Calls == 0 {
		f.Calls = 100
	}
	if g.Buckets == 0 {
		f.Buckets = 10
	}
	return f
}

func encodeShare(x float64) shareText { return shareText(formatShare(x)) }

// written returns the key of a guard, and its fields as they are written.
func written(m guards.Maker) (key string, fields any) {
	var f fileGuard
	encodeGuard(&f, m)
	v := reflect.ValueOf(f)
	for i := range v.NumField() {
		if p := v.Field(i); p.Kind() == reflect.Pointer && !p.IsNil() {
			key, _, _ = strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			return key, p.Interface()
		}
	}
	panic(fmt.Sprintf("scenarios: the guard %T has no fields", m))
}

func findGuardOf(m guards.Maker) *knownGuard {
	key, _ := written(m)
	return findGuard(key)
}

// encodeGuardFields returns the fields of a guard as JSON.
func encodeGuardFields(m guards.Maker) []byte {
	_, fields := written(m)
	text, err := json.Marshal(fields)
	if err != nil {
		panic("scenarios: " + err.Error())
	}
	return text
}

func (k *knownGuard) field(key string) *Field {
	for i := range k.Fields {
		if k.Fields[i].Key == key {
			return &k.Fields[i]
		}
	}
	return nil
}
