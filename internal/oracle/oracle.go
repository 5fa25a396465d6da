// Package oracle restates AOSO-LogitBoost (Sun, Reid, Zhou, ICML 2012, Algorithm 1) as directly as it can be written: exact
// splits on presorted features, float64 throughout, one plain loop for each formula. It is the truth that the library is tested
// against and shares no code with it.
//
// Where the paper is silent it follows the authors' own program:
//   - a denominator (a Hessian) of exactly 0 counts as 1;
//   - every comparison is strict, so the lowest class, feature and cut, and the oldest node, win exact ties;
//   - both children of a split are scored with the class pair of the parent, the right one as total minus running sum;
//   - a split needs a gain above -1 only, so splits without gain are taken until the leaves are used up;
//   - features and leaf values are float32, and a row goes left if its value is below the float32 midpoint of two neighbouring
//     values that occur in the node;
//   - leaf values, not gains, are clipped to ±5, and scores are capped at 100 from above;
//   - all sums over the rows of a node are taken row after row in row order. Classes with equal counts are common, and it is
//     the rounding of these sums that decides between them, so products are kept from being fused: float64(a*b).
//
// Equations are cited by their number in the paper: (11) to (14) are the gradient and Hessian of a node and of a row, (16) to (20)
// the scalar problem of one class pair, (21) the leaf vector, (22) the gain, (24) and (25) the two ways to choose the pair.
package oracle

import (
	"fmt"
	"math"
	"slices"
)

// The values that Params takes by name.
const (
	MethodAOSO       = "aoso"       // one vector tree an iteration, each node with its own class pair
	MethodABC        = "abc"        // K-1 trees an iteration, tree k with the pair (k, base) at every node
	MethodLogitBoost = "logitboost" // K trees an iteration, one a class, scores do not sum to zero

	LeafPair = "pair" // a leaf moves the two classes of its pair, equation (21)
	LeafFull = "full" // a leaf moves every class by a diagonal Newton step, centred to sum zero

	SelectSecondOrder = "second_order" // equation (25)
	SelectFirstOrder  = "first_order"  // equation (24)
	SelectRoot        = "root"         // the pair that (25) gives for the root, in every node of the tree
)

const (
	maxLeaf  = 5.0   // leaf values are clipped to ±maxLeaf
	maxScore = 100.0 // scores are capped from above
	minProb  = 1e-4  // smallest probability that ClippedLoss sees
	minGain  = -1.0  // a split must gain more than this
)

// Params says how to train. The paper's tables use Leaves 20, Shrinkage 0.1, MinSamples 1, StopLoss 1e-16. An empty name stands
// for the first value of its list: MethodAOSO, LeafPair, SelectSecondOrder.
type Params struct {
	Leaves     int     // leaves of a tree, the paper's J
	Shrinkage  float64 // the paper's v
	MinSamples int     // only a node with more rows than this is split
	Trees      int     // at most this many trees; an iteration whose trees would not all fit is not begun
	StopLoss   float64 // training ends once ClippedLoss is below this
	Leaf       string  // with MethodAOSO only
	Selection  string  // with MethodAOSO only
	Method     string
	Base       int // MethodABC: the base class, or -1 for the class with the largest summed loss (class 0 at first)
}

// Node is a node of a tree: a leaf if Feature is -1.
type Node struct {
	Feature     int     // feature to split on
	Cut         float32 // a row goes left if its value is below Cut
	Left, Right int     // children, as positions in Tree.Nodes
	R, S        int     // class pair of the split or leaf; S is -1 with MethodLogitBoost
	Rows        int     // training rows in the node
	Gain        float64 // gain of the split, equation (22)

	// Value is the leaf vector, without shrinkage; nil in an inner node.
	Value []float32
}

// Tree is a binary tree; Nodes[0] is the root and children stand after their parents.
type Tree struct{ Nodes []Node }

// Leaf returns the leaf that x falls into.
func (t *Tree) Leaf(x []float64) *Node {
	n := &t.Nodes[0]
	for n.Feature >= 0 {
		if float32(x[n.Feature]) < n.Cut {
			n = &t.Nodes[n.Left]
		} else {
			n = &t.Nodes[n.Right]
		}
	}
	return n
}

// Model is a trained or still growing model.
type Model struct {
	Classes   int
	Shrinkage float64
	Trees     []*Tree
	F         [][]float64 // scores of the training rows, N×K
	P         [][]float64 // their probabilities as of the last finished iteration, N×K

	y []int
}

// Train boosts trees on the rows x, labelled y in 0..classes-1. After each iteration, counted from 1, it calls each, unless nil,
// with the model so far and ends if that returns false. It panics on arguments that make no sense; x must hold no NaN.
func Train(x [][]float64, y []int, classes int, p Params, each func(iteration int, m *Model) bool) *Model {
	p.setDefaults()
	p.check(x, y, classes)
	m := &Model{Classes: classes, Shrinkage: p.Shrinkage, F: matrix(len(x), classes), P: matrix(len(x), classes), y: y}
	m.softmax()
	g := newGrower(x, y, classes, p, m.P)

	base := max(p.Base, 0)
	for iteration := 1; len(m.Trees)+p.treesPerIteration(classes) <= p.Trees; iteration++ {
		switch p.Method {
		case MethodAOSO:
			m.add(g.grow(nil), g)
		case MethodABC:
			for k := range classes {
				if k != base {
					m.add(g.grow(&pair{k, base}), g)
				}
			}
		case MethodLogitBoost:
			for k := range classes {
				m.add(g.grow(&pair{k, -1}), g)
			}
		}
		// Only now: all trees of an iteration see the same probabilities.
		m.softmax()
		if p.Base < 0 {
			base = m.worstClass()
		}
		if each != nil && !each(iteration, m) || m.ClippedLoss() < p.StopLoss {
			break
		}
	}
	return m
}

