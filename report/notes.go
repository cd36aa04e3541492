package report

import (
	"fmt"
	"slices"
	"strings"

	"herdsim/sim"
)

// maxNotes is how many lines of notes are worth reading.
const maxNotes = 12

// notes returns what the reader must know to read the numbers right: runs that are missing, cut off, or that left tasks
// over.
func (r *Report) notes(ds []digest) []string {
	var lines []string
	for i := range ds {
		lines = append(lines, ds[i].notes()...)
	}
	if len(lines) > maxNotes {
		rest := len(lines) - maxNotes + 1
		lines = append(lines[:maxNotes-1], fmt.Sprintf("and %s more lines like these", Count(int64(rest))))
	}
	if r.Partial {
		done, all := 0, 0
		for i := range r.Entries {
			all += max(len(r.Entries[i].Runs), r.Setup.Replicates)
		}
		for i := range ds {
			done += len(ds[i].runs)
		}
		first := fmt.Sprintf("interrupted: %s of %s runs finished, the others are missing here", Count(int64(done)),
			Count(int64(all)))
		lines = slices.Insert(lines, 0, first)
	}
	return lines
}

// notes returns the lines about one strategy. With several replicates each line tells of the first that it holds for.
func (d *digest) notes() []string {
	var lines []string
	for _, note := range []func(*sim.Result) string{endNote, deadLetterNote, blockedNote, d.openNote, guardNote} {
		text, times, replicate := "", 0, 0
		for i, r := range d.entry.Runs {
			if r == nil {
				continue
			}
			if s := note(r); s != "" {
				if times++; times == 1 {
					text, replicate = s, i+1
				}
			}
		}
		switch {
		case times == 0:
			continue
		case len(d.entry.Runs) > 1:
			text += fmt.Sprintf(" (replicate %d; %d of %d replicates are like this)", replicate, times, len(d.runs))
		}
		lines = append(lines, d.entry.Name+": "+text)
	}
	return lines
}

// endNote says that a run did not come to its own end, or that some of the herd still waited at it.
func endNote(r *sim.Result) string {
	with := ""
	if n := r.Herd.Unfinished; n > 0 {
		with = " with " + plural(float64(n), Noun(r)) + " unserved"
	}
	switch r.End {
	case sim.AtHorizon:
		if with == "" {
			return "" // open traffic is meant to end there
		}
		return "cut off at " + Setting(r.EndedAt) + with
	case sim.AtMaxEvents:
		return fmt.Sprintf("cut off after %s, at %s%s", plural(float64(r.Events), "event"), Span(r.EndedAt), with)
	case sim.AtMaxWindows:
		return fmt.Sprintf("cut off at %s%s: a result holds no more windows", Span(r.EndedAt), with)
	case sim.AtMaxRequests:
		return fmt.Sprintf("cut off at %s%s: the queue has outgrown what a run may hold", Span(r.EndedAt), with)
	case sim.AtMaxTasks:
		return fmt.Sprintf("cut off at %s%s: more tasks are waiting than a run may hold", Span(r.EndedAt), with)
	case sim.Cancelled:
		return fmt.Sprintf("interrupted at %s%s", Span(r.EndedAt), with)
	}
	if with == "" {
		return ""
	}
	var parts []string
	lying := min(unfetched(r), r.Herd.Unfinished)
	if n := r.Herd.Unfinished - lying; n > 0 {
		parts = append(parts, plural(float64(n), Noun(r))+map[bool]string{true: " waits", false: " wait"}[n == 1]+" for an answer that never comes")
	}
	if lying > 0 {
		parts = append(parts, plural(float64(lying), "message")+map[bool]string{true: " lies", false: " lie"}[lying == 1]+" in a queue without consumers")
	}
	return strings.Join(parts, "; ")
}

// unfetched returns how many messages are at the end in queues that have no consumers, those of dead letters aside.
func unfetched(r *sim.Result) (n int64) {
	for i := range r.Queues {
		if q := &r.Queues[i]; i > 0 && !q.Dead {
			n += int64(q.Ready)
		}
	}
	return n
}

func deadLetterNote(r *sim.Result) string {
	if r.Herd.DeadLettered == 0 {
		return ""
	}
	if n := r.Herd.DeadLettered; len(r.Queues) > 0 {
		s := plural(float64(n), "message") + map[bool]string{true: " was", false: " were"}[n == 1]
		switch dropped := totals(r).dropped; {
		case dropped == 0:
			return s + " dead-lettered"
		case dropped == n && r.Open.Tasks == 0:
			return s + " dropped"
		}
		return s + " dead-lettered or dropped"
	}
	return plural(float64(r.Herd.DeadLettered), "worker") + " gave up (dead-lettered)"
}

// blockedNote says what messages that never succeed, and sleep, kept from the others.
func blockedNote(r *sim.Result) string {
	var parts []string
	if n := r.Starved; n > 0 {
		parts = append(parts, plural(float64(n), "message")+map[bool]string{true: " was", false: " were"}[n == 1]+" never begun with")
	}
	if r.Blocked >= r.Window && r.Blocked > 0 {
		parts = append(parts, "poison or sleep held every place of the consumers for "+Span(r.Blocked))
	}
	return strings.Join(parts, "; ")
}

func (d *digest) openNote(r *sim.Result) string {
	if r.Open.DeadLettered == 0 && r.Open.Unfinished == 0 {
		return ""
	}
	var parts []string
	if n := r.Open.DeadLettered; n > 0 {
		parts = append(parts, Count(n)+" gave up")
	}
	if n := r.Open.Unfinished; n > 0 {
		parts = append(parts, Count(n)+" were unfinished at the end")
	}
	return fmt.Sprintf("of %s %s", plural(float64(r.Open.Tasks), d.open), strings.Join(parts, ", "))
}

// remark is FreeRejects with what to do about it.
func (r *Report) remark(ds []digest) string {
	s := r.freeRejects(ds)
	if s == "" || r.Setup.Conflicts {
		return s
	}
	return strings.TrimSuffix(s, ".") + " (downstream.reject_cost puts a price on them)."
}
