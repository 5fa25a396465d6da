package fit

import (
	"cmp"
	"slices"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/hash"
	"github.com/libaoso/aoso/internal/par"
)

// never is the fold of rows that are never held out.
const never = -1

// deal assigns each row to one of so many folds. Every class is spread evenly
// over the folds. A row's place depends only on the seed, on its id and on
// the labels and ids of the others. Never held out are rows without weight, and the only row of a class,
// without which training would not know the class.
func deal(t *data.Target, folds int, seed uint64) []int {
	byClass := make([][]int, len(t.Classes))
	fold := make([]int, t.Rows())
	for row, y := range t.Labels {
		fold[row] = never
		if t.Weight(row) > 0 {
			byClass[y] = append(byClass[y], row)
		}
	}
	dealt := 0
	for _, rows := range byClass {
		if len(rows) < 2 {
			continue
		}
		slices.SortFunc(rows, func(a, b int) int {
			return cmp.Compare(hash.Row(seed, t.ID(a)), hash.Row(seed, t.ID(b)))
		})
		for _, row := range rows {
			fold[row] = dealt % folds
			dealt++
		}
	}
	return fold
}

// part is a set in two: the rows to train on, and those that are held out.
type part struct{ train, held *data.Set }

// newPart holds out the rows of a fold.
func newPart(set *data.Set, folds []int, fold int, team *par.Team) part {
	var train, held []uint32
	for row, f := range folds {
		if f == fold {
			held = append(held, uint32(row))
		} else {
			train = append(train, uint32(row))
		}
	}
	return part{set.Subset(train, true, team), set.Subset(held, false, team)}
}

// newParts makes the parts that hold out each fold of the job in its turn; nil:
// there are too few rows.
func newParts(j *Job) (made []part) {
	folds := deal(&j.Train.Target, parts(j.Train.Rows(), j.Folds), j.Settings[0].Seed)
	for i := range j.Folds {
		if !slices.Contains(folds, i) {
			freeParts(made)
			return nil
		}
		made = append(made, newPart(j.Train, folds, i, j.Team))
	}
	return made
}

func freeParts(parts []part) {
	for i := range parts {
		parts[i].free()
	}
}

func (p *part) free() {
	p.train.Matrix.Free()
	p.held.Matrix.Free()
}

// pool joins the targets of the rows held out.
func pool(parts []part) *data.Target {
	first := &parts[0].held.Target
	if len(parts) == 1 {
		return first
	}
	t := &data.Target{Classes: first.Classes}
	for i := range parts {
		t.Labels = append(t.Labels, parts[i].held.Labels...)
		t.Weights = append(t.Weights, parts[i].held.Weights...)
		t.IDs = append(t.IDs, parts[i].held.IDs...)
	}
	return t
}
