package cli

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"herdsim/experiment"
	"herdsim/report"
	"herdsim/scenarios"
	"herdsim/sim"
)

// Bounds of what herdsim why does by itself.
const (
	mostSearched = 4         // strategies, unless --strategy names them
	mostTimes    = 20        // a run may take so many times the events of the longest run of the scenario as it is,
	leastEvents  = 1_000_000 // or so many
	wellAbove    = 0.8       // of the base level of the scenario as it is
)

// A whyJob is one call of herdsim why.
type whyJob struct {
	app    *app
	search *searched
	format *choice
	color  *choice

	ctx   context.Context
	meter *meter
	why   *report.Why
	runs  map[int][]ended // of the scenario as it is, by strategy and replicate - 1
	most  int64           // events of a run
	base  map[int]float64 // goodput over offered load before the trigger, of the scenario as it is, by strategy
}

// An ended run is what is kept of it.
type ended struct {
	verdict report.Verdict
	events  int64
	queue   int64 // the longest
	poor    bool  // it came back to no more than a part of what the scenario as it is serves before its trigger
}

// add counts a run. One that is as well in the end as before its trigger, but was never well, has not recovered.
func (r *ended) add(e *report.Endings) {
	if r.poor {
		e.Stuck++
	} else {
		e.Add(&r.verdict)
	}
}

func (a *app) whyCommand() *cobra.Command {
	j := &whyJob{app: a}
	cmd := &cobra.Command{
		Use:   "why SCENARIO",
		Short: "Find what keeps a scenario down and what would free it, or how near it is to sticking",
		Long: `Why plays a scenario and says whether it recovers, and by which loop it stays down if not. Then it looks for what would
change that: it turns the load, the limit of attempts, the queue, the timeout and the length of the trigger, each alone, and
plays the scenario again with the same luck. Where it sticks, it looks for the value at which it recovers; where it
recovers, for the one at which it begins to stick.

A search doubles or halves the value until the majority of the replicates ends in another way, and then narrows the gap
to 2 %. Both ends of what it prints were played with all replicates. Nothing says that there is but one such value: it is
the nearest that was met. To recover is to serve, in the end, 80 % of what the scenario as it is serves before its trigger,
too. Where there is none, the values that were tried are named. Some cures are tried as they are.

Without --strategy up to 4 strategies are searched: those that stick, or else those that recover. A run that takes 20
times the events of the longest run of the scenario as it is, and a million, is cut off and counts as undecided. The first
Ctrl-C ends the search and prints what was found.`,
		Example: `  herdsim why mine.yaml
  herdsim why mine.yaml --strategy full-jitter --replicates 11
  herdsim why mine.yaml --set downstream.order=lifo --format markdown`,
		Args:              arguments(1, 1, "one SCENARIO"),
		ValidArgsFunction: completeScenario,
		RunE: action(func(cmd *cobra.Command, args []string) error {
			if err := j.search.open(j.app, cmd, args[0]); err != nil {
				return err
			}
			return j.run(cmd)
		}),
	}
	cmd.Flags().SortFlags = false
	j.search = searchFlags(cmd, "search under `NAME` of the scenario's strategies, or a SPEC as in run; repeatable (default up to 4)", 5)
	j.format = choiceFlag(cmd, "format", "what goes to stdout", "text", "json", "csv", "markdown")
	j.color = choiceFlag(cmd, "color", "colour of the text", "auto", "always", "never")
	cmd.Flags().BoolVarP(&a.quiet, "quiet", "q", false, "no progress and no announcement")
	return cmd
}

func (j *whyJob) run(cmd *cobra.Command) error {
	s := j.search.scenario
	ctx, stop := j.app.interruptible(cmd.Context())
	defer stop()
	j.ctx = ctx
	j.why = &report.Why{Version: version(), Setup: setup(s), Replicates: s.Replicates, Scenario: s.JSON()}
	j.meter = j.app.meter(len(j.search.picked) * s.Replicates)
	if err := j.asItIs(); err != nil {
		return err
	}
	chosen := j.choose()
	if ctx.Err() == nil {
		j.announce(chosen)
	}
	for _, k := range chosen {
		if err := j.strategy(k); err != nil {
			return err
		}
	}
	j.meter.close()
	played := slices.ContainsFunc(j.why.Strategies, func(w report.WhyStrategy) bool { return w.Endings.Runs() > 0 })
	if j.why.Partial = ctx.Err() != nil; !played {
		return interrupted("interrupted before a run was finished")
	}
	if err := j.print(); err != nil {
		return err
	}
	if j.why.Partial {
		return interrupted("interrupted; what was found is reported")
	}
	return nil
}

