package report

import (
	"fmt"
	"slices"
	"strings"
)

// heading is the scenario's name and title.
func (r *Report) heading() string {
	if r.Setup.Title == "" {
		return r.Setup.Name
	}
	return r.Setup.Name + ": " + r.Setup.Title
}

// setupLine says who meets what: "1,000 workers, service back at 500 ms, capacity 200/s, queue 200, seed 1".
func (r *Report) setupLine() string {
	s := &r.Setup
	var parts []string
	if s.Workers > 0 {
		parts = append(parts, plural(float64(s.Workers), s.noun()))
	}
	parts = append(parts, s.openTraffic()...)
	if s.Consumers > 0 {
		parts = append(parts, s.consumers())
	}
	if s.Recovery > 0 {
		parts = append(parts, "service back at "+Setting(s.Recovery))
	}
	switch n := s.laterOutages(); {
	case n > 1 && s.Recovery > 0:
		parts = append(parts, Count(int64(n))+" more outages from "+Setting(s.Away)+" on")
	case n > 1:
		parts = append(parts, Count(int64(n))+" outages from "+Setting(s.Away)+" on")
	case s.Away > 0 && s.Recovery > 0:
		parts = append(parts, "away again at "+Setting(s.Away))
	case s.Away > 0:
		parts = append(parts, "service away at "+Setting(s.Away))
	}
	if s.Capacity > 0 {
		parts = append(parts, "capacity "+Short(s.Capacity)+"/s")
	} else {
		parts = append(parts, "no capacity bound")
	}
	switch {
	case s.Queue < 0:
		parts = append(parts, "unlimited queue")
	case s.Queue == 0:
		parts = append(parts, "no queue")
	default:
		parts = append(parts, "queue "+Count(int64(s.Queue)))
	}
	parts = append(parts, s.Spoken...)
	if s.Timeout > 0 {
		parts = append(parts, "timeout "+Setting(s.Timeout))
	}
	if s.RejectCost > 0 {
		parts = append(parts, "a rejection costs "+Setting(s.RejectCost))
	}
	parts = append(parts, fmt.Sprintf("seed %d", s.Seed))
	if s.Replicates > 1 {
		parts = append(parts, fmt.Sprintf("%d replicates", s.Replicates))
	}
	return strings.Join(parts, ", ")
}

// laterOutages returns how many full outages begin after the one that holds at t0, if there is one.
func (s *Setup) laterOutages() (n int) {
	for _, o := range s.FullOutages {
		if s.Away > 0 && o.From >= s.Away {
			n++
		}
	}
	return n
}

// noun is what a task of the herd is called.
func (s *Setup) noun() string {
	if s.Consumers > 0 {
		return "message"
	}
	return "worker"
}

// consumers says who takes messages: "4 consumers with a prefetch of 10".
func (s *Setup) consumers() string {
	text := plural(float64(s.Consumers), "consumer")
	switch {
	case s.Prefetch > 0:
		return text + " with a prefetch of " + Count(int64(s.Prefetch))
	case s.Prefetch == 0:
		return text + " without a prefetch limit"
	}
	return text
}

// peakNote says what the number peak is, and what several replicates become in the columns that are shown.
func (r *Report) peakNote(shown []numberColumn) string {
	window := Setting(r.Setup.Window)
	note := "peak: requests in the busiest " + window
	if limit, ok := r.Setup.PerWindow(); ok {
		note = fmt.Sprintf("peak: busiest %s over capacity (%s in %s)", window, Short(limit), window)
	}
	if slices.ContainsFunc(shown, func(c numberColumn) bool { return c.many }) {
		note += "; " + rangesNote(shown)
	}
	return note
}

// rangesNote says which of the columns have a range beside the median.
func rangesNote(shown []numberColumn) string {
	var bare []string
	for _, c := range shown {
		if !c.ranged {
			bare = append(bare, c.header)
		}
	}
	switch len(bare) {
	case 0:
		return "numbers: median (least–most)"
	case len(shown):
		return "numbers: medians (their ranges need a wider terminal)"
	}
	return "numbers: median (least–most), of " + strings.Join(bare, " and ") + " the median alone"
}

// scaleLine says what the sparklines show, and names each mark that occurs in them.
func (r *Report) scaleLine(t timeScale, rows []row, tall []tallPlot, o *TextOptions) string {
	var parts []string
	if t.per == 1 {
		parts = append(parts, "requests in each "+Setting(t.window))
	} else {
		parts = append(parts, fmt.Sprintf("busiest %s of each %s", Setting(t.window), nearly(t.width())))
	}
	parts = append(parts, "square-root scale")
	if _, bounded := r.Setup.PerWindow(); bounded && o.Color {
		parts = append(parts, "blue fits", "orange overloads")
	}
	failure, more, replicates, first := false, false, false, true
	for i := range rows {
		more = more || rows[i].more
		replicates = replicates || len(rows[i].digest.entry.Runs) > 1
		first = first && rows[i].digest.entry.Runs[0] != nil
		for _, c := range rows[i].columns {
			failure = failure || c.failure > 0 && c.load == 0
		}
	}
	failure = failure || slices.ContainsFunc(tall, tallPlot.showsFailure)
	g := o.glyphs()
	if o.ASCII { // whose signs, unlike blocks, do not show by themselves which is the higher
		parts = append(parts, g.ramp[0]+" nothing", strings.Join(g.ramp[1:], "")+" low to high")
	}
	if failure {
		parts = append(parts, g.failure+" failure itself")
	}
	if more {
		parts = append(parts, g.more+" goes on")
	}
	switch {
	case replicates && first:
		parts = append(parts, "replicate 1")
	case replicates:
		parts = append(parts, "first finished replicate")
	}
	return strings.Join(parts, ", ")
}
