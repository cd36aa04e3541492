package scenarios

// The shape of a scenario file, with every default filled in. Scenarios are written through these structs, and the JSON
// Schema is generated from them; what each key means, its default and its limits are in the tables of fields.

//go:generate go test -run TestSchemaIsCurrent -update .

type (
	durationText string // 100ms
	rateText     string // 200/s
	shareText    string // 5%
	jitterText   string // none, full, 10%, 500ms
	wordText     string // one of the field's words

	countOrWord any // uint64 or wordText
	law         any // durationText or one of the law structs
	startLaw    any // durationText or one of the law structs, or a trace
	spreadLaw   any // durationText or one of the law structs of a start
	arrivalsMap any // fileArrivals, or none
	clientsMap  any // fileClients, or none
	cronMap     any // fileCron, or none

	retryAfterMap any // fileRetryAfter, honor or ignore
	pollMap       any // filePoll, or none
	presetMap     any // a name, or a map with the name and fields of its strategy
)

type fileScenario struct {
	Name       string         `json:"name"`
	Title      string         `json:"title,omitempty"`
	About      string         `json:"about,omitempty"`
	Seed       uint64         `json:"seed"`
	Replicates uint64         `json:"replicates"`
	Horizon    durationText   `json:"horizon"`
	MaxEvents  uint64         `json:"max_events"`
	Window     durationText   `json:"window"`
	Workers    uint64         `json:"workers,omitempty"`
	Messages   *fileMessages  `json:"messages,omitempty"`
	Broker     brokerMap      `json:"broker"`
	Start      startLaw       `json:"start"`
	Network    law            `json:"network"`
	Arrivals   arrivalsMap    `json:"arrivals"`
	Clients    clientsMap     `json:"clients"`
	Cron       cronMap        `json:"cron"`
	Task       fileTask       `json:"task"`
	Limits     fileLimits     `json:"limits"`
	Guards     []fileGuard    `json:"guards"`
	Tiers      []fileTier     `json:"tiers"`
	Deadlines  wordText       `json:"deadlines"`
	Downstream fileDownstream `json:"downstream"`
	Strategies []fileEntry    `json:"strategies"`
	Verdict    fileVerdict    `json:"verdict"`
	Expect     []string       `json:"expect"`
}

type fileTask struct {
	Timeout   durationText `json:"timeout"`
	Poison    shareText    `json:"poison"`
	ErrorRate shareText    `json:"error_rate"`
}

type fileLimits struct {
	MaxAttempts uint64       `json:"max_attempts"`
	MaxElapsed  durationText `json:"max_elapsed"`
	Deadline    durationText `json:"deadline,omitempty"`
}

type fileExponentialLaw struct {
	Exponential durationText `json:"exponential"`
}

type fileLognormalLaw struct {
	Lognormal fileMeanCV `json:"lognormal"`
}

type fileGammaLaw struct {
	Gamma fileMeanCV `json:"gamma"`
}

type fileMeanCV struct {
	Mean durationText `json:"mean"`
	CV   float64      `json:"cv"`
}

type fileUniformLaw struct {
	Uniform fileUniform `json:"uniform"`
}

type fileUniform struct {
	Min durationText `json:"min"`
	Max durationText `json:"max"`
}

type fileBimodalLaw struct {
	Bimodal fileBimodal `json:"bimodal"`
}

type fileBimodal struct {
	Fast      durationText `json:"fast"`
	Slow      durationText `json:"slow"`
	SlowShare shareText    `json:"slow_share"`
}

type fileNormalLaw struct {
	Normal fileNormal `json:"normal"`
}

type fileNormal struct {
	Mean durationText `json:"mean"`
	SD   durationText `json:"sd"`
}

type fileTraceLaw struct {
	Trace string `json:"trace"`
}

// A fileStrategy has one of the strategies and no other.
type fileStrategy struct {
	Immediate    *fileImmediate    `json:"immediate,omitempty"`
	Fixed        *fileFixed        `json:"fixed,omitempty"`
	Linear       *fileLinear       `json:"linear,omitempty"`
	Exponential  *fileExponential  `json:"exponential,omitempty"`
	FullJitter   *fileFullJitter   `json:"full-jitter,omitempty"`
	EqualJitter  *fileEqualJitter  `json:"equal-jitter,omitempty"`
	Decorrelated *fileDecorrelated `json:"decorrelated,omitempty"`
	Schedule     *fileSchedule     `json:"schedule,omitempty"`
	Memoryless   *fileMemoryless   `json:"memoryless,omitempty"`
	Polynomial   *filePolynomial   `json:"polynomial,omitempty"`
	Fibonacci    *fileFibonacci    `json:"fibonacci,omitempty"`
	Compounding  *fileCompounding  `json:"compounding,omitempty"`
	V2           *fileV2           `json:"decorrelated-v2,omitempty"`
	Finagle      *fileFinagle      `json:"finagle-exponential,omitempty"`
	Expr         *fileExpr         `json:"expr,omitempty"`
	Paced        *filePaced        `json:"paced,omitempty"`
}

