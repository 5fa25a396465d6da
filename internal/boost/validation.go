package boost

import (
	"math"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/loss/odds"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/metric"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// MostScores is the most raw scores of a validation set (1 GiB). With sparse leaves, a larger
// set has sparse class scores.
const MostScores = 1 << 27

// validation is a validation set with the raw scores of the model so far, or with sparse class
// scores.
type validation struct {
	set    *data.Set
	scores []float64 // rows × classes; nil: sparse class scores
	odds   *odds.PathOdds
	rows   *tree.Partition
	memory *mem.Block // of the scores
}

// Wide reports whether a validation set has sparse class scores.
func (p *Params) Wide(rows, classes int) bool {
	return p.NamedClasses() > 0 && rows > MostScores/classes
}

// newValidation returns a validation set at the given scores; nil: the initial scores.
func newValidation(set *data.Set, scores []float64, initial *initialScores, wide bool) *validation {
	v := &validation{set: set, rows: tree.NewPartition(set.Rows())}
	if wide {
		v.odds = odds.NewPathOdds(set.Rows(), len(set.Classes))
		if initial != nil {
			v.odds.SetInitial(initial)
		}
		return v
	}
	v.memory = mem.New(8 * set.Rows() * len(set.Classes))
	v.scores = mem.View[float64](v.memory)
	if copy(v.scores, scores) == 0 && initial != nil {
		initial.write(0, set.Rows(), v.scores)
	}
	return v
}

// free releases the memory.
func (v *validation) free() {
	v.scores = nil
	v.rows.Free()
	if v.odds != nil {
		v.odds.Free()
	} else {
		v.memory.Free()
	}
}

// add adds the steps of a tree.
func (v *validation) add(t *tree.Tree, k *kernel.Funcs, team *par.Team) {
	classes, perRow := len(v.set.Classes), len(v.set.Classes)
	if v.odds != nil {
		perRow = math.MaxInt // a leaf has one segment
	}
	segments := v.rows.OrderAll(t, k, v.set.Matrix, perRow, team)
	if v.odds != nil {
		v.odds.Apply(sparseSteps(t.Leaves, classes, team), reached(nil, segments), team)
		return
	}
	team.Do(len(segments), func(_, i int) {
		t.Leaves[segments[i].Leaf].AddToRows(v.scores, segments[i].Rows, classes)
	})
}

// evaluate evaluates the model so far, its scores divided by the temperature.
func (v *validation) evaluate(temperature float64, k *kernel.Funcs, team *par.Team) *metric.Evaluation {
	t := &v.set.Target
	if v.odds == nil {
		return metric.Evaluate(v.scores, temperature, t, k, team)
	}
	best, losses, wrong := make([]int32, t.Rows()), make([]float64, t.Rows()), make([]bool, t.Rows())
	v.odds.Evaluate(t.Labels, t.Soft.Row, temperature, best, losses, team)
	for i := range wrong {
		wrong[i] = best[i] != t.Labels[i]
	}
	return metric.NewEvaluation(t, wrong, losses)
}
