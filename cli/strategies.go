package cli

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"herdsim/report"
	"herdsim/report/figures"
	"herdsim/scenarios"
	"herdsim/strategies"
)

func (a *app) strategiesCommand() *cobra.Command {
	list := action(func(*cobra.Command, []string) error {
		a.folded(a.listStrategies)
		return nil
	})
	cmd := &cobra.Command{
		Use:   "strategies",
		Short: "The catalogue of retry strategies, and the waits of one",
		Example: `  herdsim strategies
  herdsim strategies show 'exponential(base=1s, cap=30s, jitter=10%)'
  herdsim strategies compare full-jitter decorrelated --figure compare.png`,
		Args: a.knownCommand,
		RunE: list,
	}
	cmd.AddCommand(
		&cobra.Command{
			Use:     "list",
			Short:   "List the strategies with their formulas and fields",
			Example: "  herdsim strategies list",
			Args:    arguments(0, 0, "no arguments"),
			RunE:    list,
		},
		a.showStrategyCommand(),
		a.guardsCommand(),
		a.compareStrategiesCommand(),
	)
	return cmd
}

func (a *app) listStrategies() {
	all := scenarios.Catalogue()
	widest := 0
	for _, s := range all {
		widest = max(widest, utf8.RuneCountInString(s.Key))
	}
	fmt.Fprintf(a.stdout, "The wait before a retry, n = 0 before the first, E = min(cap, base %s factor%s); defaults in parentheses.\n",
		a.plain("×"), a.plain("ⁿ"))
	for _, s := range all {
		fmt.Fprintf(a.stdout, "\n%-*s  %s\n", widest, s.Key, a.plain(s.Formula))
		fmt.Fprintf(a.stdout, "%*s  %s\n", widest, "", a.plain(s.Summary))
		if len(s.Fields) > 0 {
			fmt.Fprintf(a.stdout, "%*s  %s\n", widest, "", a.plain(fieldList(s.Fields)))
		}
	}
	a.listPresets()
	fmt.Fprintln(a.stdout, "\nRetry budgets, circuit breakers and throttles: herdsim strategies guards")
}

// fieldList writes fields with their defaults: base (1s), cap (none).
func fieldList(fields []scenarios.Field) string {
	var words []string
	for _, f := range fields {
		initial := f.Default
		switch {
		case f.Required:
			initial = "required"
		case initial == "":
			initial = none
		}
		words = append(words, fmt.Sprintf("%s (%s)", f.Key, initial))
	}
	return strings.Join(words, ", ")
}

// plain makes the signs of formulas readable where the locale has ASCII alone.
func (a *app) plain(formula string) string {
	if a.utf8() {
		return formula
	}
	return asciiFormula.Replace(formula)
}

var asciiFormula = strings.NewReplacer(asciiSigns()...)

// asciiSigns pairs each sign with what stands for it. Raised digits are a power of their own, unless they follow a plus.
func asciiSigns() []string {
	signs := []string{"×", "*", "ⁿ", "^n", "⁻¹", "-1", "½", "1/2 ", "⌊", "floor(", "⌋", ")", "≤", "<=", "≥", ">=", "∞", "infinite",
		"µ", "u", "…", "...", "–", "-", "±", "+/-", "√", "sqrt"}
	for i, digit := range []rune("⁰¹²³⁴⁵⁶⁷⁸⁹") {
		signs = append(signs, "⁺"+string(digit), "+"+strconv.Itoa(i), string(digit), "^"+strconv.Itoa(i))
	}
	return signs
}

func (a *app) showStrategyCommand() *cobra.Command {
	var format, theme *choice
	var figure string
	cmd := &cobra.Command{
		Use:   "show SPEC",
		Short: "Print the first 12 waits of a strategy or preset",
		Long: `Show prints the smallest, mean, 95 % and largest wait before each of the first 12 retries of a worker that fails again
and again, and how often the wait is the cap itself; fewer where the limits of the SPEC or its preset end it. SPEC is that of
a strategy or preset, or the name of a preset, of which it also prints the version and source, and all its defaults.`,
		Example: `  herdsim strategies show full-jitter
  herdsim strategies show sidekiq-8
  herdsim strategies show 'decorrelated(base=100ms, cap=20s)' --format csv
  herdsim strategies show 'equal-jitter(base=1s, cap=30s)' --figure waits.svg`,
		Args:              arguments(1, 1, "one SPEC, in quotes if it has brackets"),
		ValidArgsFunction: cobra.FixedCompletions(append(strategyKeys(), presetNames()...), cobra.ShellCompDirectiveNoFileComp),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			s, e, err := entry(presetSpec(args[0]))
			if err != nil {
				return wrong(err)
			}
			if cmd.Flags().Changed("figure") {
				if err := a.drawWaits(cmd, waiting(s, e), figure, figures.Theme(theme.value)); err != nil {
					return err
				}
			}
			if format.value == "csv" {
				return a.printWaitsCSV(waits(e))
			}
			a.folded(func() { a.printWaits(e) })
			return nil
		}),
	}
	format = choiceFlag(cmd, "format", "what goes to stdout", "text", "csv")
	cmd.Flags().StringVar(&figure, "figure", "", "also draw a picture, `FILE`.png or FILE.svg")
	theme = choiceFlag(cmd, "theme", "of the picture", string(figures.Light), string(figures.Dark))
	return cmd
}

