package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mayImport says which packages of herdsim a room may depend on, directly or not. A room includes its subfolders.
var mayImport = map[string][]string{
	"strategies":  {},
	"downstream":  {},
	"broker":      {},
	"sim":         {"strategies", "downstream", "broker"},
	"experiment":  {"sim", "strategies", "downstream", "broker"},
	"scenarios":   {"sim", "strategies", "downstream", "broker"},
	"report":      {"sim", "strategies", "downstream", "broker"},
	"cli":         {"experiment", "scenarios", "report", "sim", "strategies", "downstream", "broker"},
	"main itself": {"cli", "experiment", "scenarios", "report", "sim", "strategies", "downstream", "broker"},
}

// core are the rooms that also have to run, small and repeatable, in a browser.
var core = []string{"sim", "strategies", "downstream", "broker"}

// A listed is what go list says of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, Deps           []string
	Module                  *struct{ Path string }
}

// goList runs go list with -json.
func goList(t *testing.T, env string, args ...string) []listed {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Export,GoFiles,Deps,Module"}, args...)...)
	cmd.Env = append(os.Environ(), env)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// room returns the top folder of a package of herdsim.
func room(importPath string) string {
	if importPath == "herdsim" {
		return "main itself"
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(importPath, "herdsim/"), "/")
	return name
}

func TestImportDirection(t *testing.T) {
	for _, p := range goList(t, "", "./...") {
		here := room(p.ImportPath)
		allowed, known := mayImport[here]
		if !known {
			t.Errorf("%s is a room that the table does not know", p.ImportPath)
		}
		for _, dep := range p.Deps {
			if !strings.HasPrefix(dep, "herdsim/") {
				continue
			}
			if there := room(dep); there != here && !slices.Contains(allowed, there) {
				t.Errorf("%s depends on %s", p.ImportPath, dep)
			}
		}
	}
}

func TestCoreIsPure(t *testing.T) {
	var packages []listed
	exports := map[string]string{}
	for _, p := range goList(t, "", "-export", "-deps", "./sim/...", "./strategies/...", "./downstream/...") {
		exports[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, "herdsim/") && slices.Contains(core, room(p.ImportPath)) {
			packages = append(packages, p)
		}
	}
	if len(packages) < 3 {
		t.Fatalf("%d packages in the core, want 3 or more", len(packages))
	}
	fset := token.NewFileSet()
	from := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range packages {
		var files []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
		if _, err := (&types.Config{Importer: from}).Check(p.ImportPath, fset, files, info); err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			for _, what := range impurities(file, info) {
				t.Errorf("%s: %s", fset.Position(what.pos), what.text)
			}
		}
	}
}

// TestNoticeNamesEveryModule looks at what the binary is made of, on the systems it is built for.
func TestNoticeNamesEveryModule(t *testing.T) {
	notice, err := os.ReadFile("NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, p := range goList(t, "GOOS="+system, "-deps", ".") {
			if p.Module != nil && p.Module.Path != "herdsim" && !bytes.Contains(notice, []byte("\n"+p.Module.Path+"\n")) {
				t.Errorf("on %s the binary contains %s, of a module that NOTICE does not name", system, p.ImportPath)
			}
		}
	}
}

type impurity struct {
	pos  token.Pos
	text string
}

// impurities returns what a file of the core must not have.
func impurities(file *ast.File, info *types.Info) (found []impurity) {
	add := func(n ast.Node, format string, args ...any) {
		found = append(found, impurity{n.Pos(), fmt.Sprintf(format, args...)})
	}
	for _, spec := range file.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		if slices.Contains([]string{"fmt", "os", "math/rand", "time/tzdata"}, path) || strings.HasPrefix(path, "encoding") {
			add(spec, "imports %s", path)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			add(n, "starts a goroutine")
		case *ast.RangeStmt:
			if _, isMap := info.TypeOf(n.X).Underlying().(*types.Map); isMap {
				add(n, "ranges over a map")
			}
		case *ast.Ident:
			if f, isFunc := info.Uses[n].(*types.Func); isFunc && readsTheWorld(f) {
				add(n, "calls %s", f.FullName())
			}
		}
		return true
	})
	return found
}

// readsTheWorld reports whether a function reads a clock or a generator that is not handed to it.
func readsTheWorld(f *types.Func) bool {
	if f.Pkg() == nil || f.Signature().Recv() != nil {
		return false
	}
	switch f.Pkg().Path() {
	case "time":
		return slices.Contains([]string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker"}, f.Name())
	case "math/rand/v2":
		return !strings.HasPrefix(f.Name(), "New")
	}
	return false
}

// sources calls f for every Go file.
func sources(t *testing.T, f func(path string, text []byte)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "out") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil {
			f(path, text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSizes(t *testing.T) {
	const mostLines, mostInFunction = 500, 70
	fset := token.NewFileSet()
	sources(t, func(path string, text []byte) {
		if n := bytes.Count(text, []byte("\n")); n > mostLines {
			t.Errorf("%s has %d lines, at most %d are wanted", path, n, mostLines)
		}
		file, err := parser.ParseFile(fset, path, text, 0)
		if err != nil {
			t.Error(err)
			return
		}
		for _, d := range file.Decls {
			f, isFunc := d.(*ast.FuncDecl)
			if !isFunc || strings.HasSuffix(path, "_test.go") {
				continue
			}
			if n := fset.Position(f.End()).Line - fset.Position(f.Pos()).Line - 1; n > mostInFunction {
				t.Errorf("%s: %s has %d lines, at most %d are wanted", path, f.Name.Name, n, mostInFunction)
			}
		}
	})
}

func TestNothingIsLeftOpen(t *testing.T) {
	// In two parts, so that this file does not find itself.
	words := []string{"TO" + "DO", "FIX" + "ME", "t.Sk" + "ip("}
	sources(t, func(path string, text []byte) {
		for _, word := range words {
			if bytes.Contains(text, []byte(word)) {
				t.Errorf("%s contains %s", path, word)
			}
		}
	})
}
