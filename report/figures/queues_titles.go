package figures

import "time"

// queueTitles say what the queue does: that it breaks the downstream, that what waits in it is given up before its turn
// comes, or how long it gets.
func (v *view) queueTitles() []string {
	crashing := v.extremesBy(func(r row) float64 { return float64(len(r.Crashes)) })
	longest := v.extremesBy(func(r row) float64 { return float64(longestQueue(r)) })
	if len(v.rows[crashing.most].Crashes) > 0 {
		return v.crashTitles(crashing)
	}
	a, b := v.rows[longest.most], v.rows[longest.least]
	most, least := longestQueue(a), longestQueue(b)
	work := v.workOf(most)
	switch {
	case most == 0 && v.Slots < 0:
		return v.inServiceTitles()
	case most == 0:
		return []string{"Nothing waits: every request finds a slot, or is turned away", "Nothing waits"}
	case v.Patience > 0 && work > v.Patience && v.Sheds == "":
		queue := "A queue of " + comma(most) + " is " + v.clock.moment(work) + " of work"
		return []string{
			queue + " for callers that wait " + v.clock.moment(v.Patience) + v.unlike(b, most, least),
			queue + " for callers that wait " + v.clock.moment(v.Patience),
		}
	case len(v.rows) == 1:
		return []string{"Up to " + requestsWait(most) + " under " + a.name, "Up to " + requestsWait(most)}
	case most == least:
		return []string{"Up to " + requestsWait(most) + ", whatever the strategy", "Up to " + requestsWait(most)}
	}
	return []string{
		"Up to " + requestsWait(most) + " under " + a.name + ", " + comma(least) + " under " + b.name,
		"Up to " + comma(least) + " to " + requestsWait(most),
	}
}

// inServiceTitles are about a downstream that takes all at once.
func (v *view) inServiceTitles() []string {
	by := v.extremesBy(func(r row) float64 { return float64(mostServed(r)) })
	a, b := v.rows[by.most], v.rows[by.least]
	most, least := mostServed(a), mostServed(b)
	short := "Up to " + counted(most, "request") + " at once"
	switch {
	case len(v.rows) == 1:
		return []string{"Up to " + counted(most, "request") + " in service at once under " + a.name, short}
	case 10*most <= 11*least:
		return []string{"Up to " + counted(most, "request") + " in service at once, whatever the strategy", short}
	}
	return []string{
		"Up to " + counted(most, "request") + " in service at once under " + a.name + ", " + comma(least) + " under " + b.name,
		"Up to " + comma(least) + " to " + counted(most, "request") + " in service at once",
	}
}

// unlike adds what the row with the shortest queue makes of it, if that is much less.
func (v *view) unlike(b row, most, least int64) string {
	if 2*least > most {
		return ""
	}
	return "; under " + b.name + " it is " + v.clock.moment(v.workOf(least))
}

// workOf returns how long so many requests take the downstream at its nominal capacity.
func (v *view) workOf(requests int64) time.Duration {
	if !v.bounded() {
		return 0
	}
	return duration(float64(requests) / v.Capacity * float64(time.Second))
}

func requestsWait(n int64) string {
	return counted(n, "request") + several(n, " waits", " wait")
}

// crashTitles say how often the downstream breaks down.
func (v *view) crashTitles(by extremeRows) []string {
	a, b := v.rows[by.most], v.rows[by.least]
	often := func(r row) string {
		switch n := len(r.Crashes); n {
		case 0:
			return "never"
		case 1:
			return "once"
		default:
			return comma(int64(n)) + " times"
		}
	}
	crashing := 0
	for _, r := range v.rows {
		if len(r.Crashes) > 0 {
			crashing++
		}
	}
	short := "The service crashes " + often(a)
	switch {
	case len(v.rows) == 1:
		return []string{a.name + " crashes the service " + often(a), short}
	case crashing == len(v.rows) && len(a.Crashes) > len(b.Crashes) && 10*len(a.Crashes) <= 11*len(b.Crashes):
		few := comma(int64(len(b.Crashes)))
		return []string{"The service crashes " + few + " to " + often(a) + ", whatever the strategy", short}
	case often(a) == often(b):
		return []string{"The service crashes " + often(a) + ", whatever the strategy", short}
	case crashing == 1:
		return []string{"Only " + a.name + " crashes the service, " + often(a), short + " under " + a.name, short}
	}
	return []string{
		"The service crashes " + often(a) + " under " + a.name + ", " + often(b) + " under " + b.name,
		"The service crashes " + often(a) + " under " + a.name,
		short,
	}
}

// extremeRows are the indices of the rows with the most and the least of something, the first of each.
type extremeRows struct{ most, least int }

func (v *view) extremesBy(value func(row) float64) extremeRows {
	var e extremeRows
	for i, r := range v.rows {
		if value(r) > value(v.rows[e.most]) {
			e.most = i
		}
		if value(r) < value(v.rows[e.least]) {
			e.least = i
		}
	}
	return e
}
