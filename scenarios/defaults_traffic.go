package scenarios

// horizonWord stands for the end of a run.
const horizonWord = "horizon"

// maxRate bounds every rate.
const maxRate = "1_000_000_000/s"

var (
	beginField = Field{Key: "from", Kind: Duration, Default: "0s", Doc: "when it begins"}
	endField   = Field{Key: "to", Kind: Duration, Default: horizonWord, Words: []string{horizonWord}, Doc: "when it ends"}
	forField   = Field{Key: "for", Kind: Duration, Min: "1ns", Doc: "how long it lasts, instead of to"}

	ownLimitsField = Field{Key: "limits", Kind: Map, Doc: "its own, instead of those of the entry or the scenario"}
)

var arrivalsFields = []Field{
	{Key: "rate", Kind: Rate, Max: maxRate, Doc: "mean rate of arrivals from from to to; this, phases or trace"},
	beginField,
	endField,
	{Key: "phases", Kind: List, Max: "1000", Form: "a list of at least one map such as {rate: 40/s, from: 20s, for: 5s}", Doc: "rates that change; those of phases that overlap add up"},
	{Key: "trace", Kind: Text, Max: "200", Form: "the name of a CSV file beside the scenario, without folders", Doc: "a CSV file beside the scenario with t_s,count or t_s,rate (per second): what arrived in [t_s, next t_s), or how fast"},
	{Key: "spacing", Kind: Word, Default: "poisson", Words: []string{"poisson", "even"}, Doc: "at random, or as evenly as the rate allows"},
	{Key: "clients", Kind: Count, Default: "1", Min: "1", Max: "10_000_000", Doc: "who makes them: each client has guards of its own, where they are not shared"},
	ownLimitsField,
}

// phaseFields are the keys of an item of arrivals.phases, which has exactly one of the first four.
var phaseFields = []Field{
	{Key: "rate", Kind: Rate, Max: maxRate, Doc: "constant"},
	{Key: "ramp", Kind: Map, Form: "a map such as {from: 40/s, to: 80/s}", Doc: "from one rate to another, linearly"},
	{Key: "sine", Kind: Map, Form: "a map such as {mean: 100/s, amplitude: 50/s, period: 1d}", Doc: "mean + amplitude x sin(2 pi (t - from) / period), not below 0"},
	{Key: "spike", Kind: Map, Form: "a map such as {peak: 400/s, decay: 30s}", Doc: "peak x exp(-(t - from) / decay)"},
	beginField,
	endField,
	forField,
}

var rampFields = []Field{
	{Key: "from", Kind: Rate, Required: true, Min: "0/s", Max: maxRate, Doc: "the rate at its begin"},
	{Key: "to", Kind: Rate, Required: true, Min: "0/s", Max: maxRate, Doc: "the rate at its end"},
}

var sineFields = []Field{
	{Key: "mean", Kind: Rate, Required: true, Max: maxRate, Doc: "the rate that it swings around"},
	{Key: "amplitude", Kind: Rate, Required: true, Max: maxRate, Doc: "how far it swings; where that is below 0 nobody arrives"},
	{Key: "period", Kind: Duration, Required: true, Min: "1us", Doc: "how long one swing takes"},
}

var spikeFields = []Field{
	{Key: "peak", Kind: Rate, Required: true, Max: maxRate, Doc: "the rate at its begin"},
	{Key: "decay", Kind: Duration, Required: true, Min: "1us", Doc: "after which it has fallen to 37 %"},
}

var clientsFields = []Field{
	{Key: "count", Kind: Count, Required: true, Min: "1", Max: "10_000_000", Doc: "how many there are"},
	{Key: "think", Kind: Distribution, Required: true, Doc: "how long each thinks before a task; its mean is above 0"},
	beginField,
	endField,
	ownLimitsField,
}

var cronFields = []Field{
	{Key: "every", Kind: Duration, Required: true, Min: "1us", Doc: "from one tick to the next"},
	{Key: "count", Kind: Count, Required: true, Min: "1", Max: "100_000_000", Doc: "tasks of each tick"},
	{Key: "spread", Kind: Spreading, Default: "0s", Doc: "how long after its tick each task calls: uniform over a duration, or a law"},
	{Key: "from", Kind: Duration, Default: "0s", Doc: "the first tick"},
	endField,
	ownLimitsField,
}

var tierFields = []Field{
	{Key: "attempts", Kind: Count, Required: true, Min: "1", Max: "1_000_000", Doc: "calls that it makes at most for each call it gets"},
	{Key: "strategy", Kind: Map, Default: "immediate", Form: "a strategy, such as immediate or {fixed: {delay: 1s}}", Doc: "how it waits between them: a strategy as in strategies, but for paced and presets"},
	{Key: "timeout", Kind: Duration, Default: none, Min: "1ns", Words: []string{none}, Doc: "how long it waits for the answer to each, with all that the tiers below make of it"},
}

// auto is the word for a choice that is left to the program.
const auto = "auto"

var verdictFields = []Field{
	{Key: "within", Kind: Share, Default: "20%", Doc: "how far below its level before the trigger the goodput may stay"},
	{Key: "for", Kind: Duration, Default: auto, Min: "1us", Words: []string{auto}, Doc: "the time that goodput is averaged over; auto: 10 windows, or 1/30 of the horizon if that is longer"},
}
