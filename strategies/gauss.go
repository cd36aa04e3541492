package strategies

import "gonum.org/v1/gonum/integrate/quad"

// points is the number of Gauss points of a panel. On the panels used here the error falls by a factor of 30 or more
// with each.
const points = 12

// gauss integrates over [0, 1] by function values at fixed points.
type gauss struct {
	x, weight [points]float64
	lagrange  [points]float64         // 1 / product of x[j] - x[k] over the other k
	above     [points][points]float64 // above[i] are the weights of the integral from x[i] to 1
}

func newGauss() *gauss {
	g := &gauss{}
	quad.Legendre{}.FixedLocations(g.x[:], g.weight[:], 0, 1)
	for j := range g.x {
		g.lagrange[j] = 1 / g.distances(g.x[j], j)
	}
	for i, t := range g.x {
		g.above[i] = g.integral(t)
	}
	return g
}

// integral returns the weights of the integral from t to 1: those of the polynomial through the values.
func (g *gauss) integral(t float64) (weights [points]float64) {
	for q, x := range g.x {
		at := t + (1-t)*x
		for j := range weights {
			weights[j] += (1 - t) * g.weight[q] * g.lagrange[j] * g.distances(at, j)
		}
	}
	return weights
}

// distances returns the product of t - x[k] over all k but j.
func (g *gauss) distances(t float64, j int) float64 {
	product := 1.0
	for k, x := range g.x {
		if k != j {
			product *= t - x
		}
	}
	return product
}

func dot(a, b *[points]float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
