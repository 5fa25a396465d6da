package aoso

import (
	"fmt"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
)

// RefitOptions say how to refit a model. The zero value is the default.
type RefitOptions struct {
	Weights []float64 // by row, as for a dataset; nil: all one
	Keep    float64   // share of its old values that a leaf keeps, 0 to 1
	Threads int       // 0: all cores that the process may use
}

// Refit returns a model of the same trees whose leaves have the values that
// other data give them. From scores of zero, one iteration after the other, a
// leaf takes the step that training would: a Newton step from the
// probabilities by the iterations before, as refitted, of the rows that reach
// it, for the leaf's class pairs or for all classes, with the model's
// shrinkage, MaxStep and L2. The new value is Keep of the old one and 1 − Keep
// of that step. Rows of weight zero count for nothing; a leaf that no row
// reaches stays as it is.
//
// Splits, class pairs and gains stay; the numbers of rows of nodes and leaves
// become those of the new data. The refitted model has no temperature. Refit
// on its own training data, a model trained without trimming or on a subsample
// stays the same but for rounding.
func (m *Model) Refit(x Features, labels Labels, o RefitOptions) (*Model, error) {
	if err := m.checkFeatures(x); err != nil {
		return nil, err
	}
	if len(labels) != x.Rows() {
		return nil, badArgument("labels", len(labels), "%d, one for each row", x.Rows())
	}
	if !(o.Keep >= 0 && o.Keep <= 1) {
		return nil, badArgument("keep", o.Keep, "0 to 1")
	}
	if err := checkThreads(o.Threads); err != nil {
		return nil, err
	}
	weights, err := checkWeights(o.Weights, x.Rows())
	if err != nil {
		return nil, err
	}
	codes, unknown := codesOf(labels, m.classes)
	if unknown > 0 {
		return nil, badArgument("labels", fmt.Sprintf("%d rows of unknown classes", unknown), "the classes of the model: %s", listed(m.classes))
	}
	p, err := m.params.resolve(len(m.classes))
	if err != nil {
		return nil, err
	}
	k, err := kernels("")
	if err != nil {
		return nil, err
	}
	f := m.forest.Clone()
	team := par.NewTeam(o.Threads)
	defer team.Close()
	r := &refit{
		replay: replay{
			x: x, forest: f, perRound: m.perRound, team: team,
			state: newState(codes, weights, len(m.classes), true, k, team),
		},
		keep: o.Keep,
	}
	defer r.state.free()
	r.state.keep(nil, 1)
	r.values = tree.LeafValues{
		Kernels: k, Residuals: r.state.residuals, Team: team,
		Newton: loss.Newton{Shrinkage: p.Shrinkage, MaxStep: p.MaxStep, L2: p.L2},
	}
	r.run(r.refitTree, nil)
	return m.with(f), nil
}

// refit is a refitting under way. The forest is its own.
type refit struct {
	replay
	keep   float64
	values tree.LeafValues
}

// refitTree refits the leaves of a tree to the rows that reach them.
func (r *refit) refitTree(t int) {
	refitted := r.forest.Tree(t)
	leaves := tree.LeavesOf(refitted)
	for i := range leaves {
		leaves[i].Steps = make([]float32, len(leaves[i].Steps))
	}
	r.values.Set(leaves, r.rowsOf)
	for i, leaf := range leaves {
		if leaf.Rows == 0 {
			refitted.SetLeaf(i, nil, 0)
			continue
		}
		for j, old := range refitted.Leaf(i).Values() {
			leaf.Steps[j] = float32(float64(r.keep*float64(old)) + float64((1-r.keep)*float64(leaf.Steps[j])))
		}
		refitted.SetLeaf(i, leaf.Steps, leaf.Rows)
	}
	refitted.CountRows()
}
