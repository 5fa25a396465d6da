package aoso

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/model"
)

// variants is every kind of tree and leaf.
var variants = []struct {
	name   string
	change func(*Params)
}{
	{"paper", paper},
	{"first order", func(p *Params) { paper(p); p.PairSelection = "first_order" }},
	{"root", func(p *Params) { paper(p); p.PairSelection = "root" }},
	{"pair leaf, 4 pairs", func(p *Params) { p.Leaf, p.Pairs = "pair", 4 }},
	{"full leaf", func(p *Params) { p.Leaf, p.Pairs = "full", 1 }},
	{"full leaf, 2 pairs", func(p *Params) { p.Leaf, p.Pairs = "full", 2 }},
	{"full leaf, 4 pairs", func(p *Params) { p.Leaf, p.Pairs = "full", 4 }},
	{"full leaf, 8 pairs", func(p *Params) { p.Leaf, p.Pairs = "full", 8 }},
	{"full leaf, root, 8 pairs", func(p *Params) { p.Leaf, p.Pairs, p.PairSelection = "full", 8, "root" }},
	{"abc", func(p *Params) { p.Method = ABC }},
	{"abc, gap", func(p *Params) { p.Method, p.BaseGap = ABC, 3 }},
	{"abc, exhaustive", func(p *Params) { p.Method, p.BaseClass, p.BaseGap = ABC, "exhaustive", 2 }},
	{"logitboost", func(p *Params) { p.Method = LogitBoost }},
}

// rounds sets the number of trees to so many iterations.
func (p *Params) rounds(n, classes int) { p.Trees = n * p.treesPerIteration(classes) }

// TestResiduals compares the loss that training reports, from its residuals,
// with that of the model's own predictions on the training rows: the rows that
// a tree was not grown on must have moved as well.
func TestResiduals(t *testing.T) {
	plain := blobs(1, 1500, 5, 10, 255)
	holes := plain.punch(1, 0.1)
	sets := []struct {
		name   string
		data   *table
		change func(*Params)
	}{
		{"plain", plain, func(*Params) {}},
		{"weights", plain.weighted(1), func(*Params) {}},
		{"missing", holes, func(*Params) {}},
		{"subsample", plain, func(p *Params) { p.Subsample = 0.5 }},
		{"columns", plain, func(p *Params) { p.ColsampleByTree, p.ColsampleByNode = 0.8, 0.5 }},
		{"bounds", plain, func(p *Params) { p.MinSamples, p.Trim, p.L2, p.MinHessian = 20, 0.3, 0.5, 2 }},
		{"all", holes.weighted(2), func(p *Params) {
			p.Subsample, p.ColsampleByTree, p.ColsampleByNode = 0.6, 0.8, 0.5
			p.MinSamples, p.Trim, p.L2, p.MaxDepth = 7, 0.1, 0.1, 4
		}},
	}
	for _, v := range variants {
		for _, s := range sets {
			t.Run(v.name+"/"+s.name, func(t *testing.T) {
				r := fit(t, s.data, params(func(p *Params) {
					v.change(p)
					s.change(p)
					p.Leaves = 8
					p.rounds(5, 10)
				}))
				if r.Iterations != 5 || r.Model.Trees() != 5*r.Model.TreesPerIteration() || r.StoppedBy != StoppedByTrees {
					t.Fatalf("%d iterations, %d trees, stopped by %s", r.Iterations, r.Model.Trees(), r.StoppedBy)
				}
				if loss := lossOf(t, r.Model, s.data, PredictOptions{}); !near(loss, r.TrainLoss, 1e-4) {
					t.Errorf("training says that its loss is %g, the model's is %g", r.TrainLoss, loss)
				}
			})
		}
	}
}

// TestResidualsToTheEnd does so when next to no loss is left.
func TestResidualsToTheEnd(t *testing.T) {
	d := blobs(2, 400, 5, 6, 255)
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			p := params(func(p *Params) { v.change(p); p.StopLoss, p.Shrinkage, p.Trees = 1e-7, 0.3, 10_000 })
			r := fit(t, d, p)
			if r.StoppedBy != StoppedByLoss || r.TrainLoss > 1e-7 {
				t.Fatalf("stopped by %s at a loss of %g", r.StoppedBy, r.TrainLoss)
			}
			if loss := lossOf(t, r.Model, d, PredictOptions{}); !near(loss, r.TrainLoss, 1e-3) {
				t.Errorf("training says that its loss is %g, the model's is %g", r.TrainLoss, loss)
			}
		})
	}
}

func TestLossFalls(t *testing.T) {
	d := blobs(3, 1200, 5, 7, 255)
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			last := float64(len(d.y)) * math.Log(7)
			train(t, newDataset(t, d), params(func(p *Params) { v.change(p); p.Shrinkage = 0.02; p.rounds(25, 7) }), TrainOptions{
				Callback: func(p Progress) bool {
					if p.TrainLoss >= last {
						t.Errorf("iteration %d: the loss went from %g to %g", p.Iteration, last, p.TrainLoss)
					}
					last = p.TrainLoss
					return true
				}})
		})
	}
}

// TestSumToZero checks the leaf vectors by the scores that they make.
func TestSumToZero(t *testing.T) {
	d := blobs(4, 1000, 5, 9, 255)
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			r := fit(t, d, params(func(p *Params) { v.change(p); p.rounds(10, 9) }))
			scores, worst := rawScores(t, r.Model, d.features(), PredictOptions{}), 0.0
			for i := range d.y {
				sum := 0.0
				for _, f := range scores[i*9:][:9] {
					sum += f
				}
				worst = max(worst, math.Abs(sum))
			}
			if r.Model.method == LogitBoost { // has no such constraint
				if worst < 1e-3 {
					t.Errorf("the scores sum to zero, but no %s tree sees to that", LogitBoost)
				}
			} else if worst > 1e-6*float64(r.Model.Trees()) {
				t.Errorf("the scores of a row sum to %g", worst)
			}
		})
	}
}

// TestSameModelEverywhere trains with every level of the kernels and several
// numbers of threads, on more rows than a block has: nothing may show.
func TestSameModelEverywhere(t *testing.T) {
	all := letter()
	wide := blobs(6, 150_000, 3, 3, 200)
	binary := blobs(7, 150_000, 3, 2, 200).punch(7, 0.05)
	everything := func(p *Params) {
		p.Subsample, p.ColsampleByTree, p.ColsampleByNode = 0.7, 0.8, 0.6
		p.MinSamples, p.Trim, p.L2, p.MinHessian = 5, 0.1, 0.01, 0.5
	}
	tests := []struct {
		name   string
		data   *table
		change func(*Params)
	}{
		{"paper", all, func(p *Params) { paper(p); p.Trees = 4 }},
		{"4 pairs", all, func(p *Params) { p.Trees = 4 }},
		{"8 pairs, root", all, func(p *Params) { p.Pairs, p.PairSelection, p.Trees = 8, "root", 3 }},
		{"everything", all.punch(8, 0.05).weighted(8), func(p *Params) { everything(p); p.Trees = 4 }},
		{"logitboost", all, func(p *Params) { p.Method, p.Leaves, p.Trees = LogitBoost, 6, 26 }},
		{"abc", blobs(9, 20_000, 6, 4, 100).weighted(9), func(p *Params) { p.Method, p.BaseClass = ABC, "exhaustive"; everything(p); p.Trees = 6 }},
		{"wide", wide, func(p *Params) { p.Trees, p.Leaves = 2, 8 }},
		{"wide, root", wide, func(p *Params) { paper(p); p.PairSelection, p.Trees, p.Leaves = "root", 2, 8 }},
		{"wide, abc", wide, func(p *Params) { p.Method, p.Trees, p.Leaves = ABC, 2, 8; p.MinSamples = 9 }},
		{"wide, binary", binary, func(p *Params) { p.Trees, p.Leaves, p.Trim = 2, 8, 0.1 }},
		{"wide, binary, min samples", binary.weighted(3), func(p *Params) { p.Trees, p.Leaves, p.MinSamples, p.Subsample = 2, 8, 2000, 0.9 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set, want := newDataset(t, test.data), ""
			for _, level := range Levels() {
				for _, threads := range []int{1, 2, 3, 8} {
					if threads != 3 && level != Levels()[0] {
						continue
					}
					r := train(t, set, params(func(p *Params) { test.change(p); p.Level, p.Threads = level, threads }), TrainOptions{})
					if r.Level != level || r.Threads != threads {
						t.Fatalf("level %s and %d threads, want %s and %d", r.Level, r.Threads, level, threads)
					}
					got := r.Model.Fingerprint()
					if want == "" {
						want = got
					}
					if got != want {
						t.Errorf("%s, %d threads: fingerprint %s, want %s", level, threads, got, want)
					}
				}
			}
		})
	}
}