// drawWaits writes a picture of the waits.
func (a *app) drawWaits(cmd *cobra.Command, w figures.Waiting, path string, theme figures.Theme) error {
	format, err := pictureFormat(cmd, path)
	if err != nil {
		return err
	}
	if len(w.Rows) == 0 {
		return usage(seeHelp(cmd), "--figure: %s has no waits of its own to draw", w.Name)
	}
	picture, err := figures.Waits(w, theme, format)
	if err != nil {
		return err
	}
	return writePicture(path, picture)
}

// waitColumns are the columns of a table of waits, and waitCells a row of it.
var waitColumns = []string{"retry", "min_s", "mean_s", "p95_s", "max_s", "at_cap_share"}

func waitCells(r strategies.WaitStats) []string {
	return []string{
		strconv.Itoa(r.Retry), report.ExactSeconds(r.Min), report.ExactSeconds(r.Mean), report.ExactSeconds(r.P95),
		bounded(r.Max, report.ExactSeconds, ""), report.ExactFloat(r.AtCapShare),
	}
}

func (a *app) printWaitsCSV(rows []strategies.WaitStats) error {
	w := csv.NewWriter(a.stdout)
	_ = w.Write(waitColumns) // Flush has the error
	for _, r := range rows {
		_ = w.Write(waitCells(r))
	}
	w.Flush()
	return w.Error()
}

// printWaits prints what a strategy or preset is, and its waits.
func (a *app) printWaits(e scenarios.Entry) {
	if p, ok := scenarios.FindPreset(e.Preset); ok {
		a.describePreset(p, e)
	} else {
		fmt.Fprintf(a.stdout, "%s: %s\n", e.Name, a.plain(catalogued(e.Key).Summary))
		a.printFormula(e)
	}
	rows := waits(e)
	if len(rows) == 0 {
		if e.Strategy == nil {
			fmt.Fprintln(a.stdout, "\nIts waits depend on the herd and the downstream, not on the retry: there is no table.")
		}
		a.printEnd(e)
		return
	}
	fmt.Fprintf(a.stdout, "\n%5s %11s %11s %11s %11s %8s\n", "retry", "min", "mean", "95 %", "max", "at cap")
	sampled := false
	for _, r := range rows {
		fmt.Fprintf(a.stdout, "%5d %11s %11s %11s %11s %8s\n", r.Retry, a.span(r.Min), a.span(r.Mean), a.span(r.P95),
			bounded(r.Max, a.span, none), report.Percent(r.AtCapShare))
		sampled = sampled || !r.Exact
	}
	if sampled {
		fmt.Fprintln(a.stdout, "\nMean and 95 % are drawn, good to about 1 %.")
	}
	a.printEnd(e)
}

// printFormula prints what an entry waits, and below it the terms of its own.
func (a *app) printFormula(e scenarios.Entry) {
	fmt.Fprintf(a.stdout, "%s, n = 0 before the first retry\n", a.plain("wait = "+wait(e)))
	if terms := (&scenarios.Scenario{}).Terms(e); terms != "" {
		fmt.Fprintln(a.stdout, a.plain(terms))
	}
}

// printEnd prints after which retry nothing comes.
func (a *app) printEnd(e scenarios.Entry) {
	if end := givesUp(e.Limits); end != "" {
		fmt.Fprintf(a.stdout, "\nIt gives up %s.\n", end)
	}
}

func (a *app) span(d time.Duration) string { return a.plain(report.Span(d)) }

// bounded writes a largest wait, which a strategy may not have.
func bounded(d time.Duration, write func(time.Duration) string, without string) string {
	if d == strategies.NoBound {
		return without
	}
	return write(d)
}
