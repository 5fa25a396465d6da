package aoso

import (
	"cmp"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/shap"
)

// SHAP returns the SHAP values of the rows of x, rows × classes × (features +
// 1): what knowing each feature adds to the raw score of each class
// (path-dependent TreeSHAP, Lundberg et al. 2020). The last number of a class
// is the bias, its mean score over the training rows; all of a class sum to
// its raw score. The values depend neither on the number of threads nor on
// the other rows.
func (m *Model) SHAP(x Features, o PredictOptions) ([]float64, error) {
	e, err := m.explanation(x, SHAPOptions{PredictOptions: o})
	if err != nil {
		return nil, err
	}
	classes, columns := len(m.classes), len(m.names)+1
	all := make([]float64, x.Rows()*classes*columns)
	e.run(func(first int, _ []int32, values []float64) {
		for out := all[first*classes*columns:]; len(values) > 0; values, out = values[classes*columns:], out[classes*columns:] {
			for k := range classes {
				for j := range columns {
					out[k*columns+j] = values[j*classes+k]
				}
			}
		}
	})
	return all, nil
}

// SHAPOptions say what [Model.SHAPSparse] explains. The zero value is the
// default.
type SHAPOptions struct {
	PredictOptions
	Top int // the so many likeliest classes of each row; 0: all
}

// Contributions are SHAP values as a sparse matrix in compressed rows. A line
// of it is a row and a class: the first PerRow lines are of row 0, the next of
// row 1. Its columns are the features and, last in each line, the bias.
// Contributions of zero are left out.
type Contributions struct {
	PerRow  int
	Classes []int32 // by line: the number of its class
	First   []int   // by line, and one past the last: where it begins in Columns and Values
	Columns []int32 // rising within a line
	Values  []float64
}

// SHAPSparse returns the SHAP values that [Model.SHAP] does, for the likeliest
// classes of each row alone if Top is set: the likeliest first, the lower
// where some tie. Else the classes are in the order of their numbers.
func (m *Model) SHAPSparse(x Features, o SHAPOptions) (*Contributions, error) {
	e, err := m.explanation(x, o)
	if err != nil {
		return nil, err
	}
	columns := len(m.names) + 1
	c := &Contributions{PerRow: e.per, Classes: make([]int32, x.Rows()*e.per), First: make([]int, x.Rows()*e.per+1)}
	type part struct {
		columns []int32
		values  []float64
	}
	parts := make([]part, e.blocks())
	e.run(func(first int, classes []int32, values []float64) {
		p := &parts[first/e.size]
		for i := 0; len(values) > 0; i, values = i+1, values[e.per*columns:] {
			for slot := range e.per {
				line := (first+i)*e.per + slot
				c.Classes[line] = int32(slot)
				if classes != nil {
					c.Classes[line] = classes[i*e.per+slot]
				}
				for j := range columns {
					if v := values[j*e.per+slot]; v != 0 || j == columns-1 {
						p.columns, p.values = append(p.columns, int32(j)), append(p.values, v)
						c.First[line+1]++
					}
				}
			}
		}
	})
	for line, n := range c.First[1:] {
		c.First[line+1] = c.First[line] + n
	}
	entries := c.First[len(c.First)-1]
	c.Columns, c.Values = make([]int32, 0, entries), make([]float64, 0, entries)
	for i := range parts {
		c.Columns, c.Values = append(c.Columns, parts[i].columns...), append(c.Values, parts[i].values...)
		parts[i] = part{}
	}
	return c, nil
}

// explanation is how rows are explained: block after block, by several workers.
type explanation struct {
	model   *Model
	x       Features
	trees   int
	threads int
	top     int
	per     int // classes that a row is explained for
	size    int // rows of a block
}

// explanation checks what is to be explained and how.
func (m *Model) explanation(x Features, o SHAPOptions) (*explanation, error) {
	p, err := m.plan(x, o.PredictOptions)
	if err != nil {
		return nil, err
	}
	if o.Top < 0 || o.Top > len(m.classes) {
		return nil, badArgument("top", o.Top, "0 to %d, the classes of the model", len(m.classes))
	}
	e := &explanation{m, x, p.trees, o.Threads, o.Top, o.Top, 0}
	if o.Top == 0 {
		e.per = len(m.classes)
	}
	// A tree is taken up for all rows of a block at once, while their values
	// stay in cache.
	const cached = 1 << 15
	e.size = min(max(cached/(e.per*(len(m.names)+1)), 1), 256)
	return e, nil
}

func (e *explanation) blocks() int { return (e.x.Rows() + e.size - 1) / e.size }

// run calls f with every block: the number of its first row; the classes,
// rows × per, that it was explained for, or nil for all; their SHAP values,
// rows × (features + 1) × per, good until f returns.
func (e *explanation) run(f func(first int, classes []int32, values []float64)) {
	team := par.NewTeam(e.threads)
	defer team.Close()
	features := len(e.model.names)
	type worker struct {
		*shap.Explainer
		rows, values []float64
		classes      []int32
	}
	workers := make([]*worker, team.Workers())
	team.Do(e.blocks(), func(number, b int) {
		w := workers[number]
		if w == nil {
			w = &worker{shap.New(e.model.forest, features, e.trees), make([]float64, e.size*features), make([]float64, e.size*(features+1)*e.per), nil}
			workers[number] = w
		}
		first, n := b*e.size, min(e.size, e.x.Rows()-b*e.size)
		rows, values := w.rows[:n*features], w.values[:n*(features+1)*e.per]
		readRows(e.x, first, rows)
		if e.top > 0 {
			w.classes = e.likeliest(w.classes[:0], rows)
		}
		w.Explain(rows, w.classes, e.per, values)
		f(first, w.classes, values)
	})
}

// likeliest appends the likeliest classes of rows to dst.
func (e *explanation) likeliest(dst []int32, rows []float64) []int32 {
	f := e.model.forest
	scores, order := make([]float64, f.Classes), make([]int32, f.Classes)
	for features := len(e.model.names); len(rows) > 0; rows = rows[features:] {
		clear(scores)
		for t := range e.trees {
			f.AddLeaf(t, f.Leaf(t, rows[:features]), scores)
		}
		for k := range order {
			order[k] = int32(k)
		}
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(scores[b], scores[a]) })
		dst = append(dst, order[:e.top]...)
	}
	return dst
}

// readRows writes rows of x from first on to rows, n × features.
func readRows(x Features, first int, rows []float64) {
	cols := x.Cols()
	column := make([]float64, len(rows)/cols)
	for j := range cols {
		bin.ReadColumn(x, j, first, column)
		for i, v := range column {
			rows[i*cols+j] = v
		}
	}
}
