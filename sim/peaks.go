package sim

import (
	"slices"
	"time"
)

// peaks finds the most requests in any window of 10 ms, 100 ms and 1 s aligned to t0.
//
// It keeps the counts of 10 ms bins, because a request may turn out later to be part of the failure itself and is then
// taken out again. Bins in which that can no longer happen are folded into the maxima.
type peaks struct {
	bins      []bin
	end       Time // of the last bin
	undecided int  // requests that may still be taken out
	most      [3]int64
	sum       [3]int64 // of the group that folding is in
	group     [3]int64 // its number
}

type bin struct{ index, count int64 }

const (
	binWidth = 10 * time.Millisecond
	foldAt   = 4096 // bins
)

var groups = [3]int64{1, 10, 100} // bins in a window of 10 ms, 100 ms, 1 s

func (p *peaks) reset() { *p = peaks{bins: p.bins[:0]} }

// add counts n requests. They may lie a bin before the last one, if there is one there.
func (p *peaks) add(now Time, n int64) {
	if n == 0 {
		return
	}
	if now >= p.end || len(p.bins) == 0 {
		if len(p.bins) >= foldAt && p.undecided == 0 {
			p.fold(1)
		}
		index := int64(now / binWidth)
		p.bins = append(p.bins, bin{index: index})
		p.end = Time(index+1) * binWidth
	}
	last := len(p.bins) - 1
	if now < p.end-binWidth {
		last--
	}
	p.bins[last].count += n
}

// remove takes out a request that was added at an earlier instant.
func (p *peaks) remove(at Time) {
	i, found := slices.BinarySearchFunc(p.bins, int64(at/binWidth), func(b bin, index int64) int {
		return int(min(1, max(-1, b.index-index)))
	})
	if found {
		p.bins[i].count--
	}
}

// fold empties the bins but the last few into the maxima.
func (p *peaks) fold(keep int) {
	done := len(p.bins) - keep
	for _, b := range p.bins[:done] {
		for i, n := range groups {
			if g := b.index / n; g != p.group[i] {
				p.group[i], p.sum[i] = g, 0
			}
			p.sum[i] += b.count
			p.most[i] = max(p.most[i], p.sum[i])
		}
	}
	p.bins = append(p.bins[:0], p.bins[done:]...)
}

func (p *peaks) finish() (ms10, ms100, s1 int64) {
	p.fold(0)
	return p.most[0], p.most[1], p.most[2]
}
