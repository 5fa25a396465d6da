package acceptance

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/tools/cases"
)

// TestSameModelEverywhere trains with every level of the kernels and several
// numbers of threads, on more rows than a block has: nothing may show.
func TestSameModelEverywhere(t *testing.T) {
	all := letter()
	wide := blobs(6, 150_000, 3, 3, 200)
	binary := blobs(7, 150_000, 3, 2, 200).punch(7, 0.05)
	everything := func(p *aoso.Params) {
		p.Subsample, p.ColsampleByTree, p.ColsampleByNode = 0.7, 0.8, 0.6
		p.MinSamplesLeaf, p.Trim, p.RegLambda, p.MinChildWeight = 5, 0.1, 0.01, 0.5
	}
	tests := []struct {
		name   string
		data   *table
		change func(*aoso.Params)
	}{
		{"paper", all, func(p *aoso.Params) { paper(p); p.NEstimators = 4 }},
		{"4 pairs", all, func(p *aoso.Params) { p.NEstimators = 4 }},
		{"8 pairs, root", all, func(p *aoso.Params) { p.Pairs, p.PairSelection, p.NEstimators = 8, "root", 3 }},
		{"everything", all.punch(8, 0.05).weighted(8), func(p *aoso.Params) { everything(p); p.NEstimators = 4 }},
		{"logitboost", all, func(p *aoso.Params) { p.Method, p.MaxLeaves, p.NEstimators = aoso.MethodLogitBoost, 6, 26 }},
		{"abc", blobs(9, 20_000, 6, 4, 100).weighted(9), func(p *aoso.Params) {
			p.Method, p.BaseClass = aoso.MethodABC, "exhaustive"
			everything(p)
			p.NEstimators = 6
		}},
		{"wide", wide, func(p *aoso.Params) { p.NEstimators, p.MaxLeaves = 2, 8 }},
		{"wide, root", wide, func(p *aoso.Params) { paper(p); p.PairSelection, p.NEstimators, p.MaxLeaves = "root", 2, 8 }},
		{"wide, abc", wide, func(p *aoso.Params) {
			p.Method, p.NEstimators, p.MaxLeaves = aoso.MethodABC, 2, 8
			p.MinSamplesLeaf = 9
		}},
		{"wide, binary", binary, func(p *aoso.Params) { p.NEstimators, p.MaxLeaves, p.Trim = 2, 8, 0.1 }},
		{"wide, binary, min samples", binary.weighted(3), func(p *aoso.Params) { p.NEstimators, p.MaxLeaves, p.MinSamplesLeaf, p.Subsample = 2, 8, 2000, 0.9 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set, want := newDataset(t, test.data), ""
			for _, level := range aoso.Levels() {
				for _, threads := range []int{1, 2, 3, 8} {
					if threads != 3 && level != aoso.Levels()[0] {
						continue
					}
					r := train(t, set, params(func(p *aoso.Params) { test.change(p); p.Level, p.NThread = level, threads }), aoso.TrainOptions{})
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
		"paper":                    "61fb1730446fb2c49b41f0f0c32cef4f",
		"first order":              "503f3be7346fd6a1e42ff26b34b137ad",
		"root":                     "18420361c32afc98e63dd013214db783",
		"pair leaf, 4 pairs":       "1e74d5522f36cf6d6433019ef4c42f0c",
		"full leaf":                "ae88339a84b41b96b1b5c59ef9fb6113",
		"full leaf, 2 pairs":       "91bc7ff600755cde6d9f356c560defe3",
		"full leaf, 4 pairs":       "ef965aa4b579e38474dfee10d8b9f5aa",
		"full leaf, 8 pairs":       "d4aeec7a78745f0e3f781fbc913170d5",
		"full leaf, root, 8 pairs": "a2f97a517c1cdb09c7968a813d200243",
		"sparse leaf":              "fa6d9a7377629aeacc037bb07e7d9b2e",
		"sparse leaf, all classes": "7133e51e55c686ed1d8f6735ba98c45b",
		"linear, full leaf":        "c1fce5c363577a882751d741375099e8",
		"linear, pair leaf":        "c7a1690d1a35e36e0cb1d540c1bf44a5",
		"linear, sparse leaf":      "47bc06301fae9158b9725e2242d65c3c",
		"abc":                      "7843bc14ca79fe2d9589bc3dee9a9868",
		"abc, gap":                 "3506ce710d829737a7e99d1026d79a72",
		"abc, exhaustive":          "0c4957daaefe01bb655d4880dbbab17d",
		"logitboost":               "b1382df28338fe823e9df3147ed2215c",
	}
	for _, v := range everyVariant {
		m := trained(t, d, params(func(p *aoso.Params) {
			v.change(p)
			p.MaxLeaves, p.Subsample, p.Trim, p.MinSamplesLeaf = 8, 0.8, 0.05, 3
			rounds(p, 3, 10)
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
		change func(*aoso.Params)
	}
	tests := []test{
		{"sampled", d, func(p *aoso.Params) { p.Subsample, p.MinSamplesLeaf, p.Trim = 0.7, 9, 0.1 }},
		{"columns", d, func(p *aoso.Params) { p.ColsampleByTree, p.ColsampleByNode = 0.8, 0.8 }},
		{"binary", binary, func(p *aoso.Params) { p.MinSamplesLeaf = 5 }},
		{"wide", wide, func(p *aoso.Params) { p.MaxLeaves = 6 }},
		{"wide root", wide, func(p *aoso.Params) { p.MaxLeaves, p.PairSelection = 6, "root" }},
	}
	for _, v := range everyVariant {
		tests = append(tests, test{v.name, d, v.change})
	}
	for _, test := range cases.Some(t, 6, tests) {
		t.Run(test.name, func(t *testing.T) {
			var prints []string
			for _, dense := range []bool{false, true} {
				set, err := aoso.NewDataset(test.data.features(), test.data.labels(), aoso.DatasetOptions{DenseOnly: dense})
				if err != nil {
					t.Fatal(err)
				}
				if (len(setOf(t, set).Matrix.Sparse) == 0) != dense || (len(setOf(t, set).Matrix.Joint) == 0) != dense {
					t.Fatalf("%d groups of sparse features, %d joint columns", len(setOf(t, set).Matrix.Sparse), len(setOf(t, set).Matrix.Joint))
				}
				p := params(func(p *aoso.Params) { test.change(p); rounds(p, 2, test.data.classes()) })
				r := train(t, set, p, aoso.TrainOptions{})
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
	direct := func(p *aoso.Params) { p.ColsampleByNode = 0.99 } // of few columns that is all
	tests := []struct {
		name   string
		data   *table
		change func(*aoso.Params)
	}{
		{"binary", blobs(10, 6000, 6, 2, 255).punch(1, 0.1), func(p *aoso.Params) { p.NEstimators = 6 }},
		{"binary, min samples", blobs(11, 6000, 6, 2, 255).punch(1, 0.1), func(p *aoso.Params) { p.NEstimators, p.MinSamplesLeaf = 6, 50 }},
		{"root", blobs(12, 6000, 6, 5, 255), func(p *aoso.Params) { p.NEstimators, p.PairSelection = 6, "root" }},
		{"abc", blobs(13, 6000, 6, 4, 255), func(p *aoso.Params) { p.Method, p.NEstimators = aoso.MethodABC, 6 }},
		{"wide", blobs(14, 150_000, 3, 2, 255), func(p *aoso.Params) { p.NEstimators = 2 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set := newDataset(t, test.data)
			change := func(p *aoso.Params) { p.MaxLeaves = 8; test.change(p) }
			a := forest(train(t, set, params(change), aoso.TrainOptions{}).Model)
			b := forest(train(t, set, params(func(p *aoso.Params) { change(p); direct(p) }), aoso.TrainOptions{}).Model)
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
