// Package cli is the command herdsim: flags in, exit code out. Each command has its file; none of them simulates.
//
// All that a process takes from the system is in a Process, so the tests run commands in memory.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"syscall"

	"herdsim/experiment"
)

// The exit codes of herdsim.
const (
	ExitDone        = 0
	ExitFailed      = 1   // a file could not be read or written, or a bug
	ExitUsage       = 2   // wrong flags, arguments or scenario
	ExitUnmet       = 3   // all is done, but an expect of the scenario is not met
	ExitInterrupted = 130 // by SIGINT or SIGTERM
	ExitClosedPipe  = 141 // nobody reads stdout any more: what a shell says of a process that SIGPIPE ended
)

// A Process is what the command takes from the system.
type Process struct {
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	LookupEnv      func(name string) (value string, set bool)
	// Terminal reports whether a stream is a terminal, and its width in columns, 0 if unknown.
	Terminal func(stream any) (columns int, is bool)
	Signals  <-chan os.Signal // those that ask the process to end; nil for none
	Exit     func(code int)   // ends the process at once
}

// An app is one call of Main.
type app struct {
	*Process
	stdout *sticky
	interrupts
	quiet bool // no progress, no file list
}

// Main runs one command and returns the exit code.
func Main(p *Process) (code int) {
	a := &app{Process: p, stdout: &sticky{w: p.Stdout}}
	defer func() {
		if value := recover(); value != nil {
			code = a.bug(value)
		}
	}()
	defer a.watch(p.Signals, p.Exit)()

	root := a.root()
	root.SetArgs(append([]string{}, p.Args...)) // never nil, which would mean os.Args
	return a.conclude(root.ExecuteContext(context.Background()))
}

// conclude says what went wrong, if anything, and returns the exit code.
func (a *app) conclude(err error) int {
	if a.stdout.err != nil {
		if errors.Is(a.stdout.err, syscall.EPIPE) {
			return ExitClosedPipe
		}
		fmt.Fprintf(a.Stderr, "herdsim: stdout: %v\n", a.stdout.err)
		return ExitFailed
	}
	if err == nil {
		return ExitDone
	}
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{code: ExitUsage, err: err} // cobra's own errors are all about arguments
	}
	f.print(a.Stderr)
	return f.code
}

// bug reports a panic.
func (a *app) bug(value any) int {
	stack := debug.Stack()
	if p, ok := value.(*experiment.Panic); ok {
		stack = p.Stack
	}
	a.cleanUp()
	fmt.Fprintf(a.Stderr, "herdsim: this is a bug in herdsim %s: %v\n\n%s", version(), value, stack)
	return ExitFailed
}

// A sticky writer remembers its first error and writes nothing after it, so that a command may print line by line and
// Main checks once.
type sticky struct {
	w   io.Writer
	err error
}

func (s *sticky) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(p)
	s.err = err
	return n, err
}
