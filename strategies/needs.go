package strategies

import "time"

// What a strategy reads of an Attempt beside the retry's number decides what an engine has to remember for each worker,
// and whether a wait's distribution has a closed form. A strategy may say so by these methods. One that says nothing,
// and is not Uniform, is taken to read everything.

// A PreviousReader says whether its waits depend on Attempt.Previous or Attempt.PreviousU.
type PreviousReader interface {
	Strategy
	ReadsPrevious() bool
}

// A SleptReader says whether its waits depend on Attempt.Slept.
type SleptReader interface {
	Strategy
	ReadsSlept() bool
}

// ReadsPrevious reports whether waits of s may depend on Attempt.Previous or Attempt.PreviousU.
func ReadsPrevious(s Strategy) bool {
	if r, ok := s.(PreviousReader); ok {
		return r.ReadsPrevious()
	}
	_, uniform := s.(Uniform)
	return !uniform
}

// ReadsSlept reports whether waits of s may depend on Attempt.Slept.
func ReadsSlept(s Strategy) bool {
	if r, ok := s.(SleptReader); ok {
		return r.ReadsSlept()
	}
	_, uniform := s.(Uniform)
	return !uniform
}

// A Capped strategy names the cap that its waits can pile up at; 0 for none. Describe asks those that it cannot look
// into.
type Capped interface {
	Strategy
	WaitCap() time.Duration
}

// A Bounded strategy knows its longest wait. Longest asks the others.
type Bounded interface {
	Strategy
	LongestWait() time.Duration
}

func capOf(s Strategy) time.Duration {
	if c, ok := s.(Capped); ok {
		return c.WaitCap()
	}
	return 0
}
