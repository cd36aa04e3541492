package figures

import (
	"strings"

	"herdsim/report"
	"herdsim/sim"
)

// goodputTitles say whether the rows of v, each of which has a verdict, come back by themselves.
func (v *view) goodputTitles(verdicts []report.Verdict) []string {
	var well, bad []int
	states := map[report.State]int{}
	for i := range verdicts {
		states[verdicts[i].State]++
		if yes, ok := verdicts[i].Recovered(); yes {
			well = append(well, i)
		} else if ok || verdicts[i].State == report.Undecided {
			bad = append(bad, i)
		}
	}
	switch {
	case len(verdicts) == 1:
		return v.fateTitles(0, &verdicts[0])
	case len(states) == 1:
		return v.commonFate(verdicts)
	case len(well) == 0:
		return []string{"No strategy brings it back" + v.staying(verdicts, bad), "No strategy brings it back"}
	case len(bad) == 0 && states[report.NotApplicable] == 0:
		return v.backTitles(verdicts, well)
	case len(verdicts) == 2 && len(bad) == 1:
		a, b := well[0], bad[0]
		how := " never"
		switch {
		case verdicts[b].State == report.Undecided:
			how = " not by the end"
		case verdicts[a].State == report.NeverDown:
			how = " stays down"
		}
		both := v.rows[a].name + " " + v.fate(&verdicts[a]) + ", " + v.rows[b].name + how
		if what := v.disturbance(); what != "" {
			return []string{"After " + what + " " + both, both}
		}
		return []string{both}
	}
	n := comma(int64(len(verdicts)))
	titles := []string{comma(int64(len(well))) + " of " + n + " strategies come back by themselves"}
	if names := v.names(bad); names != "" {
		titles = append([]string{names + several(int64(len(bad)), " does", " do") + " not bring it back, all others do"}, titles...)
	}
	if names := v.names(well); names != "" {
		titles = append([]string{"Only " + names + several(int64(len(well)), " comes", " come") + " back; the others stay down" + v.afterTrigger(),
			"Only " + names + several(int64(len(well)), " comes", " come") + " back"}, titles...)
	}
	return titles
}

// names lists one or two rows, "" for more.
func (v *view) names(rows []int) string {
	var names []string
	for _, i := range rows {
		names = append(names, v.rows[i].name)
	}
	return listed(names)
}

// fate says what a row that is well does.
func (v *view) fate(verdict *report.Verdict) string {
	if verdict.State == report.NeverDown {
		return "is never down"
	}
	return "recovers at " + v.clock.moment(verdict.At)
}

// fateTitles are about one row alone.
func (v *view) fateTitles(i int, verdict *report.Verdict) []string {
	name := v.rows[i].name
	switch verdict.State {
	case report.NeverDown:
		return v.upTitles([]int{i}, false)
	case report.Recovered:
		later := ""
		if t := verdict.Trigger; t.From >= 0 && verdict.At > t.To {
			later = ", " + v.clock.moment(verdict.At-t.To) + v.afterTriggerEnd()
		}
		return []string{name + " " + v.fate(verdict) + later, name + " " + v.fate(verdict), "It " + v.fate(verdict)}
	case report.Stuck:
		stays := v.staying([]report.Verdict{*verdict}, []int{0})
		return []string{name + " does not bring it back" + stays, "It does not come back" + stays, "It does not come back"}
	case report.Overloaded:
		return []string{v.overload(verdict)}
	case report.Steady:
		return []string{"Nothing disturbs it: under " + name + " goodput stays at " + percentOf(verdict.Base), "Goodput stays at " + percentOf(verdict.Base)}
	case report.Unfinished:
		return []string{name + " leaves " + verdict.Short()}
	case report.Undecided:
		return []string{
			"Under " + name + " it is down at the end, but so long the trigger lasts: until " + v.clock.moment(verdict.Trigger.To),
			"It is down at the end, but the trigger lasts until " + v.clock.moment(verdict.Trigger.To),
		}
	}
	if verdict.Hopeless() {
		return []string{"No task can succeed"}
	}
	return []string{"The traffic under " + name + " is too short to judge", "The traffic is too short to judge"}
}

func (v *view) overload(verdict *report.Verdict) string {
	return "Too much is offered: " + perSecond(verdict.End.OfferedRate(), "tasks") + " for a capacity of " + perSecond(v.Capacity, "requests")
}

// commonFate is about rows that have all the same.
func (v *view) commonFate(verdicts []report.Verdict) []string {
	all := make([]int, len(verdicts))
	for i := range all {
		all[i] = i
	}
	switch verdicts[0].State {
	case report.NeverDown:
		return v.upTitles(all, false)
	case report.Recovered:
		return v.backTitles(verdicts, all)
	case report.Stuck:
		return []string{"No strategy brings it back" + v.staying(verdicts, all), "No strategy brings it back"}
	case report.Overloaded:
		return []string{v.overload(&verdicts[0])}
	case report.Steady:
		return []string{"Nothing disturbs it: goodput stays below the offered load, whatever the strategy", "Goodput stays below the offered load"}
	case report.Unfinished:
		return []string{"No strategy serves all of the herd"}
	case report.Undecided:
		return []string{"It is down at the end, but the trigger lasts until " + v.clock.moment(verdicts[0].Trigger.To)}
	}
	if verdicts[0].Hopeless() {
		return []string{"No task can succeed"}
	}
	return []string{"The traffic is too short to judge"}
}

