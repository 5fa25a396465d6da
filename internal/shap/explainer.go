// Package shap explains the scores of a forest: exact, path-dependent SHAP
// values (S. Lundberg et al., From local explanations to global understanding
// with explainable AI for trees, 2020, section "TreeExplainer").
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
package shap

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/tree"
)

// Explainer explains rows. It keeps scratch memory, so one goroutine at a
// time may use it.
type Explainer struct {
	forest   *tree.Forest
	features int
	trees    int
	rules    []*rule // by number of points; nil: not needed yet

	// The tree at hand.
	path   []step // from the root to the node at hand
	leaves []leaf
	steps  []step    // of the leaves
	tables []float64 // of the steps: see addLeaf
	values []value   // of the leaves

	// The row and leaf at hand.
	slots     []int32   // by class: 1 + its place among the classes of the row; 0: none
	slotted   []value   // the leaf's values for these
	integrand []float64 // by point: its weight · Π (t·o + (1−t)·w)
	chosen    []int     // by step: its table of quotients
}

// step is what the path to a leaf asks of one feature.
type step struct {
	feature   int32
	missing   bool    // a missing value goes this way
	low, high float64 // values that go this way, both included
	share     float64 // w, at all splits on the feature together
}

// leaf is where in the Explainer's steps, tables and values those of a leaf are.
type leaf struct {
	first, end           int
	table                int
	firstValue, endValue int
	*rule
}

// value is what a leaf adds to the score of a class, or to that in a slot.
type value struct {
	class int32
	v     float64
}

// New is an Explainer of the first trees of a forest on so many features.
func New(f *tree.Forest, features, trees int) *Explainer {
	return &Explainer{forest: f, features: features, trees: trees, slots: make([]int32, f.Classes)}
}

// Explain writes the SHAP values of rows, n × features, to values, n ×
// (features + 1) × per. In place of the last feature stands the bias, the mean
// score of the training rows. classes, n × per, is the classes that each row
// is explained for, none twice; nil: all.
func (e *Explainer) Explain(rows []float64, classes []int32, per int, values []float64) {
	clear(values)
	n, stride := len(rows)/e.features, (e.features+1)*per
	bias := make([]float64, e.forest.Classes)
	for t := range e.trees {
		e.prepare(t, bias)
		for i := range n {
			e.explainTree(rows[i*e.features:][:e.features], of(classes, i, per), values[i*stride:][:stride])
		}
	}
	for i := range n {
		last := values[i*stride+e.features*per:][:per]
		if classes == nil {
			copy(last, bias)
		}
		for slot, k := range of(classes, i, per) {
			last[slot] = bias[k]
		}
	}
}

// of is the classes that a row is explained for.
func of(classes []int32, row, per int) []int32 {
	if classes == nil {
		return nil
	}
	return classes[row*per:][:per]
}

// prepare finds the paths of a tree, and adds to bias what its leaves add on
// average.
func (e *Explainer) prepare(t int, bias []float64) {
	e.leaves, e.steps, e.tables, e.values = e.leaves[:0], e.steps[:0], e.tables[:0], e.values[:0]
	root := int32(0)
	if e.forest.FirstNode[t] == e.forest.FirstNode[t+1] {
		root = ^0
	}
	e.descend(t, root)
	for _, l := range e.leaves {
		share := 1.0
		for _, s := range e.steps[l.first:l.end] {
			share *= s.share
		}
		for _, v := range e.values[l.firstValue:l.endValue] {
			bias[v.class] += float64(share * v.v)
		}
	}
}

// descend adds the leaves below a child.
func (e *Explainer) descend(t int, child int32) {
	f := e.forest
	if child < 0 {
		e.addLeaf(int(f.FirstLeaf[t]) + int(^child))
		return
	}
	i := int(f.FirstNode[t]) + int(child)
	left, right := e.rows(t, f.Left[i]), e.rows(t, f.Right[i])
	if left+right == 0 {
		left, right = 1, 1 // no row tells how to share
	}
	threshold, missingLeft := f.Threshold[i], f.MissingLeft[i] != 0
	below := math.Nextafter(threshold, math.Inf(-1))
	e.take(t, f.Left[i], step{f.Feature[i], missingLeft, math.Inf(-1), below, left / (left + right)})
	e.take(t, f.Right[i], step{f.Feature[i], !missingLeft, threshold, math.Inf(1), right / (left + right)})
}

// rows is the number of training rows that reached a child.
func (e *Explainer) rows(t int, child int32) float64 {
	if child < 0 {
		return float64(e.forest.LeafRows[e.forest.FirstLeaf[t]+uint32(^child)])
	}
	return float64(e.forest.NodeRows[e.forest.FirstNode[t]+uint32(child)])
}

