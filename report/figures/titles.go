package figures

import (
	"math"
	"slices"
	"strings"
	"time"
)

// A title is a finding that holds for the data at hand. Each function returns candidates that all hold, from the one
// that says most to one that fits in any case; the first that fits is drawn.

// overviewTitles compare the peaks of all rows.
func (v *view) overviewTitles() []string {
	if len(v.rows) == 1 {
		return v.singleTitles(v.rows[0])
	}
	if pair, story := v.pair(); story && 2*pair[0].PeakWindow >= 3*pair[1].PeakWindow && v.peak(pair[0]) != v.peak(pair[1]) && pair[1].key == "full-jitter" {
		p, j := pair[0], pair[1]
		cut := "Jitter cuts the peak from " + v.peak(p) + " to " + v.peakOf(j)
		if then := v.later(p, j); then != "" {
			return []string{cut + then, cut}
		}
		return []string{cut}
	}
	return v.rangeTitles()
}

// rangeTitles say from where to where the peaks go.
func (v *view) rangeTitles() []string {
	worst, best := extremes(v.rows)
	hi, lo := v.peak(worst), v.peak(best)
	n := comma(int64(len(v.rows)))
	switch {
	case worst.PeakWindow == 0 && v.noun() == "message":
		return []string{"No message is tried again after the failure itself"}
	case worst.PeakWindow == 0:
		return []string{"Nobody calls again after the failure itself"}
	case hi == lo && v.bounded() && v.ratio(worst) <= 1:
		return []string{"No strategy asks for more than capacity: each peaks at " + hi}
	case hi == lo && len(v.rows) == 2:
		return v.alikeTitles("Both strategies peak at " + v.peakOf(worst))
	case hi == lo:
		return v.alikeTitles("All " + n + " strategies peak at " + v.peakOf(worst))
	case 10*worst.PeakWindow <= 11*best.PeakWindow:
		return v.alikeTitles("All peak at " + lo + " to " + v.peakOf(worst))
	case v.bounded() && v.ratio(worst) <= 1:
		return []string{"No strategy asks for more than capacity: peaks from " + lo + " to " + hi}
	}
	low, high := v.named(lo), v.named(hi)
	var titles []string
	if n := v.reading(hi); v.reading(lo) == 1 && n > 1 && n == len(v.rows)-1 {
		titles = append(titles, best.name+" peaks at "+v.peakOf(best)+", all others at "+hi)
	}
	if low != "" && high != "" {
		titles = append(titles, "Peaks range from "+v.peakOf(best)+" ("+low+") to "+hi+" ("+high+")")
	}
	if low != "" {
		titles = append(titles, "Peaks range from "+v.peakOf(best)+" ("+low+") to "+hi)
	}
	return append(titles, "Peaks range from "+lo+" to "+v.peakOf(worst))
}

// reading returns how many rows have a peak that reads so.
func (v *view) reading(peak string) int {
	n := 0
	for _, r := range v.rows {
		if v.peak(r) == peak {
			n++
		}
	}
	return n
}

// named lists the rows whose peak reads so, or "" if they are more than two.
func (v *view) named(peak string) string {
	var names []string
	for _, r := range v.rows {
		if v.peak(r) == peak {
			names = append(names, r.name)
		}
	}
	return listed(names)
}

// listed joins one or two names; it returns "" for none and for more.
func listed(names []string) string {
	switch len(names) {
	case 1:
		return names[0]
	case 2:
		return names[0] + " and " + names[1]
	}
	return ""
}

// peakOf writes a peak with what it is measured by.
func (v *view) peakOf(r row) string { return v.measured(r.PeakWindow) }

// measured writes the requests of a window with what they are measured by: "50× capacity", "1,000 requests in 100 ms".
func (v *view) measured(n int64) string {
	if v.bounded() {
		return v.load(n) + " capacity"
	}
	noun := " requests"
	if n == 1 {
		noun = " request"
	}
	return v.load(n) + noun + " in " + v.clock.span(v.window)
}

