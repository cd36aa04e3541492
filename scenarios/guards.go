package scenarios

import (
	"slices"
	"strings"
	"time"

	"herdsim/downstream"
	"herdsim/strategies"
	"herdsim/strategies/guards"
)

// GuardInfo is one kind of guard of the catalogue.
type GuardInfo struct {
	Key     string  // as in a scenario: breaker
	Summary string  // one line
	Rule    string  // with the names of the fields
	Scope   string  // shared or worker, if the scenario does not say
	Fields  []Field // in the order of the documentation
	Presets []GuardPreset
}

// A GuardPreset is a guard as a real client has it.
type GuardPreset struct{ Name, Source string }

// Guards returns every kind of guard, in the order of the documentation.
func Guards() []GuardInfo {
	out := make([]GuardInfo, len(guardRegistry))
	for i, k := range guardRegistry {
		out[i] = k.GuardInfo
		out[i].Fields = slices.Clone(k.Fields)
		for _, p := range guards.Presets() {
			if p.Key == k.Key {
				out[i].Presets = append(out[i].Presets, GuardPreset{p.Name, p.Source})
			}
		}
	}
	return out
}

// A knownGuard is what the catalogue says of a kind of guard, and how to make one of its fields.
type knownGuard struct {
	GuardInfo
	build func(o *object) guards.Maker
}

// Whose a guard is by itself: a budget that a client library keeps is each client's own. What stands before all of them,
// a proxy or a controller, is shared; and so is what judges a stream of calls, which no single worker makes.
const (
	shared    = "shared"
	perWorker = "worker"
)

