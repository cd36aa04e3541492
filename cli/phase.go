package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"herdsim/experiment"
	"herdsim/report"
	"herdsim/report/figures"
	"herdsim/scenarios"
	"herdsim/sim"
)

// The files of a phase picture, besides the scenario's.
const (
	phaseFile       = "phase.csv"
	phaseResultFile = "phase.json"
	phaseFigure     = "phase"
)

// A phaseJob is one call of herdsim phase.
type phaseJob struct {
	app     *app
	search  *searched
	source  string
	x, y    string
	out     string // folder, or none
	format  *choice
	figures *choices
	theme   *choice
	color   *choice

	sweepX, sweepY scenarios.Sweep
	cells          []*scenarios.Scenario // row by row of y
	folder         *folder               // nil for --out none
}

func (a *app) phaseCommand() *cobra.Command {
	j := &phaseJob{app: a}
	cmd := &cobra.Command{
		Use:   "phase SCENARIO --x PATH=VALUES --y PATH=VALUES",
		Short: "Draw how often a scenario gets stuck, over two of its fields",
		Long: `Phase plays a scenario in every combination of two of its fields, each with the same seeds, and shows in how many of the
runs the service had not recovered at the end: a table on stdout, phase.csv, phase.json and a picture in a folder. What
recovered means is in docs/verdict.md; the expect lines of the scenario are not judged.

VALUES are values with commas between them, as --set takes them, or FROM..TO/STEPS: so many values from one number,
duration, rate or share to another of the same unit, both ends among them. Whole numbers stay whole.

Beside the fields of a scenario there are two PATHs: load is a factor for all traffic that keeps coming, as
load=0.5x..1.5x/11; trigger is the length of the one outage, or of the one burst of arrivals, as trigger=1s,2s,5s,10s.

A map is of one strategy.`,
		Example: `  herdsim phase mine.yaml --x load=0.5x..1.2x/8 --y trigger=1s,2s,5s,10s,20s
  herdsim phase mine.yaml --x downstream.queue=10..150/8 --y limits.max_attempts=1..6/6 --replicates 20
  herdsim phase mine.yaml --x task.timeout=500ms..5s/10 --y arrivals.rate=50/s..100/s/6 --strategy full-jitter --out none`,
		Args:              arguments(1, 1, "one SCENARIO"),
		ValidArgsFunction: completeScenario,
		RunE: action(func(cmd *cobra.Command, args []string) error {
			j.source = args[0]
			return j.run(cmd)
		}),
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&j.x, "x", "", "what goes from left to right, `PATH=VALUES`")
	f.StringVar(&j.y, "y", "", "what goes up, `PATH=VALUES`")
	f.StringVarP(&j.out, "out", "o", "", "write files to `DIR`; none writes no files (default out/<scenario name>-phase)")
	j.search = searchFlags(cmd, "under `NAME` of the scenario's strategies, or a SPEC as in run (default the first)", 10)
	j.format = choiceFlag(cmd, "format", "what goes to stdout", "text", "json", "csv", "markdown")
	j.figures = choicesFlag(cmd, "figures", "which pictures", string(figures.PNG), string(figures.SVG))
	j.theme = choiceFlag(cmd, "theme", "of the pictures", string(figures.Light), string(figures.Dark))
	j.color = choiceFlag(cmd, "color", "colour of the text", "auto", "always", "never")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "no progress and no list of files")
	completeFlag(cmd, "x", nil)
	completeFlag(cmd, "y", nil)
	return cmd
}

