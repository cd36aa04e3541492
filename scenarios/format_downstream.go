package scenarios

// The shape of the downstream, as format.go has that of the rest.

type (
	limitMap        any // fileRateLimit, or none
	rampUpMap       any // fileRampUp, or none
	queueTimeoutMap any // a durationText, fileQueueTimeout, or none
	placeMap        any // a durationText, filePlace, place or none
	slowdownMap     any // fileSlowdown, or none
	warmUpMap       any // fileWarmUp, or none
	cacheMap        any // fileCache, or none
	poolMap         any // filePool, or none
	crashMap        any // fileCrash, or none
	livenessMap     any // fileLiveness, or none
)

type fileDownstream struct {
	Slots           countOrWord     `json:"slots"`
	Capacity        rateText        `json:"capacity,omitempty"` // never written: slots says the same
	Service         law             `json:"service"`
	Queue           countOrWord     `json:"queue"`
	Overflow        wordText        `json:"overflow"`
	Order           wordText        `json:"order"`
	LIFOAbove       uint64          `json:"lifo_above"`
	Concurrency     countOrWord     `json:"concurrency"`
	QueueTimeout    queueTimeoutMap `json:"queue_timeout"`
	CancelAbandoned bool            `json:"cancel_abandoned"`
	RejectCost      durationText    `json:"reject_cost"`
	RetryAfter      placeMap        `json:"retry_after"`
	Slowdown        slowdownMap     `json:"slowdown"`
	WarmUp          warmUpMap       `json:"warm_up"`
	Cache           cacheMap        `json:"cache"`
	Pool            poolMap         `json:"pool"`
	Crash           crashMap        `json:"crash"`
	Contention      wordText        `json:"contention"`
	RateLimit       limitMap        `json:"rate_limit"`
	Outages         []fileOutage    `json:"outages"`
}

type fileRateLimit struct {
	Rate       rateText  `json:"rate"`
	Burst      uint64    `json:"burst"`
	RetryAfter bool      `json:"retry_after"`
	Ramp       rampUpMap `json:"ramp"`
}

type fileOutage struct {
	From     durationText `json:"from"`
	To       durationText `json:"to"`
	For      durationText `json:"for,omitempty"` // never written, nor are every and times
	Mode     wordText     `json:"mode"`
	Capacity shareText    `json:"capacity"`
	Every    durationText `json:"every,omitempty"`
	Times    uint64       `json:"times,omitempty"`
}

type fileRampUp struct {
	From shareText    `json:"from"`
	Over durationText `json:"over"`
}

type fileQueueTimeout struct {
	Standing durationText `json:"standing"`
	Interval durationText `json:"interval"`
}

type filePlace struct {
	Delay  durationText `json:"delay"` // or place
	Jitter shareText    `json:"jitter"`
}

type fileSlowdown struct {
	Sigma shareText `json:"sigma"`
	Kappa shareText `json:"kappa"`
}

type fileWarmUp struct {
	From     shareText    `json:"from"`
	Over     durationText `json:"over,omitempty"`
	Requests uint64       `json:"requests,omitempty"`
	Cold     bool         `json:"cold"`
}

type fileCache struct {
	HitRatio shareText    `json:"hit_ratio"`
	Hit      durationText `json:"hit"`
	Keys     uint64       `json:"keys"`
	TTL      durationText `json:"ttl"`
	Fill     wordText     `json:"fill"`
	Cold     bool         `json:"cold"`
}

type filePool struct {
	Max       uint64 `json:"max"`
	Handshake law    `json:"handshake"`
	Open      bool   `json:"open"`
}

type fileCrash struct {
	InFlight countOrWord  `json:"in_flight"`
	Queued   countOrWord  `json:"queued"`
	Liveness livenessMap  `json:"liveness"`
	Down     durationText `json:"down"`
	Mode     wordText     `json:"mode"`
}

type fileLiveness struct {
	Every    durationText `json:"every"`
	Timeout  durationText `json:"timeout"`
	Failures uint64       `json:"failures"`
}
