package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"herdsim/scenarios"
)

func (a *app) guardsCommand() *cobra.Command {
	var keys []string
	for _, g := range scenarios.Guards() {
		keys = append(keys, g.Key)
	}
	return &cobra.Command{
		Use:   "guards [KEY]",
		Short: "List what decides over calls beside the wait: retry budgets, circuit breakers, throttles",
		Long: `Guards lists what a scenario may have under guards: retry budgets, circuit breakers, throttles and limits, each with its
rule, its fields and presets. With a KEY it prints what each field means, and where the numbers of the presets come from.`,
		Example: `  herdsim strategies guards
  herdsim strategies guards breaker
  herdsim run dirac --set 'guards=[breaker: gobreaker]'`,
		Args:              arguments(0, 1, "at most one KEY"),
		ValidArgsFunction: cobra.FixedCompletions(keys, cobra.ShellCompDirectiveNoFileComp),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				a.folded(a.listGuards)
				return nil
			}
			i := slices.Index(keys, args[0])
			if i < 0 {
				return usage(seeHelp(cmd), "unknown guard %q; one of %s", args[0], strings.Join(keys, ", "))
			}
			a.folded(func() { a.describeGuard(scenarios.Guards()[i]) })
			return nil
		}),
	}
}

func (a *app) listGuards() {
	fmt.Fprintln(a.stdout, "Under guards: in a scenario or an entry, each a KEY, KEY: PRESET or KEY: {FIELDS}, beside it scope: shared or worker.")
	for _, g := range scenarios.Guards() {
		fmt.Fprintf(a.stdout, "\n%s (%s)\n", g.Key, g.Scope)
		for _, line := range []string{g.Summary, g.Rule, fieldList(g.Fields)} {
			fmt.Fprintf(a.stdout, "    %s\n", a.plain(line))
		}
		if len(g.Presets) > 0 {
			fmt.Fprintf(a.stdout, "    presets: %s\n", strings.Join(guardPresetNames(g), ", "))
		}
	}
}

func guardPresetNames(g scenarios.GuardInfo) []string {
	names := make([]string, len(g.Presets))
	for i, p := range g.Presets {
		names[i] = p.Name
	}
	return names
}

func (a *app) describeGuard(g scenarios.GuardInfo) {
	scope := "each worker, and each client of the open traffic, has its own"
	if g.Scope == "shared" {
		scope = "all share one"
	}
	fmt.Fprintf(a.stdout, "%s: %s\n%s\nscope: %s, so %s unless the scenario says otherwise\n\n", g.Key, a.plain(g.Summary), a.plain(g.Rule), g.Scope, scope)
	widest := 0
	for _, f := range g.Fields {
		widest = max(widest, len(fieldList([]scenarios.Field{f})))
	}
	for _, f := range g.Fields {
		fmt.Fprintf(a.stdout, "%-*s  %s\n", widest, fieldList([]scenarios.Field{f}), a.plain(f.Doc))
	}
	if len(g.Presets) == 0 {
		return
	}
	fmt.Fprintln(a.stdout)
	widest = 0
	for _, name := range guardPresetNames(g) {
		widest = max(widest, len(name))
	}
	for _, p := range g.Presets {
		fmt.Fprintf(a.stdout, "%-*s  %s\n", widest, p.Name, a.plain(p.Source))
	}
}
