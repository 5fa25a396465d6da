package explain

import (
	"slices"

	"github.com/libaoso/aoso/internal/model"
)

// explainer computes exact, path-dependent SHAP values (S. Lundberg et al., From local explanations to global understanding with explainable
// AI for trees, 2020, section "TreeExplainer"). It has scratch buffers, so only one goroutine may use it at a time.
//
// A leaf adds its value v to the scores of the rows that reach it. If some features of a row are unknown, a split on an unknown feature sends
// the row both ways, in proportion to the training rows that went each way. Let d be the number of different features on the path to the
// leaf. For feature i of these, let o_i be 1 if the row's value takes the path at all splits on the feature, and 0 otherwise; let w_i be the
// product of the proportions at these splits. Then feature j contributes
//
//	v·(o_j − w_j)·Σ_S |S|!(d−1−|S|)!/d! · Π_{i∈S} o_i · Π_{i∉S} w_i
//
// over the sets S of features of the path without j. As |S|!(d−1−|S|)!/d! is ∫ t^|S|·(1−t)^(d−1−|S|) dt over [0, 1], the sum is
//
//	∫ Π_{i≠j} (t·o_i + (1−t)·w_i) dt,
//
// the integral of a polynomial of degree d−1, which Gauss–Legendre quadrature with ⌈d/2⌉ points computes exactly. All terms are positive, so
// no digits are lost on long paths. The usual algorithm, which extends and unwinds polynomials by |S|, does lose digits. The cost of a leaf is
// d² for all classes together, and an addition for each class and feature of the path.
//
// The contributions to linear scores are their terms.
type explainer struct {
	forest   *model.Forest
	features int
	trees    int
	rules    []*rule // by number of points; nil: not needed yet

	task
	bias []float64 // by class

	tree model.Tree
	path []step // from the root to the current node

	// The current leaf.
	*rule
	tables []float64 // of the path's steps, see tabulate
	value

	// The current row.
	integrand []float64 // by point: its weight · Π (t·o + (1−t)·w)
	quotients []int     // by step: the position in tables of its quotients
	picked    value

	// For sparse leaves, if rows are explained for some classes only.
	lines   map[int32][]int // by class: its positions in task.only
	byRow   []value         // by row: the value of the current leaf for the row's classes
	touched []int           // the rows for which that is not empty
}

// task has the arguments of explain.
type task struct {
	rows []float64
	only []int32 // classes
	per  int
	out  []float64
}

// class returns the class at a position among the classes that a row is explained for.
func (t *task) class(row, slot int) int {
	if t.only == nil {
		return slot
	}
	return int(t.only[row*t.per+slot])
}

// step is all splits of a path on one feature.
type step struct {
	feature int
	values  model.Values // the values that take the path
	share   float64      // w: the product of the proportions of training rows that take the path
}

// value is the value of a leaf: values[i] for class i if the leaf is full, otherwise for classes[i]. Instead of a class, it may be a position
// among the classes that a row is explained for.
type value struct {
	full    bool
	classes []int32
	values  []float64
}

// newExplainer returns an explainer of the first trees of a forest.
func newExplainer(f *model.Forest, features, trees int) *explainer {
	e := &explainer{forest: f, features: features, trees: trees, bias: make([]float64, f.Classes())}
	e.full, e.picked.full = f.Full(), f.Full()
	return e
}

// explain writes the SHAP values of rows, n × features, to out, n × (features + 1) × per. The last column, after the features, is the bias:
// the mean score of the training rows. classes, n × per, has the different classes that each row is explained for; nil: all.
func (e *explainer) explain(rows []float64, classes []int32, per int, out []float64) {
	clear(out)
	clear(e.bias)
	e.task = task{rows, classes, per, out}
	e.addLinear()
	if classes != nil && !e.full {
		e.lines, e.byRow = map[int32][]int{}, make([]value, len(rows)/e.features)
		for line, k := range classes {
			e.lines[k] = append(e.lines[k], line)
		}
	}
	for t := range e.trees {
		e.tree = e.forest.Tree(t)
		e.descend(e.tree.Root())
	}
	for i := range len(rows) / e.features {
		last := out[i*(e.features+1)*per+e.features*per:][:per]
		for slot := range last {
			last[slot] = e.bias[e.class(i, slot)]
		}
	}
}

// addLinear adds the contributions of linear scores. A term depends on one column, and its mean over the training rows is 0. The model
// rounds a linear score after adding up all terms. Here it is rounded after each term, and the term contributes the change of the rounded
// score.
func (e *explainer) addLinear() {
	l := e.forest.Linear()
	if l == nil {
		return
	}
	for k, b := range l.Bias() {
		e.bias[k] = model.Round(float64(b))
	}
	scores := make([]float64, e.per)
	for i := range len(e.rows) / e.features {
		row, out := e.rows[i*e.features:][:e.features], e.out[i*(e.features+1)*e.per:]
		for slot := range scores {
			scores[slot] = float64(l.Bias()[e.class(i, slot)])
		}
		for t := range l.Terms() {
			column, weights := l.Column(t), l.Weights(t)
			place := float64(l.Place(t, row[column]))
			if place == 0 {
				continue
			}
			for slot, before := range scores {
				scores[slot] += place * float64(weights[e.class(i, slot)])
				out[column*e.per+slot] += model.Round(scores[slot]) - model.Round(before)
			}
		}
	}
}

