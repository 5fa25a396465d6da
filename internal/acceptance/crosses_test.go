package acceptance

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/category"
)

// crossing returns rows whose classes depend on a difference, a ratio and a pair of categories of features.
func crossing(rows int) (x aoso.CategoricalFeatures, labels aoso.Labels) {
	r := rand.New(rand.NewPCG(8, 3))
	columns, classes := [4][]float64{}, make([]int, rows)
	colours, shapes := make([]string, rows), make([]string, rows)
	for i := range rows {
		for j := range columns {
			columns[j] = append(columns[j], 1+math.Floor(1000*r.Float64())/8)
		}
		colour, shape := r.IntN(4), r.IntN(4)
		colours[i], shapes[i] = fmt.Sprint("colour ", colour), fmt.Sprint("shape ", shape)
		if colour%2 == 0 && columns[0][i] > columns[1][i]+5 || colour%2 == 1 && columns[2][i]/columns[3][i] > 1.5 {
			classes[i]++
		}
		if (colour+shape)%4 < 2 {
			classes[i] += 2
		}
		switch r.IntN(40) {
		case 0:
			columns[r.IntN(4)][i] = math.NaN()
		case 1:
			columns[r.IntN(4)][i] = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 1e-310, -1e-310, math.MaxFloat64}[r.IntN(7)]
		case 2:
			colours[i] = ""
		}
	}
	table, err := aoso.NewTable(aoso.Numbers(columns[0]), aoso.Texts(colours), aoso.Numbers(columns[1]), aoso.Numbers(columns[2]), aoso.Texts(shapes), aoso.Numbers(columns[3]))
	if err != nil {
		panic(err)
	}
	return table, aoso.IntLabels(classes)
}

// small are the parameters of an ensemble that may have crosses.
func small(change ...func(*aoso.Params)) aoso.Params {
	return defaults(append([]func(*aoso.Params){ofMembers(120), func(p *aoso.Params) { p.LearningRate = 0.5 }}, change...)...)
}

// crossed returns a model with crosses, and the rows that it was trained on.
func crossed(t testing.TB) (*aoso.Model, *aoso.Dataset, aoso.CategoricalFeatures, aoso.Labels) {
	x, labels := crossing(1000)
	set, err := aoso.NewDataset(x, labels, aoso.DatasetOptions{Names: []string{"a", "colour", "b", "c", "shape", "d"}})
	if err != nil {
		t.Fatal(err)
	}
	crossedOnce.Do(func() { crossedModel = train(t, set, small(), aoso.TrainOptions{}).Model })
	if e := encoder(crossedModel); e == nil || len(e.Crosses) == 0 {
		t.Fatal("there are no crosses")
	}
	return crossedModel, set, x, labels
}

var (
	crossedOnce  sync.Once
	crossedModel *aoso.Model
)

// TestNoisyPairs: where many labels are noise, there are crosses of categories, but none of numbers.
func TestNoisyPairs(t *testing.T) {
	t.Parallel()
	const rows = 3000
	r := rand.New(rand.NewPCG(8, 4))
	colours, shapes, classes := make([]string, rows), make([]string, rows), make([]int, rows)
	columns := [2][]float64{make([]float64, rows), make([]float64, rows)}
	for i := range rows {
		colour, shape := r.IntN(15), r.IntN(15)
		colours[i], shapes[i] = fmt.Sprint("colour ", colour), fmt.Sprint("shape ", shape)
		columns[0][i], columns[1][i] = r.NormFloat64(), r.NormFloat64()
		classes[i] = colour * shape * 7 % 11 % 4
		if columns[0][i] > columns[1][i] {
			classes[i] ^= 1
		}
		if r.IntN(5) < 2 {
			classes[i] = r.IntN(4)
		}
	}
	table, err := aoso.NewTable(aoso.Texts(colours), aoso.Texts(shapes), aoso.Numbers(columns[0]), aoso.Numbers(columns[1]))
	if err != nil {
		t.Fatal(err)
	}
	set, err := aoso.NewDataset(table, aoso.IntLabels(classes))
	if err != nil {
		t.Fatal(err)
	}
	m := train(t, set, defaults(ofMembers(120)), aoso.TrainOptions{}).Model
	if got, want := m.Crosses(), []string{"f0 & f1"}; !slices.Equal(got, want) {
		t.Errorf("crosses %q, want %q", got, want)
	}
}

