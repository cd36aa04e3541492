package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what scripts compare with")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"herdsim": main})
}

// TestScripts runs cli/testdata/script/*.txtar against the command as it is built.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("cli", "testdata", "script"),
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			path, err := exec.LookPath("herdsim")
			env.Setenv("PATH_TO_HERDSIM", path)
			env.Setenv("GORACE", "atexit_sleep_ms=0") // under the race detector each process would sleep a second
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "holds": holds, "same": same, "waitfor": waitFor, "closedpipe": closedPipe,
		},
	})
}

// exits CODE PROGRAM ARGS... runs a program that must exit with CODE.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// holds FOLDER NAMES... checks that a folder holds these and nothing else.
func holds(ts *testscript.TestScript, _ bool, args []string) {
	if diff := cmp.Diff(args[1:], names(ts, args[0])); diff != "" {
		ts.Fatalf("%s (-want +got):\n%s", args[0], diff)
	}
}

func names(ts *testscript.TestScript, folder string) []string {
	entries, err := os.ReadDir(ts.MkAbs(folder))
	ts.Check(err)
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// same FOLDER FOLDER checks that two folders hold the same files, byte by byte.
func same(ts *testscript.TestScript, _ bool, args []string) {
	all := names(ts, args[0])
	if others := names(ts, args[1]); !slices.Equal(all, others) {
		ts.Fatalf("%v and %v", all, others)
	}
	for _, name := range all {
		if a, b := filepath.Join(args[0], name), filepath.Join(args[1], name); ts.ReadFile(a) != ts.ReadFile(b) {
			ts.Fatalf("%s and %s differ", a, b)
		}
	}
}

// waitfor PATTERN waits until there is a file of that name.
func waitFor(ts *testscript.TestScript, _ bool, args []string) {
	for {
		found, err := filepath.Glob(ts.MkAbs(args[0]))
		ts.Check(err)
		if len(found) > 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// closedpipe PROGRAM ARGS... runs a program whose stdout is a pipe that nobody reads. It must end, as others do, by
// SIGPIPE.
func closedPipe(ts *testscript.TestScript, _ bool, args []string) {
	r, w, err := os.Pipe()
	ts.Check(err)
	ts.Check(r.Close())
	defer w.Close()
	stderr, err := os.Create(ts.MkAbs("closedpipe.txt"))
	ts.Check(err)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), w, stderr
	err = cmd.Run()
	ts.Check(stderr.Close())
	if err == nil || err.Error() != "signal: broken pipe" {
		ts.Fatalf("ended with %v, want signal: broken pipe", err)
	}
	ts.Check(ts.Exec("cat", "closedpipe.txt")) // for stdout and its patterns
}
