package figures

import "time"

// fewBursts is how many windows in which messages leave a queue are bursts.
const fewBursts = 20

// A release is how messages leave the queues in which a strategy lets them wait.
type release struct {
	messages int64
	windows  int64 // in which some leave
	late     time.Duration
	queue    string // if there is but one
}

// releases counts how the messages of r leave the queues between the work queue and the dead letters.
func releases(r row) (all release) {
	windows := map[int64]bool{}
	used := 0
	for i := range r.Queues {
		q := &r.Queues[i]
		if i == 0 || q.Dead || q.Entered == 0 {
			continue
		}
		used++
		all.queue, all.late = clean(q.Name), max(all.late, q.LateMax)
		var held, entered int64
		for _, p := range q.Track {
			if left := held + p.Entered - entered - int64(p.Ready); left > 0 {
				all.messages += left
				windows[p.Window] = true
			}
			held, entered = int64(p.Ready), p.Entered
		}
	}
	if used != 1 {
		all.queue = ""
	}
	all.windows = int64(len(windows))
	return all
}

// leftWaiting returns how many messages are in a queue but that of dead letters at the end, or in the hands of consumers.
func leftWaiting(r row) (n int64) {
	for i := range r.Queues {
		if q := &r.Queues[i]; !q.Dead {
			n += int64(q.Ready + q.Unacked)
		}
	}
	return n
}

// settled returns when the messages of r last changed their places: its end, if they are not all done or dead letters by
// then.
func (v *view) settled(r row) (last time.Duration) {
	if leftWaiting(r) > 0 {
		return v.end(r)
	}
	for i := range r.Queues {
		var held [3]int
		for _, p := range r.Queues[i].Track {
			if now := [...]int{p.Ready, p.Unacked, p.HeldBack}; now != held {
				last = max(last, duration(float64(p.Window+1)*float64(v.window)))
				held = now
			}
		}
	}
	return last
}

// deadLetters returns how many there are at the end.
func deadLetters(r row) (n int64) {
	for i := range r.Queues {
		if q := &r.Queues[i]; q.Dead {
			n += int64(q.Ready)
		}
	}
	return n
}

// mostMessages returns the most that were in the queues of r at the end of a window, dead letters too.
func mostMessages(r row) (most int64) {
	s := wholeShelf(r)
	at := make([]int, len(s.queues))
	for {
		now, found := s.next(at)
		if !found {
			return most
		}
		st, _ := s.stock(at, now, r.Window)
		most = max(most, int64(st.total()))
	}
}

// brokerTitles say what the queues do to the messages: that they starve, that those which wait behind others leave in bursts,
// how many become dead letters, are dropped or are there at the end, or how many there are.
func (v *view) brokerTitles() []string {
	w := *v
	w.rows = v.brokered()
	extremes := func(number func(row) int64) (a, b row) {
		by := w.extremesBy(func(r row) float64 { return float64(number(r)) })
		return w.rows[by.most], w.rows[by.least]
	}
	starved := func(r row) int64 { return r.Starved }
	if a, b := extremes(starved); a.Starved > 0 {
		if a.Herd.Succeeded == 0 && a.Open.Succeeded == 0 {
			s := counted(a.Starved, "message") + several(a.Starved, " starves", " starve")
			return []string{s + " under " + a.name + ", where none is served", s + " under " + a.name, s + ", and none is served"}
		}
		return w.compared(a, b, starved, func(n int64) string {
			return counted(n, "message") + several(n, " is", " are") + " never begun with"
		})
	}
	if a, _ := extremes(func(r row) int64 { return int64(releases(r).late) }); releases(a).late > 10*v.window {
		return w.burstTitles(a)
	}
	lost := func(r row) int64 { return dropped(wholeShelf(r).queues) }
	if a, _ := extremes(deadLetters); deadLetters(a) > 0 {
		_, b := extremes(func(r row) int64 { return deadLetters(r) + lost(r) }) // not one that has dropped its dead letters
		return w.compared(a, b, deadLetters, func(n int64) string {
			return counted(n, "message") + several(n, " becomes a dead letter", " become dead letters")
		})
	}
	if a, b := extremes(lost); lost(a) > 0 {
		return w.compared(a, b, lost, func(n int64) string {
			return counted(n, "message") + several(n, " is", " are") + " dropped"
		})
	}
	if a, b := extremes(leftWaiting); leftWaiting(a) > 0 {
		return w.compared(a, b, leftWaiting, func(n int64) string {
			return counted(n, "message") + several(n, " is", " are") + " not done at the end"
		})
	}
	a, b := extremes(mostMessages)
	return w.compared(a, b, mostMessages, func(n int64) string {
		return "Up to " + counted(n, "message") + several(n, " is", " are") + " in the queues"
	})
}

// compared says a number of one row, and of the other if that differs.
func (v *view) compared(a, b row, number func(row) int64, say func(int64) string) []string {
	short := say(number(a))
	switch {
	case len(v.rows) == 1:
		return []string{short + " under " + a.name, short}
	case number(a) == number(b):
		return []string{short + ", whatever the strategy", short}
	case number(b) == 0:
		return []string{short + " under " + a.name + ", none under " + b.name, short + " under " + a.name, short}
	}
	return []string{short + " under " + a.name + ", " + comma(number(b)) + " under " + b.name, short + " under " + a.name, short}
}

// burstTitles are about a strategy whose messages wait behind others.
func (v *view) burstTitles(a row) []string {
	ra := releases(a)
	from := ""
	if ra.queue != "" {
		from = " " + ra.queue
	}
	if ra.windows > fewBursts || 5*ra.windows > ra.messages {
		return []string{
			"Messages wait behind others under " + a.name + ", and are up to " + v.clock.moment(ra.late) + " late",
			"Messages wait behind others, and are up to " + v.clock.moment(ra.late) + " late",
		}
	}
	brief := counted(ra.messages, "message") + " leave"
	bursts := brief + from
	if ra.messages > a.Herd.Tasks+a.Open.Tasks { // some more than once
		brief = counted(ra.messages, "wait") + " end"
		bursts = brief
	}
	brief, bursts = brief+" in "+counted(ra.windows, "burst"), bursts+" in "+counted(ra.windows, "burst")
	for _, r := range v.rows { // the one that spreads them most
		if rb := releases(r); rb.windows > 2*ra.windows && rb.late <= v.window {
			return []string{
				bursts + " under " + a.name + ", in " + counted(rb.windows, "window") + " under " + r.name,
				brief + " under " + a.name + ", in " + counted(rb.windows, "window") + " under " + r.name,
				bursts + " under " + a.name,
				bursts,
			}
		}
	}
	return []string{
		bursts + " under " + a.name + ", up to " + v.clock.moment(ra.late) + " late",
		bursts + ", up to " + v.clock.moment(ra.late) + " late",
		bursts,
	}
}
