package scenarios

// The shape of a message broker, as format.go has that of the rest.

type (
	brokerMap    any // fileBroker, or none
	alertMap     any // fileAlert, or none
	replayMap    any // fileReplay, or none
	onFailureMap any // filePublish, or one of the words
)

type fileMessages struct {
	Count  uint64 `json:"count,omitempty"`
	Poison uint64 `json:"poison"`
}

// A fileBroker has the keys of its topology and no others.
type fileBroker struct {
	Era           wordText       `json:"era"`
	Queue         wordText       `json:"queue,omitempty"`
	Prefetch      countOrWord    `json:"prefetch"`
	Handler       wordText       `json:"handler"`
	Delivery      durationText   `json:"delivery"`
	Topology      wordText       `json:"topology"`
	Then          wordText       `json:"then,omitempty"`
	TTL           durationText   `json:"ttl,omitempty"`
	Rungs         []durationText `json:"rungs,omitempty"`
	Min           durationText   `json:"min,omitempty"`
	Max           durationText   `json:"max,omitempty"`
	Queues        []fileQueue    `json:"queues,omitempty"`
	OnFailure     onFailureMap   `json:"on_failure,omitempty"`
	DeliveryLimit countOrWord    `json:"delivery_limit,omitempty"`
	Count         wordText       `json:"count"`
	Headers       wordText       `json:"headers"`
	MaxLength     countOrWord    `json:"max_length,omitempty"`
	Overflow      wordText       `json:"overflow,omitempty"`
	DeadLetter    wordText       `json:"dead_letter,omitempty"`
	Crash         bool           `json:"crash"`
	AckTimeout    durationText   `json:"ack_timeout"`
	Tick          durationText   `json:"tick"`
	Alert         alertMap       `json:"alert"`
	Replay        replayMap      `json:"replay"`
}

type fileQueue struct {
	Name          string       `json:"name"`
	Kind          wordText     `json:"kind"`
	TTL           durationText `json:"ttl"`
	DeadLetterTo  wordText     `json:"dead_letter_to"`
	MaxLength     countOrWord  `json:"max_length"`
	Overflow      wordText     `json:"overflow"`
	DeliveryLimit countOrWord  `json:"delivery_limit"`
	DeadLetter    wordText     `json:"dead_letter"`
}

type filePublish struct {
	Publish string   `json:"publish"`
	TTL     wordText `json:"ttl"`
}

type fileAlert struct {
	Depth uint64 `json:"depth"`
}

type fileReplay struct {
	At         durationText `json:"at"`
	Rate       rateText     `json:"rate"`
	ResetCount bool         `json:"reset_count"`
}
