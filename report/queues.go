package report

import (
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"herdsim/broker"
	"herdsim/sim"
)

// A QueueRow is one line of queues.csv: a queue of the broker in a window in which it changed, or in which anything happened
// while messages waited in it. Counts are of the window.
type QueueRow struct {
	T             Seconds `json:"t_s"`      // start of the window
	Window        Seconds `json:"window_s"` // its width
	Ready         int64   `json:"ready"`    // messages that wait at its end
	Unacked       int64   `json:"unacked"`  // in the hands of consumers then
	Oldest        Seconds `json:"oldest_s"` // age of the message at the head then; none without one
	Entered       int64   `json:"entered"`
	Deliveries    int64   `json:"deliveries"`
	Redeliveries  int64   `json:"redeliveries"` // of Deliveries
	Acked         int64   `json:"acked"`
	Expired       int64   `json:"expired"` // dead letters, by their reasons
	Rejected      int64   `json:"rejected"`
	MaxLen        int64   `json:"maxlen"`
	DeliveryLimit int64   `json:"delivery_limit"`
	Dropped       int64   `json:"dropped"` // gone without having been acknowledged
}

var queueColumns = []string{"t_s", "window_s", "ready", "unacked", "oldest_s", "entered", "deliveries", "redeliveries",
	"acked", "expired", "rejected", "maxlen", "delivery_limit", "dropped"}

// levels and counts are the columns of the row around the age of the oldest.
func (q *QueueRow) levels() [2]int64 { return [2]int64{q.Ready, q.Unacked} }

func (q *QueueRow) counts() [9]int64 {
	return [9]int64{q.Entered, q.Deliveries, q.Redeliveries, q.Acked, q.Expired, q.Rejected, q.MaxLen, q.DeliveryLimit, q.Dropped}
}

// appendCell appends column i of the row, null for no age.
func (q *QueueRow) appendCell(b []byte, i int) []byte {
	switch {
	case i == 0:
		return appendSeconds(b, q.T.D)
	case i == 1:
		return appendSeconds(b, q.Window.D)
	case i < 4:
		return strconv.AppendInt(b, q.levels()[i-2], 10)
	case i > 4:
		return strconv.AppendInt(b, q.counts()[i-5], 10)
	case !q.Oldest.OK:
		return append(b, "null"...)
	}
	return appendSeconds(b, q.Oldest.D)
}

// A queueLine is a QueueRow as it stands in queues.csv: with the name of its queue after the times, and no age as an empty
// cell.
type queueLine struct {
	QueueRow
	name string
}

const nameColumn = 2 // of a queueLine

var queueLineColumns = append(append(append([]string{}, queueColumns[:nameColumn]...), "queue"), queueColumns[nameColumn:]...)

func (q *queueLine) appendCell(b []byte, i int) []byte {
	switch {
	case i == nameColumn:
		return append(b, q.name...)
	case i > nameColumn:
		i--
	}
	if i == 4 && !q.Oldest.OK {
		return b
	}
	return q.QueueRow.appendCell(b, i)
}

// HasQueues reports whether there is a broker: whether some run tells of its queues.
func (r *Report) HasQueues() bool {
	for i := range r.Entries {
		for _, run := range r.Entries[i].Runs {
			if run != nil && len(run.Queues) > 0 {
				return true
			}
		}
	}
	return false
}

// WriteQueuesCSV writes queues.csv: for each finished run, window and queue a line, if the queue changed in the window, or
// messages wait in it at the end of one in which anything happened.
func (r *Report) WriteQueuesCSV(w io.Writer) error {
	return writeSeries(w, r, queueLineColumns, queueLines)
}

// queueLines returns the windows of all queues of a run: the windows in their order, the queues of each in that of the
// broker.
func queueLines(r *sim.Result) iter.Seq[queueLine] {
	return func(yield func(queueLine) bool) {
		at := make([]int, len(r.Queues))
		names := make([]string, len(r.Queues))
		for i := range r.Queues {
			names[i] = string(cell(r.Queues[i].Name))
		}
		for {
			window, found := int64(0), false
			for i := range r.Queues {
				if track := r.Queues[i].Track; at[i] < len(track) && (!found || track[at[i]].Window < window) {
					window, found = track[at[i]].Window, true
				}
			}
			if !found {
				return
			}
			for i := range r.Queues {
				q := &r.Queues[i]
				if at[i] == len(q.Track) || q.Track[at[i]].Window != window {
					continue
				}
				if !yield(queueLine{newQueueRow(q, at[i], r.Window), names[i]}) {
					return
				}
				at[i]++
			}
		}
	}
}

