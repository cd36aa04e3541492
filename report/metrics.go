package report

import (
	"herdsim/sim"
	"herdsim/strategies"
)

// families are the metrics of a run, in the order of the file. docs/metrics.md has a row for each.
var families = []*family{
	{"worker_job_execution", "counter", "", "Executions of jobs, by what came of them.", executionSeries},
	{"worker_retry_sleep_duration_seconds", "histogram", "seconds", "Waits that workers chose before a retry.", sleepSeries},
	{"worker_queue_messages", "gauge", "", "Messages in a queue of the broker, that wait or are not acknowledged.", queueSeries},
	{"worker_dlq_messages", "gauge", "", "Dead letters: messages in the queue for them, or tasks that were given up.", deadSeries},
	{"worker_breaker_state_ratio", "gauge", "ratio", "Share of the instances of a guard that are in a state.", breakerSeries},
	{"downstream_requests", "counter", "", "Requests that have reached the downstream, by their outcome in the end.", requestSeries},
	{"downstream_queued_requests", "gauge", "", "Requests that wait at the downstream.",
		levelSeries(func(w *sim.Window) int64 { return w.Queued })},
	{"downstream_in_service_requests", "gauge", "", "Requests that the downstream serves.",
		levelSeries(func(w *sim.Window) int64 { return w.InService })},
	{"downstream_capacity_requests_per_second", "gauge", "", "Requests that the downstream can serve in a second.", capacitySeries},
}

// The queues that the jobs of a run without a broker are said to come from.
var withoutBroker = [2]string{"herd", "open"}

// executed calls f for each queue that jobs are executed from, with the series of ExecutionCount that are its own.
func (s *scraped) executed(f func(queue string, whose []int)) {
	switch {
	case s.executions == nil:
	case len(s.Queues) > 0:
		f(s.Queues[0].Name, []int{0, 1})
	default:
		for whose, tally := range []sim.Tally{s.Herd, s.Open} {
			if tally.Tasks > 0 {
				f(withoutBroker[whose], []int{whose})
			}
		}
	}
}

// statuses are what worker_job_execution calls what comes after an execution.
var statuses = [...]string{sim.Done: "success", sim.Again: "retry", sim.GivenUp: "failed_dlq"}

func executionSeries(s *scraped) (all []series) {
	s.executed(func(queue string, whose []int) {
		for then, status := range statuses {
			out := series{labels: label("queue", queue) + "," + label("status", status)}
			var sum int64
			for i := range s.executions.taken {
				taken := &s.executions.taken[i]
				for _, k := range whose {
					sum += taken.ends[k][then]
				}
				out.steps = append(out.steps, one(taken.scrape, float64(sum)))
			}
			all = append(all, out)
		}
	})
	return all
}

func sleepSeries(s *scraped) (all []series) {
	s.executed(func(queue string, whose []int) {
		out := series{labels: label("queue", queue)}
		var sum sleepCount
		for i := range s.executions.taken {
			taken := &s.executions.taken[i]
			for _, k := range whose {
				for b, n := range taken.sleeps[k].buckets {
					sum.buckets[b] += n
				}
				sum.sum += taken.sleeps[k].sum
			}
			values, below := make([]float64, 0, len(sleepBounds)+2), int64(0)
			for _, n := range sum.buckets {
				below += n
				values = append(values, float64(below))
			}
			out.steps = append(out.steps, step{taken.scrape, append(values, float64(below), sum.sum)})
		}
		all = append(all, out)
	})
	return all
}

func queueSeries(s *scraped) (all []series) {
	for i := range s.Queues {
		q := &s.Queues[i]
		if q.Dead {
			continue
		}
		states := []struct {
			name  string
			level func(*sim.QueuePoint) int
		}{
			{"ready", func(p *sim.QueuePoint) int { return p.Ready }},
			{"unacked", func(p *sim.QueuePoint) int { return p.Unacked }},
		}
		for _, state := range states {
			all = append(all, series{label("queue", q.Name) + "," + label("state", state.name), s.queueSteps(q, state.level)})
		}
	}
	return all
}

// queueSteps returns a level of a queue.
func (s *scraped) queueSteps(q *sim.QueueResult, level func(*sim.QueuePoint) int) (steps []step) {
	for i := range q.Track {
		steps = append(steps, one(s.seen(q.Track[i].Window), float64(level(&q.Track[i]))))
	}
	return steps
}

func deadSeries(s *scraped) (all []series) {
	for i := range s.Queues {
		if q := &s.Queues[i]; q.Dead {
			all = append(all, series{label("queue", q.Name), s.queueSteps(q, func(p *sim.QueuePoint) int { return p.Ready })})
		}
	}
	if len(s.Queues) > 0 {
		return all
	}
	s.executed(func(queue string, whose []int) {
		out := series{labels: label("queue", queue)}
		var sum int64
		for i := range s.executions.taken {
			sum += s.executions.taken[i].ends[whose[0]][sim.GivenUp]
			out.steps = append(out.steps, one(s.executions.taken[i].scrape, float64(sum)))
		}
		all = append(all, out)
	})
	return all
}

func breakerSeries(s *scraped) (all []series) {
	for i := range s.Guards {
		g := &s.Guards[i]
		closed, open, half := []step{one(0, 1)}, []step(nil), []step(nil)
		for _, p := range g.Track {
			scrape := s.seen(p.Window)
			closed = append(closed, one(scrape, max(0, 1-p.Open-p.HalfOpen)))
			open, half = append(open, one(scrape, p.Open)), append(half, one(scrape, p.HalfOpen))
		}
		guard := label("guard", g.Name) + ","
		all = append(all, series{guard + label("state", "closed"), closed}, series{guard + label("state", "half_open"), half},
			series{guard + label("state", "open"), open})
	}
	return all
}

func requestSeries(s *scraped) (all []series) {
	for outcome := strategies.Served; outcome <= strategies.InFlight; outcome++ {
		out := series{labels: label("outcome", outcome.String())}
		var sum int64
		for i := range s.Windows {
			sum += s.Windows[i].Outcomes[outcome]
			out.steps = append(out.steps, one(s.seen(s.Windows[i].Index), float64(sum)))
		}
		all = append(all, out)
	}
	return all
}

// levelSeries shows a level of the downstream at the end of each window.
func levelSeries(level func(*sim.Window) int64) func(*scraped) []series {
	return func(s *scraped) []series {
		var out series
		for i := range s.Windows {
			out.steps = append(out.steps, one(s.seen(s.Windows[i].Index), float64(level(&s.Windows[i]))))
		}
		return []series{out}
	}
}

func capacitySeries(s *scraped) []series {
	if s.report.Setup.Capacity <= 0 {
		return nil
	}
	return []series{{steps: []step{one(0, s.report.Setup.Capacity)}}}
}
