package report

import (
	"iter"
	"strconv"
	"time"

	"herdsim/sim"
	"herdsim/strategies"
)

// A RequestRow is one line of requests.csv: a window in which something happened.
type RequestRow struct {
	T            Seconds `json:"t_s"`      // start of the window
	Window       Seconds `json:"window_s"` // its width
	Requests     int64   `json:"requests"` // that reached the downstream in it; with those in flight at the end
	Served       int64   `json:"served"`
	Rejected     int64   `json:"rejected"`
	Unavailable  int64   `json:"unavailable"`
	TimedOut     int64   `json:"timed_out"`
	Errored      int64   `json:"errored"`
	Failure      int64   `json:"failure_itself"` // of Requests
	Wasted       int64   `json:"wasted"`         // work for nobody that ended in the window
	QueueMax     int64   `json:"queue_max"`
	InServiceMax int64   `json:"in_service_max"`
}

var requestColumns = []string{"t_s", "window_s", "requests", "served", "rejected", "unavailable", "timed_out", "errored",
	"failure_itself", "wasted", "queue_max", "in_service_max"}

// counts are the columns of the row after its times.
func (q *RequestRow) counts() [10]int64 {
	return [10]int64{q.Requests, q.Served, q.Rejected, q.Unavailable, q.TimedOut, q.Errored, q.Failure, q.Wasted,
		q.QueueMax, q.InServiceMax}
}

// appendCell appends column i of the row.
func (q *RequestRow) appendCell(b []byte, i int) []byte {
	switch i {
	case 0:
		return appendSeconds(b, q.T.D)
	case 1:
		return appendSeconds(b, q.Window.D)
	}
	return strconv.AppendInt(b, q.counts()[i-2], 10)
}

// requestRows returns the windows of a run in their order.
func requestRows(r *sim.Result) iter.Seq[RequestRow] {
	return func(yield func(RequestRow) bool) {
		for i := range r.Windows {
			w := &r.Windows[i]
			row := RequestRow{
				T: seconds(time.Duration(w.Index) * r.Window), Window: seconds(r.Window),
				Requests:    w.Requests,
				Served:      w.Outcomes[strategies.Served],
				Rejected:    w.Outcomes[strategies.Rejected],
				Unavailable: w.Outcomes[strategies.Unavailable],
				TimedOut:    w.Outcomes[strategies.TimedOut],
				Errored:     w.Outcomes[strategies.Errored],
				Failure:     w.Failure,
				Wasted:      w.Wasted,
				QueueMax:    w.QueueMax, InServiceMax: w.InServiceMax,
			}
			if !yield(row) {
				return
			}
		}
	}
}

// A CompletionRow is one line of completion.csv: a window in which a task of the herd was served.
type CompletionRow struct {
	T     Seconds `json:"t_s"`          // end of the window
	Share float64 `json:"served_share"` // of the herd, served before T; in (0, 1]
}

var completionColumns = []string{"t_s", "served_share"}

// appendCell appends column i of the row.
func (c *CompletionRow) appendCell(b []byte, i int) []byte {
	if i == 0 {
		return appendSeconds(b, c.T.D)
	}
	return strconv.AppendFloat(b, c.Share, 'f', -1, 64)
}

// completionRows returns the growing share of the herd that has its answer.
func completionRows(r *sim.Result) iter.Seq[CompletionRow] {
	return func(yield func(CompletionRow) bool) {
		for i := 0; i < len(r.Completions); {
			end := (r.Completions[i]/r.Window + 1) * r.Window
			for i < len(r.Completions) && r.Completions[i] < end {
				i++
			}
			if !yield(CompletionRow{seconds(end), float64(i) / float64(r.Herd.Tasks)}) {
				return
			}
		}
	}
}
