package tree

import (
	"math"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/kernel"
)

// Bound narrows the bounds of leaves so that their new steps meet the monotone constraints that
// the values of t meet: where a node splits on a constrained column, the leaves below stay on
// their side of the middle between the values of both sides. Classes without a value in a leaf
// count as zero. A value is a step times shrinkage.
func Bound(leaves []Leaf, t model.Tree, signs [][]int8, classes int, shrinkage float64) {
	values := make([][]float64, len(leaves))
	for i := range leaves {
		leaves[i].box, values[i] = loss.NewBox(classes), make([]float64, classes)
		t.Leaf(i).AddTo(values[i])
	}
	cuts := make([]kernel.Cut, t.NumNodes())
	t.Cuts(cuts)
	for i, node := range t.Nodes() {
		column := int(node.Split().Feature)
		if column >= len(signs) {
			continue
		}
		low, high := [2]uint32{cuts[i].Low, cuts[i].Middle}, [2]uint32{cuts[i].Middle, cuts[i].High}
		for k, sign := range signs[column] {
			switch sign {
			case 1:
				separate(leaves, values, k, low, high, shrinkage)
			case -1:
				separate(leaves, values, k, high, low, shrinkage)
			}
		}
	}
}

// separate bounds the steps of a class: the leaves low from above, the leaves high from below.
func separate(leaves []Leaf, values [][]float64, class int, low, high [2]uint32, shrinkage float64) {
	most, least := math.Inf(-1), math.Inf(1)
	for _, v := range values[low[0]:low[1]] {
		most = max(most, v[class])
	}
	for _, v := range values[high[0]:high[1]] {
		least = min(least, v[class])
	}
	middle := (most + least) / 2 / shrinkage
	for i := range leaves[low[0]:low[1]] {
		box := leaves[int(low[0])+i].box
		box.High[class] = min(box.High[class], middle)
	}
	for i := range leaves[high[0]:high[1]] {
		box := leaves[int(high[0])+i].box
		box.Low[class] = max(box.Low[class], middle)
	}
}