// TestSameModelOnEveryMachine pins models down, so that other architectures
// can be seen to make the same. A change of the algorithm changes them: then,
// and only then, put the new fingerprints here.
func TestSameModelOnEveryMachine(t *testing.T) {
	d := blobs(1, 1500, 5, 10, 255).punch(1, 0.05).weighted(3)
	want := map[string]string{
		"paper":                    "295ae34462100b587ae81b7e93a671f8",
		"first order":              "34c308a63970f58c9d11c8ca5ac7dc94",
		"root":                     "87bd5e9f6e5ae127ea30c26474d3b099",
		"pair leaf, 4 pairs":       "de8281dc8e79c3c090c60d3049636cd3",
		"full leaf":                "7d1f0111cd8e822700b571a74588f9c0",
		"full leaf, 2 pairs":       "136723c61617819642e7719382b44d77",
		"full leaf, 4 pairs":       "d44f970757fc2534791aa9f99ca67411",
		"full leaf, 8 pairs":       "8506384d2bc915d89f08da35c13266d0",
		"full leaf, root, 8 pairs": "aebdf41640f315b69a5d00b85ffdd412",
		"abc":                      "ac1981f76596568f8eb47e2887231776",
		"abc, gap":                 "bdb36b93026e3e50618d121258cd85ab",
		"abc, exhaustive":          "34df971d218c4d38fa29995f89bdeea2",
		"logitboost":               "2af46c72e2679a4e4db8d02b44b02663",
	}
	for _, v := range variants {
		m := fit(t, d, params(func(p *Params) {
			v.change(p)
			p.Leaves, p.Subsample, p.Trim, p.MinSamples = 8, 0.8, 0.05, 3
			p.rounds(3, 10)
		})).Model
		if got := m.Fingerprint(); got != want[v.name] {
			t.Errorf("%q: %q,", v.name, got)
		}
	}
}

// TestForms: features that most rows have one value of, and those of few
// values, are there in other forms as well, which may not show in the model.
func TestForms(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 0))
	d := blobs(43, 9000, 3, 5, 255)
	for i, row := range d.x {
		group, extra := (d.y[i]*3+r.IntN(6))%20, make([]float64, 24)
		extra[group] = 1 // 20 columns of which a row has one
		for j := 20; j < 24; j++ {
			if r.IntN(10) < 2 {
				extra[j] = math.Round(9 * r.Float64()) // some with few other values
			}
		}
		if r.IntN(50) == 0 {
			extra[r.IntN(24)] = math.NaN()
		}
		for j := range 19 { // of at most 16 values
			extra = append(extra, float64(r.IntN(2+j%15)+d.y[i]%(1+j%2)))
		}
		d.x[i] = append(extra, row...)
	}
	wide := &table{}
	for range 9 {
		wide.x, wide.y = append(wide.x, d.x...), append(wide.y, d.y...)
	}
	binary := &table{x: d.x}
	for _, y := range d.y {
		binary.y = append(binary.y, y%2)
	}
	type test struct {
		name   string
		data   *table
		change func(*Params)
	}
	tests := []test{
		{"sampled", d, func(p *Params) { p.Subsample, p.MinSamples, p.Trim = 0.7, 9, 0.1 }},
		{"columns", d, func(p *Params) { p.ColsampleByTree, p.ColsampleByNode = 0.8, 0.8 }},
		{"binary", binary, func(p *Params) { p.MinSamples = 5 }},
		{"wide", wide, func(p *Params) { p.Leaves = 6 }},
		{"wide root", wide, func(p *Params) { p.Leaves, p.PairSelection = 6, "root" }},
	}
	for _, v := range variants {
		tests = append(tests, test{v.name, d, v.change})
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var prints []string
			for _, dense := range []bool{false, true} {
				set, err := NewDataset(test.data.features(), test.data.labels(), DatasetOptions{DenseOnly: dense})
				if err != nil {
					t.Fatal(err)
				}
				if (len(set.set.Matrix.Sparse) == 0) != dense || (len(set.set.Matrix.Joint) == 0) != dense {
					t.Fatalf("%d groups of sparse features, %d joint columns", len(set.set.Matrix.Sparse), len(set.set.Matrix.Joint))
				}
				p := params(func(p *Params) { test.change(p); p.rounds(2, test.data.classes()) })
				r := train(t, set, p, TrainOptions{})
				prints = append(prints, r.Model.Fingerprint())
			}
			if prints[0] != prints[1] {
				t.Error("the model is another one with features in columns only")
			}
		})
	}
}

// TestSubtraction trains once with histograms of which half are got by
// subtraction and once with all of them filled, on other fixed-point scales:
// the trees are the same up to rounding.
func TestSubtraction(t *testing.T) {
	direct := func(p *Params) { p.ColsampleByNode = 0.99 } // of few columns that is all
	tests := []struct {
		name   string
		data   *table
		change func(*Params)
	}{
		{"binary", blobs(10, 6000, 6, 2, 255).punch(1, 0.1), func(p *Params) { p.Trees = 6 }},
		{"binary, min samples", blobs(11, 6000, 6, 2, 255).punch(1, 0.1), func(p *Params) { p.Trees, p.MinSamples = 6, 50 }},
		{"root", blobs(12, 6000, 6, 5, 255), func(p *Params) { p.Trees, p.PairSelection = 6, "root" }},
		{"abc", blobs(13, 6000, 6, 4, 255), func(p *Params) { p.Method, p.Trees = ABC, 6 }},
		{"wide", blobs(14, 150_000, 3, 2, 255), func(p *Params) { p.Trees = 2 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set := newDataset(t, test.data)
			change := func(p *Params) { p.Leaves = 8; test.change(p) }
			a := train(t, set, params(change), TrainOptions{}).Model.forest
			b := train(t, set, params(func(p *Params) { change(p); direct(p) }), TrainOptions{}).Model.forest
			if !slices.Equal(splits(a), splits(b)) {
				t.Fatalf("splits differ: %v and %v", splits(a), splits(b))
			}
			if !slices.Equal(rowsOfNodes(a), rowsOfNodes(b)) || !slices.Equal(rowsOfLeaves(a), rowsOfLeaves(b)) {
				t.Error("the nodes have other rows")
			}
			direct := gains(b)
			for i, gain := range gains(a) {
				if !near(float64(gain), float64(direct[i]), 1e-3) {
					t.Errorf("node %d: gain %g by subtraction, %g directly", i, gain, direct[i])
				}
			}
		})
	}
}

