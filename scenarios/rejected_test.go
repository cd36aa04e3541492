package scenarios

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// golden compares got with the file, or rewrites it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// nowhere are the files of which the fault has no line.
var nowhere = map[string]bool{"empty": true, "comment-only": true, "null": true}

func TestRejected(t *testing.T) {
	t.Chdir("testdata/rejected")
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d rejected files (%v), want at least 60", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".yaml")
		t.Run(name, func(t *testing.T) {
			_, err := Load(Request{Source: file})
			var problems Errors
			if !errors.As(err, &problems) {
				t.Fatalf("Load gives %v, want Errors", err)
			}
			for _, p := range problems {
				if p.Line == 0 && !nowhere[name] {
					t.Errorf("no line: %v", p)
				}
			}
			golden(t, name+".txt", problems.Error()+"\n")
		})
	}
}

func TestSchemaRefuses(t *testing.T) {
	validate := compileSchema(t)
	t.Chdir("testdata/rejected")
	files, _ := filepath.Glob("*.yaml")
	for _, file := range files {
		name := strings.TrimSuffix(file, ".yaml")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		why, beyond := beyondSchema[name]
		switch refused := validate(text) != nil; {
		case refused && beyond:
			t.Errorf("%s: the schema refuses it, yet it is marked as beyond the schema: %s", name, why)
		case !refused && !beyond:
			t.Errorf("%s: the schema accepts it", name)
		}
	}
}

// beyondSchema are the rejected files that no schema can refuse, and why.
var beyondSchema = func() map[string]string {
	const (
		compares = "compares values"
		grammar  = "the grammar of expect"
		formulas = "the grammar of formulas"
		measures = "arithmetic on a text"
		writes   = "lost when YAML becomes values"
		looks    = "looks into another file"
	)
	return map[string]string{
		"arrivals-after-horizon": compares, "arrivals-order": compares, "capacity-no-service": compares,
		"capacity-not-whole": compares, "entry-duplicate": compares, "fixed-zero": compares, "guard-breaker": compares, "guard-twice": compares, "immediate": compares,
		"immediate-elapsed": compares, "law-uniform-order": compares, "outage-empty": compares, "outage-order": compares,
		"outages-overlap": compares, "strategy-cap": compares, "too-much-work": compares, "poll-looks": compares,

		"adaptive": compares, "clients-think": compares, "contention": compares, "crash-without-cause": compares, "cron-due": compares, "cron-ends": compares,
		"immediate-arrivals": compares, "lifo-above": compares, "liveness": compares, "outage-every": compares,
		"outage-flapping-overlap": compares, "outage-flapping-too-often": compares, "outage-slow": compares, "outage-too-late": compares,
		"arrivals-trace-from": compares, "paced-unlimited": compares, "phase-ramp-of-nothing": compares, "place-without-line": compares,
		"broker-beside": compares, "broker-beside-entries": compares,
		"pool": compares, "queue-timeout": compares, "queue-timeout-order": compares, "slowdown": compares, "tiers-beside": compares,
		"tiers-passed": compares, "tiers-too-many": compares,

		"expect-column": grammar, "expect-dimension": grammar, "expect-quotes": grammar, "expect-strategy": grammar,

		"duration-short-window": measures, "duration-too-fine": measures, "duration-too-long": measures,
		"rate-too-fine": measures, "rate-too-high": measures, "reject-cost": measures,

		"expr-function": formulas, "expr-let": formulas, "expr-name": formulas, "expr-no-arithmetic": formulas, "expr-quoted": formulas, "expr-syntax": formulas,
		"expr-too-deep": formulas, "expr-type": formulas, "expr-zero": formulas,

		"count-exponent": writes, "duplicate-key": writes, "duplicate-key-nested": writes,
		"second-document": writes, "share-tiny": writes, "tag": writes,

		"arrivals-trace-header": looks, "arrivals-trace-late": looks, "arrivals-trace-rates": looks, "trace-header": looks, "trace-missing": looks, "trace-rows": looks, "trace-short": looks, "trace-short-wrong": looks, "trace-zero": looks,
	}
}()
