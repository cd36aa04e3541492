package scenarios

import (
	"time"

	"herdsim/strategies"
)

// What some real clients do beside the textbook, as fields of several strategies, and as strategies of their own.

var (
	grainField    = Field{Key: "grain", Kind: Duration, Default: none, Words: []string{none}, Min: "1ns", Max: "1h", Doc: "the wait is a whole multiple of it: 1s for clients that count in seconds"}
	roundingField = Field{Key: "rounding", Kind: Word, Default: "down", Words: roundingWords, Doc: "to which multiple of grain; inclusive: down, of an interval one grain longer"}
	exactField    = Field{Key: "first", Kind: Duration, Default: none, Words: []string{none}, Doc: "the first wait, without jitter, instead"}
	lessField     = Field{Key: "less", Kind: Duration, Default: none, Words: []string{none}, Doc: "taken off each delay before jitter; at most base"}
)

var roundingWords = []string{"down", "nearest", "up", "inclusive"}

var polynomialStrategy = known{
	StrategyInfo{
		Key: "polynomial", Summary: "waits a power of the retry's number, as queue workers do", Formula: "base + unit × (n + origin)^power, then jitter",
		Fields: []Field{
			{Key: "base", Kind: Duration, Default: "0s", Doc: "what each delay has beside the power"},
			{Key: "unit", Kind: Duration, Default: "1s", Doc: "what the power is multiplied with"},
			{Key: "power", Kind: Number, Default: "2", Min: "0.1", Max: "10", Doc: "exponent of the retry's number"},
			{Key: "origin", Kind: Count, Default: "1", Max: "64", Doc: "number of the first retry: 0 or 1, as the client counts"},
			{Key: "cap", Kind: Duration, Default: none, Min: "1us", Words: []string{none}, Doc: "longest delay"},
			jitterField,
			{Key: "rising", Kind: Word, Default: none, Words: []string{none, "width", "steps"}, Doc: "whether a jitter that is a duration is n+1 times as wide at retry n+1, finer or in wider steps"},
			clampField, grainField, roundingField,
		},
	},
	func(o *object) strategies.Strategy {
		origin, _ := o.count("origin")
		return strategies.Polynomial{
			Base: o.duration("base"), Unit: o.duration("unit"), Power: o.number("power"), Origin: int(origin), Cap: o.duration("cap"),
			Jitter: o.jitter("jitter"), Rising: o.rising(), Clamp: o.clamp(), Rounding: o.rounding(),
		}
	},
}

var fibonacciStrategy = known{
	StrategyInfo{
		Key: "fibonacci", Summary: "waits the sum of the two delays before, which grows more slowly than doubling",
		Formula: "min(cap, base × 1, 2, 3, 5, 8, …), then jitter",
		Fields:  []Field{baseField, capField, jitterField, clampField, grainField, roundingField},
	},
	func(o *object) strategies.Strategy {
		return strategies.Fibonacci{Base: o.duration("base"), Cap: o.cap(), Jitter: o.jitter("jitter"), Clamp: o.clamp(), Rounding: o.rounding()}
	},
}

var compoundingStrategy = known{
	StrategyInfo{
		Key: "compounding", Summary: "waits factor times its own last wait, whose jitter thereby multiplies up",
		Formula: "min(cap, factor × previous), then jitter; base at first",
		Fields: []Field{
			baseField, factorField, capField, jitterField,
			{Key: "clamp", Kind: Word, Default: "before", Words: []string{"before", "after"}, Doc: "whether the cap comes before the jitter or after it"},
			exactField, grainField, roundingField,
		},
	},
	func(o *object) strategies.Strategy {
		return strategies.Compounding{
			Base: o.duration("base"), Factor: o.number("factor"), Cap: o.cap(), Jitter: o.jitter("jitter"), Clamp: o.clamp(),
			First: o.exact("first"), Rounding: o.rounding(),
		}
	},
}

var decorrelatedV2Strategy = known{
	StrategyInfo{
		Key: "decorrelated-v2", Summary: "waits the distance of two points on a smooth curve, drawn one after the other (Polly)",
		Formula: "min(cap, base / 1.4 × (f(n+u) - f(n-1+previous u))), f(t) = 2^t × tanh(√(4t))",
		Fields: []Field{
			{Key: "base", Kind: Duration, Default: "2s", Min: "1us", Doc: "a little more than the median of the first wait"},
			capField,
		},
	},
	func(o *object) strategies.Strategy {
		return strategies.DecorrelatedV2{Base: o.duration("base"), Cap: o.cap()}
	},
}

var finagleStrategy = known{
	StrategyInfo{
		Key: "finagle-exponential", Summary: "waits any time below 2ⁿ times its own last wait, and the cap itself once that reaches it",
		Formula: "U[0, 2ⁿ × previous), or cap; base at first",
		Fields:  []Field{baseField, capField},
	},
	func(o *object) strategies.Strategy {
		return strategies.FinagleExponential{Base: o.duration("base"), Cap: o.cap()}
	},
}

func (o *object) rounding() strategies.Rounding {
	r := strategies.Rounding{Grain: o.duration("grain")}
	switch o.word("rounding") {
	case "nearest":
		r.Mode = strategies.RoundNearest
	case "up":
		r.Mode = strategies.RoundUp
	case "inclusive":
		r.Mode = strategies.RoundInclusive
	}
	if r.Grain == 0 && r.Mode != strategies.RoundDown && o.sound("grain", "rounding") {
		o.d.report(o.placeOf("rounding"), o.path+"rounding is there without a grain", "a grain to round to, such as 1s")
	}
	if r.Grain == 0 {
		return strategies.Rounding{}
	}
	return r
}

func (o *object) rising() strategies.Rising {
	rising := map[string]strategies.Rising{"width": strategies.RisingWidth, "steps": strategies.RisingSteps}[o.word("rising")]
	if rising != strategies.RisingNone && o.sound("jitter", "rising") && o.jitter("jitter").Kind != strategies.JitterAdded {
		o.d.report(o.placeOf("rising"), o.path+"rising is "+quote(o.word("rising"))+" and jitter is no duration", "a jitter such as 10s")
	}
	return rising
}

// exact returns the wait under key, which may be 0, or none.
func (o *object) exact(key string) strategies.Exact {
	wait, word := o.durationOrWord(key)
	return strategies.Exact{Is: word == "", Wait: wait}
}

// less returns what is taken off each delay, and checks it against the base.
func (o *object) less() time.Duration {
	less, base := o.duration("less"), o.duration("base")
	if o.sound("base", "less") && less > base {
		o.d.report(o.placeOf("less"), o.path+"less is "+formatDuration(less)+", above the base of "+formatDuration(base), "less at most base")
	}
	return less
}