// asItIs plays every strategy of the scenario as it is.
func (j *whyJob) asItIs() error {
	s := j.search.scenario
	j.most = s.MaxEvents
	j.runs, j.base = map[int][]ended{}, map[int]float64{}
	longest := int64(0)
	for _, i := range j.search.picked {
		runs, err := j.play(s, i, 1, s.Replicates)
		if err != nil {
			return err
		}
		j.runs[i] = runs
		w := report.WhyStrategy{
			Name: s.Strategies[i].Name, Herd: !s.Keeps(),
			Entry: report.Entry{Name: s.Strategies[i].Name, MaxRequests: maxRequests(s.Config(i, 1))},
		}
		for _, r := range runs {
			r.add(&w.Endings)
			longest = max(longest, r.events)
		}
		w.Sticks = w.Endings.Runs() > 0 && 2*w.Endings.Stuck >= w.Endings.Runs()
		w.Verdict = typical(runs, w.Sticks)
		j.base[i] = w.Verdict.Base
		j.why.Strategies = append(j.why.Strategies, w)
	}
	if longest < s.MaxEvents/mostTimes {
		j.most = min(s.MaxEvents, max(leastEvents, longest*mostTimes))
	}
	return nil
}

// typical returns the verdict on the first run that got stuck, or did not.
func typical(runs []ended, sticks bool) report.Verdict {
	for _, r := range runs {
		if yes, ok := r.verdict.Recovered(); ok && yes != sticks {
			return r.verdict
		}
	}
	if len(runs) > 0 {
		return runs[0].verdict
	}
	return report.Verdict{}
}

// choose returns which of the strategies are searched, and remarks why others are not.
func (j *whyJob) choose() []int {
	all := j.why.Strategies
	anySticks := false
	for _, w := range all {
		anySticks = anySticks || w.Sticks
	}
	var chosen []int
	for k := range all {
		w := &all[k]
		switch decided := w.Sticks || 2*w.Endings.Recovered > w.Endings.Runs(); {
		case !decided && w.Verdict.State == report.Steady:
			w.Remark = "not searched: nothing disturbs it, so there is nothing to recover from"
		case !decided && w.Endings.Runs() > 0:
			w.Remark = "not searched: most runs are undecided, which a longer horizon may change"
		case !decided:
		case len(j.search.strategy) == 0 && w.Sticks != anySticks:
		case len(j.search.strategy) == 0 && len(chosen) == mostSearched:
			w.Remark = fmt.Sprintf("not searched, as only the first %d are: name it with --strategy", mostSearched)
		default:
			chosen = append(chosen, k)
		}
	}
	return chosen
}

// announce says what the search may cost.
func (j *whyJob) announce(chosen []int) {
	runs, events, known := 0, int64(0), int64(0)
	for _, k := range chosen {
		i, w := j.search.picked[k], &j.why.Strategies[k]
		for _, l := range levers(j.search.scenario, i, !w.Sticks, j.longest(i)) {
			runs += l.search.MostRuns()
		}
		if w.Sticks {
			runs += len(j.search.scenario.Cures(i)) * j.search.scenario.Replicates
		}
		for _, r := range j.runs[i] {
			events, known = events+r.events, known+1
		}
	}
	j.meter.more(runs)
	if len(chosen) > 0 && !j.app.quiet {
		j.app.remark("herdsim: searching %s: at most %s runs; one of the scenario as it is has %s events", count(len(chosen), "strategy", "strategies"),
			report.Count(int64(runs)), report.Count(events/max(known, 1)))
	}
}

// longest returns the longest queue under a strategy of the scenario as it is.
func (j *whyJob) longest(i int) (n int64) {
	for _, r := range j.runs[i] {
		n = max(n, r.queue)
	}
	return n
}

