package strategies

import (
	"time"
)

// Compounding grows from the wait that was made, jitter included, where Exponential grows from a delay without luck:
//
//	wait = R(J(min(Cap, Factor × previous)))    ClampBefore
//	     | min(Cap, Factor × R(J(previous)))    any other clamp
//
// The first wait is R(J(Base)), or First; so is one after a wait of 0. Luck multiplies up: a worker that drew short waits goes on with short ones, and
// the spread of retry k is that of a product of k draws. With ±20 % and factor 1.6 the eighth wait lies between 8.4 s and
// 78 s where gRPC's specification has 21.5 s to 32.2 s. Its mean is that of Exponential, until the cap.
//
// Source: grpc-js backoff-timeout (ClampBefore); kafkajs retry (ClampAfter).
type Compounding struct {
	Base     time.Duration // > 0
	Factor   float64       // >= 1
	Cap      time.Duration // >= Base, or 0 for none
	Jitter   Jitter
	Clamp    Clamp
	First    Exact
	Rounding Rounding
}

var _ PreviousReader = Compounding{}
var _ SleptReader = Compounding{}
var _ Capped = Compounding{}

// ReadsPrevious returns true.
func (Compounding) ReadsPrevious() bool { return true }

// ReadsSlept returns false.
func (Compounding) ReadsSlept() bool { return false }

// WaitCap returns the cap.
func (s Compounding) WaitCap() time.Duration { return max(s.Cap, 0) }

// Wait returns the u-quantile of the wait after a.Previous, and true.
func (s Compounding) Wait(a Attempt, u float64) (time.Duration, bool) {
	most := limit(s.Cap)
	if a.SinceReset <= 1 || a.Previous <= 0 { // nothing yet to grow from
		if s.First.Is {
			return s.First.law(s.Cap).At(u), true
		}
		first := s.Rounding.law(s.Jitter.law(min(max(s.Base, 0), most)))
		if s.Clamp != ClampBefore {
			first.Cap = most
		}
		return first.At(u), true
	}
	if s.Clamp == ClampBefore {
		x := ceiling(a.Previous, max(s.Factor, 0), 1, most)
		return s.Rounding.law(s.Jitter.law(x)).At(u), true
	}
	x := s.Rounding.law(s.Jitter.law(max(a.Previous, 0))).At(u)
	return ceiling(x, max(s.Factor, 0), 1, most), true
}

func (s Compounding) describe(retries int) []WaitStats { return describeChain(s, retries) }

// describeChain describes a strategy whose waits grow with the one before: what lies between is drawn, the ends are those
// of the workers that are always lucky and never.
func describeChain(s Strategy, retries int) []WaitStats {
	rows := describeDraws(s, retries)
	var low, high time.Duration
	for i := range rows {
		retry := rows[i].Retry
		low, _ = s.Wait(Attempt{Retry: retry, SinceReset: retry, Outcome: Rejected, Previous: low}, 0)
		high, _ = s.Wait(Attempt{Retry: retry, SinceReset: retry, Outcome: Rejected, Previous: high, PreviousU: topU}, topU)
		rows[i].Min, rows[i].Max = low, high
	}
	return rows
}

// longest returns the cap where waits can grow up to it, and the longest of the first retries where they cannot: a worker
// that is never lucky.
func (s Compounding) longest() time.Duration {
	longest, previous := time.Duration(0), time.Duration(0)
	for retry := 1; retry <= 64; retry++ {
		previous, _ = s.Wait(Attempt{Retry: retry, SinceReset: retry, Previous: previous}, topU)
		longest = max(longest, previous)
	}
	if s.Factor > 1 || s.Jitter.adds() { // it grows on
		grown := s.Rounding.law(s.Jitter.law(limit(s.Cap)))
		if s.Clamp != ClampBefore {
			grown.Cap = limit(s.Cap)
		}
		longest = max(longest, grown.At(topU))
	}
	return longest
}
