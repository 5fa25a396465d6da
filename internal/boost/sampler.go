package boost

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// sampler chooses the rows and columns that a tree is grown on.
type sampler struct {
	subsample, colsample, trim float64

	seed    uint64
	source  *rand.PCG
	draws   *rand.Rand // of the iteration at hand
	columns []int      // that can be split on

	residuals *loss.Residuals
	kernels   *kernel.Funcs
	team      *par.Team

	chosen *tree.Partition // the rows that the tree is grown on
	rest   *tree.Partition // the others, if trimming alone leaves rows out; else nil
	sample *sample         // a copy of the rows drawn, of which chosen holds the numbers; nil: none are drawn

	influence []float32     // by row: 1 − p_y
	out       []uint8       // by row: whether it leaves chosen for rest
	memory    [2]*mem.Block // of influence and out
}

// Codes of rows for the partition.
const stays, leaves = 1, 2

func newSampler(p *Params, columns []int, bins tree.Bins, r *loss.Residuals, k *kernel.Funcs, team *par.Team) *sampler {
	rows := len(r.Labels)
	s := &sampler{
		subsample: p.Subsample, colsample: p.ColsampleByTree, trim: p.Trim,
		seed: p.Seed, source: rand.NewPCG(p.Seed, 0), columns: columns,
		residuals: r, kernels: k, team: team,
	}
	s.draws = rand.New(s.source)
	switch {
	case p.Subsample < 1:
		drawn := share(p.Subsample, rows)
		s.sample = newSample(bins.Coarse, bins.CoarseMapper, r, drawn)
		s.chosen = tree.NewPartition(drawn)
		s.influence = make([]float32, drawn)
	case p.Trim > 0:
		s.chosen, s.rest = tree.NewPartition(rows), tree.NewPartition(rows)
		s.memory = [2]*mem.Block{mem.New(4 * rows), mem.New(rows)}
		s.influence, s.out = mem.View[float32](s.memory[0]), mem.View[uint8](s.memory[1])
	default:
		s.chosen = tree.NewPartition(rows)
	}
	return s
}

// free gives the memory back; nothing may use it any more.
func (s *sampler) free() {
	s.influence, s.out = nil, nil
	s.chosen.Free()
	if s.rest != nil {
		s.rest.Free()
	}
	if s.sample != nil {
		s.sample.free()
	}
	for _, m := range s.memory {
		m.Free()
	}
}

// all is a partition with room for all rows.
func (s *sampler) all() *tree.Partition {
	if s.sample != nil {
		return s.sample.all
	}
	return s.chosen
}

// begin seeds the draws of an iteration. They depend on the seed and the number
// of the iteration alone, so a continued training draws as an uninterrupted one.
func (s *sampler) begin(iteration int) {
	const golden = 0x9e3779b97f4a7c15 // keeps the streams of neighbours far apart
	s.source.Seed(s.seed, uint64(iteration+1)*golden)
}

// drawColumns draws the columns of a tree.
func (s *sampler) drawColumns() []int {
	if s.colsample == 1 || len(s.columns) == 0 {
		return s.columns
	}
	columns := slices.Clone(s.columns)
	s.draws.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	columns = columns[:share(s.colsample, len(columns))]
	slices.Sort(columns)
	return columns
}

// chooseRows chooses the rows that a tree is grown on. The others move by its
// leaf values, but do not shape it.
func (s *sampler) chooseRows() {
	rows := len(s.residuals.Labels)
	if s.sample != nil {
		drawn := data.DrawRows[uint32](s.draws, rows, share(s.subsample, rows))
		if s.trim > 0 {
			drawn = s.trimDrawn(drawn)
		}
		s.sample.take(s.residuals, drawn, s.team)
		s.chosen.Fill(len(drawn))
		return
	}
	s.chosen.Fill(rows)
	if s.rest == nil {
		return
	}
	s.trimRows()
	in := s.chosen.SplitBy(s.kernels, s.out, tree.Test{Last: stays}, 0, rows, s.team)
	s.rest.Rows = append(s.rest.Rows[:0], s.chosen.Rows[in:]...)
	s.chosen.Rows = s.chosen.Rows[:in]
}

// trimDrawn trims the rows drawn.
func (s *sampler) trimDrawn(drawn []uint32) []uint32 {
	least := s.leastInfluence(len(drawn), drawn)
	kept := 0
	for i, row := range drawn {
		drawn[kept] = row
		if math.Float32bits(s.influence[i]) >= least {
			kept++
		}
	}
	return drawn[:kept]
}

// trimRows trims the rows whose 1 − p_y is below Trim times the weighted mean. A
// row at the mean or above always stays.
func (s *sampler) trimRows() {
	rows := len(s.out)
	least := s.leastInfluence(rows, nil)
	s.team.Do(kernel.Blocks(rows), func(_, b int) {
		first, end := kernel.Block(b, rows)
		out := s.out[first:end]
		for i, influence := range s.influence[first:end] {
			out[i] = stays | leaves&-uint8((math.Float32bits(influence)-least)>>31)
		}
	})
}

// leastInfluence stores 1 − p_y of n rows, those drawn or (nil) all, and returns
// the least that is not trimmed, as the bits of a float32. The bits of numbers
// that are not negative have the order of the numbers, and to compare them takes
// no branch that could be mispredicted.
func (s *sampler) leastInfluence(n int, drawn []uint32) uint32 {
	type sums struct{ influence, weight int64 } // in units
	units := s.residuals.Units
	blocks := make([]sums, kernel.Blocks(n))
	s.team.Do(len(blocks), func(_, b int) {
		first, end := kernel.Block(b, n)
		sum := &blocks[b]
		for i := first; i < end; i++ {
			row := i
			if drawn != nil {
				row = int(drawn[i])
			}
			w, influence := s.residuals.Weight(row), s.residuals.Influence(row)
			s.influence[i] = influence
			sum.influence += loss.Count(w*float64(influence), units.Sums)
			sum.weight += loss.Count(w, units.Weights)
		}
	})
	var all sums
	for _, b := range blocks {
		all.influence += b.influence
		all.weight += b.weight
	}
	if all.weight == 0 {
		return 0
	}
	mean := float64(all.influence) * units.Sums / (float64(all.weight) * units.Weights)
	return math.Float32bits(float32(s.trim * mean))
}
