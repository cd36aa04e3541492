package figures

import (
	"herdsim/report"
	"strings"
)

// drawHeads writes the heads of the number columns, just above the first row.
func (f *flow) drawHeads(p *page) {
	p.writeHeads(f.top, "back for\ngood, "+f.axis.unit.short, "attempts per\ntask, at end", "goodput,\nat end")
}

// writeHeads writes the heads of three number columns, each of two lines, above the first row.
func (p *page) writeHeads(top float64, heads ...string) {
	for i, x := range []float64{peakRight, sentRight, lastRight} {
		upper, lower, _ := strings.Cut(heads[i], "\n")
		p.write(upper, x, top-29, right, pen{regular, 9, p.pal.soft})
		p.write(lower, x, top-18, right, pen{regular, 9, p.pal.soft})
	}
}

// drawVerdict writes when a row recovered, or that it did not, and how it stands in the end.
func (f *flow) drawVerdict(p *page, v *report.Verdict, y float64) {
	big := pen{regular, 15, p.pal.ink}
	word := pen{bold, 10, p.pal.ink}
	bad := pen{bold, 10, p.pal.warm}
	switch v.State {
	case report.Recovered:
		p.write(f.axis.unit.count(v.At), peakRight, y+5, right, pen{bold, 15, p.pal.ink})
		if v.Relapses > 0 {
			relapses := comma(int64(v.Relapses)) + several(int64(v.Relapses), " relapse", " relapses")
			p.write(relapses, peakRight, y+15.5, right, pen{regular, 7.5, p.pal.soft})
		}
	case report.NeverDown:
		p.write("never down", peakRight, y+4, right, word)
	case report.Stuck, report.Overloaded:
		p.write(v.State.String(), peakRight, y+4, right, bad)
	case report.Steady:
		p.write("steady", peakRight, y+4, right, word)
	case report.Unfinished:
		p.write("unfinished", peakRight, y+4, right, bad)
	case report.Undecided:
		p.write("still down", peakRight, y+4, right, bad)
	default:
		p.write("–", peakRight, y+5, right, big)
	}
	attempts, share := "–", "–"
	if n := v.End.AttemptsPerTask(); n.OK {
		attempts = plain(n.Value)
	}
	if n := v.End.GoodputShare(); n.OK {
		share = percentOf(min(n.Value, 1))
	}
	down := big
	if !v.End.Good && v.State != report.NotApplicable {
		down = pen{bold, 15, p.pal.warm}
	}
	p.write(attempts, sentRight, y+5, right, big)
	p.write(share, lastRight, y+5, right, down)
}
