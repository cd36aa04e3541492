package strategies

import (
	"math"
	"slices"
	"time"
)

// A latticeLaw is the distribution of one wait: the least exactly, what is above it on the lattice.
type latticeLaw struct {
	least  time.Duration
	mean   float64   // ns
	mass   []float64 // at least + i × cell; nil if there is no luck
	pieces []piece
	steps  bool // it takes a few values only, such as whole seconds
}

// A piece is a share of the waits, evenly spread over an interval, in ns.
type piece struct{ share, from, to float64 }

// densityU are the u at which a quantile function is looked at: even, and ever closer towards the ends.
var densityU = func() (us []float64) {
	for i := range densityNodes + 1 {
		us = append(us, float64(i)/densityNodes)
	}
	for i := 13; i <= 40; i++ {
		us = append(us, math.Ldexp(1, -i), 1-math.Ldexp(1, -i))
	}
	us = append(us, topU)
	slices.Sort(us)
	return us[:len(us)-1] // 1 itself is no u
}()

func newLatticeLaw(at func(u float64) time.Duration, cell float64, cells int) latticeLaw {
	law := latticeLaw{least: at(0)}
	lucky, rising := false, 0.0 // share of the u between which a wait changes
	last := at(0)
	for i, u := range densityU[1:] {
		wait := at(u)
		p := piece{u - densityU[i], float64(min(last, wait)), float64(max(last, wait))}
		law.pieces = append(law.pieces, p)
		if law.least = min(law.least, wait); p.from < p.to {
			lucky, rising = true, rising+p.share
		}
		law.mean += p.share * (p.from + p.to) / 2
		last = wait
	}
	if law.steps = rising < 0.05; law.steps && lucky {
		law.pieces = stepPieces(at)
	}
	if lucky {
		law.mass = make([]float64, cells+1)
		for _, p := range law.pieces {
			spreadMass(law.mass, p.share, (p.from-float64(law.least))/cell, (p.to-float64(law.least))/cell)
		}
	}
	return law
}

// stepPieces returns the pieces of a wait that takes a few values only, cut where it jumps.
func stepPieces(at func(u float64) time.Duration) []piece {
	var pieces []piece
	begin, last := 0.0, at(0)
	for i, u := range densityU[1:] {
		wait := at(u)
		if wait == last && u < topU {
			continue
		}
		below, above := densityU[i], u // of the jump
		for range 40 {
			if middle := (below + above) / 2; at(middle) == last {
				below = middle
			} else {
				above = middle
			}
		}
		pieces = append(pieces, piece{above - begin, float64(last), float64(last)})
		begin, last = above, wait
	}
	return pieces
}

// spreadMass puts a mass that is uniform over [from, to], in cells, on the lattice: each bit of it on the two points
// around it so that its mean stays. What lies beyond the lattice is left out.
func spreadMass(mass []float64, share, from, to float64) {
	if from >= float64(len(mass)) {
		return
	}
	if to-from < 1e-6 {
		i := int(from)
		part := from - float64(i)
		mass[i] += share * (1 - part)
		if i+1 < len(mass) {
			mass[i+1] += share * part
		}
		return
	}
	for i := int(from); i < len(mass) && float64(i) < to+1; i++ {
		x := float64(i)
		mass[i] += share / (to - from) * (belowTent(to-x) - belowTent(from-x))
	}
}

// belowTent is the integral of 1 - |x| from -1 to t.
func belowTent(t float64) float64 {
	switch {
	case t <= -1:
		return 0
	case t <= 0:
		return (t + 1) * (t + 1) / 2
	case t < 1:
		return 1 - (1-t)*(1-t)/2
	}
	return 1
}