// ClippedLoss returns the sum over the training rows of -log(max(p_y, 1e-4)), the loss (3) as the authors' program reports it.
func (m *Model) ClippedLoss() float64 {
	var sum float64
	for i, p := range m.P {
		sum -= math.Log(max(p[m.y[i]], minProb))
	}
	return sum
}

// AbsGradient returns the sum over the training rows and classes of |r - p|, the gradients (13).
func (m *Model) AbsGradient() float64 {
	var sum float64
	for i, p := range m.P {
		for k := range p {
			sum += math.Abs(gradient(p, m.y[i], k))
		}
	}
	return sum
}

// Scores returns F for one row, added up in the same order as in training, hence to the same bits.
func (m *Model) Scores(x []float64) []float64 {
	f := make([]float64, m.Classes)
	for _, t := range m.Trees {
		m.AddLeaf(f, t.Leaf(x))
	}
	return f
}

// Predict returns the class with the highest score, the lowest such class in a tie.
func (m *Model) Predict(x []float64) int { return argmax(m.Scores(x)) }

// AddLeaf adds a leaf to the scores of a row: step 6 of Algorithm 1.
func (m *Model) AddLeaf(f []float64, leaf *Node) {
	for k, t := range leaf.Value {
		f[k] = min(f[k]+float64(m.Shrinkage*float64(t)), maxScore)
	}
}

// add appends the tree that g has just grown and moves the training rows, whose leaves g still knows.
func (m *Model) add(t *Tree, g *grower) {
	m.Trees = append(m.Trees, t)
	for j, s := range g.nodes {
		if leaf := &t.Nodes[j]; leaf.Feature < 0 {
			for _, i := range g.rows[s.lo:s.hi] {
				m.AddLeaf(m.F[i], leaf)
			}
		}
	}
}

// softmax sets P from F, equation (1): step 3 of Algorithm 1. The cap on F keeps exp from overflowing.
func (m *Model) softmax() {
	for i, f := range m.F {
		p := m.P[i]
		var sum float64
		for k := range f {
			p[k] = math.Exp(f[k])
			sum += p[k]
		}
		for k := range p {
			p[k] /= sum
		}
	}
}

// worstClass returns the class with the largest loss, summed over the rows of that class.
func (m *Model) worstClass() int {
	loss := make([]float64, m.Classes)
	for i, p := range m.P {
		loss[m.y[i]] -= math.Log(p[m.y[i]])
	}
	return argmax(loss)
}

func (p *Params) setDefaults() {
	for _, s := range []struct {
		field *string
		value string
	}{{&p.Method, MethodAOSO}, {&p.Leaf, LeafPair}, {&p.Selection, SelectSecondOrder}} {
		if *s.field == "" {
			*s.field = s.value
		}
	}
}

func (p *Params) treesPerIteration(classes int) int {
	switch p.Method {
	case MethodABC:
		return classes - 1
	case MethodLogitBoost:
		return classes
	}
	return 1
}

func (p *Params) check(x [][]float64, y []int, classes int) {
	must := func(ok bool, what string) {
		if !ok {
			panic(fmt.Sprintf("oracle: %s (params %+v)", what, *p))
		}
	}
	must(slices.Contains([]string{MethodAOSO, MethodABC, MethodLogitBoost}, p.Method), "unknown method")
	must(slices.Contains([]string{LeafPair, LeafFull}, p.Leaf), "unknown leaf")
	must(slices.Contains([]string{SelectSecondOrder, SelectFirstOrder, SelectRoot}, p.Selection), "unknown selection")
	must(p.Method == MethodAOSO || p.Leaf == LeafPair && p.Selection == SelectSecondOrder,
		"leaf and selection are choices of the method aoso only")
	must(p.Leaves >= 1 && p.Shrinkage > 0, "leaves and shrinkage must be positive")
	must(p.Base >= -1 && p.Base < classes, "base class out of range")
	must(len(x) > 0 && len(x) == len(y), "rows and labels must be as many, and some")
	must(classes >= 2, "too few classes")
	for i := range x {
		must(len(x[i]) == len(x[0]), "rows differ in length")
		must(0 <= y[i] && y[i] < classes, "label out of range")
		must(!slices.ContainsFunc(x[i], math.IsNaN), "missing value")
	}
}

// gradient returns r_k - p_k of a row with label y, equation (13).
func gradient(p []float64, y, k int) float64 {
	if k == y {
		return 1 - p[k]
	}
	return -p[k]
}

// variance returns p_k(1 - p_k), the diagonal of the Hessian (14).
func variance(p []float64, k int) float64 { return float64(p[k] * (1 - p[k])) }

// nonzero returns h, but 1 for a denominator of exactly 0.
func nonzero(h float64) float64 {
	if h == 0 {
		return 1
	}
	return h
}

// reduction returns by how much a Newton step lowers the loss, equation (20) with its sign turned.
func reduction(g, h float64) float64 { return g * g / (2 * nonzero(h)) }

func clip(t float64) float64 { return max(-maxLeaf, min(maxLeaf, t)) }

func argmax(v []float64) int {
	best := 0
	for k := range v {
		if v[k] > v[best] {
			best = k
		}
	}
	return best
}

func matrix(rows, columns int) [][]float64 {
	m := make([][]float64, rows)
	for i := range m {
		m[i] = make([]float64, columns)
	}
	return m
}
