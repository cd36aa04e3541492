package cli

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"herdsim/report"
	"herdsim/sim"
)

// mostScrapes keeps a file of metrics from filling the disk: 58 days at the default of 5 s.
const mostScrapes = 1_000_000

// metrics are those of a run as a Prometheus would have scraped them, in a file that need not lie in the run's folder.
type metrics struct {
	path   string   // "" for none
	every  interval // between scrapes
	folder *folder
	counts [][]*report.ExecutionCount // by strategy and replicate - 1
}

// An interval is a flag: whole milliseconds, which is how Prometheus counts time.
type interval time.Duration

func (i *interval) String() string { return time.Duration(*i).String() }
func (i *interval) Type() string   { return "DURATION" }

func (i *interval) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d%time.Millisecond != 0 {
		return errors.New("want whole milliseconds, as 5s or 500ms")
	}
	*i = interval(d)
	return nil
}

// flags adds --metrics and --scrape.
func (m *metrics) flags(cmd *cobra.Command) {
	m.every = interval(5 * time.Second)
	cmd.Flags().StringVar(&m.path, "metrics", "", "also write `FILE`, what a Prometheus would have scraped, as OpenMetrics")
	cmd.Flags().Var(&m.every, "scrape", "write a sample of the metrics every so often")
}

// open readies the place for the file.
func (m *metrics) open(j *runJob, cmd *cobra.Command) error {
	set := cmd.Flags().Changed
	switch {
	case set("metrics") && m.path == "":
		return usage(seeHelp(cmd), "--metrics is empty; want a file")
	case m.path == "" && set("scrape"):
		return usage(seeHelp(cmd), "--scrape is for metrics; want --metrics too")
	case m.path == "":
		return nil
	}
	if err := m.checkName(j); err != nil {
		return err
	}
	horizon := j.scenario.Horizon
	if n := int64(horizon / time.Duration(m.every)); n > mostScrapes {
		least := time.Duration(math.Ceil(float64(horizon)/mostScrapes/float64(time.Millisecond))) * time.Millisecond
		return usage(seeHelp(cmd), "--scrape %v makes up to %s samples of each series until the horizon of %s, and %s are allowed; want %v or more, or a shorter horizon",
			time.Duration(m.every), report.Count(n), report.Span(horizon), report.Count(mostScrapes), least)
	}
	var err error
	m.folder, err = openFolder(filepath.Dir(m.path))
	return err
}

// checkName refuses to replace the scenario, or another file of the run.
func (m *metrics) checkName(j *runJob) error {
	const another = "choose another --metrics"
	if target, err := os.Stat(m.path); err == nil {
		source, err := os.Stat(j.source) // no file: a built-in, or stdin
		switch {
		case target.IsDir():
			return usage(another, "%s is a folder", m.path)
		case err == nil && os.SameFile(source, target):
			return usage(another, "%s is the scenario itself, and the metrics would overwrite it", m.path)
		}
	}
	dir, name := filepath.Split(m.path)
	if j.folder != nil && filepath.Clean(dir) == filepath.Clean(j.out) && slices.Contains(knownFiles(), name) {
		return usage(another, "%s is another file of the run", m.path)
	}
	return nil
}

// count has the executions of a run counted.
func (m *metrics) count(row int, cfg *sim.Config) {
	if m.folder == nil {
		return
	}
	for len(m.counts) <= row {
		m.counts = append(m.counts, nil)
	}
	counts := report.NewExecutionCount(time.Duration(m.every), cfg.Workers)
	m.counts[row] = append(m.counts[row], counts)
	cfg.Executed = counts.Take
}

// stage writes the file under a temporary name.
func (m *metrics) stage(r *report.Report) error {
	if m.folder == nil {
		return nil
	}
	for i := range m.counts {
		r.Entries[i].Executions = m.counts[i]
	}
	return m.folder.stage(filepath.Base(m.path), func(w io.Writer) error { return r.WriteOpenMetrics(w, time.Duration(m.every)) })
}

// commit puts the file in its place.
func (m *metrics) commit(a *app) error {
	if m.folder == nil {
		return nil
	}
	if err := m.folder.commit(nil); err != nil {
		return err
	}
	if !a.quiet {
		a.remark("%s", filepath.Clean(m.path))
	}
	return nil
}

var _ pflag.Value = (*interval)(nil)
