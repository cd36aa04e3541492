package strategies

import (
	"math"
	"time"
)

// Memoryless waits an exponentially distributed time:
//
//	P(wait > t) = exp(-t / Mean)      wait(u) = -Mean × ln(1 - u)
//
// Each waiting worker comes back at the constant rate 1/Mean, whatever it has been through: the retrial queue of the
// textbooks, for which closed forms exist. There is no longest wait; with u of 53 bits none exceeds 36.74 × Mean.
type Memoryless struct {
	Mean time.Duration // > 0
}

var _ Strategy = Memoryless{}
var _ PreviousReader = Memoryless{}
var _ SleptReader = Memoryless{}

// ReadsPrevious returns false.
func (Memoryless) ReadsPrevious() bool { return false }

// ReadsSlept returns false.
func (Memoryless) ReadsSlept() bool { return false }

// Wait returns the u-quantile of the exponential distribution, and true. It saturates at NoBound.
func (s Memoryless) Wait(_ Attempt, u float64) (time.Duration, bool) {
	// 1 - u is exact for every u on the grid of 2⁻⁵³, so the plain logarithm loses nothing.
	return nanoseconds(-float64(max(s.Mean, 0)) * math.Log(1-u)), true
}