func TestPermutedFeatures(t *testing.T) {
	d := blobs(15, 3000, 7, 5, 255).punch(15, 0.03)
	permuted, order := &table{y: d.y}, []int{3, 0, 6, 2, 5, 1, 4}
	for _, row := range d.x {
		var r []float64
		for _, j := range order {
			r = append(r, row[j])
		}
		permuted.x = append(permuted.x, r)
	}
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			p := params(func(p *Params) { v.change(p); p.Leaves = 8; p.rounds(4, 5) })
			a, b := fit(t, d, p).Model, fit(t, permuted, p).Model
			if !slices.Equal(rawScores(t, a, d.features(), PredictOptions{}), rawScores(t, b, permuted.features(), PredictOptions{})) {
				t.Error("the scores differ")
			}
			for _, kind := range []string{"gain", "split"} {
				of, err1 := a.Importance(kind)
				moved, err2 := b.Importance(kind)
				if err1 != nil || err2 != nil {
					t.Fatal(err1, err2)
				}
				for j, from := range order {
					if of[from] != moved[j] {
						t.Errorf("%s importance of feature %d is %g and, moved to %d, %g", kind, from, of[from], j, moved[j])
					}
				}
			}
		})
	}
}

// TestRenamedClasses gives the classes another order, which decides ties only:
// weights and large leaves see to it that there are none.
func TestRenamedClasses(t *testing.T) {
	d := blobs(16, 4000, 6, 5, 255)
	r := rand.New(rand.NewPCG(16, 0))
	for range d.y {
		d.weights = append(d.weights, 0.5+r.Float64())
	}
	name := []int{2, 4, 1, 0, 3}
	renamed := &table{x: d.x, weights: d.weights}
	for _, y := range d.y {
		renamed.y = append(renamed.y, name[y])
	}
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			p := params(func(p *Params) { v.change(p); p.Leaves, p.MinSamples = 6, 200; p.rounds(4, 5) })
			a, b := fit(t, d, p).Model, fit(t, renamed, p).Model
			f, g := rawScores(t, a, d.features(), PredictOptions{}), rawScores(t, b, d.features(), PredictOptions{})
			for i := range d.y {
				for k := range 5 {
					if x, y := f[i*5+k], g[i*5+name[k]]; math.Abs(x-y) > 1e-4 {
						t.Fatalf("row %d, class %d: score %g, renamed %g", i, k, x, y)
					}
				}
				if x, y := boost.Argmax(f[i*5:][:5]), boost.Argmax(g[i*5:][:5]); name[x] != y {
					t.Fatalf("row %d: class %d, renamed %d", i, x, y)
				}
			}
		})
	}
}

// TestTies: of equal splits the one of the lowest feature is taken, and of its
// lowest cut.
func TestTies(t *testing.T) {
	d := blobs(45, 1500, 4, 5, 200)
	twice := &table{y: d.y}
	for i, row := range d.x {
		rare := 0.0
		if (d.y[i]+i)%9 == 0 {
			rare = 1
		}
		row = append(slices.Clone(row), rare, rare+1, rare*3)
		twice.x = append(twice.x, append(row, row...))
	}
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			m := fit(t, twice, params(func(p *Params) { v.change(p); p.rounds(3, 5) })).Model
			splits, err := m.Importance("split")
			if err != nil {
				t.Fatal(err)
			}
			for j, n := range splits {
				if copied := j >= 5; copied && n > 0 {
					t.Errorf("feature %d, a copy, has %g splits", j, n)
				}
			}
		})
	}
	symmetric := &table{x: [][]float64{{1}, {2}, {2}, {3}}, y: []int{0, 1, 1, 0}}
	m := fit(t, symmetric, params(func(p *Params) { p.Trees, p.Leaves = 1, 2 })).Model
	if cut := thresholds(m.forest); !slices.Equal(cut, []float64{1.5}) {
		t.Errorf("cut at %v, want 1.5", cut)
	}
}

// TestCutInNode: a node is cut half-way between the values that it holds.
func TestCutInNode(t *testing.T) {
	d := &table{}
	for i := range 90 {
		d.x, d.y = append(d.x, []float64{0, float64(1 + i%9)}), append(d.y, 0)
	}
	for i := range 30 { // holds 1 and 9 alone
		d.x, d.y = append(d.x, []float64{1, float64(1 + i%2*8)}), append(d.y, 1+i%2)
	}
	m := fit(t, d, params(func(p *Params) { p.Trees, p.Leaves = 1, 3 })).Model
	if s := splits(m.forest); len(s) != 2 || s[0].Feature != 0 || s[0].Threshold != 0.5 || s[1].Feature != 1 || s[1].Threshold != 4.5 {
		t.Errorf("splits %v, want feature 0 at 0.5 and 1 at 4.5", s)
	}
}

// TestWeights: a row of weight n is n rows, one of weight 0 is none.
func TestWeights(t *testing.T) {
	d := blobs(17, 3000, 6, 5, 255)
	r := rand.New(rand.NewPCG(17, 0))
	d.weights = make([]float64, len(d.y))
	repeated := &table{}
	for i, row := range d.x {
		n := r.IntN(4)
		d.weights[i] = float64(n)
		for range n {
			repeated.x, repeated.y = append(repeated.x, row), append(repeated.y, d.y[i])
		}
	}
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			p := params(func(p *Params) { v.change(p); p.Leaves, p.Trim = 6, 0.2; p.rounds(3, 5) })
			a, b := fit(t, d, p), fit(t, repeated, p)
			if !near(a.TrainLoss, b.TrainLoss, 1e-4) {
				t.Errorf("loss %g with weights, %g with repeated rows", a.TrainLoss, b.TrainLoss)
			}
			f := rawScores(t, a.Model, repeated.features(), PredictOptions{})
			for i, g := range rawScores(t, b.Model, repeated.features(), PredictOptions{}) {
				if math.Abs(f[i]-g) > 1e-4 {
					t.Fatalf("score %g with weights, %g with repeated rows", f[i], g)
				}
			}
		})
	}
}

// leafRows counts the training rows in every leaf of a tree by prediction.
func leafRows(t *testing.T, m *Model, d *table) [][]int {
	t.Helper()
	leaves, err := m.PredictLeaf(d.features(), PredictOptions{})
	if err != nil {
		t.Fatal(err)
	}
	counts := make([][]int, m.Trees())
	for tree := range counts {
		counts[tree] = make([]int, m.Leaves(tree))
		for i := range d.y {
			counts[tree][leaves[i*m.Trees()+tree]]++
		}
	}
	return counts
}

// depth is the most splits above a leaf.
func depth(t model.Tree, child model.Child) int {
	if child.IsLeaf() {
		return 0
	}
	n := t.Node(child)
	return 1 + max(depth(t, n.Left()), depth(t, n.Right()))
}

