package figures

import (
	"slices"
	"strings"
	"time"

	"herdsim/report"
)

// rankingTitles name who is best at what. The paced reference, which no real client can follow, competes only if it
// must, and a strategy that leaves tasks unserved only if all do: it is easy to ask little for nobody.
func (v *view) rankingTitles() []string {
	rows := v.contenders()
	if len(rows) < 2 {
		return v.singleTitles(rows[0])
	}
	aside := ""
	if len(rows) < len(v.rows) {
		aside = "paced aside"
	}
	serving := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return !r.serves() })
	switch n := len(serving); {
	case n == 1:
		only := "Only " + serving[0].name + " serves " + rows[0].everyone()
		return enclosed([]string{only + "; it peaks at " + v.peakOf(serving[0]), only, "Only one strategy serves " + rows[0].everyone()}, aside)
	case n > 1 && n < len(rows):
		rows = serving
		if aside != "" {
			aside = "of real ones that serve all"
		} else {
			aside = "of those that serve all"
		}
	}
	peaks := winners(rows, func(r row) (string, float64) { return v.peak(r), float64(r.PeakWindow) })
	loads := winners(rows, func(r row) (string, float64) { return plain(r.perTask()), r.perTask() })
	titles := v.prize(len(rows), labels(peaks), labels(loads), labels(fastest(rows)))
	if aside == "" {
		return titles
	}
	var either []string // rankingNote says what does not fit
	for i := range titles {
		either = append(either, enclosed([]string{titles[i]}, aside)[0], titles[i])
	}
	return either
}

// rankingNote says how the rows are sorted, and what the title is about if it does not say so itself.
func (v *view) rankingNote(title string) string {
	s := "Sorted by peak load."
	rows := v.contenders()
	serving := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return !r.serves() })
	switch some := len(serving) > 1 && len(serving) < len(rows); {
	case strings.HasSuffix(title, "aside)"), strings.HasSuffix(title, "serve all)"):
	case some && len(rows) < len(v.rows):
		s += " The title is about real strategies that serve " + rows[0].everyone() + "."
	case some:
		s += " The title is about those that serve " + rows[0].everyone() + "."
	case len(rows) < len(v.rows):
		s += " The title leaves paced aside."
	}
	return s
}

// enclosed adds a remark to titles, if there is one.
func enclosed(titles []string, remark string) []string {
	for i := range titles {
		if remark != "" {
			titles[i] += " (" + remark + ")"
		}
	}
	return titles
}

// contenders are the rows that the ranking compares in its title.
func (v *view) contenders() []row {
	var rows []row
	for _, r := range v.rows {
		if r.key != "paced" {
			rows = append(rows, r)
		}
	}
	if len(rows) < 2 {
		return v.rows
	}
	return rows
}

// serves reports whether all of r's herd were served, and of its open traffic, some of which is always under way at the
// end, 99 %.
func (r row) serves() bool {
	return r.Herd.Succeeded == r.Herd.Tasks && 100*r.Open.Succeeded >= 99*r.Open.Tasks
}

// servedShare is that of herd and open traffic together.
func (r row) servedShare() string {
	return percent(r.Herd.Succeeded+r.Open.Succeeded, r.Herd.Tasks+r.Open.Tasks)
}

// fastest returns the rows whose herds are served first.
func fastest(rows []row) []row {
	least := time.Duration(-1)
	for _, r := range rows {
		if r.allServed() && (least < 0 || r.last() < least) {
			least = r.last()
		}
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return !r.allServed() || !report.SameTime(r.last(), least) })
}

// labels names rows: with the share that they serve if that is not all, said once if it is the same of two.
func labels(rows []row) []string {
	var names []string
	for i, r := range rows {
		name := r.name
		if again := i+1 < len(rows) && rows[i+1].servedShare() == r.servedShare(); !r.serves() && !(again && len(rows) == 2) {
			name += " (" + r.servedShare() + " served)"
		}
		names = append(names, name)
	}
	return names
}

