package explain

import (
	"slices"

	"github.com/libaoso/aoso/internal/model"
)

// explainer computes exact, path-dependent SHAP values (S. Lundberg et al.,
// From local explanations to global understanding with explainable AI for
// trees, 2020, section "TreeExplainer"). It keeps scratch memory, so one
// goroutine at a time may use it.
//
// A leaf adds its value v to the scores of the rows that reach it. With a set
// of features unknown, a row reaches it in part: each split on an unknown
// feature sends it both ways, by the shares of the training rows that went
// there. Let the path to the leaf ask for d different features, let feature i
// answer 1 or 0 (o_i) where it is known, and w_i, the product of the shares of
// its splits, where it is not. Then feature j contributes
//
//	v·(o_j − w_j)·Σ_S |S|!(d−1−|S|)!/d! · Π_{i∈S} o_i · Π_{i∉S} w_i
//
// over the sets S of features of the path without j. The factorials are
// ∫ tˢ(1−t)^(d−1−s) dt over [0, 1], so the sum is
//
//	∫ Π_{i≠j} (t·o_i + (1−t)·w_i) dt,
//
// the integral of a polynomial of degree d−1, which ⌈d/2⌉ points of Gauss and
// Legendre make exactly. All terms are positive: unlike the usual polynomials
// by |S|, which are extended and unwound, this loses no digits on long paths.
// The cost of a leaf is d² for all classes together, and an addition for each
// class and feature of the path.
//
// The values of linear scores are their terms.
type explainer struct {
	forest   *model.Forest
	features int
	trees    int
	rules    []*rule // by number of points; nil: not needed yet

	task
	bias []float64 // by class

	tree model.Tree
	path []step // from the root to the node at hand

	// The leaf at hand.
	*rule
	tables []float64 // of the path's steps: see tabulate
	value

	// The row at hand.
	integrand []float64 // by point: its weight · Π (t·o + (1−t)·w)
	quotients []int     // by step: where in tables those of its answer are
	picked    value

	// Of leaves of few classes, if rows are explained for some.
	lines   map[int32][]int // by class: where in task.only it is
	byRow   []value         // the value of the leaf at hand
	touched []int           // the rows that have one
}

// task is what explain was given.
type task struct {
	rows []float64
	only []int32 // classes
	per  int
	out  []float64
}

// class is one of those that a row is explained for.
func (t *task) class(row, slot int) int {
	if t.only == nil {
		return slot
	}
	return int(t.only[row*t.per+slot])
}

// step is what a path asks of one feature.
type step struct {
	feature int
	values  model.Values // that go this way
	share   float64      // w, at all splits on the feature together
}

// value is what a leaf adds to the scores: values[i] to that of class, or slot,
// classes[i], or of i itself if the leaf is full.
type value struct {
	full    bool
	classes []int32
	values  []float64
}

// newExplainer returns an explainer of the first trees of a forest on this many features.
func newExplainer(f *model.Forest, features, trees int) *explainer {
	e := &explainer{forest: f, features: features, trees: trees, bias: make([]float64, f.Classes())}
	e.full, e.picked.full = f.Full(), f.Full()
	return e
}

// explain writes the SHAP values of rows, n × features, to out, n × (features
// + 1) × per. In place of the last feature stands the bias, the mean score of
// the training rows. classes, n × per, is the classes that each row is
// explained for, none twice; nil: all.
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

// addLinear adds what the linear scores contribute. A term is that of its column alone, and its
// mean over the training rows is 0. Scores are rounded once all terms are added up; here they
// are after each, so that a term contributes what it adds to the rounded score.
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
		left, right = 1, 1 // no row tells how to share
	}
	s := n.Split()
	e.take(n.Left(), step{int(s.Feature), s.Left(), left / (left + right)})
	e.take(n.Right(), step{int(s.Feature), s.Right(), right / (left + right)})
}

// take goes one step from a node to a child.
func (e *explainer) take(child model.Child, s step) {
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

// addLeaf adds what the features on the path contribute to a leaf's values,
// for all rows.
func (e *explainer) addLeaf(l model.Leaf) {
	e.evaluate(l)
	share := 1.0
	for _, s := range e.path {
		share *= s.share
	}
	e.value.addTo(e.bias, share)
	if e.lines != nil {
		e.addParts()
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

// addParts does the same for a leaf of few classes: most rows are explained for none of them.
func (e *explainer) addParts() {
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

// addRow adds what the features on the path contribute to a value of a leaf, for a row.
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

// addTo adds a share of the value to scores.
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

// evaluate finds what a leaf adds to the scores.
func (e *explainer) evaluate(l model.Leaf) {
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

// tabulate makes four tables by point t for each step of the path: the factors
// t·o + (1−t)·w and the quotients of o − w and those, for o = 0 and for o = 1.
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

// integrate finds integrand and quotients for a row.
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
