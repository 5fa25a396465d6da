package acceptance

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/libaoso/aoso"
)

// signsText is signs by feature and class as a parameter.
func signsText(signs [][]int) string {
	text, err := json.Marshal(signs)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// checkMonotone moves each constrained feature of some rows over a grid. No raw score
// may go against its sign.
func checkMonotone(t *testing.T, m *aoso.Model, d *table, signs [][]int) {
	t.Helper()
	const points, rows = 80, 12
	for j := range signs {
		if !slices.ContainsFunc(signs[j], func(s int) bool { return s != 0 }) {
			continue
		}
		var x [][]float64
		for i := range min(rows, len(d.x)) {
			for g := range points {
				row := slices.Clone(d.x[i*len(d.x)/rows%len(d.x)])
				row[j] = -3 + float64(g)*26/(points-1)
				x = append(x, row)
			}
		}
		scores := rawScores(t, m, (&table{x: x}).features(), aoso.PredictOptions{})
		classes := len(m.Classes())
		for i := 1; i < len(x); i++ {
			for k, sign := range signs[j] {
				before, now := scores[(i-1)*classes+k], scores[i*classes+k]
				if i%points != 0 && float64(sign)*(now-before) < 0 {
					t.Fatalf("feature %d, class %d, sign %d: %g at %g, then %g", j, k, sign, before, x[i-1][j], now)
				}
			}
		}
	}
}

// drawConstrained draws parameters that constraints must get along with.
func drawConstrained(r *rand.Rand, p *aoso.Params, classes int) {
	p.Method = []aoso.Method{aoso.MethodAOSO, aoso.MethodAOSO, aoso.MethodAOSO, aoso.MethodAOSO, aoso.MethodABC, aoso.MethodLogitBoost}[r.IntN(6)]
	if p.Method == aoso.MethodAOSO {
		p.Leaf, p.Pairs = []string{"full", "pair"}[r.IntN(2)], 1<<r.IntN(4)
	}
	p.PairSelection = []string{"second_order", "first_order", "root"}[r.IntN(3)]
	p.NEstimators, p.MaxLeaves, p.LearningRate = 12*classes, 2+r.IntN(30), []float64{0.1, 0.3, 1}[r.IntN(3)]
	p.MinSamplesLeaf, p.RegLambda, p.MaxDeltaStep = 1+r.IntN(10), float64(r.IntN(3)), []float64{0.5, 5, 20}[r.IntN(3)]
	p.Subsample, p.ColsampleByTree, p.ColsampleByNode = []float64{1, 0.6}[r.IntN(2)], []float64{1, 0.7}[r.IntN(2)], []float64{1, 0.6}[r.IntN(2)]
	p.Trim, p.MaxDepth, p.Seed = []float64{0, 0.1}[r.IntN(2)], r.IntN(2)*5, r.Uint64()
	p.NThread = 1 + r.IntN(3)
}

func TestMonotone(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 61))
			classes, cols := 2+r.IntN(2)*r.IntN(4), 3+r.IntN(3)
			d := blobs(seed, 300+r.IntN(700), cols, classes, 5+r.IntN(20))
			if r.IntN(2) == 0 {
				d = d.punch(seed, 0.05)
			}
			if r.IntN(3) == 0 {
				d = d.weighted(seed)
			}
			signs := make([][]int, cols)
			for j := range signs {
				signs[j] = make([]int, classes)
				for k := range signs[j] {
					signs[j][k] = (r.IntN(3) - 1) * r.IntN(2)
				}
				if classes == 2 {
					signs[j][0] = -signs[j][1]
				}
			}
			p := params(func(p *aoso.Params) { drawConstrained(r, p, classes) })
			p.MonotoneConstraints = signsText(signs)
			m := trained(t, d, p).Model
			checkMonotone(t, m, d, signs)
			other := blobs(seed+100, 400, cols, classes, 20)
			checkMonotone(t, refitted(t, m, other, aoso.RefitOptions{Keep: r.Float64() * float64(r.IntN(2))}), other, signs)
		})
	}
}

