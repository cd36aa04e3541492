package scenarios

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"herdsim/downstream"
	"herdsim/strategies"
)

// Every strategy of the catalogue says what it is, and so does each of its fields.
func TestCatalogueIsComplete(t *testing.T) {
	for _, k := range Catalogue() {
		if k.Summary == "" || k.Formula == "" || strings.HasSuffix(k.Summary, ".") {
			t.Errorf("%s: summary %q and formula %q, want both, without a full stop", k.Key, k.Summary, k.Formula)
		}
		for _, f := range k.Fields {
			if f.Doc == "" || f.Default == "" && !f.Required {
				t.Errorf("%s.%s: doc %q, default %q, want both", k.Key, f.Key, f.Doc, f.Default)
			}
		}
	}
}

// The defaults of the documentation, field by field.
func TestDefaultsOfStrategies(t *testing.T) {
	want := map[string]strategies.Strategy{
		"immediate":    strategies.Immediate{},
		"fixed":        strategies.Fixed{Delay: time.Second},
		"linear":       strategies.Linear{Base: time.Second},
		"exponential":  strategies.Exponential{Base: time.Second, Factor: 2},
		"full-jitter":  strategies.FullJitter{Base: time.Second, Factor: 2},
		"equal-jitter": strategies.EqualJitter{Base: time.Second, Factor: 2},
		"decorrelated": strategies.Decorrelated{Base: time.Second, Factor: 3},
		"memoryless":   strategies.Memoryless{Mean: time.Second},

		"polynomial":          strategies.Polynomial{Unit: time.Second, Power: 2, Origin: 1},
		"fibonacci":           strategies.Fibonacci{Base: time.Second},
		"compounding":         strategies.Compounding{Base: time.Second, Factor: 2},
		"decorrelated-v2":     strategies.DecorrelatedV2{Base: 2 * time.Second},
		"finagle-exponential": strategies.FinagleExponential{Base: time.Second},
		"paced":               nil,
	}
	for _, k := range Catalogue() {
		if len(k.Fields) > 0 && k.Fields[0].Required { // has none
			continue
		}
		s := with(t, Request{Strategies: []string{k.Key}, Set: []string{"network=1ms"}})
		if got := s.Strategies[0].Strategy; got != want[k.Key] {
			t.Errorf("%s is %#v, want %#v", k.Key, got, want[k.Key])
		}
	}
}

func TestDefaultsOfAScenario(t *testing.T) {
	t.Chdir("testdata/accepted")
	s, err := Load(Request{Source: "smallest.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Seed != 1 || s.Replicates != 1 || s.Horizon != time.Hour || s.MaxEvents != 10_000_000_000 || s.Window != 100*time.Millisecond {
		t.Errorf("%+v, want seed 1, replicates 1, horizon 1h, max_events 10_000_000_000, window 100ms", s)
	}
	if s.Network != nil || s.Arrivals != nil || s.Task != (Task{}) || s.Limits != (Limits{}) || s.Downstream.RateLimit != nil {
		t.Errorf("%+v, want no network, arrivals, timeout, limits or rate limit", s)
	}
	if d := s.Downstream; d.Service.Mean() != 100*time.Millisecond || d.Queue != 0 || d.Order != downstream.FIFO || d.CancelAbandoned || d.RejectCost != 0 {
		t.Errorf("%+v, want service 100ms, queue 0, fifo, nothing cancelled, rejects free", d)
	}
}

func TestFormulas(t *testing.T) {
	t.Chdir("testdata/accepted")
	var b strings.Builder
	for _, file := range []string{"strategies.yaml", "everything.yaml", "clients.yaml"} {
		s, err := Load(Request{Source: file})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range s.Strategies {
			fmt.Fprintf(&b, "%s: %s\n", e.Name, e.Formula)
		}
	}
	golden(t, "../formulas.txt", b.String())
}
