package acceptance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/data/datatest"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/modelio"
)

// table is a data set as the tests use it: rows of features, labels 0 … K−1.
type table struct {
	x       [][]float64
	y       []int
	weights []float64
}

func (d *table) features() aoso.Features {
	x, err := aoso.FromRows(d.x)
	if err != nil {
		panic(err)
	}
	return x
}

func (d *table) labels() aoso.Labels { return aoso.IntLabels(d.y) }

func (d *table) classes() int { return slices.Max(d.y) + 1 }

// slice returns the rows from first up to end.
func (d *table) slice(first, end int) *table {
	s := &table{x: d.x[first:end], y: d.y[first:end]}
	if d.weights != nil {
		s.weights = d.weights[first:end]
	}
	return s
}

// blobs is classes of Gaussian clouds in cols features. Every feature is
// rounded to at most levels distinct values, each exact in float32. Class k has
// about 1/(1+k/4) times the rows of class 0, so that counts seldom tie.
func blobs(seed uint64, rows, cols, classes, levels int) *table {
	r := rand.New(rand.NewPCG(seed, 17))
	centres := make([][]float64, classes)
	share, total := make([]float64, classes), 0.0
	for k := range centres {
		for range cols {
			centres[k] = append(centres[k], r.NormFloat64())
		}
		share[k] = 1 / (1 + float64(k)/4)
		total += share[k]
	}
	d := &table{}
	for i := range rows {
		k, u := 0, r.Float64()*total
		for u > share[k] && k < classes-1 {
			u -= share[k]
			k++
		}
		if i < classes {
			k = i // every class is there
		}
		row := make([]float64, cols)
		for j := range row {
			v := centres[k][j] + 1.2*r.NormFloat64()
			row[j] = math.Round(min(max((v+6)/12, 0), 1) * float64(levels-1))
		}
		d.x = append(d.x, row)
		d.y = append(d.y, k)
	}
	return d
}

// punch makes a share of the cells missing, more of them in later classes, so
// that the missing values of a feature say something.
func (d *table) punch(seed uint64, share float64) *table {
	r := rand.New(rand.NewPCG(seed, 18))
	holes := &table{y: d.y, weights: d.weights}
	for i, row := range d.x {
		row = slices.Clone(row)
		for j := range row {
			if r.Float64() < share*float64(1+(d.y[i]+j)%3) {
				row[j] = math.NaN()
			}
		}
		holes.x = append(holes.x, row)
	}
	return holes
}

// weighted gives the rows weights, some of them zero.
func (d *table) weighted(seed uint64) *table {
	r := rand.New(rand.NewPCG(seed, 19))
	w := &table{x: d.x, y: d.y, weights: make([]float64, len(d.y))}
	for i := range w.weights {
		w.weights[i] = math.Round(max(0, 1+r.NormFloat64())*8) / 8
	}
	return w
}

// letter is all of testdata/letter.csv.gz.
var letter = sync.OnceValue(func() *table {
	d, err := readTable(filepath.Join("..", "..", "testdata", "letter.csv.gz"))
	if err != nil {
		panic(err)
	}
	return d
})

// sharedFile returns a file of the shared folder, which need not be there; its
// data can be elsewhere, where AOSO_DATA says. A test that lacks it skips,
// but not in CI with the shared folder in place.
func sharedFile(t *testing.T, folder, name string) string {
	t.Helper()
	shared := filepath.Join("..", "..", "..", "shared")
	path := filepath.Join(shared, folder, name)
	if dir := os.Getenv("AOSO_DATA"); dir != "" && folder == "data" {
		path = filepath.Join(dir, name)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(shared); err == nil && os.Getenv("CI") == "true" {
			t.Fatalf("%s is missing, though the shared folder is there", path)
		}
		t.Skipf("%s is missing (AOSO_DATA names another data folder)", path)
	}
	return path
}

