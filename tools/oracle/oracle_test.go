package oracle

import (
	"errors"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/data/datatest"
	"github.com/libaoso/aoso/tools/cases"
)

// configs covers all methods and options.
var configs = map[string]Params{
	"paper":        {},
	"full leaf":    {Leaf: LeafFull},
	"first order":  {Selection: SelectFirstOrder},
	"root pair":    {Selection: SelectRoot},
	"full root":    {Selection: SelectRoot, Leaf: LeafFull},
	"abc":          {Method: MethodABC, Base: 2},
	"abc adaptive": {Method: MethodABC, Base: -1},
	"logitboost":   {Method: MethodLogitBoost},
	"min samples":  {MinSamples: 30},
}

func small(p Params) Params {
	p.Leaves, p.Shrinkage, p.Trees = 6, 0.3, 12
	return p
}

// synthetic returns rows of four noisy classes with four features. The third has few distinct values and the fourth is constant.
func synthetic(n int) (x [][]float64, y []int) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range n {
		k := rnd.IntN(4)
		a, b := float64(k%2), float64(k/2)
		x = append(x, []float64{a + 0.6*rnd.NormFloat64(), b + 0.6*rnd.NormFloat64(), math.Round(a + b + rnd.NormFloat64()), 7})
		y = append(y, k)
	}
	return x, y
}

// TestReplay follows the training rows through every tree. It compares each node with what brute force computes from the
// probabilities that the tree was trained on.
func TestReplay(t *testing.T) {
	x, y := synthetic(150)
	for name, config := range configs {
		t.Run(name, func(t *testing.T) {
			before := matrix(len(x), 4)
			for i := range before {
				copy(before[i], []float64{0.25, 0.25, 0.25, 0.25})
			}
			done, base := 0, max(config.Base, 0)
			Train(x, y, 4, small(config), func(iteration int, m *Model) bool {
				for k, tree := range m.Trees[done:] {
					if config.Method == MethodABC && k >= base {
						k++
					}
					replay(t, x, y, before, config, tree, k, base)
				}
				done = len(m.Trees)
				worst := make([]float64, 4)
				for i := range m.P {
					copy(before[i], m.P[i])
					worst[y[i]] -= math.Log(m.P[i][y[i]])
				}
				if config.Base < 0 {
					base = slices.Index(worst, slices.Max(worst))
				}
				return true
			})
			if done != 12 {
				t.Errorf("%d trees, want 12", done)
			}
		})
	}
}

func replay(t *testing.T, x [][]float64, y []int, p [][]float64, config Params, tree *Tree, k, base int) {
	t.Helper()
	rows := make([][]int, len(tree.Nodes))
	for i := range x {
		rows[0] = append(rows[0], i)
	}
	leaves := 0
	for j, n := range tree.Nodes {
		if len(rows[j]) != n.Rows || n.Rows == 0 {
			t.Fatalf("node %d has %d rows, but Rows is %d", j, len(rows[j]), n.Rows)
		}
		g, h := dense(p, y, rows[j])
		switch {
		case config.Method == MethodABC:
			if n.R != k || n.S != base {
				t.Fatalf("node %d: pair (%d, %d), want (%d, %d)", j, n.R, n.S, k, base)
			}
		case config.Method == MethodLogitBoost:
			if n.R != k || n.S >= 0 {
				t.Fatalf("node %d: pair (%d, %d), want only class %d", j, n.R, n.S, k)
			}
		case config.Selection == SelectRoot && j > 0:
			if n.R != tree.Nodes[0].R || n.S != tree.Nodes[0].S {
				t.Fatalf("node %d does not have the pair of the root", j)
			}
		default:
			checkPair(t, g, h, n, config.Selection == SelectFirstOrder)
		}
		if n.Feature < 0 {
			leaves++
			checkLeaf(t, g, h, n, config)
			continue
		}
		best := math.Inf(-1)
		for f := range x[0] {
			for _, i := range rows[j] {
				if gain, ok := splitGain(x, y, p, rows[j], f, float32(x[i][f]), n); ok {
					best = max(best, gain)
				}
			}
		}
		gain, ok := splitGain(x, y, p, rows[j], n.Feature, n.Cut, n)
		if !ok || math.Abs(n.Gain-gain) > 1e-9 || math.Abs(gain-best) > 1e-9 {
			t.Fatalf("node %d: gain %g, recomputed %g, best split %g", j, n.Gain, gain, best)
		}
		for _, i := range rows[j] {
			if float32(x[i][n.Feature]) < n.Cut {
				rows[n.Left] = append(rows[n.Left], i)
			} else {
				rows[n.Right] = append(rows[n.Right], i)
			}
		}
		if n.Rows <= config.MinSamples {
			t.Fatalf("node %d was split with only %d rows", j, n.Rows)
		}
	}
	if config.MinSamples == 0 && leaves != 6 {
		t.Fatalf("%d leaves, want 6", leaves)
	}
}

