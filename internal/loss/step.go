package loss

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/kernel"
)

// Newton computes leaf values: Newton steps, clipped and shrunk.
type Newton struct {
	Shrinkage float64 // v in the paper; applied last
	MaxStep   float64 // leaf values are clipped to ±MaxStep before shrinkage
	L2        float64 // added to the Hessian
	Named     int     // classes that a leaf moves by steps of their own, relative to all others; 0: all
	Custom    bool    // of a loss of the caller's, whose gradients are taken as they are
	Absent    []bool  // by class: the rows have none of it, so that its score stays; nil: they have all
}

// Step returns v·clip(G/(H + L2)) for the gradient g and the Hessian h (paper,
// equation (19)).
func (n *Newton) Step(g, h float64) float32 {
	return float32(float64(n.Shrinkage * n.clip(g, h)))
}

// PairStep returns the leaf value of a class pair from its sums of g and h, in units. In
// LogitBoost a class stands alone and is paired with the padding class; its
// gradient is scaled by (K−1)/K.
func (n *Newton) PairStep(sumG, sumH int64, unit float64, pair kernel.Pair, classes int) float32 {
	g, h := float64(sumG)*unit, float64(sumH)*unit
	if int(pair.S) >= classes {
		k := float64(classes)
		g = float64((k - 1) / k * g)
	}
	return n.Step(g, h)
}

// PairWithin is PairStep, before shrinkage, within a box.
func (n *Newton) PairWithin(g, h float64, pair kernel.Pair, box *Box) float64 {
	if k := float64(len(box.Low)); float64(pair.S) >= k {
		g = float64((k - 1) / k * g)
	}
	low, high := box.pair(pair.R, pair.S)
	return min(max(n.clip(g, h), low), high)
}

// Shrink returns a leaf value after shrinkage.
func (n *Newton) Shrink(value float64) float32 { return float32(float64(n.Shrinkage * value)) }

// ShortClasses is the number of classes from which on the values of full leaves are
// rounded: to multiples of a power of two, a 64th to a 128th of the shrinkage. 16 bits
// then hold them and their sums over many trees, and files take less than half of the
// room. A leaf would need thousands of rows of a class to know its step better.
const ShortClasses = 100

// Round returns a value of a full leaf of this many classes, after shrinkage, as trees keep it.
func (n *Newton) Round(value float64, classes int) float32 {
	if classes < ShortClasses {
		return float32(value)
	}
	_, exponent := math.Frexp(n.Shrinkage)
	unit := math.Ldexp(1, max(exponent-7, -1000))                  // not zero
	return float32(float64(math.RoundToEven(value/unit)*unit) + 0) // no minus zero
}

// FullLeaf writes a leaf value for every class: (K−1)/K · m_k/(h_kk + L2), or without
// (K−1)/K if Custom, clipped, then centred so that the values sum to zero, then
// multiplied by Shrinkage and rounded. The values of absent classes are zero.
func (n *Newton) FullLeaf(values []float32, t *Totals, unit float64) {
	k := float64(len(values))
	steps, mean := slices.Grow(make([]float64, 0, 64), len(values)), 0.0 // on the stack if they are few
	for i := range values {
		steps = append(steps, n.full(t, unit, i, k))
		mean += steps[i]
	}
	mean /= k
	if n.Absent != nil {
		n.centerPresent(steps)
		mean = 0
	}
	for i, step := range steps {
		values[i] = n.Round(float64(n.Shrinkage*(step-mean)), len(values))
	}
}

// centerPresent sets the steps of absent classes to zero, and subtracts their mean from those of the others.
func (n *Newton) centerPresent(steps []float64) {
	sum, present := 0.0, 0.0
	for i, step := range steps {
		if !n.Absent[i] {
			sum += step
			present++
		}
	}
	for i := range steps {
		if steps[i] -= sum / present; n.Absent[i] {
			steps[i] = 0
		}
	}
}

// FullLeafWithin is FullLeaf, before shrinkage, within a box.
func (n *Newton) FullLeafWithin(values []float64, t *Totals, unit float64, box *Box) {
	k := float64(len(values))
	mean := 0.0
	for i := range values {
		values[i] = n.full(t, unit, i, k)
		mean += values[i]
	}
	if mean /= k; n.Absent != nil {
		n.centerPresent(values)
		mean = 0
	}
	box.center(values, mean, n.MaxStep)
}

