package scenarios

import (
	"math"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"herdsim/downstream"
	"herdsim/sim"
	"herdsim/strategies"
)

// decode(encode(x)) = x for every scenario in range.
func TestWrittenScenariosReadBack(t *testing.T) {
	t.Chdir("testdata/accepted")
	rapid.Check(t, func(t *rapid.T) { mustReload(t, drawScenario(t)) })
}

func drawDuration(t *rapid.T, name string, low time.Duration) time.Duration {
	return drawUpTo(t, name, low, longest)
}

func drawUpTo(t *rapid.T, name string, low, high time.Duration) time.Duration {
	d := time.Duration(rapid.Int64Range(int64(low), int64(high)).Draw(t, name))
	if unit := rapid.SampledFrom([]time.Duration{1, time.Millisecond, time.Second, time.Minute}).Draw(t, name+" in"); d-d%unit >= low {
		d -= d % unit
	}
	return d
}

func drawShare(t *rapid.T, name string) float64 { return rapid.Float64Range(1e-9, 1).Draw(t, name) }

func drawLaw(t *rapid.T, name string) downstream.Distribution {
	mean := drawUpTo(t, name+" mean", 1, longest/10)
	cv := rapid.Float64Range(0.001, 100).Draw(t, name+" cv")
	low := drawUpTo(t, name+" low", 0, longest/10) / 2
	return rapid.SampledFrom([]downstream.Distribution{
		downstream.Constant{D: mean}, downstream.Exponential{M: mean}, downstream.Normal{M: mean, SD: low}, downstream.Lognormal{M: mean, CV: cv},
		downstream.Gamma{M: mean, CV: cv}, downstream.Uniform{Min: low, Max: low + mean/2 + 1},
		downstream.Bimodal{Fast: mean, Slow: low, SlowShare: drawShare(t, name+" share")},
	}).Draw(t, name)
}

func drawStart(t *rapid.T, name string) Start {
	d := drawDuration(t, name+" length", 1)
	traced := Start{File: rapid.SampledFrom([]string{"herd.csv", "other.csv"}).Draw(t, name+" file")}
	traced.Data, _ = os.ReadFile(traced.File)
	traced.Trace, _ = parseTrace(traced.File, traced.Data)
	return rapid.SampledFrom([]Start{
		{}, {Start: sim.Start{Uniform: d}}, {Start: sim.Start{Spread: downstream.Exponential{M: d}}},
		{Start: sim.Start{Spread: downstream.Normal{M: d, SD: d / 3}}}, traced,
	}).Draw(t, name)
}

func drawLimits(t *rapid.T, name string) Limits {
	return Limits{
		MaxAttempts: rapid.IntRange(1, 1e9).Draw(t, name+" attempts"),
		MaxElapsed:  rapid.SampledFrom([]time.Duration{0, drawDuration(t, name+" elapsed", 0)}).Draw(t, name),
		Deadline:    rapid.SampledFrom([]time.Duration{0, drawDuration(t, name+" deadline", time.Microsecond)}).Draw(t, name+" with deadline"),
	}
}

func drawJitter(t *rapid.T) strategies.Jitter {
	return rapid.SampledFrom([]strategies.Jitter{
		{}, {Kind: strategies.JitterFull}, {Kind: strategies.JitterEqual},
		{Kind: strategies.JitterAround, Share: drawShare(t, "around")},
		{Kind: strategies.JitterAbove, Share: 10 * drawShare(t, "above")},
		{Kind: strategies.JitterAdded, Spread: drawDuration(t, "spread", 0)},
		{Kind: strategies.JitterBetween, Share: drawShare(t, "from"), Upto: 1 + 99*drawShare(t, "to")},
	}).Draw(t, "jitter")
}

func drawRounding(t *rapid.T) strategies.Rounding {
	return rapid.SampledFrom([]strategies.Rounding{
		{}, {Grain: 1}, {Grain: time.Microsecond, Mode: strategies.RoundNearest}, {Grain: 1, Mode: strategies.RoundUp},
		{Grain: time.Microsecond, Mode: strategies.RoundInclusive},
	}).Draw(t, "rounding")
}

func drawExact(t *rapid.T) strategies.Exact {
	return rapid.SampledFrom([]strategies.Exact{{}, {Is: true}, {Is: true, Wait: drawDuration(t, "first wait of all", 0)}}).Draw(t, "exact")
}

