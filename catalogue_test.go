package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"herdsim/scenarios"
)

// example returns a SPEC of a strategy, with a value for each field that it requires.
func example(s scenarios.StrategyInfo) string {
	var fields []string
	for _, f := range s.Fields {
		if f.Required {
			fields = append(fields, f.Key+"="+map[scenarios.Kind]string{
				scenarios.List: "[1s, 2s]", scenarios.Duration: "1s", scenarios.Text: "1", scenarios.Number: "2",
			}[f.Kind])
		}
	}
	return s.Key + "(" + strings.Join(fields, ", ") + ")"
}

// TestEveryStrategyIsInTheCatalogue looks for types with a Wait that no entry of the catalogue makes.
func TestEveryStrategyIsInTheCatalogue(t *testing.T) {
	made := map[string]bool{}
	for _, info := range scenarios.Catalogue() {
		s, err := scenarios.Load(scenarios.Request{Source: "dirac", Set: []string{"network=1ms"}, Strategies: []string{example(info)}})
		if err != nil {
			t.Errorf("%s: %v", info.Key, err)
			continue
		}
		// What is no type of the package, such as a formula, has its home elsewhere.
		if typ := reflect.TypeOf(s.Strategies[0].Strategy); typ != nil && typ.PkgPath() == "herdsim/strategies" {
			made[typ.Name()] = true
		}
	}
	files, err := filepath.Glob(filepath.Join("strategies", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, isFunc := d.(*ast.FuncDecl)
			if !isFunc || f.Name.Name != "Wait" || f.Recv == nil {
				continue
			}
			found++
			if name, isName := f.Recv.List[0].Type.(*ast.Ident); !isName || !made[name.Name] {
				t.Errorf("%s: the strategy of its Wait is not in the catalogue", path)
			}
		}
	}
	if found != len(made) {
		t.Errorf("%d strategies in the package, the catalogue makes %d", found, len(made))
	}
}

// TestLibrary loads every built-in scenario, and back again as it is written out.
func TestLibrary(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("scenarios", "library", "*.yaml"))
	if err != nil || len(names) != len(scenarios.Builtin()) {
		t.Fatalf("%d files and %d built-in scenarios, error %v", len(names), len(scenarios.Builtin()), err)
	}
	for _, info := range scenarios.Builtin() {
		s, err := scenarios.Load(scenarios.Request{Source: info.Name})
		if err != nil {
			t.Errorf("%s: %v", info.Name, err)
			continue
		}
		if s.Name != info.Name || info.Title == "" {
			t.Errorf("%s: named %q, titled %q", info.Name, s.Name, info.Title)
		}
		dir := t.TempDir()
		files := map[string][]byte{"scenario.yaml": s.YAML()}
		for _, e := range s.Strategies {
			if e.Start.File != "" {
				files[e.Start.File] = e.Start.Data
			}
		}
		for name, data := range files {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		again, err := scenarios.Load(scenarios.Request{Source: filepath.Join(dir, "scenario.yaml")})
		if err != nil {
			t.Errorf("%s, written out: %v", info.Name, err)
		} else if string(again.YAML()) != string(s.YAML()) {
			t.Errorf("%s changes when it is written out and read", info.Name)
		}
	}
}
