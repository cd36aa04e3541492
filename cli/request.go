package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"herdsim/scenarios"
)

// An override is the part of the command line that changes a scenario. Commands that load one share it.
type override struct {
	set, strategy []string
	seed          uint64
	replicates    int
}

// overrideFlags adds --set, --strategy, --seed and --replicates.
func overrideFlags(cmd *cobra.Command) *override {
	o := &override{}
	f := cmd.Flags()
	f.StringArrayVar(&o.set, "set", nil, "`PATH=VALUE` overrides a field of the scenario, as workers=5000; repeatable")
	f.StringArrayVar(&o.strategy, "strategy", nil, "`SPEC` replaces the scenario's strategies, as 'exponential(base=1s, cap=30s)'; repeatable")
	f.Uint64Var(&o.seed, "seed", 1, "`N`, the seed of all luck (default the scenario's)")
	f.IntVar(&o.replicates, "replicates", 1, "`R`, how often each strategy runs, each time with other luck (default the scenario's)")
	f.Lookup("seed").DefValue, f.Lookup("replicates").DefValue = "0", "0" // not to be printed: the scenario has its own
	completeFlag(cmd, "strategy", strategyKeys())
	completeFlag(cmd, "set", nil)
	return o
}

func strategyKeys() []string {
	var keys []string
	for _, s := range scenarios.Catalogue() {
		keys = append(keys, s.Key)
	}
	return keys
}

func builtinNames() []string {
	var names []string
	for _, s := range scenarios.Builtin() {
		names = append(names, s.Name)
	}
	return names
}

// load reads a scenario as the command line wants it.
func (a *app) load(cmd *cobra.Command, source string, o *override) (*scenarios.Scenario, error) {
	r := scenarios.Request{Source: source, Stdin: a.Stdin, Set: o.set, Strategies: o.strategy}
	if cmd.Flags().Changed("seed") {
		r.Seed = &o.seed
	}
	if cmd.Flags().Changed("replicates") {
		r.Replicates = &o.replicates
	}
	s, err := scenarios.Load(r)
	if err != nil {
		return nil, wrong(err)
	}
	for _, e := range s.Skipped {
		a.remark("herdsim: expect %q is skipped: %s", e.Line, e.Skipped)
	}
	return s, nil
}

// wrong returns the failure for an error of package scenarios, whose lines begin with the place.
func wrong(err error) error { return &failure{code: ExitUsage, err: err, bare: true} }

// completeScenario has the shell offer the built-in scenarios, and files.
func completeScenario(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return builtinNames(), cobra.ShellCompDirectiveDefault
}

// remark writes one line to stderr.
func (a *app) remark(format string, args ...any) {
	fmt.Fprintf(a.Stderr, format+"\n", args...)
}
