package cli

import (
	"encoding/csv"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"herdsim/report"
	"herdsim/report/figures"
)

func (a *app) compareStrategiesCommand() *cobra.Command {
	var format, theme *choice
	var figure string
	cmd := &cobra.Command{
		Use:   "compare SPEC SPEC...",
		Short: "Put the waits of several strategies or presets side by side",
		Long: `Compare prints the mean and the 95 % wait before each of the first 12 retries under each strategy, how long all of them
last, and how many requests are expected in the busiest window of 1,000 workers that fail together and keep failing. A SPEC
is that of a strategy or preset, or the name of a preset.`,
		Example: `  herdsim strategies compare full-jitter decorrelated
  herdsim strategies compare 'exponential(base=1s, cap=30s)' 'full-jitter(base=1s, cap=30s)' --figure compare.png
  herdsim strategies compare sidekiq-8 celery-autoretry-backoff --format csv`,
		Args: func(cmd *cobra.Command, args []string) error {
			if n := len(args); n < 2 || n > figures.MostCompared {
				return usage(seeHelp(cmd), "%d SPECs; want 2 to %d, in quotes if they have brackets", n, figures.MostCompared)
			}
			return nil
		},
		ValidArgsFunction: cobra.FixedCompletions(append(strategyKeys(), presetNames()...), cobra.ShellCompDirectiveNoFileComp),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			compared, err := a.compared(cmd, args)
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("figure") {
				format, err := pictureFormat(cmd, figure)
				if err != nil {
					return err
				}
				picture, err := figures.Compare(compared, figures.Theme(theme.value), format)
				if err != nil {
					return err
				}
				if err := writePicture(figure, picture); err != nil {
					return err
				}
			}
			if format.value == "csv" {
				return a.printComparedCSV(compared)
			}
			a.printCompared(compared)
			return nil
		}),
	}
	format = choiceFlag(cmd, "format", "what goes to stdout", "text", "csv")
	cmd.Flags().StringVar(&figure, "figure", "", "also draw a picture, `FILE`.png or FILE.svg")
	theme = choiceFlag(cmd, "theme", "of the picture", string(figures.Light), string(figures.Dark))
	return cmd
}

// compared returns what the SPECs describe. Each is called by its key or preset, or by the whole SPEC where that would
// be the same as another's.
func (a *app) compared(cmd *cobra.Command, specs []string) ([]figures.Waiting, error) {
	var all []figures.Waiting
	names, times := []string{}, map[string]int{}
	for _, spec := range specs {
		s, e, err := entry(presetSpec(spec))
		if err != nil {
			return nil, wrong(err)
		}
		w := waiting(s, e)
		if len(w.Rows) == 0 {
			return nil, usage(seeHelp(cmd), "%s has no waits of its own to compare", e.Name)
		}
		all, names = append(all, w), append(names, e.Name)
		times[w.Name]++
	}
	for i := range all {
		if times[all[i].Name] > 1 {
			all[i].Name = names[i]
		}
	}
	return all, nil
}

func (a *app) printComparedCSV(all []figures.Waiting) error {
	w := csv.NewWriter(a.stdout)
	_ = w.Write(append([]string{"strategy"}, waitColumns...)) // Flush has the error
	for _, one := range all {
		for _, r := range one.Rows {
			_ = w.Write(append([]string{one.Name}, waitCells(r)...))
		}
	}
	w.Flush()
	return w.Error()
}

// printCompared prints a table with a pair of columns for each strategy.
func (a *app) printCompared(all []figures.Waiting) {
	const least = 24
	window, most := figures.Busiest(all)
	var names, words, lasts, busiest strings.Builder
	var widths []int
	rows := 0
	for i, w := range all {
		width := max(least, utf8.RuneCountInString(w.Name))
		widths = append(widths, width)
		rows = max(rows, len(w.Rows))
		fmt.Fprintf(&names, "  %*s", width, w.Name)
		fmt.Fprintf(&words, "  %*s", width, fmt.Sprintf("%11s %12s", "mean", "95 %"))
		fmt.Fprintf(&lasts, "  %*s", width, a.span(w.Lasts()))
		count := "no bound"
		if !math.IsInf(most[i], 1) {
			count = report.Count(int64(math.Round(most[i])))
		}
		fmt.Fprintf(&busiest, "  %*s", width, count)
	}
	fmt.Fprintf(a.stdout, "%-8s%s\n%-8s%s\n", "", names.String(), "retry", words.String())
	for n := range rows {
		fmt.Fprintf(a.stdout, "%5d   ", n+1)
		for i, w := range all {
			cell := ""
			if n < len(w.Rows) {
				cell = fmt.Sprintf("%11s %12s", a.span(w.Rows[n].Mean), a.span(w.Rows[n].P95))
			}
			fmt.Fprintf(a.stdout, "  %*s", widths[i], cell)
		}
		fmt.Fprintln(a.stdout)
	}
	fmt.Fprintf(a.stdout, "\n%-8s%s\n%-8s%s\n", "all last", lasts.String(), "busiest", busiest.String())
	if window > 0 {
		fmt.Fprintf(a.stdout, "\nbusiest: the most requests in %s, of 1,000 workers that fail together and keep failing\n", a.span(window))
	}
	for _, w := range all {
		if w.GivesUp != "" {
			fmt.Fprintf(a.stdout, "%s gives up %s\n", w.Name, w.GivesUp)
		}
	}
}
