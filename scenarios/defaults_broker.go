package scenarios

var messagesFields = []Field{
	{Key: "count", Kind: Count, Default: "0", Max: "100_000_000", Doc: "how many lie in the work queue at t0: the herd"},
	{Key: "poison", Kind: Count, Default: "0", Max: "100_000_000", Doc: "so many of them, the first, never succeed"},
}

// maxConsumers bounds the workers of a broker.
const maxConsumers = 1_000_000

// Words of a queue.
var (
	kinds      = []string{"classic", "quorum"}
	overflows  = []string{"drop-head", "reject-publish", "reject-publish-dlx"}
	guarantees = []string{"at-most-once", "at-least-once"}
	eras       = []string{"3.10", "3.13", "4.0", "4.3"} // in the order of broker.Era
)

// byEra is the word for a limit that the version of the broker sets.
const byEra = "default"

// The keys of a queue that the work queue of a topology and the queues of a custom one have in common.
var (
	maxLengthField     = Field{Key: "max_length", Kind: Count, Default: none, Max: "1_000_000_000", Words: []string{none}, Doc: "most ready messages of the work queue"}
	overflowField      = Field{Key: "overflow", Kind: Word, Default: "drop-head", Words: overflows, Doc: "what becomes of a message for which there is no room: the oldest is dead-lettered instead, or it is turned away, or turned away and dead-lettered (classic)"}
	deliveryLimitField = Field{Key: "delivery_limit", Kind: Count, Default: byEra, Max: "1_000_000", Words: []string{byEra, none}, Doc: "how often a message may come back to a quorum queue; default: 20 from 4.0 on, else none"}
	deadLetterField    = Field{Key: "dead_letter", Kind: Word, Default: "at-most-once", Words: guarantees, Doc: "whether a dead letter that finds no room is lost, or kept until it has arrived (quorum, with overflow: reject-publish)"}
)

var brokerFields = []Field{
	{Key: "era", Kind: Word, Default: "4.0", Words: eras, Doc: "the versions that it behaves as: 3.10 (to 3.12, and from 3.13.3 on), 3.13 (.0 to .2), 4.0 (to 4.2), 4.3"},
	{Key: "queue", Kind: Word, Default: "classic", Words: kinds, Doc: "the kind of the work queue and of the queues that messages wait in"},
	{Key: "prefetch", Kind: Count, Default: "10", Min: "1", Max: "1_000_000", Words: []string{unlimited}, Doc: "how many unacknowledged messages each consumer holds at most"},
	{Key: "handler", Kind: Word, Default: "concurrent", Words: []string{"concurrent", "sequential"}, Doc: "whether a consumer works on all that it holds at once, or on one after the other"},
	{Key: "delivery", Kind: Duration, Default: "400us", Min: "1us", Max: "1h", Doc: "how long a message takes from the broker to a handler that waits for it"},
	{Key: "topology", Kind: Word, Required: true, Words: []string{requeueing, sleeping, ttlQueue, fixedTTL, ladder, delayedExchange, binaryLevels, delayedRetry, custom}, Doc: "how a message waits for its next attempt"},
	{Key: "then", Kind: Word, Default: "dead-letter", Words: []string{"dead-letter", "requeue"}, Doc: "sleep: what becomes of the message after the wait"},
	{Key: "ttl", Kind: Duration, Min: "1ms", Doc: "fixed-ttl, which needs it: how long each message waits"},
	{Key: "rungs", Kind: List, Max: "64", Form: "a list of 1 to 64 ascending durations of at least 1ms, such as [1s, 2s, 4s, 8s]", Doc: "ladder, which needs them: the waits of its queues, ascending"},
	{Key: "min", Kind: Duration, Min: "1ms", Doc: "delayed-retry, which needs it: the wait grows by it with each failed delivery"},
	{Key: "max", Kind: Duration, Min: "1ms", Doc: "delayed-retry, which needs it: the longest wait"},
	{Key: "queues", Kind: List, Max: "64", Form: "a list of 2 to 64 maps such as {name: retry, ttl: 30s, dead_letter_to: work}", Doc: "custom, which needs them: the first is the work queue, one is named dlq"},
	{Key: "on_failure", Kind: Map, Words: []string{"requeue", "return", "dead-letter", "sleep"}, Form: "requeue, return, dead-letter, sleep, or a map such as {publish: retry, ttl: wait}", Doc: "custom, which needs it: what a consumer does with a message whose attempt has failed"},
	deliveryLimitField,
	{Key: "count", Kind: Word, Words: []string{"header", "x-death"}, Doc: "how clients count retries for limits.max_attempts: by a header of their own, or by the expiries in x-death; if not given x-death where consumers dead-letter (fixed-ttl), else header"},
	{Key: "headers", Kind: Word, Default: "copied", Words: []string{"copied", "fresh"}, Doc: "whether a client that publishes a message again copies what the broker wrote into its headers"},
	maxLengthField,
	overflowField,
	deadLetterField,
	{Key: "crash", Kind: Word, Default: "false", Words: []string{"true", "false"}, Doc: "whether a message that never succeeds takes its consumer down, with all that it holds"},
	{Key: "ack_timeout", Kind: Duration, Default: "30m", Min: "1ms", Words: []string{none}, Doc: "a consumer that has not answered a delivery for so long loses its channel at the next tick, and all it holds is requeued"},
	{Key: "tick", Kind: Duration, Default: "60s", Min: "1ms", Doc: "how often that is looked at"},
	{Key: "alert", Kind: Map, Default: none, Words: []string{none}, Form: "none, or a map such as {depth: 100}", Doc: "somebody is called when the queue of dead letters gets deeper than that"},
	{Key: "replay", Kind: Map, Default: none, Words: []string{none}, Form: "none, or a map such as {at: 60s, rate: 50/s}", Doc: "what is in the queue of dead letters then goes back to the work queue"},
}