func drawStrategy(t *rapid.T) (key string, s strategies.Strategy) {
	base := drawDuration(t, "base", time.Microsecond) / 2
	base = max(base, time.Microsecond)
	limit := rapid.SampledFrom([]time.Duration{0, base, min(2*base, longest)}).Draw(t, "cap")
	factor := rapid.SampledFrom([]float64{1, 2, 1.5, 1000, rapid.Float64Range(1, 1000).Draw(t, "factor")}).Draw(t, "factor")
	first := rapid.IntRange(0, 64).Draw(t, "first")
	clamp := rapid.SampledFrom([]strategies.Clamp{strategies.ClampBefore, strategies.ClampAfter, strategies.ClampBoth, strategies.ClampInstead}).Draw(t, "clamp")
	jitter := drawJitter(t)
	known := map[string]strategies.Strategy{
		"immediate":    strategies.Immediate{},
		"fixed":        strategies.Fixed{Delay: base, Jitter: jitter, Rounding: drawRounding(t), Sweep: 2 * (first % 2)},
		"linear":       strategies.Linear{Base: base, Cap: limit, Jitter: jitter, Clamp: clamp, Rounding: drawRounding(t)},
		"exponential":  strategies.Exponential{Base: base, Factor: factor, Cap: limit, Jitter: jitter, Clamp: clamp, FirstExponent: first, Less: base / 2, First: drawExact(t), Rounding: drawRounding(t)},
		"full-jitter":  strategies.FullJitter{Base: base, Factor: factor, Cap: limit, FirstExponent: first, Rounding: drawRounding(t)},
		"equal-jitter": strategies.EqualJitter{Base: base, Factor: factor, Cap: limit, FirstExponent: first},
		"decorrelated": strategies.Decorrelated{Base: base, Factor: max(factor, 1.001), Cap: limit, ClampInside: first%2 == 0, FromPrevious: first%3 == 0, First: drawExact(t)},
		"schedule":     strategies.Schedule{Delays: rapid.SliceOfN(rapid.Just(base), 1, 9).Draw(t, "delays"), Jitter: jitter, Cap: limit, Rounding: drawRounding(t)},
		"memoryless":   strategies.Memoryless{Mean: base},
		"polynomial": strategies.Polynomial{
			Base: base, Unit: base, Power: min(factor, 10), Origin: first, Cap: limit, Jitter: jitter, Clamp: clamp, Rounding: drawRounding(t),
		},
		"fibonacci": strategies.Fibonacci{Base: base, Cap: limit, Jitter: jitter, Clamp: clamp, Rounding: drawRounding(t)},
		"compounding": strategies.Compounding{
			Base: base, Factor: factor, Cap: limit, Jitter: jitter, Clamp: clamp % 2, First: drawExact(t), Rounding: drawRounding(t),
		},
		"decorrelated-v2":     strategies.DecorrelatedV2{Base: base, Cap: limit},
		"finagle-exponential": strategies.FinagleExponential{Base: base, Cap: limit},
		"expr":                drawExpr(t, base, limit),
		"paced":               nil,
	}
	key = rapid.SampledFrom(strategyKeys()).Draw(t, "key")
	return key, known[key]
}

func drawExpr(t *rapid.T, base, limit time.Duration) strategies.Strategy {
	f, err := NewExpr(rapid.SampledFrom([]string{
		"min(cap, base * 2 ** n) * u", "5", "n % 2 == 0 ? 100ms : 1e3", "let d = 1m30s;\nd / 2 + d * u", "max(prev, slept) + 1",
		"not (n < 3) ? 1 : 2 // then less",
	}).Draw(t, "formula"), base, limit)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func drawDownstream(t *rapid.T) downstream.Config {
	c := downstream.Config{
		Slots:           rapid.IntRange(1, 1e8).Draw(t, "slots"),
		Service:         drawLaw(t, "service"),
		Queue:           rapid.IntRange(downstream.Unlimited, 1e9).Draw(t, "queue"),
		Order:           rapid.SampledFrom([]downstream.Order{downstream.FIFO, downstream.LIFO}).Draw(t, "order"),
		CancelAbandoned: rapid.Bool().Draw(t, "cancel"),
		RejectCost:      time.Duration(rapid.Int64Range(0, int64(24*time.Hour)).Draw(t, "cost")),
	}
	if rapid.Bool().Draw(t, "limited") {
		c.RateLimit = &downstream.RateLimit{
			Rate: drawRate(t), Burst: rapid.IntRange(1, 1e9).Draw(t, "burst"), RetryAfter: rapid.Bool().Draw(t, "retry after"),
		}
	}
	var at time.Duration
	for range rapid.IntRange(0, 4).Draw(t, "outages") {
		at += time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "gap"))
		o := downstream.Outage{From: at, To: at + time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "length"))}
		o.Mode = rapid.SampledFrom([]downstream.Mode{downstream.Refuse, downstream.Hang, downstream.Slow, downstream.Stall}).Draw(t, "mode")
		o.Capacity = rapid.SampledFrom([]float64{0, 0.5, 0.999999 * drawShare(t, "capacity")}).Draw(t, "share")
		switch {
		case o.Mode == downstream.Stall:
			o.Capacity = 0
		case o.Mode == downstream.Slow && o.Capacity == 0:
			o.Capacity = 0.2
		}
		c.Outages, at = append(c.Outages, o), o.To
	}
	return c
}