// guardRegistry holds every kind of guard. A new one is an entry here, a struct in encode_guards.go, and a file in
// package guards.
var guardRegistry = []knownGuard{
	{
		GuardInfo{
			Key: "retry-throttling", Scope: perWorker, Summary: "gRPC: failures take tokens, successes give some; no retries below half",
			Rule: "refused while tokens ≤ max_tokens/2; a failure takes 1, a success gives token_ratio",
			Fields: []Field{
				{Key: "max_tokens", Kind: Number, Default: "10", Min: "0.001", Max: "1000000", Doc: "tokens of a full bucket; it starts full"},
				{Key: "token_ratio", Kind: Number, Default: "0.1", Min: "0", Max: "1000000", Doc: "what a success gives"},
			},
		},
		func(o *object) guards.Maker {
			return &guards.RetryThrottling{MaxTokens: o.number("max_tokens"), TokenRatio: o.number("token_ratio")}
		},
	},
	{
		GuardInfo{
			Key: "retry-quota", Scope: perWorker, Summary: "AWS SDKs: retries cost tokens, and get them back if they are served",
			Rule: "refused while tokens < cost; a retry that is served gives its cost back, a first attempt first_success",
			Fields: []Field{
				tokensField("capacity", "500", "tokens of a full bucket; it starts full"),
				tokensField("retry_cost", "14", "what a retry takes"),
				tokensField("throttle_cost", "5", "what it takes after a rejection"),
				tokensField("timeout_cost", "14", "what it takes after a timeout"),
				tokensField("first_success", "1", "what a first attempt gives that is served"),
			},
		},
		func(o *object) guards.Maker {
			return &guards.RetryQuota{
				Capacity: o.whole("capacity"), RetryCost: o.whole("retry_cost"), ThrottleCost: o.whole("throttle_cost"),
				TimeoutCost: o.whole("timeout_cost"), FirstSuccess: o.whole("first_success"),
			}
		},
	},
	{
		GuardInfo{
			Key: "retry-budget", Scope: perWorker, Summary: "Finagle, Linkerd: a share of the calls of the last seconds, and a few beside",
			Rule: "refused while min_per_second × ttl + ratio × calls of ttl - retries of ttl < 1",
			Fields: []Field{
				{Key: "ttl", Kind: Duration, Default: "10s", Min: "1ms", Max: "1d", Doc: "after which calls and retries are forgotten"},
				{Key: "min_per_second", Kind: Number, Default: "10", Min: "0", Max: "1000000", Doc: "retries that are allowed whatever the calls"},
				{Key: "ratio", Kind: Share, Default: "20%", Doc: "retries for each call"},
				{Key: "scale", Kind: Count, Default: "1000", Min: "1", Max: "1_000_000", Doc: "a retry costs scale / ratio, cut to a whole number: 1 in tower"},
			},
		},
		func(o *object) guards.Maker {
			return &guards.RetryBudget{TTL: o.duration("ttl"), MinPerSecond: o.number("min_per_second"), Ratio: o.share("ratio"), Scale: o.whole("scale")}
		},
	},
	{
		GuardInfo{
			Key: "concurrent-retries", Scope: shared, Summary: "Envoy, failsafe-go: how many retries are under way, against the calls that are",
			Rule: "refused while retries ≥ max(min, ⌊share × active⌋)",
			Fields: []Field{
				{Key: "share", Kind: Share, Default: "20%", Doc: "of the active calls"},
				tokensField("min", "3", "so many are always allowed"),
				{Key: "charge", Kind: Word, Default: "decided", Words: []string{"decided", "sent", "late"}, Doc: "decided: a retry counts while it waits, too; sent: from its sending; late: it is judged then, too"},
				flagField("above", "only more than share are refused"),
			},
		},
		func(o *object) guards.Maker {
			charge := slices.Index(o.field("charge").Words, o.word("charge"))
			return &guards.ConcurrentRetries{Share: o.share("share"), Min: o.whole("min"), Charge: guards.Charge(charge), Above: o.flag("above")}
		},
	},
	{
		GuardInfo{
			Key: "retry-tokens", Scope: perWorker, Summary: "Brooker: first attempts give a part of a token, retries take one",
			Rule: "refused while tokens ≤ 1; a first attempt gives deposit, a retry takes 1",
			Fields: []Field{
				{Key: "capacity", Kind: Number, Default: "5", Min: "0", Max: "1000000", Doc: "tokens of a full bucket; it starts full"},
				{Key: "deposit", Kind: Number, Default: "0.1", Min: "0", Max: "1000000", Doc: "what a first attempt gives, however it ends"},
			},
		},
		func(o *object) guards.Maker {
			return &guards.RetryTokens{Capacity: o.number("capacity"), Deposit: o.number("deposit")}
		},
	},
	{
		GuardInfo{
			Key: "retry-breaker", Scope: perWorker, Summary: "Brooker: retries only as long as few attempts have failed",
			Rule:   "refused while failures / calls > ratio",
			Fields: []Field{{Key: "ratio", Kind: Share, Default: "10%", Doc: "failed attempts for each call, since the client began"}},
		},
		func(o *object) guards.Maker { return &guards.RetryBreaker{Ratio: o.share("ratio")} },
	},
	{
		GuardInfo{
			Key: "breaker", Scope: shared, Summary: "circuit breaker: no calls for a while after too many failures, then a few probes",
			Rule:   "opens at consecutive failures, or at failures ≥ ratio × results of the window",
			Fields: breakerFields,
		},
		buildBreaker,
	},
	{
		GuardInfo{
			Key: "throttle", Scope: shared, Summary: "SRE book: the more is turned away, the less is sent",
			Rule: "put off with the chance max(0, (requests - k × accepts) / (requests + 1))",
			Fields: []Field{
				{Key: "k", Kind: Number, Default: "2", Min: "1", Max: "1000", Doc: "requests sent for each that is accepted"},
				{Key: "window", Kind: Duration, Default: "2m", Min: "1ms", Max: "1d", Doc: "what is counted"},
				bucketsField("24"),
			},
		},
		func(o *object) guards.Maker {
			return &guards.Throttle{K: o.number("k"), Window: o.duration("window"), Buckets: int(o.whole("buckets"))}
		},
	},
	{
		GuardInfo{
			Key: "adaptive-rate", Scope: perWorker, Summary: "AWS SDKs in adaptive mode: a rate that falls with rejections and grows as CUBIC does",
			Rule: "after a rejection at rate w: beta × w, then scale × (t - K)³ + w, K = cbrt(w × (1-beta) / scale)",
			Fields: []Field{
				{Key: "bucket", Kind: Duration, Default: "500ms", Min: "1ms", Max: "1h", Doc: "in which the rate is measured"},
				{Key: "smooth", Kind: Number, Default: "0.8", Min: "0.001", Max: "1", Doc: "weight of the last bucket"},
				{Key: "beta", Kind: Number, Default: "0.7", Min: "0.001", Max: "0.999", Doc: "what is left of the rate after a rejection"},
				{Key: "scale", Kind: Number, Default: "0.4", Min: "0.001", Max: "1000", Doc: "how fast it grows, per second cubed"},
				{Key: "min_rate", Kind: Number, Default: "0.5", Min: "0.001", Max: "1000000", Doc: "the least rate, per second"},
				{Key: "min_capacity", Kind: Number, Default: "1", Min: "1", Max: "1000000", Doc: "the least that the bucket of tokens holds"},
			},
		},
		func(o *object) guards.Maker {
			return &guards.AdaptiveRate{
				Bucket: o.duration("bucket"), Smooth: o.number("smooth"), Beta: o.number("beta"), Scale: o.number("scale"),
				MinRate: o.number("min_rate"), MinCapacity: o.number("min_capacity"),
			}
		},
	},
	{
		GuardInfo{
			Key: "concurrency-limit", Scope: shared, Summary: "bulkhead: so many calls at once",
			Rule:   "put off while limit calls are under way",
			Fields: []Field{{Key: "limit", Kind: Count, Required: true, Min: "1", Max: "1_000_000_000", Doc: "calls at once"}},
		},
		func(o *object) guards.Maker { return &guards.ConcurrencyLimit{Limit: o.whole("limit")} },
	},
	{
		GuardInfo{
			Key: "token-bucket", Scope: shared, Summary: "Kubernetes controllers: what exceeds a rate is sent later",
			Rule: "the k-th at one instant is sent (k - burst) / rate later",
			Fields: []Field{
				{Key: "rate", Kind: Rate, Default: "10/s", Max: "1_000_000_000/s", Doc: "tokens per time"},
				{Key: "burst", Kind: Count, Default: "100", Min: "1", Max: "1_000_000_000", Doc: "most tokens the bucket holds; it starts full"},
				{Key: "of", Kind: Word, Default: "retries", Words: []string{"retries", "all"}, Doc: "what takes a token"},
			},
		},
		func(o *object) guards.Maker {
			r := o.rateOrDefault("rate")
			return &guards.TokenBucket{Tokens: r.Events, Per: r.Per, Burst: o.whole("burst"), All: o.word("of") == "all"}
		},
	},
}

