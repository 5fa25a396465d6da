package boost

import (
	"math"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/hash"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// trees grows trees on the rows and columns that its sampler chooses.
type trees struct {
	train   *data.Set
	kernels *kernel.Funcs
	team    *par.Team

	all    *tree.Partition // of all rows
	values tree.LeafValues // from all rows
	perRow int             // residuals of a row that a pass over all rows reads; math.MaxInt: sparse ones

	coarse  *bin.Matrix // the training set in coarse bins; nil: its bins are few
	sampler *sampler    // nil: no trees are grown
	grower  *tree.Grower
}

func newTrees(j *Job, r *loss.Residuals) *trees {
	g := &trees{train: j.Train, kernels: j.Kernels, team: j.Team, perRow: math.MaxInt}
	if _, dense := r.Form.(*loss.Dense); dense {
		g.perRow = r.Stride
	}
	group, rows := g.train.Ranks, g.train.AllRows()
	if j.Refit != nil {
		g.all = tree.NewPartition(g.train.Rows())
		g.values = tree.LeafValues{Kernels: g.kernels, Residuals: r, Newton: j.Params.newton(), Again: true, Team: g.team, Group: group}
		return g
	}
	bins := tree.Bins{Matrix: g.train.Matrix, Mapper: g.train.Mapper}
	bins.Coarse, bins.CoarseMapper = bins.Matrix.Coarsen(bins.Mapper, j.Params.SearchBins(), g.team)
	if bins.Coarse != bins.Matrix {
		g.coarse = bins.Coarse
	}
	sampling := j.Params
	if j.Objective != nil {
		sampling.Trim = 0 // there is no 1 − p_y to trim rows by
	}
	g.sampler = newSampler(&sampling, g.train, rows, bins, r, g.kernels, g.team)
	g.all = g.sampler.all()
	params := j.Params.tree(len(g.sampler.columns), r.Classes, j.CacheBytes)
	params.Newton.Custom = j.Objective != nil
	if j.Start != nil {
		params.Newton.Absent = absentClasses(&j.Train.Target)
	}
	params.Interactions = j.Interactions
	if j.Signs != nil {
		params.Monotone = &tree.Monotone{Signs: j.Signs, Middle: j.Params.sameClasses(r.Classes)}
	}
	if sample := g.sampler.sample; sample != nil {
		g.values = tree.LeafValues{Kernels: g.kernels, Residuals: r, Newton: params.Newton, Team: g.team, Group: group}
		rows = Share(j.Params.Subsample, rows)
		bins, r = sample.bins, sample.residuals
	}
	bins.Bytes = len(g.train.Columns()) * bin.ColumnBytes(rows)
	g.grower = tree.NewGrower(g.kernels, bins, r, params, g.sampler.chosen, g.team, group)
	return g
}

// free releases the memory.
func (g *trees) free() {
	if g.sampler == nil {
		g.all.Free()
		return
	}
	g.sampler.free()
	g.grower.Free()
	if g.coarse != nil {
		g.coarse.Free()
	}
}

// grow samples rows and columns and grows a tree on them. The segments hold the rows of its
// leaves: all rows except trimmed ones.
func (g *trees) grow(fixed []kernel.Pair) (*tree.Tree, []tree.Segment) {
	g.sampler.chooseRows()
	t, segments := g.grower.Grow(g.sampler.drawColumns(), fixed, g.sampler.seedOf(hash.NodeColumns))
	g.sampler.nextTree()
	if g.sampler.sample == nil {
		return t, segments
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		n.Bin = g.train.Mapper.Features[n.Split.Feature].Fine(&g.sampler.sample.bins.Mapper.Features[n.Split.Feature], n.Bin)
	}
	segments = g.order(t)
	g.values.Set(t.Leaves, segments)
	return t, segments
}

// order sorts all rows by their leaves in a tree.
func (g *trees) order(t *tree.Tree) []tree.Segment {
	return g.all.OrderAll(t, g.kernels, g.train.Matrix, g.perRow, g.team)
}

// orderTrimmed sorts the rows that were trimmed when the last tree was grown by their leaves in
// it.
func (g *trees) orderTrimmed(t *tree.Tree) []tree.Segment {
	rest := g.sampler.rest
	if rest == nil {
		return nil
	}
	return rest.Order(t, g.kernels, g.train.Matrix, g.perRow, g.team)
}
