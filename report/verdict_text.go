package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"herdsim/sim"
)

// A verdictLine is what is said about one strategy.
type verdictLine struct {
	name, answer string
	tone         tone
}

// verdictLines returns the verdict on each strategy, none where the numbers already say all: without open traffic and
// crashes the herd was served or it was not.
func (r *Report) verdictLines(ds []digest) []verdictLine {
	if !slices.ContainsFunc(ds, crashes) && !r.Setup.HasOpen() {
		return nil
	}
	var lines []verdictLine
	for i := range ds {
		d := &ds[i]
		lines = append(lines, d.verdictLine(r.Setup.Replicates, func(run *sim.Result) Verdict {
			return Judge(run, &r.Setup, d.entry.MaxRequests)
		}))
	}
	return lines
}

// verdictLine says what became of a strategy; with several replicates, of the first of those that ended worst, and how
// many are like it.
func (d *digest) verdictLine(replicates int, judge func(*sim.Result) Verdict) verdictLine {
	var told Verdict
	alike, replicate, finished := 0, 0, 0
	for i, run := range d.entry.Runs {
		if run == nil {
			continue
		}
		v := judge(run)
		switch {
		case finished == 0 || v.State.worse(told.State):
			told, alike, replicate = v, 1, i+1
		case v.State == told.State:
			alike++
		}
		finished++
	}
	line := verdictLine{name: d.entry.Name, answer: told.Answer()}
	if yes, ok := told.Recovered(); ok && !yes {
		line.tone = overloads
	}
	switch {
	case replicates > 1 && alike == finished:
		line.answer += fmt.Sprintf(" (all %d replicates are %s)", finished, told.State)
	case replicates > 1:
		line.answer += fmt.Sprintf(" (replicate %d; %d of %d are %s)", replicate, alike, finished, told.State)
	}
	return line
}

// worse reports whether s is more worth telling than t.
func (s State) worse(t State) bool {
	rank := [...]int{
		NotApplicable: 0, Steady: 1, NeverDown: 1, Finished: 2, Recovered: 3, Undecided: 4, Overloaded: 5, Unfinished: 6, Stuck: 7,
	}
	return rank[s] > rank[t]
}

// verdicts writes them, one paragraph a strategy with the names in a column, and the conditions below.
func (t *textWriter) verdicts() {
	lines := t.report.verdictLines(t.digests)
	if len(lines) == 0 {
		return
	}
	t.line()
	t.line(piece{"recovered", faint})
	width := 0
	for _, l := range lines {
		width = max(width, lipgloss.Width(t.options.text(l.name)))
	}
	width = min(width, max(14, t.options.Width/4)) + gap
	for _, l := range lines {
		name := ellipsize(t.options.text(l.name), width-gap, t.options.glyphs().ellipsis)
		for _, part := range wrap(t.options.text(l.answer), t.options.Width-margin-width, 0) {
			t.line(piece{padRight(name, width), plain}, piece{part, l.tone})
			name = ""
		}
	}
	if s := t.report.ConditionsSentence(); s != "" {
		t.paragraph(s, plain)
	}
}

// ConditionsSentence says whether retries of timed-out work can keep the downstream down, with the numbers that decide it;
// "" where there is no open traffic or no capacity. Entries that may make different numbers of requests are told apart.
func (r *Report) ConditionsSentence() string {
	names := map[MaxRequests][]string{}
	var limits []MaxRequests
	guarded := false
	for i := range r.Entries {
		e := &r.Entries[i]
		if names[e.MaxRequests] == nil {
			limits = append(limits, e.MaxRequests)
		}
		names[e.MaxRequests] = append(names[e.MaxRequests], e.Name)
		for _, run := range e.Runs {
			guarded = guarded || run != nil && len(run.Guards) > 0
		}
	}
	if len(limits) == 0 || r.Setup.OpenRate <= 0 || r.Setup.Capacity <= 0 {
		return ""
	}
	var loads []string
	amplified, cold := 0, false
	for _, limit := range limits {
		c := conditions(&r.Setup, limit)
		whose := ""
		if len(limits) > 1 {
			whose = listed(names[limit]) + ": "
		}
		loads = append(loads, whose+c.load(attempts(r.Setup.Tiered)))
		if c.Amplified() {
			amplified++
		}
		cold = cold || c.VulnerableCold()
	}
	c := conditions(&r.Setup, limits[0])
	s := strings.Join(loads, "; ") + "; " + c.house()
	switch warm := c.Outwaits() && amplified > 0; {
	case !warm && cold:
		s += ". Not both hold"
	case !warm:
		s += ". Not both hold: retries of timed-out work cannot keep it down"
	case amplified < len(limits):
		s += ". Where both hold, a trigger can leave it down for good"
	default:
		s += ". Both hold: a trigger can leave it down for good"
	}
	switch herd := r.Setup.Workers > 0; {
	case guarded && herd:
		s += " (guards and what the herd asks are not counted)"
	case guarded:
		s += " (guards are not counted)"
	case herd:
		s += " (what the herd asks is not counted)"
	}
	if s += "."; c.Cold > 0 {
		return s + " " + r.coldSentence(&c, cold && (amplified == 0 || !c.Outwaits()))
	}
	if r.Setup.RejectCost > 0 {
		s += " Rejections, which cost " + Setting(r.Setup.RejectCost) + " each, are not counted."
	}
	return s
}

