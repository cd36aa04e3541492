// Herdsim simulates thundering herds: what each retry strategy does to a downstream of limited capacity.
package main

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"herdsim/cli"
)

func main() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	os.Exit(cli.Main(&cli.Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		LookupEnv: os.LookupEnv, Terminal: terminal, Signals: signals, Exit: os.Exit,
	}))
}

// terminal reports whether a stream is a terminal, and how wide it is.
func terminal(stream any) (columns int, is bool) {
	f, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		columns = 0
	}
	return columns, true
}
