package acceptance

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/conformal"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/modelio"
)

// modelFile is the content of a model file, as a hostile writer has it.
type modelFile struct {
	model.Header
	Trees     int               `json:"trees"`
	Params    map[string]any    `json:"params"`
	Conformal *conformal.Header `json:"conformal,omitempty"`
	Extra     string            `json:"extra,omitempty"` // a key that no version knows

	FirstNode   []uint32  `json:"-"`
	FirstLeaf   []uint32  `json:"-"`
	Feature     []int32   `json:"-"`
	Threshold   []float64 `json:"-"`
	MissingLeft []uint8   `json:"-"`
	Middle      []uint16  `json:"-"`
	Gain        []float32 `json:"-"`
	NodePairs   []uint16  `json:"-"`
	LeafRows    []uint32  `json:"-"`
	LeafPairs   []uint16  `json:"-"`
	Steps       []float32 `json:"-"`

	Scores conformal.Scores `json:"-"` // if Conformal is there

	ClassesApart, FeaturesApart bool `json:"-"` // whose names the header does not have

	// Of models with categories only.
	Set        []uint32  `json:"-"`
	Sets       []uint64  `json:"-"`
	Categories []int32   `json:"-"`
	Names      []uint8   `json:"-"`
	NameEnds   []uint64  `json:"-"`
	Rated      []uint8   `json:"-"`
	Columns    []uint8   `json:"-"`
	Weights    []float32 `json:"-"`
	Rates      []float32 `json:"-"`
}

// arrays calls f with each array and its name.
func (m *modelFile) arrays(f func(name string, array any)) {
	f("first_node", &m.FirstNode)
	f("first_leaf", &m.FirstLeaf)
	f("feature", &m.Feature)
	f("threshold", &m.Threshold)
	f("missing_left", &m.MissingLeft)
	f("middle", &m.Middle)
	f("gain", &m.Gain)
	f("node_pairs", &m.NodePairs)
	f("leaf_rows", &m.LeafRows)
	f("leaf_pairs", &m.LeafPairs)
	f("steps", &m.Steps)
	if m.Conformal != nil {
		f("conformal_labels", &m.Scores.Labels)
		f("conformal_weights", &m.Scores.Weights)
		f("conformal_lac", &m.Scores.LAC)
		f("conformal_aps", &m.Scores.APS)
		f("conformal_ranks", &m.Scores.Ranks)
	}
}

// categories calls f with each array that models with categories have.
func (m *modelFile) categories(f func(name string, array any)) {
	f("set", &m.Set)
	f("sets", &m.Sets)
	f("categories", &m.Categories)
	f("category_names", &m.Names)
	f("category_name_ends", &m.NameEnds)
	f("category_rated", &m.Rated)
	f("category_columns", &m.Columns)
	f("category_weights", &m.Weights)
	f("category_rates", &m.Rates)
}

