package sim

// Randomness is keyed: a number is a function of (seed, purpose, entity, index), so the n-th wait of worker 17 is the
// same whatever strategy, order or thread asks for it, and strategies compared under one seed see the same luck.

const (
	golden = 0x9e3779b97f4a7c15 // 2^64 / golden ratio, the increment of SplitMix64
	oddA   = 0xd1b54a32d192ed03 // an odd constant of the same family, for the second coordinate
)

// mix64 is the finaliser of SplitMix64 (Stafford's variant 13): a bijection whose output bits each depend on all
// input bits.
// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
func mix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// A purpose keeps the streams of one entity apart.
type purpose uint64

const (
	forWait purpose = iota + 1
	forStart
	forService
	forRequestDelay
	forReplyDelay
	forPoison
	forError
	forArrival
	forClient
	forGuard
	forPutOff
	forRetryAfter
	forPoll
	forHandshake
	forReadReply
	forWriteRequest
	forCache
	forAsking
	forThink
	forCron
	forTier
)

// A stream is the family of random numbers of one purpose under one seed.
type stream uint64

func newStream(seed uint64, p purpose) stream {
	return stream(mix64(mix64(seed+golden) + uint64(p)*oddA))
}

// bits returns the 64 random bits of (entity, index).
func (s stream) bits(entity, index uint64) uint64 {
	return mix64(mix64(uint64(s)+entity*golden) + index*oddA)
}

// uniform returns the number of (entity, index), uniform in [0, 1) with 53 bits.
func (s stream) uniform(entity, index uint64) float64 {
	return float64(s.bits(entity, index)>>11) * (1.0 / (1 << 53))
}

// A source is a SplitMix64 generator, a rand.Source for distributions that need more than one number.
type source struct{ state uint64 }

func (s *source) seed(from stream, entity, index uint64) { s.state = from.bits(entity, index) }

func (s *source) Uint64() uint64 {
	s.state += golden
	return mix64(s.state)
}
