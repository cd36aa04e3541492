package sim

import (
	"math"
	"time"
)

// tiers is what the layers between the tasks and the downstream are doing. Level 0 is the task, level i the i-th tier
// from the top. A call of level i is made of up to size[i] requests, so the number of a request says where it belongs:
// call k of level i has the requests k × size[i] + 1 to (k + 1) × size[i]. Numbers of requests that a tier gave up before
// they were made stay unused.
type tiers struct {
	cfg      []Tier
	size     []uint32        // by level; size[0] requests are one attempt of the task
	patience []time.Duration // by level; 0 for ever
	pass     bool
	timed    bool              // some level gives up at some time
	calls    map[call]callMade // under way, of levels that give up
	waits    stream
}

// A call is one of a level, by its number within the task.
type call struct {
	task, number uint32
	level        int
}

// callMade is when a call was made, and whether its maker has given it up while those below go on with it.
type callMade struct {
	at   Time
	gone bool
}

func (t *tiers) reset(cfg *Config) {
	*t = tiers{cfg: cfg.Tiers, pass: cfg.PassDeadlines}
	if len(t.cfg) == 0 {
		return
	}
	t.waits = newStream(cfg.Seed, forTier)
	n := len(t.cfg)
	t.size, t.patience = make([]uint32, n+1), make([]time.Duration, n+1)
	t.size[n], t.patience[0] = 1, cfg.Timeout
	t.timed = cfg.Timeout > 0
	for i := n; i > 0; i-- {
		t.size[i-1] = t.size[i] * uint32(t.cfg[i-1].Attempts)
		t.patience[i] = t.cfg[i-1].Timeout
		t.timed = t.timed || t.patience[i] > 0
	}
	t.calls = map[call]callMade{}
}

// on reports whether there are any.
func (t *tiers) on() bool { return len(t.cfg) > 0 }

// number returns which attempt of its task a request belongs to.
func (t *tiers) number(request uint32) uint32 {
	if !t.on() {
		return request
	}
	return (request-1)/t.size[0] + 1
}

// firstRequest returns the number of the first request of an attempt.
func (t *tiers) firstRequest(attempt uint32) uint32 {
	if !t.on() {
		return attempt
	}
	if most := math.MaxUint32 / t.size[0]; attempt > most {
		attempt = most
	}
	return (attempt-1)*t.size[0] + 1
}

// last returns the last request of the call of a level that a request belongs to.
func (t *tiers) last(level int, request uint32) uint32 {
	return request + (t.size[level]-request%t.size[level])%t.size[level]
}

func (t *tiers) callOf(task uint32, level int, request uint32) call {
	return call{task, (request - 1) / t.size[level], level}
}

// sent notes that a request is sent at an instant: it may be the first of calls of several levels.
func (t *tiers) sent(task, request uint32, at Time) {
	if !t.timed {
		return
	}
	for level, patience := range t.patience {
		if patience > 0 && (request-1)%t.size[level] == 0 {
			t.calls[t.callOf(task, level, request)] = callMade{at: at}
		}
	}
}

// forget ends the call of a level that a request belongs to. gone says that nobody waits for it.
func (t *tiers) forget(task uint32, level int, request uint32) (gone bool) {
	if !t.timed {
		return false
	}
	c := t.callOf(task, level, request)
	gone = t.calls[c].gone
	delete(t.calls, c)
	return gone
}

// soonest returns which of the levels 0 to level that wait for a request gives up first, and when: the outermost of
// them, or the largest Time if none does.
func (t *tiers) soonest(task uint32, level int, request uint32) (first int, at Time) {
	at = math.MaxInt64
	if !t.timed {
		return 0, at
	}
	for ; level >= 0; level-- {
		if t.patience[level] == 0 {
			continue
		}
		c, ok := t.calls[t.callOf(task, level, request)]
		if c.gone {
			break
		}
		if until := addSaturated(c.at, t.patience[level]); ok && until <= at {
			first, at = level, until
		}
	}
	return first, at
}

// forgetBelow ends the calls of the levels below one that has given up and stopped them.
func (t *tiers) forgetBelow(task uint32, level int, request uint32) {
	for l := level + 1; t.on() && l <= len(t.cfg); l++ {
		t.forget(task, l, request)
	}
}

// heard reports whether the task still waits for the call of a level that a request belongs to.
func (t *tiers) heard(task uint32, level int, request uint32) bool {
	for ; t.timed && level >= 0; level-- {
		if t.calls[t.callOf(task, level, request)].gone {
			return false
		}
	}
	return true
}

// answered reports whether the answer to a request reaches its task: nobody on the way has given up.
func (t *tiers) answered(task, request uint32) bool {
	if !t.on() {
		return true
	}
	for level := len(t.cfg); level >= 0; level-- {
		if t.forget(task, level, request) {
			return false
		}
	}
	return true
}
