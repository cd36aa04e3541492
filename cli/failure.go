package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// A failure is an error that carries an exit code and what to do about it.
type failure struct {
	code int
	err  error
	hint string
	bare bool // the error's lines name their place themselves
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// print writes one line, or the lines of an error that has several.
func (f *failure) print(w io.Writer) {
	text := strings.TrimRight(f.Error(), "\n")
	if !f.bare {
		text = "herdsim: " + text
	}
	if f.hint != "" {
		text += "; " + f.hint
	}
	fmt.Fprintln(w, text)
}

// usage returns an error about how the command was called.
func usage(hint, format string, args ...any) error {
	return &failure{code: ExitUsage, err: fmt.Errorf(format, args...), hint: hint}
}

// action makes a RunE: an error without an exit code of its own is a failure of the work, not of the arguments.
func action(run func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := run(cmd, args)
		var f *failure
		if err == nil || errors.As(err, &f) {
			return err
		}
		return &failure{code: ExitFailed, err: err}
	}
}
