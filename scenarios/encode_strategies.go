package scenarios

import (
	"fmt"

	"herdsim/strategies"
)

// encodeStrategy writes the strategy of an entry under its key.
func encodeStrategy(f *fileEntry, e Entry) {
	switch k := e.Strategy.(type) {
	case nil:
		f.Paced = &filePaced{}
	case strategies.Immediate:
		f.Immediate = &fileImmediate{}
	case strategies.Fixed:
		f.Fixed = &fileFixed{encodeDuration(k.Delay), encodeJitter(k.Jitter)}
	case strategies.Linear:
		f.Linear = &fileLinear{encodeDuration(k.Base), encodeOptional(k.Cap), encodeJitter(k.Jitter), encodeClamp(k.Clamp)}
	case strategies.Exponential:
		f.Exponential = &fileExponential{
			encodeDuration(k.Base), k.Factor, encodeOptional(k.Cap), encodeJitter(k.Jitter), encodeClamp(k.Clamp), uint64(k.FirstExponent),
		}
	case strategies.FullJitter:
		f.FullJitter = &fileFullJitter{encodeDuration(k.Base), k.Factor, encodeOptional(k.Cap), uint64(k.FirstExponent)}
	case strategies.EqualJitter:
		f.EqualJitter = &fileEqualJitter{encodeDuration(k.Base), k.Factor, encodeOptional(k.Cap), uint64(k.FirstExponent)}
	case strategies.Decorrelated:
		f.Decorrelated = &fileDecorrelated{encodeDuration(k.Base), k.Factor, encodeOptional(k.Cap), "outside"}
		if k.ClampInside {
			f.Decorrelated.Clamp = "inside"
		}
	case strategies.Schedule:
		f.Schedule = &fileSchedule{Jitter: encodeJitter(k.Jitter)}
		for _, d := range k.Delays {
			f.Schedule.Delays = append(f.Schedule.Delays, encodeDuration(d))
		}
	case *Expr:
		f.Expr = &fileExpr{k.Formula, encodeDuration(k.Base), encodeOptional(k.Cap)}
	case strategies.Memoryless:
		f.Memoryless = &fileMemoryless{encodeDuration(k.Mean)}
	default:
		panic(fmt.Sprintf("scenarios: the strategy %T has no form in a file", k))
	}
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
	}
	return none
}

func encodeClamp(c strategies.Clamp) wordText {
	switch c {
	case strategies.ClampAfter:
		return "after"
	case strategies.ClampBoth:
		return "both"
	}
	return "before"
}