// perTask returns the requests sent for each task, herd and open traffic together.
func (r row) perTask() float64 {
	tasks := r.Herd.Tasks + r.Open.Tasks
	if tasks == 0 {
		return 0
	}
	return float64(r.Attempts) / float64(tasks)
}

// winners returns the rows with the least value, as it reads: what looks equal is equal.
func winners(rows []row, value func(row) (text string, x float64)) []row {
	least, text := -1.0, ""
	for _, r := range rows {
		if t, x := value(r); least < 0 || x < least {
			least, text = x, t
		}
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r row) bool { t, _ := value(r); return t != text })
}

// prize words who wins what among n.
func (v *view) prize(n int, peaks, loads, speeds []string) []string {
	if len(peaks) == n && len(loads) == n && (len(speeds) == n || !v.herd()) {
		return []string{"The strategies differ in nothing that is ranked here"}
	}
	sole := func(names []string) string {
		if len(names) == 1 {
			return names[0]
		}
		return ""
	}
	p, l, s := sole(peaks), sole(loads), sole(speeds)
	switch {
	case p != "" && p == l && p == s:
		return []string{p + " has the lowest peak, sends least and is done first", "One strategy has the lowest peak, sends least and is done first", "One strategy is best in all"}
	case p != "" && p == l && s != "":
		return []string{p + " peaks lowest and sends least; " + s + " is done first", "Who peaks lowest is not who is done first"}
	case p != "" && p == l && len(speeds) == 0:
		return []string{p + " peaks lowest and sends least", "One strategy peaks lowest and sends least"}
	case p != "" && p == s && l != "":
		return []string{p + " peaks lowest and is done first; " + l + " sends least", "Who peaks lowest is not who sends least"}
	case p != "" && l != "" && l == s:
		return []string{p + " peaks lowest; " + l + " sends least and is done first", "Who peaks lowest is not who is done first"}
	}
	type claim struct{ what, who string }
	var long, brief []claim // with the ties of two, and without
	add := func(cs []claim, what, who string) []claim {
		if i := slices.IndexFunc(cs, func(c claim) bool { return c.who == who }); i >= 0 {
			cs[i].what += " and " + what
			return cs
		}
		return append(cs, claim{what, who})
	}
	for _, c := range []struct {
		what  string
		names []string
	}{{"lowest peak", peaks}, {"fewest requests", loads}, {"done first", speeds}} {
		if who := listed(c.names); who != "" && len(c.names) < n {
			long = add(long, c.what, who)
			if len(c.names) == 1 {
				brief = add(brief, c.what, who)
			}
		}
	}
	said := func(cs []claim) (out []string) {
		for _, c := range cs {
			out = append(out, c.what+": "+c.who)
		}
		return out
	}
	return append(sentences(said(long), said(brief)), comparison(len(speeds) > 0))
}

// sentences joins each list that is not empty.
func sentences(lists ...[]string) []string {
	var ss []string
	for _, l := range lists {
		if s := strings.Join(l, "; "); s != "" {
			ss = append(ss, strings.ToUpper(s[:1])+s[1:])
		}
	}
	return ss
}

// comparison is a title that claims nothing.
func comparison(timed bool) string {
	if timed {
		return "Peak, requests and time compared"
	}
	return "Peak and requests compared"
}