// strategy turns the levers of the k-th of the strategies, and tries the cures if it sticks.
func (j *whyJob) strategy(k int) error {
	s, i, w := j.search.scenario, j.search.picked[k], &j.why.Strategies[k]
	for _, l := range levers(s, i, !w.Sticks, j.longest(i)) {
		if j.ctx.Err() != nil {
			return nil
		}
		found, err := j.turn(l, i)
		if err != nil {
			return err
		}
		w.Levers, w.Searched = append(w.Levers, found), true
	}
	if _, ok := s.Trigger(); !ok {
		w.Remark = "trigger: not turned, as there is no one trigger with a length, which is " + scenarios.OneTrigger
	}
	if !w.Sticks {
		return nil
	}
	for _, c := range s.Cures(i) {
		runs, err := j.play(c.Apply(s, i), i, 1, s.Replicates)
		if err != nil {
			return err
		}
		if len(runs) < s.Replicates {
			return nil
		}
		cure := report.WhyCure{Set: c.Name, Words: c.Says}
		for _, r := range runs {
			r.add(&cure.Endings)
		}
		w.Cures = append(w.Cures, cure)
	}
	return nil
}

// turn searches with one lever.
func (j *whyJob) turn(l lever, i int) (report.WhyLever, error) {
	ends := map[int64]*report.Endings{}
	f, err := l.search.Find(j.ctx, func(_ context.Context, x int64, first, last int) (t experiment.Tally, err error) {
		runs := j.runs[i] // of the scenario as it is
		if x != l.search.From {
			if runs, err = j.play(l.at(x), i, first, last); err != nil {
				return t, err
			}
		} else {
			runs = runs[min(first-1, len(runs)):min(last, len(runs))]
		}
		if ends[x] == nil {
			ends[x] = &report.Endings{}
		}
		var e report.Endings
		for _, r := range runs {
			r.add(&e)
			r.add(ends[x])
		}
		return experiment.Tally{Recovered: e.Recovered, Stuck: e.Stuck, Undecided: e.Undecided}, nil
	})
	if err != nil {
		return report.WhyLever{}, err
	}
	out := report.WhyLever{Field: l.field, Now: l.end(l.search.From), Found: f.Found, Runs: f.Runs}
	for _, p := range f.Tried {
		end := l.end(p.X)
		end.Endings = *ends[p.X]
		out.Tried = append(out.Tried, end)
	}
	if f.Found {
		out.Recovers, out.Sticks = l.end(f.Recovers.X), l.end(f.Sticks.X)
		out.Recovers.Endings, out.Sticks.Endings = *ends[f.Recovers.X], *ends[f.Sticks.X]
	}
	switch last := len(f.Tried) - 1; {
	case !f.Abandoned:
	case j.ctx.Err() != nil:
		out.Remark = "interrupted"
	default:
		out.Remark = "given up at " + l.words(f.Tried[last].X) + ", where most runs are undecided"
	}
	if out.Remark == "" && 2*out.Sticks.Overloaded > out.Sticks.Runs() {
		out.Remark = "where it sticks, the load itself exceeds the capacity"
	}
	return out, nil
}

// end names a value.
func (l *lever) end(x int64) report.WhyEnd {
	return report.WhyEnd{Value: l.value(x), Words: l.words(x)}
}

// play plays replicates of one strategy of a scenario, from first to last; fewer come back if it is interrupted.
func (j *whyJob) play(s *scenarios.Scenario, i, first, last int) ([]ended, error) {
	runs := make([]*ended, last-first+1)
	var mu sync.Mutex
	grid := experiment.Grid{Rows: 1, Replicates: len(runs), Config: func(_, replicate int) sim.Config {
		c := s.RunConfig(i, first+replicate-1)
		c.MaxEvents = min(c.MaxEvents, j.most)
		return c
	}}
	_, err := j.meter.play(j.ctx, grid, func(_, replicate int, r *sim.Result) {
		e := &ended{verdict: judged(s, i, r), events: r.Events}
		yes, ok := e.verdict.Recovered()
		e.poor = ok && yes && e.verdict.Base < wellAbove*j.base[i]
		if r.End == sim.AtMaxEvents && j.most < s.MaxEvents {
			e.verdict.State = report.Undecided
		}
		for _, w := range r.Windows {
			e.queue = max(e.queue, w.QueueMax)
		}
		mu.Lock()
		defer mu.Unlock()
		runs[replicate-1] = e
	})
	var out []ended
	for _, r := range runs {
		if r == nil {
			break // what comes after a gap is not counted: replicates are told apart by their number
		}
		out = append(out, *r)
	}
	return out, err
}

func (j *whyJob) print() error {
	switch j.format.value {
	case "json":
		return j.why.WriteJSON(j.app.stdout)
	case "csv":
		return j.why.WriteCSV(j.app.stdout)
	case "markdown":
		return j.why.WriteMarkdown(j.app.stdout)
	}
	return j.why.WriteText(j.app.stdout, j.app.textOptions(j.color.value))
}
