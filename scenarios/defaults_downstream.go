package scenarios

// Words of the downstream's fields.
const (
	unlimited = "unlimited"
	inLine    = "place"
)

var downstreamFields = []Field{
	{Key: "slots", Kind: Count, Min: "1", Max: "100_000_000", Words: []string{unlimited}, Doc: "requests served at once; this or capacity"},
	{Key: "capacity", Kind: Rate, Max: maxRate, Doc: "requests per time instead of slots: slots = capacity x mean service, which must come out whole"},
	{Key: "service", Kind: Distribution, Default: "100ms", Doc: "how long serving one request takes"},
	{Key: "queue", Kind: Count, Default: "0", Max: "1_000_000_000", Words: []string{unlimited}, Doc: "waiting places besides the slots"},
	{Key: "overflow", Kind: Word, Default: "reject", Words: []string{"reject", "drop"}, Doc: "what becomes of a request for which there is no room: a rejection at once, or no answer at all, as by a full backlog of connections"},
	{Key: "order", Kind: Word, Default: "fifo", Words: []string{"fifo", "lifo", "adaptive"}, Doc: "who is taken from the queue: the oldest, the newest, or the newest while more than lifo_above wait"},
	{Key: "lifo_above", Kind: Count, Default: "0", Max: "1_000_000_000", Doc: "for the order adaptive, which needs it"},
	{Key: "concurrency", Kind: Count, Default: none, Min: "1", Max: "1_000_000_000", Words: []string{none}, Doc: "most requests in the slots and the queue together"},
	{Key: "queue_timeout", Kind: Map, Default: none, Words: []string{none}, Form: "none, a duration such as 1s, or a map such as {standing: 5ms, interval: 100ms}", Doc: "rejects what has waited longer when its turn comes"},
	{Key: "cancel_abandoned", Kind: Word, Default: "false", Words: []string{"true", "false"}, Doc: "whether the work of a worker that has timed out is dropped"},
	{Key: "reject_cost", Kind: Duration, Default: "0s", Max: "1d", Doc: "slot time that each rejection for want of room costs"},
	{Key: "retry_after", Kind: Map, Default: none, Words: []string{none, inLine}, Form: "none, place, a duration such as 5s, or a map such as {delay: place, jitter: 100%}", Doc: "what a rejection for want of room asks of the client: to wait so long, or until its place in line comes up"},
	{Key: "slowdown", Kind: Map, Default: none, Words: []string{none}, Form: "none, or a map such as {sigma: 5%, kappa: 0.05%}", Doc: "service that slows with load: x (1 + sigma (n-1) + kappa n (n-1)) with n in service"},
	{Key: "warm_up", Kind: Map, Default: none, Words: []string{none}, Form: "none, or a map such as {from: 20%, over: 60s}", Doc: "slow after a start"},
	{Key: "cache", Kind: Map, Default: none, Words: []string{none}, Form: "none, or a map such as {hit_ratio: 90%, hit: 1ms, keys: 10_000}", Doc: "answers part of the requests quickly, once it is filled"},
	{Key: "pool", Kind: Map, Default: none, Words: []string{none}, Form: "none, or a map such as {max: 100, handshake: 50ms}", Doc: "connections that have to be made first"},
	{Key: "crash", Kind: Map, Default: none, Words: []string{none}, Form: "none, or a map such as {queued: 1000, down: 30s}", Doc: "it breaks down when it is overloaded, and loses all that is in it"},
	{Key: "contention", Kind: Word, Default: none, Words: []string{none, "occ"}, Doc: "what requests do to each other: occ, optimistic concurrency control on one row"},
	{Key: "rate_limit", Kind: Map, Default: none, Words: []string{none}, Doc: "a token bucket before the slots"},
	{Key: "outages", Kind: List, Default: "[]", Max: "1000", Form: "a list of maps such as {from: 0s, to: 500ms}", Doc: "when it fails; they must not overlap"},
}

var rateLimitFields = []Field{
	{Key: "rate", Kind: Rate, Required: true, Max: maxRate, Doc: "tokens per time"},
	{Key: "burst", Kind: Count, Required: true, Min: "1", Max: "1_000_000_000", Doc: "most tokens the bucket holds; it starts full"},
	{Key: "retry_after", Kind: Word, Default: "false", Words: []string{"true", "false"}, Doc: "whether a refusal says when the next free token comes, each asker one place later"},
	{Key: "ramp", Kind: Map, Default: none, Words: []string{none}, Form: "none, or a map such as {from: 10%, over: 60s}", Doc: "a rate that grows after each start"},
}