// risk is two classes whose odds rise with the first feature and fall with the second,
// and a third that has no order.
func risk(seed uint64, rows int) *table {
	r := rand.New(rand.NewPCG(seed, 62))
	d := &table{}
	for range rows {
		x := []float64{r.Float64() * 20, r.Float64() * 20, r.Float64() * 20}
		odds := 0.3*x[0] - 0.2*x[1] + 2*math.Sin(x[2]/2) - 1
		y := 0
		if r.Float64() < 1/(1+math.Exp(-odds)) {
			y = 1
		}
		d.x, d.y = append(d.x, x), append(d.y, y)
	}
	return d
}

// TestMonotoneAccuracy: constraints that the data meet cost no accuracy.
func TestMonotoneAccuracy(t *testing.T) {
	d, test := risk(1, 1500), risk(2, 3000)
	for _, leaf := range []string{"full", "pair"} {
		p := params(func(p *aoso.Params) {
			p.NEstimators, p.MaxLeaves, p.Leaf, p.RegLambda, p.MinSamplesLeaf = 60, 12, leaf, 3, 10
		})
		free := lossOf(t, trained(t, d, p).Model, test, aoso.PredictOptions{})
		p.MonotoneConstraints = `{"f0":1,"f1":-1}`
		m := trained(t, d, p).Model
		bound := lossOf(t, m, test, aoso.PredictOptions{})
		checkMonotone(t, m, test, [][]int{{-1, 1}, {1, -1}, {0, 0}})
		t.Logf("%s: %g without constraints, %g with", leaf, free, bound)
		if bound > 1.05*free {
			t.Errorf("%s: log loss %g with constraints, %g without", leaf, bound, free)
		}
	}
}

// TestInteractions: the features of each path are together in a group.
func TestInteractions(t *testing.T) {
	d := blobs(3, 600, 6, 4, 30)
	for _, test := range []struct {
		text    string
		allowed func(path map[int]bool) bool
	}{
		{"[[0,1],[1,2,3]]", func(path map[int]bool) bool {
			return within(path, 0, 1) || within(path, 1, 2, 3) || within(path, 4, 5)
		}},
		{`[["f0","f5"]]`, func(path map[int]bool) bool { return within(path, 0, 5) || within(path, 1, 2, 3, 4) }},
		{"pairwise", func(path map[int]bool) bool { return len(path) <= 2 }},
		{"no_interactions", func(path map[int]bool) bool { return len(path) <= 1 }},
	} {
		for _, change := range []func(*aoso.Params){
			func(*aoso.Params) {},
			func(p *aoso.Params) { p.Pairs, p.NThread = 1, 3 },
			func(p *aoso.Params) { p.ColsampleByNode, p.ColsampleByTree, p.Subsample = 0.5, 0.8, 0.7 },
			func(p *aoso.Params) { p.Method, p.Leaf, p.Pairs = aoso.MethodABC, "pair", 1 },
		} {
			p := params(func(p *aoso.Params) {
				p.NEstimators, p.MaxLeaves, p.InteractionConstraints = 12, 12, test.text
				change(p)
			})
			m := trained(t, d, p).Model
			together := 0
			for i := range m.Trees() {
				var walk func(node int, path map[int]bool)
				tree := forest(m).Tree(i)
				nodes := slices.Collect(func(yield func([3]int) bool) {
					for _, n := range tree.Nodes() {
						if !yield([3]int{int(n.Split().Feature), int(n.Left()), int(n.Right())}) {
							return
						}
					}
				})
				walk = func(node int, path map[int]bool) {
					if node < 0 {
						return
					}
					below := map[int]bool{nodes[node][0]: true}
					for f := range path {
						below[f] = true
					}
					if !test.allowed(below) {
						t.Fatalf("%s: features %v in a path", test.text, below)
					}
					together = max(together, len(below))
					walk(nodes[node][1], below)
					walk(nodes[node][2], below)
				}
				if len(nodes) > 0 {
					walk(0, nil)
				}
			}
			if test.text != "no_interactions" && together < 2 {
				t.Errorf("%s: no features together", test.text)
			}
		}
	}
}

// within reports whether a path has no features but those given.
func within(path map[int]bool, features ...int) bool {
	for f := range path {
		if !slices.Contains(features, f) {
			return false
		}
	}
	return true
}

