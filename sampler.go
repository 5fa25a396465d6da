package aoso

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// sampler chooses the rows and features that a tree is grown on.
type sampler struct {
	subsample, colsample, trim float64

	seed    uint64
	source  *rand.PCG
	draws   *rand.Rand // of the iteration at hand
	columns []int      // that can be split on

	residuals *loss.Residuals
	kernels   *kernel.Funcs
	team      *par.Team

	chosen    *tree.Partition // the rows that the tree is grown on
	rest      *tree.Partition // the other rows; nil: there never are any
	influence []float32       // by row: 1 − p_y
	out       []uint8         // by row: whether it leaves chosen for rest
	memory    [2]*mem.Block   // of influence and out
}

// Codes of rows for the partition.
const stays, leaves = 1, 2

func newSampler(p *Params, columns []int, r *loss.Residuals, k *kernel.Funcs, team *par.Team) *sampler {
	rows := len(r.Labels)
	s := &sampler{
		subsample: p.Subsample, colsample: p.ColsampleByTree, trim: p.Trim,
		seed: p.Seed, source: rand.NewPCG(p.Seed, 0), columns: columns,
		residuals: r, kernels: k, team: team,
		chosen: tree.NewPartition(rows),
	}
	s.draws = rand.New(s.source)
	if p.Subsample < 1 || p.Trim > 0 {
		s.rest = tree.NewPartition(rows)
		s.memory = [2]*mem.Block{mem.New(4 * rows), mem.New(rows)}
		s.influence, s.out = mem.View[float32](s.memory[0]), mem.View[uint8](s.memory[1])
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
	for _, m := range s.memory {
		m.Free()
	}
}

// begin makes the draws those of an iteration. They depend on the seed and its
// number alone, so a training that is continued draws as one in a single go.
func (s *sampler) begin(iteration int) {
	const golden = 0x9e3779b97f4a7c15 // keeps the streams of neighbours far apart
	s.source.Seed(s.seed, uint64(iteration+1)*golden)
}

// drawColumns draws the features of a tree.
func (s *sampler) drawColumns() []int {
	if s.colsample == 1 || len(s.columns) == 0 {
		return s.columns
	}
	columns := slices.Clone(s.columns)
	s.draws.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	columns = columns[:sampleSize(s.colsample, len(columns))]
	slices.Sort(columns)
	return columns
}

// chooseRows draws the rows of a tree and leaves those out that are all but
// learnt. They get the steps of the tree, but do not shape it.
func (s *sampler) chooseRows() {
	rows := len(s.residuals.Labels)
	s.chosen.Fill(rows)
	if s.rest == nil {
		return
	}
	for i := range s.out {
		s.out[i] = stays
	}
	if s.subsample < 1 {
		s.drawRows()
	}
	if s.trim > 0 {
		s.trimRows()
	}
	in := s.chosen.SplitBy(s.kernels, s.out, stays, false, 0, rows, s.team)
	s.rest.Rows = append(s.rest.Rows[:0], s.chosen.Rows[in:]...)
	s.chosen.Rows = s.chosen.Rows[:in]
}

func (s *sampler) drawRows() {
	rows := len(s.out)
	drawn := drawRows[uint32](s.draws, rows, sampleSize(s.subsample, rows))
	for i := range s.out {
		if len(drawn) > 0 && int(drawn[0]) == i {
			drawn = drawn[1:]
		} else {
			s.out[i] = leaves
		}
	}
}

// trimRows leaves drawn rows out whose 1 − p_y is below Trim times the mean of
// the drawn ones, which counts a row of weight w as w rows. A row at the mean
// or above always stays.
func (s *sampler) trimRows() {
	rows := len(s.out)
	type sums struct{ influence, weight float64 }
	blocks := make([]sums, kernel.Blocks(rows))
	s.team.Do(len(blocks), func(_, b int) {
		first, end := kernel.Block(b, rows)
		s.residuals.Influence(s.influence[first:end], first)
		sum := &blocks[b]
		for i := first; i < end; i++ {
			if s.out[i] == stays {
				w := s.residuals.Weight(i)
				sum.influence += float64(w * float64(s.influence[i]))
				sum.weight += w
			}
		}
	})
	var all sums
	for _, b := range blocks {
		all.influence += b.influence
		all.weight += b.weight
	}
	if all.weight == 0 {
		return
	}
	// The bits of what is not negative are in its order: no branch to mispredict.
	least := math.Float32bits(float32(s.trim * all.influence / all.weight))
	s.team.Do(len(blocks), func(_, b int) {
		first, end := kernel.Block(b, rows)
		out := s.out[first:end]
		for i, influence := range s.influence[first:end] {
			out[i] |= leaves & -uint8((math.Float32bits(influence)-least)>>31)
		}
	})
}