// TestCrosses: training finds the crosses that the classes depend on, and predicts better with them. All ways to predict agree.
func TestCrosses(t *testing.T) {
	m, set, x, labels := crossed(t)
	for _, c := range []category.Cross{{First: 0, Second: 2, Op: category.Difference}, {First: 3, Second: 5, Op: category.Ratio}, {First: 1, Second: 4, Op: category.Pair}} {
		back := category.Cross{First: c.Second, Second: c.First, Op: c.Op}
		if all := encoder(m).Crosses; !slices.Contains(all, c) && !slices.Contains(all, back) {
			t.Errorf("there is no cross %v among %v", c, all)
		}
	}
	without := train(t, set, small(func(p *aoso.Params) { p.Crosses = 0 }), aoso.TrainOptions{}).Model
	if e := encoder(without); len(e.Crosses) > 0 {
		t.Errorf("without crosses, there are %v", e.Crosses)
	}
	loss := func(m *aoso.Model) float64 {
		e, err := m.Evaluate(x, labels, nil)
		if err != nil {
			t.Fatal(err)
		}
		return e.LogLoss
	}
	if with, plain := loss(m), loss(without); with > 0.9*plain {
		t.Errorf("log loss %.4f with crosses, %.4f without", with, plain)
	}

	want := rawScores(t, m, x, aoso.PredictOptions{})
	rows := positionsOf(m, x)
	p, err := m.RowPredictor()
	if err != nil {
		t.Fatal(err)
	}
	classes := len(m.Classes())
	scores := make([]float64, classes)
	for i, row := range rows {
		if err := p.Raw(row, scores); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(scores, want[i*classes:][:classes]) {
			t.Fatalf("row %d: %v row by row, %v of all rows", i, scores, want[i*classes:][:classes])
		}
	}
	if !slices.Equal(rawScores(t, reread(t, m), x, aoso.PredictOptions{}), want) {
		t.Error("the model of the file predicts otherwise")
	}
	text := string(written(t, exported(m, "text")))
	for _, name := range []string{" - ", " / ", " & "} {
		if !strings.Contains(text, name) {
			t.Errorf("the text of the model does not name a cross with %q", name)
		}
	}
	for _, f := range aoso.ExportFormats() {
		if err := m.Export(io.Discard, f.Name); slices.Contains([]string{"text", "dot", "json", "json_tree", "onnx", "onnx_double", "c", "go"}, f.Name) == (err != nil) {
			t.Errorf("format %s: %v", f.Name, err)
		}
	}
}

// positionsOf returns rows as a row predictor takes them.
func positionsOf(m *aoso.Model, x aoso.CategoricalFeatures) [][]float64 {
	rows := make([][]float64, x.Rows())
	for i := range rows {
		rows[i] = make([]float64, x.Cols())
		for j := range rows[i] {
			x.Column(j, i, rows[i][j:j+1])
			if names := x.Categories(j); names != nil && rows[i][j] == rows[i][j] {
				rows[i][j] = float64(m.FindCategory(j, names[int(rows[i][j])]))
			}
		}
	}
	return rows
}

// TestCrossesExplained: SHAP values of a row add up to its scores, and no gain of a cross is lost.
func TestCrossesExplained(t *testing.T) {
	m, _, x, _ := crossed(t)
	want := rawScores(t, m, x, aoso.PredictOptions{})
	shap, err := m.SHAP(x, aoso.PredictOptions{})
	if err != nil {
		t.Fatal(err)
	}
	columns := x.Cols() + 1
	for i, score := range want {
		sum := 0.0
		for _, v := range shap[i*columns:][:columns] {
			sum += v
		}
		if math.Abs(sum-score) > 1e-6*(1+math.Abs(score)) {
			t.Fatalf("score %d is %v, and its SHAP values add up to %v", i, score, sum)
		}
	}
	total, pairs := 0.0, 0.0
	for n := range forest(m).AllNodes() {
		total += float64(n.Gain())
	}
	gains, err := m.Importance("gain")
	if err != nil {
		t.Fatal(err)
	}
	for _, gain := range gains {
		total -= gain
	}
	for _, p := range m.PairImportances() {
		pairs += p.Gain
	}
	sum := 0.0
	for _, gain := range gains {
		sum += gain
	}
	if math.Abs(total) > 1e-9*sum || math.Abs(pairs-sum) > 1e-9*sum {
		t.Errorf("%v of the gain is lost, and by pairs %v", total, sum-pairs)
	}
}

