package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
)

// endless is a scenario whose run ends only when it is told to.
const endless = `{"name": "endless", "workers": 10000, "downstream": {"slots": 1, "outages": [{"from": "0s", "to": "1h"}]},
	"strategies": [{"fixed": {"delay": "1ms"}}]}`

// A bench is a Process in memory.
type bench struct {
	Process
	stdout, stderr bytes.Buffer
	env            map[string]string
	terminal       int // columns of stdout and stderr, if they are terminals
	exited         chan int
}

func newBench(args ...string) *bench {
	b := &bench{env: map[string]string{}, exited: make(chan int, 1)}
	b.Process = Process{
		Args: args, Stdin: strings.NewReader(""), Stdout: &b.stdout, Stderr: &b.stderr,
		LookupEnv: func(name string) (string, bool) { value, set := b.env[name]; return value, set },
		Terminal:  func(any) (int, bool) { return b.terminal, b.terminal > 0 },
		Exit:      func(code int) { b.exited <- code },
	}
	return b
}

func (b *bench) run(t *testing.T, want int) {
	t.Helper()
	if code := Main(&b.Process); code != want {
		t.Fatalf("herdsim %s: exit code %d, want %d; stderr:\n%s", strings.Join(b.Args, " "), code, want, &b.stderr)
	}
}

// A brokenWriter fails from the start.
type brokenWriter struct{ err error }

func (b brokenWriter) Write([]byte) (int, error) { return 0, b.err }

func TestBrokenStdout(t *testing.T) {
	tests := []struct {
		err    error
		code   int
		stderr string
	}{
		{&os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}, ExitClosedPipe, ""},
		{syscall.ENOSPC, ExitFailed, "herdsim: stdout: no space left on device\n"},
	}
	for _, args := range [][]string{{"strategies"}, {"--help"}, {"run", "--out", "none"}, {"check", "dirac"}, {"scenarios", "schema"}} {
		for _, tt := range tests {
			b := newBench(args...)
			b.Stdout = brokenWriter{tt.err}
			b.run(t, tt.code)
			if got := b.stderr.String(); got != tt.stderr {
				t.Errorf("%v: stderr %q, want %q", args, got, tt.stderr)
			}
		}
	}
}

func TestPanicIsABug(t *testing.T) {
	b := newBench("run", "--out", "none")
	b.Process.Terminal = func(any) (int, bool) { panic("sim: lost a task") }
	b.run(t, ExitFailed)
	first, rest, _ := strings.Cut(b.stderr.String(), "\n")
	if !strings.HasPrefix(first, "herdsim: this is a bug in herdsim ") || !strings.HasSuffix(first, ": sim: lost a task") {
		t.Errorf("first line %q", first)
	}
	if !strings.Contains(rest, "process_test.go") {
		t.Errorf("the stack does not show where it was:\n%s", rest)
	}
}

// TestInterrupt asks an endless run to stop. The signals come when it looks whether stderr is a terminal: then it has
// said that it can stop in good order.
func TestInterrupt(t *testing.T) {
	for _, signals := range []int{1, 2} {
		out := filepath.Join(t.TempDir(), "new", "folder")
		b := newBench("run", "-", "--out", out, "--trace")
		b.Stdin = strings.NewReader(endless)
		c := make(chan os.Signal)
		b.Signals = c
		b.Process.Terminal = func(stream any) (int, bool) {
			for range signals {
				c <- os.Interrupt
			}
			return 0, false
		}
		b.run(t, ExitInterrupted)
		if want := "herdsim: interrupted before a run was finished; nothing is written\n"; b.stderr.String() != want {
			t.Errorf("stderr %q, want %q", b.stderr.String(), want)
		}
		if _, err := os.Stat(filepath.Dir(out)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the folder is left behind: %v", err)
		}
		if signals == 2 {
			if code := <-b.exited; code != ExitInterrupted {
				t.Errorf("the second signal exits with %d, want %d", code, ExitInterrupted)
			}
		}
	}
}

// A slowReader gives a signal instead of text.
type slowReader struct {
	signals chan os.Signal
	exited  chan int
}

func (r slowReader) Read([]byte) (int, error) {
	r.signals <- os.Interrupt
	r.exited <- <-r.exited // until the process would have ended
	return 0, io.EOF
}

