package scenarios

import (
	"math"
	"strings"
	"testing"
)

// cellsOf answers as summary.csv would. A strategy without a column has an empty cell.
func cellsOf(cells map[string]float64) func(strategy, column string) (float64, bool) {
	return func(strategy, column string) (float64, bool) {
		v, ok := cells[strategy+"."+column]
		return v, ok
	}
}

var someCells = cellsOf(map[string]float64{
	"a.peak_1s": 7, "a.peak_over_capacity": 3.5, "a.completion_s": 12, "a.tasks": 100, "a.succeeded": 100, "a.cut_off": 0,
	"a.efficiency": 0.25, "a.completion_p50_s": 6, "full-jitter.peak_1s": 20, "10% more.peak_1s": 2, `q".peak_1s`: 3,
	"left.completion_s": 30, "left.tasks": 100, "left.succeeded": 99, "1.peak_1s": 40, "a.dispersion": math.NaN(),
	"a.recovered": 1, "a.recovered_s": 73, "left.recovered": 0,
})

func TestExpectationEval(t *testing.T) {
	for _, c := range []struct {
		line   string
		met    bool
		detail string
	}{
		{"a.peak_1s < 10", true, "a.peak_1s = 7"},
		{"a.peak_1s < 7", false, "a.peak_1s = 7"},
		{"a.peak_1s <= 7", true, "a.peak_1s = 7"},
		{"a.peak_1s > 7", false, "a.peak_1s = 7"},
		{"a.peak_1s >= 7", true, "a.peak_1s = 7"},
		{"a.peak_1s == 7", true, "a.peak_1s = 7"},
		{"a.peak_1s==7", true, "a.peak_1s = 7"},
		{"10>a.peak_1s", true, "a.peak_1s = 7; 10 > 7"},
		{"a.completion < 12.5s", true, "a.completion_s = 12"},
		{"a.completion_s < 12.5s", true, "a.completion_s = 12"},
		{"a.completion < 1m", true, "a.completion_s = 12"},
		{"a.completion < 11s", false, "a.completion_s = 12"},
		{"a.efficiency >= 25%", true, "a.efficiency = 0.25"},
		{"a.cut_off == 0", true, "a.cut_off = 0"},
		{"full-jitter.peak_1s > a.peak_1s * 2", true, "full-jitter.peak_1s = 20, a.peak_1s = 7; 20 > 14"},
		{"full-jitter.peak_1s - 5 > a.peak_1s", true, "full-jitter.peak_1s = 20, a.peak_1s = 7; 15 > 7"},
		{"1 + 2 * 3 == 7", true, "7 == 7"},
		{"(1 + 2) * 3 == 9", true, "9 == 9"},
		{"2 - 3 - 4 == -5", true, "-5 == -5"},
		{"12 / 3 / 2 == 2", true, "2 == 2"},
		{"--1 == 1", true, "1 == 1"},
		{"-(1 - 3) * 2 == 4", true, "4 == 4"},
		{"1_000 == 1000", true, "1000 == 1000"},
		{`"10% more".peak_1s < 3`, true, "10% more.peak_1s = 2"},
		{`"q\"".peak_1s < 4`, true, `q".peak_1s = 3`},
		{`"full-jitter".peak_1s == 20`, true, "full-jitter.peak_1s = 20"},
		{"1.peak_1s == 40", true, "1.peak_1s = 40"}, // a strategy may be called 1
		{"0.1 + 0.2 == 0.3", true, "0.3 == 0.3"},
		{"0.1 + 0.2 <= 0.3", true, "0.3 <= 0.3"},
		{"0.1 + 0.2 > 0.3", false, "0.3 > 0.3"},
		{"0.3 < 0.1 + 0.2", false, "0.3 < 0.3"},
		{"0.3 >= 0.1 + 0.2", true, "0.3 >= 0.3"},
		{"0.300001 == 0.3", false, "0.300001 == 0.3"},
		{"a.completion / 2s < 7", true, "a.completion_s = 12; 6 < 7"},
		{"a.completion * 2 + 1m < 85s", true, "a.completion_s = 12; 84 < 85"},
		{"a.completion > 0", true, "a.completion_s = 12"},
		{"-a.completion < 0", true, "a.completion_s = 12; -12 < 0"},
		{"1.5 == 3/2", true, "1.5 == 1.5"},
		{"a.completion_p90 < 1h", false, "a.completion_p90_s = infinite"},
		{"a.completion_p90 > 1h", true, "a.completion_p90_s = infinite"},
		{"left.completion > 1d", true, "left.completion_s = infinite"}, // one task was left over
		{"left.completion > a.completion", true, "left.completion_s = infinite, a.completion_s = 12; infinite > 12"},
		{"left.completion == nobody.completion", true, "left.completion_s = infinite, nobody.completion_s = infinite; infinite == infinite"},
		{"left.completion - nobody.completion < 5s", false, "left.completion_s = infinite, nobody.completion_s = infinite; infinite - infinite has no value"},
		{"a.recovered == 1", true, "a.recovered = 1"}, // a column of its own, beside that of times
		{"a.recovered_s < 2m", true, "a.recovered_s = 73"},
		{"left.recovered_s > 1d", true, "left.recovered_s = infinite"},
		{"undecided.recovered_s > 400s", false, "undecided.recovered_s has no value, as it is undecided whether that recovers"},
		{"a.bound < 5s", false, "a.bound_s has no value"},
		{"a.dispersion < 5", false, "a.dispersion has no value"},
		{"a.peak_1s / (a.peak_1s - 7) < 5", false, "a.peak_1s = 7; a division by 0"},
		{"0 * left.completion < 5", false, "left.completion_s = infinite; 0 * infinite has no value"},
	} {
		met, detail, err := Expectation{Line: c.line}.Eval(someCells)
		if met != c.met || detail != c.detail || err != nil {
			t.Errorf("%s: %v, %q, %v, want %v, %q", c.line, met, detail, err, c.met, c.detail)
		}
	}
}

func TestExpectationOutsideOfAScenario(t *testing.T) {
	for line, want := range map[string]string{
		"":                         "where a value is due",
		"a.peak_1s":                "where a comparison is due",
		"a.nothing < 5":            `there is no column "nothing"`,
		"a.peak_1s < 5 and more":   `"and" after the end`,
		"a.peak_1s =< 5":           `did you mean "=="?`,
		"a.completion < 5":         `a number after "<", where a time is due; a time such as 1.5s, or a column of times; did you mean "5s"?`,
		"a.completion < 5%":        `a number after "<", where a time is due`,
		"a.peak_1s < 5s":           `a time after "<", where a number is due; a number, a percentage, or a column of numbers`,
		"5s + 3% < a.completion":   `a number after "+", where a time is due`,
		"a.tasks - a.bound < 5":    `a time after "-", where a number is due`,
		"2s * 3s < a.completion":   `a time after "<", where seconds to the power of 2 is due`,
		"(1 + 2s) * 3 < 5":         `a time after "+"`,
		"a.scenario == 5":          `there is no column "scenario"`,
		"a.peak_1s < 5s5":          `"5s5" is no value`,
		"a.peak_1s < 1e3":          `"1e3" is no value`,
		"exponential-10%.seed < 5": "stands in double quotes",
		strings.Repeat("(", 60):    "nested too deep",
		strings.Repeat("-", 60):    "nested too deep",
		strings.Repeat("1", 1001):  "the line is too long",
	} {
		if _, _, err := (Expectation{Line: line}).Eval(someCells); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: error %v, want %q", line, err, want)
		}
	}
}
