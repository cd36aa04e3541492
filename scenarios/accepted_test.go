package scenarios

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"herdsim/downstream"
)

// Every accepted file loads, is written back as the golden file says, and reads the same from there; and the schema
// accepts what was read and what was written.
func TestAccepted(t *testing.T) {
	validate := compileSchema(t)
	t.Chdir("testdata/accepted")
	yamls, _ := filepath.Glob("*.yaml")
	jsons, _ := filepath.Glob("*.json")
	for _, file := range append(yamls, jsons...) {
		t.Run(file, func(t *testing.T) {
			s, err := Load(Request{Source: file})
			if err != nil {
				t.Fatalf("\n%v", err)
			}
			golden(t, file+".golden", string(s.YAML()))
			mustReload(t, s)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range [][]byte{text, s.YAML(), s.JSON()} {
				if err := validate(text); err != nil {
					t.Errorf("the schema refuses\n%s\n%v", text, err)
				}
			}
		})
	}
}

// mustReload checks that s reads back as it was, from YAML and from JSON.
func mustReload(t interface {
	Helper()
	Fatalf(string, ...any)
}, s *Scenario) {
	t.Helper()
	for _, text := range [][]byte{s.YAML(), s.JSON()} {
		again, err := Load(Request{Source: "-", Stdin: bytes.NewReader(text)})
		if err != nil {
			t.Fatalf("what was written does not load:\n%s\n%v", text, err)
		}
		want := *s
		want.Skipped = nil // not written
		if !reflect.DeepEqual(&want, again) {
			t.Fatalf("reads back differently (-want +got):\n%s\n%s", cmp.Diff(&want, again, cmp.Exporter(func(reflect.Type) bool { return true })), text)
		}
	}
}

func compileSchema(t *testing.T) func(text []byte) error {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(SchemaFile, document); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile(SchemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return func(text []byte) error {
		root, problems := parse("file", text)
		if root == nil {
			return errors.Join(problems, errors.New("no document"))
		}
		return compiled.Validate(root.plainValue())
	}
}

// plainValue is a node as a validator of YAML files sees it: by the core schema of YAML 1.2.
func (n *node) plainValue() any {
	switch n.kind {
	case mapping:
		m := map[string]any{}
		for _, p := range n.pairs {
			m[p.key.text] = p.value.plainValue()
		}
		return m
	case list:
		l := []any{}
		for _, item := range n.items {
			l = append(l, item.plainValue())
		}
		return l
	}
	switch {
	case n.quoted:
		return n.text
	case n.null:
		return nil
	case n.text == "true", n.text == "false":
		return n.text == "true"
	}
	text := strings.TrimPrefix(n.text, "+")
	if v, err := jsonschema.UnmarshalJSON(strings.NewReader(text)); err == nil && !strings.HasPrefix(text, `"`) {
		return v
	}
	return n.text
}

func TestEverythingIsRead(t *testing.T) {
	t.Chdir("testdata/accepted")
	s, err := Load(Request{Source: "everything.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Downstream.Slots != 20 { // 200/s x (0.9 x 50 ms + 0.1 x 550 ms)
		t.Errorf("slots = %d, want 20", s.Downstream.Slots)
	}
	if got, want := s.Downstream.RateLimit.Rate, (downstream.Rate{Events: 5, Per: 10e9}); got != want {
		t.Errorf("rate limit = %v, want %v: exact", got, want)
	}
	if got := s.Downstream.Outages; len(got) != 3 || got[0].From != 0 || got[1].From != 10e9 || got[2].From != 20e9 {
		t.Errorf("outages = %v, want them in order of time", got)
	}
	if e := s.Strategies[0]; e.Limits != (Limits{MaxAttempts: 3}) || e.Start.Uniform != 5e9 || !e.IgnoreRetryAfter {
		t.Errorf("entry = %+v, want its own limits, start and retry_after", e)
	}
	if e := s.Strategies[1]; e.Limits != s.Limits || !reflect.DeepEqual(e.Start, s.Start) {
		t.Errorf("entry = %+v, want the scenario's limits and start", e)
	}
}

func TestHerdOfATrace(t *testing.T) {
	t.Chdir("testdata/accepted")
	s, err := Load(Request{Source: "start-trace.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{700, 700, 2001} { // herd.csv 177 + 523 + 0, spread by the second; other.csv 1 + 2000
		if got := s.Herd(s.Strategies[i]); got != want {
			t.Errorf("herd of %s = %d, want %d", s.Strategies[i].Name, got, want)
		}
		if got := s.Config(i, 1).Workers; got != want {
			t.Errorf("workers of %s = %d, want %d", s.Strategies[i].Name, got, want)
		}
	}
	bins := s.Start.Trace
	if last := bins[len(bins)-1]; last.From != 2500e6 || last.To != 4000e6 {
		t.Errorf("last row is [%v, %v), want [2.5s, 4s): as wide as the one before", last.From, last.To)
	}
}
