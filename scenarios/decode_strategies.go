package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"herdsim/strategies"
	"herdsim/strategies/guards"
)

// mostName bounds an entry's name: it stands in tables and pictures.
const mostName = 64

// An entryNode is an entry of strategies taken apart: its own keys, and the key of its strategy with the map below it.
type entryNode struct {
	own    *object
	key    string
	params *node
}

func (d *decoder) strategies(o *object, s *Scenario) {
	n := o.value("strategies")
	items := o.list("strategies")
	if n != nil && n.kind == list && len(n.items) == 0 {
		d.report(n.at, "strategies is an empty list", "at least one of "+strings.Join(strategyKeys(), ", "))
	}
	names := map[string]place{}
	for i, item := range items {
		path := fmt.Sprintf("strategies[%d]", i)
		e, ok := d.entry(item, path, s)
		if !ok {
			continue
		}
		if first, twice := names[e.Name]; twice {
			at := item.at
			if name := item.get("name"); name != nil {
				at = name.at
			}
			message := path + " is the second with the name " + quote(e.Name)
			if first.line > 0 {
				message += fmt.Sprintf(", the first is in line %d", first.line)
			}
			d.report(at, message, "names that differ: give one of them a name")
			continue
		}
		names[e.Name] = item.at
		s.Strategies = append(s.Strategies, e)
	}
}

// entry decodes one entry of strategies; false if it is not known which strategy it is.
func (d *decoder) entry(n *node, path string, s *Scenario) (Entry, bool) {
	n, preset, ok := d.expandPreset(n, path)
	if !ok {
		return Entry{}, false
	}
	parts, ok := d.takeApart(n, path)
	if !ok {
		return Entry{}, false
	}
	before := len(d.problems)
	k := findStrategy(parts.key)
	e := Entry{Name: parts.key, Key: parts.key, Limits: s.Limits, Start: s.Start}
	params := path + "." + parts.key + "."
	if preset != nil {
		e.Preset, e.Name, params = preset.Name, preset.Name, path+"."+presetKey+"."
	}
	own := parts.own
	if name := own.value("name"); name != nil {
		e.Name = d.entryName(own, name)
	}
	if own.has("limits") {
		e.Limits = d.limits(own)
	}
	e.Guards = s.Guards
	if own.has("guards") {
		e.Guards = d.guards(own)
	}
	if own.has("start") {
		e.Start = d.start(own, "start")
	}
	e.Broker = d.ownBroker(own, s)
	e.FirstWait = own.duration("first_wait")
	d.retryAfter(own, &e)
	e.Poll = d.poll(own, s.Horizon)
	if params := d.object(parts.params, params, k.Fields, n.at); params != nil {
		if k.build != nil {
			e.Strategy = k.build(params)
		}
		e.Formula = formula(e, s.Downstream)
		if len(d.problems) == before {
			d.standstill(n.at, path, e, s)
			d.layering(n.at, path, e, s)
			d.brokeredEntry(n.at, path, e)
		}
	}
	return e, e.Name != ""
}

// takeApart finds out which strategy an entry names.
func (d *decoder) takeApart(n *node, path string) (entryNode, bool) {
	var out entryNode
	own := &node{kind: mapping, at: n.at}
	var keys []*node
	switch {
	case n.broken:
		return out, false
	case n.kind == scalar && !n.null:
		keys = append(keys, n)
	case n.kind == mapping:
		for _, p := range n.pairs {
			isOwn := slices.ContainsFunc(entryFields, func(f Field) bool { return f.Key == p.key.text })
			if p.key.broken || isOwn {
				own.pairs = append(own.pairs, p)
				continue
			}
			keys = append(keys, p.key)
			if out.params = p.value; out.params.null {
				out.params = nil
			}
		}
	default:
		d.report(n.at, path+" is "+n.what(), "a strategy or a map with one of "+entryKeys())
		return out, false
	}
	out.own = d.object(own, path+".", entryFields, n.at)
	ok := true
	for _, k := range keys {
		if findStrategy(k.text) == nil {
			d.unknownStrategy(k, path)
			ok = false
		}
	}
	switch {
	case !ok, len(keys) == 0 && out.own.partial:
		return out, false
	case len(keys) == 0:
		d.report(n.at, path+" names no strategy", "one of "+entryKeys())
		return out, false
	case len(keys) > 1:
		d.report(keys[1].at, fmt.Sprintf("%s has two strategies, %s and %s", path, keys[0].text, keys[1].text), "one strategy an entry")
		return out, false
	}
	out.key = keys[0].text
	if bare := findStrategy(out.key).Bare; bare != "" && out.params != nil && out.params.kind == scalar {
		out.params = &node{kind: mapping, at: out.params.at, pairs: []pair{{&node{text: bare, at: out.params.at}, out.params}}}
	}
	return out, true
}

func (d *decoder) unknownStrategy(k *node, path string) {
	suggestion := near(k.text, append(strategyKeys(), presetKey))
	d.removed[suggestion] = true // what names it in expect is not another mistake
	if suggestion == "" {
		suggestion = near(k.text, keyNames(entryFields))
	}
	if !d.ofPresets {
		if _, isPreset := FindPreset(k.text); isPreset {
			suggestion = presetKey + ": " + k.text
		}
	}
	d.reportNear(k.at, fmt.Sprintf("unknown strategy %s in %s", quote(k.text), path),
		"one of "+entryKeys()+"; beside it "+keyList(entryFields), suggestion)
}

