package guards

import (
	"math"
	"time"

	"herdsim/strategies"
)

// AdaptiveRate is the client-side rate limit of the AWS SDKs in adaptive mode. It lets everything through until the first
// rejection. From then on an attempt takes a token from a bucket, and is delayed until there is one; the bucket's rate
// follows CUBIC, the congestion control of TCP:
//
//	a rejection:  w = min(measured, rate) (measured alone at first), rate' = Beta × w, K = ∛(w × (1-Beta)/Scale)
//	else:         rate' = Scale × (t - K)³ + w                       t: seconds since the last rejection
//	rate        = max(MinRate, min(rate', 2 × measured))
//	capacity    = max(MinCapacity, rate)
//
// measured is the rate of answers in buckets of Bucket, smoothed: Smooth × the last bucket + (1-Smooth) × before. Tokens
// are given in the order of asking. Rates are per second.
//
// Source: AWS SDKs, adaptive retry mode, as in botocore 1.43.67 retries/adaptive.py, throttling.py and bucket.py:
// 0.5 s, 0.8, 0.7, 0.4, 0.5 per second, 1.
type AdaptiveRate struct {
	Bucket      time.Duration // > 0
	Smooth      float64       // in (0, 1]
	Beta        float64       // in (0, 1)
	Scale       float64       // > 0; per second³
	MinRate     float64       // > 0; per second
	MinCapacity float64       // >= 1; tokens
}

var _ Maker = (*AdaptiveRate)(nil)

// Make returns a limit that lets everything through.
func (p *AdaptiveRate) Make() Guard { return &adaptiveRate{p: p} }

type adaptiveRate struct {
	p                *AdaptiveRate
	enabled          bool
	measured         float64
	bucket, counted  int64         // the number of the bucket of the last measurement, and the answers since
	w, k             float64       // of CUBIC
	throttled        time.Duration // the last rejection
	tokens, rate, to float64       // to: capacity
	filled           time.Duration // when tokens was right
}

func (g *adaptiveRate) Allow(time.Duration, strategies.Outcome) (uint64, bool) { return 0, true }

// left returns the tokens at an instant, below 0 if some are promised.
func (g *adaptiveRate) left(now time.Duration) float64 {
	return min(g.tokens+max(now-g.filled, 0).Seconds()*g.rate, g.to)
}

func (g *adaptiveRate) fill(now time.Duration) {
	g.tokens = g.left(now)
	g.filled = now
}

func (g *adaptiveRate) Admit(now time.Duration, c Call, _ float64) Answer {
	if !g.enabled || c.Reserved {
		return Answer{}
	}
	g.fill(now)
	g.tokens--
	if g.tokens >= -1e-9 { // not for a rounding error
		return Answer{}
	}
	wait := math.Ceil(-g.tokens / g.rate * 1e9)
	if wait >= float64(math.MaxInt64-now) {
		return Answer{Verdict: Delay, Until: math.MaxInt64}
	}
	return Answer{Verdict: Delay, Until: now + time.Duration(wait)}
}

// measure counts an answer.
func (g *adaptiveRate) measure(now time.Duration) {
	g.counted++
	bucket := int64(now / g.p.Bucket)
	if bucket <= g.bucket {
		return
	}
	last := float64(g.counted) / (float64(bucket-g.bucket) * g.p.Bucket.Seconds())
	g.measured = last*g.p.Smooth + g.measured*(1-g.p.Smooth)
	g.counted, g.bucket = 0, bucket
}

func (g *adaptiveRate) Done(now time.Duration, _ Call, o strategies.Outcome) {
	g.measure(now)
	var rate float64
	if o == strategies.Rejected {
		g.w = g.measured
		if g.enabled {
			g.w = min(g.measured, g.rate)
		}
		g.k = math.Cbrt(g.w * (1 - g.p.Beta) / g.p.Scale)
		g.throttled = now
		rate = g.w * g.p.Beta
		g.enabled = true
	} else {
		g.k = math.Cbrt(g.w * (1 - g.p.Beta) / g.p.Scale)
		t := (now - g.throttled).Seconds() - g.k
		rate = g.p.Scale*t*t*t + g.w
	}
	g.fill(now)
	rate = min(rate, 2*g.measured)
	g.rate, g.to = max(rate, g.p.MinRate), max(rate, g.p.MinCapacity)
	g.tokens = min(g.tokens, g.to)
}

// Cancel takes back the token of an attempt that will ask for another.
func (g *adaptiveRate) Cancel(time.Duration, Call) {
	if g.enabled {
		g.tokens = min(g.tokens+1, g.to)
	}
}

func (g *adaptiveRate) Drop(_ time.Duration, c Call) {
	if c.Reserved {
		g.tokens = min(g.tokens+1, g.to)
	}
}

func (g *adaptiveRate) State(now time.Duration) State {
	if !g.enabled {
		return State{Level: 1}
	}
	return State{Level: share(g.left(now), g.to)}
}
