package figures

import (
	"math"
	"time"
)

// What comes all the time is drawn as averages: windows are put together to pieces, wide enough that chance does not hide
// the shape.
const (
	finestPieces   = 190 // at most so many pieces in a picture, two points each
	coarsestPieces = 60  // and at least so many
	calm           = 60  // tasks in a mean piece: chance moves one of them by 13 %
)

// An average is what happened in a piece of time, per unit of rate.
type average struct {
	from, to                   time.Duration
	offered, goodput, requests float64
}

// A rate is a unit of events per time.
type rate struct {
	name string // "s"
	per  time.Duration
	long string // "per second"
}

var rates = []rate{
	{"s", time.Second, "per second"},
	{"min", time.Minute, "per minute"},
	{"h", time.Hour, "per hour"},
}

// rateFor returns the unit in which so many events per second are read best.
func rateFor(perSecond float64) rate {
	for _, r := range rates {
		if perSecond*r.per.Seconds() >= 2 {
			return r
		}
	}
	return rates[len(rates)-1]
}

// pieceFor returns the width of pieces for a picture of rows up to need: whole windows, and a round time if that is possible,
// else a round number of them.
func (v *view) pieceFor(rows []row, need time.Duration) time.Duration {
	width := float64(need) / finestPieces
	for _, r := range rows {
		if offered := r.totals(need).offered; offered > 0 {
			width = math.Max(width, math.Min(calm*float64(need)/offered, float64(need)/coarsestPieces))
		}
	}
	u := unitFor(max(duration(width), time.Millisecond))
	if width >= float64(time.Minute) && u.d < time.Minute {
		u = units[3]
	}
	step := niceStep(width/float64(u.d), []float64{1, 2, 5, 10})
	if u.steps != nil {
		step = axisStep(width/float64(u.d), u.steps)
	}
	round := duration(step * float64(u.d))
	if round >= v.window && round%v.window == 0 {
		return round
	}
	windows := math.Max(math.Ceil(width/float64(v.window)-1e-9), 1)
	return duration(niceStep(windows, []float64{1, 2, 5, 10}) * float64(v.window))
}

// totals sums up what happened in r before an instant.
func (r row) totals(before time.Duration) average {
	sum := average{to: before}
	for _, w := range r.Windows {
		if float64(w.Index)*float64(r.Window) >= float64(before) {
			break
		}
		sum.offered += float64(w.Tasks)
		sum.goodput += float64(w.Goodput)
		sum.requests += float64(w.Requests)
	}
	return sum
}

// averages returns the pieces of r up to end. A last piece that would be less than half as wide as the others is part of the
// one before it.
func (v *view) averages(r row, piece, end time.Duration, unit rate) []average {
	n := max(1, int(math.Round(float64(end)/float64(piece))))
	as := make([]average, n)
	for i := range as {
		as[i].from, as[i].to = time.Duration(i)*piece, time.Duration(i+1)*piece
	}
	as[n-1].to = max(end, as[n-1].from+v.window)
	for _, w := range r.Windows {
		at := float64(w.Index) * float64(v.window)
		if at < 0 || at >= float64(as[n-1].to) {
			continue
		}
		a := &as[min(int(at/float64(piece)), n-1)]
		a.offered += float64(w.Tasks)
		a.goodput += float64(w.Goodput)
		a.requests += float64(w.Requests)
	}
	for i := range as {
		a := &as[i]
		width := float64(a.to-a.from) / float64(unit.per)
		a.offered, a.goodput, a.requests = a.offered/width, a.goodput/width, a.requests/width
	}
	return as
}

// end returns when the run of r ended.
func (v *view) end(r row) time.Duration {
	end := r.EndedAt
	if n := len(r.Windows); n > 0 {
		end = max(end, v.endOf(r.Windows[n-1]))
	}
	return end
}