// entryKeys lists what may stand in an entry as its strategy.
func entryKeys() string { return strings.Join(append(strategyKeys(), presetKey), ", ") }

// entryName checks a name that is to stand in tables and pictures.
func (d *decoder) entryName(own *object, n *node) string {
	allowed := own.field("name").Form
	if n.kind != scalar {
		d.report(n.at, own.path+"name is "+n.what(), allowed)
		return ""
	}
	if why := nameFault(n.text); why != "" {
		d.report(n.at, own.path+"name is "+quote(n.text)+", "+why, allowed)
		return ""
	}
	return n.text
}

// nameFault says what is wrong with the name of an entry, or "".
func nameFault(name string) string {
	switch {
	case name == "":
		return "empty"
	case utf8.RuneCountInString(name) > mostName:
		return fmt.Sprintf("%d characters long", utf8.RuneCountInString(name))
	case strings.TrimSpace(name) != name:
		return "with a space at its end"
	case !utf8.ValidString(name), strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "with a character that cannot be printed"
	}
	return ""
}

// standstill refuses what could go on for ever at one instant: a wait of 0 after an answer that takes no time. A broker
// takes some time to deliver.
func (d *decoder) standstill(at place, path string, e Entry, s *Scenario) {
	if s.Broker != nil || s.Network != nil && s.Network.Mean() > 0 || s.endsByAttempts(e) || slices.ContainsFunc(e.Guards, letsTimePass) {
		return
	}
	what := ""
	switch k := e.Strategy.(type) {
	case strategies.Immediate:
		what = "never waits"
	case *Expr:
		if k.endsAtZero() {
			what = "waits 0s in the end"
		}
	case strategies.Fixed:
		if k.Law(max(k.Sweep-1, 0)).At(lastU) == 0 {
			what = "waits 0s"
		}
	case strategies.Uniform:
		if k.Law(1<<20).At(lastU) == 0 {
			what = "waits 0s in the end"
		}
	case strategies.Compounding: // after a wait of 0 it begins anew
		if first, _ := k.Wait(strategies.Attempt{Retry: 1, SinceReset: 1}, lastU); first == 0 {
			what = "waits 0s"
		}
	}
	if what != "" {
		d.report(at, fmt.Sprintf("%s: %s %s, and with a network of 0s time would stand still", path, e.Key, what),
			"a longer wait, a network delay, or limits.max_attempts")
	}
}

// endsByAttempts reports whether all traffic, the entry's herd and what comes beside it, has a limit of attempts.
func (s *Scenario) endsByAttempts(e Entry) bool {
	limits := []*Limits{}
	if s.Herd(e) > 0 {
		limits = append(limits, &e.Limits)
	}
	if s.Arrivals != nil {
		limits = append(limits, cmp.Or(s.Arrivals.Limits, &e.Limits))
	}
	if s.Clients != nil {
		limits = append(limits, cmp.Or(s.Clients.Limits, &e.Limits))
	}
	if s.Cron != nil {
		limits = append(limits, cmp.Or(s.Cron.Limits, &e.Limits))
	}
	return !slices.ContainsFunc(limits, func(l *Limits) bool { return l.MaxAttempts == 0 })
}

// letsTimePass reports whether a guard ends what fails again and again at one instant: it gives the task up, or has it
// come back later.
func letsTimePass(g guards.Spec) bool {
	switch g.Maker.(type) {
	case *guards.RetryThrottling, *guards.RetryQuota, *guards.RetryBudget, *guards.RetryTokens, *guards.RetryBreaker,
		*guards.Breaker, *guards.Throttle, *guards.TokenBucket:
		return true
	}
	return false
}

// lastU is the u of the longest wait.
const lastU = 1 - 1.0/(1<<53)

// mostWork bounds the service time of a whole herd, so that sums of it stay within a Duration.
const mostWork = longest

// herd checks that there is somebody to simulate, and that the work of all of them fits into time.
func (d *decoder) herd(o *object, s *Scenario) {
	if s.Broker != nil {
		d.brokeredHerd(o, s)
	} else if s.Start.File != "" && o.has("workers") {
		d.report(o.keys["workers"], "workers and a start trace are both there", "the trace says how many there are")
	}
	for i, e := range s.Strategies {
		if work := float64(s.Herd(e)) * float64(s.Downstream.Service.Mean()); work > float64(mostWork) {
			d.report(o.placeOf("downstream"), fmt.Sprintf("the herd of strategies[%d], %d workers at a mean service of %s, has work for more than %s",
				i, s.Herd(e), formatDuration(s.Downstream.Service.Mean()), formatDuration(mostWork)), "fewer workers or a shorter service")
			return
		}
	}
	if s.Broker != nil || s.open() || o.partial || !o.sound("workers", "start", "arrivals", "clients", "cron", "strategies") || s.Start.File != "" {
		return
	}
	at, message := o.at, "workers is missing"
	if written, ok := o.seen["workers"]; ok {
		at, message = written, "workers is taken away"
	}
	if n := o.values["workers"]; n != nil {
		at, message = n.at, "workers is 0"
	}
	for i, e := range s.Strategies {
		if s.Herd(e) == 0 && e.Start.File == "" {
			d.report(at, fmt.Sprintf("%s, so strategies[%d] has nobody to simulate", message, i), "workers above 0, a start trace, arrivals, clients or cron")
			return
		}
	}
}