// dense returns the negative gradient (11) and the whole Hessian (12) of a node.
func dense(p [][]float64, y, rows []int) (g []float64, h [][]float64) {
	classes := len(p[0])
	g, h = make([]float64, classes), matrix(classes, classes)
	for _, i := range rows {
		g[y[i]]++
		for a := range g {
			g[a] -= p[i][a]
			h[a][a] += p[i][a]
			for b := range g {
				h[a][b] -= p[i][a] * p[i][b]
			}
		}
	}
	return g, h
}

// along returns the derivatives in the direction of the pair (r, s).
func along(g []float64, h [][]float64, r, s int) (float64, float64) {
	if s < 0 {
		return g[r], h[r][r]
	}
	return g[r] - g[s], h[r][r] + h[s][s] - 2*h[r][s]
}

// checkPair accepts any pair that is as good as the best, because rounding decides between them.
func checkPair(t *testing.T, g []float64, h [][]float64, n Node, firstOrder bool) {
	t.Helper()
	score := func(k int) float64 {
		a, b := along(g, h, n.R, k)
		if firstOrder {
			return a
		}
		return a * a / b
	}
	for k := range g {
		if g[k] > g[n.R]+1e-9 || k != n.R && score(k) > score(n.S)+1e-9 || n.R == n.S {
			t.Fatalf("pair (%d, %d) is not the best for the gradient %v", n.R, n.S, g)
		}
	}
}

func checkLeaf(t *testing.T, g []float64, h [][]float64, n Node, config Params) {
	t.Helper()
	want := make([]float64, len(g))
	c := float64(len(g)-1) / float64(len(g))
	if config.Leaf == LeafFull {
		var mean float64
		for k := range g {
			want[k] = clip(c * g[k] / h[k][k])
			mean += want[k] / float64(len(g))
		}
		for k := range g {
			want[k] -= mean
		}
	} else {
		a, b := along(g, h, n.R, n.S)
		if n.S < 0 {
			want[n.R] = clip(c * a / b)
		} else {
			want[n.R], want[n.S] = clip(a/b), -clip(a/b)
		}
	}
	var sum float64
	for k, v := range n.Value {
		sum += float64(v)
		if math.Abs(float64(v)-want[k]) > 1e-6*5 {
			t.Fatalf("leaf vector %v, want %v", n.Value, want)
		}
	}
	if config.Method != MethodLogitBoost && math.Abs(sum) > 1e-6 {
		t.Fatalf("leaf vector %v sums to %g", n.Value, sum)
	}
}

// splitGain returns the gain (22) for the pair of the node, from separate sums for each side. ok is false if a side is empty.
func splitGain(x [][]float64, y []int, p [][]float64, rows []int, feature int, cut float32, n Node) (gain float64, ok bool) {
	var side [2][]int
	for _, i := range rows {
		if float32(x[i][feature]) < cut {
			side[0] = append(side[0], i)
		} else {
			side[1] = append(side[1], i)
		}
	}
	loss := func(rows []int) float64 {
		g, h := dense(p, y, rows)
		a, b := along(g, h, n.R, n.S)
		return a * a / (2 * b)
	}
	if len(side[0]) == 0 || len(side[1]) == 0 {
		return 0, false
	}
	return loss(side[0]) + loss(side[1]) - loss(rows), true
}

func TestTrain(t *testing.T) {
	x, y := synthetic(150)
	for name, config := range configs {
		t.Run(name, func(t *testing.T) {
			last := math.Inf(1)
			m := Train(x, y, 4, small(config), func(iteration int, m *Model) bool {
				loss := m.ClippedLoss()
				if loss >= last {
					t.Errorf("iteration %d: the loss increased from %g to %g", iteration, last, loss)
				}
				last = loss
				return true
			})
			errs := 0
			for i := range x {
				if !slices.Equal(m.Scores(x[i]), m.F[i]) {
					t.Fatalf("row %d: scores %v, but %v in training", i, m.Scores(x[i]), m.F[i])
				}
				if m.Predict(x[i]) != y[i] {
					errs++
				}
			}
			if errs > len(x)/4 {
				t.Errorf("%d training errors, want at most %d", errs, len(x)/4)
			}
		})
	}
}