func tokensField(key, initial, doc string) Field {
	return Field{Key: key, Kind: Count, Default: initial, Max: "1_000_000_000", Doc: doc}
}

func bucketsField(initial string) Field {
	return Field{Key: "buckets", Kind: Count, Default: initial, Min: "1", Max: "1000", Doc: "parts of the window, which are forgotten one by one"}
}

func flagField(key, doc string) Field {
	return Field{Key: key, Kind: Word, Default: "false", Words: []string{"true", "false"}, Doc: doc}
}

var breakerFields = []Field{
	{Key: "consecutive", Kind: Count, Default: none, Max: "1_000_000", Words: []string{none}, Doc: "failures in a row that open it; this or ratio, or both"},
	{Key: "ratio", Kind: Share, Default: "0%", Doc: "share of failures in the window that opens it; 0% = no such rule"},
	flagField("above", "only a larger share than ratio opens it"),
	{Key: "calls", Kind: Count, Default: "100", Min: "1", Max: "100_000", Doc: "the window, in results, where there is none in time"},
	{Key: "window", Kind: Duration, Default: none, Min: "1ms", Max: "1d", Words: []string{none}, Doc: "the window in time"},
	bucketsField("10"),
	{Key: "min_calls", Kind: Count, Default: "10", Max: "1_000_000_000", Doc: "results in the window before ratio is asked"},
	flagField("after_success", "ratio is asked after a success, too, instead of after failures alone"),
	{Key: "check_every", Kind: Duration, Default: none, Min: "1ms", Max: "1d", Words: []string{none}, Doc: "ratio is asked at multiples of it, instead of when results come"},
	{Key: "open_for", Kind: Duration, Default: "30s", Min: "1us", Doc: "how long it is open, before jitter"},
	{Key: "factor", Kind: Number, Default: "1", Min: "1", Max: "1000", Doc: "what the open time is times the one before, if the probes failed"},
	{Key: "cap", Kind: Duration, Default: none, Min: "1us", Words: []string{none}, Doc: "longest open time; at least open_for"},
	{Key: "jitter", Kind: Jitter, Default: none, Doc: "how the open time is spread"},
	{Key: "clamp", Kind: Word, Default: "before", Words: []string{"before", "after", "both"}, Doc: "whether the cap comes before the jitter, after it, or both"},
	{Key: "first", Kind: Duration, Default: none, Words: []string{none}, Doc: "the open time the first time in a row, without jitter, instead"},
	flagField("strict", "it is still open at the very end of the open time"),
	{Key: "probes", Kind: Count, Default: "1", Min: "1", Max: "1_000_000", Doc: "calls that it lets through when it is half-open"},
	{Key: "probe_failures", Kind: Count, Default: "1", Min: "1", Max: "1_000_000", Doc: "failed probes that open it again; it closes when so many can no longer come"},
	flagField("in_flight", "probes are counted at a time, instead of in all"),
	flagField("together", "nothing is decided before all probes have ended"),
	{Key: "max_half_open", Kind: Duration, Default: none, Min: "1us", Words: []string{none}, Doc: "half-open for so long, it opens again"},
	{Key: "stale", Kind: Word, Default: "ignore", Words: []string{"ignore", "count"}, Doc: "what becomes of results from before it last changed"},
}

