package scenarios

// The shape of the traffic beside the herd and of the tiers, as format.go has that of the rest.

type fileArrivals struct {
	Rate    rateText     `json:"rate,omitempty"`
	From    durationText `json:"from,omitempty"`
	To      durationText `json:"to,omitempty"`
	Phases  []filePhase  `json:"phases,omitempty"`
	Trace   string       `json:"trace,omitempty"`
	Spacing wordText     `json:"spacing"`
	Clients uint64       `json:"clients"`
	Limits  *fileLimits  `json:"limits,omitempty"`
}

// A filePhase has one of the shapes and no other.
type filePhase struct {
	Rate  rateText     `json:"rate,omitempty"`
	Ramp  *fileRamp    `json:"ramp,omitempty"`
	Sine  *fileSine    `json:"sine,omitempty"`
	Spike *fileSpike   `json:"spike,omitempty"`
	From  durationText `json:"from"`
	To    durationText `json:"to"`
	For   durationText `json:"for,omitempty"` // never written: to says the same
}

type fileRamp struct {
	From rateText `json:"from"`
	To   rateText `json:"to"`
}

type fileSine struct {
	Mean      rateText     `json:"mean"`
	Amplitude rateText     `json:"amplitude"`
	Period    durationText `json:"period"`
}

type fileSpike struct {
	Peak  rateText     `json:"peak"`
	Decay durationText `json:"decay"`
}

type fileClients struct {
	Count  uint64       `json:"count"`
	Think  law          `json:"think"`
	From   durationText `json:"from"`
	To     durationText `json:"to"`
	Limits *fileLimits  `json:"limits,omitempty"`
}

type fileCron struct {
	Every  durationText `json:"every"`
	Count  uint64       `json:"count"`
	Spread spreadLaw    `json:"spread"`
	From   durationText `json:"from"`
	To     durationText `json:"to"`
	Limits *fileLimits  `json:"limits,omitempty"`
}

type fileTier struct {
	Attempts uint64       `json:"attempts"`
	Strategy tierStrategy `json:"strategy"`
	Timeout  durationText `json:"timeout"`
}

// A tierStrategy is the key of a strategy, or a fileStrategy.
type tierStrategy any

type fileVerdict struct {
	Within shareText    `json:"within"`
	For    durationText `json:"for"`
}
