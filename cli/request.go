package cli

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"herdsim/scenarios"
)

// An override is the part of the command line that changes a scenario. Commands that load one share it.
type override struct {
	set, strategy []string
	seed          wholeNumber
	replicates    wholeNumber
}

// mostReplicates is the limit that a scenario has too.
const mostReplicates = 10_000

// overrideFlags adds --set, --strategy, --seed and --replicates.
func overrideFlags(cmd *cobra.Command) *override {
	o := &override{seed: wholeNumber{most: math.MaxUint64}, replicates: wholeNumber{least: 1, most: mostReplicates}}
	f := cmd.Flags()
	f.StringArrayVar(&o.set, "set", nil, "override a field of the scenario by `PATH=VALUE`, as workers=5000; repeatable")
	f.StringArrayVar(&o.strategy, "strategy", nil, "run only `SPEC`, as 'exponential(base=1s, cap=30s)', or the scenario's own of that name; repeatable")
	f.Var(&o.seed, "seed", "take `N` as the seed of all luck (default the scenario's)")
	f.Var(&o.replicates, "replicates", "run each strategy `R` times, each time with other luck (default the scenario's)")
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
func (a *app) load(source string, o *override) (*scenarios.Scenario, error) {
	r := scenarios.Request{
		Source: source, Stdin: a.Stdin, Set: o.set, Strategies: o.strategy, Seed: o.seed.value,
	}
	if n := o.replicates.value; n != nil {
		replicates := int(*n)
		r.Replicates = &replicates
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
