package cli

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"

	"herdsim/experiment"
	"herdsim/scenarios"
)

const (
	progressDelay = time.Second // shorter work shows no bar
	progressUnits = 1000        // of the bar, for each run
)

// A progress is a bar on stderr: how far the runs of a scenario are.
type progress struct {
	app      *app
	scenario *scenarios.Scenario
	start    time.Time
	bar      *progressbar.ProgressBar // nil until progressDelay has passed
	units    map[[2]int]int64         // by strategy and replicate, of the runs under way
	sum      int64                    // of all units
	ended    int                      // runs
}

// progress returns nil where no bar is wanted: with --quiet, and where stderr is no terminal that can redraw a line.
func (a *app) progress(s *scenarios.Scenario) *progress {
	if _, terminal := a.Terminal(a.Stderr); !terminal || a.quiet || a.env("TERM") == "dumb" {
		return nil
	}
	return &progress{app: a, scenario: s, start: time.Now(), units: map[[2]int]int64{}}
}

// show takes one report of a run. Calls exclude one another.
func (p *progress) show(r experiment.Progress) {
	key := [2]int{r.Row, r.Replicate}
	entry := p.scenario.Strategies[r.Row]
	units := int64(progressUnits)
	if r.Done {
		p.sum += units - p.units[key]
		delete(p.units, key)
		p.ended++
	} else {
		if herd := int64(p.scenario.Herd(entry)); herd > 0 {
			units -= min(progressUnits, progressUnits*r.Unfinished/herd)
		} else {
			units = 0 // open traffic alone has no end to measure by
		}
		if units > p.units[key] { // work never goes back
			p.sum += units - p.units[key]
			p.units[key] = units
		}
	}
	if p.bar == nil {
		if time.Since(p.start) < progressDelay {
			return
		}
		p.bar = p.open()
	}
	p.bar.Describe(fmt.Sprintf("%d/%d runs, %s", p.ended, p.runs(), entry.Name))
	_ = p.bar.Set64(p.sum) // what a terminal does with a bar is not worth an error
}

func (p *progress) runs() int { return len(p.scenario.Strategies) * p.scenario.Replicates }

func (p *progress) open() *progressbar.ProgressBar {
	theme := progressbar.ThemeASCII
	if p.app.utf8() {
		theme = progressbar.ThemeDefault
	}
	return progressbar.NewOptions64(int64(p.runs())*progressUnits,
		progressbar.OptionSetWriter(p.app.Stderr),
		progressbar.OptionSetTheme(theme),
		progressbar.OptionSetWidth(20),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
	)
}

// close takes the bar away.
func (p *progress) close() {
	if p != nil && p.bar != nil {
		_ = p.bar.Finish()
	}
}
