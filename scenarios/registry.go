package scenarios

import (
	"strings"
	"time"

	"herdsim/strategies"
)

// StrategyInfo is one strategy of the catalogue.
type StrategyInfo struct {
	Key     string  // as in a scenario: full-jitter
	Summary string  // one line
	Formula string  // with the names of the fields: U[0, min(cap, base × factorⁿ))
	Fields  []Field // in the order of the documentation; none if it has no parameters
	Bare    string  // the field whose value may stand for the whole map, as in expr: "2 ** n"; "" for none
}

// Catalogue returns every strategy, in the order of the documentation. In the formulas n = 0 before the first retry.
func Catalogue() []StrategyInfo {
	out := make([]StrategyInfo, len(registry))
	for i, k := range registry {
		out[i] = k.StrategyInfo
	}
	return out
}

// A known strategy: what the catalogue says, and how to make one of its fields.
type known struct {
	StrategyInfo
	build func(o *object) strategies.Strategy // nil for paced, which is no strategy of a single worker
}

// A base, a cap and a mean are at least a microsecond: shorter waits could round to 0, again and again, and time would
// stand still.
var (
	baseField   = Field{Key: "base", Kind: Duration, Default: "1s", Min: "1us", Doc: "the first delay, before jitter"}
	capField    = Field{Key: "cap", Kind: Duration, Default: none, Min: "1us", Words: []string{none}, Doc: "longest delay; at least base"}
	factorField = Field{Key: "factor", Kind: Number, Default: "2", Min: "1", Max: "1000", Doc: "what each delay is times the one before"}
	firstField  = Field{Key: "first_exponent", Kind: Count, Default: "0", Max: "64", Doc: "exponent of the first delay: 1 for clients that count from 1"}
	jitterField = Field{Key: "jitter", Kind: Jitter, Default: none, Doc: "how the delay is spread"}
	clampField  = Field{Key: "clamp", Kind: Word, Default: "before", Words: []string{"before", "after", "both", "instead"}, Doc: "whether the cap comes before the jitter, after it, both, or instead of it"}
)

