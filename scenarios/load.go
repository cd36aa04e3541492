package scenarios

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Request says which scenario to load, and what the command line changes in it.
type Request struct {
	Source     string    // the name of a built-in, a file, or "-" for Stdin
	Stdin      io.Reader // read if Source is "-"
	Set        []string  // PATH=VALUE, later ones win
	Strategies []string  // SPECs, or names of its own entries, that replace the scenario's list; none to keep it
	Seed       *uint64   // instead of the scenario's; nil to keep it
	Replicates *int      // likewise
	Vary       []Setting // applied after all that
}

// Load reads, checks and completes a scenario. Its error is always of type Errors, and names every problem at once.
//
// A source with a path separator or the ending .yaml, .yml or .json is a file, and so is what exists as one; else it is
// the name of a built-in. What the request changes goes through the same checks as the file.
func Load(r Request) (*Scenario, error) {
	source, err := Read(r)
	if err != nil {
		return nil, err
	}
	return source.Load(r)
}

// A Source is a scenario as it was found, to be loaded with one change after the other.
type Source struct{ file file }

// Read reads what a request names; the rest of the request is for Load. Its error is of type Errors.
func Read(r Request) (*Source, error) {
	f, err := open(r)
	if err != nil {
		return nil, err
	}
	return &Source{f}, nil
}

// Load is the function Load, but for what the request names.
func (src *Source) Load(r Request) (*Scenario, error) {
	root, problems := parse(src.file.name, src.file.text)
	d := &decoder{traces: src.file.trace, problems: problems, removed: map[string]bool{}}
	var s *Scenario
	switch {
	case root == nil && len(problems) > 0:
	case root == nil || root.null:
		d.problems = append(d.problems, Problem{File: src.file.name, Message: "the scenario is empty", Allowed: "at least " + strings.Join(required(), ", ")})
	default:
		if root.kind == mapping {
			d.override(root, r)
		}
		s = d.scenario(root)
	}
	for _, v := range r.Vary {
		if v.whole() && len(d.problems) == 0 {
			s = d.vary(s, v)
		}
	}
	if len(d.problems) > 0 {
		return nil, d.problems.sorted()
	}
	return s, nil
}

func required() []string {
	var keys []string
	for _, f := range scenarioFields {
		if f.Required {
			keys = append(keys, f.Key)
		}
	}
	return keys
}

// A file is a scenario as it was found.
type file struct {
	name  string // for errors
	text  []byte
	trace traceReader
}

// open finds and reads what the request names.
func open(r Request) (file, error) {
	switch {
	case r.Source == "-":
		if r.Stdin == nil {
			return file{}, Errors{{File: "stdin", Message: "there is no standard input"}}
		}
		text, err := io.ReadAll(io.LimitReader(r.Stdin, largestFile+1))
		if err != nil {
			return file{}, Errors{{File: "stdin", Message: err.Error()}}
		}
		return file{name: "stdin", text: text, trace: tracesIn(".")}, nil
	case isFile(r.Source):
		text, err := readFile(r.Source, largestFile)
		if err != nil {
			return file{}, Errors{{File: r.Source, Message: err.Error()}}
		}
		return file{name: r.Source, text: text, trace: tracesIn(filepath.Dir(r.Source))}, nil
	}
	text, err := BuiltinText(r.Source)
	if err != nil {
		return file{}, err
	}
	return file{name: "built-in " + r.Source + ".yaml", text: text, trace: func(name string) (string, []byte, error) {
		data, err := BuiltinTrace(name)
		return "built-in " + name, data, err
	}}, nil
}

// isFile says whether source means a file, and not the name of a built-in.
func isFile(source string) bool {
	if strings.ContainsRune(source, '/') || strings.ContainsRune(source, filepath.Separator) {
		return true
	}
	if slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(source))) {
		return true
	}
	info, err := os.Stat(source)
	return err == nil && !info.IsDir()
}

func tracesIn(folder string) traceReader {
	return func(name string) (string, []byte, error) {
		path := filepath.Join(folder, name)
		data, err := readFile(path, largestTrace)
		return path, data, err
	}
}

// readFile reads a file of at most one byte more than most, enough to see that it is too large.
func readFile(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errors.New("is a folder")
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, reason(err)
	}
	return text, nil
}

// reason leaves out what an error of the file system says about the path, which stands before it anyway.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("cannot %s: %w", strings.TrimPrefix(path.Op, "f"), path.Err)
	}
	return err
}
