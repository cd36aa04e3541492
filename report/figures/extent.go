package figures

import (
	"cmp"
	"slices"
	"time"

	"herdsim/sim"
)

// reach returns by when nearly all requests of r were sent that its picture is about, and when the last one was.
//
// Without open traffic that is 98.5 % of all, and every window in which ten times the capacity are asked. Open traffic goes on to the horizon, so it counts only until the herd is
// served and the load is down to twice the capacity.
func (v *view) reach(r row) (reach, end time.Duration) {
	if len(r.Windows) == 0 {
		return 0, 0
	}
	var total, sum int64
	var wave time.Duration // the last that nobody should miss
	for _, w := range r.Windows {
		total += w.Requests
	}
	var overloaded time.Duration
	for _, w := range r.Windows {
		after := v.endOf(w)
		if w.Requests > 0 {
			end = after
		}
		if v.bounded() && float64(w.Requests-w.Failure) > 2*v.perBar {
			overloaded = after
		}
		if v.bounded() && float64(w.Requests-w.Failure) > 10*v.perBar {
			wave = after
		}
		if sum += w.Requests; reach == 0 && float64(sum) >= 0.985*float64(total) {
			reach = after
		}
	}
	reach = max(reach, wave)
	if v.HasOpen() && r.Herd.Tasks > 0 && r.Herd.Unfinished == 0 {
		calm := max(r.last(), overloaded, 40*v.window)
		reach = min(reach, calm+calm/4)
	}
	return reach, end
}

// endOf returns the end of a window.
func (v *view) endOf(w sim.Window) time.Duration {
	return duration((float64(w.Index) + 1) * float64(v.window))
}

// extent returns how much time a picture of rows should show. One row in four may be cut off if the others gain from
// it, and every second if they gain very much.
func (v *view) extent(rows []row) time.Duration {
	type reach struct{ reach, end time.Duration }
	var rs []reach
	floor := max(40*v.window, 4*v.Recovery)
	for _, r := range rows {
		a, b := v.reach(r)
		rs = append(rs, reach{a, b})
		floor = max(floor, 4*r.FirstRetry)
	}
	slices.SortFunc(rs, func(a, b reach) int { return cmp.Compare(b.reach, a.reach) })
	if len(rs) == 0 || rs[0].end == 0 {
		return max(5*v.window, time.Second)
	}
	need := rs[0].reach
	for cut := 1; cut <= len(rs)/2; cut++ {
		next := max(rs[cut].reach, floor)
		if gain := float64(need) / float64(next); gain >= 8 || gain >= 1.4 && cut <= len(rs)/4 {
			need = next
		}
	}
	end := time.Duration(0)
	for _, r := range rs {
		if r.end > need && r.end <= need+need/5 {
			end = max(end, r.end) // a little more shows it whole
		}
	}
	return max(need, end, 5*v.window)
}

// extentFor returns how much time a picture of some of the rows should show: as much as one of all would, if they need
// it.
func (v *view) extentFor(rows []row) time.Duration {
	need := 5 * v.window
	for _, r := range rows {
		reach, _ := v.reach(r)
		need = max(need, reach)
	}
	return min(max(need, v.extent(rows)), v.extent(v.rows))
}
