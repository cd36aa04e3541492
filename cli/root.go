package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// root returns the command tree.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "herdsim",
		Short: "See what a retry strategy does to a service that comes back",
		Long: `Herdsim simulates a thundering herd: N workers fail together at t0, a service of limited capacity comes back, each
worker retries by some strategy. What load does the service see, and when is everyone done?

The same scenario and seed give the same bytes on every run.

Exit codes: 0 done; 1 failed; 2 wrong flags or scenario; 3 done, but an expect of the scenario is not met;
130 interrupted, what was finished is reported; 141 nobody reads the output any more.`,
		Example: `  herdsim run                       the built-in example: a thousand workers, seven strategies
  herdsim run steep.yaml -o out/1   a scenario of your own
  herdsim strategies                what can be compared`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          a.knownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("herdsim {{.Version}}\n")
	root.SetFlagErrorFunc(wrongFlag)
	root.AddCommand(a.runCommand(), a.whyCommand(), a.phaseCommand(), a.scenariosCommand(), a.strategiesCommand(), a.checkCommand(), a.initCommand())
	root.SetIn(a.Stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.Stderr)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd() // after SetOut: it keeps the stream
	a.complete(root)
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) { a.folded(func() { help(cmd, args) }) })
	return root
}

// complete gives cobra's own commands what the others have: an example, and an error for what they do not know.
func (a *app) complete(root *cobra.Command) {
	examples := map[string]string{
		"herdsim help":                  "  herdsim help run",
		"herdsim completion":            "  herdsim completion bash > /etc/bash_completion.d/herdsim",
		"herdsim completion bash":       "  source <(herdsim completion bash)",
		"herdsim completion zsh":        `  herdsim completion zsh > "${fpath[1]}/_herdsim"`,
		"herdsim completion fish":       "  herdsim completion fish > ~/.config/fish/completions/herdsim.fish",
		"herdsim completion powershell": "  herdsim completion powershell | Out-String | Invoke-Expression",
	}
	for _, cmd := range root.Commands() {
		for _, c := range append(cmd.Commands(), cmd) {
			if example, ok := examples[c.CommandPath()]; ok {
				c.Example = example
			}
		}
		switch cmd.Name() {
		case "completion":
			cmd.Args, cmd.RunE = a.knownCommand, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				found, rest, err := root.Find(args)
				if err != nil {
					return err
				}
				return a.knownCommand(found, rest)
			}
		}
	}
}

// wrongFlag returns the failure for a flag that cannot be read.
func wrongFlag(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) && invalid.GetFlag().Value.Type() == "bool" {
		err = fmt.Errorf("invalid argument %q for \"--%s\" flag: want true or false", invalid.GetValue(), invalid.GetFlag().Name)
	}
	return usage(seeHelp(cmd), "%w", err)
}

// knownCommand refuses arguments that are no command, and says what was probably meant.
func (a *app) knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := seeHelp(cmd)
	cmd.SuggestionsMinimumDistance = 2
	if names := cmd.SuggestionsFor(args[0]); len(names) > 0 {
		hint = fmt.Sprintf("did you mean %s?", orList(names))
	} else if !cmd.HasParent() && slices.Contains(builtinNames(), args[0]) {
		hint = fmt.Sprintf("did you mean %s run %s?", cmd.CommandPath(), args[0])
	}
	return usage(hint, "unknown command %q for %q", args[0], cmd.CommandPath())
}

// arguments bounds how many a command takes; what names them for the error.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage(seeHelp(cmd), "%s is missing", what)
		case most >= 0 && len(args) > most:
			return usage(seeHelp(cmd), "too many arguments: %q; want %s", strings.Join(args[most:], " "), what)
		}
		return nil
	}
}

func seeHelp(cmd *cobra.Command) string { return fmt.Sprintf("see %s --help", cmd.CommandPath()) }