var alertFields = []Field{
	{Key: "depth", Kind: Count, Required: true, Max: "100_000_000", Doc: "messages that may lie there"},
}

var replayFields = []Field{
	{Key: "at", Kind: Duration, Required: true, Doc: "when it begins"},
	{Key: "rate", Kind: Rate, Default: none, Max: maxRate, Words: []string{none}, Doc: "how fast; none: all at once, as a shovel does"},
	{Key: "reset_count", Kind: Word, Default: "false", Words: []string{"true", "false"}, Doc: "whether the count of retries begins anew; a shovel leaves headers as they are"},
}

// queueFields are the keys of an item of broker.queues.
var queueFields = []Field{
	{Key: "name", Kind: Text, Required: true, Max: "64", Form: "1 to 64 of the characters a-z, A-Z, 0-9, ., _ and -", Doc: "its name; dlq is where dead letters stay"},
	{Key: "kind", Kind: Word, Words: kinds, Doc: "its kind; broker.queue if not given"},
	{Key: "ttl", Kind: Duration, Default: none, Min: "1ms", Words: []string{none}, Doc: "how long a message may stay (x-message-ttl)"},
	{Key: "dead_letter_to", Kind: Text, Default: none, Max: "64", Words: []string{none}, Form: "the name of one of the queues, or none", Doc: "where its dead letters go; none: they are dropped"},
	withDoc(maxLengthField, "most ready messages"),
	overflowField,
	deliveryLimitField,
	deadLetterField,
}

var publishFields = []Field{
	{Key: "publish", Kind: Text, Required: true, Max: "64", Form: "the name of one of the queues", Doc: "the queue that the message is published to, and then acknowledged"},
	{Key: "ttl", Kind: Word, Default: "wait", Words: []string{"wait", none}, Doc: "whether the wait of the strategy is its time to live there (expiration)"},
}

// withDoc returns the same field, said in another way.
func withDoc(f Field, doc string) Field {
	f.Doc = doc
	return f
}
