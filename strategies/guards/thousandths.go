package guards

import "math"

// Budgets of tokens count in thousandths: the tests are for a bucket that is just empty, which sums of 0.1 would miss.

func thousandths(x float64) int64 { return int64(math.Round(x * 1000)) }

// share returns part/whole within [0, 1], and 1 for a whole of nothing.
func share(part, whole float64) float64 {
	if whole <= 0 {
		return 1
	}
	return min(max(part/whole, 0), 1)
}
