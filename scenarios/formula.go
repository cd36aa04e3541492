package scenarios

import (
	"fmt"
	"math"
	"strings"
	"time"

	"herdsim/downstream"
	"herdsim/strategies"
)

// formula writes the wait of an entry for people, with its numbers: U[0, min(32 s, 1 s × 2ⁿ)). n = 0 before the first
// retry.
func formula(e Entry, d downstream.Config) string {
	switch k := e.Strategy.(type) {
	case strategies.Immediate:
		return "at once"
	case strategies.Fixed:
		text := jittered(spoken(k.Delay), k.Jitter, 0, strategies.ClampBefore) + rounded(k.Rounding)
		if k.Sweep > 1 {
			text += fmt.Sprintf("; 0 unless n+1 is a multiple of %d", k.Sweep)
		}
		return text
	case strategies.Linear:
		return jittered(spoken(k.Base)+" × (n+1)", k.Jitter, k.Cap, k.Clamp) + rounded(k.Rounding)
	case strategies.Exponential:
		x := growth(k.Base, k.Factor, k.FirstExponent)
		if k.Less > 0 {
			x = "(" + x + " - " + spoken(k.Less) + ")"
		}
		return jittered(x, k.Jitter, k.Cap, k.Clamp) + rounded(k.Rounding) + exactly(k.First)
	case strategies.FullJitter:
		return "U[0, " + capped(growth(k.Base, k.Factor, k.FirstExponent), k.Cap) + ")" + rounded(k.Rounding)
	case strategies.EqualJitter:
		return "½E + U[0, ½E), E = " + capped(growth(k.Base, k.Factor, k.FirstExponent), k.Cap)
	case strategies.Decorrelated:
		low, upper := spoken(k.Base), formatNumber(k.Factor)+" × previous"
		if k.FromPrevious {
			low = "previous"
		}
		if k.ClampInside {
			return "U[" + low + ", " + capped(upper, k.Cap) + ")" + exactly(k.First)
		}
		return capped("U["+low+", "+upper+")", k.Cap) + exactly(k.First)
	case strategies.Schedule:
		return jittered(spokenList(k.Delays), k.Jitter, k.Cap, strategies.ClampAfter) + rounded(k.Rounding)
	case strategies.Polynomial:
		return polynomial(k)
	case strategies.Fibonacci:
		return jittered(spoken(k.Base)+" × F(n+2)", k.Jitter, k.Cap, k.Clamp) + rounded(k.Rounding)
	case strategies.Compounding:
		first := jittered(spoken(k.Base), k.Jitter, 0, strategies.ClampBefore)
		if k.First.Is {
			first = spoken(k.First.Wait)
		}
		return jittered(formatNumber(k.Factor)+" × previous", k.Jitter, k.Cap, k.Clamp) + rounded(k.Rounding) + "; first " + first
	case strategies.DecorrelatedV2:
		scale := spoken(k.Base) + " / 1.4 × "
		return capped(scale+"(f(n+u) - f(n-1+previous u))", k.Cap) + ", f(t) = 2^t × tanh(√(4t))"
	case strategies.FinagleExponential:
		text := "U[0, 2ⁿ × previous)"
		if k.Cap > 0 {
			text += ", or " + spoken(k.Cap) + " once 2ⁿ × previous is"
		}
		return text + "; first " + spoken(k.Base)
	case *Expr:
		return k.spoken()
	case strategies.Memoryless:
		return "Exp(" + spoken(k.Mean) + ")"
	}
	if e.Key == pacedKey {
		place := fmt.Sprintf("⌊place / %d⌋ × %s", d.Slots, spoken(d.Service.Mean()))
		return strings.TrimPrefix(spoken(d.Recovery())+" + ", "0 s + ") + place
	}
	return ""
}

// growth writes base × factorⁿ.
func growth(base time.Duration, factor float64, first int) string {
	if factor == 1 {
		return spoken(base)
	}
	exponent := "ⁿ"
	if first > 0 {
		exponent += "⁺" + superscript(first)
	}
	return spoken(base) + " × " + formatNumber(factor) + exponent
}

func superscript(n int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	return strings.Map(func(r rune) rune { return digits[r-'0'] }, fmt.Sprint(n))
}

func capped(x string, limit time.Duration) string {
	if limit == 0 {
		return x
	}
	return "min(" + spoken(limit) + ", " + x + ")"
}

