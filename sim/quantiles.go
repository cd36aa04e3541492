package sim

import (
	"math/bits"
	"slices"
	"time"
)

// sampler collects durations for quantiles: exactly up to exactMost, in logarithmic bins of 1/1024 beyond.
type sampler struct {
	exact []time.Duration
	bins  []int64
	count int64
}

const (
	exactMost = 1 << 22
	binBits   = 10
)

// reset empties the sampler and makes room for n.
func (s *sampler) reset(n int) {
	if n = min(n, exactMost); cap(s.exact) < n {
		s.exact = make([]time.Duration, 0, n)
	}
	s.exact, s.bins, s.count = s.exact[:0], nil, 0
}

func (s *sampler) add(d time.Duration) {
	s.count++
	if s.bins != nil {
		s.bins[binOf(d)]++
		return
	}
	s.exact = append(s.exact, d)
	if len(s.exact) > exactMost {
		s.toBins()
	}
}

func (s *sampler) toBins() {
	s.bins = make([]int64, 65<<binBits)
	for _, d := range s.exact {
		s.bins[binOf(d)]++
	}
	s.exact = s.exact[:0]
}

// binOf numbers the bins: durations below 2^binBits ns have their own, and each power of two above is cut into 2^binBits.
func binOf(d time.Duration) int {
	shift := max(0, bits.Len64(uint64(d))-1-binBits)
	return shift<<binBits + int(uint64(d)>>shift)
}

// binStart is the least duration of bin i.
func binStart(i int) time.Duration {
	shift := max(0, i>>binBits-1)
	return time.Duration(i-shift<<binBits) << shift
}

// merge adds what other has collected.
func (s *sampler) merge(other *sampler) {
	if other.count == 0 {
		return
	}
	s.count += other.count
	if s.bins == nil && other.bins == nil && len(s.exact)+len(other.exact) <= exactMost {
		s.exact = append(s.exact, other.exact...)
		return
	}
	if s.bins == nil {
		s.toBins()
	}
	for _, d := range other.exact {
		s.bins[binOf(d)]++
	}
	for i, n := range other.bins {
		s.bins[i] += n
	}
}

// quantiles returns the nearest-rank quantiles; it may reorder what was collected.
func (s *sampler) quantiles() Quantiles {
	q := Quantiles{Count: s.count, Approximate: s.bins != nil}
	if s.count == 0 {
		return q
	}
	if s.bins == nil {
		slices.Sort(s.exact)
	}
	q.P50, q.P99 = s.rank(Rank(s.count, 50)), s.rank(Rank(s.count, 99))
	return q
}

// Rank returns the nearest rank of a percentile among n observations, counted from 0: ceil(n x percent / 100) - 1.
func Rank(n int64, percent int64) int64 {
	whole, rest := n/100, n%100
	return max(0, whole*percent+(rest*percent+99)/100-1)
}

func (s *sampler) rank(k int64) time.Duration {
	if s.bins == nil {
		return s.exact[k]
	}
	for i, n := range s.bins {
		if k -= n; k < 0 {
			return binStart(i) + (binStart(i+1)-binStart(i))/2
		}
	}
	return 0
}
