package acceptance

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/kernel"
)

// expected adds to scores what a tree adds on average where only the features
// of the set known are.
func expected(t model.Tree, child model.Child, row []float64, known uint, share float64, scores []float64) {
	if child.IsLeaf() {
		for k, s := range t.Leaf(child.Leaf()).Scores() {
			scores[k] += share * s
		}
		return
	}
	n := t.Node(child)
	s := n.Split()
	left, right := float64(t.Rows(n.Left())), float64(t.Rows(n.Right()))
	toLeft := left / (left + right)
	if left+right == 0 {
		toLeft = 0.5
	}
	if known>>s.Feature&1 != 0 {
		x := row[s.Feature]
		toLeft = 0
		if x < s.Threshold() || math.IsNaN(x) && s.MissingLeft {
			toLeft = 1
		}
	}
	expected(t, n.Left(), row, known, share*toLeft, scores)
	expected(t, n.Right(), row, known, share*(1-toLeft), scores)
}

// expectedLinear does the same for linear scores.
func expectedLinear(l *model.Linear, row []float64, known uint, scores []float64) {
	if l == nil {
		return
	}
	for k, b := range l.Bias() {
		scores[k] += float64(b)
	}
	for t := range l.Terms() {
		if known>>l.Column(t)&1 == 0 {
			continue // places are 0 on average
		}
		for k, w := range l.Weights(t) {
			scores[k] += float64(l.Place(t, row[l.Column(t)])) * float64(w)
		}
	}
}

// shapley returns a row's SHAP values by their definition, classes × (features + 1).
func shapley(m *aoso.Model, row []float64, trees int) []float64 {
	classes, d := len(m.Classes()), len(row)
	games := make([][]float64, 1<<d)
	for known := range games {
		games[known] = make([]float64, classes)
		expectedLinear(forest(m).Linear(), row, uint(known), games[known])
		for t := range trees {
			tree := forest(m).Tree(t)
			expected(tree, tree.Root(), row, uint(known), 1, games[known])
		}
	}
	values := make([]float64, classes*(d+1))
	for k := range classes {
		for j := range d {
			for known := range games {
				if known>>j&1 != 0 {
					continue
				}
				s := bits.OnesCount(uint(known))
				weight := math.Gamma(float64(s+1)) * math.Gamma(float64(d-s)) / math.Gamma(float64(d+1))
				values[k*(d+1)+j] += weight * (games[known|1<<j][k] - games[known][k])
			}
		}
		values[k*(d+1)+d] = games[0][k]
	}
	return values
}

func shapValues(t testing.TB, m *aoso.Model, x aoso.Features, o aoso.PredictOptions) []float64 {
	t.Helper()
	values, err := m.SHAP(x, o)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// linearRounding is how far a SHAP value of linear scores, of two terms at most, may be from the
// unrounded one.
const linearRounding = 2 * kernel.LinearUnit

// checkSums checks that SHAP values of rows sum to the raw scores.
func checkSums(t testing.TB, m *aoso.Model, x aoso.Features, values []float64, o aoso.PredictOptions) {
	t.Helper()
	columns := x.Cols() + 1
	for i, f := range rawScores(t, m, x, o) {
		sum := 0.0
		for _, v := range values[i*columns:][:columns] {
			sum += v
		}
		if math.Abs(sum-f) > 1e-12 {
			t.Fatalf("row %d, class %d: the values sum to %v, the score is %v", i/len(m.Classes()), i%len(m.Classes()), sum, f)
		}
	}
}

// TestSHAP compares with the definition: all subsets of the features.
func TestSHAP(t *testing.T) {
	d := blobs(100, 400, 5, 6, 255).punch(100, 0.05)
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			m := trained(t, d, params(func(p *aoso.Params) { v.change(p); p.MaxLeaves = 12; rounds(p, 4, 6) })).Model
			for _, trees := range []int{0, 3} {
				o := aoso.PredictOptions{Trees: trees}
				values := shapValues(t, m, d.features(), o)
				checkSums(t, m, d.features(), values, o)
				for i, row := range d.x[:12] {
					for j, want := range shapley(m, row, [...]int{m.Trees(), 0, 0, 3}[trees]) {
						if got := values[i*36+j]; math.Abs(got-want) > 1e-12 {
							t.Fatalf("row %d, class %d, column %d: %v, want %v", i, j/6, j%6, got, want)
						}
					}
				}
			}
		})
	}
}

