package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"herdsim/experiment"
	"herdsim/report/figures"
	"herdsim/scenarios"
	"herdsim/sim"
)

// A runJob is one call of herdsim run.
type runJob struct {
	app      *app
	override *override
	source   string
	out      string // folder, or none
	format   *choice
	figures  *choices
	theme    *choice
	trace    bool
	color    *choice
	metrics  metrics

	scenario *scenarios.Scenario
	folder   *folder   // nil for --out none
	attempts *attempts // nil without --trace
	progress *progress // nil for none
}

func (a *app) runCommand() *cobra.Command {
	j := &runJob{app: a}
	cmd := &cobra.Command{
		Use:   "run [SCENARIO]",
		Short: "Simulate every strategy of a scenario and report",
		Long: `Run simulates every strategy of a scenario and reports: a summary on stdout, tables and pictures in a folder.

SCENARIO is a built-in name (see herdsim scenarios), a file, or - for stdin. The default is dirac: a thousand workers lose
a service for half a second.`,
		Example: `  herdsim run
  herdsim run dirac --set workers=5000 --set downstream.queue=unlimited
  herdsim run dirac --strategy full-jitter --strategy 'exponential(base=1s, cap=30s)' --replicates 20
  herdsim run out/dirac/scenario.yaml --format csv --out none
  herdsim scenarios show dirac | herdsim run - --figures svg --theme dark`,
		Args:              arguments(0, 1, "one SCENARIO"),
		ValidArgsFunction: completeScenario,
		RunE: action(func(cmd *cobra.Command, args []string) error {
			j.source = "dirac"
			if len(args) > 0 {
				j.source = args[0]
			}
			return j.run(cmd)
		}),
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&j.out, "out", "o", "", "write files to `DIR`; none writes no files (default out/<scenario name>)")
	j.override = overrideFlags(cmd)
	j.format = choiceFlag(cmd, "format", "what goes to stdout", "text", "json", "csv", "markdown")
	j.figures = choicesFlag(cmd, "figures", "which pictures", string(figures.PNG), string(figures.SVG))
	j.theme = choiceFlag(cmd, "theme", "of the pictures", string(figures.Light), string(figures.Dark))
	f.BoolVar(&j.trace, "trace", false, "also write attempts.csv, a line for each attempt")
	j.metrics.flags(cmd)
	j.color = choiceFlag(cmd, "color", "colour of the text", "auto", "always", "never")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "no progress and no list of files")
	return cmd
}

// run loads, simulates, writes and reports, in this order: what can be wrong is found before time is spent, and files
// are there before anything is said on stdout.
func (j *runJob) run(cmd *cobra.Command) error {
	if err := j.checkFlags(cmd); err != nil {
		return err
	}
	var err error
	if j.scenario, err = j.app.load(j.source, j.override); err != nil {
		return err
	}
	j.app.warn(j.scenario)
	if err := j.openFolder(); err != nil {
		return err
	}
	if j.folder != nil {
		defer j.folder.discard()
		j.app.atExit(j.folder.discard)
	}
	if err := j.metrics.open(j, cmd); err != nil {
		return err
	}
	if j.metrics.folder != nil {
		defer j.metrics.folder.discard()
		j.app.atExit(j.metrics.folder.discard)
	}
	ctx, stop := j.app.interruptible(cmd.Context())
	defer stop()
	results, err := experiment.Run(ctx, j.grid(), j.options())
	j.progress.close()
	if err != nil {
		return err
	}
	all := len(j.scenario.Strategies) * j.scenario.Replicates
	if results.Missing == all {
		return interrupted("interrupted before a run was finished; nothing is written")
	}
	r := assemble(j.scenario, results)
	if err := j.metrics.stage(r); err != nil {
		return err
	}
	if err := j.write(r); err != nil {
		return err
	}
	if err := j.metrics.commit(j.app); err != nil {
		return err
	}
	if err := j.print(r); err != nil {
		return err
	}
	for _, line := range j.scenario.Remarks() {
		j.app.remark("herdsim: %s", line)
	}
	if ctx.Err() != nil {
		return interrupted("interrupted; %d of %d runs are reported", all-results.Missing, all)
	}
	return verdict(r)
}

func interrupted(format string, args ...any) error {
	return &failure{code: ExitInterrupted, err: fmt.Errorf(format, args...)}
}

// checkFlags refuses flags that contradict each other.
func (j *runJob) checkFlags(cmd *cobra.Command) error {
	set := cmd.Flags().Changed
	switch {
	case set("out") && j.out == "":
		return usage(seeHelp(cmd), "--out is empty; want a folder, or none")
	case j.out == "-":
		return usage("--format csv or json writes to stdout", "--out is -; want a folder, or none")
	case j.out != none:
		return nil
	case j.trace:
		return usage(seeHelp(cmd), "--trace writes attempts.csv, and --out none writes no files")
	case set("figures") && len(j.figures.values) > 0:
		return usage(seeHelp(cmd), "--figures %s writes pictures, and --out none writes no files", j.figures)
	}
	return nil
}

// openFolder readies the place for the files.
func (j *runJob) openFolder() error {
	if j.out == none {
		return nil
	}
	if j.out == "" {
		j.out = filepath.Join("out", j.scenario.Name)
	}
	if err := checkSource(j.scenario, j.source, j.out); err != nil {
		return err
	}
	var err error
	j.folder, err = openFolder(j.out)
	return err
}

// checkSource refuses to replace a scenario that somebody wrote by hand with what the run writes of it, which has no
// comments.
func checkSource(s *scenarios.Scenario, file, out string) error {
	source, err := os.Stat(file)
	if err != nil {
		return nil // a built-in, or stdin
	}
	path := filepath.Join(out, scenarioFile)
	target, err := os.Stat(path)
	if err != nil || !os.SameFile(source, target) {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if first, _, _ := bytes.Cut(s.YAML(), []byte(s.Name)); bytes.HasPrefix(text, first) {
		return nil
	}
	return usage("choose another --out", "%s is the scenario itself, and the run would overwrite it", path)
}

func (j *runJob) grid() experiment.Grid {
	return experiment.Grid{
		Rows: len(j.scenario.Strategies), Replicates: j.scenario.Replicates,
		Config: func(row, replicate int) sim.Config {
			cfg := j.scenario.RunConfig(row, replicate)
			j.metrics.count(row, &cfg)
			return cfg
		},
	}
}

func (j *runJob) options() experiment.Options {
	var o experiment.Options
	if j.progress = j.app.progress(j.scenario); j.progress != nil {
		o.Progress = j.progress.show
	}
	if j.trace {
		j.attempts = newAttempts(j.folder, j.scenario)
		o.Tracer = j.attempts.tracer
	}
	return o
}