// singleTitles are about one row alone.
func (v *view) singleTitles(r row) []string {
	switch {
	case r.PeakWindow == 0:
		return []string{r.name + " sends nothing after the failure itself", "Nothing is sent after the failure itself"}
	case v.bounded() && v.ratio(r) <= 1:
		return v.endings(r, "stays within capacity", "The load stays within capacity")
	}
	return v.endings(r, "peaks at "+v.peakOf(r), "The load peaks at "+v.peakOf(r))
}

// endings completes a finding about r with what became of its herd.
func (v *view) endings(r row, what, short string) []string {
	switch h := r.Herd; {
	case r.allServed() && h.Tasks > 1:
		return []string{
			r.name + " " + what + " and serves " + r.everyone() + " within " + v.clock.moment(r.last()),
			short + "; " + r.everyone() + " is served within " + v.clock.moment(r.last()),
		}
	case h.Tasks > 0 && h.Succeeded < h.Tasks:
		return []string{
			r.name + " " + what + " and leaves " + counted(h.Tasks-h.Succeeded, r.noun()) + " unserved",
			short + "; " + percent(h.Succeeded, h.Tasks) + " are served",
		}
	}
	return []string{r.name + " " + what, short}
}

// later compares what becomes of the herds of two rows: "" if they are served at nearly the same time.
func (v *view) later(from, to row) string {
	switch a, b := from.allServed(), to.allServed(); {
	case from.Herd.Tasks == 0 || to.Herd.Tasks == 0:
		return ""
	case !a && !b:
		return shares(from, to)
	case !a:
		return " and serves " + to.everyone()
	case !b:
		return ", but leaves " + counted(to.Herd.Tasks-to.Herd.Succeeded, to.noun()) + " unserved"
	}
	a, b := from.last(), to.last()
	diff := b - a
	if math.Abs(float64(diff)) < 0.1*float64(max(a, b)) {
		return ""
	}
	if diff < 0 {
		return " and serves " + to.everyone() + " " + v.clock.moment(-diff) + " sooner"
	}
	return ", but serves " + to.everyone() + " " + v.clock.moment(diff) + " later"
}

// shares compares what two rows serve that do not serve everyone.
func shares(from, to row) string {
	a, b := percent(from.Herd.Succeeded, from.Herd.Tasks), percent(to.Herd.Succeeded, to.Herd.Tasks)
	switch {
	case to.Herd.Succeeded == 0 && from.Herd.Succeeded == 0:
		return ", but serves " + to.nobody()
	case a == b:
		return ", but serves " + b + " as before"
	}
	return ", serving " + b + " instead of " + a
}

// spikeTitles are about the two rows that spike shows. story says that they are the same backoff without and with jitter.
func (v *view) spikeTitles(pair []row, story bool) []string {
	if len(pair) == 1 {
		return v.singleTitles(pair[0])
	}
	a, b := pair[0], pair[1]
	if v.peak(a) == v.peak(b) || !apartBy(a.PeakWindow, b.PeakWindow) {
		return v.alikePair(a, b)
	}
	long := b.name + " peaks at " + v.peakOf(b) + ", " + a.name + " at " + v.peak(a)
	if story && b.key == "full-jitter" {
		return []string{
			"Same herd, same backoff: " + long,
			long,
			"Same herd, same backoff: the peak is " + v.peak(b) + " with jitter, " + v.peakOf(a) + " without",
		}
	}
	return []string{long, "The highest peak is " + v.peakOf(a) + ", the lowest " + v.peak(b)}
}