// A fileEntry is a strategy and what is an entry's own.
type fileEntry struct {
	Name string `json:"name"`
	fileStrategy
	Preset     presetMap     `json:"preset,omitempty"`
	Limits     *fileLimits   `json:"limits,omitempty"`
	Guards     *[]fileGuard  `json:"guards,omitempty"`
	Start      startLaw      `json:"start,omitempty"`
	Broker     *fileBroker   `json:"broker,omitempty"`
	FirstWait  durationText  `json:"first_wait"`
	RetryAfter retryAfterMap `json:"retry_after"`
	Poll       pollMap       `json:"poll,omitempty"`
}

type fileRetryAfter struct {
	Max    durationText `json:"max"`
	Jitter shareText    `json:"jitter"`
}

type filePoll struct {
	Every     durationText `json:"every"`
	Jitter    shareText    `json:"jitter"`
	Processes uint64       `json:"processes"`
}

type (
	fileImmediate struct{}
	filePaced     struct{}
)

// A fileRounding is written only where there is one, as are the other fields that few clients need.
type fileRounding struct {
	Grain    durationText `json:"grain,omitempty"`
	Rounding wordText     `json:"rounding,omitempty"`
}

type fileFixed struct {
	Delay  durationText `json:"delay"`
	Jitter jitterText   `json:"jitter"`
	fileRounding
	Sweep uint64 `json:"sweep,omitempty"`
}

type fileLinear struct {
	Base   durationText `json:"base"`
	Cap    durationText `json:"cap"`
	Jitter jitterText   `json:"jitter"`
	Clamp  wordText     `json:"clamp"`
	fileRounding
}

type fileExponential struct {
	Base          durationText `json:"base"`
	Factor        float64      `json:"factor"`
	Cap           durationText `json:"cap"`
	Jitter        jitterText   `json:"jitter"`
	Clamp         wordText     `json:"clamp"`
	FirstExponent uint64       `json:"first_exponent"`
	Less          durationText `json:"less,omitempty"`
	First         durationText `json:"first,omitempty"`
	fileRounding
}

type fileFullJitter struct {
	fileEqualJitter
	fileRounding
}

type fileEqualJitter struct {
	Base          durationText `json:"base"`
	Factor        float64      `json:"factor"`
	Cap           durationText `json:"cap"`
	FirstExponent uint64       `json:"first_exponent"`
}

type fileDecorrelated struct {
	Base   durationText `json:"base"`
	Factor float64      `json:"factor"`
	Cap    durationText `json:"cap"`
	Clamp  wordText     `json:"clamp"`
	From   wordText     `json:"from,omitempty"`
	First  durationText `json:"first,omitempty"`
}

type fileSchedule struct {
	Delays []durationText `json:"delays"`
	Jitter jitterText     `json:"jitter"`
	Cap    durationText   `json:"cap,omitempty"`
	fileRounding
}

type filePolynomial struct {
	Base   durationText `json:"base"`
	Unit   durationText `json:"unit"`
	Power  float64      `json:"power"`
	Origin uint64       `json:"origin"`
	Cap    durationText `json:"cap"`
	Jitter jitterText   `json:"jitter"`
	Rising wordText     `json:"rising,omitempty"`
	Clamp  wordText     `json:"clamp"`
	fileRounding
}

type fileFibonacci struct {
	Base   durationText `json:"base"`
	Cap    durationText `json:"cap"`
	Jitter jitterText   `json:"jitter"`
	Clamp  wordText     `json:"clamp"`
	fileRounding
}

type fileCompounding struct {
	Base   durationText `json:"base"`
	Factor float64      `json:"factor"`
	Cap    durationText `json:"cap"`
	Jitter jitterText   `json:"jitter"`
	Clamp  wordText     `json:"clamp"`
	First  durationText `json:"first,omitempty"`
	fileRounding
}

type fileV2 struct {
	Base durationText `json:"base"`
	Cap  durationText `json:"cap"`
}

type fileFinagle fileV2

type fileExpr struct {
	Formula string       `json:"formula"`
	Base    durationText `json:"base"`
	Cap     durationText `json:"cap"`
}

type fileMemoryless struct {
	Mean durationText `json:"mean"`
}
