package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

func open(t *testing.T, dir string) *folder {
	t.Helper()
	f, err := openFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// list returns what is in a folder.
func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func stage(t *testing.T, f *folder, name, text string) {
	t.Helper()
	if err := f.stage(name, content([]byte(text))); err != nil {
		t.Fatal(err)
	}
}

func TestFolderWritesAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	stage(t, f, "a", "old")
	if err := f.commit(nil); err != nil {
		t.Fatal(err)
	}
	f.discard()

	f = open(t, dir)
	stage(t, f, "a", "new")
	// What a full disk says after half a file.
	err := f.stage("b", func(w io.Writer) error {
		_, _ = w.Write(make([]byte, 1<<20))
		return &os.PathError{Op: "write", Path: "temporary", Err: syscall.ENOSPC}
	})
	if want := filepath.Join(dir, "b") + ": no space left on device"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	f.discard()
	text, err := os.ReadFile(filepath.Join(dir, "a"))
	if err != nil || string(text) != "old" {
		t.Errorf("a holds %q, error %v; want the old text", text, err)
	}
	if got := list(t, dir); !slices.Equal(got, []string{"a"}) {
		t.Errorf("the folder holds %v, want a alone", got)
	}
}

func TestFolderPermissions(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	stage(t, f, "a", "text")
	if err := f.commit(nil); err != nil {
		t.Fatal(err)
	}
	ordinary := filepath.Join(dir, "ordinary")
	if err := os.WriteFile(ordinary, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := os.Stat(filepath.Join(dir, "a"))
	want, err2 := os.Stat(ordinary)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	if got.Mode() != want.Mode() {
		t.Errorf("mode %v, want that of any new file, %v", got.Mode(), want.Mode())
	}
}

func TestFolderRemovesOnlyKnownFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"known", "known-and-written", "mine"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "known-but-a-folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	f := open(t, dir)
	stage(t, f, "known-and-written", "new")
	if err := f.commit([]string{"known", "known-and-written", "known-but-a-folder", "not-there"}); err != nil {
		t.Fatal(err)
	}
	if got, want := list(t, dir), []string{"known-and-written", "known-but-a-folder", "mine"}; !slices.Equal(got, want) {
		t.Errorf("the folder holds %v, want %v", got, want)
	}
}

func TestFolderInTheWay(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "b"), 0o777); err != nil {
		t.Fatal(err)
	}
	f := open(t, dir)
	stage(t, f, "a", "text")
	stage(t, f, "b", "text")
	if err := f.commit(nil); err == nil || err.Error() != filepath.Join(dir, "b")+": is a folder" {
		t.Errorf("error %v", err)
	}
	f.discard()
	if got := list(t, dir); !slices.Equal(got, []string{"b"}) {
		t.Errorf("the folder holds %v, want b alone", got)
	}
}

func TestFolderLeavesNoEmptyFolders(t *testing.T) {
	top := t.TempDir()
	f := open(t, filepath.Join(top, "x", "y", "z"))
	f.discard()
	if got := list(t, top); len(got) != 0 {
		t.Errorf("%v is left behind", got)
	}
	f = open(t, filepath.Join(top, "x", "y"))
	if err := os.WriteFile(filepath.Join(top, "x", "other"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	f.discard()
	if got := list(t, filepath.Join(top, "x")); !slices.Equal(got, []string{"other"}) {
		t.Errorf("x holds %v, want what somebody else has put there", got)
	}
}