// jittered writes J(x) with the cap where clamp says.
func jittered(x string, j strategies.Jitter, limit time.Duration, clamp strategies.Clamp) string {
	if j.Kind == strategies.JitterNone {
		return capped(x, limit)
	}
	if clamp == strategies.ClampBefore || clamp == strategies.ClampBoth {
		x = capped(x, limit)
	}
	if strings.Contains(x, ", ") && !strings.HasPrefix(x, "min(") { // a list of delays
		x = "(" + x + ")"
	}
	after := ""
	switch j.Kind {
	case strategies.JitterFull:
		x = "U[0, " + x + ")"
	case strategies.JitterEqual:
		x, after = "½x + U[0, ½x)", ", x = "+x
	case strategies.JitterAround:
		x += " × (1 ± " + formatShare(j.Share) + ")"
	case strategies.JitterAbove:
		x += " × (1 + U[0, " + formatShare(j.Share) + "))"
	case strategies.JitterAdded:
		x = strings.TrimPrefix(x+" + ", "0 s + ") + "U[0, " + spoken(j.Spread) + ")"
	case strategies.JitterBetween:
		x += " × U[" + formatShare(j.Share) + ", " + formatShare(j.Upto) + ")"
	}
	switch {
	case clamp == strategies.ClampInstead && limit > 0:
		return x + after + ", or " + spoken(limit) + " once that is reached"
	case clamp != strategies.ClampBefore && clamp != strategies.ClampInstead:
		x = capped(x, limit)
	}
	return x + after
}

// polynomial writes base + unit × nᴾ with its jitter.
func polynomial(k strategies.Polynomial) string {
	n := "n"
	if k.Origin > 0 {
		n = fmt.Sprintf("(n+%d)", k.Origin)
	}
	switch p := k.Power; {
	case p == math.Trunc(p) && p >= 2 && p <= 8: // the raised digits that fonts have
		n += superscript(int(p))
	case p != 1:
		n += "^" + formatNumber(p)
	}
	x := strings.TrimPrefix(spoken(k.Base)+" + ", "0 s + ") + spoken(k.Unit) + " × " + n
	if k.Base > 0 && k.Jitter.Kind != strategies.JitterNone && k.Jitter.Kind != strategies.JitterAdded {
		x = "(" + x + ")"
	}
	switch {
	case k.Jitter.Kind != strategies.JitterAdded || k.Rising == strategies.RisingNone:
		return jittered(x, k.Jitter, k.Cap, k.Clamp) + rounded(k.Rounding)
	case k.Rising == strategies.RisingSteps:
		return jittered(x+" + (n+1) × U[0, "+spoken(k.Jitter.Spread)+")", strategies.Jitter{}, k.Cap, k.Clamp) + rounded(k.Rounding)
	}
	return jittered(x+" + U[0, "+spoken(k.Jitter.Spread)+" × (n+1))", strategies.Jitter{}, k.Cap, k.Clamp) + rounded(k.Rounding)
}

// rounded says to what a wait is rounded, behind its formula.
func rounded(r strategies.Rounding) string {
	if r.Grain == 0 {
		return ""
	}
	return map[strategies.RoundingMode]string{
		strategies.RoundDown: ", rounded down to ", strategies.RoundNearest: ", rounded to ", strategies.RoundUp: ", rounded up to ",
		strategies.RoundInclusive: ", both ends included, in steps of ",
	}[r.Mode] + spoken(r.Grain)
}

// exactly says which wait the first one is instead.
func exactly(e strategies.Exact) string {
	if !e.Is {
		return ""
	}
	return "; first " + spoken(e.Wait)
}

// spokenList writes a list of delays, at most the first few.
func spokenList(delays []time.Duration) string {
	const most = 6
	var parts []string
	for i, d := range delays {
		if i == most {
			parts = append(parts, fmt.Sprintf("… %d more", len(delays)-i))
			break
		}
		parts = append(parts, spoken(d))
	}
	return strings.Join(parts, ", ")
}

// spoken writes a duration for people, in the largest unit that fits: 32 s, 100 ms, 1.25 s. Minutes and more have to
// come out whole, and 60 s stay seconds, for that is how people set a cap.
func spoken(d time.Duration) string {
	for _, u := range spokenUnits {
		if d >= u.least && (u.per < time.Minute || d%u.per == 0) {
			return formatNumber(float64(d)/float64(u.per)) + " " + u.name
		}
	}
	return "0 s"
}

var spokenUnits = []struct {
	per, least time.Duration
	name       string
}{
	{day, day, "d"}, {time.Hour, time.Hour, "h"}, {time.Minute, 2 * time.Minute, "min"}, {time.Second, time.Second, "s"},
	{time.Millisecond, time.Millisecond, "ms"}, {time.Microsecond, time.Microsecond, "µs"}, {1, 1, "ns"},
}
