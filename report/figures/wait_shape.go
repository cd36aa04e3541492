package figures

import (
	"math"
	"time"

	"herdsim/strategies"
)

const (
	shapeQuantiles = 4096
	shapeGroup     = 64                  // quantiles of one step
	drawnGroup     = 160                 // where they are drawn, and ragged
	atomRun        = shapeQuantiles / 64 // equal quantiles that make an atom
)

// A waitShape is the distribution of one wait as it is drawn: steps of equal mass, each as high as its density, and
// atoms, where clients meet.
type waitShape struct {
	steps []shapeStep
	atoms []shapeAtom
}

type shapeStep struct {
	from, to time.Duration
	height   float64 // density over the highest of the shape
}

type shapeAtom struct {
	at    time.Duration
	share float64
}

// newShape reads the shape off quantiles in rising order, each of which stands for an equal part of the clients. So many
// make a step.
func newShape(q []time.Duration, group int) waitShape {
	var s waitShape
	begin := 0 // of what has not yet been looked at
	for i := 0; i < len(q); {
		j := i + 1
		for j < len(q) && q[j] == q[i] {
			j++
		}
		if j-i >= atomRun {
			s.addSteps(q[begin:i], group)
			s.atoms = append(s.atoms, shapeAtom{q[i], float64(j-i) / float64(len(q))})
			begin = j
		}
		i = j
	}
	s.addSteps(q[begin:], group)
	highest := 0.0
	for _, step := range s.steps {
		highest = math.Max(highest, step.height)
	}
	for i := range s.steps {
		s.steps[i].height /= highest
	}
	return s
}

// addSteps cuts quantiles without atoms into steps; a height is yet a mass by time.
func (s *waitShape) addSteps(q []time.Duration, group int) {
	if len(q) < 2 || q[0] == q[len(q)-1] {
		return
	}
	// An edge lies half way to the value before; the ends are as far outside as the next value is inside.
	second, last := 1, len(q)-2
	for q[second] == q[0] {
		second++
	}
	for q[last] == q[len(q)-1] {
		last--
	}
	edge := func(i int) float64 {
		switch i {
		case 0:
			return float64(q[0]) - float64(q[second]-q[0])/2
		case len(q):
			return float64(q[i-1]) + float64(q[i-1]-q[last])/2
		}
		return float64(q[i-1])/2 + float64(q[i])/2
	}
	for i, j := 0, 0; i < len(q); i = j {
		if j = i + group; len(q)-j < group/2 {
			j = len(q)
		}
		for j < len(q) && q[j] == q[j-1] { // waits in whole seconds, say: a step ends between two of them
			j++
		}
		if from, to := edge(i), edge(j); to > from {
			s.steps = append(s.steps, shapeStep{duration(math.Max(0, from)), duration(to), float64(j-i) / (to - from)})
		}
	}
}

// most is the largest share of an atom.
func (s waitShape) most() float64 {
	most := 0.0
	for _, a := range s.atoms {
		most = math.Max(most, a.share)
	}
	return most
}

// shapes returns the shape of each of the first waits, as far as the rows go.
func (w Waiting) shapes() []waitShape {
	shapes, group := make([]waitShape, len(w.Rows)), shapeGroup
	if strategies.ReadsPrevious(w.Strategy) || strategies.ReadsSlept(w.Strategy) {
		group = drawnGroup
	}
	for i, q := range strategies.Quantiles(w.Strategy, len(w.Rows), shapeQuantiles) {
		shapes[i] = newShape(q, group)
		shapes[i].beginAt(w.Rows[i].Min)
	}
	return shapes
}

// beginAt lets the shape begin at the shortest wait if its first step does but for the width of a quantile. On a
// logarithmic axis the least bit above 0 would lie far from it.
func (s *waitShape) beginAt(shortest time.Duration) {
	if len(s.steps) == 0 {
		return
	}
	if first := &s.steps[0]; (first.from - shortest).Abs() < (first.to-first.from)/16 {
		first.from = shortest
	}
}