// forge returns a model file, its checksums right, that was changed.
func forge(t testing.TB, file []byte, change func(m *modelFile)) []byte {
	t.Helper()
	opened, err := modelio.Open(modelio.Model, file)
	if err != nil {
		t.Fatal(err)
	}
	var m modelFile
	if err := opened.Meta(&m); err != nil {
		t.Fatal(err)
	}
	read := func(name string, array any) {
		switch array := array.(type) {
		case *[]uint8:
			clone(t, opened, name, array)
		case *[]uint16:
			clone(t, opened, name, array)
		case *[]int32:
			clone(t, opened, name, array)
		case *[]uint32:
			clone(t, opened, name, array)
		case *[]float32:
			clone(t, opened, name, array)
		case *[]uint64:
			clone(t, opened, name, array)
		case *[]float64:
			clone(t, opened, name, array)
		}
	}
	m.arrays(read)
	categories := opened.Has("categories")
	if categories {
		m.categories(read)
	}
	m.ClassesApart, m.FeaturesApart = readApart(t, opened, "classes", &m.Classes), readApart(t, opened, "features", &m.Features)
	change(&m)
	classes, features := m.Classes, m.Features
	if m.ClassesApart {
		m.Classes = nil
	}
	if m.FeaturesApart {
		m.Features = nil
	}
	w := modelio.NewWriter(modelio.Model, &m)
	if m.ClassesApart && len(classes) > 0 {
		modelio.AddNames(w, "classes", classes)
	}
	if m.FeaturesApart && len(features) > 0 {
		modelio.AddNames(w, "features", features)
	}
	write := func(name string, array any) {
		switch array := array.(type) {
		case *[]uint8:
			modelio.Add(w, name, *array)
		case *[]uint16:
			modelio.Add(w, name, *array)
		case *[]int32:
			modelio.Add(w, name, *array)
		case *[]uint32:
			modelio.Add(w, name, *array)
		case *[]float32:
			modelio.Add(w, name, *array)
		case *[]uint64:
			modelio.Add(w, name, *array)
		case *[]float64:
			modelio.Add(w, name, *array)
		}
	}
	m.arrays(write)
	if categories {
		m.categories(write)
	}
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readApart reads names that the header may not have, and tells whether that is so.
func readApart(t testing.TB, file *modelio.File, name string, names *[]string) bool {
	t.Helper()
	if !file.Has(name) {
		return false
	}
	var err error
	if *names, err = file.Names(name); err != nil {
		t.Fatal(err)
	}
	return true
}

func clone[T modelio.Element](t testing.TB, file *modelio.File, name string, dst *[]T) {
	t.Helper()
	if err := modelio.Read(file, name, dst); err != nil {
		t.Fatal(err)
	}
	*dst = slices.Clone(*dst)
}

// TestMissingParameters: a parameter that a model file does not name is that of
// the preset paper.
func TestMissingParameters(t *testing.T) {
	file := encode(t, trained(t, blobs(90, 200, 3, 4, 255), params(func(p *aoso.Params) {
		p.PairSelection, p.BaseClass, p.BaseGap, p.Metric = "first_order", "exhaustive", 3, "error"
		p.NEstimators, p.MaxLeaves, p.MaxDepth, p.MinSamplesLeaf = 4, 5, 6, 2
		p.LearningRate, p.MinChildWeight, p.Gamma, p.RegLambda, p.MaxDeltaStep = 0.25, 0.01, 0.001, 0.5, 4
		p.Subsample, p.ColsampleByTree, p.ColsampleByNode, p.Trim, p.StopLoss, p.Seed = 0.9, 0.8, 0.7, 0.05, 1e-9, 7
	})).Model)
	m, err := decode(file)
	if err != nil {
		t.Fatal(err)
	}
	items := strings.Fields(m.Params().String())
	for i, item := range items {
		name, _, _ := strings.Cut(item, "=")
		if slices.Contains([]string{"method", "leaf", "pairs"}, name) { // the model has them too
			continue
		}
		want := m.Params()
		paper := paperParams()
		if err := want.Set(name, strings.TrimPrefix(strings.Fields(paper.String())[i], name+"=")); err != nil {
			t.Fatal(err)
		}
		got, err := decode(forge(t, file, func(f *modelFile) { delete(f.Params, name) }))
		if err != nil {
			t.Fatal(err)
		}
		if got.Params() != want {
			t.Errorf("without %s: %v, want %v", name, got.Params(), want)
		}
	}
}

// TestForgedModels: whatever a hostile writer puts into a model is found, and
// named.
func TestForgedModels(t *testing.T) {
	d := blobs(90, 200, 3, 4, 255).punch(90, 0.05)
	model := trained(t, d, params(func(p *aoso.Params) { p.NEstimators, p.Pairs = 4, 2 })).Model
	full, plain := encode(t, model), encodePlain(t, model)
	pair := encode(t, trained(t, d, params(func(p *aoso.Params) { p.NEstimators, p.Method = 6, aoso.MethodABC })).Model)
	sparse := encode(t, trained(t, d, params(func(p *aoso.Params) { p.NEstimators, p.Leaf, p.LeafClasses = 4, "sparse", 2 })).Model)
	sets := encode(t, conformalized(t, trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 4 })).Model, d.weighted(90)))
	nan := float32(math.NaN())
	for _, test := range []struct {
		want   string
		file   []byte
		change func(f *modelFile)
	}{
		{`method is "gbdt"`, full, func(f *modelFile) { f.Method = "gbdt" }},
		{`leaf is "full" for method abc`, pair, func(f *modelFile) { f.Leaf = "full" }},
		{"pairs is 3", full, func(f *modelFile) { f.Pairs = 3 }},
		{"pairs is 2 for method abc", pair, func(f *modelFile) { f.Pairs = 2 }},
		{"trees_per_iteration is 2 in place of 1", full, func(f *modelFile) { f.TreesPerIteration = 2 }},
		{"trees_per_iteration is 4 in place of 3", pair, func(f *modelFile) { f.TreesPerIteration = 4 }},
		{"trees is 5, there are 4", full, func(f *modelFile) { f.Trees = 5 }},
		{"there are 0 classes", full, func(f *modelFile) { f.Classes = nil }},
		{`"1" is among the classes twice`, full, func(f *modelFile) { f.Classes[3] = "1" }},
		{`"" is among the classes`, full, func(f *modelFile) { f.Classes[0] = "" }},
		{"there are no features", full, func(f *modelFile) { f.Features = nil }},
		{"feature 2 of 2", full, func(f *modelFile) { f.Feature[1], f.Features = 2, f.Features[:2] }},
		{"temperature is 65", full, func(f *modelFile) { f.Temperature = 65 }},
		{"temperature is -1", full, func(f *modelFile) { f.Temperature = -1 }},
		{`parameters are those of method "abc"`, full, func(f *modelFile) { f.Params["method"] = aoso.MethodABC }},
		{"the parameter max_leaves is -7", full, func(f *modelFile) { f.Params["max_leaves"] = -7 }},
		{"the parameter trim is -0.5", full, func(f *modelFile) { f.Params["trim"] = -0.5 }},
		{`the parameter metric is "\u001b[2J"`, full, func(f *modelFile) { f.Params["metric"] = "\x1b[2J" }},
		{"node 2 has gain NaN", full, func(f *modelFile) { f.Gain[2] = nan }},
		{"node 2 has gain +Inf", full, func(f *modelFile) { f.Gain[2] = float32(math.Inf(1)) }},
		{"node 2 has gain -1", full, func(f *modelFile) { f.Gain[2] = -1 }},
		{"node 1 has threshold NaN", full, func(f *modelFile) { f.Threshold[1] = math.NaN() }},
		{"node 1 has threshold -Inf", full, func(f *modelFile) { f.Threshold[1] = math.Inf(-1) }},
		{"node 1 has feature -1 of 3", full, func(f *modelFile) { f.Feature[1] = -1 }},
		{"node 0 has missing_left 2", full, func(f *modelFile) { f.MissingLeft[0] = 2 }},
		{"leaf 1 has value NaN", full, func(f *modelFile) { f.Steps[5] = nan }},
		{"leaf 5 has value -Inf", pair, func(f *modelFile) { f.Steps[5] = float32(math.Inf(-1)) }},
		{"do not make trees", full, func(f *modelFile) { f.FirstLeaf[1]++ }},
		{"do not make trees", full, func(f *modelFile) { f.FirstNode[1], f.FirstLeaf[1] = 1<<31, 1<<31+1 }},
		{"do not make trees", full, func(f *modelFile) { f.Middle[0] = 0 }},
		{"do not make trees", full, func(f *modelFile) { f.Middle[1] = f.Middle[0] }},
		{"do not make trees", full, func(f *modelFile) { f.Middle[0] = uint16(f.FirstLeaf[1]) }},
		{"do not make trees", full, func(f *modelFile) { f.Middle = f.Middle[1:] }},
		{"do not make trees", full, func(f *modelFile) { f.FirstLeaf = f.FirstLeaf[1:] }},
		{"do not make trees", full, func(f *modelFile) { f.LeafRows = f.LeafRows[1:] }},
		{"left has", full, func(f *modelFile) { f.Middle = append(f.Middle, 1) }},
		{"rows of a node of tree 0", full, func(f *modelFile) { f.LeafRows[0], f.LeafRows[1] = math.MaxUint32, math.MaxUint32 }},
		{"do not make trees", plain, func(f *modelFile) { f.FirstNode[0] = 1 }},
		{"gain has", full, func(f *modelFile) { f.Gain = f.Gain[1:] }},
		{"leaf_pairs has 2 numbers in place of 0", full, func(f *modelFile) { f.LeafPairs = []uint16{0, 1} }},
		{"node 0 has classes", full, func(f *modelFile) { f.NodePairs[0] = f.NodePairs[1] }},
		{"node 0 has classes", full, func(f *modelFile) { f.NodePairs[0], f.NodePairs[1] = 4, 0 }},
		{"leaf 2 has classes", pair, func(f *modelFile) { f.LeafPairs[4], f.LeafPairs[5] = 1, 1 }},
		{"leaf 0 is sparse and has a pair of two classes", sparse, func(f *modelFile) { f.LeafPairs[1] = (f.LeafPairs[0] + 1) % 4 }},
		{"leaf 0 has classes", pair, func(f *modelFile) { f.LeafPairs[0], f.LeafPairs[1] = math.MaxUint16, 3 }},
		{"conformal: the arrays do not have", sets, func(f *modelFile) { f.Conformal.Rows = 0 }},
		{"conformal: the arrays do not have", sets, func(f *modelFile) { f.Conformal.Rows = conformal.MaxRows + 1 }},
		{"conformal: the arrays do not have", sets, func(f *modelFile) { f.Scores.LAC = f.Scores.LAC[1:] }},
		{"conformal: the arrays do not have", sets, func(f *modelFile) { f.Scores.Weights = f.Scores.Weights[1:] }},
		{"conformal: tuning is -1 of", sets, func(f *modelFile) { f.Conformal.Tuning = -1 }},
		{"conformal: tuning is", sets, func(f *modelFile) { f.Conformal.Tuning = f.Conformal.Rows }},
		{"conformal: lambda is 2", sets, func(f *modelFile) { f.Conformal.Lambda = 2 }},
		{"conformal: free is 5 of 4 classes", sets, func(f *modelFile) { f.Conformal.Free = 5 }},
		{"conformal: row 3 has class 4 and rank", sets, func(f *modelFile) { f.Scores.Labels[3] = 4 }},
		{"and rank 4 of 4", sets, func(f *modelFile) { f.Scores.Ranks[3] = 4 }},
		{"conformal: row 3 has the scores NaN", sets, func(f *modelFile) { f.Scores.LAC[3] = nan }},
		{"conformal: row 3 has the scores", sets, func(f *modelFile) { f.Scores.APS[3] = -1 }},
		{"conformal: row 3 has weight 0", sets, func(f *modelFile) { f.Scores.Weights[3] = 0 }},
		{"conformal: row 3 has weight +Inf", sets, func(f *modelFile) { f.Scores.Weights[3] = float32(math.Inf(1)) }},
	} {
		m, err := decode(forge(t, test.file, test.change))
		if !errors.Is(err, aoso.ErrCorrupt) || !strings.Contains(err.Error(), test.want) || m != nil {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// TestForgedCategories is TestForgedModels for what models with categories have. The
// features are a number, one of codes and a place, and one of rates.
func TestForgedCategories(t *testing.T) {
	file := encode(t, forgeable(t))
	var coded, rated, number int // nodes
	forge(t, file, func(f *modelFile) {
		coded, rated, number = slices.Index(f.Feature, 1), slices.IndexFunc(f.Feature, func(j int32) bool { return j > 2 }), slices.Index(f.Feature, 0)
	})
	if coded < 0 || rated < 0 || number < 0 {
		t.Fatalf("nodes %d, %d and %d", coded, rated, number)
	}
	for _, test := range []struct {
		want   string
		change func(f *modelFile)
	}{
		{"in place of 1", func(f *modelFile) { f.Set[coded] = 2 }},
		{"has set 4294967295 of", func(f *modelFile) { f.Set[coded] = math.MaxUint32 }},
		{"has no set for feature 1, which is categorical", func(f *modelFile) { f.Feature[number] = 1 }},
		{"sets have no node", func(f *modelFile) { f.Sets = append(f.Sets, 0, 0, 0, 0) }},
		{"the last of its sets has 2 words", func(f *modelFile) { f.Sets = append(f.Sets, 0, 0) }},
		{"of 0 in place of 1", func(f *modelFile) { f.Sets = nil }},
		{"set has", func(f *modelFile) { f.Set = f.Set[1:] }},
		{"has a set for feature 0, which has numbers", func(f *modelFile) { f.Feature[coded] = 0 }},
		{"has a set for feature 6, which has numbers", func(f *modelFile) { f.Feature[coded] = 6 }},
		{"has feature 8 of 8", func(f *modelFile) { f.Feature[rated] = 8 }},
		{"has no set for feature 2, which is categorical", func(f *modelFile) { f.Feature[rated] = 2 }},
		{"has a set and a threshold", func(f *modelFile) { f.Threshold[coded] = 1 }},
		{"has a set and a threshold", func(f *modelFile) { f.MissingLeft[coded] ^= 1 }},
		{"has a set and a threshold", func(f *modelFile) { f.Sets[0] ^= 1 }},
		{`feature 2 has a category "c0" that is there twice`, func(f *modelFile) { f.Categories[1], f.Columns[1] = -1, 0 }},
		{"feature 1 has -1 categories and 1 columns", func(f *modelFile) { f.Categories[1] = -1 }},
		{"feature 0 has -1 categories and 0 columns, and rated is 1", func(f *modelFile) { f.Rated[0] = 1 }},
		{"feature 1 has 20 categories and 1 columns, and rated is 13", func(f *modelFile) { f.Rated[1] = 13 }},
		{"feature 2 has 285 categories and 4 columns, and rated is 0", func(f *modelFile) { f.Rated[2] = 0 }},
		{"has 2 rates or weights in place of 3", func(f *modelFile) { f.Weights = f.Weights[1:] }},
		{"names, rates or weights of no category", func(f *modelFile) { f.Weights = append(f.Weights, 0) }},
		{"has 1 rates or weights in place of 21", func(f *modelFile) { f.Rates = f.Rates[:1] }},
		{"feature 1 has 20 categories and 2 columns", func(f *modelFile) { f.Columns[1] = 2 }},
		{"feature 2 has 285 categories and 0 columns", func(f *modelFile) { f.Columns[2] = 0 }},
		{"in place of 3", func(f *modelFile) { f.Columns = f.Columns[1:] }},
		{"has the rate or weight 2", func(f *modelFile) { f.Weights[0] = 2 }},
		{"feature 1 has 306 categories", func(f *modelFile) { f.Categories[1] = 306 }},
		{"feature 2 has 286 categories", func(f *modelFile) { f.Categories[2] = 286 }},
		{"feature 1 has -2 categories", func(f *modelFile) { f.Categories[1] = -2 }},
		{"in place of 3", func(f *modelFile) { f.Categories = f.Categories[1:] }},
		{"names, rates or weights of no category", func(f *modelFile) { f.Names = append(f.Names, 'x') }},
		{"names, rates or weights of no category", func(f *modelFile) { f.NameEnds = append(f.NameEnds, f.NameEnds[304]) }},
		{"a name that ends at 0", func(f *modelFile) { f.NameEnds[3] = 0 }},
		{"a name that ends at 18446744073709551615", func(f *modelFile) { f.NameEnds[3] = math.MaxUint64 }},
		{"there twice or is not UTF-8", func(f *modelFile) { f.Names[1] = 0xff }},
		{"there twice or is not UTF-8", func(f *modelFile) { f.NameEnds[1] = f.NameEnds[0]; f.NameEnds[2] = f.NameEnds[0] }},
		{"has the rate or weight NaN", func(f *modelFile) { f.Rates[7] = float32(math.NaN()) }},
		{"has the rate or weight 1.5", func(f *modelFile) { f.Rates[7] = 1.5 }},
		{"rates or weights in place of 286", func(f *modelFile) { f.Rates = f.Rates[1:] }},
		{"names, rates or weights of no category", func(f *modelFile) { f.Rates = append(f.Rates, 0) }},
	} {
		m, err := decode(forge(t, file, test.change))
		if !errors.Is(err, aoso.ErrCorrupt) || !strings.Contains(err.Error(), test.want) || m != nil {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// TestForgedNames is TestForgedModels for classes whose names the header does not have.
func TestForgedNames(t *testing.T) {
	file := encode(t, named(t, 300))
	for want, change := range map[string]func(f *modelFile){
		`"n104" is among the classes twice`: func(f *modelFile) { f.Classes[8] = f.Classes[7] },
		`"" is among the classes`:           func(f *modelFile) { f.Classes[8] = "" },
		"there are no features":             func(f *modelFile) { f.Features = nil },
		"there are 0 classes":               func(f *modelFile) { f.Classes = nil },
		"steps has":                         func(f *modelFile) { f.Classes = f.Classes[1:] },
		`array "features" is not packed`:    func(f *modelFile) { f.Features[8] = "\xff" },
	} {
		m, err := decode(forge(t, file, change))
		if !errors.Is(err, aoso.ErrCorrupt) || !strings.Contains(err.Error(), want) || m != nil {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// named returns a model of 300 classes and this many features.
func named(t testing.TB, features int) *aoso.Model {
	d := blobs(91, 600, features, 300, 255)
	names, y := make([]string, features), make([]string, 600)
	for i := range names {
		names[i] = fmt.Sprintf("width of leaf %d", i)
	}
	for i := range y {
		y[i] = fmt.Sprintf("n%d", i%300)
	}
	set, err := aoso.NewDataset(d.features(), aoso.StringLabels(y), aoso.DatasetOptions{Names: names})
	if err != nil {
		t.Fatal(err)
	}
	return train(t, set, params(func(p *aoso.Params) { p.NEstimators, p.MaxLeaves, p.Calibration = 2, 8, "none" }), aoso.TrainOptions{}).Model
}

// TestNamedModel: names that the header does not have come back.
func TestNamedModel(t *testing.T) {
	m := named(t, 300)
	file := encode(t, m)
	for _, data := range [][]byte{file, encodePlain(t, m)} {
		again, err := decode(data)
		if err != nil || again.Fingerprint() != m.Fingerprint() || !slices.Equal(again.Classes(), m.Classes()) || !slices.Equal(again.FeatureNames(), m.FeatureNames()) {
			t.Errorf("the model comes back otherwise: %v", err)
		}
		if bytes.Contains(data[:4096], []byte("n299")) {
			t.Error("names are in the header")
		}
	}
	few := encode(t, trained(t, blobs(91, 600, 256, 256, 255), params(func(p *aoso.Params) { p.NEstimators, p.MaxLeaves, p.Calibration = 2, 8, "none" })).Model)
	if !bytes.Contains(few, []byte(`"255"`)) {
		t.Error("256 names are not in the header")
	}
}

// forgeable returns a model with a number, 20 and 285 categories, of three classes.
func forgeable(t testing.TB) *aoso.Model {
	few, labels := coloured(900, 20, 3, 1)
	many, _ := coloured(900, 300, 3, 1)
	x, err := aoso.NewTable(few[1], few[0], many[0])
	if err != nil {
		t.Fatal(err)
	}
	set, err := aoso.NewDataset(x, labels)
	if err != nil {
		t.Fatal(err)
	}
	return train(t, set, params(func(p *aoso.Params) { p.NEstimators, p.MaxLeaves, p.CategoryL2 = 40, 8, 10 }), aoso.TrainOptions{}).Model
}

// TestUnknownKeys checks that the error names the keys that this build does not know.
func TestUnknownKeys(t *testing.T) {
	full := encode(t, trained(t, blobs(90, 200, 3, 4, 255), params(func(p *aoso.Params) { p.NEstimators = 4 })).Model)
	for want, change := range map[string]func(f *modelFile){
		`"extra"`:                 func(f *modelFile) { f.Extra = "x" },
		"parameter MinLoss, max_": func(f *modelFile) { f.Params["max_loss"], f.Params["MinLoss"] = 1, 2 },
		"parameter nthread":       func(f *modelFile) { f.Params["nthread"] = 1 },
	} {
		m, err := decode(forge(t, full, change))
		if !errors.Is(err, aoso.ErrNewer) || !strings.Contains(err.Error(), want) || m != nil {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// FuzzForged changes single numbers of models to the ones most likely to do
// harm, with checksums that are right: what is taken must do no harm.
func FuzzForged(f *testing.F) {
	files := smallFiles(f)
	for i := range files {
		f.Add(uint8(i), uint64(i))
	}
	f.Fuzz(func(t *testing.T, number uint8, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 92))
		data := forge(t, files[int(number)%len(files)], func(f *modelFile) {
			for range 1 + r.IntN(2) {
				spoil(r, f)
			}
		})
		m, err := decode(data)
		if err != nil {
			if !errors.Is(err, aoso.ErrCorrupt) {
				t.Error(err)
			}
			return
		}
		use(t, m)
		if again, err := decode(encode(t, m)); err != nil || again.Fingerprint() != m.Fingerprint() {
			t.Errorf("saved and loaded again: %v", err)
		}
	})
}

// spoil changes a number of a model.
func spoil(r *rand.Rand, f *modelFile) {
	pick := func(n int) int { return r.IntN(max(n, 1)) }
	integers := []int{-1, 0, 1, 2, 3, math.MaxInt16, math.MaxInt32, math.MinInt32, r.IntN(10)}
	floats := []float64{0, math.Copysign(0, -1), 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32, -math.MaxFloat64, math.SmallestNonzeroFloat64}
	i, v := integers[r.IntN(len(integers))], floats[r.IntN(len(floats))]
	if len(f.Categories) > 0 && r.IntN(2) == 0 {
		spoilCategories(r, f, i, v)
		return
	}
	switch k := r.IntN(20); {
	case k == 0:
		f.Method = []aoso.Method{aoso.MethodAOSO, aoso.MethodABC, aoso.MethodLogitBoost, ""}[r.IntN(4)]
	case k == 1:
		f.Leaf = []string{"full", "pair", ""}[r.IntN(3)]
	case k == 2:
		f.Pairs = i
	case k == 3:
		f.TreesPerIteration = i
	case k == 4:
		f.Classes = append(f.Classes, f.Classes[pick(len(f.Classes))]+strings.Repeat("x", r.IntN(2)))[r.IntN(2):]
	case k == 5:
		f.Features = append(f.Features, "new")[r.IntN(3):]
	case k == 6:
		f.Trees = i
	case k >= 16:
		spoilScores(r, f, i, v)
	case len(f.Feature) == 0:
		f.Steps[pick(len(f.Steps))] = float32(v)
	default:
		n := pick(len(f.Feature))
		switch k {
		case 7:
			f.Feature[n] = int32(i)
		case 8:
			f.Threshold[n] = v
		case 9:
			f.Gain[n] = float32(v)
		case 10, 11, 13:
			f.Middle[n] = uint16(i)
		case 12:
			f.NodePairs[pick(len(f.NodePairs))] = uint16(i)
		case 14:
			f.FirstNode[pick(len(f.FirstNode))] = uint32(i)
		case 15:
			f.Steps[pick(len(f.Steps))] = float32(v)
		}
	}
}

// spoilScores changes a number of what prediction sets need, if there is anything.
func spoilScores(r *rand.Rand, f *modelFile, i int, v float64) {
	if f.Conformal == nil {
		return
	}
	s, row := &f.Scores, r.IntN(len(f.Scores.Labels))
	switch r.IntN(8) {
	case 0:
		f.Conformal.Rows = i
	case 1:
		f.Conformal.Tuning = i
	case 2:
		f.Conformal.Lambda = float64(i) / 2
	case 3:
		f.Conformal.Free = i
	case 4:
		s.Labels[row] = uint16(i)
	case 5:
		s.Ranks[row] = uint16(i)
	case 6:
		s.LAC[row], s.APS[row] = float32(v), float32(v)
	case 7:
		s.Weights = slices.Repeat([]float32{float32(v)}, max(0, min(i, 100)))
	}
}

// spoilCategories changes a number that only models with categories have.
func spoilCategories(r *rand.Rand, f *modelFile, i int, v float64) {
	pick := func(n int) int { return r.IntN(max(n, 1)) }
	node := pick(len(f.Feature))
	switch r.IntN(11) {
	case 0:
		f.Set[node] = uint32(i)
	case 1:
		f.Sets = f.Sets[:len(f.Sets)-r.IntN(6)]
	case 2:
		f.Sets[pick(len(f.Sets))] ^= 1 << r.IntN(64)
	case 3:
		f.Categories[pick(len(f.Categories))] += int32(i)
	case 4:
		f.Names[pick(len(f.Names))] = uint8(i)
	case 5:
		f.NameEnds[pick(len(f.NameEnds))] += uint64(i)
	case 6:
		f.Rated[pick(len(f.Rated))] = uint8(i)
	case 7:
		f.Rates[pick(len(f.Rates))] = float32(v)
	case 8:
		f.Feature[node] = int32(r.IntN(12) - 1)
		f.Set[node] = uint32(r.IntN(2))
	case 9:
		f.Columns[pick(len(f.Columns))] = uint8(i)
	case 10:
		f.Weights[pick(len(f.Weights))] = float32(v)
	}
}
