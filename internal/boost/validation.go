package boost

import (
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// validation is a validation set with the raw scores of the model so far.
type validation struct {
	set    *data.Set
	scores []float64 // rows × classes
	rows   *tree.Partition
	memory *mem.Block // of the scores
}

// newValidation begins with the given scores; nil: zeros.
func newValidation(set *data.Set, scores []float64) *validation {
	memory := mem.New(8 * set.Rows() * len(set.Classes))
	v := &validation{set, mem.View[float64](memory), tree.NewPartition(set.Rows()), memory}
	copy(v.scores, scores)
	return v
}

// free gives the memory back; nothing may use it any more.
func (v *validation) free() {
	v.scores = nil
	v.rows.Free()
	v.memory.Free()
}

// add adds the steps of a tree.
func (v *validation) add(t *tree.Tree, k *kernel.Funcs, team *par.Team) {
	v.rows.Fill(v.set.Rows())
	classes := len(v.set.Classes)
	for _, s := range v.rows.Order(t, k, v.set.Matrix, team) {
		for _, row := range s.Rows {
			t.Leaves[s.Leaf].AddTo(v.scores[int(row)*classes:][:classes])
		}
	}
}

// evaluate is how the model so far does.
func (v *validation) evaluate() *Evaluation { return Evaluate(v.scores, 1, &v.set.Target) }
