package figures

const (
	mostRows = 12   // of strategies in one figure
	footRoom = 29.0 // below the lowest text
)

// overview shows the load of every strategy over time, one row each, under one scale.
var overview = Figure{
	Name:  "overview",
	empty: func(v *view) string { return v.nothingSent() },
	layout: func(v *view) layout {
		rows := v.rows[:min(len(v.rows), mostRows)]
		worst, best := extremes(rows)
		root := len(rows) > 3 || worst.PeakWindow > 12*best.PeakWindow // else the lower one would not be seen
		s, h := newStrip(v, rows, overviewPitch(len(rows)), 22, root, v.overviewTitles)
		return s.layout(h, len(rows))
	},
}

// overviewPitch returns the height of a row among n: the fewer, the higher.
func overviewPitch(n int) float64 {
	few := []float64{190, 150, 116, 88, 74, 65}
	if n <= len(few) {
		return few[n-1]
	}
	return 59
}

// nothingSent says so if no request was sent in any row, or there is no row.
func (v *view) nothingSent() string {
	if len(v.rows) == 0 {
		return "No strategy has a finished run"
	}
	for _, r := range v.rows {
		if busy(r) > 0 {
			return ""
		}
	}
	return "No request was sent"
}