// take goes one step from a node to a child.
func (e *Explainer) take(t int, child int32, s step) {
	at := slices.IndexFunc(e.path, func(p step) bool { return p.feature == s.feature })
	if at < 0 {
		e.path = append(e.path, s)
		e.descend(t, child)
		e.path = e.path[:len(e.path)-1]
		return
	}
	before := e.path[at]
	e.path[at] = step{s.feature, s.missing && before.missing, max(s.low, before.low), min(s.high, before.high), float64(s.share * before.share)}
	e.descend(t, child)
	e.path[at] = before
}

// addLeaf adds the leaf at the end of the path. Each of its steps has four
// tables by point t: of the factors t·o + (1−t)·w for o = 0, the quotients of
// o − w and those factors, and both for o = 1.
func (e *Explainer) addLeaf(number int) {
	l := leaf{first: len(e.steps), table: len(e.tables), firstValue: len(e.values), rule: e.ruleOf(len(e.path))}
	e.steps = append(e.steps, e.path...)
	for _, s := range e.path {
		for _, t := range l.points {
			e.tables = append(e.tables, (1-t)*s.share)
		}
		for _, t := range l.points {
			e.tables = append(e.tables, -1/(1-t)) // also in the limit w = 0
		}
		for _, t := range l.points {
			e.tables = append(e.tables, t+float64((1-t)*s.share))
		}
		for _, t := range l.points {
			e.tables = append(e.tables, (1-s.share)/(t+float64((1-t)*s.share)))
		}
	}
	e.addValues(number)
	l.end, l.endValue = len(e.steps), len(e.values)
	e.leaves = append(e.leaves, l)
}

// addValues adds what a leaf adds to the scores.
func (e *Explainer) addValues(number int) {
	f, n := e.forest, e.forest.StepsPerLeaf()
	for i, s := range f.Steps[number*n:][:n] {
		if f.Full {
			e.values = append(e.values, value{int32(i), float64(s)})
			continue
		}
		pair := f.LeafPairs[2*(number*n+i):][:2]
		for side, v := range [...]float64{float64(s), -float64(s)} {
			if int(pair[side]) < f.Classes {
				e.values = append(e.values, value{int32(pair[side]), v})
			}
		}
	}
}

// ruleOf is the quadrature for paths of d features.
func (e *Explainer) ruleOf(d int) *rule {
	n := (d + 1) / 2
	for len(e.rules) <= n {
		e.rules = append(e.rules, nil)
	}
	if e.rules[n] == nil {
		e.rules[n] = newRule(n)
	}
	return e.rules[n]
}

// explainTree adds the contributions of a row's features to the scores of
// classes by the tree at hand.
func (e *Explainer) explainTree(row []float64, classes []int32, out []float64) {
	per := e.forest.Classes
	if classes != nil {
		per = len(classes)
		for slot, k := range classes {
			e.slots[k] = int32(slot) + 1
		}
	}
	for i := range e.leaves {
		l := &e.leaves[i]
		values := e.values[l.firstValue:l.endValue]
		if classes != nil {
			values = e.pick(values)
		}
		if len(values) == 0 {
			continue
		}
		e.integrate(l, row)
		for j, s := range e.steps[l.first:l.end] {
			c := 0.0
			for q, quotient := range e.tables[e.chosen[j]:][:len(e.integrand)] {
				c += float64(e.integrand[q] * quotient)
			}
			target := out[int(s.feature)*per:][:per]
			for _, v := range values {
				target[v.class] += float64(c * v.v)
			}
		}
	}
	for _, k := range classes {
		e.slots[k] = 0
	}
}

// pick is those of a leaf's values that are for classes of the row at hand.
func (e *Explainer) pick(values []value) []value {
	e.slotted = e.slotted[:0]
	for _, v := range values {
		if slot := e.slots[v.class]; slot > 0 {
			e.slotted = append(e.slotted, value{slot - 1, v.v})
		}
	}
	return e.slotted
}

// integrate fills integrand and chosen for a row and a leaf.
func (e *Explainer) integrate(l *leaf, row []float64) {
	e.integrand = append(e.integrand[:0], l.weights...)
	e.chosen = e.chosen[:0]
	n, at := len(l.weights), l.table
	for _, s := range e.steps[l.first:l.end] {
		x := row[s.feature]
		table := at
		if s.low <= x && x <= s.high || s.missing && x != x {
			table += 2 * n
		}
		for q, factor := range e.tables[table:][:n] {
			e.integrand[q] *= factor
		}
		e.chosen = append(e.chosen, table+n)
		at += 4 * n
	}
}