func TestMinSamples(t *testing.T) {
	plain := blobs(18, 2000, 5, 6, 40)
	binary := blobs(19, 2000, 5, 2, 40).punch(19, 0.1)
	sets := []struct {
		name    string
		data    *table
		trim    float64
		weights bool
	}{
		{"plain", plain, 0, false},
		{"missing", plain.punch(18, 0.1), 0, false},
		{"missing, trim", plain.punch(18, 0.1), 0.1, false},
		{"weights", plain.punch(18, 0.1), 0.2, true},
		{"binary, missing", binary, 0, false},
		{"binary, missing, trim", binary, 0.1, true},
	}
	for _, v := range variants {
		for _, s := range sets {
			for _, least := range []int{1, 2, 37} {
				t.Run(fmt.Sprintf("%s/%s/%d", v.name, s.name, least), func(t *testing.T) {
					d := s.data
					if s.weights {
						d = d.weighted(4)
					}
					classes := d.classes()
					m := fit(t, d, params(func(p *Params) {
						v.change(p)
						p.MinSamples, p.Trim, p.Leaves, p.Shrinkage = least, s.trim, 25, 0.3
						p.rounds(4, classes)
					})).Model
					fewest, i, rows := math.MaxInt, 0, rowsOfLeaves(m.forest)
					for _, counts := range leafRows(t, m, d) {
						for _, n := range counts {
							said := rows[i] // less with rows left out by Trim, which have no say
							if n < said || s.trim == 0 && n > said {
								t.Fatalf("leaf %d is said to have %d rows and has %d", i, said, n)
							}
							fewest = min(fewest, said)
							i++
						}
					}
					if fewest < least {
						t.Errorf("a leaf has %d rows", fewest)
					}
					if least == 37 && fewest > 2*least {
						t.Errorf("no leaf comes near the bound: the smallest has %d rows", fewest)
					}
				})
			}
		}
	}
}

func TestMaxDepth(t *testing.T) {
	sets := map[string]*table{"classes": blobs(20, 1000, 5, 5, 255), "binary": blobs(21, 1000, 5, 2, 255)}
	for name, d := range sets {
		for _, most := range []int{1, 2, 4} {
			t.Run(fmt.Sprintf("%s/%d", name, most), func(t *testing.T) {
				m := fit(t, d, params(func(p *Params) { p.MaxDepth, p.Trees, p.Leaves = most, 5, 1000 })).Model
				for tree := range m.Trees() {
					if got := depth(m.forest.Tree(tree), m.forest.Tree(tree).Root()); got != most {
						t.Errorf("tree %d: depth %d", tree, got)
					}
				}
			})
		}
	}
	m := fit(t, sets["classes"], params(func(p *Params) { p.Trees, p.Leaves = 5, 30 })).Model
	for tree := range m.Trees() {
		if m.Leaves(tree) != 30 || depth(m.forest.Tree(tree), m.forest.Tree(tree).Root()) < 5 {
			t.Errorf("without a bound tree %d has %d leaves and depth %d", tree, m.Leaves(tree), depth(m.forest.Tree(tree), m.forest.Tree(tree).Root()))
		}
	}
}

// TestMinHessian: before the first tree a row of two classes has the Hessian
// 1 along the pair, and 1/4 along one class.
func TestMinHessian(t *testing.T) {
	d := blobs(22, 1000, 5, 2, 255)
	tests := []struct {
		method string
		bound  float64
		least  int
	}{{AOSO, 50, 50}, {AOSO, 50.5, 51}, {ABC, 50.5, 51}, {LogitBoost, 12.5, 50}, {LogitBoost, 12.6, 51}}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.method, test.bound), func(t *testing.T) {
			m := fit(t, d, params(func(p *Params) { p.Method, p.MinHessian, p.Leaves, p.Trees = test.method, test.bound, 1000, 2 })).Model
			fewest := slices.Min(leafRows(t, m, d)[0])
			if fewest < test.least || fewest > test.least+20 {
				t.Errorf("the smallest of %d leaves has %d rows, want %d or few more", m.Leaves(0), fewest, test.least)
			}
		})
	}
}

func TestMinGain(t *testing.T) {
	d := blobs(23, 1000, 5, 4, 255)
	m := fit(t, d, params(func(p *Params) { p.MinGain, p.Leaves, p.Trees = 12, 1000, 5 })).Model
	least := slices.Min(gains(m.forest))
	if least <= 12 || least > 30 {
		t.Errorf("the least gain is %g, want above 12 and not by much", least)
	}
}

// TestMaxStep: no leaf of a pair moves by more than shrinkage × the bound, and
// some do move by that.
func TestMaxStep(t *testing.T) {
	d := blobs(24, 500, 5, 4, 255)
	for _, most := range []float64{0.5, 2} {
		m := fit(t, d, params(func(p *Params) { paper(p); p.MaxStep, p.Trees = most, 40 })).Model
		got := 0.0
		for _, s := range leafValues(m.forest) {
			got = max(got, math.Abs(float64(s)))
		}
		if !near(got, 0.1*most, 1e-6) {
			t.Errorf("bound %g: the greatest step is %g", most, got)
		}
	}
}

func TestL2(t *testing.T) {
	d := blobs(25, 500, 5, 4, 255)
	last := math.Inf(1)
	for _, l2 := range []float64{0, 1, 100, 10_000} {
		m := fit(t, d, params(func(p *Params) { p.L2, p.Trees = l2, 3 })).Model
		sum := 0.0
		for _, s := range leafValues(m.forest) {
			sum += math.Abs(float64(s))
		}
		if !(sum < last) {
			t.Errorf("L2 %g: steps of %g in all, %g with less", l2, sum, last)
		}
		last = sum
	}
}

// TestTrim: rows that are left out of the histograms cost no accuracy.
func TestTrim(t *testing.T) {
	d := letter()
	trainSet, testSet := d.slice(0, 6000), d.slice(6000, 10_000)
	want := errorsOf(t, fit(t, trainSet, params(func(p *Params) { p.Trees, p.Threads = 100, 0 })).Model, testSet, PredictOptions{})
	m := fit(t, trainSet, params(func(p *Params) { p.Trees, p.Trim, p.Threads = 100, 0.1, 0 })).Model
	if got := errorsOf(t, m, testSet, PredictOptions{}); got > want+want/8 {
		t.Errorf("%d errors, %d without trimming", got, want)
	}
}

func TestColumnSampling(t *testing.T) {
	d := blobs(26, 1000, 10, 4, 255)
	m := fit(t, d, params(func(p *Params) { p.ColsampleByTree, p.Trees = 0.3, 10 })).Model
	for tree := range m.Trees() {
		used := map[int32]bool{}
		for _, n := range m.forest.Tree(tree).Nodes() {
			used[n.Split().Feature] = true
		}
		if len(used) > 3 {
			t.Errorf("tree %d uses %d of 10 features, want at most 3", tree, len(used))
		}
	}
	whole := fit(t, d, params(func(p *Params) { p.Trees = 10 }))
	seeds := map[string]bool{whole.Model.Fingerprint(): true}
	for _, change := range []func(*Params){
		func(p *Params) { p.ColsampleByTree = 0.3 },
		func(p *Params) { p.ColsampleByNode = 0.3 },
		func(p *Params) { p.Subsample = 0.3 },
		func(p *Params) { p.Subsample, p.Seed = 0.3, 1 },
	} {
		seeds[fit(t, d, params(func(p *Params) { p.Trees = 10; change(p) })).Model.Fingerprint()] = true
	}
	if len(seeds) != 5 {
		t.Errorf("5 ways to draw give %d models", len(seeds))
	}
}

