// Package oracle restates AOSO-LogitBoost (Sun, Reid, Zhou, ICML 2012, Algorithm 1) as directly as it can be written: exact
// splits on presorted features, float64 throughout, one plain loop for each formula. The library is tested against it. The two
// share no code.
//
// Where the paper leaves details open, the package follows the authors' program:
//   - A Hessian of exactly 0 in a denominator counts as 1.
//   - Every comparison is strict. In an exact tie, the lowest class, feature and cut win, and the oldest node.
//   - Both children of a split are scored with the class pair of the parent. The sums of the right child are the total minus a
//     running sum.
//   - A split needs a gain above -1 only. So nodes are split without gain until the tree has all its leaves.
//   - Features and leaf values are float32. A row goes left if its value is below the float32 midpoint of two neighbouring
//     values that occur in the node.
//   - Leaf values, not gains, are clipped to ±5. Scores are capped at 100 from above.
//   - Sums over the rows of a node add row after row in row order. Classes with equal counts are common, and the rounding of
//     these sums decides between them. Conversions such as float64(a*b) keep products from being fused.
//
// Equations are cited by their number in the paper: (11) to (14) are the gradient and Hessian of a node and of a row, (16) to (20)
// the scalar problem of one class pair, (21) the leaf vector, (22) the gain, (24) and (25) the two rules for choosing the pair.
package oracle

import (
	"fmt"
	"math"
	"slices"
)

// Names that Params accepts.
const (
	MethodAOSO       = "aoso"       // one vector tree per iteration; each node has its own class pair
	MethodABC        = "abc"        // K-1 trees per iteration; every node of tree k has the pair (k, base)
	MethodLogitBoost = "logitboost" // K trees per iteration, one for each class; scores do not sum to zero

	LeafPair = "pair" // a leaf has values for the two classes of its pair, equation (21)
	LeafFull = "full" // a leaf has a diagonal Newton step for every class, centred to sum to zero

	SelectSecondOrder = "second_order" // equation (25)
	SelectFirstOrder  = "first_order"  // equation (24)
	SelectRoot        = "root"         // every node has the pair that (25) gives for the root
)

const (
	maxLeaf  = 5.0   // leaf values are clipped to ±maxLeaf
	maxScore = 100.0 // scores are capped from above
	minProb  = 1e-4  // ClippedLoss raises smaller probabilities to this
	minGain  = -1.0  // the gain of a split must be above this
)

// Params are the training parameters. The paper's tables use Leaves 20, Shrinkage 0.1, MinSamples 1 and StopLoss 1e-16. An empty
// Method, Leaf or Selection means MethodAOSO, LeafPair or SelectSecondOrder.
type Params struct {
	Leaves     int     // leaves of a tree, the paper's J
	Shrinkage  float64 // the paper's v
	MinSamples int     // only a node with more rows than this is split
	Trees      int     // maximum number of trees; training ends if the next iteration would exceed it
	StopLoss   float64 // training ends once ClippedLoss is below this
	Leaf       string  // for MethodAOSO only
	Selection  string  // for MethodAOSO only
	Method     string
	Base       int // MethodABC: the base class, or -1 for the class with the largest summed loss (class 0 at first)
}

// Node is a node of a tree. It is a leaf if Feature is -1.
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

// Tree is a binary tree. Nodes[0] is the root. Children come after their parents.
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

// Train boosts trees on the rows x with the labels y, from 0 to classes-1. After each iteration, it calls each (unless nil) with
// the number of the iteration, counted from 1, and the model so far. It ends if each returns false. It panics if an argument is
// invalid. x must not contain NaN.
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
		// Not earlier, because all trees of an iteration use the same probabilities.
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

// ClippedLoss returns the sum of -log(max(p_y, 1e-4)) over the training rows, the loss (3) as the authors' program reports it.
func (m *Model) ClippedLoss() float64 {
	var sum float64
	for i, p := range m.P {
		sum -= math.Log(max(p[m.y[i]], minProb))
	}
	return sum
}

// AbsGradient returns the sum of |r - p| over the training rows and classes, the absolute gradients (13).
func (m *Model) AbsGradient() float64 {
	var sum float64
	for i, p := range m.P {
		for k := range p {
			sum += math.Abs(gradient(p, m.y[i], k))
		}
	}
	return sum
}

// Scores returns F for one row. It adds in the same order as training, so the result has the same bits.
func (m *Model) Scores(x []float64) []float64 {
	f := make([]float64, m.Classes)
	for _, t := range m.Trees {
		m.AddLeaf(f, t.Leaf(x))
	}
	return f
}

// Predict returns the class with the highest score, the lowest such class in a tie.
func (m *Model) Predict(x []float64) int { return argmax(m.Scores(x)) }

// AddLeaf adds a leaf to the scores of a row (step 6 of Algorithm 1).
func (m *Model) AddLeaf(f []float64, leaf *Node) {
	for k, t := range leaf.Value {
		f[k] = min(f[k]+float64(m.Shrinkage*float64(t)), maxScore)
	}
}

// add appends the tree that g has just grown and updates the scores of the training rows. g still knows their leaves.
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

// softmax sets P from F by equation (1) (step 3 of Algorithm 1). The cap on F keeps exp from overflowing.
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
		"leaf and selection can be set for the method aoso only")
	must(p.Leaves >= 1 && p.Shrinkage > 0, "leaves and shrinkage must be positive")
	must(p.Base >= -1 && p.Base < classes, "base class out of range")
	must(len(x) > 0 && len(x) == len(y), "there must be as many labels as rows, and at least one row")
	must(classes >= 2, "there must be at least two classes")
	for i := range x {
		must(len(x[i]) == len(x[0]), "rows differ in length")
		must(0 <= y[i] && y[i] < classes, "label out of range")
		must(!slices.ContainsFunc(x[i], math.IsNaN), "x must not contain NaN")
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

// nonzero returns h, or 1 if h is exactly 0.
func nonzero(h float64) float64 {
	if h == 0 {
		return 1
	}
	return h
}

// reduction returns by how much a Newton step lowers the loss: the negative of equation (20).
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
