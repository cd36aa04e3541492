package figures

import (
	"slices"
	"strings"

	"herdsim/report"
	"herdsim/sim"
)

// drawHeads writes the heads of the number columns, just above the first row.
func (s *strip) drawHeads(p *page) {
	peak, lastHead := "peak load\nvs capacity", "last "+s.v.noun()+"\nserved, "+s.unit().short
	if !s.v.bounded() {
		peak = "peak, requests\nin " + span(s.v.window)
	}
	if !s.v.herd() {
		lastHead = "tasks\nserved"
	}
	for _, h := range []struct {
		text string
		x    float64
	}{{peak, peakRight}, {"requests\nsent", sentRight}, {lastHead, lastRight}} {
		upper, lower, _ := strings.Cut(h.text, "\n")
		p.write(upper, h.x, s.top-29, right, pen{regular, 9, p.pal.soft})
		p.write(lower, h.x, s.top-18, right, pen{regular, 9, p.pal.soft})
	}
}

// unit returns the one of the last column: that of the run, or where it has no time that of the axis.
func (s *strip) unit() unit {
	if !slices.ContainsFunc(s.rows, row.allServed) {
		return s.axis.unit
	}
	return s.v.unit()
}

// drawNumbers writes the three numbers of a row.
func (s *strip) drawNumbers(p *page, r row, y float64) {
	big := pen{regular, 15, p.pal.ink}
	peak := pen{bold, 15, p.pal.ink}
	if s.v.bounded() && report.Alarming(s.v.ratio(r)) {
		peak.color = p.pal.warm
	}
	p.write(s.v.peak(r), peakRight, y+5, right, peak)
	if s.v.hidesAfter(s.rows) {
		p.write(s.v.afterPeak(r), peakRight, y+15.5, right, pen{regular, 8.5, p.pal.soft})
	}
	p.write(short(r.Attempts, 100_000), sentRight, y+5, right, big)

	tally := r.Herd
	if !s.v.herd() {
		tally = r.Open
	}
	switch {
	case r.allServed():
		text := s.unit().count(r.last())
		for big.size > 9 && regular.width(text, big.size) > lastRight-sentRight-4 {
			big.size--
		}
		p.write(text, lastRight, y+5, right, big)
	case tally.Tasks == 0:
		p.write("–", lastRight, y+5, right, big)
	case !s.v.herd() && 100*tally.Succeeded >= 99*tally.Tasks:
		p.write(percent(tally.Succeeded, tally.Tasks), lastRight, y+5, right, pen{regular, 13, p.pal.ink})
	default:
		upper, lower := unserved(tally, s.v.herd(), r.noun())
		p.write(upper, lastRight, y+1, right, pen{bold, 9, p.pal.warm})
		p.write(lower, lastRight, y+11, right, pen{regular, 7.5, p.pal.warm})
	}
}

// unserved says what became of tasks that were not all served, in two short lines.
func unserved(t sim.Tally, herd bool, noun string) (upper, lower string) {
	upper = percent(t.Succeeded, t.Tasks)
	if herd {
		upper += " served"
	}
	if t.Unfinished > 0 && (herd || t.Unfinished >= t.DeadLettered) {
		return upper, short(t.Unfinished, 10_000) + " unfinished"
	}
	if noun == "message" {
		return upper, short(t.DeadLettered, 10_000) + " dead"
	}
	return upper, short(t.DeadLettered, 10_000) + " gave up"
}
