package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"time"

	"herdsim/downstream"
)

// YAML returns the scenario as a file, with every default filled in. Load reads it back to an equal Scenario, if the
// traces that it names lie beside it. Lines of expect that were skipped are left out.
func (s *Scenario) YAML() []byte {
	root, _ := parseJSON(newSource("", nil), s.JSON())
	return append([]byte("# yaml-language-server: $schema=scenario.schema.json\n"), emitYAML(root)...)
}

// JSON returns the same as YAML, as JSON in one line with the keys in the order of the documentation.
func (s *Scenario) JSON() json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s.file()); err != nil {
		panic("scenarios: " + err.Error()) // the structs hold nothing that JSON cannot
	}
	return bytes.TrimSpace(b.Bytes())
}

func (s *Scenario) file() fileScenario {
	f := fileScenario{
		Name:       s.Name,
		Title:      s.Title,
		About:      s.About,
		Seed:       s.Seed,
		Replicates: uint64(s.Replicates),
		Horizon:    encodeDuration(s.Horizon),
		MaxEvents:  uint64(s.MaxEvents),
		Window:     encodeDuration(s.Window),
		Workers:    uint64(s.Workers),
		Messages:   encodeMessages(s),
		Broker:     encodeBroker(s.Broker),
		Start:      encodeStart(s.Start),
		Network:    encodeLaw(s.Network),
		Arrivals:   encodeArrivals(s),
		Clients:    encodeClients(s),
		Cron:       encodeCron(s),
		Task: fileTask{
			Timeout:   encodeOptional(s.Task.Timeout),
			Poison:    encodeShare(s.Task.Poison),
			ErrorRate: encodeShare(s.Task.ErrorRate),
		},
		Limits:     encodeLimits(s.Limits),
		Guards:     encodeGuards(s.Guards),
		Tiers:      encodeTiers(s.Tiers),
		Deadlines:  "own",
		Downstream: encodeDownstream(s.Downstream),
		Verdict:    fileVerdict{Within: encodeShare(s.Verdict.Within), For: auto},
		Expect:     []string{},
	}
	if s.PassDeadlines {
		f.Deadlines = "passed"
	}
	if s.Verdict.For > 0 {
		f.Verdict.For = encodeDuration(s.Verdict.For)
	}
	for _, e := range s.Strategies {
		f.Strategies = append(f.Strategies, encodeEntry(e, s))
	}
	for _, e := range s.Expect {
		f.Expect = append(f.Expect, e.Line)
	}
	return f
}

func encodeDuration(d time.Duration) durationText { return durationText(formatDuration(d)) }

// encodeOptional writes a duration of which 0 means that there is none.
func encodeOptional(d time.Duration) durationText {
	if d == 0 {
		return none
	}
	return encodeDuration(d)
}

func encodeLimits(l Limits) fileLimits {
	return fileLimits{MaxAttempts: uint64(l.MaxAttempts), MaxElapsed: encodeDuration(l.MaxElapsed), Deadline: encodeIfAny(l.Deadline)}
}

// encodeLaw writes a distribution; nil is a constant 0.
func encodeLaw(d downstream.Distribution) any {
	switch d := d.(type) {
	case nil:
		return encodeDuration(0)
	case downstream.Constant:
		return encodeDuration(d.D)
	case downstream.Exponential:
		return fileExponentialLaw{encodeDuration(d.M)}
	case downstream.Lognormal:
		return fileLognormalLaw{fileMeanCV{encodeDuration(d.M), d.CV}}
	case downstream.Gamma:
		return fileGammaLaw{fileMeanCV{encodeDuration(d.M), d.CV}}
	case downstream.Uniform:
		return fileUniformLaw{fileUniform{encodeDuration(d.Min), encodeDuration(d.Max)}}
	case downstream.Bimodal:
		return fileBimodalLaw{fileBimodal{encodeDuration(d.Fast), encodeDuration(d.Slow), encodeShare(d.SlowShare)}}
	case downstream.Normal:
		return fileNormalLaw{fileNormal{encodeDuration(d.M), encodeDuration(d.SD)}}
	}
	panic(fmt.Sprintf("scenarios: the distribution %T has no form in a file", d))
}

func encodeStart(s Start) any {
	switch {
	case s.File != "":
		return fileTraceLaw{filepath.Base(s.File)}
	case s.Spread != nil:
		return encodeLaw(s.Spread)
	}
	return encodeDuration(s.Uniform)
}

// encodeEntry writes an entry; limits and start only where they are not the scenario's.
func encodeEntry(e Entry, s *Scenario) fileEntry {
	f := fileEntry{Name: e.Name, FirstWait: encodeOptional(e.FirstWait), RetryAfter: encodeRetryAfter(e), Poll: encodePoll(e)}
	if e.Limits != s.Limits {
		limits := encodeLimits(e.Limits)
		f.Limits = &limits
	}
	if !reflect.DeepEqual(e.Guards, s.Guards) {
		own := encodeGuards(e.Guards)
		f.Guards = &own
	}
	if !reflect.DeepEqual(e.Start, s.Start) {
		f.Start = encodeStart(e.Start)
	}
	if !reflect.DeepEqual(e.Broker, s.Broker) {
		f.Broker = encodeOwnBroker(e.Broker)
	}
	if e.Preset != "" {
		f.Preset = encodePreset(e)
	} else {
		f.fileStrategy = encodeStrategy(e.Strategy)
	}
	return f
}
