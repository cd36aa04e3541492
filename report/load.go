package report

import (
	"io"
	"iter"
	"strconv"

	"herdsim/sim"
)

// A LoadRow is one line of load.csv: a window in which something happened, as the traffic and the downstream see it.
type LoadRow struct {
	T            Seconds `json:"t_s"`      // start of the window
	Window       Seconds `json:"window_s"` // its width
	Offered      int64   `json:"offered"`  // tasks whose first attempt reached the downstream in it
	Goodput      int64   `json:"goodput"`  // tasks that had their answer in it and succeeded
	Requests     int64   `json:"requests"` // that reached the downstream in it
	QueueMax     int64   `json:"queue_max"`
	InServiceMax int64   `json:"in_service_max"`
	Cache        float64 `json:"cache"` // share of the cache that is filled at the end of the window; 1 without a cache
	Warm         float64 `json:"warm"`  // share of its speed that the downstream has reached then; 1 without a warm-up
	Down         float64 `json:"down"`  // share of the window in which it was down after a crash
}

var loadColumns = []string{"t_s", "window_s", "offered", "goodput", "requests", "queue_max", "in_service_max", "cache",
	"warm", "down"}

// counts are the columns of the row between its times and its shares.
func (l *LoadRow) counts() [5]int64 {
	return [5]int64{l.Offered, l.Goodput, l.Requests, l.QueueMax, l.InServiceMax}
}

// shares are the last columns of the row.
func (l *LoadRow) shares() [3]float64 { return [3]float64{l.Cache, l.Warm, l.Down} }

// appendCell appends column i of the row.
func (l *LoadRow) appendCell(b []byte, i int) []byte {
	switch n := 2 + len(l.counts()); {
	case i == 0:
		return appendSeconds(b, l.T.D)
	case i == 1:
		return appendSeconds(b, l.Window.D)
	case i < n:
		return strconv.AppendInt(b, l.counts()[i-2], 10)
	default:
		return append(b, ExactFloat(l.shares()[i-n])...)
	}
}

// loadRows returns the windows of a run in their order.
func loadRows(r *sim.Result) iter.Seq[LoadRow] {
	return func(yield func(LoadRow) bool) {
		states, crashes := r.States, r.Crashes
		now := sim.StatePoint{Cache: 1, Warm: 1}
		for i := range r.Windows {
			w := &r.Windows[i]
			for len(states) > 0 && states[0].Window <= w.Index {
				now, states = states[0], states[1:]
			}
			from := sim.Time(w.Index) * r.Window
			for len(crashes) > 0 && crashes[0].To >= 0 && crashes[0].To <= from {
				crashes = crashes[1:]
			}
			row := LoadRow{
				T: seconds(from), Window: seconds(r.Window), Offered: w.Tasks, Goodput: w.Goodput, Requests: w.Requests,
				QueueMax: w.QueueMax, InServiceMax: w.InServiceMax, Cache: now.Cache, Warm: now.Warm,
				Down: downShare(crashes, from, from+r.Window),
			}
			if !yield(row) {
				return
			}
		}
	}
}

// downShare returns the share of [from, to) that crashes, which begin with the first that ends after from, cover.
func downShare(crashes []sim.Span, from, to sim.Time) float64 {
	var down sim.Time
	for _, c := range crashes {
		if c.From >= to {
			break
		}
		end := c.To
		if end < 0 {
			end = to
		}
		down += min(end, to) - max(c.From, from)
	}
	return float64(down) / float64(to-from)
}

// HasLoad reports whether there is more to see over time than a herd: open traffic, or a downstream with Parts.
func (r *Report) HasLoad() bool { return r.Setup.HasOpen() || r.Setup.Parts }

// WriteLoadCSV writes load.csv: for each finished run a line for each window in which something happened.
func (r *Report) WriteLoadCSV(w io.Writer) error { return writeSeries(w, r, loadColumns, loadRows) }