// TestCrossesStored: a dataset from a file, rows in blocks, and rows on several ranks give the same model.
func TestCrossesStored(t *testing.T) {
	m, set, x, labels := crossed(t)
	want := m.Fingerprint()
	_, loaded := saved(t, set)
	if got := train(t, loaded, small(), aoso.TrainOptions{}).Model.Fingerprint(); got != want {
		t.Errorf("fingerprint %s from a saved dataset, %s before", got, want)
	}
	for _, path := range []string{"", filepath.Join(t.TempDir(), "set")} {
		blocks, err := aoso.NewDatasetFromBlocks(blocksOfSize(x, labels, aoso.DatasetOptions{}, 500), aoso.DatasetOptions{Names: set.FeatureNames(), Path: path})
		if err != nil {
			t.Fatal(err)
		}
		if got := train(t, blocks, small(), aoso.TrainOptions{}).Model.Fingerprint(); got != want {
			t.Errorf("fingerprint %s from blocks in file %q, %s from a table", got, path, want)
		}
	}
	of := spread(x.Rows(), 2)
	prints := make([]string, len(of))
	local := aoso.NewLocalCollective(len(of))
	errs := make(chan error)
	for rank := range of {
		go func() {
			var y aoso.Labels
			o := aoso.DatasetOptions{Names: set.FeatureNames(), Collective: local[rank]}
			for _, row := range of[rank] {
				y, o.RowIDs = append(y, labels[row]), append(o.RowIDs, uint64(row))
			}
			d, err := aoso.NewDataset(&shard{x, of[rank]}, y, o)
			if err == nil {
				var r *aoso.Result
				if r, err = aoso.Train(t.Context(), d, small()); err == nil {
					prints[rank] = r.Model.Fingerprint()
				}
			}
			errs <- err
		}()
	}
	for range of {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	if prints[0] != want || prints[1] != want {
		t.Errorf("fingerprints %v on ranks, %s alone", prints, want)
	}
}

// TestCrossesContinued: training can continue a model with crosses, and refit it. Constraints exclude crosses.
func TestCrossesContinued(t *testing.T) {
	m, set, x, labels := crossed(t)
	again, err := aoso.NewDataset(x, labels, aoso.DatasetOptions{Init: m})
	if err != nil {
		t.Fatal(err)
	}
	longer := train(t, again, defaults(func(p *aoso.Params) { p.NEstimators = 5 }), aoso.TrainOptions{}).Model
	if longer.Trees() != m.Trees()+5 || !encoder(longer).Equal(encoder(m)) {
		t.Errorf("%d trees after %d, with crosses %v and %v", longer.Trees(), m.Trees(), encoder(longer).Crosses, encoder(m).Crosses)
	}
	if _, err := m.Refit(x, labels, aoso.RefitOptions{}); err != nil {
		t.Error(err)
	}
	for _, change := range []func(*aoso.Params){
		func(p *aoso.Params) { p.InteractionConstraints = "[[0,2],[3,5]]" },
		func(p *aoso.Params) { p.Crosses = 0 },
	} {
		if c := encoder(train(t, set, small(change, ofMembers(12)), aoso.TrainOptions{}).Model).Crosses; len(c) > 0 {
			t.Errorf("there are crosses: %v", c)
		}
	}
}

// TestForgedCrosses: a file whose crosses are impossible is refused.
func TestForgedCrosses(t *testing.T) {
	m, _, _, _ := crossed(t)
	for _, c := range []category.Cross{{First: 0, Second: 0}, {First: 0, Second: 1}, {First: 0, Second: 6}, {First: -1, Second: 2}, {First: 0, Second: 2, Op: category.Pair}, {First: 0, Second: 2, Op: 3}, {First: 1, Second: 4, Op: category.Ratio}} {
		content := *contentOf(m)
		e := *content.Encoder
		e.Crosses = slices.Clone(e.Crosses)
		e.Crosses[0], content.Encoder = c, &e
		var file bytes.Buffer
		if err := content.Encode(&file); err != nil {
			t.Fatal(err)
		}
		if _, err := decode(file.Bytes()); err == nil {
			t.Errorf("cross %v is accepted", c)
		}
	}
}

// TestCrossesInterrupted: an interrupt at any time leaves a model that predicts, also while crosses are tried.
func TestCrossesInterrupted(t *testing.T) {
	_, set, x, _ := crossed(t)
	trainer, err := aoso.NewTrainer(set, small())
	if err != nil {
		t.Fatal(err)
	}
	defer trainer.Close()
	tried := false
	for more := true; more; _, more = trainer.Step(t.Context()) {
		m := trainer.LocalModel()
		rawScores(t, m, category.Rows(x, 0, 3), aoso.PredictOptions{})
		tried = tried || len(m.Crosses()) > 0
	}
	if !tried {
		t.Error("no model had crosses")
	}
}

// TestCrossesNewClass continues a model that has crosses with a class that it does not know.
func TestCrossesNewClass(t *testing.T) {
	before, _, x, labels := crossed(t)
	more := slices.Clone(labels)
	for i := range more {
		if i%3 == 0 {
			more[i] = aoso.IntLabels([]int{9})[0]
		}
	}
	set, err := aoso.NewDataset(x, more, aoso.DatasetOptions{Init: before})
	if err != nil {
		t.Fatal(err)
	}
	after := train(t, set, params(func(p *aoso.Params) { p.NEstimators = 3 }), aoso.TrainOptions{}).Model
	if !slices.Equal(after.Crosses(), before.Crosses()) || len(after.Classes()) != 5 {
		t.Errorf("crosses %q of %d classes, want %q", after.Crosses(), len(after.Classes()), before.Crosses())
	}
	e, err := after.Evaluate(x, more, nil)
	if err != nil || e.ErrorRate > 0.4 { // of a third, which is drawn
		t.Errorf("%+v, %v", e, err)
	}
}