// TestDerivatives compares the derivatives with finite differences of the loss (3).
func TestDerivatives(t *testing.T) {
	f := []float64{0.4, -1.1, 0.9, -0.2}
	m := &Model{F: [][]float64{nil}, P: matrix(1, len(f))}
	const e = 1e-4
	for y := range f {
		// loss is the loss at the scores f plus a for class j and b for class k.
		loss := func(j int, a float64, k int, b float64) float64 {
			m.F[0] = slices.Clone(f)
			m.F[0][j] += a
			m.F[0][k] += b
			m.softmax()
			return -math.Log(m.P[0][y])
		}
		check := func(what string, got, want float64) {
			t.Helper()
			if math.Abs(got-want) > 1e-6 {
				t.Errorf("label %d: %s is %g, by finite differences %g", y, what, got, want)
			}
		}
		for r := range f {
			slope := (loss(r, -e, 0, 0) - loss(r, e, 0, 0)) / (2 * e)
			curve := (loss(r, e, 0, 0) - 2*loss(0, 0, 0, 0) + loss(r, -e, 0, 0)) / (e * e)
			g := &grower{classes: len(f), y: []int{y}, p: m.P, fixed: &pair{r, -1}}
			loss(0, 0, 0, 0) // sets m.P to the probabilities of f
			sums, _ := g.sum([]int32{0})
			check("m_k", sums.m[r], slope)
			check("h_kk", sums.h[r], curve)
			a, b := pair{r, -1}.rowDerivatives(m.P[0], y)
			check("the gradient of a class", a, slope)
			check("the Hessian of a class", b, curve)
			for s := range f {
				if s == r {
					continue
				}
				slope := (loss(r, -e, s, e) - loss(r, e, s, -e)) / (2 * e)
				curve := (loss(r, e, s, -e) - 2*loss(0, 0, 0, 0) + loss(r, -e, s, e)) / (e * e)
				cross := (loss(r, e, s, e) - loss(r, e, s, -e) - loss(r, -e, s, e) + loss(r, -e, s, -e)) / (4 * e * e)
				loss(0, 0, 0, 0)
				a, b := pair{r, s}.rowDerivatives(m.P[0], y)
				check("the gradient of a pair", a, slope)
				check("the Hessian of a pair", b, curve)
				check("h_rk", sums.hrk[s], cross)
				check("the Hessian from totals", sums.pairHessian(pair{r, s}), curve)
			}
		}
	}
}

func TestEdges(t *testing.T) {
	p := Params{Leaves: 4, Shrinkage: 1, Trees: 50, StopLoss: 1e-16}
	two := []int{0, 0, 1}

	t.Run("nothing to split on", func(t *testing.T) {
		m := Train([][]float64{{3}, {3}, {3}}, two, 2, p, nil)
		for _, tree := range m.Trees {
			if len(tree.Nodes) != 1 {
				t.Fatalf("%d nodes", len(tree.Nodes))
			}
		}
		if got := m.P[0][0]; math.Abs(got-2./3) > 1e-6 {
			t.Errorf("probability %g, want 2/3", got)
		}
	})
	t.Run("splits without gain are taken", func(t *testing.T) {
		m := Train([][]float64{{1}, {2}, {4}}, []int{0, 0, 0}, 2, p, nil)
		if n := m.Trees[0].Nodes; len(n) != 5 || math.Abs(n[0].Gain) > 1e-12 || n[0].Cut != 1.5 {
			t.Errorf("%+v", n)
		}
	})
	t.Run("stops at the loss", func(t *testing.T) {
		m := Train([][]float64{{1}, {2}, {4}}, two, 2, p, nil)
		if len(m.Trees) >= p.Trees || m.ClippedLoss() >= 1e-16 || m.AbsGradient() > 1e-14 {
			t.Errorf("%d trees, loss %g", len(m.Trees), m.ClippedLoss())
		}
	})
	t.Run("stops on request", func(t *testing.T) {
		m := Train([][]float64{{1}, {2}, {4}}, two, 2, p, func(i int, _ *Model) bool { return i < 3 })
		if len(m.Trees) != 3 {
			t.Errorf("%d trees", len(m.Trees))
		}
	})
	t.Run("only whole iterations", func(t *testing.T) {
		p := p
		p.Method, p.Trees = MethodLogitBoost, 8
		if m := Train([][]float64{{1}, {2}, {4}}, []int{0, 1, 2}, 3, p, nil); len(m.Trees) != 6 {
			t.Errorf("%d trees", len(m.Trees))
		}
	})
	t.Run("neighbouring floats", func(t *testing.T) {
		a := float32(1)
		for range 4 {
			b := math.Nextafter32(a, 2)
			if cut := midpoint(a, b); !(a < cut && cut <= b) {
				t.Errorf("cut %v between %v and %v", cut, a, b)
			}
			a = b
		}
	})
	t.Run("Hessian of zero", func(t *testing.T) {
		if got := reduction(2, 0); got != 2 {
			t.Errorf("reduction(2, 0) = %g, want 2 as for a Hessian of 1", got)
		}
	})
	t.Run("missing value", func(t *testing.T) {
		defer func() {
			if recover() == nil {
				t.Error("Train does not panic")
			}
		}()
		Train([][]float64{{1}, {math.NaN()}}, []int{0, 1}, 2, p, nil)
	})
}