// coldSentence says whether the load can be served while the downstream is cold: with what is lost, the cache or the
// connections, and before it has warmed up. vulnerable says that the conditions hold only then.
func (r *Report) coldSentence(c *Conditions, vulnerable bool) string {
	var with []string
	stays := "what waits grows until it is warm"
	if r.Setup.Cached {
		with, stays = append(with, "an empty cache"), "a cache that is lost can stay cold"
	}
	if r.Setup.Pooled {
		with, stays = append(with, "a new connection for each"), "connections that are lost can stay lost"
	}
	if r.Setup.Cached && r.Setup.Pooled {
		stays = "what is lost can stay lost"
	}
	var lead []string
	if len(with) > 0 {
		lead = append(lead, "with "+named(with))
	}
	if share := r.Setup.WarmFrom; share > 0 {
		lead = append(lead, "at "+Short(100*share)+"% of its speed")
	}
	s := strings.Join(lead, " ")
	s = strings.ToUpper(s[:1]) + s[1:] + " " + Short(c.Cold) + "/s are served, "
	if c.StaysCold() {
		s += "less than the load: " + stays
	} else {
		s += "enough for the load"
	}
	if !vulnerable {
		return s + "."
	}
	s += "; " + c.houseAt(c.Cold)
	if r.Setup.Cached || r.Setup.Pooled {
		return s + ". So both hold while it is cold: a trigger that leaves it so can leave it down for good."
	}
	return s + ". So both hold while it is cold: a trigger that leaves it so can leave it down for as long."
}

// listed joins up to three names.
func listed(names []string) string {
	const most = 3
	if len(names) > most {
		return strings.Join(names[:most-1], ", ") + fmt.Sprintf(" and %d others", len(names)-most+1)
	}
	return strings.Join(names, ", ")
}

// load says the first condition: "5/s × 6 attempts = 30/s, above the capacity of 10/s". Behind tiers what counts are
// requests.
func (c *Conditions) load(noun string) string {
	var terms []string
	for _, kind := range c.Shares {
		each := "unlimited " + noun + "s"
		if kind.MaxRequests > 0 {
			each = plural(float64(kind.MaxRequests), noun)
		}
		terms = append(terms, PerTime(kind.Load)+" × "+each)
	}
	s := strings.Join(terms, " + ")
	if !math.IsInf(c.Asked, 1) {
		s += " = " + PerTime(c.Asked)
	}
	if c.Amplified() {
		return s + ", above the capacity of " + Short(c.Capacity) + "/s"
	}
	return s + ", within the capacity of " + Short(c.Capacity) + "/s"
}

// house says the second condition: "a full house of 151 takes 15.1 s, longer than the timeout of 5 s".
func (c *Conditions) house() string { return c.houseAt(c.Capacity) }

// houseAt is house at another capacity.
func (c *Conditions) houseAt(capacity float64) string {
	switch {
	case c.Patience == 0:
		return "nobody times out"
	case c.Sheds != "":
		return c.Sheds + " spares it the work of callers that have gone"
	case c.Holds < 0 && c.AtOnce:
		return "enough of them in service outlast the timeout of " + Setting(c.Patience)
	case c.Holds < 0:
		return "an unlimited queue outlasts the timeout of " + Setting(c.Patience)
	}
	compare := "no longer"
	if c.outwaits(capacity) {
		compare = "longer"
	}
	seconds := float64(c.Holds) / capacity
	takes := Three(seconds) + " s"
	if seconds >= 60 {
		takes = Span(time.Duration(min(seconds*1e9, math.MaxInt64)))
	}
	return "a full house of " + Count(int64(c.Holds)) + " takes " + takes + ", " + compare + " than the timeout of " + Setting(c.Patience)
}
