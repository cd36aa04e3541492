package scenarios

import (
	"bytes"
	"embed"
	"errors"
	"path"
	"strings"
)

//go:embed library
var library embed.FS

// Info names a built-in scenario.
type Info struct{ Name, Title string }

// Builtin returns the built-in scenarios in the order of their names.
func Builtin() []Info {
	var infos []Info
	for _, name := range builtinNames() {
		text, _ := library.ReadFile("library/" + name + ".yaml")
		info := Info{Name: name}
		if root, problems := parse(name, text); len(problems) == 0 {
			if title := root.get("title"); title != nil {
				info.Title = title.text
			}
		}
		infos = append(infos, info)
	}
	return infos
}

// BuiltinText returns the file of the built-in scenario of that name; it refers to a schema that lies beside it. The
// error is of type Errors, and lists the names there are.
func BuiltinText(name string) ([]byte, error) {
	if text, err := library.ReadFile("library/" + name + ".yaml"); err == nil {
		return bytes.Replace(text, []byte("$schema=../"+SchemaFile), []byte("$schema="+SchemaFile), 1), nil
	}
	names := builtinNames()
	return nil, Errors{{
		File: quote(name), Message: "no such file, and no built-in scenario",
		Allowed: "built in are " + strings.Join(names, ", "), Suggestion: near(name, names),
	}}
}

// BuiltinTrace returns a measured trace that a built-in scenario starts from, by the name that it has there.
func BuiltinTrace(name string) ([]byte, error) {
	data, err := library.ReadFile("library/" + name)
	if err != nil || path.Ext(name) != ".csv" {
		return nil, errors.New("no such built-in file")
	}
	return data, nil
}

// BuiltinTraces returns the names of the measured traces, in order.
func BuiltinTraces() []string {
	var names []string
	for _, name := range libraryFiles(".csv") {
		names = append(names, name+".csv")
	}
	return names
}

func builtinNames() []string { return libraryFiles(".yaml") }

// libraryFiles returns the files with an ending, without it. They are in order: the embedded folder is.
func libraryFiles(ending string) []string {
	entries, _ := library.ReadDir("library")
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ending); ok {
			names = append(names, name)
		}
	}
	return names
}
