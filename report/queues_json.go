package report

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"herdsim/broker"
	"herdsim/sim"
)

// A Queue is what happened in one queue of the broker in a run: Entered = Acked + Dead + Dropped + Ready + Unacked.
type Queue struct {
	Name         string      `json:"name"`
	Entered      int64       `json:"entered"`
	Deliveries   int64       `json:"deliveries"`
	Redeliveries int64       `json:"redeliveries"`
	Acked        int64       `json:"acked"`
	Dead         DeadLetters `json:"dead_letters"`
	Dropped      Drops       `json:"dropped"`
	Ready        int64       `json:"ready"` // at the end
	Unacked      int64       `json:"unacked"`
	Most         int64       `json:"waiting_max"`      // messages that waited at any instant
	HOLDelayMean Number      `json:"hol_delay_mean_s"` // how much later than due messages left
	HOLDelayMax  Seconds     `json:"hol_delay_max_s"`
	Track        []QueueRow  `json:"track"`
}

// DeadLetters counts the dead letters of a queue by their reasons.
type DeadLetters struct {
	Rejected      int64 `json:"rejected"`
	Expired       int64 `json:"expired"`
	MaxLen        int64 `json:"maxlen"`
	DeliveryLimit int64 `json:"delivery_limit"`
}

// Drops counts the messages that are gone by why.
type Drops struct {
	NoDeadLetter int64 `json:"no_dead_letter_queue"` // it was a dead letter, and there is no place for them
	Cycle        int64 `json:"cycle"`                // it would have gone round for ever
	NotTaken     int64 `json:"not_taken"`            // there was no room, and its publisher was told
	Lost         int64 `json:"lost"`                 // a dead letter for which there was no room
}

func (d *DeadLetters) counts() []int64 {
	return []int64{d.Rejected, d.Expired, d.MaxLen, d.DeliveryLimit}
}

func (d *Drops) counts() []int64 { return []int64{d.NoDeadLetter, d.Cycle, d.NotTaken, d.Lost} }

// newQueue returns what happened in a queue, without its track.
func newQueue(q *sim.QueueResult) Queue {
	out := Queue{
		Name: q.Name, Entered: q.Entered, Deliveries: q.Deliveries, Redeliveries: q.Redelivers, Acked: q.Acked,
		Dead: DeadLetters{q.Died[broker.Rejected], q.Died[broker.Expired], q.Died[broker.MaxLen], q.Died[broker.DeliveryLimit]},
		Dropped: Drops{
			q.Counts.Dropped[broker.NoDeadLetter], q.Counts.Dropped[broker.Cycle], q.Counts.Dropped[broker.NotTaken],
			q.Counts.Dropped[broker.Lost],
		},
		Ready: int64(q.Ready), Unacked: int64(q.Unacked), Most: int64(q.Most),
		HOLDelayMean: per(q.Late.Seconds(), float64(q.Left)),
	}
	if q.Left > 0 {
		out.HOLDelayMax = seconds(q.LateMax)
	}
	return out
}

// writeQueues writes the queues of a run, each with a line for each window.
func writeQueues(out *bufio.Writer, r *sim.Result) error {
	before := "["
	for i := range r.Queues {
		head, err := marshal(newQueue(&r.Queues[i]), "")
		if err != nil {
			return err
		}
		out.WriteString(before + "\n        ")
		out.WriteString(strings.TrimSuffix(string(head), "null}"))
		if err := writeRows(out, queueColumns, queueRows(&r.Queues[i], r.Window)); err != nil {
			return err
		}
		out.WriteByte('}')
		before = ","
	}
	end := "\n      ]"
	if len(r.Queues) == 0 {
		end = "[]"
	}
	_, err := out.WriteString(end)
	return err
}

// check checks what was read of a queue.
func (q *Queue) check() error {
	if q.Name == "" {
		return errors.New("name is empty")
	}
	parts := append(q.Dead.counts(), q.Dropped.counts()...)
	parts = append(parts, q.Acked, q.Ready, q.Unacked)
	for _, n := range append(parts, q.Entered, q.Deliveries, q.Redeliveries, q.Most) {
		if n < 0 {
			return fmt.Errorf("a count is %d; allowed: at least 0", n)
		}
	}
	if rest, ok := subtract(q.Entered, parts...); !ok || rest != 0 {
		return fmt.Errorf("entered: %d is not the sum of acked, dead_letters, dropped, ready and unacked", q.Entered)
	}
	if q.Redeliveries > q.Deliveries {
		return fmt.Errorf("redeliveries: %d; allowed: at most the deliveries, %d", q.Redeliveries, q.Deliveries)
	}
	for i := range q.Track {
		p := &q.Track[i]
		counts := p.counts()
		for _, n := range append(counts[:], p.Ready, p.Unacked) {
			if n < 0 {
				return fmt.Errorf("track[%d]: a count is %d; allowed: at least 0", i, n)
			}
		}
		if !p.T.OK || !p.Window.OK || i > 0 && p.T.D <= q.Track[i-1].T.D {
			return fmt.Errorf("track[%d].t_s: %s; allowed: later than the one before", i, p.T)
		}
	}
	return nil
}
