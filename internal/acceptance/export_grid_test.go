package acceptance

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/kernel"
)

// grid returns rows of decimals. Few rows leave out values of the grid.
func grid(seed uint64, rows int) *table {
	r := rand.New(rand.NewPCG(seed, 0))
	d := &table{}
	for range rows {
		class := r.IntN(5)
		row := make([]float64, 6)
		for j := range row {
			steps := math.Round(500 + 300*math.Sin(float64(class*(j+1))) + 200*r.NormFloat64())
			row[j] = steps / 1e5
		}
		d.x, d.y = append(d.x, row), append(d.y, class)
	}
	return d
}

// TestExportedGrid: on decimals, formats for float32 give rows in float32 the scores that the
// rows have here in float64. Many values of other rows are midpoints of values of the training
// set, where the thresholds are.
func TestExportedGrid(t *testing.T) {
	train, other := grid(1, 200), grid(2, 900)
	for _, start := range []string{"zero", "linear"} {
		m := trained(t, train, params(func(p *aoso.Params) { p.NEstimators, p.Start = 30, start })).Model
		single, double := parseONNX(t, written(t, exported(m, "onnx"))), parseONNX(t, written(t, exported(m, "onnx_double")))
		if single.input != "1" || double.input != "11" {
			t.Fatalf("inputs of types %s and %s", single.input, double.input)
		}
		_, light := parseLight(t, string(written(t, exported(m, "lightgbm"))))
		lite := parseTreelite(t, written(t, exported(m, "treelite")))
		raw := rawScores(t, m, other.features(), aoso.PredictOptions{})
		elsewhere := 0
		for i, row := range other.x {
			rounded := make([]float64, len(row))
			for j, x := range row {
				rounded[j] = float64(float32(x))
			}
			want := raw[i*5:][:5]
			for name, got := range map[string][]float64{
				"onnx": single.scores(rounded), "onnx_double": double.scores(row), "lightgbm": lightScores(light, rounded, 5),
				"lightgbm in float64": lightScores(light, row, 5), "treelite": lite.scores(rounded),
			} {
				if !closeScores(got, want, 1e-6) {
					t.Fatalf("%s, start %s, row %d: scores %v, want %v", name, start, i, got, want)
				}
			}
			if !closeScores(double.scores(rounded), want, 1e-6) {
				elsewhere++
			}
		}
		if elsewhere < 10 {
			t.Errorf("start %s: rounding changes only %d rows, so the test shows nothing", start, elsewhere)
		}
	}
}

// closeScores reports whether scores differ by at most a tolerance.
func closeScores(got, want []float64, tolerance float64) bool {
	return slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= tolerance })
}

func lightScores(trees []lightTree, row []float64, classes int) []float64 {
	scores := make([]float64, classes)
	for k, tree := range trees {
		scores[k%classes] += tree.value(row)
	}
	return scores
}

// TestLightGBMZeros: LightGBM takes tiny values for 0.
func TestLightGBMZeros(t *testing.T) {
	for _, c := range []struct {
		threshold float64
		refused   bool
	}{{5e-324, true}, {-1e-40, true}, {1e-35, true}, {0, false}, {1.1e-35, false}, {-1, false}} {
		f := model.NewForest(2, 1, true)
		f.AddNode(model.NumericSplit(0, c.threshold, false), model.LeafChild(0), model.LeafChild(1), 1, []kernel.Pair{{R: 0, S: 1}})
		f.AddLeaf([]float32{0, 0}, nil, 1)
		f.AddLeaf([]float32{0, 1}, nil, 1)
		f.EndTree()
		err := newModel(f, []string{"a", "b"}, []string{"size"}).Export(io.Discard, "lightgbm")
		if want := fmt.Sprintf("feature size has the threshold %v,", c.threshold); (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("threshold %v: %v", c.threshold, err)
		}
	}
}

// TestExportForced: trees in place of linear scores take much room only if that is wanted.
func TestExportForced(t *testing.T) {
	const classes, edges = 3000, 4500
	l, f := model.NewLinear(make([]float32, classes)), model.NewSparseForest(classes, 1, 1)
	all, places, weights, names := make([]float64, edges), make([]float32, edges+1), make([]float32, classes), make([]string, classes)
	for i := range all {
		all[i], places[i] = float64(i+1), float32(i)-edges/2
	}
	for k := range names {
		names[k], weights[k] = fmt.Sprint(k), float32(k)
	}
	l.Add(0, all, places, weights)
	f.SetLinear(l)
	m := newModel(f, names, []string{"x"})
	wantArgumentError(t, m.Export(io.Discard, "treelite"), "force", "false", "true for a file of 109 MB", "start=zero")
	for _, c := range []struct {
		format      string
		least, most counted
	}{{"treelite", 100e6, 110e6}, {"c", 1, 1e6}, {"onnx", 1, 1e6}, {"pmml", 1, 2e6}} {
		var size counted
		if err := m.Export(&size, c.format, aoso.ExportOptions{Force: true}); err != nil || size < c.least || size > c.most {
			t.Errorf("%s: %d bytes, %v", c.format, size, err)
		}
	}
}

// counted counts the bytes that are written.
type counted int64

func (c *counted) Write(p []byte) (int, error) {
	*c += counted(len(p))
	return len(p), nil
}
