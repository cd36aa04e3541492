package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"herdsim/report"
	"herdsim/scenarios"
)

// leftovers returns the files that a run removes from dir if it does not write them itself: the known ones, and the
// traces of the scenario that was run last. There are none if dir carries no result of herdsim, so that what somebody
// else keeps in a folder outlives the first run that is pointed at it.
func leftovers(dir string, known []string) []string {
	if !carriesResult(dir) {
		return nil
	}
	return append(slices.Clone(known), copiedTraces(dir)...)
}

// copiedTraces returns the traces beside the scenario of an earlier run, which were copied to it.
func copiedTraces(dir string) []string {
	path := filepath.Join(dir, scenarioFile)
	if !bytes.HasPrefix(head(path), writtenScenario) {
		return nil // somebody's own
	}
	s, err := scenarios.Load(scenarios.Request{Source: path})
	if err != nil {
		return nil // of another version, or its traces are gone
	}
	var names []string
	for _, trace := range traces(s) {
		names = append(names, trace.name) // which never lies in another folder
	}
	return names
}

// writtenScenario is how the scenario of a run begins.
var writtenScenario = []byte("# yaml-language-server: $schema=" + scenarios.SchemaFile)

// carriesResult reports whether dir holds what a run of herdsim writes: its result.json, or its scenario and summary; or
// the phase.json of a map.
func carriesResult(dir string) bool {
	for _, name := range []string{resultFile, phaseResultFile} {
		result := head(filepath.Join(dir, name))
		if bytes.Contains(result, []byte(`"format_version"`)) && bytes.Contains(result, []byte(`"herdsim_version"`)) {
			return true
		}
	}
	columns := strings.Join(report.Columns()[:4], ",")
	return bytes.HasPrefix(head(filepath.Join(dir, scenarioFile)), writtenScenario) &&
		bytes.HasPrefix(head(filepath.Join(dir, summaryFile)), []byte(columns))
}

// head returns how a file begins, nothing if it cannot be read.
func head(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, 4096)) // as much as there is
	return text
}
