package figures

import (
	"image/color"
	"math"
	"time"

	"herdsim/sim"
	"herdsim/strategies"
)

// A place is where a message may be.
type place int

const (
	inHand  place = iota // of a consumer that has not answered
	ready                // in the work queue
	waiting              // in another queue, for its next attempt
	dead
	places
)

var placeWords = [places]string{"held by consumers", "ready for consumers", "waiting for the next attempt", "dead letters"}

func (p *palette) place(at place) color.RGBA {
	return [places]color.RGBA{p.outcomes[strategies.Served], p.band, p.outcomes[strategies.Errored], p.outcomes[strategies.Rejected]}[at]
}

// A shelf is one row: some queues of a run together.
type shelf struct {
	row    row // whose name and formula are those of the shelf
	queues []*sim.QueueResult
	work   *sim.QueueResult // among them, or nil
	levels []stock          // one a column
}

// A stock is how many messages there are in each place, and how long the oldest of those that are no dead letters has been
// where it is.
type stock struct {
	messages [places]int
	oldest   time.Duration
}

func (s *stock) total() (n int) {
	for _, m := range s.messages {
		n += m
	}
	return n
}

// wholeShelf is all queues of a run.
func wholeShelf(r row) *shelf {
	s := &shelf{row: r, work: &r.Queues[0]}
	for i := range r.Queues {
		s.queues = append(s.queues, &r.Queues[i])
	}
	return s
}

// queueShelves are the queues of a run that ever had a message, each by itself.
func queueShelves(r row) (all []*shelf) {
	for i := range r.Queues {
		q := &r.Queues[i]
		if q.Entered == 0 && i > 0 {
			continue
		}
		s := &shelf{row: r, queues: []*sim.QueueResult{q}}
		s.row.name = clean(q.Name)
		switch {
		case i == 0:
			s.work, s.row.formula = q, "the consumers' queue"
		case q.Dead:
			s.row.formula = "dead letters"
		default:
			s.row.formula = "for the next attempt"
		}
		all = append(all, s)
	}
	return all
}

// fill finds the stock in the columns of an axis: of the windows that share one, the fullest. Between two windows nothing
// happens but that the oldest message grows older, until the run ends; after that what is left stays.
func (s *shelf) fill(a timeAxis, window time.Duration) {
	s.levels = make([]stock, levelColumns)
	at := make([]int, len(s.queues))
	wide := a.at(window) * float64(levelColumns)
	width := float64(a.max) / float64(levelColumns)
	for {
		now, found := s.next(at)
		if !found {
			return
		}
		state, since := s.stock(at, now, window)
		to := float64(levelColumns)
		ended := math.Max(a.at(s.row.EndedAt)*float64(levelColumns), float64(now+1)*wide)
		if next, more := s.next(at); more {
			to = math.Min(float64(next)*wide, to)
		}
		for i := int(float64(now) * wide); i < levelColumns && float64(i) < to; i++ {
			l := state
			if since >= 0 && (to < float64(levelColumns) || float64(i) < ended) {
				l.oldest = max(0, duration(math.Max(float64(i)*width, float64(now)*float64(window)))-since)
			}
			if l.total() >= s.levels[i].total() || float64(i) >= float64(now)*wide {
				s.levels[i] = l
			}
		}
		if float64(now)*wide >= float64(levelColumns) {
			return
		}
	}
}

// next returns the next window of the tracks that have been read up to at.
func (s *shelf) next(at []int) (window int64, found bool) {
	for i, q := range s.queues {
		if at[i] < len(q.Track) && (!found || q.Track[at[i]].Window < window) {
			window, found = q.Track[at[i]].Window, true
		}
	}
	return window, found
}

// stock reads the tracks up to a window, and returns what there is at its end, and since when the oldest message has been
// where it is; -1 for none.
func (s *shelf) stock(at []int, now int64, window time.Duration) (st stock, since time.Duration) {
	since = -1
	for i, q := range s.queues {
		if at[i] < len(q.Track) && q.Track[at[i]].Window == now {
			at[i]++
		}
		if at[i] == 0 {
			continue
		}
		p := &q.Track[at[i]-1]
		where := waiting
		switch {
		case q == s.work:
			where = ready
		case q.Dead:
			where = dead
		}
		if where == ready {
			st.messages[waiting] += p.HeldBack
			st.messages[ready] -= p.HeldBack
		}
		st.messages[where] += p.Ready
		st.messages[inHand] += p.Unacked
		if p.Oldest > 0 && where != dead {
			if t := time.Duration(p.Window+1)*window - p.Oldest; since < 0 || t < since {
				since = t
			}
		}
	}
	return st, since
}
