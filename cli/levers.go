package cli

import (
	"math"
	"strconv"
	"time"

	"herdsim/downstream"
	"herdsim/experiment"
	"herdsim/report"
	"herdsim/scenarios"
)

// A lever is a number of a scenario that herdsim why turns.
type lever struct {
	field  string // as --set or a sweep names it
	search experiment.Search
	at     func(x int64) *scenarios.Scenario
	value  func(x int64) string // as --set or a sweep takes it
	words  func(x int64) string // for people
}

// The range in which levers are turned, and what a load is counted in.
const (
	perLoad      = 1000 // a load of 1x
	leastLoad    = perLoad / 100
	mostLoad     = 16 * perLoad
	mostAttempts = 1024 // stands for no limit, too
	mostQueue    = 1 << 20
	leastTime    = time.Millisecond
)

// levers returns what can be turned under strategy i of a scenario that recovers, or does not. longest is the longest
// queue in its runs: beyond it, a limit is none.
func levers(s *scenarios.Scenario, i int, recovers bool, longest int64) []lever {
	var all []lever
	add := func(l lever) {
		l.search.Replicates = s.Replicates
		all = append(all, l)
	}
	if s.Keeps() {
		add(lever{
			field:  scenarios.SweepLoad,
			search: experiment.Search{From: perLoad, Least: leastLoad, Most: mostLoad, Up: recovers},
			at:     func(x int64) *scenarios.Scenario { return s.Loaded(float64(x) / perLoad) },
			value:  loadFactor,
			words:  func(x int64) string { return loadWords(s, x) },
		})
	}
	add(attemptsLever(s, i, recovers))
	if s.Downstream.Slots != downstream.Unlimited {
		add(queueLever(s, recovers, longest))
	}
	add(timeoutLever(s, recovers))
	if t, ok := s.Trigger(); ok {
		add(span(scenarios.SweepTrigger, t.Length, t.Most, recovers, s.Triggered))
	}
	return all
}

func loadFactor(x int64) string { return report.ExactFloat(float64(x)/perLoad) + "x" }

// loadWords writes a factor, and the rate that it makes of traffic with only one.
func loadWords(s *scenarios.Scenario, x int64) string {
	factor := loadFactor(x)
	if rate, ok := s.Rate(); ok {
		return factor + " = " + report.Short(rate.PerSecond()*float64(x)/perLoad) + "/s"
	}
	return factor
}

func attemptsLever(s *scenarios.Scenario, i int, recovers bool) lever {
	from := int64(s.MaxAttempts(i))
	if from == 0 {
		from = mostAttempts
	}
	return lever{
		field: "limits.max_attempts",
		search: experiment.Search{
			From: from, Least: 1, Most: max(from, mostAttempts),
			Up:   recovers && from < mostAttempts,
			Both: !s.Keeps(), // a herd may be lost for want of attempts
		},
		at: func(x int64) *scenarios.Scenario {
			if x == mostAttempts {
				x = 0
			}
			return s.Attempting(i, int(x))
		},
		value: func(x int64) string {
			if x == mostAttempts {
				return "0" // no limit
			}
			return strconv.FormatInt(x, 10)
		},
		words: func(x int64) string {
			if x == mostAttempts {
				return "no limit"
			}
			return report.Count(x)
		},
	}
}

func queueLever(s *scenarios.Scenario, recovers bool, longest int64) lever {
	from, most := int64(s.Downstream.Queue), int64(mostQueue)
	unlimited := from == downstream.Unlimited
	if unlimited {
		from = longest + 1
	}
	most = max(most, from)
	if unlimited {
		most = from
	}
	return lever{
		field:  "downstream.queue",
		search: experiment.Search{From: from, Most: most, Up: recovers, Both: true},
		at: func(x int64) *scenarios.Scenario {
			if unlimited && x == from {
				x = downstream.Unlimited
			}
			return s.Queued(int(x))
		},
		value: func(x int64) string {
			if unlimited && x == from {
				return "unlimited"
			}
			return strconv.FormatInt(x, 10)
		},
		words: func(x int64) string {
			if unlimited && x == from {
				return "unlimited"
			}
			return report.Count(x)
		},
	}
}

// timeoutLever returns the lever of the timeout; none is one as long as the run.
func timeoutLever(s *scenarios.Scenario, recovers bool) lever {
	if s.Task.Timeout > 0 {
		l := span("task.timeout", s.Task.Timeout, s.Horizon, !recovers, s.Patient)
		l.search.Both = true
		return l
	}
	l := span("task.timeout", s.Horizon, s.Horizon, false, s.Patient)
	at, value, words := l.at, l.value, l.words
	from := l.search.From
	l.at = func(x int64) *scenarios.Scenario {
		if x == from {
			return s
		}
		return at(x)
	}
	l.value = func(x int64) string {
		if x == from {
			return "none"
		}
		return value(x)
	}
	l.words = func(x int64) string {
		if x == from {
			return "none"
		}
		return words(x)
	}
	return l
}

// span returns the lever of a duration. It is turned in steps of three digits, so that what is written is what was
// played.
func span(field string, now, most time.Duration, up bool, at func(time.Duration) *scenarios.Scenario) lever {
	from := int64(now)
	played := func(x int64) time.Duration {
		if x == from || x == int64(most) {
			return time.Duration(x)
		}
		return threeDigits(time.Duration(x))
	}
	return lever{
		field:  field,
		search: experiment.Search{From: max(from, int64(min(leastTime, most))), Least: int64(min(leastTime, now, most)), Most: max(from, int64(most)), Up: up},
		at:     func(x int64) *scenarios.Scenario { return at(played(x)) },
		value:  func(x int64) string { return played(x).String() },
		words:  func(x int64) string { return report.Setting(played(x)) },
	}
}

// threeDigits rounds d > 0 to three digits.
func threeDigits(d time.Duration) time.Duration {
	digits := len(strconv.FormatInt(int64(d), 10))
	return d.Round(time.Duration(math.Pow10(max(0, digits-3))))
}