// TestConstrainedEverywhere: the model does not depend on levels, threads and ranks.
func TestConstrainedEverywhere(t *testing.T) {
	d := blobs(5, 3000, 5, 3, 60).punch(5, 0.05).weighted(5)
	for i, change := range []func(*aoso.Params){
		func(p *aoso.Params) {},
		func(p *aoso.Params) { p.Subsample, p.ColsampleByNode, p.Trim, p.MinSamplesLeaf = 0.7, 0.7, 0.1, 5 },
		func(p *aoso.Params) { p.Leaf, p.Pairs = "pair", 1 },
		func(p *aoso.Params) { p.Method, p.Leaf, p.Pairs = aoso.MethodLogitBoost, "", 0 },
		func(p *aoso.Params) { p.Pairs, p.InteractionConstraints = 1, "" }, // children take histograms over
		func(p *aoso.Params) { p.MonotoneConstraints = "" },
	} {
		p := params(func(p *aoso.Params) {
			p.NEstimators, p.MaxLeaves = 9, 16
			p.MonotoneConstraints, p.InteractionConstraints = `[[1,0,-1],[0,1,0],[0,0,0],[-1,-1,1],[0,0,0]]`, "[[0,1,2],[2,3]]"
			change(p)
		})
		m := trained(t, d, p).Model
		want := m.Fingerprint()
		if p.MonotoneConstraints != "" {
			checkMonotone(t, m, d, [][]int{{1, 0, -1}, {0, 1, 0}, {0, 0, 0}, {-1, -1, 1}, {0, 0, 0}})
		}
		free := p
		free.MonotoneConstraints, free.InteractionConstraints = "", ""
		if trained(t, d, free).Model.Fingerprint() == want {
			t.Errorf("parameters %d: the constraints change nothing", i)
		}
		for _, level := range aoso.Levels() {
			p.Level, p.NThread = level, 3
			if got := trained(t, d, p).Model.Fingerprint(); got != want {
				t.Errorf("level %s, 3 threads: fingerprint %s, want %s", level, got, want)
			}
		}
		p.Level, p.NThread = "", 1
		of := spread(len(d.x), 3)
		var all sync.WaitGroup
		for rank, c := range aoso.NewLocalCollective(3) {
			all.Go(func() {
				var mine table
				o := aoso.DatasetOptions{Collective: c}
				for _, row := range of[rank] {
					mine.x, mine.y = append(mine.x, d.x[row]), append(mine.y, d.y[row])
					o.Weights, o.RowIDs = append(o.Weights, d.weights[row]), append(o.RowIDs, uint64(row))
				}
				x := aoso.RowMajor(slices.Concat(mine.x...), len(mine.x), 5)
				set, err := aoso.NewDataset(x, mine.labels(), o)
				if err != nil {
					t.Error(err)
					return
				}
				r, err := aoso.Train(t.Context(), set, p)
				if err != nil || r.Model.Fingerprint() != want {
					t.Errorf("rank %d: %v, %v, want %s", rank, r, err, want)
				}
			})
		}
		all.Wait()
	}
}

// TestConstraintsPage: the Go code of the page makes scores monotone.
func TestConstraintsPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/constraints.md")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("(?s)```go\np\\.MonotoneConstraints = `(.*?)`\n```").FindSubmatch(page)
	if code == nil {
		t.Fatal("the page has no Go code")
	}
	d := risk(3, 600) // whose odds rise with what is called debt and fall with income
	x := d.features()
	set, err := aoso.NewDataset(x, d.labels(), aoso.DatasetOptions{Names: []string{"debt", "income", "age"}})
	if err != nil {
		t.Fatal(err)
	}
	p := params(func(p *aoso.Params) { p.NEstimators, p.MonotoneConstraints = 40, string(code[1]) })
	checkMonotone(t, train(t, set, p, aoso.TrainOptions{}).Model, d, [][]int{{-1, 1}, {1, -1}, {0, 0}})
}

