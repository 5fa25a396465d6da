package acceptance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
)

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
			p := params(func(p *aoso.Params) { v.change(p); p.MaxLeaves, p.Trim = 6, 0.2; rounds(p, 3, 5) })
			a, b := trained(t, d, p), trained(t, repeated, p)
			if !near(a.TrainLoss, b.TrainLoss, 1e-4) {
				t.Errorf("loss %g with weights, %g with repeated rows", a.TrainLoss, b.TrainLoss)
			}
			f := rawScores(t, a.Model, repeated.features(), aoso.PredictOptions{})
			for i, g := range rawScores(t, b.Model, repeated.features(), aoso.PredictOptions{}) {
				if math.Abs(f[i]-g) > 1e-4 {
					t.Fatalf("score %g with weights, %g with repeated rows", f[i], g)
				}
			}
		})
	}
}

// TestTrim: rows that are left out of the histograms cost no accuracy.
func TestTrim(t *testing.T) {
	d := letter()
	trainSet, testSet := d.slice(0, 6000), d.slice(6000, 10_000)
	want := errorsOf(t, trained(t, trainSet, params(func(p *aoso.Params) { p.NEstimators, p.NThread = 100, 0 })).Model, testSet, aoso.PredictOptions{})
	m := trained(t, trainSet, params(func(p *aoso.Params) { p.NEstimators, p.Trim, p.NThread = 100, 0.1, 0 })).Model
	if got := errorsOf(t, m, testSet, aoso.PredictOptions{}); got > want+want/8 {
		t.Errorf("%d errors, %d without trimming", got, want)
	}
}

func TestColumnSampling(t *testing.T) {
	d := blobs(26, 1000, 10, 4, 255)
	m := trained(t, d, params(func(p *aoso.Params) { p.ColsampleByTree, p.NEstimators = 0.3, 10 })).Model
	for tree := range m.Trees() {
		used := map[int32]bool{}
		for _, n := range forest(m).Tree(tree).Nodes() {
			used[n.Split().Feature] = true
		}
		if len(used) > 3 {
			t.Errorf("tree %d uses %d of 10 features, want at most 3", tree, len(used))
		}
	}
	whole := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 10 }))
	seeds := map[string]bool{whole.Model.Fingerprint(): true}
	for _, change := range []func(*aoso.Params){
		func(p *aoso.Params) { p.ColsampleByTree = 0.3 },
		func(p *aoso.Params) { p.ColsampleByNode = 0.3 },
		func(p *aoso.Params) { p.Subsample = 0.3 },
		func(p *aoso.Params) { p.Subsample, p.Seed = 0.3, 1 },
	} {
		seeds[trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 10; change(p) })).Model.Fingerprint()] = true
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
				change := func(p *aoso.Params) { v.change(p); p.RegLambda = 0.5; rounds(p, 10, 4) }
				all := trained(t, d, params(change)).Model
				m := trained(t, d, params(func(p *aoso.Params) { change(p); p.Subsample = 0.25 })).Model
				if slices.Equal(thresholds(forest(m)), thresholds(forest(all))) {
					t.Error("a quarter of the rows splits as all of them do")
				}
				for tree := range m.Trees() {
					if rows := forest(m).Tree(tree).Rows(forest(m).Tree(tree).Root()); rows != 1000 {
						t.Errorf("tree %d counts %d of 1000 rows", tree, rows)
					}
				}
				if forest(m).Named() > 0 { // cannot be refitted
					return
				}
				for i, s := range leafValues(forest(refitted(t, m, d, aoso.RefitOptions{}))) {
					if was := leafValues(forest(m))[i]; !near(float64(s), float64(was), 1e-3) && math.Abs(float64(s-was)) > 1e-5 {
						t.Fatalf("step %d is %v, all rows make it %v", i, was, s)
					}
				}
			})
		}
	}
}

// TestSubsampleTrim: whatever is drawn and trimmed, some rows are left to grow
// a tree on. Converged data are almost all trimmed.
func TestSubsampleTrim(t *testing.T) {
	sets := map[string]*table{
		"one row":   blobs(60, 1, 2, 1, 255),
		"two rows":  {x: [][]float64{{0}, {1}}, y: []int{0, 1}},
		"separable": {},
		"weights 0": blobs(61, 60, 3, 3, 255),
		"blobs":     blobs(62, 150, 4, 3, 255),
	}
	separable := sets["separable"]
	for i := range 90 {
		separable.x, separable.y = append(separable.x, []float64{float64(i % 3)}), append(separable.y, i%3)
	}
	d := sets["weights 0"]
	d.weights = make([]float64, len(d.y))
	d.weights[7], d.weights[8] = 1, 1e-15
	for name, d := range sets {
		set := newDataset(t, d)
		for _, method := range []aoso.Method{aoso.MethodAOSO, aoso.MethodABC, aoso.MethodLogitBoost} {
			for _, subsample := range []float64{0.01, 0.5, 0.99} {
				for _, trim := range []float64{0, 0.1, 0.999} {
					t.Run(fmt.Sprintf("%s/%s/%g/%g", name, method, subsample, trim), func(t *testing.T) {
						p := paperParams()
						p.Method, p.Subsample, p.Trim = method, subsample, trim
						rounds(&p, 60, len(set.Classes()))
						checkReportedLoss(t, set, d, p)
					})
				}
			}
		}
	}
}
