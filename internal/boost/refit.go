package boost

import (
	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// Refit returns the same trees with the leaf values that training would give them on other data.
// keep is the weight of the old values. The trees meet the monotone constraints, signs by
// feature and class, before and after.
func Refit(f *model.Forest, x bin.Source, t *data.Target, p Params, signs [][]int8, keep float64, k *kernel.Funcs, team *par.Team) *model.Forest {
	if p.LeafClasses = f.Named(); f.Named() > 0 {
		p.Leaf = "sparse"
	}
	r := &refit{
		replay: replay{
			x: x, forest: f.Clone(), perIteration: p.TreesPerIteration(len(t.Classes)), team: team,
			state: newState(t, p.stateParams(), rawScores(f.Linear(), x, k, team), k, team),
		},
		keep: keep, signs: signs,
	}
	defer r.state.free()
	r.state.residuals.Soften(t.Soft, p.LabelSmoothing)
	if f.Named() == 0 {
		r.state.keepScores(nil, 1)
	} else {
		r.state.reset()
	}
	r.values = tree.LeafValues{Kernels: k, Residuals: r.state.residuals, Newton: p.newton(), Again: true, Team: team}
	r.run(r.refitTree, nil)
	return r.forest
}

// refit is a refit in progress. It owns the forest.
type refit struct {
	replay
	keep   float64
	signs  [][]int8
	values tree.LeafValues
}

// refitTree refits the leaves of a tree to the rows that reach them.
func (r *refit) refitTree(t int, segments []tree.Segment) {
	refitted := r.forest.Tree(t)
	leaves := tree.LeavesOf(refitted)
	for i := range leaves {
		leaves[i].Steps = make([]float32, len(leaves[i].Steps))
	}
	if r.signs != nil {
		tree.Bound(leaves, refitted, r.signs, r.forest.Classes(), r.values.Newton.Shrinkage)
	}
	r.values.Set(leaves, segments)
	for i, leaf := range leaves {
		if leaf.Rows == 0 {
			refitted.SetLeaf(i, nil, 0)
			continue
		}
		for j, old := range refitted.Leaf(i).Values() {
			value := float64(r.keep*float64(old)) + float64((1-r.keep)*float64(leaf.Steps[j]))
			if r.forest.Full() {
				leaf.Steps[j] = r.values.Newton.Round(value, r.forest.Classes())
			} else {
				leaf.Steps[j] = float32(value)
			}
		}
		refitted.SetLeaf(i, leaf.Steps, leaf.Rows)
	}
	refitted.CountRows()
}