// TestSubsample: fewer rows grow other trees, but leaves have the values of all
// rows, trimmed ones too, as refitting finds them.
func TestSubsample(t *testing.T) {
	d := blobs(27, 1000, 5, 4, 255)
	for _, v := range variants {
		for name, d := range map[string]*table{"plain": d, "weighted": d.weighted(27)} {
			t.Run(v.name+"/"+name, func(t *testing.T) {
				change := func(p *Params) { v.change(p); p.L2 = 0.5; p.rounds(10, 4) }
				all := fit(t, d, params(change)).Model
				m := fit(t, d, params(func(p *Params) { change(p); p.Subsample = 0.25 })).Model
				if slices.Equal(thresholds(m.forest), thresholds(all.forest)) {
					t.Error("a quarter of the rows splits as all of them do")
				}
				for tree := range m.Trees() {
					if rows := m.forest.Tree(tree).Rows(m.forest.Tree(tree).Root()); rows != 1000 {
						t.Errorf("tree %d counts %d of 1000 rows", tree, rows)
					}
				}
				for i, s := range leafValues(refitted(t, m, d, RefitOptions{}).forest) {
					if was := leafValues(m.forest)[i]; !near(float64(s), float64(was), 1e-3) && math.Abs(float64(s-was)) > 1e-5 {
						t.Fatalf("step %d is %v, all rows make it %v", i, was, s)
					}
				}
			})
		}
	}
}

func TestOneClass(t *testing.T) {
	d := blobs(28, 50, 3, 2, 255)
	clear(d.y)
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			r := fit(t, d, params(v.change))
			if r.Model.Trees() != 0 || r.Iterations != 0 || r.StoppedBy != StoppedByLoss || r.TrainLoss != 0 {
				t.Errorf("%d trees in %d iterations, stopped by %s at a loss of %g", r.Model.Trees(), r.Iterations, r.StoppedBy, r.TrainLoss)
			}
			proba, err := r.Model.PredictProba(d.features(), PredictOptions{})
			if err != nil || len(proba) != 50 || proba[7] != 1 {
				t.Errorf("probabilities %v, error %v", proba, err)
			}
		})
	}
}

// TestSmall trains on so few rows, classes and values that most of the
// machinery has nothing to do.
func TestSmall(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		name string
		x    [][]float64
		y    []int
		loss float64 // at convergence
	}{
		{"1 row", [][]float64{{1, 2}}, []int{0}, 0},
		{"2 rows", [][]float64{{1}, {2}}, []int{0, 1}, 0},
		{"2 rows, 1 class", [][]float64{{1}, {2}}, []int{0, 0}, 0},
		{"2 equal rows", [][]float64{{1}, {1}}, []int{0, 1}, 2 * math.Log(2)},
		{"3 classes", [][]float64{{1}, {2}, {3}}, []int{0, 1, 2}, 0},
		{"constant feature", [][]float64{{1, 4}, {2, 4}, {3, 4}}, []int{0, 1, 1}, 0},
		{"only constant features", [][]float64{{4}, {4}, {4}, {4}}, []int{0, 1, 1, 1}, 4*math.Log(4) - 3*math.Log(3)},
		{"all missing", [][]float64{{nan, 1}, {nan, 2}, {nan, 3}}, []int{0, 0, 1}, 0},
		{"only missing", [][]float64{{nan}, {nan}, {nan}, {nan}}, []int{0, 0, 0, 1}, 4*math.Log(4) - 3*math.Log(3)},
		{"one value and missing", [][]float64{{5}, {nan}, {5}, {nan}}, []int{0, 1, 0, 1}, 0},
		{"zero and missing", [][]float64{{0}, {nan}, {math.Copysign(0, -1)}, {nan}}, []int{0, 1, 0, 1}, 0},
		{"one value and missing, mixed", [][]float64{{5}, {nan}, {nan}, {nan}, {nan}}, []int{0, 0, 1, 1, 1}, 4*math.Log(4) - 3*math.Log(3)},
		{"extremes", [][]float64{{-math.MaxFloat64}, {math.MaxFloat64}, {0}, {5e-324}}, []int{0, 1, 2, 0}, 0},
	}
	for _, test := range tests {
		for _, v := range variants {
			t.Run(test.name+"/"+v.name, func(t *testing.T) {
				d := &table{x: test.x, y: test.y}
				r := fit(t, d, params(func(p *Params) { v.change(p); p.Trees, p.StopLoss, p.Shrinkage = 400, 1e-12, 0.2 }))
				if (r.StoppedBy == StoppedByLoss) != (test.loss == 0) || math.Abs(r.TrainLoss-test.loss) > 1e-4 {
					t.Errorf("stopped by %s at a loss of %g, want %g", r.StoppedBy, r.TrainLoss, test.loss)
				}
				if loss := lossOf(t, r.Model, d, PredictOptions{}); !near(loss, r.TrainLoss, 1e-3) {
					t.Errorf("training says that its loss is %g, the model's is %g", r.TrainLoss, loss)
				}
				if test.loss == 0 && errorsOf(t, r.Model, d, PredictOptions{}) > 0 {
					t.Error("a training row is not predicted")
				}
			})
		}
	}
}

// TestNoSplit: where no feature tells anything, training ends once the
// probabilities are the classes' shares.
func TestNoSplit(t *testing.T) {
	d := &table{}
	for i := range 100 {
		d.x, d.y = append(d.x, []float64{1, 2}), append(d.y, i%10%3)
	}
	for _, v := range variants {
		if p := params(v.change); p.Method != AOSO {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			r := fit(t, d, params(func(p *Params) { v.change(p); p.Trees = 5000 }))
			proba, err := r.Model.PredictProba(d.features(), PredictOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for k, want := range []float64{0.4, 0.3, 0.3} {
				if math.Abs(proba[k]-want) > 1e-5 {
					t.Errorf("class %d: probability %g, want %g", k, proba[k], want)
				}
			}
			if r.StoppedBy != StoppedByNoSplit {
				t.Errorf("stopped by %s after %d trees", r.StoppedBy, r.Model.Trees())
			}
		})
	}
}

// TestContradiction trains on rows that differ in nothing but the label: the
// probabilities become their shares.
func TestContradiction(t *testing.T) {
	d := &table{}
	for i := range 300 {
		group := float64(i % 3)
		d.x = append(d.x, []float64{group, -group})
		label := i % 3 // 80 rows of each group have its label, 20 the next one
		if i/3%5 == 0 {
			label = (label + 1) % 3
		}
		d.y = append(d.y, label)
	}
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			r := fit(t, d, params(func(p *Params) { v.change(p); p.rounds(1500, 3) }))
			if r.StoppedBy != StoppedByTrees {
				t.Errorf("stopped by %s", r.StoppedBy)
			}
			proba, err := r.Model.PredictProba(d.features(), PredictOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range 3 {
				for k, want := range [][]float64{{0.8, 0.2, 0}, {0, 0.8, 0.2}, {0.2, 0, 0.8}}[i] {
					if p := proba[i*3+k]; math.Abs(p-want) > 5e-3 {
						t.Errorf("group %d, class %d: probability %g, want %g", i, k, p, want)
					}
				}
			}
		})
	}
}

func TestManyClasses(t *testing.T) {
	const classes = 1000
	d := blobs(29, 3*classes, 5, classes, 255)
	for _, v := range variants {
		if v.name == "abc, exhaustive" { // a million trees
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			r := fit(t, d, params(func(p *Params) {
				v.change(p)
				p.Leaves, p.Threads = 10, 0
				if p.rounds(10, classes); p.Method != AOSO {
					p.Leaves = 3
					p.rounds(1, classes)
				}
				if p.Method == ABC {
					p.Shrinkage = 0.0002 // the base class moves a thousand times
				}
			}))
			chance := float64(len(d.y)) * math.Log(classes)
			if !(r.TrainLoss < chance) {
				t.Errorf("the loss is %g, that of chance %g", r.TrainLoss, chance)
			}
			if loss := lossOf(t, r.Model, d, PredictOptions{}); !near(loss, r.TrainLoss, 1e-4) {
				t.Errorf("training says that its loss is %g, the model's is %g", r.TrainLoss, loss)
			}
		})
	}
}

