package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"herdsim/experiment"
	"herdsim/report"
	"herdsim/scenarios"
)

func (a *app) checkCommand() *cobra.Command {
	var o *override
	var format *choice
	cmd := &cobra.Command{
		Use:   "check SCENARIO...",
		Short: "Validate scenarios, show them with every default, and what a run would do",
		Long: `Check validates scenarios, and prints each with every default filled in and the plan of a run: strategies x
replicates, and how many events to expect. All errors of all files are reported.

The text is itself a scenario, with the plan as a comment. With --format json there is one object a scenario, one after
the other.`,
		Example: `  herdsim check mine.yaml
  herdsim check *.yaml > /dev/null
  herdsim check dirac --set workers=1_000_000 --format json | jq .plan`,
		Args:              arguments(1, -1, "SCENARIO"),
		ValidArgsFunction: completeScenario,
		RunE: action(func(cmd *cobra.Command, args []string) error {
			return a.check(cmd, args, o, format.value)
		}),
	}
	o = overrideFlags(cmd)
	format = choiceFlag(cmd, "format", "what goes to stdout", "text", "json")
	return cmd
}

// check prints those scenarios that are right, and returns the errors of the others.
func (a *app) check(cmd *cobra.Command, sources []string, o *override, format string) error {
	var errs []error
	printed := 0
	for _, source := range sources {
		s, err := a.load(source, o)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		a.warn(s)
		p := newPlan(cmd.Context(), s)
		if format == "json" {
			if err := a.printJSON(struct {
				Scenario json.RawMessage `json:"scenario"`
				Plan     plan            `json:"plan"`
			}{s.JSON(), p}); err != nil {
				return err
			}
			continue
		}
		if printed++; printed > 1 {
			fmt.Fprintln(a.stdout, "---")
		}
		fmt.Fprintf(a.stdout, "%s\n%s", s.YAML(), p)
	}
	if len(errs) > 0 {
		return wrong(errors.Join(errs...))
	}
	return nil
}

func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// A plan is what a run of a scenario would do.
type plan struct {
	Strategies int        `json:"strategies"`
	Replicates int        `json:"replicates"`
	Runs       int        `json:"runs"`
	Events     int64      `json:"expected_events"` // of all runs together
	Basis      string     `json:"basis"`           // the weakest of the entries
	MostEvents int64      `json:"max_events"`      // of one run
	OpenTasks  int64      `json:"open_tasks"`      // of a run, about: those beside the herd
	Memory     int64      `json:"most_bytes"`      // of a run, about
	Entries    []planItem `json:"entries"`
}

// A planItem is what one run of a strategy would do.
type planItem struct {
	Strategy string `json:"strategy"`
	Tasks    int64  `json:"tasks"` // of the herd
	Events   int64  `json:"expected_events"`
	Basis    string `json:"basis"` // exact, scaled or at_least
}

func newPlan(ctx context.Context, s *scenarios.Scenario) plan {
	p := plan{
		Strategies: len(s.Strategies), Replicates: s.Replicates, Runs: len(s.Strategies) * s.Replicates,
		Basis: string(experiment.Exact), MostEvents: s.MaxEvents,
	}
	weakness := []experiment.Basis{experiment.Exact, experiment.Scaled, experiment.AtLeast}
	weakest := 0
	p.OpenTasks, p.Memory = needs(s)
	for i, e := range s.Strategies {
		f := experiment.Predict(ctx, s.Config(i, 1))
		p.Entries = append(p.Entries, planItem{e.Name, int64(s.Herd(e)), f.Events, string(f.Basis)})
		for range s.Replicates {
			p.Events += min(f.Events, math.MaxInt64-p.Events)
		}
		weakest = max(weakest, slices.Index(weakness, f.Basis))
	}
	if weakest == 0 && s.Replicates > 1 {
		weakest = 1 // the trials had the luck of replicate 1
	}
	p.Basis = string(weakness[weakest])
	return p
}

// String returns the plan as comment lines.
func (p plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# plan: %s x %s = %s, %s\n", count(p.Strategies, "strategy", "strategies"),
		count(p.Replicates, "replicate", "replicates"), count(p.Runs, "run", "runs"), expected(p.Events, p.Basis))
	if p.OpenTasks > 0 {
		fmt.Fprintf(&b, "# about %s of open traffic until the horizon, in up to %s of memory\n",
			count(int(p.OpenTasks), "task", "tasks"), inBytes(p.Memory))
	}
	fmt.Fprintf(&b, "# one run of each, of at most %s events:\n", report.Count(p.MostEvents))
	widest := 0
	for _, e := range p.Entries {
		widest = max(widest, utf8.RuneCountInString(e.Strategy))
	}
	for _, e := range p.Entries {
		fmt.Fprintf(&b, "#   %-*s  %s\n", widest, e.Strategy, expected(e.Events, e.Basis))
	}
	return b.String()
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return report.Count(int64(n)) + " " + many
}

// expected writes a number of events and where it is from.
func expected(events int64, basis string) string {
	switch experiment.Basis(basis) {
	case experiment.Exact:
		return report.Count(events) + " events (exact: a trial counted them)"
	case experiment.Scaled:
		return "about " + report.Three(float64(events)) + " events (scaled up from a smaller trial)"
	}
	return report.Three(float64(events)) + " events or more (too many for a trial)"
}
