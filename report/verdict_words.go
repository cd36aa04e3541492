package report

import (
	"strings"
)

// Sentence says the verdict in one line: "recovered: yes at 73.2 s".
func (v *Verdict) Sentence() string { return "recovered: " + v.Answer() }

// Answer is Sentence without its first word: "no, stuck at 6.0 attempts per task, goodput 0.4% of the offered load;
// timed-out work keeps it down (98% of the work is for callers that have gone)".
func (v *Verdict) Answer() string {
	switch v.State {
	case NeverDown:
		return "yes, never down"
	case Recovered:
		return "yes at " + Span(v.At) + v.relapsed() + v.herd()
	case Steady:
		s := "nothing to recover from, " + v.Short()
		if len(v.Loops) > 0 {
			s += "; " + v.because("there")
		}
		return s
	case Finished:
		return "yes, " + v.everyone() + " was served at " + Span(v.At) + v.relapsed()
	case Unfinished:
		if len(v.Loops) == 0 {
			return "no, " + v.Short() + v.at() + v.relapsed()
		}
		return "no, " + v.Short() + "; " + v.because("down")
	case Overloaded:
		return "no, offered " + Short(v.End.OfferedRate()) + "/s exceeds the capacity of " + Short(v.Conditions.Capacity) + "/s"
	case Undecided:
		return "not to be said, the trigger lasts until " + Span(v.Trigger.To) + v.at()
	case Stuck:
		return "no, " + v.Short() + v.at() + "; " + v.because("down")
	}
	if v.Hopeless() {
		return "not to be said, no task can succeed"
	}
	return "not to be said, the traffic is too short"
}

// Hopeless reports whether no task can succeed, so that there is nothing to judge.
func (v *Verdict) Hopeless() bool {
	return v.State == NotApplicable && v.Base <= 0 && len(v.Pieces) >= leastPieces
}

// Short is for titles: "recovered at 73.2 s", "stuck at 6.0 attempts per task".
func (v *Verdict) Short() string {
	switch v.State {
	case Recovered:
		return "recovered at " + Span(v.At)
	case Finished:
		return v.everyone() + " served at " + Span(v.At)
	case Unfinished:
		return Count(v.left) + " of " + plural(float64(v.tasks), map[bool]string{true: "message", false: "worker"}[v.messages]) + " unserved"
	case Steady:
		return "steady at " + Percent(v.Base) + " of the offered load"
	case Stuck:
		if each := v.End.AttemptsPerTask(); each.OK {
			return "stuck at " + Fixed(each.Value, 1) + " " + attempts(v.tiered) + "s per task"
		}
		return "stuck"
	}
	return v.State.String()
}

// everyone names all of the herd.
func (v *Verdict) everyone() string {
	if v.messages {
		return "every message"
	}
	return "everyone"
}

// at says how little is served at the end.
func (v *Verdict) at() string {
	if share := v.End.GoodputShare(); share.OK {
		return ", goodput " + Percent(share.Value) + " of the offered load"
	}
	return ""
}

// herd says that it was the herd that lasted until then.
func (v *Verdict) herd() string {
	switch {
	case v.At == v.Goodput:
		return ""
	case v.Goodput == 0:
		return ", when 99% of the herd was served; the goodput was never down"
	}
	return ", when 99% of the herd was served; the goodput was back at " + Span(v.Goodput)
}

// relapsed says what it took to recover.
func (v *Verdict) relapsed() string {
	var took []string
	if v.Relapses > 0 {
		took = append(took, plural(float64(v.Relapses), "relapse"))
	}
	if v.Crashes > 0 {
		took = append(took, crashed(v.Crashes))
	}
	if len(took) == 0 {
		return ""
	}
	return " after " + strings.Join(took, " and ")
}

func crashed(n int) string {
	if n == 1 {
		return "1 crash"
	}
	return Count(int64(n)) + " crashes"
}

// because says what keeps it where it is.
func (v *Verdict) because(where string) string {
	if len(v.Loops) == 0 {
		return "none of the known loops keeps it down"
	}
	var beside []string
	for _, l := range v.Loops[1:] {
		beside = append(beside, l.numbers())
	}
	s := v.Loops[0].cause() + " it " + where + " (" + v.Loops[0].numbers() + ")"
	if len(beside) > 0 {
		s += "; at the same time " + strings.Join(beside, ", ")
	}
	return s
}

func (l *Loop) cause() string {
	switch l.Kind {
	case CrashCycle:
		return "a crash cycle keeps"
	case ColdCache:
		return "a cold cache keeps"
	case ColdStart:
		return "a cold start keeps"
	case TimedOutWork:
		return "timed-out work keeps"
	case Retries:
		return "retries keep"
	}
	return "calls that are held back keep"
}

// numbers says how much of it there is.
func (l *Loop) numbers() string {
	switch l.Kind {
	case CrashCycle:
		return crashed(l.Count) + ", one each " + Span(l.Period)
	case ColdCache:
		return Percent(l.Share) + " of the cache is filled"
	case ColdStart:
		return Percent(l.Share) + " of the speed is reached"
	case TimedOutWork:
		return Percent(l.Share) + " of the work is for callers that have gone"
	case Retries:
		return Short(l.Rate) + " requests/s are asked"
	}
	return Percent(l.Share) + " of the tasks reach the service"
}

// attempts names what tasks make: behind tiers, which make more of each, the requests at the downstream.
func attempts(tiered bool) string {
	if tiered {
		return "request"
	}
	return "attempt"
}
