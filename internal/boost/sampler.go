package boost

import (
	"math"

	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/hash"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// sampler chooses the rows and columns that a tree is grown on.
type sampler struct {
	colsample, trim float64

	seed      uint64
	iteration int   // current iteration
	tree      int   // current tree of the iteration
	columns   []int // columns that can be split on

	residuals *loss.Residuals
	kernels   *kernel.Funcs
	team      *par.Team
	group     *collective.Group

	chosen *tree.Partition // the rows that the tree is grown on
	rest   *tree.Partition // the others, in the same memory, if rows are trimmed without a sample; else nil
	rows   *rowDraw        // draws the rows of a tree; nil: all rows
	sample *sample         // copy of the rows drawn, whose numbers chosen holds; nil: all rows

	out    []uint8    // by row: whether it leaves chosen for rest; nil: unless rows are trimmed without a sample
	memory *mem.Block // of out
}

// Codes of rows for the partition.
const stays, leaves = 1, 2

// newSampler returns a sampler; all is the number of rows on all machines.
func newSampler(p *Params, train *data.Set, all int, bins tree.Bins, r *loss.Residuals, k *kernel.Funcs, team *par.Team) *sampler {
	rows := len(r.Labels)
	s := &sampler{
		colsample: p.ColsampleByTree, trim: p.Trim,
		seed: p.Seed, columns: train.Columns(),
		residuals: r, kernels: k, team: team, group: train.Ranks,
	}
	switch {
	case p.Subsample < 1:
		drawn := Share(p.Subsample, all)
		s.rows = newRowDraw(train.IDs, rows, all, drawn, train.Ranks)
		drawn = min(drawn, rows)
		s.sample = newSample(bins.Coarse, bins.CoarseMapper, r, drawn)
		s.chosen = tree.NewPartition(drawn)
	case p.Trim > 0:
		s.chosen, s.memory = tree.NewPartition(rows), mem.New(rows)
		s.out = s.memory.Bytes()
	default:
		s.chosen = tree.NewPartition(rows)
	}
	return s
}

// free releases the memory.
func (s *sampler) free() {
	s.out, s.rest = nil, nil
	s.chosen.Free()
	if s.sample != nil {
		s.sample.free()
	}
	s.memory.Free()
}

// all returns a partition of all rows.
func (s *sampler) all() *tree.Partition {
	if s.sample != nil {
		return s.sample.all
	}
	return s.chosen
}

// startIteration starts an iteration. Its draws depend on the seed, the number of the iteration
// and the numbers of its trees, so a continued run draws as an uninterrupted one.
func (s *sampler) startIteration(iteration int) { s.iteration, s.tree = iteration, 0 }

// nextTree goes on to the next tree of the iteration.
func (s *sampler) nextTree() { s.tree++ }

// seedOf returns the seed of a draw for the current tree.
func (s *sampler) seedOf(p hash.Purpose) uint64 { return hash.Seed(s.seed, p, s.iteration, s.tree) }

// drawColumns draws the columns of a tree.
func (s *sampler) drawColumns() []int {
	if s.colsample == 1 {
		return s.columns
	}
	return hash.Choose(s.seedOf(hash.TreeColumns), s.columns, Share(s.colsample, len(s.columns)), new([]uint64))
}

// chooseRows chooses the rows that a tree is grown on. The others are moved by its leaf values,
// but do not shape it.
func (s *sampler) chooseRows() {
	rows := len(s.residuals.Labels)
	if s.rows != nil {
		drawn := s.rows.draw(s.seedOf(hash.TreeRows), s.team)
		if s.trim > 0 {
			drawn = s.trimDrawn(drawn)
		}
		s.sample.copyRows(s.residuals, drawn, s.team)
		s.chosen.Fill(len(drawn))
		return
	}
	s.chosen.Fill(rows)
	if s.out == nil {
		return
	}
	s.trimRows()
	s.rest = s.chosen.Cut(s.chosen.SplitBy(s.kernels, s.out, tree.Test{Last: stays}, 0, rows, s.team))
}

// trimDrawn trims the rows drawn.
func (s *sampler) trimDrawn(drawn []uint32) []uint32 {
	least, bits := s.influence(len(drawn), drawn)
	kept := 0
	for i, row := range drawn {
		drawn[kept] = row
		if bits[i] >= least {
			kept++
		}
	}
	return drawn[:kept]
}

// trimRows trims the rows whose 1 − p_y is below Trim times the weighted mean. A
// row at the mean or above always stays.
func (s *sampler) trimRows() {
	rows := len(s.out)
	least, bits := s.influence(rows, nil)
	s.team.Do(kernel.Blocks(rows), func(_, b int) {
		first, end := kernel.Block(b, rows)
		out := s.out[first:end]
		for i, b := range bits[first:end] {
			out[i] = stays | leaves&-uint8((b-least)>>31)
		}
	})
}

// influence returns 1 − p_y of n rows, those drawn or (nil) all, and the least that is not
// trimmed, as the bits of float32. The bits of numbers that are not negative have the order of
// the numbers, and comparing them takes no branch that could be mispredicted. They are valid
// until the partition is split.
func (s *sampler) influence(n int, drawn []uint32) (least uint32, bits []uint32) {
	bits = s.chosen.Scratch()[:n]
	type sums struct{ influence, weight int64 } // in units
	units := s.residuals.Units
	blocks := make([]sums, kernel.Blocks(n))
	s.team.Do(len(blocks), func(_, b int) {
		first, end := kernel.Block(b, n)
		sum := &blocks[b]
		if drawn == nil && s.residuals.Weights == nil {
			sum.influence = s.residuals.Influences(bits[first:end], first)
			sum.weight = int64(end-first) * loss.Count(1, units.Weights)
			return
		}
		for i := first; i < end; i++ {
			row := i
			if drawn != nil {
				row = int(drawn[i])
			}
			w, influence := s.residuals.Weight(row), s.residuals.Influence(row)
			bits[i] = math.Float32bits(influence)
			sum.influence += loss.Count(w*float64(influence), units.Sums)
			sum.weight += loss.Count(w, units.Weights)
		}
	})
	var all sums
	for _, b := range blocks {
		all.influence += b.influence
		all.weight += b.weight
	}
	if s.group != nil {
		v := []int64{all.influence, all.weight}
		s.group.Sum(v)
		all = sums{v[0], v[1]}
	}
	if all.weight == 0 {
		return 0, bits
	}
	mean := float64(all.influence) * units.Sums / (float64(all.weight) * units.Weights)
	return math.Float32bits(float32(s.trim * mean)), bits
}
