package scenarios

import (
	"flag"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files and the schema")

func TestSchemaIsCurrent(t *testing.T) {
	want := generateSchema()
	if *update {
		if err := os.WriteFile(SchemaFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(want), string(Schema())); diff != "" {
		t.Errorf("%s is not current, run go generate ./scenarios (-want +got):\n%s", SchemaFile, diff)
	}
}

// The structs that scenarios are written with have the keys of the tables that they are read with, in the same order.
func TestStructsHaveTheKeysOfTheTables(t *testing.T) {
	check := func(v any, fields []Field) {
		t.Helper()
		var keys []string
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); !f.Anonymous {
				keys = append(keys, key)
			}
		}
		if !slices.Equal(keys, keyNames(fields)) {
			t.Errorf("%T has the keys %v, want %v", v, keys, keyNames(fields))
		}
	}
	for _, v := range append([]any{
		fileScenario{}, fileTask{}, fileLimits{}, fileTier{}, fileVerdict{}, filePhase{}, fileRamp{}, fileSine{}, fileSpike{},
		fileDownstream{}, fileOutage{}, fileMeanCV{}, fileUniform{}, fileBimodal{}, fileNormal{}, fileEntry{},
	}, parts...) {
		name := strings.TrimPrefix(reflect.TypeOf(v).Name(), "file")
		if !strings.HasSuffix(name, "Law") && name != "Strategy" { // of which each has one of the keys, or but the strategies
			check(v, tables[name])
		}
	}
	all := reflect.TypeOf(fileStrategy{})
	for i := range all.NumField() {
		key, _, _ := strings.Cut(all.Field(i).Tag.Get("json"), ",")
		check(reflect.Zero(all.Field(i).Type.Elem()).Interface(), findStrategy(key).Fields)
	}
}
