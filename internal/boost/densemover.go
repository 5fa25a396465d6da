package boost

import (
	"slices"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// denseMover moves residuals of all classes, and the scores if they are kept.
type denseMover struct {
	*state
	moves   []move
	updates []kernel.UpdateJob
	factors []float32 // leaves × Stride, tree after tree: factors of the odds
}

// move is rows that take the step of a leaf.
type move struct {
	rows []uint32
	leaf *tree.Leaf
	at   int // index of its factors
}

func (m *denseMover) begin(initial *initialScores) {
	classes, dense := m.residuals.Classes, m.residuals.Form.(*loss.Dense)
	if initial.Common() {
		scores := make([]float64, classes)
		initial.write(0, 1, scores)
		same := dense.NewSame(scores, m.kernels)
		m.renewRows(func(_, first, end int) (sum float64, most float32) { return dense.SetSame(same, first, end) })
		return
	}
	rooms := make([][]float64, m.team.Workers())
	m.renewRows(func(worker, first, end int) (sum float64, most float32) {
		rooms[worker] = slices.Grow(rooms[worker][:0], (end-first)*classes)[:(end-first)*classes]
		initial.write(first, end, rooms[worker])
		return dense.SetScores(rooms[worker], first, end, m.kernels, &m.jobs[worker])
	})
}

func (m *denseMover) queue(leaves []tree.Leaf, segments []tree.Segment) {
	stride, first := m.residuals.Stride, len(m.factors)
	if m.period != 1 {
		m.factors = slices.Grow(m.factors, stride*len(leaves))[:first+stride*len(leaves)]
		for i := range leaves {
			leafFactors(m.factors[first+i*stride:][:stride], &leaves[i])
		}
	}
	for _, segment := range segments {
		leaf, at := &leaves[segment.Leaf], first+segment.Leaf*stride
		for rows := range slices.Chunk(segment.Rows, kernel.RowBlock) {
			m.moves = append(m.moves, move{rows, leaf, at})
		}
	}
}

func (m *denseMover) apply() (sum float64, most float32) {
	if m.scores != nil {
		classes := m.residuals.Classes
		m.team.Do(len(m.moves), func(_, i int) {
			m.moves[i].leaf.AddToRows(m.scores, m.moves[i].rows, classes)
		})
	}
	if m.period != 1 {
		r := m.residuals.Form.(*loss.Dense)
		m.updates = slices.Grow(m.updates[:0], len(m.moves))[:len(m.moves)]
		m.team.Do(len(m.moves), func(_, i int) {
			move := &m.moves[i]
			m.updates[i] = kernel.UpdateJob{Residuals: r.Data, Own: r.Own, Stride: r.Stride, Rows: move.rows, Factors: m.factors[move.at:]}
			m.kernels.Update(&m.updates[i])
		})
		for i := range m.updates {
			sum += m.updates[i].SumResidual
			most = max(most, m.updates[i].MaxResidual)
		}
	}
	m.moves, m.factors = m.moves[:0], m.factors[:0]
	return sum, most
}

// leafFactors computes the factors by which a leaf multiplies the odds of each class.
func leafFactors(factors []float32, l *tree.Leaf) {
	for k := range factors {
		factors[k] = 1
	}
	for i, step := range l.Steps {
		up := float32(kernel.Exp(float64(step)))
		if l.Pairs == nil {
			factors[i] = up
			continue
		}
		if r := int(l.Pairs[i].R); r < len(factors) { // else it is the padding class, without a lane
			factors[r] = up
		}
		if s := int(l.Pairs[i].S); s < len(factors) {
			factors[s] = float32(kernel.Exp(-float64(step)))
		}
	}
}
