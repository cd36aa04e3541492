package cli

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// What somebody else keeps in a folder outlives the first run that is pointed at it.
func TestForeignFilesAreNoLeftovers(t *testing.T) {
	const json = "{\n  \"format_version\": 1,\n  \"herdsim_version\": \"x\",\n"
	const yaml = "# yaml-language-server: $schema=scenario.schema.json\nname: x\n"
	const csv = "scenario,strategy,replicate,seed,tasks\n"
	known := []string{"overview.png", "attempts.csv", "not-there.png"}
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"a stranger's", map[string]string{}, nil},
		{"another program's result", map[string]string{"result.json": `{"format_version": 7}`, "summary.csv": csv}, nil},
		{"another program's scenario", map[string]string{"scenario.yaml": "name: x\n", "summary.csv": csv}, nil},
		{"ours", map[string]string{"result.json": json, "summary.csv": csv}, known},
		{"ours without its result", map[string]string{"scenario.yaml": yaml, "summary.csv": csv}, known},
		{"ours without its summary", map[string]string{"result.json": json}, known},
	} {
		dir := t.TempDir()
		for name, text := range c.files {
			write(t, dir, name, text)
		}
		if got := leftovers(dir, known); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A trace that an earlier run copied beside its scenario goes with it; another file does not, nor does any if the
// scenario there was not written by a run.
func TestCopiedTracesAreLeftovers(t *testing.T) {
	const json = "{\n  \"format_version\": 1,\n  \"herdsim_version\": \"x\",\n"
	const body = "name: x\nstart: {trace: calls.csv}\ndownstream: {slots: 1}\nstrategies:\n  - fixed\n" +
		"  - {name: own, fixed: {}, start: {trace: own.csv}}\n"
	const trace = "t_s,count\n0,5\n1,0\n"
	for _, c := range []struct {
		name, scenario string
		want           []string
	}{
		{"a run's", string(writtenScenario) + "\n" + body, []string{"overview.png", "calls.csv", "own.csv"}},
		{"somebody's", body, []string{"overview.png"}},
		{"of another version", string(writtenScenario) + "\nunknown: 1\n" + body, []string{"overview.png"}},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"result.json": json, "scenario.yaml": c.scenario, "calls.csv": trace, "own.csv": trace, "other.csv": trace,
		} {
			write(t, dir, name, text)
		}
		if got := leftovers(dir, []string{"overview.png"}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