// TestGreatSteps takes the greatest steps allowed, which for the base class of
// abc add up.
func TestGreatSteps(t *testing.T) {
	d := blobs(30, 400, 4, 12, 255)
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			r := fit(t, d, params(func(p *Params) { v.change(p); p.MaxStep, p.Shrinkage = 20, 1; p.rounds(3, 12) }))
			if !(r.TrainLoss >= 0 && r.TrainLoss < math.Inf(1)) {
				t.Errorf("the loss is %g", r.TrainLoss)
			}
		})
	}
}

func TestEarlyStopping(t *testing.T) {
	d := blobs(31, 1600, 4, 4, 255)
	trainSet, validSet := d.slice(0, 400), d.slice(400, 1600)
	set := newDataset(t, trainSet)
	valid := aligned(t, set, validSet)
	for _, metric := range []string{"logloss", "error"} {
		for _, every := range []int{1, 4} {
			for _, method := range []string{AOSO, ABC, LogitBoost} {
				t.Run(fmt.Sprint(metric, every, method), func(t *testing.T) {
					var seen []Progress
					r := train(t, set, params(func(p *Params) { p.Method, p.Metric, p.EarlyStopping, p.Shrinkage = method, metric, 12, 0.3 }),
						TrainOptions{Valid: valid, EvalEvery: every, Callback: func(p Progress) bool {
							if p.Evaluated {
								seen = append(seen, p)
							}
							return true
						}})
					if r.StoppedBy != StoppedByEarlyStopping {
						t.Fatalf("stopped by %s", r.StoppedBy)
					}
					best, value := Progress{}, math.Inf(1)
					for i, p := range seen {
						v := p.Valid.LogLoss
						if metric == "error" {
							v = p.Valid.ErrorRate
						}
						if v < value {
							best, value = p, v
						}
						if p.Best != best.Iteration || p.Iteration != (i+1)*every {
							t.Errorf("iteration %d, best %d; want %d, %d", p.Iteration, p.Best, (i+1)*every, best.Iteration)
						}
					}
					if r.BestIteration != best.Iteration || r.Model.Trees() != best.Trees || *r.Valid != *best.Valid {
						t.Errorf("ends with iteration %d, %d trees, %+v; the best is %d, %d trees, %+v",
							r.BestIteration, r.Model.Trees(), *r.Valid, best.Iteration, best.Trees, *best.Valid)
					}
					if r.Iterations < best.Iteration+12 || r.Iterations >= best.Iteration+12+every {
						t.Errorf("stopped after %d iterations, the best is %d", r.Iterations, best.Iteration)
					}
					if e, err := r.Model.Evaluate(validSet.features(), validSet.labels(), nil, PredictOptions{}); err != nil || *e != *r.Valid {
						t.Errorf("the model does %+v (%v), said to do %+v", e, err, *r.Valid)
					}
				})
			}
		}
	}
}

// TestLastIsBest: the last iteration may be the best though it is not one of
// those that are evaluated on the way.
func TestLastIsBest(t *testing.T) {
	d := blobs(44, 800, 4, 4, 255)
	set := newDataset(t, d.slice(0, 400))
	valid := aligned(t, set, d.slice(400, 800))
	r := train(t, set, params(func(p *Params) { p.Trees, p.EarlyStopping, p.Shrinkage = 25, 50, 0.02 }), TrainOptions{Valid: valid, EvalEvery: 10})
	if r.BestIteration != 25 || r.Model.Trees() != 25 || r.StoppedBy != StoppedByTrees {
		t.Errorf("iteration %d is the best, %d trees, stopped by %s", r.BestIteration, r.Model.Trees(), r.StoppedBy)
	}
	if e, err := r.Model.Evaluate(d.slice(400, 800).features(), d.slice(400, 800).labels(), nil, PredictOptions{}); err != nil || *e != *r.Valid {
		t.Errorf("the model does %+v (%v), said to do %+v", e, err, *r.Valid)
	}
}

func TestCallback(t *testing.T) {
	d := blobs(32, 300, 4, 4, 255)
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			var last Progress
			r := train(t, newDataset(t, d), params(v.change), TrainOptions{EvalEvery: 2, Callback: func(p Progress) bool {
				if p.Iteration != last.Iteration+1 || p.Trees <= last.Trees || p.Elapsed < last.Elapsed || p.Valid != nil ||
					p.Evaluated != (p.Iteration%2 == 0) || p.Evaluated != (p.TrainLoss > 0) {
					t.Errorf("%+v after %+v", p, last)
				}
				last = p
				return p.Iteration < 6
			}})
			if r.StoppedBy != StoppedByInterrupt || r.Iterations != 6 || r.BestIteration != 6 || r.Model.Trees() != last.Trees || r.TrainLoss != last.TrainLoss {
				t.Errorf("stopped by %s after %d iterations with %d trees at a loss of %g, the callback saw %+v",
					r.StoppedBy, r.Iterations, r.Model.Trees(), r.TrainLoss, last)
			}
		})
	}
}

// countdown is a context that is cancelled once it has been asked so often.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancel cancels training wherever it looks at its context: what is kept
// is whole iterations, the same as without the end of the training.
func TestCancel(t *testing.T) {
	d := blobs(33, 300, 4, 5, 255)
	set := newDataset(t, d)
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			p := params(func(p *Params) { v.change(p); p.Shrinkage = 0.3; p.rounds(4, 5) })
			whole := train(t, set, p, TrainOptions{}).Model
			per, seen := whole.TreesPerIteration(), map[int]bool{}
			for left := 0; ; left++ {
				r, err := Train(&countdown{context.Background(), left}, set, p, TrainOptions{})
				if err != nil {
					t.Fatal(err)
				}
				trees := r.Model.Trees()
				seen[trees] = true
				if trees != r.Iterations*per {
					t.Fatalf("%d trees of %d iterations", trees, r.Iterations)
				}
				if loss := lossOf(t, r.Model, d, PredictOptions{}); !near(loss, r.TrainLoss, 1e-5) {
					t.Fatalf("%d trees: training says that its loss is %g, the model's is %g", trees, r.TrainLoss, loss)
				}
				want := rawScores(t, whole, d.features(), PredictOptions{Trees: trees})
				if trees > 0 && !slices.Equal(rawScores(t, r.Model, d.features(), PredictOptions{}), want) {
					t.Fatalf("%d trees: others than without interruption", trees)
				}
				if r.StoppedBy != StoppedByInterrupt {
					break
				}
			}
			if len(seen) != 5 {
				t.Errorf("ends after %d different numbers of iterations, want 0 to 4", len(seen))
			}
		})
	}
}