// TestSHAPLinear compares with the definition where trees come after linear scores.
func TestSHAPLinear(t *testing.T) {
	d := blobs(106, 400, 5, 6, 12).punch(106, 0.05)
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			m := withLinear(trained(t, d, params(func(p *aoso.Params) { v.change(p); p.MaxLeaves = 12; rounds(p, 2, 6) })).Model, d.x)
			for _, trees := range []int{0, 1} {
				o := aoso.PredictOptions{Trees: trees}
				values := shapValues(t, m, d.features(), o)
				checkSums(t, m, d.features(), values, o)
				for i, row := range d.x[:12] {
					for j, want := range shapley(m, row, [...]int{m.Trees(), 1}[trees]) {
						if got := values[i*36+j]; math.Abs(got-want) > linearRounding {
							t.Fatalf("row %d, class %d, column %d: %v, want %v", i, j/6, j%6, got, want)
						}
					}
				}
				for k := range 6 {
					mean := 0.0
					for i := range d.x {
						for _, v := range values[i*36+k*6:][:6] {
							mean += v / 400
						}
					}
					if bias := values[k*6+5]; math.Abs(mean-bias) > 1e-6 {
						t.Errorf("class %d: the mean score is %v, the bias %v", k, mean, bias)
					}
				}
			}
		})
	}
}

// TestSHAPLinearCategories: a feature has what its rates contribute.
func TestSHAPLinearCategories(t *testing.T) {
	plain := categorical(t, 400, 4, func(*aoso.Params) {})
	m := withLinear(plain, nil)
	columns, _ := coloured(300, 400, 4, 1)
	more, _ := coloured(300, 401, 4, 2)
	x, err := aoso.NewTable(columns[1], columns[0], more[0])
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := encoder(m).Encode(x)
	if err != nil {
		t.Fatal(err)
	}
	values, before := shapValues(t, m, x, aoso.PredictOptions{}), shapValues(t, plain, x, aoso.PredictOptions{})
	checkSums(t, m, x, values, aoso.PredictOptions{})
	l, owners := forest(m).Linear(), encoder(m).Owners()
	for i := range 300 {
		for term := range l.Terms() {
			value := make([]float64, 1)
			encoded.Column(l.Column(term), i, value)
			for k, w := range l.Weights(term) {
				before[(i*4+k)*4+int(owners[l.Column(term)][0])] += float64(l.Place(term, value[0])) * float64(w)
			}
		}
		for k, b := range l.Bias() {
			before[(i*4+k)*4+3] += float64(b)
		}
	}
	for i, want := range before {
		if math.Abs(values[i]-want) > linearRounding {
			t.Fatalf("value %d is %v, want %v", i, values[i], want)
		}
	}
}

// TestSHAPValues has values at thresholds, beyond all of them and missing.
func TestSHAPValues(t *testing.T) {
	d := blobs(101, 300, 3, 4, 9).punch(101, 0.1)
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 10 })).Model
	extreme := []float64{math.Inf(-1), math.Inf(1), math.NaN(), thresholds(forest(m))[0], math.Nextafter(thresholds(forest(m))[0], 0)}
	rows := &table{}
	for _, a := range extreme {
		for _, b := range extreme {
			for _, c := range extreme {
				rows.x = append(rows.x, []float64{a, b, c})
			}
		}
	}
	values := shapValues(t, m, rows.features(), aoso.PredictOptions{})
	checkSums(t, m, rows.features(), values, aoso.PredictOptions{})
	for i, row := range rows.x {
		for j, want := range shapley(m, row, m.Trees()) {
			if got := values[i*16+j]; math.Abs(got-want) > 1e-12 {
				t.Fatalf("%v: column %d is %v, want %v", row, j, got, want)
			}
		}
	}
}

// TestSHAPThreads: the same bits whatever the threads and the rows beside.
func TestSHAPThreads(t *testing.T) {
	d := blobs(102, 700, 4, 5, 255)
	m := withLinear(trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 10 })).Model, d.x)
	want := shapValues(t, m, d.features(), aoso.PredictOptions{NThread: 1})
	for _, rows := range []int{0, 1, 255, 256, 257, 700} {
		for _, threads := range []int{0, 1, 2, 3} {
			got := shapValues(t, m, d.slice(0, rows).featuresOf(4), aoso.PredictOptions{NThread: threads})
			if !slices.Equal(got, want[:rows*25]) {
				t.Errorf("%d rows, %d threads: other values", rows, threads)
			}
		}
	}
}

// featuresOf returns the features of a table that may have no rows.
func (d *table) featuresOf(cols int) aoso.Features {
	if len(d.x) == 0 {
		return aoso.RowMajor[float64](nil, 0, cols)
	}
	return d.features()
}

