package strategies

import "time"

// An Exact is a wait that a strategy makes without luck and beside its formula, if Is. The zero Exact is none.
type Exact struct {
	Is   bool
	Wait time.Duration // >= 0
}

// law returns the distribution of the exact wait, which the cap bounds.
func (e Exact) law(most time.Duration) Law { return Law{Base: max(e.Wait, 0), Cap: limit(most)} }