func TestInterruptWhileReading(t *testing.T) {
	b := newBench("run", "-")
	signals := make(chan os.Signal)
	b.Signals, b.Stdin = signals, slowReader{signals, b.exited}
	b.run(t, ExitUsage)
	if code := <-b.exited; code != ExitInterrupted {
		t.Errorf("exit code %d, want %d", code, ExitInterrupted)
	}
}

func TestColour(t *testing.T) {
	tests := []struct {
		name     string
		args     []string
		terminal int
		env      map[string]string
		want     bool
	}{
		{"a pipe", nil, 0, nil, false},
		{"a terminal", nil, 100, nil, true},
		{"a terminal and NO_COLOR", nil, 100, map[string]string{"NO_COLOR": "1"}, false},
		{"a terminal and an empty NO_COLOR", nil, 100, map[string]string{"NO_COLOR": ""}, true},
		{"a dumb terminal", nil, 100, map[string]string{"TERM": "dumb"}, false},
		{"an odd terminal", nil, 100, map[string]string{"TERM": "vt52-x"}, true},
		{"always to a pipe", []string{"--color", "always"}, 0, map[string]string{"NO_COLOR": "1"}, true},
		{"never on a terminal", []string{"--color", "never"}, 100, nil, false},
	}
	for _, tt := range tests {
		b := newBench(append([]string{"run", "--out", "none"}, tt.args...)...)
		b.terminal, b.env = tt.terminal, tt.env
		b.run(t, ExitDone)
		if got := strings.Contains(b.stdout.String(), "\x1b["); got != tt.want {
			t.Errorf("%s: colour is %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestTextFitsTheTerminal(t *testing.T) {
	for _, columns := range []int{60, 80, 132} {
		b := newBench("run", "--out", "none", "--color", "never")
		b.terminal = columns
		b.run(t, ExitDone)
		for line := range strings.Lines(b.stdout.String()) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > columns {
				t.Errorf("on %d columns a line has %d: %q", columns, n, line)
			}
		}
	}
}

func TestLocale(t *testing.T) {
	tests := []struct {
		env  map[string]string
		want bool
	}{
		{nil, false},
		{map[string]string{"LANG": "en_US.UTF-8"}, true},
		{map[string]string{"LANG": "de_DE.utf8"}, true},
		{map[string]string{"LANG": "C"}, false},
		{map[string]string{"LANG": "en_US.UTF-8", "LC_CTYPE": "C"}, false},
		{map[string]string{"LANG": "C", "LC_CTYPE": "UTF-8"}, true},
		{map[string]string{"LANG": "C", "LC_CTYPE": "C", "LC_ALL": "C.UTF-8"}, true},
		{map[string]string{"LANG": "en_US.UTF-8", "LC_ALL": ""}, true},
		{map[string]string{"LANG": "en_US.ISO-8859-1"}, false},
	}
	for _, tt := range tests {
		b := newBench()
		b.env = tt.env
		if got := (&app{Process: &b.Process}).utf8(); got != tt.want {
			t.Errorf("%v: UTF-8 is %v, want %v", tt.env, got, tt.want)
		}
	}
}

func TestEveryCommandHasAnExample(t *testing.T) {
	a := &app{Process: &newBench().Process}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Example == "" {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: short help %q; want a line without a full stop", cmd.CommandPath(), cmd.Short)
		}
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(a.root())
}

func TestCompletion(t *testing.T) {
	tests := []struct{ words, want string }{
		{"run", "dirac"}, {"check", "dirac"}, {"scenarios show", "dirac"}, {"strategies show", "full-jitter"},
		{"run --format", "markdown"}, {"run --strategy", "decorrelated"}, {"run --figures", "png,svg"}, {"run --theme", "dark"},
		{"why", "dirac"}, {"why --strategy", "full-jitter"}, {"phase", "dirac"}, {"phase --figures", "png,svg"}, {"phase --format", "csv"},
	}
	for _, tt := range tests {
		b := newBench(append(append([]string{"__complete"}, strings.Fields(tt.words)...), "")...)
		b.run(t, ExitDone)
		if !strings.Contains(b.stdout.String(), tt.want+"\n") {
			t.Errorf("after %q the shell is offered\n%swant %s among it", tt.words, &b.stdout, tt.want)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		b := newBench("completion", shell)
		b.run(t, ExitDone)
		if !strings.Contains(b.stdout.String(), "herdsim") {
			t.Errorf("no completion script for %s", shell)
		}
	}
}
