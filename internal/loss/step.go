package loss

import (
	"math"

	"github.com/libaoso/aoso/kernel"
)

// Newton is a leaf's Newton step and its bounds.
type Newton struct {
	Shrinkage float64 // v, multiplies the step after all else
	MaxStep   float64 // clip of the step before shrinkage
	L2        float64 // added to the Hessian
}

// Step is v·G/(H + L2), the quotient clipped (paper, equation for t*).
func (n *Newton) Step(g, h float64) float32 {
	return float32(float64(n.Shrinkage * n.clip(g, h)))
}

// PairStep is the step of a class pair from its sums of g and h. A class by
// itself, paired with the impossible one, allows for the others as LogitBoost
// does: (K−1)/K of the step.
func (n *Newton) PairStep(g, h float64, pair kernel.Pair, classes int) float32 {
	if int(pair.S) >= classes {
		k := float64(classes)
		g = float64((k - 1) / k * g)
	}
	return n.Step(g, h)
}

// Full writes a step for every class: t_k = (K−1)/K · m_k/(h_kk + L2),
// clipped, centred to sum zero, shrunk.
func (n *Newton) Full(steps []float32, t *Totals) {
	k := float64(len(steps))
	mean := 0.0
	for i := range steps {
		mean += n.full(t, i, k)
	}
	mean /= k
	for i := range steps {
		steps[i] = float32(float64(n.Shrinkage * (n.full(t, i, k) - mean)))
	}
}

func (n *Newton) full(t *Totals, i int, k float64) float64 {
	return n.clip(float64((k-1)/k*t.Gradient[i]), t.Hessian[i])
}

// clip is G/(H + L2) within the bounds; rows without slope take no step.
func (n *Newton) clip(g, h float64) float64 {
	if g == 0 {
		return 0
	}
	t := g / (h + n.L2)
	if math.IsNaN(t) {
		return 0
	}
	return min(max(t, -n.MaxStep), n.MaxStep)
}