func drawScenario(t *rapid.T) *Scenario {
	s := &Scenario{
		Name:       rapid.StringMatching(`[a-z0-9-]{1,64}`).Draw(t, "name"),
		Title:      drawText(t, "title", 200, false),
		About:      drawText(t, "about", 300, true),
		Seed:       rapid.Uint64Range(0, math.MaxUint64).Draw(t, "seed"),
		Replicates: rapid.IntRange(1, 10_000).Draw(t, "replicates"),
		Horizon:    drawDuration(t, "horizon", time.Second),
		MaxEvents:  rapid.Int64Range(1, 1e15).Draw(t, "events"),
		Window:     drawDuration(t, "window", time.Microsecond),
		Workers:    rapid.IntRange(1, 9).Draw(t, "workers"), // of at most longest/10 of work each
		Start:      drawStart(t, "start"),
		Task:       Task{drawDuration(t, "timeout", 0), drawShare(t, "poison"), drawShare(t, "errors")},
		Limits:     drawLimits(t, "limits"),
		Downstream: drawDownstream(t),
	}
	if s.Start.File != "" {
		s.Workers = 0
	}
	if rapid.Bool().Draw(t, "networked") {
		s.Network = drawLaw(t, "network")
	}
	s.Guards = drawGuards(t, "guards")
	drawParts(t, &s.Downstream, s.Network)
	drawTraffic(t, s)
	if rapid.IntRange(0, 3).Draw(t, "brokered") == 0 {
		drawBrokered(t, s)
	}
	drawEntries(t, s)
	return s
}

func drawEntries(t *rapid.T, s *Scenario) {
	names := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) string {
		return rapid.OneOf(rapid.StringMatching(`[a-zµ½0-9"'\\#:,%({-][ -~]{0,20}[a-z"\\})'.]`), rapid.SampledFrom([]string{"null", "true", "1e3", "~", "0x10", "2024-01-01"})).Draw(t, "name")
	}), 1, 4, rapid.ID).Draw(t, "names")
	service := s.Downstream.Service
	for _, name := range names {
		e := Entry{Name: name, Limits: s.Limits, Start: s.Start}
		e.Key, e.Strategy = drawStrategy(t)
		if rapid.Bool().Draw(t, "own limits") {
			e.Limits = drawLimits(t, "own limits")
		}
		if s.Tiers != nil || s.Downstream.Slots == downstream.Unlimited {
			for e.Key == pacedKey {
				e.Key, e.Strategy = drawStrategy(t)
			}
		}
		if e.Guards = s.Guards; rapid.Bool().Draw(t, "own guards") && s.Tiers == nil {
			e.Guards = drawGuards(t, "own guards")
		}
		if rapid.Bool().Draw(t, "own start") {
			e.Start = drawStart(t, "own start")
		}
		if s.Herd(e) > 9 { // a trace; its work has to fit
			s.Downstream.Service = downstream.Constant{D: min(service.Mean(), time.Second)}
		}
		e.FirstWait = rapid.SampledFrom([]time.Duration{0, drawDuration(t, "first wait", time.Microsecond)}).Draw(t, "first wait")
		e.IgnoreRetryAfter = rapid.Bool().Draw(t, "ignore")
		if rapid.Bool().Draw(t, "clamped") && !e.IgnoreRetryAfter {
			e.RetryAfter = sim.RetryAfter{Most: drawDuration(t, "most", 0), Jitter: drawShare(t, "longer")}
		}
		if rapid.Bool().Draw(t, "polled") {
			every := drawUpTo(t, "every", longest/10_000, longest) // few enough looks for any horizon
			e.Poll = sim.Poll{Every: every, Jitter: drawShare(t, "poll jitter"), Processes: rapid.IntRange(1, 1000).Draw(t, "processes")}
		}
		if s.Broker != nil {
			drawEntryOfBroker(t, &e, s)
		}
		s.Strategies = append(s.Strategies, e)
	}
	for i, e := range s.Strategies {
		s.Strategies[i].Formula = formula(e, s.Downstream)
		column := quoteName(e.Name) + "." + rapid.SampledFrom(judged()).Draw(t, "column")
		line := column + " * 2 - " + column + " <= 5% / (3 + 4) * " + column
		parsed, err := parseExpectation(line)
		if err != nil {
			t.Fatal(err)
		}
		s.Expect = append(s.Expect, parsed)
	}
}

// drawText draws what a title may hold, with what YAML would like to read in another way.
func drawText(t *rapid.T, name string, most int, lines bool) string {
	part := rapid.SampledFrom([]string{"a", "Herd", " ", ": ", " #", "'", `"`, "\\", "{", "]", "- ", "? ", "!", "&", "*", "|", "%", "@", "ä", "🐑", "\u00a0", "\u200b", "\ufeff", "null", "1e3", "..", "---"})
	if lines {
		part = rapid.OneOf(part, rapid.SampledFrom([]string{"\n", "\n\n", "\n  ", "\t", " \n"}))
	}
	text := ""
	for _, p := range rapid.SliceOfN(part, 0, 12).Draw(t, name) {
		text += p
	}
	return clip(text, most)
}

// quoteName writes a name as a line of expect can always hold it.
func quoteName(name string) string {
	out := `"`
	for _, r := range name {
		if r == '"' || r == '\\' {
			out += `\`
		}
		out += string(r)
	}
	return out + `"`
}
