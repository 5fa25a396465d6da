// Package explain tells why a model predicts what it does: the SHAP values of
// rows, and the importance of features.
package explain

import (
	"cmp"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
)

// Job is rows whose scores by the first trees of a forest are to be explained.
type Job struct {
	Forest   *model.Forest
	Features bin.Source
	Trees    int
	Threads  int // 0: all cores
	Top      int // classes: the likeliest of each row; 0: all
}

// SHAP returns SHAP values, rows × classes × (features + 1). The last number of
// a class is the bias, its mean score over the training rows.
func SHAP(j Job) []float64 {
	j.Top = 0
	classes, columns := j.Forest.Classes(), j.Features.Cols()+1
	all := make([]float64, j.Features.Rows()*classes*columns)
	j.run(func(first int, _ []int32, values []float64) {
		for out := all[first*classes*columns:]; len(values) > 0; values, out = values[classes*columns:], out[classes*columns:] {
			for k := range classes {
				for c := range columns {
					out[k*columns+c] = values[c*classes+k]
				}
			}
		}
	})
	return all
}

// Sparse is SHAP values in compressed rows, each a row of the data and a class.
type Sparse struct {
	PerRow  int
	Classes []int32
	First   []int // by line, and one past the last: where it begins in Columns and Values
	Columns []int32
	Values  []float64
}

// SparseSHAP returns the SHAP values that [SHAP] does, without those of zero. The
// likeliest class of a row comes first if j.Top is set, the lower where some
// tie; else the classes are in the order of their numbers.
func SparseSHAP(j Job) Sparse {
	columns, per, size := j.Features.Cols()+1, j.perRow(), j.blockRows()
	lines := j.Features.Rows() * per
	s := Sparse{PerRow: per, Classes: make([]int32, lines), First: make([]int, lines+1)}
	type part struct {
		columns []int32
		values  []float64
	}
	parts := make([]part, j.blocks())
	j.run(func(first int, classes []int32, values []float64) {
		p := &parts[first/size]
		for i := 0; len(values) > 0; i, values = i+1, values[per*columns:] {
			for slot := range per {
				line := (first+i)*per + slot
				s.Classes[line] = int32(slot)
				if classes != nil {
					s.Classes[line] = classes[i*per+slot]
				}
				for c := range columns {
					if v := values[c*per+slot]; v != 0 || c == columns-1 {
						p.columns, p.values = append(p.columns, int32(c)), append(p.values, v)
						s.First[line+1]++
					}
				}
			}
		}
	})
	for line, n := range s.First[1:] {
		s.First[line+1] = s.First[line] + n
	}
	entries := s.First[lines]
	s.Columns, s.Values = make([]int32, 0, entries), make([]float64, 0, entries)
	for i := range parts {
		s.Columns, s.Values = append(s.Columns, parts[i].columns...), append(s.Values, parts[i].values...)
		parts[i] = part{}
	}
	return s
}

// perRow is the number of classes that a row is explained for.
func (j *Job) perRow() int { return cmp.Or(j.Top, j.Forest.Classes()) }

// blockRows is the number of rows of a block. A tree is taken up for all of
// them at once, while their values stay in cache.
func (j *Job) blockRows() int {
	const cached = 1 << 15 // values
	return min(max(cached/(j.perRow()*(j.Features.Cols()+1)), 1), 256)
}

func (j *Job) blocks() int {
	size := j.blockRows()
	return (j.Features.Rows() + size - 1) / size
}

// run calls f with every block: the number of its first row; the classes,
// rows × perRow, that it was explained for, or nil for all; their SHAP values,
// rows × (features + 1) × perRow, good until f returns.
func (j *Job) run(f func(first int, classes []int32, values []float64)) {
	team := par.NewTeam(j.Threads)
	defer team.Close()
	features, per, size := j.Features.Cols(), j.perRow(), j.blockRows()
	type worker struct {
		*explainer
		rows, values []float64
		classes      []int32
	}
	workers := make([]*worker, team.Workers())
	team.Do(j.blocks(), func(number, b int) {
		w := workers[number]
		if w == nil {
			w = &worker{
				explainer: newExplainer(j.Forest, features, j.Trees),
				rows:      make([]float64, size*features),
				values:    make([]float64, size*(features+1)*per),
			}
			workers[number] = w
		}
		first, n := b*size, min(size, j.Features.Rows()-b*size)
		rows, values := w.rows[:n*features], w.values[:n*(features+1)*per]
		bin.ReadRows(j.Features, first, rows)
		if j.Top > 0 {
			w.classes = j.likeliest(w.classes[:0], rows)
		}
		w.explain(rows, w.classes, per, values)
		f(first, w.classes, values)
	})
}

// likeliest appends the likeliest classes of rows to dst.
func (j *Job) likeliest(dst []int32, rows []float64) []int32 {
	f := j.Forest
	scores, order := make([]float64, f.Classes()), make([]int32, f.Classes())
	for features := j.Features.Cols(); len(rows) > 0; rows = rows[features:] {
		clear(scores)
		for t := range j.Trees {
			tree := f.Tree(t)
			tree.Leaf(tree.Find(rows[:features])).AddTo(scores)
		}
		for k := range order {
			order[k] = int32(k)
		}
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(scores[b], scores[a]) })
		dst = append(dst, order[:j.Top]...)
	}
	return dst
}
