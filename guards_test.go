package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"herdsim/scenarios"
)

// TestEveryGuardIsInTheCatalogue looks for types with a Make that no key of a scenario makes.
func TestEveryGuardIsInTheCatalogue(t *testing.T) {
	made := map[string]bool{}
	for _, info := range scenarios.Guards() {
		item := info.Key
		switch {
		case len(info.Presets) > 0:
			item += ": " + info.Presets[0].Name
		case info.Fields[0].Required:
			item += ": {" + info.Fields[0].Key + ": 1}"
		}
		s, err := scenarios.Load(scenarios.Request{Source: "dirac", Set: []string{"guards=[" + item + "]"}})
		if err != nil {
			t.Errorf("%s: %v", info.Key, err)
			continue
		}
		made[reflect.TypeOf(s.Guards[0].Maker).Elem().Name()] = true
	}
	files, err := filepath.Glob(filepath.Join("strategies", "guards", "*.go"))
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
			if !isFunc || f.Name.Name != "Make" || f.Recv == nil {
				continue
			}
			found++
			star, isPointer := f.Recv.List[0].Type.(*ast.StarExpr)
			if !isPointer || !made[star.X.(*ast.Ident).Name] {
				t.Errorf("%s: the guard that its Make makes is not in the catalogue", path)
			}
		}
	}
	if found != len(made) {
		t.Errorf("%d guards in the package, the catalogue makes %d", found, len(made))
	}
}