// queueRows returns the windows of one queue.
func queueRows(q *sim.QueueResult, window time.Duration) iter.Seq[QueueRow] {
	return func(yield func(QueueRow) bool) {
		for k := range q.Track {
			if !yield(newQueueRow(q, k, window)) {
				return
			}
		}
	}
}

// newQueueRow returns point k of the track of a queue.
func newQueueRow(q *sim.QueueResult, k int, window time.Duration) QueueRow {
	p := &q.Track[k]
	var before broker.Counts
	if k > 0 {
		before = q.Track[k-1].Counts
	}
	died := func(why broker.Reason) int64 { return p.Died[why] - before.Died[why] }
	row := QueueRow{
		T: seconds(time.Duration(p.Window) * window), Window: seconds(window),
		Ready: int64(p.Ready), Unacked: int64(p.Unacked),
		Entered:    p.Entered - before.Entered,
		Deliveries: p.Deliveries - before.Deliveries, Redeliveries: p.Redelivers - before.Redelivers,
		Acked:   p.Acked - before.Acked,
		Expired: died(broker.Expired), Rejected: died(broker.Rejected), MaxLen: died(broker.MaxLen), DeliveryLimit: died(broker.DeliveryLimit),
		Dropped: sum(p.Dropped[:]) - sum(before.Dropped[:]),
	}
	if p.Oldest > 0 {
		row.Oldest = seconds(p.Oldest)
	}
	return row
}

func sum(ns []int64) (total int64) {
	for _, n := range ns {
		total += n
	}
	return total
}

// cell quotes a cell of CSV where it needs it.
func cell(s string) []byte {
	quoted := string(runPrefix(s, 0))
	return []byte(strings.TrimSuffix(quoted, ",0"))
}

// Noun returns what a task of a run is called: a message where there is a broker, else a worker.
func Noun(r *sim.Result) string {
	if len(r.Queues) > 0 {
		return "message"
	}
	return "worker"
}

// brokerTotals is what a run did with all queues of its broker together.
type brokerTotals struct {
	deliveries, redeliveries int64
	dropped                  int64
	dead                     int64 // messages in the queue of dead letters at the end
	lateMean                 Number
	lateMax                  Seconds
}

func totals(r *sim.Result) (t brokerTotals) {
	var late time.Duration
	var left int64
	for i := range r.Queues {
		q := &r.Queues[i]
		t.deliveries += q.Deliveries
		t.redeliveries += q.Redelivers
		t.dropped += sum(q.Dropped[:])
		if q.Dead {
			t.dead += int64(q.Ready)
		}
		if q.Left > 0 {
			t.lateMax = seconds(max(t.lateMax.D, q.LateMax))
		}
		late, left = late+q.Late, left+q.Left
	}
	t.lateMean = per(late.Seconds(), float64(left))
	return t
}

// OldestEver returns how old the message at the head of a queue ever was, as far as its track tells: at the end of a window,
// where the next one begins in which something happens, and at the end of the run.
func OldestEver(q *sim.QueueResult, r *sim.Result) (oldest time.Duration) {
	for k, p := range q.Track {
		if p.Oldest == 0 {
			continue
		}
		end := time.Duration(p.Window+1) * r.Window
		until := r.EndedAt
		if k+1 < len(q.Track) {
			until = time.Duration(q.Track[k+1].Window) * r.Window
		}
		oldest = max(oldest, p.Oldest, p.Oldest+until-end)
	}
	return oldest
}

// alarm returns the end of the first window at whose end more than depth messages are in the queue of dead letters, none
// if there never is one.
func alarm(r *sim.Result, depth int) Seconds {
	for i := range r.Queues {
		if !r.Queues[i].Dead {
			continue
		}
		for _, p := range r.Queues[i].Track {
			if p.Ready > depth {
				return seconds(time.Duration(p.Window+1) * r.Window)
			}
		}
	}
	return Seconds{}
}

// alerts reports whether there is an alert on the queue of dead letters of a run.
func (e *Entry) alerts(r *sim.Result) bool { return e.Alert >= 0 && len(r.Queues) > 0 }