// TestSHAPSparse: what is there is what the dense form has, what is not is
// zero there.
func TestSHAPSparse(t *testing.T) {
	d := blobs(103, 300, 6, 7, 255).punch(103, 0.05)
	for i := range d.x { // what no tree can use
		d.x[i][2], d.x[i][5] = 1, 1
	}
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			plain := trained(t, d, params(func(p *aoso.Params) { v.change(p); rounds(p, 2, 7) })).Model
			for _, m := range []*aoso.Model{plain, withLinear(plain, d.x)} {
				x, o := d.features(), aoso.PredictOptions{}
				dense, scores := shapValues(t, m, x, o), rawScores(t, m, x, o)
				for _, top := range []int{0, 1, 3, 7} {
					c, err := m.SHAPSparse(x, aoso.SHAPOptions{PredictOptions: o, Top: top})
					if err != nil {
						t.Fatal(err)
					}
					if want := [...]int{7, 1, 0, 3, 0, 0, 0, 7}[top]; c.PerRow != want || len(c.Classes) != 300*want || len(c.First) != 300*want+1 {
						t.Fatalf("%d classes a row, %d in all, want %d a row", c.PerRow, len(c.Classes), want)
					}
					for i := range d.x {
						order := []int32{0, 1, 2, 3, 4, 5, 6}
						if f := scores[i*7:][:7]; top > 0 {
							slices.SortStableFunc(order, func(a, b int32) int {
								if f[a] > f[b] {
									return -1
								} else if f[a] < f[b] {
									return 1
								}
								return 0
							})
						}
						if got := c.Classes[i*c.PerRow:][:c.PerRow]; !slices.Equal(got, order[:c.PerRow]) {
							t.Fatalf("row %d: classes %v, want %v", i, got, order[:c.PerRow])
						}
					}
					for line, k := range c.Classes {
						want := make([]float64, 7)
						columns := c.Columns[c.First[line]:c.First[line+1]]
						for e, j := range columns {
							want[j] = c.Values[c.First[line]+e]
						}
						if !slices.IsSorted(columns) || columns[len(columns)-1] != 6 || slices.Contains(columns, 2) || slices.Contains(columns, 5) {
							t.Fatalf("line %d has the columns %v", line, columns)
						}
						if got := dense[(line/c.PerRow*7+int(k))*7:][:7]; !slices.Equal(got, want) {
							t.Fatalf("line %d, class %d: %v, want %v", line, k, got, want)
						}
					}
				}
			}
		})
	}
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 2 })).Model
	if c, err := m.SHAPSparse(aoso.RowMajor[float64](nil, 0, 6)); err != nil || len(c.Classes) > 0 || !slices.Equal(c.First, []int{0}) {
		t.Errorf("no rows: %+v, %v", c, err)
	}
}

// TestSHAPWide explains the most likely of 20,000 classes.
func TestSHAPWide(t *testing.T) {
	const classes, rows, top = 20_000, 30, 3
	d := &table{}
	for k := range classes {
		d.x, d.y = append(d.x, []float64{float64(k % 141), float64(k / 141)}), append(d.y, k)
	}
	for i := range 100 * rows { // classes that leaves are sure to move
		d.x, d.y = append(d.x, d.x[7000+i%rows]), append(d.y, 7000+i%rows)
	}
	plain := trained(t, d, params(func(p *aoso.Params) { p.Leaf, p.NEstimators, p.MaxLeaves = "sparse", 3, 40 })).Model
	for _, m := range []*aoso.Model{plain, withLinear(plain, nil)} {
		x := d.slice(7000, 7000+rows).features()
		c, err := m.SHAPSparse(x, aoso.SHAPOptions{Top: top})
		if err != nil {
			t.Fatal(err)
		}
		mostLikely, _, err := m.PredictTop(x, top)
		if err != nil {
			t.Fatal(err)
		}
		scores := rawScores(t, m, x, aoso.PredictOptions{})
		for line, k := range c.Classes {
			if k != int32(mostLikely[line]) {
				t.Fatalf("line %d: class %d, want %d", line, k, mostLikely[line])
			}
			sum := 0.0
			for _, v := range c.Values[c.First[line]:c.First[line+1]] {
				sum += v
			}
			if want := scores[line/top*classes+int(k)]; line%top == 0 && want == 0 || math.Abs(sum-want) > 1e-12 {
				t.Fatalf("line %d, class %d: the values sum to %v, the score is %v", line, k, sum, want)
			}
		}
	}
}

// chain returns a model of one tree that asks for one feature after the other,
// with the share of the rows that goes on.
func chain(features int, share float64) *aoso.Model {
	const all = 1 << 30
	f, rows := model.NewForest(2, 1, true), float64(all)
	names := make([]string, features)
	for j := range features {
		names[j] = fmt.Sprint("f", j)
		right := model.Child(j + 1)
		if j == features-1 {
			right = model.LeafChild(features)
		}
		f.AddNode(model.NumericSplit(j, 0.5, false), model.LeafChild(j), right, 1, []kernel.Pair{{R: 0, S: 1}})
		f.AddLeaf([]float32{0, 0}, nil, int(rows*(1-share)))
		rows *= share
	}
	f.AddLeaf([]float32{1, -1}, nil, int(rows))
	f.EndTree()
	return newModel(f, []string{"a", "b"}, names)
}

