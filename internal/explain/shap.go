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
	Forest  *model.Forest
	Columns bin.Source // that the forest splits on
	Owners  []int      // by column: the feature that it comes from; nil: they are the features
	Trees   int
	Threads int // 0: all cores
	Top     int // classes: the likeliest of each row; 0: all
}

// features is the number of features.
func (j *Job) features() int {
	if j.Owners == nil {
		return j.Columns.Cols()
	}
	return slices.Max(j.Owners) + 1
}

// SHAP returns SHAP values, rows × classes × (features + 1). The last number of
// a class is the bias, its mean score over the training rows.
func SHAP(j Job) []float64 {
	j.Top = 0
	classes, columns := j.Forest.Classes(), j.features()+1
	all := make([]float64, j.Columns.Rows()*classes*columns)
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
	columns, per, size := j.features()+1, j.perRow(), j.blockRows()
	lines := j.Columns.Rows() * per
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
	return min(max(cached/(j.perRow()*(j.Columns.Cols()+1)), 1), 256)
}

func (j *Job) blocks() int {
	size := j.blockRows()
	return (j.Columns.Rows() + size - 1) / size
}

// run calls f with every block: the number of its first row; the classes,
// rows × perRow, that it was explained for, or nil for all; their SHAP values,
// rows × (features + 1) × perRow, good until f returns.
func (j *Job) run(f func(first int, classes []int32, values []float64)) {
	team := par.NewTeam(j.Threads)
	defer team.Close()
	columns, per, size := j.Columns.Cols(), j.perRow(), j.blockRows()
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
				explainer: newExplainer(j.Forest, columns, j.Trees),
				rows:      make([]float64, size*columns),
				values:    make([]float64, size*(columns+1)*per),
			}
			workers[number] = w
		}
		first, n := b*size, min(size, j.Columns.Rows()-b*size)
		rows, values := w.rows[:n*columns], w.values[:n*(columns+1)*per]
		bin.ReadRows(j.Columns, first, rows)
		if j.Top > 0 {
			w.classes = j.likeliest(w.classes[:0], rows)
		}
		w.explain(rows, w.classes, per, values)
		f(first, w.classes, j.join(values, n, per))
	})
}

// join adds up the values of the columns of a feature, in place.
func (j *Job) join(values []float64, rows, per int) []float64 {
	if j.Owners == nil {
		return values
	}
	columns, features := len(j.Owners), j.features()
	for i := range rows {
		in, out := values[i*(columns+1)*per:][:(columns+1)*per], values[i*(features+1)*per:][:(features+1)*per]
		for c := features; c < columns; c++ {
			for k, v := range in[c*per:][:per] {
				in[j.Owners[c]*per+k] += v
			}
		}
		copy(out, in[:features*per])
		copy(out[features*per:], in[columns*per:])
	}
	return values[:rows*(features+1)*per]
}

// likeliest appends the likeliest classes of rows to dst.
func (j *Job) likeliest(dst []int32, rows []float64) []int32 {
	f := j.Forest
	scores, order := make([]float64, f.Classes()), make([]int32, f.Classes())
	for columns := j.Columns.Cols(); len(rows) > 0; rows = rows[columns:] {
		clear(scores)
		for t := range j.Trees {
			tree := f.Tree(t)
			tree.Leaf(tree.Find(rows[:columns])).AddTo(scores)
		}
		for k := range order {
			order[k] = int32(k)
		}
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(scores[b], scores[a]) })
		dst = append(dst, order[:j.Top]...)
	}
	return dst
}
