package acceptance

import (
	"fmt"
	"math"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/data/datatest"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/tools/cases"
	"github.com/libaoso/aoso/tools/oracle"
)

// TestOracleTrees grows trees beside the oracle's exact float64 ones. The data
// has few distinct values and large nodes, so that every split must be the
// same: nothing ties, and no two gains are as near as fixed point rounds.
func TestOracleTrees(t *testing.T) {
	type variant struct {
		name    string
		classes int
		trees   int
		change  func(*aoso.Params)
		oracle  oracle.Params
	}
	variants := []variant{
		{"second order", 5, 20, func(p *aoso.Params) {}, oracle.Params{}},
		{"first order", 5, 20, func(p *aoso.Params) { p.PairSelection = "first_order" }, oracle.Params{Selection: oracle.SelectFirstOrder}},
		{"root", 5, 20, func(p *aoso.Params) { p.PairSelection = "root" }, oracle.Params{Selection: oracle.SelectRoot}},
		{"full leaf", 5, 20, func(p *aoso.Params) { p.Leaf = "full" }, oracle.Params{Leaf: oracle.LeafFull}},
		{"full root", 5, 20, func(p *aoso.Params) { p.Leaf, p.PairSelection = "full", "root" },
			oracle.Params{Leaf: oracle.LeafFull, Selection: oracle.SelectRoot}},
		{"binary", 2, 20, func(p *aoso.Params) {}, oracle.Params{}},
		{"abc", 4, 21, func(p *aoso.Params) { p.Method = aoso.MethodABC }, oracle.Params{Method: oracle.MethodABC, Base: -1}},
		{"logitboost", 4, 20, func(p *aoso.Params) { p.Method = aoso.MethodLogitBoost }, oracle.Params{Method: oracle.MethodLogitBoost}},
	}
	for _, v := range variants {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%s/%d", v.name, seed), func(t *testing.T) {
				d := blobs(seed, 3000, 6, v.classes, 255)
				checkAgainstOracle(t, d, v.trees, 6, v.change, v.oracle)
			})
		}
	}
}

// TestOracleWide has nodes of more rows than a packed histogram cell holds,
// children of both sizes, and histograms made by subtraction.
func TestOracleWide(t *testing.T) {
	d := blobs(5, 150_000, 2, 3, 100)
	binary := &table{x: d.x}
	for _, y := range d.y {
		binary.y = append(binary.y, min(y, 1))
	}
	t.Run("own pairs", func(t *testing.T) {
		checkAgainstOracle(t, d, 2, 6, func(*aoso.Params) {}, oracle.Params{})
	})
	t.Run("root", func(t *testing.T) {
		checkAgainstOracle(t, d, 2, 6, func(p *aoso.Params) { p.PairSelection = "root" }, oracle.Params{Selection: oracle.SelectRoot})
	})
	t.Run("abc", func(t *testing.T) {
		checkAgainstOracle(t, d, 2, 6, func(p *aoso.Params) { p.Method = aoso.MethodABC }, oracle.Params{Method: oracle.MethodABC, Base: -1})
	})
	t.Run("binary", func(t *testing.T) {
		checkAgainstOracle(t, binary, 2, 6, func(*aoso.Params) {}, oracle.Params{})
	})
}

func checkAgainstOracle(t *testing.T, d *table, trees, leaves int, change func(*aoso.Params), o oracle.Params) {
	t.Helper()
	p := params(func(p *aoso.Params) {
		paper(p)
		change(p)
		p.NEstimators, p.MaxLeaves, p.LearningRate = trees, leaves, 0.3
	})
	o.Trees, o.Leaves, o.Shrinkage, o.MinSamples, o.StopLoss = trees, leaves, p.LearningRate, 1, 0
	want := oracle.Train(d.x, d.y, d.classes(), o, nil)
	got := trained(t, d, p).Model
	if got.Trees() != len(want.Trees) {
		t.Fatalf("%d trees, the oracle has %d", got.Trees(), len(want.Trees))
	}
	rows := make([]int, len(d.x))
	for i := range rows {
		rows[i] = i
	}
	for i, tree := range want.Trees {
		c := &treeComparison{d, forest(got).Tree(i), len(got.Classes()), tree, p.LearningRate}
		if err := c.node(forest(got).Tree(i).Root(), 0, rows); err != nil {
			t.Fatalf("tree %d: %v", i, err)
		}
	}
}

// treeComparison walks a tree and the oracle's side by side.
type treeComparison struct {
	d         *table
	tree      model.Tree
	classes   int
	want      *oracle.Tree
	shrinkage float64
}