// run loads every cell before it plays the first, and writes before it prints, as a runJob does.
func (j *phaseJob) run(cmd *cobra.Command) error {
	if err := j.checkFlags(cmd); err != nil {
		return err
	}
	if err := j.search.open(j.app, cmd, j.source); err != nil {
		return err
	}
	if err := j.checkAxes(); err != nil {
		return err
	}
	if err := j.load(); err != nil {
		return err
	}
	if err := j.openFolder(); err != nil {
		return err
	}
	if j.folder != nil {
		defer j.folder.discard()
		j.app.atExit(j.folder.discard)
	}
	ctx, stop := j.app.interruptible(cmd.Context())
	defer stop()
	all := len(j.cells) * j.search.scenario.Replicates
	m := j.app.meter(all)
	p := j.phase()
	var mu sync.Mutex
	results, err := m.play(ctx, j.grid(), func(row, _ int, r *sim.Result) {
		v := judged(j.cells[row], j.search.picked[0], r)
		mu.Lock()
		defer mu.Unlock()
		p.Cells[row/len(p.X.Values)][row%len(p.X.Values)].Add(&v)
	})
	m.close()
	if err != nil {
		return err
	}
	done := dropUnfinished(p)
	if p.Partial = results.Missing > 0; done == 0 {
		return interrupted("interrupted before a cell was finished; nothing is written")
	}
	if err := j.write(p); err != nil {
		return err
	}
	if err := j.print(p); err != nil {
		return err
	}
	if p.Partial {
		return interrupted("interrupted; %d of %d cells are reported", done, len(j.cells))
	}
	return nil
}

// checkFlags refuses flags that are missing or contradict each other, and reads the axes.
func (j *phaseJob) checkFlags(cmd *cobra.Command) error {
	set := cmd.Flags().Changed
	switch {
	case !set("x") || !set("y"):
		return usage(seeHelp(cmd), "--x and --y are both needed")
	case len(j.search.strategy) > 1:
		return usage("a map is of one: call it once for each", "--strategy is there %d times", len(j.search.strategy))
	case set("out") && j.out == "":
		return usage(seeHelp(cmd), "--out is empty; want a folder, or none")
	case j.out == "-":
		return usage("--format csv or json writes to stdout", "--out is -; want a folder, or none")
	case j.out == none && set("figures") && len(j.figures.values) > 0:
		return usage(seeHelp(cmd), "--figures %s writes pictures, and --out none writes no files", j.figures)
	}
	var err error
	if j.sweepX, err = scenarios.ParseSweep("--x", j.x); err != nil {
		return wrong(err)
	}
	if j.sweepY, err = scenarios.ParseSweep("--y", j.y); err != nil {
		return wrong(err)
	}
	if j.sweepX.Path == j.sweepY.Path {
		return usage(seeHelp(cmd), "--x and --y are both of %s; want two fields", j.sweepX.Path)
	}
	return nil
}

// load loads the scenario of each cell. Its error has what is wrong with any of them, once.
func (j *phaseJob) load() error {
	var problems scenarios.Errors
	for y := range j.sweepY.Values {
		for x := range j.sweepX.Values {
			r := j.search.request
			r.Vary = []scenarios.Setting{j.sweepX.At(x), j.sweepY.At(y)}
			s, err := j.search.source.Load(r)
			if err != nil {
				var found scenarios.Errors
				errors.As(err, &found) // it is of no other type
				problems = append(problems, slices.DeleteFunc(found, func(p scenarios.Problem) bool { return told(problems, p) })...)
				continue
			}
			j.cells = append(j.cells, s)
		}
	}
	if len(problems) > 0 {
		return wrong(problems)
	}
	for _, s := range j.cells { // a field may be the list of strategies itself
		if i := j.search.picked[0]; i >= len(s.Strategies) {
			return usage("sweep another field", "a cell has %d strategies, and the map is of number %d", len(s.Strategies), i+1)
		}
	}
	return nil
}

// told reports whether a problem is among others. That of a flag is, too, if the same is wrong with another value of it.
func told(problems scenarios.Errors, p scenarios.Problem) bool {
	return slices.ContainsFunc(problems, func(q scenarios.Problem) bool {
		if p.Line == 0 && q.Line == 0 {
			p.File = q.File
		}
		return p == q
	})
}