// upTitles are about rows that are never down, which lose a part of the tasks for all that: what is given up at once, again
// and again, is no failure that lasts. Some may be steady at less than is offered.
func (v *view) upTitles(rows []int, steady bool) []string {
	const worthATitle, far = 0.01, 0.1
	worst, most, lossy := 0, 0.0, 0
	for _, i := range rows {
		t := v.rows[i].Open
		share := float64(t.DeadLettered) / float64(max(t.Tasks, 1))
		if share > most {
			worst, most = i, share
		}
		if share >= worthATitle {
			lossy++
		}
	}
	name, lost := v.rows[worst].name, percentOf(most)+" of the tasks"
	never := "Goodput never falls far behind the offered load"
	if steady || most >= far {
		never = "Nothing goes down"
	}
	switch {
	case lossy == 0 && len(rows) > 1:
		return []string{never + ", whatever the strategy", never}
	case lossy == 0:
		return []string{"Under " + v.rows[rows[0]].name + " " + strings.ToLower(never[:1]) + never[1:], never}
	case lossy == 1:
		return []string{
			never + ", but " + name + " gives up " + lost,
			"Never down, but " + name + " gives up " + lost,
			"Never down, but " + lost + " are given up",
		}
	}
	return []string{
		never + ", but up to " + lost + " are given up, under " + name,
		"Never down, but up to " + lost + " are given up, under " + name,
		"Never down, but up to " + lost + " are given up",
	}
}

// backTitles are about rows that are all well in the end.
func (v *view) backTitles(verdicts []report.Verdict, rows []int) []string {
	back := stretch{clock: v.clock}
	n := 0
	first, last := -1, -1
	for _, i := range rows {
		if verdicts[i].State != report.Recovered {
			continue
		}
		n++
		if at := verdicts[i].At; first < 0 || at < back.min {
			back.min, first = at, i
		}
		if at := verdicts[i].At; last < 0 || at > back.max {
			back.max, last = at, i
		}
	}
	if n == 0 {
		return v.upTitles(rows, true)
	}
	who := "Every strategy recovers"
	if n < len(rows) {
		who = "Every strategy that goes down recovers"
	}
	if first == last || back.from() == back.to() {
		return []string{who + ", at " + back.to()}
	}
	return []string{
		who + ": " + v.rows[first].name + " at " + back.from() + ", " + v.rows[last].name + " at " + back.to(),
		who + ", at " + back.text(),
	}
}

// staying says what goodput is left to rows that are down, and since what.
func (v *view) staying(verdicts []report.Verdict, rows []int) string {
	low, high := 2.0, -1.0
	for _, i := range rows {
		if share := verdicts[i].End.GoodputShare(); share.OK {
			low, high = min(low, share.Value), max(high, share.Value)
		}
	}
	if high < 0 {
		return ""
	}
	a, b := percentOf(min(low, 1)), percentOf(min(high, 1))
	if a != b {
		b = a + " to " + b
	}
	return ": goodput stays at " + b + v.afterTrigger()
}

// afterTrigger names what disturbed the run: " after a burst of 10 min"; "" if nothing did.
func (v *view) afterTrigger() string {
	if what := v.disturbance(); what != "" {
		return " after " + what
	}
	return ""
}

// afterTriggerEnd is afterTrigger for what is counted from its end.
func (v *view) afterTriggerEnd() string {
	if v.disturbance() == "" {
		return " later"
	}
	return " after its trigger"
}

// disturbance names the trigger by what it is.
func (v *view) disturbance() string {
	traffic := v.Setup
	traffic.Workers, traffic.Outages = 0, nil
	changes := traffic.Trigger()
	switch trigger := v.Trigger(); {
	case trigger.From < 0:
		return ""
	case changes.From >= 0 && len(v.Outages) == 0 && v.Workers == 0:
		return v.change(changes)
	case changes.From >= 0 || len(v.Outages) > 0 && v.Workers > 0:
		return "the trigger"
	case len(v.Outages) == 1:
		return "an outage of " + v.clock.moment(v.Outages[0].To-v.Outages[0].From)
	case len(v.Outages) > 1:
		return comma(int64(len(v.Outages))) + " outages"
	}
	return "a herd of " + comma(int64(v.Workers))
}

// change names what the arrivals do in t.
func (v *view) change(t sim.Span) string {
	all := v.TrafficSpan()
	during := v.Scheduled(t.From, t.To) / (t.To - t.From).Seconds()
	before := v.Scheduled(all.From, t.From) / (t.From - all.From).Seconds()
	switch {
	case t.To <= t.From:
		return "the load has changed"
	case before >= during: // not if there is nothing before
		return "a change of the load"
	}
	return "a burst of " + v.clock.moment(t.To-t.From)
}
