package scenarios

// A Field is one key of the format: what it may hold, and what holds if it is not there. The tables of fields are the
// one home of defaults and limits; the decoder, the JSON Schema, the catalogue of strategies and error messages read
// them.
type Field struct {
	Key      string
	Kind     Kind
	Default  string   // as in a file; "" for none
	Required bool     // alone, without looking at other keys
	Min, Max string   // as in a file, both included; "" for the kind's own; of a text its characters, of a list its items
	Words    []string // allowed besides, or for a Word alone
	Form     string   // what is allowed, where the kind does not say it all
	Doc      string   // one line
}

// A Kind is what a field holds.
type Kind string

// The kinds of fields.
const (
	Count        Kind = "count"        // 5000 or 5_000
	Duration     Kind = "duration"     // 100ms, 1d12h
	Rate         Kind = "rate"         // 200/s, 12/min, 5/h, 1/d
	Share        Kind = "share"        // 5% or 0.05
	Number       Kind = "number"       // 1.5
	Word         Kind = "word"         // one of a list
	Text         Kind = "text"         // free
	Jitter       Kind = "jitter"       // none, full, equal, 10%, +10% or a duration
	Distribution Kind = "distribution" // a duration, or a map with one law
	Starting     Kind = "start"        // a duration, or a map with one law or a trace
	Spreading    Kind = "spread"       // a duration, or a map with one law
	Map          Kind = "map"          // keys of its own
	List         Kind = "list"
)

// The largest herd.
const maxWorkers = 100_000_000

// none is the word for a limit, a cap, or a part of the model that is not there.
const none = "none"

var scenarioFields = []Field{
	{Key: "name", Kind: Text, Required: true, Max: "64", Form: "1 to 64 of the characters a-z, 0-9 and -", Doc: "name of the scenario, and of its folder of results"},
	{Key: "title", Kind: Text, Max: "200", Doc: "one line that says what happens"},
	{Key: "about", Kind: Text, Max: "20_000", Form: "a text of at most 20_000 characters", Doc: "free text: where the numbers come from, what to look at"},
	{Key: "seed", Kind: Count, Default: "1", Doc: "all luck follows from it; replicate 1 uses it as it is"},
	{Key: "replicates", Kind: Count, Default: "1", Min: "1", Max: "10_000", Doc: "how often each strategy is run, each time with a seed of its own"},
	{Key: "horizon", Kind: Duration, Default: "1h", Min: "1us", Doc: "virtual time at which a run is cut off"},
	{Key: "max_events", Kind: Count, Default: "10_000_000_000", Min: "1", Max: "1_000_000_000_000_000", Doc: "events after which a run is cut off"},
	{Key: "window", Kind: Duration, Default: "100ms", Min: "1us", Doc: "width of a bar of the histogram"},
	{Key: "workers", Kind: Count, Max: "100_000_000", Doc: "the herd: each has one task, and all call first at t0; required unless there is a start trace, or arrivals; with a broker: its consumers"},
	{Key: "messages", Kind: Map, Form: "a map such as {count: 200, poison: 1}", Doc: "with a broker: what lies in the work queue at t0, which is then the herd"},
	{Key: "broker", Kind: Map, Default: none, Words: []string{none}, Form: "none, or a map such as {topology: ttl-queue}", Doc: "a message broker that brings tasks to the workers, its consumers, and back after a failure"},
	{Key: "start", Kind: Starting, Default: "0s", Doc: "how the first calls spread: uniform over a duration, a law, or a measured trace"},
	{Key: "network", Kind: Distribution, Default: "0s", Doc: "one-way delay of each request and each reply"},
	{Key: "arrivals", Kind: Map, Default: none, Words: []string{none}, Form: "none, or a map such as {rate: 80/s}", Doc: "open traffic beside the herd; each arrival is a task that retries as the herd does"},
	{Key: "clients", Kind: Map, Default: none, Words: []string{none}, Form: "none, or a map such as {count: 100, think: {exponential: 1s}}", Doc: "closed-loop traffic: each client thinks, makes a task, waits until it is done with, and thinks again"},
	{Key: "cron", Kind: Map, Default: none, Words: []string{none}, Form: "none, or a map such as {every: 1m, count: 1000}", Doc: "periodic traffic: so many tasks every so often"},
	{Key: "task", Kind: Map, Doc: "the work of one task"},
	{Key: "limits", Kind: Map, Doc: "when a task is given up"},
	{Key: "guards", Kind: List, Default: "[]", Max: "16", Form: "a list of guards, each a name or a map such as breaker: gobreaker", Doc: "retry budgets, circuit breakers, throttles; asked in this order"},
	{Key: "tiers", Kind: List, Default: "[]", Max: "16", Form: "a list of maps such as {attempts: 4, timeout: 1s}", Doc: "layers between the tasks and the downstream, from the top down, each of which retries its own calls"},
	{Key: "deadlines", Kind: Word, Default: "own", Words: []string{"own", "passed"}, Doc: "whether a tier that gives up a call leaves the tiers below to go on for nobody (own), or stops them (passed)"},
	{Key: "downstream", Kind: Map, Required: true, Form: "a map such as {slots: 20, service: 100ms}", Doc: "what serves the herd"},
	{Key: "strategies", Kind: List, Required: true, Max: "1000", Form: "a list of strategies, each a name or a map such as fixed: {delay: 1s}", Doc: "the strategies to compare, in the order of the report"},
	{Key: "verdict", Kind: Map, Doc: "when a run counts as recovered"},
	{Key: "expect", Kind: List, Default: "[]", Max: "1000", Form: "a list of lines such as full-jitter.peak_over_capacity < 10", Doc: "what must hold in every replicate, as full-jitter.peak_over_capacity < 10"},
}

