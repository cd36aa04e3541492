package figures

import (
	"strconv"
	"strings"
	"time"

	"herdsim/report"
	"herdsim/sim"
)

// subtitle says the set-up, and then what the figure adds.
func (v *view) subtitle(extra string) string {
	parts := []string{v.workload(), v.consumers(), v.service()}
	if extra != "" {
		parts = append(parts, extra)
	}
	return strings.Join(filled(parts), " ")
}

// filled returns ss without the empty ones.
func filled(ss []string) []string {
	var full []string
	for _, s := range ss {
		if s != "" {
			full = append(full, s)
		}
	}
	return full
}

// workload says who calls.
func (v *view) workload() string {
	open := v.openTraffic()
	n := int64(v.Workers)
	switch {
	case n <= 0 && open == "":
		return ""
	case n <= 0:
		return "Open traffic: " + open + "."
	}
	s := v.countWorkers() + " " + v.firstCalls(n)
	if open != "" {
		s += ", beside " + open
	}
	return s + "."
}

// consumers says who takes the messages of a broker.
func (v *view) consumers() string {
	n := int64(v.Consumers)
	switch {
	case n <= 0:
		return ""
	case v.Prefetch == 1:
		return counted(n, "consumer") + several(n, " takes", " take") + " one message at a time."
	case v.Prefetch > 0:
		return counted(n, "consumer") + several(n, " holds", " hold") + " up to " + comma(int64(v.Prefetch)) + several(n, ".", " each.")
	}
	return counted(n, "consumer") + "."
}

// openTraffic says who calls besides the herd.
func (v *view) openTraffic() string {
	noun := "tasks"
	if v.Workers > 0 {
		noun = "open tasks"
	}
	var parts []string
	if a := v.Arrivals; a != nil {
		arrivals := v.Setup
		arrivals.Clients, arrivals.Cron = nil, nil
		s := perSecond(arrivals.MeanRate(), noun)
		if len(a.Phases) != 1 || a.Phases[0].Shape != sim.Constant {
			s += " on average"
		}
		parts = append(parts, s)
	}
	if c := v.Clients; c != nil {
		parts = append(parts, counted(int64(c.Count), "client")+" that "+several(int64(c.Count), "waits for its answer", "wait for their answers"))
	}
	if c := v.Cron; c != nil {
		parts = append(parts, counted(int64(c.Count), "cron task")+" each "+v.clock.moment(c.Every))
	}
	if len(parts) == 0 && v.OpenRate > 0 {
		parts = append(parts, perSecond(v.OpenRate, noun))
	}
	return strings.Join(parts, " and ")
}

// countWorkers writes the size of the herd, which entries may choose for themselves.
func (v *view) countWorkers() string {
	s := counted(int64(v.Workers), v.noun())
	for _, r := range v.rows {
		if r.Herd.Tasks != int64(v.Workers) {
			return "Up to " + s
		}
	}
	return s
}

// noun is what a task of the herd is called: a message where there is a broker, else a worker.
func (v *view) noun() string {
	if len(v.rows) > 0 {
		return v.rows[0].noun()
	}
	return "worker"
}

func (r row) noun() string { return report.Noun(r.Result) }

// everyone names all of the herd.
func (r row) everyone() string {
	if r.noun() == "message" {
		return "every message"
	}
	return "everyone"
}

// nobody names none of it.
func (r row) nobody() string {
	if r.noun() == "message" {
		return "no message"
	}
	return "nobody"
}

// firstCalls says what the herd does at first. That it fails or calls together is only said when the first window of
// every strategy shows it.
func (v *view) firstCalls(n int64) string {
	failed, called := len(v.rows) > 0, len(v.rows) > 0
	one, many := "calls", "call"
	if v.noun() == "message" {
		one, many = "is delivered", "are delivered"
	}
	for _, r := range v.rows {
		if len(r.Windows) == 0 || r.Windows[0].Index != 0 {
			return several(n, one, many) + " from t = 0 on"
		}
		failed = failed && r.Windows[0].Failure >= r.Herd.Tasks
		called = called && r.Windows[0].Requests >= r.Herd.Tasks && r.Herd.Tasks > 0
	}
	switch {
	case failed && n == 1:
		return "fails at t = 0"
	case failed:
		return "fail together at t = 0"
	case called && n == 1:
		return one + " at t = 0"
	case called && !v.HasOpen():
		return many + " together at t = 0"
	}
	return several(n, one, many) + " from t = 0 on"
}

// several picks the form of a verb.
func several(n int64, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// service says what the downstream can do, from when, and when it fails once more.
func (v *view) service() string {
	var does []string
	if v.Recovery > 0 {
		does = append(does, "is back at "+v.clock.moment(v.Recovery))
	}
	if v.bounded() {
		does = append(does, "can serve "+perSecond(v.Capacity, "requests"))
	}
	switch {
	case v.Away > 0 && v.Recovery > 0:
		does = append(does, "fails again at "+v.clock.moment(v.Away))
	case v.Away > 0:
		does = append(does, "fails at "+v.clock.moment(v.Away))
	}
	s := ""
	if n := len(does) - 1; n >= 0 {
		s = "The service " + strings.Join(filled([]string{strings.Join(does[:n], ", "), does[n]}), " and ") + "."
	}
	return strings.Join(filled([]string{s, v.prices()}), " ")
}

// prices says what makes an attempt cost more than its place: a deadline, and rejections that take time.
func (v *view) prices() string {
	var parts []string
	if v.Timeout > 0 {
		parts = append(parts, "timeout "+span(v.Timeout))
	}
	if v.RejectCost > 0 {
		parts = append(parts, "a rejection costs "+span(v.RejectCost))
	}
	if len(parts) == 0 {
		return ""
	}
	s := strings.Join(parts, ", ") + "."
	return strings.ToUpper(s[:1]) + s[1:]
}

// perWindow says what the bars count: every window, or the busiest of so many that share the place of a bar.
func (v *view) perWindow(shared int64, root bool) string {
	s := "Requests in each " + v.clock.span(v.window)
	if shared > 1 {
		s = "Busiest " + v.clock.span(v.window) + " of each " + v.clock.span(v.window*time.Duration(shared))
	}
	if root {
		s += ", square-root scale"
	}
	return s + "."
}

// capacityKey names the capacity line.
func (v *view) capacityKey() string {
	noun := " requests"
	if v.perBar == 1 {
		noun = " request"
	}
	return "capacity: " + digits(v.perBar) + noun + " per " + v.clock.span(v.window)
}

// description is for those who cannot see the picture: what it is of, and the numbers of its rows.
func (v *view) description(figure string) string {
	var b strings.Builder
	b.WriteString(figure + " of scenario " + clean(v.Name) + ", seed " + strconv.FormatUint(v.Seed, 10) + ". " + v.subtitle(""))
	for i, r := range v.rows {
		if i == mostRows {
			break
		}
		b.WriteString(" " + r.name + ": peak " + v.peak(r))
		if v.bounded() {
			b.WriteString(" capacity")
		} else {
			b.WriteString(" requests per " + v.clock.span(v.window))
		}
		b.WriteString(", " + counted(r.Attempts, "request"))
		if r.Herd.Tasks > 0 {
			b.WriteString(", " + percent(r.Herd.Succeeded, r.Herd.Tasks) + " served")
		}
		if r.allServed() {
			b.WriteString(" after " + v.clock.moment(r.last()))
		}
		b.WriteString(".")
	}
	return b.String()
}