// completionTitles say how long the herds wait.
func (v *view) completionTitles(rows []row) []string {
	if left := leaving(rows); len(left) > 0 {
		return unservedTitles(rows, left)
	}
	halves, lasts, noun := v.spread(rows, 0.5), v.spread(rows, 1), rows[0].noun()
	if len(rows) == 1 {
		r := rows[0]
		if r.Herd.Tasks == 1 {
			return []string{r.name + " serves its one " + noun + " at " + v.clock.moment(r.last()), "The " + noun + " is served at " + v.clock.moment(r.last())}
		}
		return []string{
			r.name + " serves half the " + noun + "s within " + v.clock.together(halves.max, lasts.max) + " and the last at " + lasts.to(),
			"Half the " + noun + "s are served within " + v.clock.together(halves.max, lasts.max) + ", the last at " + lasts.to(),
		}
	}
	if lasts.from() == lasts.to() {
		return []string{"Every strategy serves its last " + noun + " at " + lasts.to()}
	}
	short := "The last " + noun + " is served after " + lasts.text()
	switch {
	case !slices.ContainsFunc(rows, func(r row) bool { return r.Herd.Tasks > 1 }):
		return []string{"The " + noun + " is served after " + lasts.text()}
	case lasts.ratio() > 1.5*halves.ratio():
		return []string{"Half the " + noun + "s are served within " + v.clock.together(halves.max, lasts.max) + " in every case, the last after " + lasts.text(), short}
	}
	half := v.clock.together(halves.max, lasts.max)
	if from := v.clock.together(halves.min, lasts.max); from != half {
		half = from + " to " + half
	}
	return []string{"Half the " + noun + "s are served after " + half + ", the last after " + lasts.text(), short}
}

// leaving returns the rows that leave someone unserved.
func leaving(rows []row) []row {
	var left []row
	for _, r := range rows {
		if !r.allServed() {
			left = append(left, r)
		}
	}
	return left
}

// unservedTitles are about herds that were not all served.
func unservedTitles(rows, left []row) []string {
	if len(left) == 1 {
		r := left[0]
		unserved := r.Herd.Tasks - r.Herd.Succeeded
		return []string{
			r.name + " leaves " + comma(unserved) + " of " + counted(r.Herd.Tasks, r.noun()) + " unserved",
			comma(unserved) + " of " + counted(r.Herd.Tasks, r.noun()) + several(unserved, " is", " are") + " left unserved",
		}
	}
	if len(left) < len(rows) {
		return []string{comma(int64(len(left))) + " of " + comma(int64(len(rows))) + " strategies leave " + rows[0].noun() + "s unserved"}
	}
	worst, best := slices.MinFunc(left, compareShares), slices.MaxFunc(left, compareShares)
	lo, hi := percent(worst.Herd.Succeeded, worst.Herd.Tasks), percent(best.Herd.Succeeded, best.Herd.Tasks)
	switch {
	case best.Herd.Succeeded == 0:
		return []string{strings.ToUpper(best.nobody()[:1]) + best.nobody()[1:] + " is served"}
	case lo == hi:
		return []string{"No strategy serves " + best.everyone() + ": each serves " + lo}
	}
	return []string{"No strategy serves " + best.everyone() + ": they serve " + lo + " to " + hi}
}

// compareShares orders rows by the share of their herd that was served.
func compareShares(a, b row) int {
	x := float64(a.Herd.Succeeded) / float64(max(1, a.Herd.Tasks))
	y := float64(b.Herd.Succeeded) / float64(max(1, b.Herd.Tasks))
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// A stretch is the shortest and the longest of some durations.
type stretch struct {
	min, max time.Duration
	clock    timeAxis // of the picture
}

func (s stretch) from() string { return s.clock.together(s.min, s.max) }
func (s stretch) to() string   { return s.clock.together(s.max, s.max) }

// text writes both, in one unit, or one if they read the same.
func (s stretch) text() string {
	if s.from() == s.to() {
		return s.to()
	}
	return s.from() + " to " + s.to()
}

// together writes d as moment does, or else in the unit in which instant writes a longer time, if that leaves it enough digits.
func (a timeAxis) together(d, longer time.Duration) string {
	if a.counts(d) {
		return a.word(d)
	}
	u := unitFor(max(longer, time.Second))
	if longer < 100*time.Millisecond || float64(d) < 0.1*float64(u.d) {
		return instant(d)
	}
	return digits(float64(d)/float64(u.d)) + " " + u.short
}

func (s stretch) ratio() float64 { return float64(s.max) / float64(max(s.min, 1)) }

// spread returns the stretch of the instants at which a share of each herd was served.
func (v *view) spread(rows []row, share float64) stretch {
	s := stretch{clock: v.clock}
	for i, r := range rows {
		t, _ := r.servedBy(share)
		if i == 0 || t < s.min {
			s.min = t
		}
		s.max = max(s.max, t)
	}
	return s
}
