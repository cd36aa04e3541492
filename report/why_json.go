package report

import "encoding/json"

// A whyDocument is what herdsim why writes as JSON.
type whyDocument struct {
	FormatVersion int               `json:"format_version"`
	Version       string            `json:"herdsim_version"`
	GOOS          string            `json:"goos"`
	GOARCH        string            `json:"goarch"`
	Partial       bool              `json:"partial"`
	Replicates    int               `json:"replicates"`
	Strategies    []whyStrategyJSON `json:"strategies"`
	Scenario      json.RawMessage   `json:"scenario"` // whole, with defaults
}

type whyStrategyJSON struct {
	Name       string      `json:"strategy"`
	Sticks     bool        `json:"sticks"`
	Runs       endingsJSON `json:"runs"`
	Verdict    string      `json:"verdict"`
	Loops      []string    `json:"loops"`
	Conditions string      `json:"conditions"`
	Remark     string      `json:"remark"`
	Levers     []leverJSON `json:"levers"`
	Cures      []cureJSON  `json:"cures"`
}

type endingsJSON struct {
	Runs       int `json:"runs"`
	Recovered  int `json:"recovered"`
	Stuck      int `json:"stuck"`
	Overloaded int `json:"overloaded"`
	Undecided  int `json:"undecided"`
}

type leverJSON struct {
	Field    string    `json:"field"`
	Now      string    `json:"now"`
	Recovers *endJSON  `json:"recovers"` // null without a bracket
	Sticks   *endJSON  `json:"sticks"`
	Tried    []endJSON `json:"tried"`
	Runs     int       `json:"runs"`
	Remark   string    `json:"remark"`
}

type endJSON struct {
	Value string `json:"value"`
	endingsJSON
}

type cureJSON struct {
	Set   string `json:"set"`
	Words string `json:"words"`
	endingsJSON
}

func (e Endings) json() endingsJSON {
	return endingsJSON{Runs: e.Runs(), Recovered: e.Recovered, Stuck: e.Stuck, Overloaded: e.Overloaded, Undecided: e.Undecided}
}

func (w *Why) strategyJSON(s *WhyStrategy) whyStrategyJSON {
	out := whyStrategyJSON{
		Name: s.Name, Sticks: s.Sticks, Runs: s.Endings.json(), Verdict: s.Verdict.State.String(), Loops: []string{},
		Conditions: w.report(s).ConditionsSentence(), Remark: s.Remark, Levers: []leverJSON{}, Cures: []cureJSON{},
	}
	for _, l := range s.Verdict.Loops {
		out.Loops = append(out.Loops, l.Kind.String())
	}
	for _, l := range s.Levers {
		j := leverJSON{Field: l.Field, Now: l.Now.Value, Tried: []endJSON{}, Runs: l.Runs, Remark: l.Remark}
		for _, end := range l.Tried {
			j.Tried = append(j.Tried, endJSON{end.Value, end.json()})
		}
		if l.Found {
			j.Recovers = &endJSON{l.Recovers.Value, l.Recovers.json()}
			j.Sticks = &endJSON{l.Sticks.Value, l.Sticks.json()}
		}
		out.Levers = append(out.Levers, j)
	}
	for _, c := range s.Cures {
		out.Cures = append(out.Cures, cureJSON{c.Set, c.Words, c.json()})
	}
	return out
}
