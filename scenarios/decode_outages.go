package scenarios

import (
	"fmt"
	"slices"
	"time"

	"herdsim/downstream"
)

// A placedOutage is an outage and where it was written.
type placedOutage struct {
	downstream.Outage
	at   place
	path string
}

// outages returns the outages in the order of time, whatever order they were written in, each as often as it comes.
func (d *decoder) outages(p *object) []downstream.Outage {
	var all []placedOutage
	for i, n := range p.list("outages") {
		path := fmt.Sprintf("%soutages[%d]", p.path, i)
		if a := d.object(n, path+".", outageFields, n.at); a != nil {
			all = append(all, d.outage(a, path)...)
		}
	}
	if most, _ := parseCount(p.field("outages").Max); uint64(len(all)) > most {
		d.report(p.placeOf("outages"), fmt.Sprintf("%soutages come %s times together", p.path, formatCount(uint64(len(all)))), "at most "+formatCount(most))
		return nil
	}
	slices.SortStableFunc(all, func(a, b placedOutage) int { return int(min(max(a.From-b.From, -1), 1)) })
	var end time.Duration
	var last string
	var outages []downstream.Outage
	reported := map[string]bool{}
	for _, o := range all {
		if o.From < end && !reported[o.path] {
			reported[o.path] = true
			d.report(o.at, fmt.Sprintf("%s, from %s to %s, overlaps with %s, which ends at %s", o.path, formatDuration(o.From), formatDuration(o.To), last, formatDuration(end)), "outages that do not overlap")
		}
		if o.To > end {
			end, last = o.To, o.path
		}
		outages = append(outages, o.Outage)
	}
	return outages
}

// outage decodes an item, and returns it as often as it comes; nil if there is something wrong with when it does.
func (d *decoder) outage(a *object, path string) []placedOutage {
	out := placedOutage{at: a.at, path: path}
	out.From, out.Capacity, out.Mode = a.duration("from"), a.share("capacity"), a.mode()
	times, _ := a.count("times")
	every := a.duration("every")
	if out.Mode == downstream.Slow && out.Capacity == 0 && a.sound("capacity") {
		d.report(a.placeOf("mode"), path+" is slow, and its capacity is 0%", "a capacity above 0%: how fast it still is")
	}
	if out.Mode == downstream.Stall && out.Capacity > 0 {
		d.report(a.placeOf("capacity"), path+" is a stall, and its capacity is "+formatShare(out.Capacity), "no capacity: nothing begins in a stall; a brown-out for less of it")
	}
	key := "to"
	switch {
	case a.has("to") && a.has("for"):
		d.bothEnds(a)
		return nil
	case a.has("for"):
		key = "for"
		out.To = later(out.From, a.duration("for"))
	case a.has("to"):
		out.To = a.duration("to")
	default:
		if a.sound("to", "for") && !a.partial {
			d.report(a.at, path+".to is missing", a.field("to").allowed()+"; or for, its length")
		}
		return nil
	}
	switch {
	case !a.sound("from", key, "every", "times"):
		return nil
	case out.From >= out.To:
		d.report(a.placeOf(key), fmt.Sprintf("%s is from %s to %s", path, formatDuration(out.From), formatDuration(out.To)), "from before to")
		return nil
	case out.To > longest:
		d.report(a.placeOf(key), path+" ends after "+formatDuration(longest), "an earlier end")
		return nil
	}
	return d.again(a, out, every, int(times))
}

// again returns the outage as often as it comes.
func (d *decoder) again(a *object, out placedOutage, every time.Duration, times int) []placedOutage {
	switch {
	case every == 0 && times > 1:
		d.report(a.placeOf("times"), fmt.Sprintf("%s.times is %d, and every is missing", out.path, times), "every: "+a.field("every").allowed())
		return nil
	case every > 0 && times == 1:
		d.report(a.placeOf("every"), out.path+".every is "+formatDuration(every)+", and times is 1", "times: a whole number from 2 to 1000")
		return nil
	case times > 1 && every <= out.To-out.From:
		d.report(a.placeOf("every"), fmt.Sprintf("%s.every is %s, and it lasts %s", out.path, formatDuration(every), formatDuration(out.To-out.From)), "every longer than one outage")
		return nil
	case times > 1 && every > (longest-out.To)/time.Duration(times-1):
		d.report(a.placeOf("every"), out.path+" comes for the last time after "+formatDuration(longest), "a shorter every, or fewer times")
		return nil
	}
	all := make([]placedOutage, times)
	for i := range all {
		all[i] = out
		all[i].From += time.Duration(i) * every
		all[i].To += time.Duration(i) * every
	}
	return all
}