// registry holds every strategy. A new one is an entry here and a file in package strategies.
var registry = []known{
	{
		StrategyInfo{Key: "immediate", Summary: "tries again at once", Formula: "0"},
		func(*object) strategies.Strategy { return strategies.Immediate{} },
	},
	{
		StrategyInfo{
			Key: "fixed", Summary: "waits the same time before every retry", Formula: "delay",
			Fields: []Field{
				{Key: "delay", Kind: Duration, Default: "1s", Doc: "the delay before every retry"},
				jitterField, grainField, roundingField,
				{Key: "sweep", Kind: Count, Default: "1", Min: "1", Max: "1_000_000", Doc: "only every so many-th retry waits, as of clients that try a whole list of servers first"},
			},
		},
		func(o *object) strategies.Strategy {
			sweep, _ := o.count("sweep")
			if sweep == 1 { // each
				sweep = 0
			}
			return strategies.Fixed{
				Delay: o.duration("delay"), Jitter: o.jitter("jitter"), Rounding: o.rounding(), Sweep: int(sweep),
			}
		},
	},
	{
		StrategyInfo{
			Key: "linear", Summary: "waits one base longer each time", Formula: "min(cap, base × (n+1))",
			Fields: []Field{baseField, capField, jitterField, clampField, grainField, roundingField},
		},
		func(o *object) strategies.Strategy {
			return strategies.Linear{
				Base: o.duration("base"), Cap: o.cap(), Jitter: o.jitter("jitter"), Clamp: o.clamp(), Rounding: o.rounding(),
			}
		},
	},
	{
		StrategyInfo{
			Key: "exponential", Summary: "waits factor times longer each time; all workers alike, unless there is jitter",
			Formula: "min(cap, base × factorⁿ), then jitter",
			Fields: []Field{
				baseField, factorField, capField, jitterField, clampField, firstField, lessField, exactField, grainField, roundingField,
			},
		},
		func(o *object) strategies.Strategy {
			return strategies.Exponential{
				Base: o.duration("base"), Factor: o.number("factor"), Cap: o.cap(), Jitter: o.jitter("jitter"),
				Clamp: o.clamp(), FirstExponent: o.firstExponent(), Less: o.less(), First: o.exact("first"), Rounding: o.rounding(),
			}
		},
	},
	{
		StrategyInfo{
			Key: "full-jitter", Summary: "waits any time below an exponentially growing ceiling",
			Formula: "U[0, min(cap, base × factorⁿ))", Fields: []Field{baseField, factorField, capField, firstField, grainField, roundingField},
		},
		func(o *object) strategies.Strategy {
			return strategies.FullJitter{
				Base: o.duration("base"), Factor: o.number("factor"), Cap: o.cap(), FirstExponent: o.firstExponent(), Rounding: o.rounding(),
			}
		},
	},
	{
		StrategyInfo{
			Key: "equal-jitter", Summary: "waits half of an exponentially growing delay, and any part of the other half",
			Formula: "E/2 + U[0, E/2), E = min(cap, base × factorⁿ)",
			Fields:  []Field{baseField, factorField, capField, firstField},
		},
		func(o *object) strategies.Strategy {
			return strategies.EqualJitter{
				Base: o.duration("base"), Factor: o.number("factor"), Cap: o.cap(), FirstExponent: o.firstExponent(),
			}
		},
	},
	{
		StrategyInfo{
			Key: "decorrelated", Summary: "waits between base and a multiple of its own last wait",
			Formula: "min(cap, U[base, factor × previous)), previous = base at first",
			Fields: []Field{
				baseField,
				{Key: "factor", Kind: Number, Default: "3", Min: "1.001", Max: "1000", Doc: "upper end of the wait over the one before"},
				capField,
				{Key: "clamp", Kind: Word, Default: "outside", Words: []string{"outside", "inside"}, Doc: "whether the cap cuts the random wait, or the interval that it is drawn from"},
				{Key: "from", Kind: Word, Default: "base", Words: []string{"base", "previous"}, Doc: "lower end of the wait: base, or the wait before"},
				exactField,
			},
		},
		func(o *object) strategies.Strategy {
			return strategies.Decorrelated{
				Base: o.duration("base"), Factor: o.number("factor"), Cap: o.cap(), ClampInside: o.word("clamp") == "inside",
				FromPrevious: o.word("from") == "previous", First: o.exact("first"),
			}
		},
	},
	{
		StrategyInfo{
			Key: "schedule", Summary: "waits the delays of a list, the last one over and over", Formula: "delays[n], the last repeated",
			Fields: []Field{
				{Key: "delays", Kind: List, Required: true, Max: "1000", Form: "a list of at least one duration, such as [1s, 10s]", Doc: "the delays, as [1s, 10s, 1m]"},
				jitterField,
				{Key: "cap", Kind: Duration, Default: none, Min: "1us", Words: []string{none}, Doc: "longest wait, after the jitter"},
				grainField, roundingField,
			},
		},
		func(o *object) strategies.Strategy {
			return strategies.Schedule{
				Delays: o.durations("delays"), Jitter: o.jitter("jitter"), Cap: o.duration("cap"), Rounding: o.rounding(),
			}
		},
	},
	{
		StrategyInfo{
			Key: "memoryless", Summary: "waits exponentially distributed times: retries are as random as they can be", Formula: "Exp(mean)",
			Fields: []Field{{Key: "mean", Kind: Duration, Default: "1s", Min: "1us", Doc: "mean wait"}},
		},
		func(o *object) strategies.Strategy { return strategies.Memoryless{Mean: o.duration("mean")} },
	},
	polynomialStrategy, fibonacciStrategy, compoundingStrategy, decorrelatedV2Strategy, finagleStrategy,
	{
		StrategyInfo{
			Key: "expr", Summary: "waits what a formula of your own says, in seconds", Formula: "formula of " + strings.Join(variableNames[:], ", "),
			Bare: "formula",
			Fields: []Field{
				{Key: "formula", Kind: Text, Required: true, Max: "1000", Form: "a number of seconds, such as min(cap, base * 2 ** n) * u", Doc: "the wait in seconds, as min(cap, base * 2 ** n) * u"},
				{Key: "base", Kind: Duration, Default: "1s", Doc: "what the formula calls base"},
				{Key: "cap", Kind: Duration, Default: none, Min: "1ns", Words: []string{none}, Doc: "what the formula calls cap; the longest duration if none"},
			},
		},
		func(o *object) strategies.Strategy { return o.expr() },
	},
	{
		StrategyInfo{
			Key: pacedKey, Summary: "a coordinator gives each worker its own place: the reference that no real client reaches",
			Formula: "recovery + floor(place / slots) × mean service",
		}, nil,
	},
}

const pacedKey = "paced"

// strategyKeys are the keys of all strategies, in the order of the registry.
func strategyKeys() []string {
	keys := make([]string, len(registry))
	for i, k := range registry {
		keys[i] = k.Key
	}
	return keys
}

// strategy returns the strategy of that key, or nil.
func findStrategy(key string) *known {
	for i := range registry {
		if registry[i].Key == key {
			return &registry[i]
		}
	}
	return nil
}

// cap returns the cap, and checks it against the base.
func (o *object) cap() time.Duration {
	limit, base := o.duration("cap"), o.duration("base")
	if o.sound("base", "cap") && limit > 0 && limit < base {
		o.d.report(o.placeOf("cap"), o.path+"cap is "+formatDuration(limit)+", below the base of "+formatDuration(base), "cap at least base")
	}
	return limit
}

func (o *object) firstExponent() int {
	n, _ := o.count("first_exponent")
	return int(n)
}

func (o *object) clamp() strategies.Clamp {
	switch o.word("clamp") {
	case "after":
		return strategies.ClampAfter
	case "both":
		return strategies.ClampBoth
	case "instead":
		return strategies.ClampInstead
	}
	return strategies.ClampBefore
}
