package acceptance

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/model"
)

func refitted(t testing.TB, m *aoso.Model, d *table, o aoso.RefitOptions) *aoso.Model {
	t.Helper()
	o.Weights = d.weights
	r, err := m.Refit(d.features(), d.labels(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sameTrees checks that models differ in leaf values and numbers of rows only.
func sameTrees(t testing.TB, a, b *aoso.Model) {
	t.Helper()
	text := func(m *aoso.Model) string {
		f := forest(m).Clone()
		for _, t := range f.All() {
			for i, l := range t.Leaves() {
				t.SetLeaf(i, make([]float32, len(l.Values())), 0)
			}
			t.CountRows()
		}
		linear := f.Linear()
		f.SetLinear(nil)
		return fmt.Sprint(*f, linear)
	}
	if text(a) != text(b) || forest(b).Check(make([]int, len(a.FeatureNames()))) != nil {
		t.Fatal("the trees are others")
	}
}

// TestRefitSame: on its own training data a model stays what it is.
func TestRefitSame(t *testing.T) {
	d := blobs(130, 700, 4, 5, 255).punch(130, 0.05)
	for _, v := range everyVariant {
		for name, d := range map[string]*table{"plain": d, "weighted": d.weighted(130)} {
			t.Run(v.name+"/"+name, func(t *testing.T) {
				m := trained(t, d, params(func(p *aoso.Params) { v.change(p); p.MaxLeaves, p.RegLambda = 8, 0.5; rounds(p, 10, 5) })).Model
				r := refitted(t, m, d, aoso.RefitOptions{})
				sameTrees(t, m, r)
				for i, s := range leafValues(forest(r)) {
					if !near(float64(s), float64(leafValues(forest(m))[i]), 1e-3) && math.Abs(float64(s-leafValues(forest(m))[i])) > 1e-5 {
						t.Fatalf("step %d is %v, was %v", i, s, leafValues(forest(m))[i])
					}
				}
				if d.weights == nil && (!slices.Equal(rowsOfLeaves(forest(r)), rowsOfLeaves(forest(m))) || !slices.Equal(rowsOfNodes(forest(r)), rowsOfNodes(forest(m)))) {
					t.Error("the numbers of rows are others")
				}
			})
		}
	}
}

// TestRefitOther: on other data the model comes to fit them, whatever its
// leaves were, and is the same for any number of threads.
func TestRefitOther(t *testing.T) {
	d := blobs(131, 1500, 4, 5, 255).punch(131, 0.05)
	old, new := d.slice(0, 300), &table{x: d.x[300:]}
	for _, y := range d.y[300:] { // the classes have changed places
		new.y = append(new.y, (y+1)%5)
	}
	for _, v := range everyVariant {
		t.Run(v.name, func(t *testing.T) {
			m := trained(t, old, params(func(p *aoso.Params) { v.change(p); p.MaxLeaves = 8; rounds(p, 10, 5) })).Model
			print := m.Fingerprint()
			r := refitted(t, m, new, aoso.RefitOptions{NThread: 1})
			sameTrees(t, m, r)
			before, after := lossOf(t, m, new, aoso.PredictOptions{}), lossOf(t, r, new, aoso.PredictOptions{})
			if after >= before {
				t.Errorf("the loss was %v and is %v", before, after)
			}
			if m.Fingerprint() != print {
				t.Error("the old model changed")
			}
			if again := refitted(t, r, new, aoso.RefitOptions{NThread: 3}); again.Fingerprint() != r.Fingerprint() {
				t.Error("refitted twice, or with more threads, it is another")
			}
			rows, first := 0, forest(r).Tree(0)
			for _, l := range first.Leaves() {
				rows += l.Rows()
			}
			if root := first.Rows(first.Root()); rows != 1200 || root != 1200 {
				t.Errorf("%d rows in the leaves of the first tree, %d at its root, want 1200", rows, root)
			}
			if kept := refitted(t, m, new, aoso.RefitOptions{Keep: 1}); !slices.Equal(leafValues(forest(kept)), leafValues(forest(m))) {
				t.Error("a leaf that keeps all of its value has another")
			}
		})
	}
}

// TestRefitSparse has more classes than rows have entries.
func TestRefitSparse(t *testing.T) {
	const classes = 150
	d := blobs(135, 1800, 6, classes, 255)
	m := trained(t, d, params(func(p *aoso.Params) {
		p.Leaf, p.LeafClasses, p.NEstimators, p.MaxLeaves, p.LearningRate = "sparse", 6, 12, 40, 0.3
	})).Model
	same := refitted(t, m, d, aoso.RefitOptions{})
	sameTrees(t, m, same)
	for i, s := range leafValues(forest(same)) {
		if s != leafValues(forest(m))[i] {
			t.Fatalf("step %d is %v, was %v", i, s, leafValues(forest(m))[i])
		}
	}
	shifted := &table{y: d.y}
	for _, row := range d.x {
		row = slices.Clone(row)
		for j := range row {
			row[j] += 2
		}
		shifted.x = append(shifted.x, row)
	}
	r := refitted(t, m, shifted, aoso.RefitOptions{NThread: 1})
	sameTrees(t, m, r)
	if before, after := lossOf(t, m, shifted, aoso.PredictOptions{}), lossOf(t, r, shifted, aoso.PredictOptions{}); after > before-0.02 {
		t.Errorf("the loss was %v and is %v", before, after)
	}
	if again := refitted(t, r, shifted, aoso.RefitOptions{NThread: 3}); again.Fingerprint() != r.Fingerprint() {
		t.Error("refitted twice, or with more threads, it is another")
	}
	few := refitted(t, m, shifted.slice(0, 3), aoso.RefitOptions{})
	for i, rows := range rowsOfLeaves(forest(few)) {
		if rows == 0 && !slices.Equal(leafValues(forest(few))[i*6:][:6], leafValues(forest(m))[i*6:][:6]) {
			t.Errorf("leaf %d has no rows and other steps", i)
		}
	}
}

// TestRefitEmpty: leaves that no row of weight reaches keep their values.
func TestRefitEmpty(t *testing.T) {
	d := blobs(132, 300, 3, 4, 255)
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators, p.MaxLeaves = 5, 8 })).Model
	one := d.slice(0, 2)
	one.weights = []float64{1, 0}
	r := refitted(t, m, one, aoso.RefitOptions{})
	changed := 0
	for i, rows := range rowsOfLeaves(forest(r)) {
		if slices.Equal(leafValues(forest(r))[i*4:][:4], leafValues(forest(m))[i*4:][:4]) == (rows > 0) {
			t.Errorf("leaf %d of %d rows: steps %v, were %v", i, rows, leafValues(forest(r))[i*4:][:4], leafValues(forest(m))[i*4:][:4])
		}
		changed += rows
	}
	if changed != 5 {
		t.Errorf("%d rows in 5 trees", changed)
	}
	none, err := m.Refit(aoso.RowMajor[float64](nil, 0, 3), aoso.Labels{})
	if err != nil || !slices.Equal(leafValues(forest(none)), leafValues(forest(m))) {
		t.Error("refitted on nothing, it changed", err)
	}
}

