package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"herdsim/scenarios"
)

func (a *app) scenariosCommand() *cobra.Command {
	list := action(func(cmd *cobra.Command, _ []string) error {
		a.folded(a.listScenarios)
		return nil
	})
	cmd := &cobra.Command{
		Use:   "scenarios",
		Short: "The built-in scenarios, and the format of your own",
		Example: `  herdsim scenarios
  herdsim scenarios show dirac > mine.yaml
  herdsim scenarios schema > scenario.schema.json`,
		Args: a.knownCommand,
		RunE: list,
	}
	cmd.AddCommand(
		&cobra.Command{
			Use:     "list",
			Short:   "List the built-in scenarios",
			Example: "  herdsim scenarios list",
			Args:    arguments(0, 0, "no arguments"),
			RunE:    list,
		},
		&cobra.Command{
			Use:               "show NAME",
			Short:             "Print the file of a built-in scenario, or a trace that one starts from",
			Example:           "  herdsim scenarios show dirac\n  herdsim scenarios show cron-minute > mine.yaml\n  herdsim scenarios show herd-per-second.csv > herd-per-second.csv",
			Args:              arguments(1, 1, "one NAME"),
			ValidArgsFunction: completeBuiltin,
			RunE: action(func(_ *cobra.Command, args []string) error {
				return a.showScenario(args[0])
			}),
		},
		&cobra.Command{
			Use:     "schema",
			Short:   "Print the JSON Schema of scenario files, for editors",
			Example: "  herdsim scenarios schema > scenario.schema.json",
			Args:    arguments(0, 0, "no arguments"),
			RunE: action(func(*cobra.Command, []string) error {
				_, err := a.stdout.Write(scenarios.Schema())
				return err
			}),
		},
	)
	return cmd
}

// showScenario prints a file of the library, and says of a scenario which other file it needs beside it.
func (a *app) showScenario(name string) error {
	if filepath.Ext(name) == ".csv" {
		data, err := scenarios.BuiltinTrace(name)
		if err != nil {
			return wrong(fmt.Errorf("%q: %w; there are %s", name, err, strings.Join(scenarios.BuiltinTraces(), ", ")))
		}
		_, err = a.stdout.Write(data)
		return err
	}
	text, err := scenarios.BuiltinText(name)
	if err != nil {
		return wrong(err)
	}
	if _, err := a.stdout.Write(text); err != nil {
		return err
	}
	for _, file := range scenarios.BuiltinTraces() {
		if bytes.Contains(text, []byte("trace: "+file)) {
			a.remark("herdsim: %s reads %s, which has to lie beside it: herdsim scenarios show %[2]s > %[2]s", name, file)
		}
	}
	return nil
}

func (a *app) listScenarios() {
	all := scenarios.Builtin()
	widest := 0
	for _, s := range all {
		widest = max(widest, utf8.RuneCountInString(s.Name))
	}
	for _, s := range all {
		fmt.Fprintf(a.stdout, "%-*s  %s\n", widest, s.Name, s.Title)
	}
}

// completeBuiltin has the shell offer the built-in scenarios.
func completeBuiltin(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return append(builtinNames(), scenarios.BuiltinTraces()...), cobra.ShellCompDirectiveNoFileComp
}
