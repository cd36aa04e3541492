package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"herdsim/report"
	"herdsim/report/figures"
	"herdsim/scenarios"
)

// The files of a run, besides the pictures and the traces that its scenario reads.
const (
	summaryFile    = "summary.csv"
	requestsFile   = "requests.csv"
	completionFile = "completion.csv"
	attemptsFile   = "attempts.csv"
	loadFile       = "load.csv"
	queuesFile     = "queues.csv"
	resultFile     = "result.json"
	scenarioFile   = "scenario.yaml"
	schemaFile     = "scenario.schema.json"
)

// knownFiles are all that a run or a map may write under a name of its own. It removes those that an earlier run left and that it
// does not write itself.
func knownFiles() []string {
	names := []string{summaryFile, requestsFile, completionFile, attemptsFile, loadFile, queuesFile, resultFile, scenarioFile, schemaFile}
	for _, f := range figures.All() {
		for _, format := range []figures.Format{figures.PNG, figures.SVG} {
			names = append(names, pictureFile(f, format))
		}
	}
	return append(names, phaseFiles()...)
}

func pictureFile(f figures.Figure, format figures.Format) string {
	return f.Name + "." + string(format)
}

// traces returns the traces that the scenario reads, each once.
func traces(s *scenarios.Scenario) []stagedContent {
	all := []stagedContent{{s.Start.File, s.Start.Data}}
	for _, e := range s.Strategies {
		all = append(all, stagedContent{e.Start.File, e.Start.Data})
	}
	if a := s.Arrivals; a != nil {
		all = append(all, stagedContent{a.File, a.Data})
	}
	seen := map[string]bool{"": true}
	return slices.DeleteFunc(all, func(trace stagedContent) bool {
		again := seen[trace.name]
		seen[trace.name] = true
		return again
	})
}

// A table is a file of results.
type table struct {
	name  string
	write func(io.Writer) error
}

// stageAll stages tables, and the scenario that they are of with all that it needs to be played again.
func (f *folder) stageAll(tables []table, s *scenarios.Scenario) error {
	tables = append(tables, table{scenarioFile, content(s.YAML())}, table{schemaFile, content(scenarios.Schema())})
	for _, trace := range traces(s) {
		tables = append(tables, table{trace.name, content(trace.data)})
	}
	for _, t := range tables {
		if err := f.stage(t.name, t.write); err != nil {
			return err
		}
	}
	return nil
}

// write writes the files of the run, all or none.
func (j *runJob) write(r *report.Report) error {
	if j.folder == nil {
		return nil
	}
	tables := []table{
		{summaryFile, r.WriteSummaryCSV},
		{requestsFile, r.WriteRequestsCSV},
		{completionFile, r.WriteCompletionCSV},
	}
	if r.HasQueues() {
		tables = append(tables, table{queuesFile, r.WriteQueuesCSV})
	}
	if r.HasLoad() {
		tables = append(tables, table{loadFile, r.WriteLoadCSV})
	}
	if err := j.folder.stageAll(append(tables, table{resultFile, r.WriteJSON}), j.scenario); err != nil {
		return err
	}
	if j.attempts != nil {
		if err := j.folder.stage(attemptsFile, j.attempts.join); err != nil {
			return err
		}
	}
	if err := j.draw(r); err != nil {
		return err
	}
	return j.app.commit(j.folder, j.out)
}

// commit puts what is staged in its place, and says what that is.
func (a *app) commit(f *folder, out string) error {
	names := f.names()
	if err := f.commit(leftovers(out, knownFiles())); err != nil {
		return err
	}
	if !a.quiet {
		a.remark("%s: %s", filepath.Clean(out), strings.Join(names, ", "))
	}
	return nil
}

// content writes bytes that are there.
func content(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// draw stages the pictures that have something to show. They take longer than all else and are drawn on all cores.
func (j *runJob) draw(r *report.Report) error {
	if missing := []rune(figures.Missing(r)); len(missing) > 0 && slices.Contains(j.figures.values, string(figures.PNG)) {
		const most = 5
		text := string(missing[:min(most, len(missing))])
		if len(missing) > most {
			text += " and others"
		}
		j.app.remark("herdsim: the font of the pictures lacks %s: PNG shows a box instead, --figures svg does not", text)
	}
	all := slices.DeleteFunc(figures.All(), func(f figures.Figure) bool { return f.Empty(r) != "" })
	pictures := make([][]byte, len(all)*len(j.figures.values))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	each := func(do func(i int, f figures.Figure, format figures.Format)) {
		for i, f := range all {
			for k, format := range j.figures.values {
				do(i*len(j.figures.values)+k, f, figures.Format(format))
			}
		}
	}
	each(func(i int, f figures.Figure, format figures.Format) {
		group.Go(func() (err error) {
			pictures[i], err = f.Draw(r, figures.Theme(j.theme.value), format)
			return err
		})
	})
	if err := group.Wait(); err != nil {
		return err
	}
	var err error
	each(func(i int, f figures.Figure, format figures.Format) {
		if err == nil {
			err = j.folder.stage(pictureFile(f, format), content(pictures[i]))
		}
	})
	return err
}

// print writes the report to stdout, whose errors Main looks after.
func (j *runJob) print(r *report.Report) error {
	switch j.format.value {
	case "json":
		return r.WriteJSON(j.app.stdout)
	case "csv":
		return r.WriteSummaryCSV(j.app.stdout)
	case "markdown":
		return r.WriteMarkdown(j.app.stdout)
	}
	return r.WriteText(j.app.stdout, j.app.textOptions(j.color.value))
}

// textOptions says what stdout can show.
func (a *app) textOptions(color string) report.TextOptions {
	return report.TextOptions{Width: a.width(), Color: a.colour(color), ASCII: !a.utf8()}
}

// verdict returns the failure of a run whose expectations are not met.
func verdict(r *report.Report) error {
	var unmet []string
	for _, e := range r.Expected {
		if !e.Met {
			unmet = append(unmet, fmt.Sprintf("herdsim: not met: %s (%s)", e.Line, e.Detail))
		}
	}
	if len(unmet) == 0 {
		return nil
	}
	return &failure{code: ExitUnmet, err: errors.New(strings.Join(unmet, "\n")), bare: true}
}