// node compares what is under two nodes that hold the given rows.
func (c *treeComparison) node(child model.Child, wanted int, rows []int) error {
	n := &c.want.Nodes[wanted]
	where := fmt.Sprintf("node %d of %d rows", wanted, len(rows))
	if child.IsLeaf() != (n.Feature < 0) {
		return fmt.Errorf("%s: a leaf in one tree only", where)
	}
	if child.IsLeaf() {
		return c.leaf(c.tree.Leaf(child.Leaf()), n, where, len(rows))
	}
	got := c.tree.Node(child)
	for r, s := range got.Pairs() {
		if err := samePair(r, s, n, c.classes); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
	}
	if !near(float64(got.Gain()), n.Gain, 2e-3) || got.Rows() != len(rows) {
		return fmt.Errorf("%s: gain %g and %d rows, the oracle's gain is %g", where, got.Gain(), got.Rows(), n.Gain)
	}
	split := got.Split()
	var left, right []int
	for _, row := range rows {
		x := c.d.x[row]
		goesLeft := x[split.Feature] < split.Threshold()
		if goesLeft != (float32(x[n.Feature]) < n.Cut) {
			return fmt.Errorf("%s: split of feature %d at %v, the oracle's of feature %d at %v; gain %g and %g",
				where, split.Feature, split.Threshold(), n.Feature, n.Cut, got.Gain(), n.Gain)
		}
		if goesLeft {
			left = append(left, row)
		} else {
			right = append(right, row)
		}
	}
	if err := c.node(got.Left(), n.Left, left); err != nil {
		return err
	}
	return c.node(got.Right(), n.Right, right)
}

func (c *treeComparison) leaf(leaf model.Leaf, n *oracle.Node, where string, rows int) error {
	if leaf.Rows() != rows {
		return fmt.Errorf("%s: the leaf is said to have %d rows", where, leaf.Rows())
	}
	for _, p := range leaf.Pairs() {
		if err := samePair(int(p.R), int(p.S), n, c.classes); err != nil {
			return fmt.Errorf("%s: leaf: %w", where, err)
		}
	}
	value := make([]float64, c.classes)
	leaf.AddTo(value)
	for k, v := range value {
		if want := c.shrinkage * float64(n.Value[k]); !near(v, want, 1e-4) && math.Abs(v-want) > 1e-6 {
			return fmt.Errorf("%s: leaf value %g of class %d, the oracle's is %g", where, v, k, want)
		}
	}
	return nil
}

// samePair compares a class pair with the oracle's. Two classes make but one
// pair, whose direction means nothing. s below zero, or past the last class, is
// no class.
func samePair(r, s int, n *oracle.Node, classes int) error {
	if s == classes {
		s = model.Others
	}
	wantS := max(n.S, model.Others)
	if r == n.R && s == wantS || classes == 2 && r == wantS && s == n.R {
		return nil
	}
	return fmt.Errorf("class pair (%d, %d), the oracle's is (%d, %d)", r, s, n.R, n.S)
}

// TestAuthorsProgram follows the training loss and the test errors that the
// paper's authors' own program printed. Fixed point and ties make other trees
// of about the same worth. How near those come depends on the set: with its
// rows and classes in other orders, that is with other ties, the oracle itself
// lies from 5 % below to 18 % above the figure of Pendigits at 200 trees, and ours
// from 5 % below to 11 % above that of Optdigits at 500.
func TestAuthorsProgram(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long")
	}
	type test struct {
		name   string
		share  float64
		counts []int
	}
	tests := []test{
		{"pendigits", 0.12, []int{200, 500, 1000}},
		{"optdigits", 0.15, []int{200, 500, 1000}},
		{"letter", 0.04, []int{200, 500}},
	}
	figures, err := datatest.Figures(sharedFile(t, "paper", "author-code.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range cases.Some(t, 1, tests) {
		t.Run(test.name, func(t *testing.T) {
			trainSet, testSet := sharedSet(t, test.name)
			last := test.counts[len(test.counts)-1]
			m := trained(t, trainSet, params(func(p *aoso.Params) { paper(p); p.NEstimators, p.NThread = last, 0 })).Model
			if m.Trees() != last {
				t.Fatalf("%d trees, want %d", m.Trees(), last)
			}
			for _, trees := range test.counts {
				want, ok := figures[test.name][trees]
				if !ok {
					t.Fatalf("the authors' program has no figures at %d trees", trees)
				}
				o := aoso.PredictOptions{Trees: trees}
				errs := errorsOf(t, m, testSet, o)
				loss, gradient := authorsSums(t, m, trainSet, o)
				t.Logf("%4d trees: %3d errors (%3d), loss %.5g (%+.2f %%), |gradient| %.5g (%+.2f %%)", trees, errs, want.Errors,
					loss, 100*(loss/want.Loss-1), gradient, 100*(gradient/want.Gradient-1))
				if !near(loss, want.Loss, test.share) || !near(gradient, want.Gradient, test.share) {
					t.Errorf("%d trees: loss %g and gradient %g, want %g and %g within %g", trees, loss, gradient, want.Loss, want.Gradient, test.share)
				}
				// The binomial noise is ±7 to 20; other trees of the same worth spread by ±10.
				if noise := math.Sqrt(float64(want.Errors)); float64(errs-want.Errors) > max(12, noise) || errs < want.Errors-30 {
					t.Errorf("%d trees: %d test errors, want about %d", trees, errs, want.Errors)
				}
			}
		})
	}
}

// authorsSums is Σ −log max(p_y, 1e-4) and Σ |r − p|, which over all classes
// of a row is twice 1 − p_y.
func authorsSums(t *testing.T, m *aoso.Model, d *table, o aoso.PredictOptions) (loss, gradient float64) {
	scores, classes := rawScores(t, m, d.features(), o), len(m.Classes())
	for i, y := range d.y {
		l := rowLoss(scores[i*classes:][:classes], y)
		loss += min(l, -math.Log(1e-4))
		gradient += 2 * -math.Expm1(-l)
	}
	return loss, gradient
}
