package scenarios

import (
	"fmt"
	"time"

	"herdsim/strategies"
)

// encodeStrategy writes a strategy under its key; nil is paced.
func encodeStrategy(s strategies.Strategy) (f fileStrategy) {
	switch k := s.(type) {
	case nil:
		f.Paced = &filePaced{}
	case strategies.Immediate:
		f.Immediate = &fileImmediate{}
	case strategies.Fixed:
		f.Fixed = &fileFixed{encodeDuration(k.Delay), encodeJitter(k.Jitter), encodeRounding(k.Rounding), uint64(k.Sweep)}
	case strategies.Linear:
		f.Linear = &fileLinear{
			encodeDuration(k.Base), encodeOptional(k.Cap), encodeJitter(k.Jitter), encodeClamp(k.Clamp), encodeRounding(k.Rounding),
		}
	case strategies.Exponential:
		f.Exponential = &fileExponential{
			encodeDuration(k.Base), k.Factor, encodeOptional(k.Cap), encodeJitter(k.Jitter), encodeClamp(k.Clamp), uint64(k.FirstExponent),
			encodeIfAny(k.Less), encodeExact(k.First), encodeRounding(k.Rounding),
		}
	case strategies.FullJitter:
		growth := fileEqualJitter{encodeDuration(k.Base), k.Factor, encodeOptional(k.Cap), uint64(k.FirstExponent)}
		f.FullJitter = &fileFullJitter{growth, encodeRounding(k.Rounding)}
	case strategies.EqualJitter:
		f.EqualJitter = &fileEqualJitter{encodeDuration(k.Base), k.Factor, encodeOptional(k.Cap), uint64(k.FirstExponent)}
	case strategies.Decorrelated:
		f.Decorrelated = encodeDecorrelated(k)
	case strategies.Schedule:
		f.Schedule = &fileSchedule{Jitter: encodeJitter(k.Jitter), Cap: encodeIfAny(k.Cap), fileRounding: encodeRounding(k.Rounding)}
		for _, d := range k.Delays {
			f.Schedule.Delays = append(f.Schedule.Delays, encodeDuration(d))
		}
	case strategies.Polynomial:
		f.Polynomial = &filePolynomial{
			encodeDuration(k.Base), encodeDuration(k.Unit), k.Power, uint64(k.Origin), encodeOptional(k.Cap), encodeJitter(k.Jitter),
			encodeRising(k.Rising), encodeClamp(k.Clamp), encodeRounding(k.Rounding),
		}
	case strategies.Fibonacci:
		f.Fibonacci = &fileFibonacci{
			encodeDuration(k.Base), encodeOptional(k.Cap), encodeJitter(k.Jitter), encodeClamp(k.Clamp), encodeRounding(k.Rounding),
		}
	case strategies.Compounding:
		f.Compounding = &fileCompounding{
			encodeDuration(k.Base), k.Factor, encodeOptional(k.Cap), encodeJitter(k.Jitter), encodeClamp(k.Clamp),
			encodeExact(k.First), encodeRounding(k.Rounding),
		}
	case strategies.DecorrelatedV2:
		f.V2 = &fileV2{encodeDuration(k.Base), encodeOptional(k.Cap)}
	case strategies.FinagleExponential:
		f.Finagle = &fileFinagle{encodeDuration(k.Base), encodeOptional(k.Cap)}
	case *Expr:
		f.Expr = &fileExpr{k.Formula, encodeDuration(k.Base), encodeOptional(k.Cap)}
	case strategies.Memoryless:
		f.Memoryless = &fileMemoryless{encodeDuration(k.Mean)}
	default:
		panic(fmt.Sprintf("scenarios: the strategy %T has no form in a file", k))
	}
	return f
}

func encodeDecorrelated(k strategies.Decorrelated) *fileDecorrelated {
	f := &fileDecorrelated{encodeDuration(k.Base), k.Factor, encodeOptional(k.Cap), "outside", "", encodeExact(k.First)}
	if k.ClampInside {
		f.Clamp = "inside"
	}
	if k.FromPrevious {
		f.From = "previous"
	}
	return f
}

// encodeIfAny writes a duration that is left out if there is none.
func encodeIfAny(d time.Duration) durationText {
	if d == 0 {
		return ""
	}
	return encodeDuration(d)
}

func encodeExact(e strategies.Exact) durationText {
	if !e.Is {
		return ""
	}
	return encodeDuration(e.Wait)
}

func encodeRounding(r strategies.Rounding) fileRounding {
	if r.Grain == 0 {
		return fileRounding{}
	}
	return fileRounding{encodeDuration(r.Grain), wordText(roundingWords[r.Mode])}
}

func encodeRising(r strategies.Rising) wordText {
	switch r {
	case strategies.RisingWidth:
		return "width"
	case strategies.RisingSteps:
		return "steps"
	}
	return ""
}

func encodeJitter(j strategies.Jitter) jitterText {
	switch j.Kind {
	case strategies.JitterFull:
		return "full"
	case strategies.JitterEqual:
		return "equal"
	case strategies.JitterAround:
		return jitterText(formatShare(j.Share))
	case strategies.JitterAbove:
		return jitterText("+" + formatShare(j.Share))
	case strategies.JitterAdded:
		return jitterText(formatDuration(j.Spread))
	case strategies.JitterBetween:
		return jitterText(formatShare(j.Share) + ".." + formatShare(j.Upto))
	}
	return none
}

func encodeClamp(c strategies.Clamp) wordText {
	switch c {
	case strategies.ClampAfter:
		return "after"
	case strategies.ClampBoth:
		return "both"
	case strategies.ClampInstead:
		return "instead"
	}
	return "before"
}