// TestRefitKeep: half of the old value, half of the new.
func TestRefitKeep(t *testing.T) {
	d := blobs(133, 400, 3, 4, 255)
	m := trained(t, d.slice(0, 100), params(func(p *aoso.Params) { p.NEstimators, p.MaxLeaves = 1, 8 })).Model
	whole, half := refitted(t, m, d, aoso.RefitOptions{}), refitted(t, m, d, aoso.RefitOptions{Keep: 0.5})
	for i, s := range leafValues(forest(half)) {
		if want := (float64(leafValues(forest(m))[i]) + float64(leafValues(forest(whole))[i])) / 2; !near(float64(s), want, 1e-6) {
			t.Errorf("step %d is %v, want %v", i, s, want)
		}
	}
}

func TestRefitErrors(t *testing.T) {
	d := blobs(134, 50, 4, 3, 255)
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 2 })).Model
	x := d.features()
	for _, c := range []struct {
		x        aoso.Features
		labels   aoso.Labels
		o        aoso.RefitOptions
		argument string
		texts    []string
	}{
		{aoso.RowMajor([]float64{1, 2}, 1, 2), d.labels(), aoso.RefitOptions{}, "features", []string{"2 columns"}},
		{x, d.labels()[:3], aoso.RefitOptions{}, "labels", []string{"3", "50, one for each row"}},
		{x, append(d.labels()[:49:49], aoso.StringLabels([]string{"new"})...), aoso.RefitOptions{}, "labels", []string{"1 rows", `"0"`}},
		{x, d.labels(), aoso.RefitOptions{Weights: []float64{1}}, "weights", []string{"1", "50"}},
		{x, d.labels(), aoso.RefitOptions{Keep: 1.5}, "keep", []string{"1.5", "0 to 1"}},
		{x, d.labels(), aoso.RefitOptions{Keep: math.NaN()}, "keep", nil},
		{x, d.labels(), aoso.RefitOptions{NThread: -1}, "nthread", []string{"-1"}},
	} {
		_, err := m.Refit(c.x, c.labels, c.o)
		wantArgumentError(t, err, c.argument, c.texts...)
	}
}

// TestRefitMonotone: constraints hold after a refit, also if the data are against them.
func TestRefitMonotone(t *testing.T) {
	d := blobs(137, 2000, 5, 3, 60).punch(137, 0.05)
	other := blobs(138, 2000, 5, 3, 60)
	for i, change := range []func(*aoso.Params){
		func(p *aoso.Params) {},
		func(p *aoso.Params) { p.Leaf, p.Pairs = "pair", 1 },
		func(p *aoso.Params) { p.Leaf, p.Pairs = "pair", 2 },
		func(p *aoso.Params) { p.Method, p.Leaf, p.Pairs = aoso.MethodABC, "", 0 },
		func(p *aoso.Params) { p.Method, p.Leaf, p.Pairs = aoso.MethodLogitBoost, "", 0 },
	} {
		p := params(func(p *aoso.Params) {
			p.NEstimators, p.MaxLeaves = 12, 16
			p.MonotoneConstraints = `[[1,0,-1],[0,1,0],[0,0,0],[-1,-1,1],[0,0,0]]`
			change(p)
		})
		m := trained(t, d, p).Model
		for _, keep := range []float64{0, 0.4} {
			r := refitted(t, m, other, aoso.RefitOptions{Keep: keep})
			sameTrees(t, m, r)
			if r.Fingerprint() == m.Fingerprint() {
				t.Errorf("parameters %d: the model is the same", i)
			}
			checkMonotone(t, r, other, [][]int{{1, 0, -1}, {0, 1, 0}, {0, 0, 0}, {-1, -1, 1}, {0, 0, 0}})
		}
		free := changed(m, func(c *model.Model) { c.Params = withoutKey(c.Params, "monotone_constraints") })
		if refitted(t, free, other, aoso.RefitOptions{}).Fingerprint() == refitted(t, m, other, aoso.RefitOptions{}).Fingerprint() {
			t.Errorf("parameters %d: the constraints change nothing", i)
		}
	}
}