// sharedSet returns a set of the shared data folder.
func sharedSet(t *testing.T, name string) (train, test *table) {
	t.Helper()
	var err error
	if train, err = readTable(sharedFile(t, "data", name+".train.csv.gz")); err == nil {
		test, err = readTable(sharedFile(t, "data", name+".test.csv.gz"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return train, test
}

// readTable reads gzip-compressed CSV, the label in the last column.
func readTable(path string) (*table, error) {
	x, y, err := datatest.Read(path)
	return &table{x: x, y: y}, err
}

// params returns the defaults without trimming, which is an approximation, changed.
func params(change func(*aoso.Params)) aoso.Params {
	p := paperParams()
	p.NThread, p.Trim = 1, 0
	if change != nil {
		change(&p)
	}
	return p
}

// paper makes the parameters those of the paper's algorithm.
func paper(p *aoso.Params) { p.Leaf, p.Pairs, p.MinSamplesLeaf = "pair", 1, 1 }

func newDataset(t testing.TB, d *table) *aoso.Dataset {
	t.Helper()
	set, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Weights: d.weights})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func aligned(t testing.TB, train *aoso.Dataset, d *table) *aoso.Dataset {
	t.Helper()
	set, err := train.Aligned(d.features(), d.labels(), d.weights)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// trained trains on a table.
func trained(t testing.TB, d *table, p aoso.Params) *aoso.Result {
	t.Helper()
	return train(t, newDataset(t, d), p, aoso.TrainOptions{})
}

func train(t testing.TB, set *aoso.Dataset, p aoso.Params, o aoso.TrainOptions) *aoso.Result {
	t.Helper()
	r, err := aoso.Train(context.Background(), set, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// withLinear returns a model whose rows have linear scores before the trees of m: terms of all
// columns of numbers, with places centred on rows, and a second one of the last of them.
func withLinear(m *aoso.Model, rows [][]float64) *aoso.Model {
	r := rand.New(rand.NewPCG(uint64(len(rows)), 20))
	numbers := func(n int) []float32 {
		all := make([]float32, n)
		for i := range all {
			all[i] = float32(r.NormFloat64() / 4)
		}
		return all
	}
	l := model.NewLinear(numbers(len(m.Classes())))
	add := func(column int) {
		edges := []float64{-1, 0, 0.25, 0.5, 3, 7, 100}[r.IntN(4):]
		places := numbers(len(edges) + 1)
		if len(rows) > 0 {
			mean, n := 0.0, 0
			for _, row := range rows {
				if x := row[column]; x == x {
					mean, n = mean+float64(places[sort.Search(len(edges), func(i int) bool { return x < edges[i] })]), n+1
				}
			}
			for i := range places {
				places[i] -= float32(mean / float64(n))
			}
		}
		l.Add(column, edges, places, numbers(len(m.Classes())))
	}
	last := 0
	for column, codes := range encoder(m).Codes(len(m.FeatureNames())) {
		if codes == 0 {
			add(column)
			last = column
		}
	}
	add(last)
	f := forest(m).Clone()
	f.SetLinear(l)
	return changed(m, func(c *model.Model) { c.Forest = f })
}

func rawScores(t testing.TB, m *aoso.Model, x aoso.Features, o aoso.PredictOptions) []float64 {
	t.Helper()
	f, err := m.PredictRaw(x, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// rowLoss is −log p_y of raw scores, in full precision for p_y near one.
func rowLoss(scores []float64, y int) float64 {
	others := 0.0
	for k, f := range scores {
		if k != y {
			others += math.Exp(f - scores[y])
		}
	}
	return math.Log1p(others)
}

// lossOf returns the mean log loss of the model on the table, weighted.
func lossOf(t testing.TB, m *aoso.Model, d *table, o aoso.PredictOptions) float64 {
	t.Helper()
	scores, classes := rawScores(t, m, d.features(), o), len(m.Classes())
	sum, weight := 0.0, 0.0
	for i, y := range d.y {
		w := 1.0
		if d.weights != nil {
			w = d.weights[i]
		}
		sum += w * rowLoss(scores[i*classes:][:classes], y)
		weight += w
	}
	return sum / weight
}

func errorsOf(t testing.TB, m *aoso.Model, d *table, o aoso.PredictOptions) int {
	t.Helper()
	predicted, err := m.Predict(d.features(), o)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i, y := range d.y {
		if predicted[i] != y {
			n++
		}
	}
	return n
}

// wantArgumentError checks that err is about the argument and that its text
// has all that a user needs.
func wantArgumentError(t *testing.T, err error, argument string, texts ...string) {
	t.Helper()
	e, ok := errors.AsType[*aoso.ArgumentError](err)
	if !ok {
		t.Fatalf("error %v (%T), want an *ArgumentError about %s", err, err, argument)
	}
	if e.Argument != argument || e.Allowed == "" {
		t.Errorf("argument %q, allowed %q; want argument %q", e.Argument, e.Allowed, argument)
	}
	for _, text := range append(texts, argument, e.Allowed) {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("the error %q does not have %q", err, text)
		}
	}
}

// near reports whether two numbers agree to a share of the greater.
func near(a, b, share float64) bool {
	return a == b || math.Abs(a-b) <= share*max(math.Abs(a), math.Abs(b))
}

// contents are the contents of the files of models.
var contents sync.Map // of *aoso.Model: *model.Model

// contentOf returns the content of a model's file.
func contentOf(m *aoso.Model) *model.Model {
	if c, ok := contents.Load(m); ok {
		return c.(*model.Model)
	}
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		panic(err)
	}
	c, err := model.Decode(file.Bytes())
	if err != nil {
		panic(err)
	}
	contents.Store(m, c)
	return c
}

func forest(m *aoso.Model) *model.Forest      { return contentOf(m).Forest }
func encoder(m *aoso.Model) *category.Encoder { return contentOf(m).Encoder }

// changed returns a model whose file has a changed content.
func changed(m *aoso.Model, change func(c *model.Model)) *aoso.Model {
	c := *contentOf(m)
	change(&c)
	return decoded(&c)
}

func withTemperature(m *aoso.Model, temperature float64) *aoso.Model {
	return changed(m, func(c *model.Model) { c.Temperature = temperature })
}

// withoutKey returns a JSON object without a key.
func withoutKey(object []byte, key string) []byte {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(object, &values); err != nil {
		panic(err)
	}
	delete(values, key)
	object, err := json.Marshal(values)
	if err != nil {
		panic(err)
	}
	return object
}

// decode returns the model of a file with these bytes.
func decode(file []byte) (*aoso.Model, error) { return aoso.Read(bytes.NewReader(file)) }

// reread returns the model of the file of a model.
func reread(t testing.TB, m *aoso.Model) *aoso.Model {
	t.Helper()
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		t.Fatal(err)
	}
	read, err := decode(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// decoded returns the model of a content.
func decoded(c *model.Model) *aoso.Model {
	var file bytes.Buffer
	if err := c.Encode(&file); err != nil {
		panic(err)
	}
	m, err := decode(file.Bytes())
	if err != nil {
		panic(err)
	}
	return m
}

// newModel returns a model of method aoso without categories.
func newModel(f *model.Forest, classes, names []string) *aoso.Model {
	params := fmt.Sprintf(`{"method":"aoso","leaf":%q,"pairs":%d}`, f.LeafKind(), f.Pairs())
	m := model.New(aoso.MethodAOSO, f, classes, names, nil)
	m.Params, m.Named = []byte(params), true
	return decoded(m)
}

// shapeOf returns the shape of a dataset of numbers.
func shapeOf(d *aoso.Dataset) aoso.Shape {
	return aoso.Shape{Rows: d.Rows(), Features: len(d.FeatureNames()), Classes: len(d.Classes())}
}

// setOf returns the content of a dataset's file.
func setOf(t testing.TB, d *aoso.Dataset) *data.Set {
	t.Helper()
	path := filepath.Join(t.TempDir(), "set")
	if err := d.Save(path); err != nil {
		t.Fatal(err)
	}
	memory, err := modelio.ReadBlock(modelio.Dataset, path)
	if err != nil {
		t.Fatal(err)
	}
	set, err := data.Decode(memory)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// paperParams returns the parameters of preset paper, each with its value.
func paperParams() aoso.Params {
	p := aoso.DefaultParams()
	p.Preset, p.Start = aoso.PresetPaper, "zero"
	p.NEstimators, p.MaxLeaves, p.MinSamplesLeaf = 1000, 20, 1
	p.LearningRate, p.RegLambda, p.MaxDeltaStep, p.Subsample, p.ColsampleByNode = 0.1, 0, 5, 1, 1
	return p
}