// descend adds the leaves below a child.
func (e *explainer) descend(child model.Child) {
	if child.IsLeaf() {
		e.addLeaf(e.tree.Leaf(child.Leaf()))
		return
	}
	n := e.tree.Node(child)
	left, right := float64(e.tree.Rows(n.Left())), float64(e.tree.Rows(n.Right()))
	if left+right == 0 {
		left, right = 1, 1 // no training row reached the node
	}
	s := n.Split()
	e.descendBy(n.Left(), step{int(s.Feature), s.Left(), left / (left + right)})
	e.descendBy(n.Right(), step{int(s.Feature), s.Right(), right / (left + right)})
}

// descendBy adds the leaves below a child, with a step added to the path.
func (e *explainer) descendBy(child model.Child, s step) {
	at := slices.IndexFunc(e.path, func(p step) bool { return p.feature == s.feature })
	if at < 0 {
		e.path = append(e.path, s)
		e.descend(child)
		e.path = e.path[:len(e.path)-1]
		return
	}
	before := e.path[at]
	e.path[at] = step{s.feature, s.values.And(before.values), float64(s.share * before.share)}
	e.descend(child)
	e.path[at] = before
}

// addLeaf adds the contributions of the features on the path through a leaf, for all rows.
func (e *explainer) addLeaf(l model.Leaf) {
	e.setValue(l)
	share := 1.0
	for _, s := range e.path {
		share *= s.share
	}
	e.value.addTo(e.bias, share)
	if e.lines != nil {
		e.addSparse()
		return
	}
	e.tabulate()
	for i := range len(e.rows) / e.features {
		value := &e.value
		if e.only != nil {
			value = e.pick(e.only[i*e.per:][:e.per])
		}
		e.addRow(i, value)
	}
}

// addSparse adds the contributions through a sparse leaf, for the rows that are explained for a class of the leaf.
func (e *explainer) addSparse() {
	e.touched = e.touched[:0]
	for i, k := range e.classes {
		for _, line := range e.lines[k] {
			row := line / e.per
			v := &e.byRow[row]
			if len(v.values) == 0 {
				e.touched = append(e.touched, row)
			}
			v.classes, v.values = append(v.classes, int32(line%e.per)), append(v.values, e.values[i])
		}
	}
	if len(e.touched) > 0 {
		e.tabulate()
	}
	for _, row := range e.touched {
		v := &e.byRow[row]
		e.addRow(row, v)
		v.classes, v.values = v.classes[:0], v.values[:0]
	}
}

// addRow adds the contributions of the features on the path through a leaf with value v, for row i.
func (e *explainer) addRow(i int, v *value) {
	e.integrate(e.rows[i*e.features:][:e.features])
	out := e.out[i*(e.features+1)*e.per:]
	for j := range e.path {
		c := 0.0
		for q, quotient := range e.tables[e.quotients[j]:][:len(e.integrand)] {
			c += float64(e.integrand[q] * quotient)
		}
		v.addTo(out[e.path[j].feature*e.per:][:e.per], c)
	}
}

// addTo adds share · value to scores.
func (v *value) addTo(scores []float64, share float64) {
	if v.full {
		for k, x := range v.values[:len(scores)] {
			scores[k] += float64(share * x)
		}
		return
	}
	for i, k := range v.classes {
		scores[k] += float64(share * v.values[i])
	}
}

// setValue sets e.value to the value of a leaf.
func (e *explainer) setValue(l model.Leaf) {
	e.classes, e.values = e.classes[:0], e.values[:0]
	for k, v := range l.Scores() {
		e.classes, e.values = append(e.classes, int32(k)), append(e.values, v)
	}
}

// pick returns the value of a full leaf for some classes.
func (e *explainer) pick(classes []int32) *value {
	e.picked.values = e.picked.values[:0]
	for _, k := range classes {
		e.picked.values = append(e.picked.values, e.values[k])
	}
	return &e.picked
}

// tabulate computes four tables by point t for each step of the path: the factors t·o + (1−t)·w and the quotients (o − w) / (t·o + (1−t)·w),
// first for o = 0, then for o = 1.
func (e *explainer) tabulate() {
	n := (len(e.path) + 1) / 2
	for len(e.rules) <= n {
		e.rules = append(e.rules, nil)
	}
	if e.rules[n] == nil {
		e.rules[n] = newRule(n)
	}
	e.rule, e.tables = e.rules[n], e.tables[:0]
	for _, s := range e.path {
		for _, t := range e.points {
			e.tables = append(e.tables, (1-t)*s.share)
		}
		for _, t := range e.points {
			e.tables = append(e.tables, -1/(1-t)) // also in the limit w = 0
		}
		for _, t := range e.points {
			e.tables = append(e.tables, t+float64((1-t)*s.share))
		}
		for _, t := range e.points {
			e.tables = append(e.tables, (1-s.share)/(t+float64((1-t)*s.share)))
		}
	}
}

// integrate sets integrand and quotients for a row.
func (e *explainer) integrate(row []float64) {
	n := len(e.weights)
	e.integrand, e.quotients = append(e.integrand[:0], e.weights...), e.quotients[:0]
	for j := range e.path {
		s, table := &e.path[j], 4*n*j
		if s.values.Has(row[s.feature]) {
			table += 2 * n
		}
		for q, factor := range e.tables[table:][:n] {
			e.integrand[q] *= factor
		}
		e.quotients = append(e.quotients, table+n)
	}
}
