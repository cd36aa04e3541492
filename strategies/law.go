package strategies

import (
	"math"
	"time"
)

// NoBound is the longest Duration, about 292 years: where waits without a cap saturate, and how a statistic says that
// there is no upper bound.
const NoBound time.Duration = math.MaxInt64

// topU is the largest u of 53 bits: the u of the longest wait.
const topU = 1 - 1.0/(1<<53)

// A Law is the distribution of one wait, a clipped uniform, written as its quantile function:
//
//	wait(u) = min(Cap, Base + round(Low + Width × u))    0 <= u < 1
//
// and what round gives is rounded down to a multiple of Grain, if there is one.
//
// Every wait of this package that depends on the retry's number and u alone, but that of Memoryless, has this form. Base is whole nanoseconds, so a wait without jitter is exact
// however long it is, and the random part is rounded once. A result lies in [0, Cap] and never decreases in u; rounding
// may bring it to the open end of an interval.
type Law struct {
	Base       time.Duration // >= 0
	Low, Width float64       // nanoseconds; Width >= 0, and Low >= 0 unless Base is 0
	Cap        time.Duration // NoBound for none
	Grain      time.Duration // >= 0; 0 for none
}

// Uniform is a Strategy whose waits depend on the retry's number and u alone, by a Law. Then
//
//	s.Wait(a, u) = s.Law(a.SinceReset - 1).At(u), true
//
// and whoever calls often may keep the first laws in a table. A type that embeds one of these strategies to change its
// Wait inherits a Law that no longer fits, and has to change that too.
type Uniform interface {
	Strategy
	// Law returns the distribution of the wait before retry n, counted from 0; below 0 counts as 0.
	Law(n int) Law
}

// At returns the wait at u, 0 <= u < 1: the u-quantile of the law.
func (l Law) At(u float64) time.Duration {
	// The conversion keeps compilers from fusing the two operations, which would round differently from one machine
	// to the next.
	above := l.Low + float64(l.Width*u)
	if !(above < 1<<63) {
		return l.Cap
	}
	if above < 0 {
		above = 0
	}
	n := uint64(int64(math.RoundToEven(above)))
	if l.Grain > 1 {
		n -= n % uint64(l.Grain)
	}
	return time.Duration(min(uint64(l.Base)+n, uint64(l.Cap)))
}

// atCap returns the chance that the wait is Cap: that it is cut there, or ends there without any luck.
func (l Law) atCap() float64 {
	if l.Grain > 0 {
		return l.latticeAtCap()
	}
	room := float64(l.Cap-l.Base) - l.Low
	switch {
	case room <= 0:
		return 1
	case l.Width <= room:
		return 0
	}
	return 1 - room/l.Width
}

// mean returns the expected wait: the integral of the quantile function, which is made of straight lines.
func (l Law) mean() time.Duration {
	if l.Grain > 0 {
		return l.latticeMean()
	}
	low, high := max(l.Low, 0), min(l.Low+l.Width, float64(l.Cap-l.Base))
	if l.Width <= 0 || high <= low {
		return l.At(0.5)
	}
	slope := (high - low) / l.Width * (low + high) / 2
	flat := l.atCap() * float64(l.Cap-l.Base)
	return Law{Base: l.Base, Low: slope + flat, Cap: l.Cap}.At(0)
}

// describe returns the statistics of the wait before the given retry.
func (l Law) describe(retry int) WaitStats {
	end := Law{Base: l.Base, Low: l.Low + l.Width, Cap: l.Cap}
	row := WaitStats{Retry: retry, Min: l.At(0), Mean: l.mean(), P95: l.At(0.95), Max: end.At(0), Exact: true}
	if l.Grain > 0 {
		row.Max = l.At(topU)
	}
	if l.Cap < NoBound { // there is a cap
		row.AtCapShare = l.atCap()
	}
	return row
}
