package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"

	"herdsim/experiment"
	"herdsim/report"
	"herdsim/scenarios"
)

const (
	progressDelay = time.Second // shorter work shows no bar
	progressUnits = 1000        // of the bar, for each run
)

// A progress is a bar on stderr: how far the runs of a scenario are.
type progress struct {
	app       *app
	scenario  *scenarios.Scenario
	start     time.Time
	bar       *progressbar.ProgressBar // nil until progressDelay has passed
	forecasts map[int]experiment.Forecast
	units     map[[2]int]int64 // by strategy and replicate, of the runs under way
	sum       int64            // of all units
	ended     int              // runs
	told      [2]int           // the run that the description tells of, until it ends; rows count from 1 here
	far       string           // how far that is
}

// progress returns nil where no bar is wanted: with --quiet, and where stderr is no terminal that can redraw a line.
func (a *app) progress(s *scenarios.Scenario) *progress {
	if !a.wantsBar() {
		return nil
	}
	return &progress{
		app: a, scenario: s, start: time.Now(),
		forecasts: map[int]experiment.Forecast{}, units: map[[2]int]int64{},
	}
}

func (a *app) wantsBar() bool {
	_, terminal := a.Terminal(a.Stderr)
	return terminal && !a.quiet && a.env("TERM") != "dumb"
}

// show takes one report of a run. Calls exclude one another.
func (p *progress) show(r experiment.Progress) {
	key := [2]int{r.Row, r.Replicate}
	if r.Done {
		p.sum += progressUnits - p.units[key]
		delete(p.units, key)
		p.ended++
	}
	if time.Since(p.start) < progressDelay {
		return
	}
	if p.bar == nil {
		p.bar = p.app.bar(int64(p.runs())*progressUnits, p.description(r))
	}
	// Work never goes back, and the last unit of a run is for its end: a full bar would be taken away.
	if units := min(int64(progressUnits*p.share(r)), progressUnits-1); !r.Done && units > p.units[key] {
		p.sum += units - p.units[key]
		p.units[key] = units
	}
	_ = p.bar.Set64(p.sum) // what a terminal does with a bar is not worth an error
	p.bar.Describe(p.description(r))
}

// share returns how much of a run is done: of the events that a trial predicts, else of its herd or its time. Beyond
// nine tenths it slows down, as a prediction may be too low.
func (p *progress) share(r experiment.Progress) float64 {
	f := p.forecast(r.Row)
	share := float64(r.Now) / float64(p.scenario.Horizon)
	if herd := p.scenario.Herd(p.scenario.Strategies[r.Row]); f.Basis != experiment.AtLeast {
		share = float64(r.Events) / float64(f.Events)
	} else if herd > 0 {
		share = max(share, 1-float64(r.Unfinished)/float64(herd))
	}
	if share > 0.9 {
		share = 1 - 0.09/share
	}
	return share
}

// forecast plays a trial once for each strategy.
func (p *progress) forecast(row int) experiment.Forecast {
	f, known := p.forecasts[row]
	if !known {
		f = experiment.Predict(context.Background(), p.scenario.Config(row, 1))
		p.forecasts[row] = f
	}
	return f
}

func (p *progress) runs() int { return len(p.scenario.Strategies) * p.scenario.Replicates }

// description says how many runs have ended, and how far one of the others is: where the bar hardly moves, this does.
func (p *progress) description(r experiment.Progress) string {
	text := fmt.Sprintf("%d of %d runs", p.ended, p.runs())
	key := [2]int{r.Row + 1, r.Replicate}
	switch {
	case r.Done && p.told == key:
		p.told = [2]int{}
	case !r.Done && p.told == [2]int{}:
		p.told = key
	}
	if p.told == key {
		p.far = fmt.Sprintf(", %s at %s (%s events)", p.scenario.Strategies[r.Row].Name, p.app.plain(report.Span(r.Now)),
			report.Count(r.Events))
	}
	if p.told == [2]int{} {
		return text
	}
	return text + p.far
}

// bar returns a bar of so many units.
func (a *app) bar(most int64, description string) *progressbar.ProgressBar {
	theme := progressbar.ThemeASCII
	if a.utf8() {
		theme = progressbar.ThemeDefault
	}
	return progressbar.NewOptions64(most,
		progressbar.OptionSetWriter(a.Stderr),
		progressbar.OptionSetDescription(description),
		progressbar.OptionSetTheme(theme),
		progressbar.OptionSetWidth(20),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetPredictTime(false), // it would have to know when runs end
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionClearOnFinish(),
	)
}

// close takes the bar away.
func (p *progress) close() {
	if p != nil && p.bar != nil {
		_ = p.bar.Finish()
	}
}