// rasterTitles tell the first and the last panel apart: by the windows into which all requests fall, if those of the
// first are few, else by how often a worker calls, else by when the last one is served. Beside open traffic, which fills
// every window, only the workers shown count.
func (v *view) rasterTitles(rows []row) []string {
	if len(rows) == 1 {
		return v.windowTitles(rows)
	}
	a, b := rows[0], rows[len(rows)-1]
	na, nb := v.busyWindows(a), v.busyWindows(b)
	if few(na, nb) || few(nb, na) {
		return v.windowTitles(rows)
	}
	if ca, cb := v.callsEach(a), v.callsEach(b); differ(ca, cb) {
		one := map[string]string{"worker": "A worker calls ", "message": "A message is tried "}[a.noun()]
		return []string{
			one + often(ca) + " with " + a.name + ", " + often(cb) + " with " + b.name,
			one + often(ca) + " on the left, " + often(cb) + " on the right",
		}
	}
	if a.allServed() && b.allServed() && apartBy(a.last(), b.last()) {
		return []string{
			a.name + " serves its last " + a.noun() + " at " + v.clock.moment(a.last()) + ", " + b.name + " at " + v.clock.moment(b.last()),
			"The last " + a.noun() + " is served at " + v.clock.moment(a.last()) + " on the left, at " + v.clock.moment(b.last()) + " on the right",
		}
	}
	return v.windowTitles(rows)
}

// few reports whether the windows of a spike are few beside those of a spread.
func few(spike, spread int64) bool { return spike <= 20 && 2*spike <= spread }

// differ reports whether two means read and are different.
func differ(a, b float64) bool { return often(a) != often(b) && max(a, b) > 1.1*min(a, b) }

// callsEach returns how often a worker calls, in the mean: any, or beside open traffic one of those shown.
func (v *view) callsEach(r row) float64 {
	if !v.HasOpen() {
		return r.perTask()
	}
	ws := follow(r)
	n := 0
	for _, w := range ws {
		n += len(w.attempts)
	}
	return float64(n) / float64(max(1, len(ws)))
}

// often writes a mean of calls: "once", "8.1 times".
func often(n float64) string {
	if s := plain(n); s != "1.0" {
		return strings.TrimSuffix(s, ".0") + " times"
	}
	return "once"
}

// busyWindows returns in how many windows there is a request: of all, or beside open traffic of the workers shown.
func (v *view) busyWindows(r row) int64 {
	if v.HasOpen() {
		return v.busySample(r)
	}
	return busy(r)
}

// windowTitles say into how many windows the requests of the first and the last panel fall.
func (v *view) windowTitles(rows []row) []string {
	a, b := rows[0], rows[len(rows)-1]
	who, in := "All requests", " fall into "
	if v.HasOpen() {
		who = "All requests of the " + a.noun() + "s shown"
	}
	na, nb := counted(v.busyWindows(a), "window"), comma(v.busyWindows(b))
	wide := " of " + v.clock.span(v.window)
	call := map[string]string{"worker": "workers shown call ", "message": "messages shown are tried "}[a.noun()]
	switch {
	case len(rows) == 1 && v.HasOpen():
		return []string{who + in + na + wide}
	case len(rows) == 1:
		return []string{who + " of " + a.name + in + na + wide, who + in + na + wide}
	case v.busyWindows(a) == v.busyWindows(b) && v.HasOpen():
		return []string{"On either side the " + call + "in " + na + wide}
	case v.busyWindows(a) == v.busyWindows(b):
		return []string{"On either side all requests" + in + na + wide}
	case v.HasOpen():
		return []string{"The " + call + "in " + na + wide + " with " + a.name + ", in " + nb + " with " + b.name,
			"The " + call + "in " + na + wide + " on the left, in " + nb + " on the right"}
	}
	return []string{
		who + " of " + a.name + in + na + wide + ", of " + b.name + " into " + nb,
		"On the left all requests" + in + na + wide + ", on the right into " + nb,
	}
}

// busy returns in how many windows a request reached the downstream.
func busy(r row) int64 {
	var n int64
	for _, w := range r.Windows {
		if w.Requests > 0 {
			n++
		}
	}
	return n
}

// busySample is busy for the recorded workers alone.
func (v *view) busySample(r row) int64 {
	windows := map[time.Duration]bool{}
	for _, w := range follow(r) {
		for _, a := range w.attempts {
			windows[a.reached()/v.window] = true
		}
	}
	return int64(len(windows))
}
