// Herdsim simulates thundering herds: what each retry strategy does to a downstream of limited capacity.
package main

import (
	"os"
	"os/signal"
	"syscall"

	"herdsim/cli"
)

func main() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	os.Exit(cli.Main(&cli.Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		LookupEnv: os.LookupEnv, Terminal: cli.Terminal, Signals: signals, Exit: os.Exit,
	}))
}
