package report

import (
	"fmt"
	"math"
	"strconv"
)

// Finding returns one sentence that says what the runs show, whatever they show: which strategies bring the service back
// by themselves, if not all or none do; else how the strategies at the two ends differ in their busiest window and in serving
// everyone.
func (r *Report) Finding() string { return r.finding(r.digests()) }

func (r *Report) finding(ds []digest) string {
	switch len(ds) {
	case 0:
		return "No run was finished, so there is nothing to compare."
	case 1:
		return r.findingOfOne(&ds[0])
	}
	if s := r.comesBack(); s != "" {
		return s
	}
	worse, better := r.pair(ds)
	return r.findingOfTwo(worse, better, commonUnit(ds))
}

func (r *Report) findingOfOne(d *digest) string {
	s, join := d.entry.Name+" asks nothing beyond the failure itself", " and "
	switch {
	case d.silent():
		s, join = "No request of "+d.entry.Name+" reached the service", "; it "
	case d.peak.median > 0:
		s = fmt.Sprintf("%s peaks at %s in %s%s", d.entry.Name, plural(d.peak.median, "request"),
			Setting(r.Setup.Window), r.capacityNote())
	}
	switch {
	case d.hasHerd() && d.finishes():
		s += fmt.Sprintf("%sserves %s in %s", join, everyone(d), commonUnit([]digest{*d})(d.completion.median))
	case d.hasHerd():
		s += join + leaves(d)
	case !math.IsNaN(d.openServed.median):
		s += fmt.Sprintf("%sserves %s of the %ss", join, Percent(d.openServed.median), d.open)
	}
	return s + medians(d, d) + "."
}

// findingOfTwo writes times as the column of numbers does.
func (r *Report) findingOfTwo(worse, better *digest, time func(ns float64) string) string {
	a, b := worse.entry.Name, better.entry.Name
	var s, subject string
	switch {
	case worse.silent() && better.silent():
		s, subject = fmt.Sprintf("No request of %s or %s reached the service", a, b), b+" "
	case worse.peak.median == 0:
		s, subject = fmt.Sprintf("Neither %s nor %s asks anything beyond the failure itself", a, b), b+" "
	case worse.peak.median <= clearly*better.peak.median:
		s, subject = r.alike(worse, better), b+" "
	default:
		s = fmt.Sprintf("%s cuts the busiest %s of %s from %s to %s%s", b, Setting(r.Setup.Window), a,
			count(worse.peak.median), plural(better.peak.median, "request"), r.capacityNote())
	}
	switch {
	case worse.hasHerd() && better.hasHerd():
		s += compareCompletion(worse, better, subject, time)
	case !worse.hasHerd() && !better.hasHerd():
		s += compareOpen(worse, better, subject)
	}
	return s + medians(worse, better) + "."
}

// alike says that two peak alike, or nearly, and what that hides.
func (r *Report) alike(worse, better *digest) string {
	a, b := worse.entry.Name, better.entry.Name
	s := fmt.Sprintf("%s and %s peak alike, at %s in %s", a, b, plural(worse.peak.median, "request"), Setting(r.Setup.Window))
	if worse.peak.median != better.peak.median {
		s = fmt.Sprintf("%s and %s peak nearly alike, at %s and %s in %s", a, b, count(worse.peak.median),
			plural(better.peak.median, "request"), Setting(r.Setup.Window))
	}
	s += r.capacityNote()
	if w, l := worse.after(&r.Setup), better.after(&r.Setup); max(w, l) > clearly*min(w, l) {
		s += fmt.Sprintf("; once the service is back, %s peaks at %s, %s at %s", b, count(l), a, count(w))
	}
	return s
}

// compareCompletion continues the sentence with who is served, and when. subject names the better one if the sentence
// so far was not about it alone.
func compareCompletion(worse, better *digest, subject string, time func(ns float64) string) string {
	join, but := " and ", " but "
	if subject != "" {
		join, but = "; "+subject, "; "+subject
	}
	switch w, b := worse.completion.median, better.completion.median; {
	case worse.finishes() && better.finishes():
		switch who := everyone(better); {
		case b < w:
			return fmt.Sprintf("%sserves %s %s sooner", join, who, time(w-b))
		case b > w:
			return fmt.Sprintf("%sserves %s %s later", but, who, time(b-w))
		case subject != "":
			return fmt.Sprintf("; both serve %s in %s", who, time(b))
		default:
			return fmt.Sprintf(" and serves %s at the same time", who)
		}
	case better.finishes():
		return fmt.Sprintf("%sserves %s, which %s does not", join, everyone(better), worse.entry.Name)
	case worse.finishes():
		return fmt.Sprintf("%s%s, where %s serves %s", but, leaves(better), worse.entry.Name, everyone(worse))
	}
	return neither(worse, better, subject)
}

// neither says what shares two serve of their herds if none serves all.
func neither(worse, better *digest, subject string) string {
	share := func(d *digest) string { return Percent(1 - d.left.median/float64(d.tasks())) }
	w, b := share(worse), share(better)
	switch {
	case better.tasks() == 1 && worse.tasks() == 1:
		return "; neither serves the " + Noun(better.shown())
	case w == "0%" && b == "0%" && Noun(better.shown()) == "worker":
		return "; neither serves anyone"
	case w == "0%" && b == "0%":
		return "; neither serves any message"
	case w == b:
		return "; both serve " + b + " of the " + Noun(better.shown()) + "s"
	}
	if subject == "" {
		subject = "it "
	}
	return fmt.Sprintf("; %sserves %s of the %ss, %s %s", subject, b, Noun(better.shown()), worse.entry.Name, w)
}

// compareOpen continues the sentence with the share of the open traffic that was served.
func compareOpen(worse, better *digest, subject string) string {
	w, b := worse.openServed.median, better.openServed.median
	switch {
	case math.IsNaN(w) || math.IsNaN(b):
		return ""
	case Percent(w) == Percent(b):
		return fmt.Sprintf("; both serve %s of the %ss", Percent(b), better.open)
	case subject != "":
		return fmt.Sprintf("; %sserves %s of the %ss, %s %s", subject, Percent(b), better.open, worse.entry.Name, Percent(w))
	}
	return fmt.Sprintf("; it serves %s of the %ss, %s %s", Percent(b), better.open, worse.entry.Name, Percent(w))
}

// capacityNote says what the nominal capacity allows in a window, "" without a bound.
func (r *Report) capacityNote() string {
	if limit, ok := r.Setup.PerWindow(); ok {
		return " (capacity: " + Short(limit) + ")"
	}
	return ""
}

// leaves says how many of the herd were not served.
func leaves(d *digest) string {
	tasks := d.runs[0].Herd.Tasks
	if tasks == 1 {
		return "leaves the " + Noun(d.shown()) + " unserved"
	}
	return fmt.Sprintf("leaves %s of %s %ss unserved", count(d.left.median), Count(tasks), Noun(d.shown()))
}

func everyone(d *digest) string {
	switch noun := Noun(d.shown()); {
	case d.tasks() == 1:
		return "the " + noun
	case noun == "message":
		return "every message"
	}
	return "everyone"
}

// medians says so when the numbers are those of several replicates.
func medians(a, b *digest) string {
	n := len(a.runs)
	switch {
	case n == 1 && len(b.runs) == 1:
		return ""
	case n == len(b.runs):
		return " (medians of " + strconv.Itoa(n) + " replicates)"
	}
	return " (medians of the replicates that were finished)"
}

// plural prints n with a noun that takes an s.
func plural(n float64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}