// checkAxes refuses an axis along which every run would be the same.
func (j *phaseJob) checkAxes() error {
	for _, sweep := range []scenarios.Sweep{j.sweepX, j.sweepY} {
		switch sweep.Path {
		case "replicates":
			return usage("say with --replicates how many runs a cell has", "%s of replicates: it changes no run", sweep.Flag)
		case "name", "title", "about", "expect":
			return usage("sweep another field", "%s of %s: it changes no run", sweep.Flag, sweep.Path)
		}
		var i int
		if n, _ := fmt.Sscanf(sweep.Path, "strategies[%d]", &i); n == 1 && i != j.search.picked[0] {
			return usage("name that with --strategy", "%s of %s: the map is of strategies[%d]", sweep.Flag, sweep.Path, j.search.picked[0])
		}
	}
	return nil
}

func (j *phaseJob) openFolder() error {
	if j.out == none {
		return nil
	}
	if j.out == "" {
		j.out = filepath.Join("out", j.search.scenario.Name+"-phase")
	}
	if err := checkSource(j.search.scenario, j.source, j.out); err != nil {
		return err
	}
	var err error
	j.folder, err = openFolder(j.out)
	return err
}

func (j *phaseJob) grid() experiment.Grid {
	return experiment.Grid{
		Rows: len(j.cells), Replicates: j.search.scenario.Replicates,
		Config: func(row, replicate int) sim.Config { return j.cells[row].RunConfig(j.search.picked[0], replicate) },
	}
}

// phase returns the grid before anything is played.
func (j *phaseJob) phase() *report.Phase {
	s := j.search.scenario
	p := &report.Phase{
		Version: version(), Setup: setup(s), Strategy: s.Strategies[j.search.picked[0]].Name, Replicates: s.Replicates,
		X:        report.PhaseAxis{Path: j.sweepX.Path, Values: j.sweepX.Values},
		Y:        report.PhaseAxis{Path: j.sweepY.Path, Values: j.sweepY.Values},
		Scenario: s.JSON(),
	}
	for range p.Y.Values {
		p.Cells = append(p.Cells, make([]report.Endings, len(p.X.Values)))
	}
	return p
}

// dropUnfinished empties the cells of which a run is missing, and returns how many are left.
func dropUnfinished(p *report.Phase) (done int) {
	for _, row := range p.Cells {
		for x := range row {
			if row[x].Runs() < p.Replicates {
				row[x] = report.Endings{}
			} else {
				done++
			}
		}
	}
	return done
}

// write writes the files of the map, all or none.
func (j *phaseJob) write(p *report.Phase) error {
	if j.folder == nil {
		return nil
	}
	if err := j.folder.stageAll([]table{{phaseFile, p.WriteCSV}, {phaseResultFile, p.WriteJSON}}, j.search.scenario); err != nil {
		return err
	}
	for _, format := range j.figures.values {
		picture, err := figures.DrawPhase(drawn(p), figures.Theme(j.theme.value), figures.Format(format))
		if err != nil {
			return err
		}
		if err := j.folder.stage(phaseFigure+"."+format, content(picture)); err != nil {
			return err
		}
	}
	return j.app.commit(j.folder, j.out)
}

// drawn returns what the picture shows of a map.
func drawn(p *report.Phase) figures.Phase {
	f := figures.Phase{
		X: figures.Parameter{Name: p.X.Path, Values: p.X.Values}, Y: figures.Parameter{Name: p.Y.Path, Values: p.Y.Values},
		About: p.About() + ".",
	}
	for _, row := range p.Cells {
		var cells []figures.Stuck
		for _, e := range row {
			cells = append(cells, figures.Stuck{Stuck: e.Stuck, Runs: e.Stuck + e.Recovered, Undecided: e.Undecided})
		}
		f.Cells = append(f.Cells, cells)
	}
	return f
}

func (j *phaseJob) print(p *report.Phase) error {
	switch j.format.value {
	case "json":
		return p.WriteJSON(j.app.stdout)
	case "csv":
		return p.WriteCSV(j.app.stdout)
	case "markdown":
		return p.WriteMarkdown(j.app.stdout)
	}
	return p.WriteText(j.app.stdout, j.app.textOptions(j.color.value))
}

// phaseFiles are the names that only a map writes.
func phaseFiles() []string {
	names := []string{phaseFile, phaseResultFile}
	for _, format := range []figures.Format{figures.PNG, figures.SVG} {
		names = append(names, phaseFigure+"."+string(format))
	}
	return names
}
