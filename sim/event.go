package sim

import "time"

// An event is an attempt that reaches the downstream at an instant. What a retry needs to know travels in it: a table
// of workers would cost a cache miss an event.
type event struct {
	at      Time
	prev    time.Duration // the strategy's last wait
	task    uint32
	attempt uint32 // from 1; stays at the largest when it gets there
}

// before is the order of attempts: by instant, then task number, then attempt.
func (e *event) before(f *event) bool {
	switch {
	case e.at != f.at:
		return e.at < f.at
	case e.task != f.task:
		return e.task < f.task
	}
	return e.attempt < f.attempt
}
