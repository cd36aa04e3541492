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

// leftovers returns those of the known files in dir that an earlier run left there: none if dir carries no result of
// herdsim, so that what somebody else keeps in a folder outlives a run that is pointed at it, and none that are older
// than that result, which did not bring them.
func leftovers(dir string, known []string) []string {
	if !carriesResult(dir) {
		return nil
	}
	first, err := os.Stat(filepath.Join(dir, summaryFile)) // the first that a run writes
	if err != nil {
		return known
	}
	return slices.DeleteFunc(slices.Clone(known), func(name string) bool {
		info, err := os.Lstat(filepath.Join(dir, name))
		return err != nil || info.ModTime().Before(first.ModTime())
	})
}

// carriesResult reports whether dir holds what a run of herdsim writes: its result.json, or its scenario and summary.
func carriesResult(dir string) bool {
	result := head(filepath.Join(dir, resultFile))
	if bytes.Contains(result, []byte(`"format_version"`)) && bytes.Contains(result, []byte(`"herdsim_version"`)) {
		return true
	}
	columns := strings.Join(report.Columns()[:4], ",")
	return bytes.HasPrefix(head(filepath.Join(dir, scenarioFile)), []byte("# yaml-language-server: $schema="+scenarios.SchemaFile)) &&
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