func (n *Newton) full(t *Totals, unit float64, i int, k float64) float64 {
	factor := (k - 1) / k
	if n.Custom {
		factor = 1
	}
	return n.clip(float64(factor*(unit*float64(t.Gradient[i]))), unit*float64(t.Hessian[i]))
}

// TopClasses sets the values of the classes that gain most by steps of their own, one pair of
// class and padding class each, and those of no class to zero. All other classes take a
// common step, the Newton step of their sum, which the softmax does not see: values are
// relative to it. The best classes are those that gain most by not taking it.
func (n *Newton) TopClasses(values []float32, pairs []kernel.Pair, t *Totals, unit float64, classes int) {
	named := min(n.Named, classes)
	t.Grow(classes, named)
	best, common := make([]int, 0, named+1), 0.0
	for range 2 { // the first round does not know the common step yet
		best = n.worth(best[:0], named, t, unit, classes, common)
		common = n.common(best, t.Of, t.sum(classes), unit, classes)
	}
	slices.Sort(best)
	for i := range values {
		values[i], pairs[i] = 0, kernel.Pair{R: int32(classes), S: int32(classes)}
		if i < len(best) {
			pairs[i].R = int32(t.List[best[i]])
			values[i] = float32(float64(n.Shrinkage * (n.own(t.Of[best[i]], unit, classes) - common)))
		}
	}
}

// SameClasses sets the values of the classes that pairs have, as TopClasses does those of the classes
// that it finds.
func (n *Newton) SameClasses(values []float32, pairs []kernel.Pair, t *Totals, unit float64, classes int) {
	of, places := make([]ClassTotals, 0, len(pairs)), make([]int, 0, len(pairs))
	for _, pair := range pairs {
		if int(pair.R) < classes {
			places, of = append(places, len(of)), append(of, t.of(uint32(pair.R)))
		}
	}
	common := n.common(places, of, t.sum(classes), unit, classes)
	for i, pair := range pairs {
		values[i] = 0
		if int(pair.R) < classes {
			values[i] = float32(float64(n.Shrinkage * (n.own(of[0], unit, classes) - common)))
			of = of[1:]
		}
	}
}

// own returns the step of a class by itself.
func (n *Newton) own(t ClassTotals, unit float64, classes int) float64 {
	factor := float64(classes-1) / float64(classes)
	return n.clip(float64(factor*(unit*float64(t.Gradient))), unit*float64(t.Hessian))
}

// worth returns the places of the classes whose own steps gain most over the common one, the
// best first, and the lower class first in a tie. Absent classes are none of them.
func (n *Newton) worth(best []int, named int, all *Totals, unit float64, classes int, common float64) []int {
	gains := make([]float64, 0, named+1)
	for place, t := range all.Of {
		if n.Absent != nil && n.Absent[all.List[place]] {
			continue
		}
		step, g, h := n.own(t, unit, classes), unit*float64(t.Gradient), unit*float64(t.Hessian)+n.L2
		gain := float64((step - common) * (g - float64(h*float64((step+common)/2)))) // of the loss in second order
		if len(gains) == named && gain <= gains[named-1] {
			continue
		}
		i := len(gains)
		for i > 0 && gain > gains[i-1] {
			i--
		}
		gains, best = slices.Insert(gains, i, gain), slices.Insert(best, i, place)
		gains, best = gains[:min(len(gains), named)], best[:min(len(best), named)]
	}
	return best
}

// common returns the Newton step of all classes but the best together, given the totals of all;
// if there is no other class, the mean of their steps.
func (n *Newton) common(best []int, of []ClassTotals, all ClassTotals, unit float64, classes int) float64 {
	mean := 0.0
	for _, place := range best {
		t := of[place]
		all.Gradient, all.Hessian = all.Gradient-t.Gradient, all.Hessian-t.Hessian
		mean += n.own(t, unit, classes)
	}
	if len(best) == classes {
		return mean / float64(classes)
	}
	return n.own(all, unit, classes)
}

// clip returns G/(H + L2) clipped to ±MaxStep. A zero gradient gives zero even
// if the Hessian is zero.
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
