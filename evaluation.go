package aoso

import (
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/tree"
)

// scored is a dataset with the raw scores of a model that grows.
type scored struct {
	*Dataset
	scores []float64 // rows × classes
	rows   *tree.Partition
	memory *mem.Block // of the scores
}

func newScored(d *Dataset) *scored {
	memory := mem.New(8 * d.Rows() * len(d.classes))
	s := &scored{d, mem.View[float64](memory), tree.NewPartition(d.Rows()), memory}
	if d.start != nil {
		copy(s.scores, d.start.scores)
	}
	return s
}

// free gives the memory back; nothing may use it any more.
func (s *scored) free() {
	s.scores = nil
	s.rows.Free()
	s.memory.Free()
}

// add adds the steps of a tree.
func (s *scored) add(b *Booster, t *tree.Tree) {
	s.rows.Fill(s.Rows())
	classes := len(s.classes)
	for _, segment := range t.Route(b.kernels, s.matrix, s.rows, b.team) {
		for _, row := range s.rows.Rows[segment.Start:segment.End] {
			t.Leaves[segment.Leaf].AddTo(s.scores[int(row)*classes:][:classes])
		}
	}
}

// evaluate is how the model so far does on the validation set.
func (b *Booster) evaluate() *Evaluation {
	if b.valid == nil {
		return nil
	}
	return evaluate(b.valid.scores, b.valid.Dataset)
}

// evaluate compares raw scores, rows × classes, with a dataset's labels.
func evaluate(scores []float64, d *Dataset) *Evaluation {
	e := &Evaluation{}
	classes := len(d.classes)
	weight, known, wrong := 0.0, 0.0, 0.0
	for i, y := range d.labels {
		w := 1.0
		if d.weights != nil {
			w = float64(d.weights[i])
		}
		weight += w
		f := scores[i*classes:][:classes]
		if y < 0 || argmax(f) != int(y) {
			e.Errors++
			wrong += w
		}
		if y >= 0 {
			known += w
			e.LogLoss += float64(w * loss.NegLogSoftmax(f, int(y)))
		}
	}
	if weight > 0 {
		e.ErrorRate = wrong / weight
	}
	e.LogLoss /= known // NaN if there are none
	return e
}

// argmax is the position of the greatest value, the first where some tie.
func argmax(v []float64) int {
	best := 0
	for k := range v {
		if v[k] > v[best] {
			best = k
		}
	}
	return best
}
