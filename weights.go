package aoso

import (
	"fmt"
	"math"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/exact"
)

// BalancedWeights returns a weight for each class, with which all classes weigh the same: the
// weight of all rows divided by that of the class and by the number of classes. A class
// without rows has 1. With a collective, all ranks ask for it at once.
func (d *Dataset) BalancedWeights() []float64 {
	sums := d.set.ClassWeights()
	var total exact.Sum
	for k := range sums {
		total.Merge(&sums[k])
	}
	weights := make([]float64, len(sums))
	for k := range sums {
		if weights[k] = 1; sums[k].Float64() > 0 {
			weights[k] = total.Float64() / float64(float64(len(sums))*sums[k].Float64())
		}
	}
	return weights
}

// checkClassWeights checks the weights of this many classes; nil: all are 1.
func checkClassWeights(weights []float64, classes int) error {
	if weights == nil {
		return nil
	}
	if len(weights) != classes {
		return badArgument("class_weights", len(weights), "%d, one for each class", classes)
	}
	for k, w := range weights {
		if !(w > 0 && w <= math.MaxFloat32) {
			return badArgument(fmt.Sprintf("class_weights[%d]", k), w, "finite numbers above 0")
		}
	}
	return nil
}

// reweighted returns a set whose rows have their weight multiplied by that of their class. Of a soft label, each share is.
func reweighted(set *data.Set, classWeights []float64) (*data.Set, error) {
	if classWeights == nil {
		return set, nil
	}
	copied := *set
	copied.Weights = make([]float32, set.Rows())
	if set.Soft != nil {
		copied.Soft = &data.Soft{}
	}
	for i, y := range set.Labels {
		factor := classWeights[y]
		if set.Soft != nil {
			factor = copied.Soft.AppendWeighted(set.Soft, i, y, classWeights)
		}
		w := set.Weight(i) * factor
		if err := checkWeight(i, w); err != nil {
			return nil, err
		}
		copied.Weights[i] = float32(w)
	}
	return &copied, nil
}

// checkWeights narrows weights to float32, far from its bounds.
func checkWeights(weights []float64, rows int) ([]float32, error) {
	if weights == nil {
		return nil, nil
	}
	if len(weights) != rows {
		return nil, badArgument("weights", len(weights), "%d, one for each row", rows)
	}
	narrow := make([]float32, rows)
	positive := false
	for i, w := range weights {
		if err := checkWeight(i, w); err != nil {
			return nil, err
		}
		narrow[i] = float32(w)
		positive = positive || w > 0
	}
	if !positive && rows > 0 {
		return nil, errNoWeight()
	}
	return narrow, nil
}

func errNoWeight() error { return badArgument("weights", "all 0", "at least one above 0") }

func checkWeight(i int, w float64) error {
	if w != 0 && !(w >= data.MinWeight && w <= data.MaxWeight) {
		return badArgument(fmt.Sprintf("weights[%d]", i), w, "0, or 1e-15 to 1e15")
	}
	return nil
}
