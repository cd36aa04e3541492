package figures

import (
	"strings"
	"time"
)

// Titles for strategies that peak alike: they say what that hides.

// alikeTitles add to what says that the peaks are alike what that hides: the peaks once the service is back, the time, or
// the requests.
func (v *view) alikeTitles(alike string) []string {
	low, high := v.afterwards(v.rows)
	if lo, hi := v.load(v.after(low)), v.load(v.after(high)); v.hidesAfter(v.rows) {
		return []string{
			"Once the service is back, peaks range from " + v.measured(v.after(low)) + " (" + low.name + ") to " + hi + " (" + high.name + ")",
			"Once the service is back, peaks range from " + lo + " (" + low.name + ") to " + hi,
			alike + "; once it is back, at " + lo + " to " + hi,
		}
	}
	if lasts := v.spread(v.rows, 1); len(leaving(v.rows)) == 0 && apartBy(lasts.min, lasts.max) {
		return []string{alike + ", and serve " + low.everyone() + " within " + lasts.text(), alike}
	}
	low, high = v.rows[0], v.rows[0]
	for _, r := range v.rows[1:] {
		if r.Attempts < low.Attempts {
			low = r
		}
		if r.Attempts > high.Attempts {
			high = r
		}
	}
	if apartBy(low.Attempts, high.Attempts) {
		return []string{alike + ", and send " + short(low.Attempts, 100_000) + " to " + short(high.Attempts, 100_000) + " requests", alike}
	}
	return []string{alike}
}

// afterwards returns the rows with the lowest and the highest peak once the service is back.
func (v *view) afterwards(rows []row) (low, high row) {
	low, high = rows[0], rows[0]
	for _, r := range rows[1:] {
		if v.after(r) < v.after(low) {
			low = r
		}
		if v.after(r) > v.after(high) {
			high = r
		}
	}
	return low, high
}

// hidesAfter reports whether rows that peak alike are told apart by their peaks once the service is back. Then titles
// speak of these, and every row shows its own.
func (v *view) hidesAfter(rows []row) bool {
	if len(rows) < 2 {
		return false
	}
	worst, best := extremes(rows)
	low, high := v.afterwards(rows)
	lo, hi := v.after(low), v.after(high)
	return !apartBy(worst.PeakWindow, best.PeakWindow) && apartBy(lo, hi) && v.load(lo) != v.load(hi)
}

// afterPeak writes the peak of r once the service is back.
func (v *view) afterPeak(r row) string { return v.load(v.after(r)) + " once back" }

// apartBy reports whether the larger of two is more than a tenth above the other.
func apartBy[N int64 | time.Duration](a, b N) bool {
	return float64(max(a, b)) > 1.1*float64(min(a, b))
}

// alikePair tells two rows apart whose peaks are alike: by the peak once the service is back, else by what becomes of
// the herds, else by the requests.
func (v *view) alikePair(a, b row) []string {
	brief := "Both peak at " + v.peakOf(a)
	if a.PeakWindow != b.PeakWindow {
		brief = "Both peak near " + v.peakOf(a)
	}
	both := a.name + " and " + b.name + " b" + brief[1:]
	ra, rb := v.load(v.after(a)), v.load(v.after(b))
	pa, pb := percent(a.Herd.Succeeded, a.Herd.Tasks), percent(b.Herd.Succeeded, b.Herd.Tasks)
	switch then := v.later(a, b); {
	case v.hidesAfter([]row{a, b}):
		return []string{
			"Once the service is back, " + b.name + " peaks at " + v.measured(v.after(b)) + ", " + a.name + " at " + ra,
			brief + "; once the service is back, at " + ra + " and " + rb,
		}
	case then != "" && a.allServed() && b.allServed():
		when := strings.TrimPrefix(strings.TrimPrefix(then, ", but"), " and")
		return []string{brief + ", but " + b.name + when, both, brief}
	case v.herd() && pa != pb:
		return []string{brief + ", but " + b.name + " serves " + pb + ", " + a.name + " " + pa, brief + ", but serve " + pa + " and " + pb, brief}
	case apartBy(a.Attempts, b.Attempts):
		sends := " sends " + short(b.Attempts, 100_000) + " requests, " + a.name + " " + short(a.Attempts, 100_000)
		return []string{brief + ", but " + b.name + sends, both, brief}
	}
	return []string{both, brief}
}
