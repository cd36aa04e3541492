package sim

import "time"

// An Execution is a worker's turn at a task, told when it is decided what comes of it: after an attempt, or when its guards
// have put the attempt off or refused it. Attempts that a tier makes for another are no executions of their own, and an
// attempt that crashes its consumer is none at all.
type Execution struct {
	Task int64 // worker from 0, open tasks after the herd
	At   Time
	Then Then
	Wait time.Duration // that the worker chose before the next attempt; -1 if it chose none
}

// Then is what comes after an execution.
type Then uint8

const (
	Done    Then = iota // the task has succeeded
	Again               // it will be tried again
	GivenUp             // it is a dead letter
)

// executed tells of an execution, if anybody wants to know.
func (e *Engine) executed(task uint32, at Time, then Then, wait time.Duration) {
	if e.cfg.Executed != nil {
		e.cfg.Executed(Execution{Task: int64(task), At: at, Then: then, Wait: wait})
	}
}

const noWait = -1

// messageExecuted tells of an execution of a message that has been put back.
func (e *Engine) messageExecuted(task uint32) {
	m := e.messages.of(task)
	then, wait := Again, m.wait
	if m.state == parked || m.state == done {
		then = GivenUp // it was one too many
	}
	switch e.messages.cfg.OnFailure {
	case Nack, Return, DeadLetter, Publish:
		wait = noWait
	}
	e.executed(task, e.now, then, wait)
}
