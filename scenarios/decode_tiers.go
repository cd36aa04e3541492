package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"herdsim/downstream"
	"herdsim/strategies"
)

// tierStrategy returns how a tier waits between its calls.
func (d *decoder) tierStrategy(t *object) strategies.Uniform {
	n := t.value("strategy")
	if n == nil {
		return strategies.Immediate{}
	}
	path := t.path + "strategy"
	key, params := "", (*node)(nil)
	switch {
	case n.kind == scalar:
		key = n.text
	case n.kind == mapping && len(n.pairs) == 1 && !n.pairs[0].key.broken:
		key, params = n.pairs[0].key.text, n.pairs[0].value
	default:
		t.wrong("strategy", n, "")
		return strategies.Immediate{}
	}
	at := n.at
	if params != nil {
		at = n.pairs[0].key.at
	}
	if keys := tierKeys(); !slices.Contains(keys, key) {
		d.reportNear(at, path+" is "+quote(key), "one of "+strings.Join(keys, ", ")+", whose waits depend on the number of the retry and on luck alone", near(key, keys))
		return strategies.Immediate{}
	}
	if params != nil && params.null {
		params = nil
	}
	k := findStrategy(key)
	o := d.object(params, path+"."+key+".", k.Fields, at)
	if o == nil {
		return strategies.Immediate{}
	}
	return k.build(o).(strategies.Uniform)
}

// tierKeys are the strategies that a tier may have: those whose waits follow from the number of the retry and luck alone,
// for a tier remembers nothing of the calls before.
func tierKeys() []string {
	var keys []string
	for _, k := range registry {
		if k.build == nil {
			continue
		}
		defaults := (&decoder{}).object(nil, "", k.Fields, place{})
		if _, uniform := k.build(defaults).(strategies.Uniform); uniform {
			keys = append(keys, k.Key)
		}
	}
	return keys
}

// layering refuses what does not go with the tiers, and a coordinator that cannot know when there is a place.
func (d *decoder) layering(at place, path string, e Entry, s *Scenario) {
	paced := e.Key == pacedKey
	switch {
	case paced && len(s.Tiers) > 0:
		d.report(at, path+" is paced, and there are tiers", "paced without tiers: it gives each call a place at the downstream itself")
	case paced && s.Downstream.Slots == downstream.Unlimited:
		d.report(at, fmt.Sprintf("%s is paced, and downstream.slots is %s", path, unlimited), "paced with a number of slots, which it hands out")
	case len(e.Guards) > 0 && len(s.Tiers) > 0:
		d.report(at, path+" has guards, and there are tiers", "tiers without guards")
	}
}