func buildBreaker(o *object) guards.Maker {
	consecutive, _ := o.count("consecutive")
	b := &guards.Breaker{
		Consecutive: int(consecutive), Ratio: o.share("ratio"), Above: o.flag("above"), Calls: int(o.whole("calls")),
		Window: o.duration("window"), Buckets: int(o.whole("buckets")), MinCalls: int(o.whole("min_calls")), AfterSuccess: o.flag("after_success"), CheckEvery: o.duration("check_every"),
		OpenFor: strategies.Exponential{
			Base: o.duration("open_for"), Factor: o.number("factor"), Cap: o.duration("cap"), Jitter: o.jitter("jitter"), Clamp: o.clamp(),
			First: o.exact("first"),
		},
		Strict: o.flag("strict"), Probes: int(o.whole("probes")), ProbeFailures: int(o.whole("probe_failures")),
		InFlight: o.flag("in_flight"), Together: o.flag("together"), MaxHalfOpen: o.duration("max_half_open"), CountStale: o.word("stale") == "count",
	}
	if o.sound("consecutive", "ratio") && b.Consecutive == 0 && b.Ratio == 0 {
		o.d.report(o.at, strings.TrimSuffix(o.path, ".")+" never opens", "consecutive or ratio, or a preset such as gobreaker")
	}
	if o.sound("probes", "probe_failures") && b.ProbeFailures > b.Probes {
		o.d.report(o.placeOf("probe_failures"), o.path+"probe_failures is "+formatCount(uint64(b.ProbeFailures))+" of "+formatCount(uint64(b.Probes))+" probes", "probe_failures at most probes")
	}
	if limit, base := b.OpenFor.Cap, b.OpenFor.Base; o.sound("open_for", "cap") && limit > 0 && limit < base {
		o.d.report(o.placeOf("cap"), o.path+"cap is "+formatDuration(limit)+", below an open_for of "+formatDuration(base), "cap at least open_for")
	}
	if o.sound("check_every", "window") && b.CheckEvery > 0 && b.Window == 0 {
		o.d.report(o.placeOf("check_every"), o.path+"check_every is "+formatDuration(b.CheckEvery)+", and there is no window in time", "a window, or no check_every")
	}
	return b
}

// whole returns a count that has no words.
func (o *object) whole(key string) int64 {
	n, _ := o.count(key)
	return int64(n)
}

// rateOrDefault returns the rate under key, or the field's default.
func (o *object) rateOrDefault(key string) downstream.Rate {
	if r := o.rate(key); r.Events > 0 {
		return r
	}
	r, ok := parseRate(o.field(key).Default)
	if !ok {
		return downstream.Rate{Events: 1, Per: time.Second}
	}
	return r
}

func guardKeys() []string {
	keys := make([]string, len(guardRegistry))
	for i, k := range guardRegistry {
		keys[i] = k.Key
	}
	return keys
}

func findGuard(key string) *knownGuard {
	for i := range guardRegistry {
		if guardRegistry[i].Key == key {
			return &guardRegistry[i]
		}
	}
	return nil
}

// guardPresets are the names of the presets of a kind of guard.
func guardPresets(key string) []string {
	var names []string
	for _, p := range guards.Presets() {
		if p.Key == key {
			names = append(names, p.Name)
		}
	}
	return names
}