// TestContinue: training in two goes makes the model of training in one.
func TestContinue(t *testing.T) {
	d := blobs(34, 1000, 5, 5, 255).punch(34, 0.05)
	x, y := d.features(), d.labels()
	draws := func(p *Params) { p.Subsample, p.ColsampleByTree, p.ColsampleByNode, p.Trim = 0.7, 0.9, 0.8, 0.1 }
	steep := func(p *Params) { p.Shrinkage = 1 }
	large := func(p *Params) { p.Shrinkage, p.MaxStep = 1, 20 }
	for _, v := range variants {
		for name, change := range map[string]func(*Params){"plain": func(*Params) {}, "draws": draws, "steep": steep, "large steps": large} {
			t.Run(v.name+"/"+name, func(t *testing.T) {
				p := params(func(p *Params) { v.change(p); change(p); p.rounds(7, 5) })
				first := fit(t, d, p).Model
				print := first.Fingerprint()
				set, err := NewDataset(x, y, DatasetOptions{Init: first})
				if err != nil {
					t.Fatal(err)
				}
				valid := aligned(t, set, d)
				r := train(t, set, p, TrainOptions{Valid: valid})
				p.rounds(14, 5)
				whole := fit(t, d, p)
				if r.Iterations != 7 || first.Fingerprint() != print {
					t.Fatalf("%d iterations more, want 7", r.Iterations)
				}
				if got, want := r.Model.Fingerprint(), whole.Model.Fingerprint(); got != want {
					t.Errorf("fingerprint %s of %d trees, in one go %s of %d", got, r.Model.Trees(), want, whole.Model.Trees())
				}
				if r.TrainLoss != whole.TrainLoss {
					t.Errorf("the loss is %v, in one go %v", r.TrainLoss, whole.TrainLoss)
				}
				if e, err := r.Model.Evaluate(x, y, nil, PredictOptions{}); err != nil || *e != *r.Valid {
					t.Errorf("the model does %+v (%v), said to do %+v", e, err, *r.Valid)
				}
			})
		}
	}
}

// TestContinueConverged adds nothing to a model that has converged.
func TestContinueConverged(t *testing.T) {
	d := blobs(35, 200, 5, 3, 255)
	p := params(func(p *Params) { p.StopLoss = 1e-6 })
	first := fit(t, d, p).Model
	set, err := NewDataset(d.features(), d.labels(), DatasetOptions{Init: first})
	if err != nil {
		t.Fatal(err)
	}
	if r := train(t, set, p, TrainOptions{}); r.Iterations != 0 || r.StoppedBy != StoppedByLoss || r.Model.Fingerprint() != first.Fingerprint() {
		t.Errorf("%d more iterations, stopped by %s", r.Iterations, r.StoppedBy)
	}
}

// TestContinueOtherRows: the new rows may lack classes and have other values.
func TestContinueOtherRows(t *testing.T) {
	d := blobs(36, 1000, 5, 5, 255)
	first := fit(t, d, params(func(p *Params) { p.Trees = 10 })).Model
	other := &table{}
	for i, row := range blobs(37, 500, 5, 5, 100).x {
		other.x, other.y = append(other.x, row), append(other.y, 1+i%2)
	}
	set, err := NewDataset(other.features(), other.labels(), DatasetOptions{Init: first})
	if err != nil {
		t.Fatal(err)
	}
	r := train(t, set, params(func(p *Params) { p.Trees = 10 }), TrainOptions{})
	if got := r.Model.Classes(); len(got) != 5 || r.Model.Trees() != 20 {
		t.Errorf("classes %q, %d trees", got, r.Model.Trees())
	}
	if before := lossOf(t, first, other, PredictOptions{}); !(r.TrainLoss < before) {
		t.Errorf("the loss went from %g to %g", before, r.TrainLoss)
	}
	if loss := lossOf(t, r.Model, other, PredictOptions{}); !near(loss, r.TrainLoss, 1e-5) {
		t.Errorf("training says that its loss is %g, the model's is %g", r.TrainLoss, loss)
	}
}

// TestValidation compares the validation figures, got on bins, with those of
// the model on the raw values, among them values that training never saw.
func TestValidation(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 0))
	trainSet := blobs(38, 1500, 5, 5, 60)
	for _, row := range trainSet.x {
		if r.IntN(20) == 0 {
			row[0] = math.NaN() // feature 0 is at times missing, feature 4 never
		}
		row[3] = 7 // constant, but for what is missing
		switch r.IntN(20) {
		case 0:
			row[1] = math.Inf(1)
		case 1:
			row[2] = math.Inf(-1)
		case 2:
			row[3] = math.NaN()
		}
	}
	validSet := blobs(38, 1500, 5, 5, 60).weighted(38)
	for _, row := range validSet.x {
		for j := range row {
			switch r.IntN(8) {
			case 0:
				row[j] = math.NaN()
			case 1:
				row[j] = 1000 * r.NormFloat64()
			case 2:
				row[j] += r.Float64()
			case 3:
				row[j] = math.Inf(r.IntN(2)*2 - 1)
			}
		}
	}
	for i := range 40 {
		validSet.y[i] = 77 // which training has not
	}
	set := newDataset(t, trainSet)
	valid := aligned(t, set, validSet)
	if valid.Unknown() != 40 {
		t.Fatalf("%d rows of unknown classes, want 40", valid.Unknown())
	}
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			result := train(t, set, params(func(p *Params) { v.change(p); p.rounds(8, 5) }), TrainOptions{Valid: valid})
			got, err := result.Model.Evaluate(validSet.features(), validSet.labels(), validSet.weights, PredictOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if *got != *result.Valid {
				t.Errorf("by bins %+v, by values %+v", *result.Valid, *got)
			}
			want := referenceEvaluation(t, result.Model, validSet)
			if got.Errors != want.Errors || !near(got.ErrorRate, want.ErrorRate, 1e-12) || !near(got.LogLoss, want.LogLoss, 1e-12) {
				t.Errorf("%+v, want %+v", *got, want)
			}
		})
	}
}

// referenceEvaluation is Model.Evaluate by the book.
func referenceEvaluation(t *testing.T, m *Model, d *table) (e Evaluation) {
	t.Helper()
	proba, err := m.PredictProba(d.features(), PredictOptions{})
	if err != nil {
		t.Fatal(err)
	}
	classes := len(m.Classes())
	all, known, wrong := 0.0, 0.0, 0.0
	for i, y := range d.y {
		p, w := proba[i*classes:][:classes], d.weights[i]
		all += w
		if y < classes {
			known += w
			e.LogLoss -= w * math.Log(p[y])
		}
		if y >= classes || slices.Index(p, slices.Max(p)) != y {
			e.Errors++
			wrong += w
		}
	}
	e.ErrorRate, e.LogLoss = wrong/all, e.LogLoss/known
	return e
}