func TestConstraintErrors(t *testing.T) {
	three, two := newDataset(t, blobs(1, 60, 3, 3, 9)), newDataset(t, blobs(1, 60, 3, 2, 9))
	for _, test := range []struct {
		set        *aoso.Dataset
		name, text string
		texts      []string
	}{
		{two, "monotone_constraints", "[1,0]", []string{"2 values", "3 values, one for each feature"}},
		{two, "monotone_constraints", "[1,0,2]", []string{"a sign of 2", "-1, 0 or 1"}},
		{two, "monotone_constraints", `{"f0":"up"}`, []string{"up", "-1, 0 or 1"}},
		{two, "monotone_constraints", `{"age":1}`, []string{"age", "f0, f1, f2"}},
		{two, "monotone_constraints", `{"3":1}`, []string{"3", "f0, f1, f2"}},
		{two, "monotone_constraints", `{"f0":{"7":1}}`, []string{"class 7", "f0", "0, 1"}},
		{two, "monotone_constraints", `[[1,1],0,0]`, []string{"both classes", "opposite"}},
		{two, "monotone_constraints", `{"f0":`, []string{"a list"}},
		{two, "monotone_constraints", `rising`, []string{"rising", "a list"}},
		{three, "monotone_constraints", "[1,0,0]", []string{"1 for feature f0", "a sign for each class", "3 classes"}},
		{three, "monotone_constraints", "[[1,0],0,0]", []string{"2 signs", "3, one for each class"}},
		{two, "interaction_constraints", "[[0,3]]", []string{"feature 3", "0 to 2", "f0, f1, f2"}},
		{two, "interaction_constraints", `[["age"]]`, []string{"age", "f0, f1, f2"}},
		{two, "interaction_constraints", `[[0],1]`, []string{"a group 1"}},
		{two, "interaction_constraints", `[[-1]]`, []string{"-1", "number from 0"}},
		{two, "interaction_constraints", `all`, []string{"all", "pairwise"}},
	} {
		p := params(func(p *aoso.Params) { p.NEstimators = 3 })
		if test.name == "monotone_constraints" {
			p.MonotoneConstraints = test.text
		} else {
			p.InteractionConstraints = test.text
		}
		_, err := aoso.Train(t.Context(), test.set, p)
		wantArgumentError(t, err, test.name, test.texts...)
	}
	x, labels, _ := people(100)
	set, err := aoso.NewDataset(x, aoso.IntLabels(labels))
	if err != nil {
		t.Fatal(err)
	}
	_, err = aoso.Train(t.Context(), set, params(func(p *aoso.Params) { p.MonotoneConstraints = `{"f0":{"1":1}}` }))
	wantArgumentError(t, err, "monotone_constraints", "categorical feature f0")
}

// TestConstraintTexts: the forms of other libraries mean the same, and the model keeps
// the constraints.
func TestConstraintTexts(t *testing.T) {
	d := newDataset(t, blobs(1, 300, 3, 2, 9))
	want := ""
	for _, text := range []string{"[1,0,-1]", "(1, 0, -1)", "1,0,-1", `{"f0":1,"f2":-1}`, `{"0":1,"2":-1}`, `{"f0":{"1":1},"f2":{"0":1}}`, "[[-1,1],0,[1,0]]", "(1,0,-1,)", "f0:1, f2:-1", "{0:1,2:-1}"} {
		p, err := aoso.ParseParams("n_estimators=5 preset=paper monotone_constraints=[0,(0, 0)] max_leaves=7")
		if err == nil {
			err = p.Set("monotone_constraints", text)
		}
		if err != nil || p.MaxLeaves != 7 {
			t.Fatalf("%s: %+v, %v", text, p, err)
		}
		if again, err := aoso.ParseParams(p.String()); err != nil || again != p {
			t.Errorf("%s: %s is %+v, %v", text, p, again, err)
		}
		m := train(t, d, p, aoso.TrainOptions{}).Model
		if m.Params().MonotoneConstraints != p.MonotoneConstraints {
			t.Errorf("the model has %q, want %q", m.Params().MonotoneConstraints, p.MonotoneConstraints)
		}
		got := fmt.Sprint(rawScores(t, m, blobs(2, 50, 3, 2, 9).features(), aoso.PredictOptions{}))
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%s: other scores", text)
		}
	}
}