var outageFields = []Field{
	{Key: "from", Kind: Duration, Required: true, Doc: "its begin"},
	{Key: "to", Kind: Duration, Doc: "its end, itself no longer part of it; this or for"},
	forField,
	{Key: "mode", Kind: Word, Default: "refuse", Words: []string{"refuse", "hang", "slow", "stall"}, Doc: "what becomes of requests: answered with a failure at once, never answered, served slowly, or kept waiting until it ends"},
	{Key: "capacity", Kind: Share, Default: "0%", Max: "99.9999%", Doc: "share of the slots that still take work; above 0 it is a brown-out, and nothing is lost. With slow, all work, and take service / capacity"},
	{Key: "every", Kind: Duration, Default: none, Min: "1ns", Words: []string{none}, Doc: "it comes again every so often, times times in all"},
	{Key: "times", Kind: Count, Default: "1", Min: "1", Max: "1000", Doc: "how often it comes"},
}

var rampUpFields = []Field{
	{Key: "from", Kind: Share, Required: true, Max: "99.9999%", Doc: "the share that it begins with"},
	{Key: "over", Kind: Duration, Required: true, Min: "1us", Doc: "how long it takes to all of it"},
}

var queueTimeoutFields = []Field{
	{Key: "standing", Kind: Duration, Required: true, Min: "1us", Doc: "longest wait in a queue that was last empty more than interval ago"},
	{Key: "interval", Kind: Duration, Required: true, Min: "1us", Doc: "longest wait else; at least standing"},
}

// placeFields are the keys of what a rejection asks for.
var placeFields = []Field{
	{Key: "delay", Kind: Duration, Required: true, Min: "1ns", Words: []string{inLine}, Doc: "how long to wait, or place: until the line, at the nominal capacity, has come so far"},
	{Key: "jitter", Kind: Share, Default: "0%", Max: mostShare, Doc: "longer by up to this share of it, at random"},
}

// mostShare bounds the shares that may be above one.
const mostShare = "10000%"

var slowdownFields = []Field{
	{Key: "sigma", Kind: Share, Default: "0%", Max: mostShare, Doc: "what each other request in service adds to the time"},
	{Key: "kappa", Kind: Share, Default: "0%", Max: mostShare, Doc: "what each ordered pair of requests in service adds"},
}

var warmUpFields = []Field{
	{Key: "from", Kind: Share, Required: true, Min: "0.0001%", Max: "99.9999%", Doc: "share of its speed after a start"},
	{Key: "over", Kind: Duration, Min: "1us", Doc: "time until it has all of it; this or requests"},
	{Key: "requests", Kind: Count, Min: "1", Max: "1_000_000_000_000", Doc: "requests served until it has all of it; this or over"},
	coldField,
}

var coldField = Field{Key: "cold", Kind: Word, Default: "false", Words: []string{"true", "false"}, Doc: "whether t0 is a start, too"}

var cacheFields = []Field{
	{Key: "hit_ratio", Kind: Share, Required: true, Doc: "share of the requests that it answers when all keys are filled"},
	{Key: "hit", Kind: Duration, Required: true, Doc: "service time of a hit"},
	{Key: "keys", Kind: Count, Required: true, Min: "1", Max: "1_000_000_000", Doc: "keys; each miss that is done fills one"},
	{Key: "ttl", Kind: Duration, Default: none, Min: "1us", Words: []string{none}, Doc: "mean time after which a key is lost"},
	{Key: "fill", Kind: Word, Default: "served", Words: []string{"served", "answered"}, Doc: "who fills it: the service with each miss served, or the client, if it still waits for the answer"},
	coldField,
}

var poolFields = []Field{
	{Key: "max", Kind: Count, Required: true, Min: "1", Max: "100_000_000", Doc: "most connections; each serves one request at a time"},
	{Key: "handshake", Kind: Distribution, Required: true, Doc: "slot time that making one takes"},
	{Key: "open", Kind: Word, Default: "false", Words: []string{"true", "false"}, Doc: "whether all are there at t0"},
}

var crashFields = []Field{
	{Key: "in_flight", Kind: Count, Default: none, Min: "1", Max: "1_000_000_000", Words: []string{none}, Doc: "it breaks when more than so many are in the slots and the queue"},
	{Key: "queued", Kind: Count, Default: none, Min: "1", Max: "1_000_000_000", Words: []string{none}, Doc: "it breaks when more than so many wait, as for want of memory"},
	{Key: "liveness", Kind: Map, Default: none, Words: []string{none}, Form: "none, or a map such as {every: 10s, timeout: 1s, failures: 3}", Doc: "it is killed when probes fail in a row"},
	{Key: "down", Kind: Duration, Required: true, Min: "1us", Doc: "how long it is away each time"},
	{Key: "mode", Kind: Word, Default: "refuse", Words: []string{"refuse", "hang"}, Doc: "what becomes of requests, as in an outage"},
}

// livenessFields have the defaults of Kubernetes (periodSeconds, timeoutSeconds, failureThreshold).
var livenessFields = []Field{
	{Key: "every", Kind: Duration, Default: "10s", Min: "1ms", Doc: "from one probe to the next"},
	{Key: "timeout", Kind: Duration, Default: "1s", Min: "1us", Doc: "after which a probe has failed; at most every"},
	{Key: "failures", Kind: Count, Default: "3", Min: "1", Max: "1_000_000", Doc: "so many in a row are a crash"},
}