var taskFields = []Field{
	{Key: "timeout", Kind: Duration, Default: none, Min: "1ns", Words: []string{none}, Doc: "how long a worker waits for an answer, from sending"},
	{Key: "poison", Kind: Share, Default: "0%", Doc: "each task's chance to fail on every attempt, after service"},
	{Key: "error_rate", Kind: Share, Default: "0%", Doc: "each attempt's chance to fail after service"},
}

var limitsFields = []Field{
	{Key: "max_attempts", Kind: Count, Default: "0", Max: "1_000_000_000", Words: []string{none}, Doc: "attempts (retries + 1) after which a task is dead-lettered; 0 = no limit"},
	{Key: "max_elapsed", Kind: Duration, Default: "0s", Words: []string{none}, Doc: "a task whose next attempt would start later than this after its first is dead-lettered; 0s = no limit"},
	{Key: "deadline", Kind: Duration, Default: none, Min: "1us", Words: []string{none}, Doc: "so long after its first attempt a task is dead-lettered, be it in the middle of an attempt, which then has timed out"},
}

// entryFields are the keys of an entry of strategies beside the strategy itself.
var entryFields = []Field{
	{Key: "name", Kind: Text, Max: "64", Form: "1 to 64 printable characters", Doc: "its name in every table and picture; the strategy's key if not given"},
	{Key: "limits", Kind: Map, Doc: "its own, instead of the scenario's"},
	{Key: "guards", Kind: List, Max: "16", Form: "a list of guards, each a name or a map such as breaker: gobreaker", Doc: "its own, instead of the scenario's"},
	{Key: "start", Kind: Starting, Doc: "its own, instead of the scenario's"},
	{Key: "broker", Kind: Map, Form: "a map such as {topology: ladder, rungs: [5s, 15s, 60s]}", Doc: "its own, instead of the scenario's, which must have one"},
	{Key: "first_wait", Kind: Duration, Default: none, Min: "1us", Words: []string{none}, Doc: "the first retry waits U[0, first_wait) instead"},
	{Key: "retry_after", Kind: Map, Default: "honor", Words: []string{"honor", "ignore"}, Form: "honor, ignore, or a map such as {max: 30s, jitter: 10%}", Doc: "honor: the wait is at least what the downstream asked for, up to max"},
	{Key: "poll", Kind: Map, Default: none, Words: []string{none}, Form: "none, or a map such as {every: 5s, jitter: 50%, processes: 4}", Doc: "a scheduler that looks for due retries from time to time: one is made when it is found"},
}

// distributionFields are the laws of a time; a plain duration is a constant.
var distributionFields = []Field{
	{Key: "exponential", Kind: Duration, Min: "1ns", Doc: "memoryless, with this mean"},
	{Key: "lognormal", Kind: Map, Doc: "long right tail"},
	{Key: "uniform", Kind: Map, Doc: "flat on [min, max)"},
	{Key: "gamma", Kind: Map, Doc: "between constant (cv 0) and exponential (cv 1), or wilder"},
	{Key: "bimodal", Kind: Map, Doc: "slow with probability slow_share, else fast"},
	{Key: "normal", Kind: Map, Doc: "what falls below 0 counts as 0"},
}

// startFields are the laws of a first call; a plain duration d is uniform over [0, d).
var startFields = []Field{
	{Key: "normal", Kind: Map, Doc: "what falls below 0 counts as 0"},
	{Key: "exponential", Kind: Duration, Min: "1ns", Doc: "memoryless, with this mean"},
	{Key: "trace", Kind: Text, Max: "200", Form: "the name of a CSV file beside the scenario, without folders", Doc: "a CSV file beside the scenario with t_s,count: count calls spread evenly over [t_s, next t_s)"},
}

// spreadFields are the laws of a first call that is not measured.
var spreadFields = startFields[:2]

var meanField = Field{Key: "mean", Kind: Duration, Required: true, Min: "1ns", Doc: "its mean"}

var cvField = Field{Key: "cv", Kind: Number, Required: true, Min: "0.001", Max: "100", Doc: "coefficient of variation: standard deviation over mean"}

var meanCVFields = []Field{meanField, cvField}

var uniformFields = []Field{
	{Key: "min", Kind: Duration, Required: true, Doc: "shortest"},
	{Key: "max", Kind: Duration, Required: true, Doc: "longest"},
}

var bimodalFields = []Field{
	{Key: "fast", Kind: Duration, Required: true, Doc: "what it mostly takes"},
	{Key: "slow", Kind: Duration, Required: true, Doc: "what it sometimes takes"},
	{Key: "slow_share", Kind: Share, Required: true, Doc: "how often it is slow"},
}

var normalFields = []Field{
	{Key: "mean", Kind: Duration, Required: true, Doc: "its mean"},
	{Key: "sd", Kind: Duration, Required: true, Doc: "standard deviation"},
}