// TestAuthorsProgram compares with the results of the authors' program in ../shared/paper/author-code.csv.
func TestAuthorsProgram(t *testing.T) {
	shared := filepath.Join(repoRoot(t), "..", "shared")
	data := os.Getenv("AOSO_DATA")
	if data == "" {
		data = filepath.Join(shared, "data")
	}
	figures := filepath.Join(shared, "paper", "author-code.csv")
	for _, path := range []string{data, figures} {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			if _, err := os.Stat(shared); err == nil && os.Getenv("CI") == "true" {
				t.Fatalf("%s is missing, but the shared folder exists", path)
			}
			t.Skipf("%s is missing (AOSO_DATA sets another data folder)", path)
		}
	}
	last := 100
	if testing.Short() {
		last = 20
	}
	sets, err := datatest.Figures(figures)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range cases.Some(t, 1, []string{"letter", "pendigits", "optdigits"}) {
		t.Run(name, func(t *testing.T) {
			want := sets[name]
			maps.DeleteFunc(want, func(trees int, _ datatest.Figure) bool { return trees > last })
			if len(want) == 0 {
				t.Fatalf("%s has no results for %s", figures, name)
			}
			x, y := readData(t, filepath.Join(data, name+".train.csv.gz"))
			testX, testY := readData(t, filepath.Join(data, name+".test.csv.gz"))
			scores := matrix(len(testX), classCount(y))
			compared := 0
			p := Params{Leaves: 20, Shrinkage: 0.1, MinSamples: 1, Trees: last, StopLoss: 1e-16}
			m := Train(x, y, classCount(y), p, func(iteration int, m *Model) bool {
				errs := 0
				for i, row := range testX {
					m.AddLeaf(scores[i], m.Trees[iteration-1].Leaf(row))
					if argmax(scores[i]) != testY[i] {
						errs++
					}
				}
				w, ok := want[iteration]
				if !ok {
					return true
				}
				compared++
				loss, gradient := m.ClippedLoss(), m.AbsGradient()
				t.Logf("%4d trees: %4d errors (%4d), loss %.10g (%.10g), gradient %.10g (%.10g)",
					iteration, errs, w.Errors, loss, w.Loss, gradient, w.Gradient)
				if !near(loss, w.Loss, 1e-6) || !near(gradient, w.Gradient, 1e-6) || abs(errs-w.Errors) > 2 {
					t.Errorf("%d trees: the result differs from that of the authors' program", iteration)
				}
				return true
			})
			if len(m.Trees) != last || compared != len(want) {
				t.Errorf("%d trees, want %d; %d of %d results compared", len(m.Trees), last, compared, len(want))
			}
		})
	}
}

// readData reads a data set.
func readData(t *testing.T, path string) (x [][]float64, y []int) {
	t.Helper()
	x, y, err := datatest.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return x, y
}

// repoRoot returns the nearest parent folder that contains go.mod.
func repoRoot(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = parent
	}
}

func classCount(y []int) int {
	n := 0
	for _, k := range y {
		n = max(n, k+1)
	}
	return n
}

func near(a, b, relative float64) bool {
	return math.Abs(a-b) <= relative*max(math.Abs(a), math.Abs(b))
}

func abs(a int) int { return max(a, -a) }
