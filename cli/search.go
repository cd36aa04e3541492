package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"herdsim/experiment"
	"herdsim/report"
	"herdsim/scenarios"
	"herdsim/sim"
)

// A searched is the scenario that a search is about, and what the command line changes in it. Commands that play it with
// one change after the other share it.
type searched struct {
	set, strategy []string
	seed          wholeNumber
	replicates    wholeNumber

	source   *scenarios.Source
	request  scenarios.Request
	scenario *scenarios.Scenario
	picked   []int // of its strategies, those that --strategy names; all without it
}

// searchFlags adds --set, --strategy, --seed and --replicates; strategy is what the help says of that.
func searchFlags(cmd *cobra.Command, strategy string, replicates uint64) *searched {
	s := &searched{seed: wholeNumber{most: math.MaxUint64}, replicates: wholeNumber{value: &replicates, least: 1, most: mostReplicates}}
	f := cmd.Flags()
	f.StringArrayVar(&s.set, "set", nil, "override a field of the scenario by `PATH=VALUE`, as workers=5000; repeatable")
	f.StringArrayVar(&s.strategy, "strategy", nil, strategy)
	f.Var(&s.seed, "seed", "take `N` as the seed of all luck (default the scenario's)")
	f.Var(&s.replicates, "replicates", "play everything `R` times, each time with other luck")
	completeFlag(cmd, "strategy", strategyKeys())
	completeFlag(cmd, "set", nil)
	return s
}

// open reads and loads the scenario.
func (s *searched) open(a *app, cmd *cobra.Command, source string) error {
	replicates := int(*s.replicates.value)
	s.request = scenarios.Request{Source: source, Stdin: a.Stdin, Set: s.set, Seed: s.seed.value, Replicates: &replicates}
	var err error
	if s.source, err = scenarios.Read(s.request); err != nil {
		return wrong(err)
	}
	if s.scenario, err = s.source.Load(s.request); err != nil && len(s.strategy) == 0 {
		return wrong(err)
	}
	named := 0
	for _, name := range s.strategy {
		if s.index(name) >= 0 {
			named++
		}
	}
	switch {
	case named > 0 && named < len(s.strategy):
		return usage(seeHelp(cmd), "--strategy %s are partly names of the scenario's strategies and partly SPECs; want one or the other", strings.Join(s.strategy, " --strategy "))
	case named == 0 && len(s.strategy) > 0:
		s.request.Strategies = s.strategy
		if s.scenario, err = s.source.Load(s.request); err != nil {
			return wrong(err)
		}
	}
	for i, e := range s.scenario.Strategies {
		if named == 0 || slices.Contains(s.strategy, e.Name) {
			s.picked = append(s.picked, i)
		}
	}
	return nil
}

// index returns which of the scenario's strategies has a name, -1 if none.
func (s *searched) index(name string) int {
	if s.scenario == nil {
		return -1
	}
	return slices.IndexFunc(s.scenario.Strategies, func(e scenarios.Entry) bool { return e.Name == name })
}

// judged returns the verdict on a run of strategy i of a scenario, which need not be the one that was loaded.
func judged(s *scenarios.Scenario, i int, r *sim.Result) report.Verdict {
	setup := setup(s)
	return report.Judge(r, &setup, maxRequests(s.Config(i, 1)))
}

// A meter is a bar on stderr that counts runs.
type meter struct {
	app   *app
	most  int // runs
	start time.Time
	bar   *progressbar.ProgressBar // nil until progressDelay has passed
	ended int
}

// meter returns nil where no bar is wanted, as progress does.
func (a *app) meter(most int) *meter {
	if !a.wantsBar() {
		return nil
	}
	return &meter{app: a, most: most, start: time.Now()}
}

// listener returns what to tell of each run; nil if nobody listens.
func (m *meter) listener() func(experiment.Progress) {
	if m == nil {
		return nil
	}
	return func(p experiment.Progress) {
		if p.Done {
			m.ended++
		}
		if time.Since(m.start) < progressDelay {
			return
		}
		if m.bar == nil {
			m.bar = m.app.bar(int64(m.most)+1, m.text()) // a full bar would be taken away
		}
		_ = m.bar.Set64(int64(m.ended)) // what a terminal does with a bar is not worth an error
		m.bar.Describe(m.text())
	}
}

// more says that so many runs are to come beside those that were announced.
func (m *meter) more(runs int) {
	if m == nil {
		return
	}
	m.most += runs
	if m.bar != nil {
		m.bar.ChangeMax(m.most + 1)
	}
}

func (m *meter) text() string {
	return fmt.Sprintf("%s of at most %s runs", report.Count(int64(m.ended)), report.Count(int64(m.most)))
}

// close takes the bar away.
func (m *meter) close() {
	if m != nil && m.bar != nil {
		_ = m.bar.Finish()
	}
}

// play plays a grid of which no result is kept.
func (m *meter) play(ctx context.Context, g experiment.Grid, take func(row, replicate int, r *sim.Result)) (experiment.Results, error) {
	return experiment.Run(ctx, g, experiment.Options{Take: take, Progress: m.listener()})
}