// TestSHAPLongPaths: no digits are lost on paths of very many features, where
// the usual recursions lose them all.
func TestSHAPLongPaths(t *testing.T) {
	for _, features := range []int{1, 2, 3, 4, 10, 20, 21, 50, 100, 301} {
		for _, share := range []float64{0.01, 0.5, 0.9, 0.99} {
			m := chain(features, share)
			r := rand.New(rand.NewPCG(104, uint64(features)))
			row := make([]float64, features)
			for range 2 {
				values := shapValues(t, m, aoso.RowMajor(row, 1, features), aoso.PredictOptions{})
				checkSums(t, m, aoso.RowMajor(row, 1, features), values, aoso.PredictOptions{})
				for j, v := range values[:features] { // each step that is taken raises the score of a, each that is not lowers it
					if v < 0 && row[j] == 1 || v > 0 && row[j] == 0 || math.Abs(v+values[features+1+j]) > 1e-15 {
						t.Fatalf("%d features, share %v: the value %v of %v is %v", features, share, j, row[j], v)
					}
				}
				for j := range row {
					row[j] = float64(r.IntN(2))
				}
			}
			ones := slices.Repeat([]float64{1}, features)
			values := shapValues(t, m, aoso.RowMajor(ones, 1, features), aoso.PredictOptions{})
			checkSums(t, m, aoso.RowMajor(ones, 1, features), values, aoso.PredictOptions{})
		}
	}
}

// TestSHAPNoRows: where no row tells which way to share, both ways share.
func TestSHAPNoRows(t *testing.T) {
	f := forest(chain(3, 0.5)).Clone()
	tree := f.Tree(0)
	for i := 1; i < tree.NumLeaves(); i++ {
		tree.SetLeaf(i, nil, 0)
	}
	tree.CountRows()
	m := newModel(f, []string{"a", "b"}, []string{"f0", "f1", "f2"})
	for _, row := range [][]float64{{0, 1, 0}, {1, 1, 0}, {1, 1, 1}} {
		values := shapValues(t, m, aoso.RowMajor(row, 1, 3), aoso.PredictOptions{})
		for j, want := range shapley(m, row, 1) {
			if math.Abs(values[j]-want) > 1e-15 {
				t.Errorf("%v: column %d is %v, want %v", row, j, values[j], want)
			}
		}
	}
}

// TestSHAPImpossible has leaves that move no class.
func TestSHAPImpossible(t *testing.T) {
	f := model.NewForest(2, 1, false)
	f.AddNode(model.NumericSplit(0, 0.5, false), model.LeafChild(0), 1, 1, []kernel.Pair{{R: 0, S: 1}})
	f.AddNode(model.NumericSplit(1, 0.5, false), model.LeafChild(1), model.LeafChild(2), 1, []kernel.Pair{{R: 0, S: 1}})
	for _, rows := range []int{2, 1, 1} {
		f.AddLeaf([]float32{0}, []kernel.Pair{{R: 2, S: 2}}, rows)
	}
	f.EndTree()
	m := newModel(f, []string{"a", "b"}, []string{"x", "y"})
	for _, top := range []int{0, 1} {
		c, err := m.SHAPSparse(aoso.RowMajor([]float64{0, 1}, 1, 2), aoso.SHAPOptions{Top: top})
		if err != nil || slices.Max(c.Values) != 0 || slices.Min(c.Columns) != 2 {
			t.Errorf("%+v, %v", c, err)
		}
	}
}

// TestSHAPOneClass: nothing to explain.
func TestSHAPOneClass(t *testing.T) {
	d := &table{x: [][]float64{{1}, {2}}, y: []int{0, 0}}
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 1 })).Model
	if values := shapValues(t, m, d.features(), aoso.PredictOptions{}); !slices.Equal(values, make([]float64, 4)) {
		t.Error(values)
	}
}

func TestSHAPErrors(t *testing.T) {
	d := blobs(105, 50, 4, 3, 255)
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 5 })).Model
	x := d.features()
	_, err := m.SHAP(aoso.RowMajor([]float64{1, 2}, 1, 2))
	wantArgumentError(t, err, "features", "2 columns")
	_, err = m.SHAP(x, aoso.PredictOptions{Trees: 6})
	wantArgumentError(t, err, "trees", "6", "0 to 5")
	_, err = m.SHAP(x, aoso.PredictOptions{NThread: -1})
	wantArgumentError(t, err, "nthread", "-1")
	_, err = m.SHAPSparse(x, aoso.SHAPOptions{Top: 4})
	wantArgumentError(t, err, "top", "4", "0 to 3")
	_, err = m.SHAPSparse(x, aoso.SHAPOptions{Top: -1})
	wantArgumentError(t, err, "top", "-1")
	_, err = m.SHAPSparse(nil)
	wantArgumentError(t, err, "features")
}
