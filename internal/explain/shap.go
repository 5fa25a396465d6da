// Package explain explains models: the SHAP values of rows, and the importance of features.
package explain

import (
	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
)

// Job has rows whose scores by the first trees of a forest are to be explained.
type Job struct {
	Forest  *model.Forest
	Columns bin.Source        // the columns that the forest splits on
	Owners  []category.Owners // by column; nil: the columns are the features
	Trees   int
	Threads int     // 0: all cores
	PerRow  int     // number of classes that a row is explained for; the number of classes if Classes is nil
	Classes []int32 // rows × PerRow: the different classes that each row is explained for; nil: all
}

// features returns the number of features.
func (j *Job) features() int {
	if j.Owners == nil {
		return j.Columns.Cols()
	}
	most := int32(0)
	for _, owners := range j.Owners {
		most = max(most, owners[0], owners[1])
	}
	return int(most) + 1
}

// SHAP returns the SHAP values, rows × PerRow × (features + 1). The last value of a class is the bias: its mean score over the training rows.
func SHAP(j Job) []float64 {
	classes, columns := j.PerRow, j.features()+1
	all := make([]float64, j.Columns.Rows()*classes*columns)
	j.run(func(first int, values []float64) {
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

// Sparse is a sparse matrix of SHAP values (CSR), with a line for each row and class.
type Sparse struct {
	PerRow  int
	Classes []int32 // by line
	First   []int   // by line: the position of its first value in Columns and Values; last, the number of values
	Columns []int32
	Values  []float64
}

// SparseSHAP returns the SHAP values of [SHAP], without zeros.
func SparseSHAP(j Job) Sparse {
	columns, per, size := j.features()+1, j.PerRow, j.blockRows()
	lines := j.Columns.Rows() * per
	s := Sparse{PerRow: per, Classes: j.Classes, First: make([]int, lines+1)}
	if j.Classes == nil {
		s.Classes = make([]int32, lines)
		for line := range s.Classes {
			s.Classes[line] = int32(line % per)
		}
	}
	type part struct {
		columns []int32
		values  []float64
	}
	parts := make([]part, j.blocks())
	j.run(func(first int, values []float64) {
		p := &parts[first/size]
		for i := 0; len(values) > 0; i, values = i+1, values[per*columns:] {
			for slot := range per {
				line := (first+i)*per + slot
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

// blockRows returns the number of rows of a block, which are explained together, tree by tree. Their values stay in the cache.
func (j *Job) blockRows() int {
	const cached = 1 << 15 // values
	return min(max(cached/(j.PerRow*(j.Columns.Cols()+1)), 1), 256)
}

func (j *Job) blocks() int {
	size := j.blockRows()
	return (j.Columns.Rows() + size - 1) / size
}

// run calls f with the first row of each block and the block's SHAP values, rows × (features + 1) × PerRow, which are valid until f returns.
func (j *Job) run(f func(first int, values []float64)) {
	team := par.NewTeam(j.Threads)
	defer team.Close()
	columns, per, size := j.Columns.Cols(), j.PerRow, j.blockRows()
	type worker struct {
		*explainer
		rows, values []float64
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
		var classes []int32
		if j.Classes != nil {
			classes = j.Classes[first*per:][:n*per]
		}
		w.explain(rows, classes, per, values)
		f(first, j.join(values, n, per))
	})
}

// join adds up the values of the columns of each feature, in place. Half of the value of a cross goes to each of its features.
func (j *Job) join(values []float64, rows, per int) []float64 {
	if j.Owners == nil {
		return values
	}
	columns, features := len(j.Owners), j.features()
	for i := range rows {
		in, out := values[i*(columns+1)*per:][:(columns+1)*per], values[i*(features+1)*per:][:(features+1)*per]
		for c := features; c < columns; c++ {
			first, second := int(j.Owners[c][0]), int(j.Owners[c][1])
			for k, v := range in[c*per:][:per] {
				if first != second { // a cross
					v /= 2
					in[second*per+k] += v
				}
				in[first*per+k] += v
			}
		}
		copy(out, in[:features*per])
		copy(out[features*per:], in[columns*per:])
	}
	return values[:rows*(features+1)*per]
}
