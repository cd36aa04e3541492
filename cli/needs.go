package cli

import (
	"math"

	"herdsim/experiment"
	"herdsim/report"
	"herdsim/scenarios"
)

// manyTasks are worth a warning: they may take most of a GB.
const manyTasks = 10_000_000

// needs returns about how many tasks come beside the herd in a run of a scenario, and how many bytes it may take; of the
// entry that takes most.
func needs(s *scenarios.Scenario) (open, bytes int64) {
	for i := range s.Strategies {
		cfg := s.Config(i, 1)
		open = max(open, int64(math.Round(min(experiment.OpenTasks(cfg), 1<<62))))
		bytes = max(bytes, int64(math.Round(experiment.Memory(cfg))))
	}
	return open, bytes
}

// warn remarks what is right in a scenario, but hardly meant.
func (a *app) warn(s *scenarios.Scenario) {
	if open, bytes := needs(s); open >= manyTasks {
		a.remark("herdsim: %s: about %s tasks come until the horizon; a run may take %s, and is cut off where more of them wait than it may hold",
			s.Name, report.Count(open), inBytes(bytes))
	}
	late, all := 0, len(s.Downstream.Outages)
	for _, o := range s.Downstream.Outages {
		if o.From >= s.Horizon {
			late++
		}
	}
	if late > 0 {
		a.remark("herdsim: %s: %d of %s at the horizon of %s or later, and so never", s.Name, late,
			count(all, "outage begins", "outages begin"), report.Setting(s.Horizon))
	}
}

// inBytes writes a size for people.
func inBytes(n int64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, " GB"}, {1e6, " MB"}} {
		if float64(n) >= unit.size {
			return report.Three(float64(n)/unit.size) + unit.name
		}
	}
	return report.Three(float64(n)/1e3) + " kB"
}
