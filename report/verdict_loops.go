package report

import (
	"time"

	"herdsim/sim"
)

// A LoopKind is what can keep a run down after its trigger is over.
type LoopKind uint8

const (
	CrashCycle   LoopKind = iota // the downstream breaks down again under what has waited for it
	ColdCache                    // requests miss, and those that would fill the cache are not answered
	ColdStart                    // the downstream does not get warm
	TimedOutWork                 // it works for callers that have gone
	Retries                      // more is asked than it can serve, because tasks ask again
	HeldBack                     // calls do not reach it: guards put them off, or clients wait
)

var loopNames = [...]string{
	CrashCycle: "crash cycle", ColdCache: "cold cache", ColdStart: "cold start", TimedOutWork: "timed-out work",
	Retries: "retries", HeldBack: "held back",
}

func (k LoopKind) String() string { return loopNames[k] }

// The marks from which on something counts as keeping a run down.
const (
	wastedFrom   = 0.2 // of the work is for callers that have gone
	attemptsFrom = 1.5 // requests a task
	cachedBelow  = 0.5 // of the cache is filled
	warmBelow    = 0.9 // of the speed is reached
	reachedBelow = 0.8 // of the tasks come to the downstream
)

// A Loop is one cause that keeps a run down, with its numbers as of the last two pieces.
type Loop struct {
	Kind   LoopKind
	Share  float64       // of the cache filled, of the speed reached, of the work for nobody, of the tasks that reach the downstream
	Rate   float64       // requests per second, of Retries
	Count  int           // crashes in all, of a CrashCycle
	Period time.Duration // from crash to crash in the mean, of a CrashCycle
}

// loops returns what keeps a run down, judged by its last two pieces, the main one first.
func loops(run *sim.Result, s *Setup, end *Piece) []Loop {
	found := crashCycle(run, end)
	if state, ok := stateAt(run, end.To); ok {
		if state.Cache < cachedBelow {
			found = append(found, Loop{Kind: ColdCache, Share: state.Cache})
		}
		if state.Warm < warmBelow {
			found = append(found, Loop{Kind: ColdStart, Share: state.Warm})
		}
	}
	if share := end.WastedShare(); share.Value >= wastedFrom {
		found = append(found, Loop{Kind: TimedOutWork, Share: share.Value})
	}
	asked := rate(float64(end.Requests), end.To-end.From)
	if each := end.AttemptsPerTask(); s.Capacity > 0 && asked > s.Capacity && each.Value >= attemptsFrom {
		found = append(found, Loop{Kind: Retries, Rate: asked})
	}
	if share := per(float64(end.Reached), end.Offered); share.OK && share.Value < reachedBelow {
		found = append(found, Loop{Kind: HeldBack, Share: share.Value})
	}
	return found
}

// crashCycle returns the loop of a downstream that is down at the end after a crash that was not its first, none if it is
// not.
func crashCycle(run *sim.Result, end *Piece) []Loop {
	n := len(run.Crashes)
	if n < 2 || !end.Crashed {
		return nil
	}
	period := (run.Crashes[n-1].From - run.Crashes[0].From) / time.Duration(n-1)
	return []Loop{{Kind: CrashCycle, Count: n, Period: period}}
}

// stateAt returns the last state noted in a window that begins before t.
func stateAt(run *sim.Result, t sim.Time) (state sim.StatePoint, ok bool) {
	for _, p := range run.States {
		if sim.Time(p.Window)*run.Window >= t {
			break
		}
		state, ok = p, true
	}
	return state, ok
}