// TestSharedDataset trains on one dataset in many goroutines at once.
func TestSharedDataset(t *testing.T) {
	d := blobs(39, 500, 5, 4, 255)
	set := newDataset(t, d)
	valid := aligned(t, set, d)
	p := params(func(p *Params) { p.Trees, p.Subsample = 10, 0.7 })
	want := train(t, set, p, TrainOptions{Valid: valid}).Model.Fingerprint()
	prints := make(chan string)
	for range 4 {
		go func() {
			r, err := Train(context.Background(), set, p, TrainOptions{Valid: valid})
			if err != nil {
				prints <- err.Error()
				return
			}
			prints <- r.Model.Fingerprint()
		}()
	}
	for range 4 {
		if got := <-prints; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestParamErrors(t *testing.T) {
	tests := []struct {
		argument string
		value    any
		change   func(*Params)
		texts    []string
	}{
		{"method", "boost", func(p *Params) { p.Method = "boost" }, []string{`"boost"`, "aoso, abc or logitboost"}},
		{"leaf", "half", func(p *Params) { p.Leaf = "half" }, []string{`"half"`, "full or pair"}},
		{"leaf", "full", func(p *Params) { p.Method, p.Leaf = ABC, "full" }, []string{"pair", "method abc"}},
		{"pairs", 3, func(p *Params) { p.Pairs = 3 }, []string{"1, 2, 4 or 8"}},
		{"pairs", -1, func(p *Params) { p.Pairs = -1 }, nil},
		{"pairs", 16, func(p *Params) { p.Pairs = 16 }, nil},
		{"pairs", 2, func(p *Params) { p.Method, p.Pairs = LogitBoost, 2 }, []string{"method logitboost"}},
		{"pair_selection", "best", func(p *Params) { p.PairSelection = "best" }, []string{"second_order, first_order or root"}},
		{"base_class", "any", func(p *Params) { p.BaseClass = "any" }, []string{"worst or exhaustive"}},
		{"base_gap", 0, func(p *Params) { p.BaseGap = 0 }, nil},
		{"trees", 0, func(p *Params) { p.Trees = 0 }, []string{"at least 1"}},
		{"trees", 2, func(p *Params) { p.Method, p.Trees = LogitBoost, 2 }, []string{"at least 3", "logitboost"}},
		{"leaves", 1, func(p *Params) { p.Leaves = 1 }, []string{"2 to 65536"}},
		{"leaves", 100_000, func(p *Params) { p.Leaves = 100_000 }, []string{"65536"}},
		{"shrinkage", 0.0, func(p *Params) { p.Shrinkage = 0 }, []string{"above 0"}},
		{"shrinkage", 1.5, func(p *Params) { p.Shrinkage = 1.5 }, nil},
		{"max_depth", -1, func(p *Params) { p.MaxDepth = -1 }, nil},
		{"min_samples", 0, func(p *Params) { p.MinSamples = 0 }, nil},
		{"min_hessian", -1.0, func(p *Params) { p.MinHessian = -1 }, nil},
		{"min_gain", math.Inf(1), func(p *Params) { p.MinGain = math.Inf(1) }, nil},
		{"l2", -0.5, func(p *Params) { p.L2 = -0.5 }, nil},
		{"max_step", 0.0, func(p *Params) { p.MaxStep = 0 }, nil},
		{"max_step", 21.0, func(p *Params) { p.MaxStep = 21 }, nil},
		{"subsample", 0.0, func(p *Params) { p.Subsample = 0 }, nil},
		{"subsample", 1.1, func(p *Params) { p.Subsample = 1.1 }, nil},
		{"colsample_bytree", -1.0, func(p *Params) { p.ColsampleByTree = -1 }, nil},
		{"colsample_bynode", 2.0, func(p *Params) { p.ColsampleByNode = 2 }, nil},
		{"trim", 1.0, func(p *Params) { p.Trim = 1 }, nil},
		{"trim", -0.1, func(p *Params) { p.Trim = -0.1 }, nil},
		{"stop_loss", -1.0, func(p *Params) { p.StopLoss = -1 }, nil},
		{"early_stopping", -1, func(p *Params) { p.EarlyStopping = -1 }, nil},
		{"early_stopping", 5, func(p *Params) { p.EarlyStopping = 5 }, []string{"validation set"}},
		{"metric", "auc", func(p *Params) { p.Metric = "auc" }, []string{"logloss or error"}},
		{"threads", -1, func(p *Params) { p.Threads = -1 }, nil},
		{"level", "sse", func(p *Params) { p.Level = "sse" }, []string{"generic"}},
	}
	set := newDataset(t, blobs(40, 50, 3, 3, 255))
	for _, test := range tests {
		t.Run(fmt.Sprint(test.argument, test.value), func(t *testing.T) {
			r, err := Train(context.Background(), set, params(test.change), TrainOptions{})
			wantArgumentError(t, err, test.argument, append(test.texts, fmt.Sprint(test.value))...)
			if e, ok := err.(*ArgumentError); ok && e.Value != test.value {
				t.Errorf("value %v, want %v", e.Value, test.value)
			}
			if r != nil {
				t.Error("there is a result all the same")
			}
		})
	}
	for _, change := range []func(*Params){
		func(p *Params) { p.Shrinkage = math.NaN() }, func(p *Params) { p.Subsample = math.NaN() }, func(p *Params) { p.Trim = math.NaN() },
		func(p *Params) { p.L2 = math.NaN() }, func(p *Params) { p.MaxStep = math.NaN() }, func(p *Params) { p.StopLoss = math.NaN() },
		func(p *Params) { p.ColsampleByTree = math.NaN() }, func(p *Params) { p.ColsampleByNode = math.NaN() },
		func(p *Params) { p.MinHessian = math.NaN() }, func(p *Params) { p.MinGain = math.NaN() },
	} {
		if err := params(change).Check(); err == nil {
			t.Errorf("NaN is taken: %+v", params(change))
		}
	}
	if err := DefaultParams().Check(); err != nil {
		t.Error(err)
	}
	wantArgumentError(t, params(func(p *Params) { p.Level = "mmx" }).Check(), "level", "generic")
}

func TestTrainErrors(t *testing.T) {
	d := blobs(41, 100, 3, 3, 255)
	set := newDataset(t, d)
	first := fit(t, d, params(func(p *Params) { p.Trees, p.Pairs = 2, 1 })).Model
	continued, err := NewDataset(d.features(), d.labels(), DatasetOptions{Init: first})
	if err != nil {
		t.Fatal(err)
	}
	renamed := &table{x: d.x}
	for _, y := range d.y {
		renamed.y = append(renamed.y, y+1)
	}
	freed := newDataset(t, d)
	freed.Free()
	freed.Free()
	tests := []struct {
		name, argument string
		set            *Dataset
		options        TrainOptions
		change         func(*Params)
	}{
		{"no data", "train", nil, TrainOptions{}, nil},
		{"foreign validation set", "valid", set, TrainOptions{Valid: newDataset(t, d.slice(1, 100))}, nil},
		{"foreign classes", "valid", set, TrainOptions{Valid: newDataset(t, renamed)}, nil},
		{"validation set of another start", "valid", set, TrainOptions{Valid: continued}, nil},
		{"freed", "train", freed, TrainOptions{}, nil},
		{"freed validation set", "valid", set, TrainOptions{Valid: freed}, nil},
		{"evaluation", "eval_every", set, TrainOptions{EvalEvery: -1}, nil},
		{"continued by another method", "method", continued, TrainOptions{}, func(p *Params) { p.Method = ABC }},
		{"continued with other leaves", "leaf", continued, TrainOptions{}, func(p *Params) { p.Leaf, p.Pairs = "pair", 1 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Train(context.Background(), test.set, params(test.change), test.options)
			wantArgumentError(t, err, test.argument)
		})
	}
	t.Run("continued with other pairs", func(t *testing.T) {
		d := blobs(42, 100, 3, 4, 255)
		first := fit(t, d, params(func(p *Params) { p.Trees, p.Pairs = 2, 1 })).Model
		set, err := NewDataset(d.features(), d.labels(), DatasetOptions{Init: first})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Train(context.Background(), set, params(func(p *Params) { p.Pairs = 2 }), TrainOptions{})
		wantArgumentError(t, err, "pairs", "1, as in the model to continue")
	})
	t.Run("level of the environment", func(t *testing.T) {
		t.Setenv("AOSO_LEVEL", "mmx")
		_, err := Train(context.Background(), set, DefaultParams(), TrainOptions{})
		wantArgumentError(t, err, "AOSO_LEVEL", `"mmx"`, "generic")
	})
	t.Run("good level of the environment", func(t *testing.T) {
		t.Setenv("AOSO_LEVEL", "generic")
		if r := fit(t, d, params(func(p *Params) { p.Trees = 1 })); r.Level != "generic" {
			t.Errorf("level %s", r.Level)
		}
	})
}
