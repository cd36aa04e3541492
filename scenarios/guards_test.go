package scenarios

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"herdsim/strategies"
	"herdsim/strategies/guards"
)

// drawGuards draws up to three guards with any parameters.
func drawGuards(t *rapid.T, name string) []guards.Spec {
	var specs []guards.Spec
	for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z][a-z ()-]{0,10}[a-z]`), 0, 3, rapid.ID).Draw(t, name) {
		if slices.Contains([]string{"null", "true", "false", "no", "on", "off", "yes"}, name) {
			continue
		}
		specs = append(specs, guards.Spec{Name: name, Maker: drawGuard(t), Shared: rapid.Bool().Draw(t, "shared")})
	}
	return specs
}

func drawGuard(t *rapid.T) guards.Maker {
	number := func(name string) float64 {
		return rapid.SampledFrom([]float64{1, 1.5, rapid.Float64Range(1, 1000).Draw(t, name)}).Draw(t, name)
	}
	count := func(name string) int64 { return rapid.Int64Range(1, 1000).Draw(t, name) }
	rate := drawRate(t)
	breaker := &guards.Breaker{
		Consecutive: int(count("consecutive")), Ratio: drawShare(t, "ratio"), Above: rapid.Bool().Draw(t, "above"), AfterSuccess: rapid.Bool().Draw(t, "after success"),
		Calls: int(count("calls")), Buckets: int(count("buckets")), MinCalls: int(count("min")),
		OpenFor: strategies.Exponential{
			Base: drawUpTo(t, "open", time.Microsecond, longest), Factor: number("factor"), Jitter: drawJitter(t),
			First: rapid.SampledFrom([]strategies.Exact{{}, {Is: true, Wait: time.Second}}).Draw(t, "first open"),
		},
		Strict:   rapid.Bool().Draw(t, "strict"),
		Probes:   1000,
		InFlight: rapid.Bool().Draw(t, "in flight"), Together: rapid.Bool().Draw(t, "together"),
		ProbeFailures: int(count("failures")), CountStale: rapid.Bool().Draw(t, "stale"),
	}
	if rapid.Bool().Draw(t, "in time") {
		breaker.Window, breaker.CheckEvery = drawUpTo(t, "window", time.Millisecond, 24*time.Hour), time.Second
		breaker.OpenFor.Cap, breaker.MaxHalfOpen = breaker.OpenFor.Base, breaker.OpenFor.Base
		breaker.OpenFor.Clamp = strategies.ClampAfter
	}
	return rapid.SampledFrom([]guards.Maker{
		breaker,
		&guards.RetryThrottling{MaxTokens: number("tokens"), TokenRatio: number("ratio")},
		&guards.RetryQuota{Capacity: count("capacity"), RetryCost: count("cost"), ThrottleCost: count("throttle"), TimeoutCost: count("timeout"), FirstSuccess: count("success")},
		&guards.RetryBudget{TTL: drawUpTo(t, "ttl", time.Millisecond, 24*time.Hour), MinPerSecond: number("rate"), Ratio: drawShare(t, "share"), Scale: count("scale")},
		&guards.ConcurrentRetries{Share: drawShare(t, "share"), Min: count("min"), Charge: rapid.SampledFrom([]guards.Charge{guards.ChargeDecided, guards.ChargeSent, guards.CheckSent}).Draw(t, "charge")},
		&guards.RetryTokens{Capacity: number("capacity"), Deposit: number("deposit")},
		&guards.RetryBreaker{Ratio: drawShare(t, "ratio")},
		&guards.Throttle{K: number("k"), Window: drawUpTo(t, "window", time.Millisecond, 24*time.Hour), Buckets: int(count("buckets"))},
		&guards.AdaptiveRate{Bucket: time.Second, Smooth: 0.8, Beta: 0.5, Scale: number("scale"), MinRate: number("rate"), MinCapacity: number("capacity")},
		&guards.ConcurrencyLimit{Limit: count("limit")},
		&guards.TokenBucket{Tokens: rate.Events, Per: rate.Per, Burst: count("burst"), All: rapid.Bool().Draw(t, "all")},
	}).Draw(t, "guard")
}

func guardsOf(t *testing.T, list string) []guards.Spec {
	t.Helper()
	s, err := Load(Request{Source: "dirac", Set: []string{"guards=" + list}})
	if err != nil {
		t.Fatalf("%s:\n%v", list, err)
	}
	for i, e := range s.Strategies {
		if !reflect.DeepEqual(e.Guards, s.Guards) || !reflect.DeepEqual(s.Config(i, 1).Guards, s.Guards) {
			t.Errorf("%s: %s has not the guards of the scenario", list, e.Name)
		}
	}
	return s.Guards
}

// A preset that a scenario names is the one of package guards.
func TestGuardPresets(t *testing.T) {
	for _, p := range guards.Presets() {
		for _, list := range []string{"[" + p.Key + ": " + p.Name + "]", "[" + p.Key + ": {preset: " + p.Name + "}]"} {
			got := guardsOf(t, list)
			if len(got) != 1 || got[0].Name != p.Key+"("+p.Name+")" {
				t.Fatalf("%s: %+v", list, got)
			}
			want := p.Maker
			if b, isBreaker := want.(*guards.Breaker); isBreaker { // of the two windows it uses one
				whole := *b
				if whole.Calls == 0 {
					whole.Calls = 100
				}
				if whole.Buckets == 0 {
					whole.Buckets = 10
				}
				want = &whole
			}
			if !reflect.DeepEqual(got[0].Maker, want) {
				t.Errorf("%s: %+v, want %+v", list, got[0].Maker, want)
			}
		}
	}
}

// What a scenario writes beside a preset holds instead of it; what it does not write is the preset's.
func TestGuardPresetIsOverridden(t *testing.T) {
	b := guardsOf(t, "[breaker: {preset: resilience4j, open_for: 5s}]")[0].Maker.(*guards.Breaker)
	if b.OpenFor.Base != 5*time.Second || b.Probes != 10 || b.Ratio != 0.5 {
		t.Errorf("%+v, want resilience4j with an open_for of 5s", b)
	}
}

// The defaults of the budgets are a preset's: gRPC's, AWS', Finagle's, Envoy's, Brooker's, the book's, client-go's.
func TestGuardDefaults(t *testing.T) {
	for key, preset := range map[string]string{
		"retry-throttling": "grpc", "retry-quota": "aws", "retry-budget": "finagle", "concurrent-retries": "envoy-budget", "retry-tokens": "brooker",
		"retry-breaker": "brooker", "throttle": "sre-book", "adaptive-rate": "aws", "token-bucket": "client-go",
	} {
		bare, named := guardsOf(t, "["+key+"]")[0], guardsOf(t, "["+key+": "+preset+"]")[0]
		if !reflect.DeepEqual(bare.Maker, named.Maker) || bare.Name != key {
			t.Errorf("%s: %+v, want the numbers of %s: %+v", bare.Name, bare.Maker, preset, named.Maker)
		}
	}
}

func TestGuardScope(t *testing.T) {
	for _, k := range Guards() {
		item := k.Key
		switch k.Key {
		case "breaker":
			item += ": gobreaker"
		case "concurrency-limit":
			item += ": {limit: 3}"
		}
		if got := guardsOf(t, "["+item+"]")[0].Shared; got != (k.Scope == "shared") {
			t.Errorf("%s: shared: %v, want the scope %s", k.Key, got, k.Scope)
		}
		for scope, want := range map[string]bool{"shared": true, "worker": false} {
			if got := guardsOf(t, "[{"+strings.TrimSuffix(item, ":")+map[bool]string{true: "", false: ": {}"}[strings.Contains(item, ":")]+", scope: "+scope+"}]")[0].Shared; got != want {
				t.Errorf("%s, scope %s: shared: %v", k.Key, scope, got)
			}
		}
	}
}

// An entry's own guards replace the scenario's, an empty list takes them away, and people are told.
func TestGuardsOfEntries(t *testing.T) {
	s, err := Load(Request{Source: "dirac", Set: []string{"guards=[retry-quota]"}, Strategies: []string{
		"paced", "fixed(name=a, guards=[])", "fixed(name=b, guards=[breaker: gobreaker, {throttle: sre-book, scope: worker}])", "fixed(name=c, guards=null)",
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"", "no guards", "breaker(gobreaker), throttle(sre-book) each", ""}
	for i, e := range s.Strategies {
		if got := s.Terms(e); got != want[i] {
			t.Errorf("%s: terms %q, want %q", e.Name, got, want[i])
		}
	}
}

// The structs that guards are written with have the keys of the registry, in the same order.
func TestGuardStructsHaveTheKeysOfTheRegistry(t *testing.T) {
	keys := func(typ reflect.Type) (keys []string) {
		for i := range typ.NumField() {
			key, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			keys = append(keys, key)
		}
		return keys
	}
	typ := reflect.TypeFor[fileGuard]()
	if got, want := keys(typ), slices.Concat([]string{"name"}, guardKeys(), []string{"scope"}); !slices.Equal(got, want) {
		t.Errorf("keys %v, want %v", got, want)
	}
	for i, k := range guardRegistry {
		if got := keys(typ.Field(i + 1).Type.Elem()); !slices.Equal(got, keyNames(k.Fields)) {
			t.Errorf("%s: keys %v, want %v", k.Key, got, keyNames(k.Fields))
		}
	}
}

// Two guards with one preset differ in the fields that replace the preset's, and those are told.
func TestOwnFieldsOfGuardsAreTold(t *testing.T) {
	for list, want := range map[string]string{
		"[{breaker: 40-percent, scope: worker}]":                          "breaker(40-percent) each",
		"[{breaker: {preset: 40-percent, jitter: 20%, open_for: 30s}}]":   "breaker(40-percent, jitter 20%)",
		"[{breaker: {preset: 40-percent, jitter: +100%}, scope: worker}]": "breaker(40-percent, jitter +100%) each",
		"[retry-quota]": "retry-quota",
		"[{concurrency-limit: {limit: 5}}, {throttle: {k: 3, window: 120s}}]": "concurrency-limit(limit 5), throttle(k 3)",
		"[{breaker: {consecutive: 5, open_for: 30s}, name: mine}]":            "mine",
	} {
		if got := spokenGuards(guardsOf(t, list)); got != want {
			t.Errorf("%s: %q, want %q", list, got, want)
		}
	}
}
