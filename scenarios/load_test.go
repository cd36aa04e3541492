package scenarios

import (
	"bytes"
	"errors"
	"testing"
)

func TestEveryBuiltinLoads(t *testing.T) {
	validate := compileSchema(t)
	for _, info := range Builtin() {
		s, err := Load(Request{Source: info.Name})
		if err != nil {
			t.Errorf("%s:\n%v", info.Name, err)
			continue
		}
		if s.Name != info.Name || s.Title != info.Title {
			t.Errorf("%s: name %q and title %q, want those of the list: %q", info.Name, s.Name, s.Title, info.Title)
		}
		text, err := BuiltinText(info.Name)
		if err != nil || !bytes.HasPrefix(text, []byte("# yaml-language-server: $schema="+SchemaFile+"\n")) {
			t.Errorf("%s begins %.60q (%v), want the schema beside it", info.Name, text, err)
		}
		if err := validate(text); err != nil {
			t.Errorf("the schema refuses %s: %v", info.Name, err)
		}
	}
}

func TestUnknownBuiltin(t *testing.T) {
	_, err := Load(Request{Source: "dirca"})
	var problems Errors
	if !errors.As(err, &problems) || problems[0].Suggestion != "dirac" {
		t.Errorf("Load(dirca) = %v, want the suggestion dirac", err)
	}
}
