package acceptance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/exact"
)

// softTable is a table whose rows have distributions over the classes, rows × classes.
type softTable struct {
	table
	q []float64
}

// soften makes the labels of a table soft. Of a third of the rows they stay hard; others have shares of a few classes,
// or of all.
func soften(d *table, seed uint64) *softTable {
	r := rand.New(rand.NewPCG(seed, 21))
	classes := d.classes()
	s := &softTable{*d, make([]float64, len(d.y)*classes)}
	for i, y := range d.y {
		q := s.of(i)
		switch q[y] = 1; r.IntN(3) {
		case 1:
			q[r.IntN(classes)] += r.Float64()
		case 2:
			for k := range q {
				q[k] += 0.3 * r.ExpFloat64()
			}
		}
		sum := 0.0
		for _, share := range q {
			sum += share
		}
		for k := range q {
			q[k] /= sum
		}
	}
	return s
}

func (s *softTable) of(row int) []float64 { return s.q[row*s.classes():][:s.classes()] }

func (s *softTable) weight(row int) float64 {
	if s.weights == nil {
		return 1
	}
	return s.weights[row]
}

// smoothed returns the distributions of which a share is dealt out evenly.
func (s *softTable) smoothed(share float64) *softTable {
	c := &softTable{s.table, slices.Clone(s.q)}
	for i := range c.q {
		c.q[i] = (1-share)*c.q[i] + share/float64(s.classes())
	}
	return c
}

// hard returns the distributions of a table with labels.
func hard(d *table) *softTable {
	s := &softTable{*d, make([]float64, len(d.y)*d.classes())}
	for i, y := range d.y {
		s.of(i)[y] = 1
	}
	return s
}

func names(classes int) (names []string) {
	for k := range classes {
		names = append(names, strconv.Itoa(k))
	}
	return names
}

// shares returns the distributions as a table.
func (s *softTable) shares() aoso.Features { return aoso.RowMajor(s.q, len(s.y), s.classes()) }

func (s *softTable) dataset(t testing.TB, change ...func(*aoso.DatasetOptions)) *aoso.Dataset {
	t.Helper()
	o := aoso.DatasetOptions{Weights: s.weights, Shares: s.shares(), ShareClasses: names(s.classes())}
	for _, change := range change {
		change(&o)
	}
	set, err := aoso.NewDataset(s.features(), nil, o)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// expanded returns a table in which a row stands for each share, with that share of its weight.
func (s *softTable) expanded() *table {
	e := &table{}
	for i := range s.y {
		for k, share := range s.of(i) {
			if share > 0 {
				e.x, e.y, e.weights = append(e.x, s.x[i]), append(e.y, k), append(e.weights, s.weight(i)*share)
			}
		}
	}
	return e
}

// crossEntropy returns the mean of −Σ q·log p, as PyTorch's cross_entropy has it for probabilities.
func (s *softTable) crossEntropy(scores []float64, temperature float64) float64 {
	classes := s.classes()
	sum, weight := 0.0, 0.0
	for i := range s.y {
		f, tempered := scores[i*classes:][:classes], make([]float64, classes)
		top := slices.Max(f)
		partition := 0.0
		for k := range f {
			tempered[k] = (f[k] - top) / temperature
			partition += math.Exp(tempered[k])
		}
		for k, q := range s.of(i) {
			sum += s.weight(i) * q * (math.Log(partition) - tempered[k])
		}
		weight += s.weight(i)
	}
	return sum / weight
}

// entropy returns the mean of −Σ q·log q.
func (s *softTable) entropy() float64 {
	sum := 0.0
	for _, q := range s.q {
		if q > 0 {
			sum -= q * math.Log(q)
		}
	}
	return sum / float64(len(s.y))
}

// softVariants are all forms of residuals and leaf values.
var softVariants = append(slices.Clip(everyVariant), variant{"no scores kept", func(p *aoso.Params) { p.LearningRate, p.MaxDeltaStep = 0.1, 5 }})

// TestSoftLeaves restates the leaf values of trees: the Newton step of the sums of q − p and p(1 − p).
func TestSoftLeaves(t *testing.T) {
	d := blobs(31, 500, 5, 6, 60)
	for _, test := range []struct {
		name      string
		set       *softTable
		smoothing float64
	}{
		{"soft", soften(d, 1), 0}, {"weights", soften(d.weighted(1), 2), 0}, {"smoothing", hard(d), 0.1}, {"both", soften(d.weighted(2), 3), 0.3},
	} {
		t.Run(test.name, func(t *testing.T) {
			const trees = 12
			p := params(func(p *aoso.Params) {
				p.Leaf, p.MaxLeaves, p.NEstimators, p.LabelSmoothing, p.RegLambda = "full", 6, trees, test.smoothing, 0.5
			})
			m := train(t, test.set.dataset(t), p, aoso.TrainOptions{}).Model
			x := test.set.features()
			leaves, err := m.PredictLeaf(x, aoso.PredictOptions{})
			if err != nil {
				t.Fatal(err)
			}
			q := test.set.smoothed(test.smoothing)
			before := make([]float64, len(d.y)*6)
			for tree := range trees {
				after := rawScores(t, m, x, aoso.PredictOptions{Trees: tree + 1})
				checkLeaves(t, q, before, after, func(row int) int { return int(leaves[row*trees+tree]) }, p)
				before = after
			}
		})
	}
}

// checkLeaves checks what a tree adds to the scores of rows.
func checkLeaves(t *testing.T, s *softTable, before, after []float64, leaf func(row int) int, p aoso.Params) {
	t.Helper()
	classes := s.classes()
	type sums struct{ g, h exact.Sum }
	of := map[int][]sums{}
	for i := range s.y {
		if of[leaf(i)] == nil {
			of[leaf(i)] = make([]sums, classes)
		}
		proba := softmax(before[i*classes:][:classes])
		for k, q := range s.of(i) {
			of[leaf(i)][k].g.Add(s.weight(i) * (q - proba[k]))
			of[leaf(i)][k].h.Add(s.weight(i) * proba[k] * (1 - proba[k]))
		}
	}
	for i := range s.y {
		steps, mean := make([]float64, classes), 0.0
		for k := range steps {
			sum := &of[leaf(i)][k]
			step := float64(classes-1) / float64(classes) * sum.g.Float64() / (sum.h.Float64() + p.RegLambda)
			steps[k] = min(max(step, -p.MaxDeltaStep), p.MaxDeltaStep)
			mean += steps[k] / float64(classes)
		}
		for k, step := range steps {
			at := i*classes + k
			if want, got := p.LearningRate*(step-mean), after[at]-before[at]; s.weight(i) > 0 && math.Abs(want-got) > 2e-5*p.LearningRate {
				t.Fatalf("row %d, class %d: the leaf adds %g, want %g", i, k, got, want)
			}
		}
	}
}

func softmax(f []float64) []float64 {
	p, sum := make([]float64, len(f)), 0.0
	for k := range f {
		p[k] = math.Exp(f[k] - slices.Max(f))
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

// TestSoftLoss compares the losses that training reports with the cross-entropy of the predictions, and the model with one
// of a row for each share.
func TestSoftLoss(t *testing.T) {
	d := soften(blobs(32, 700, 5, 10, 60).weighted(3), 4)
	valid := soften(blobs(32, 900, 5, 10, 60).slice(700, 900), 5)
	for _, v := range softVariants {
		t.Run(v.name, func(t *testing.T) {
			p := params(func(p *aoso.Params) { v.change(p); p.MaxLeaves = 8; rounds(p, 8, 10) })
			set := d.dataset(t)
			held, err := set.AlignedSoft(valid.features(), valid.shares(), names(10), nil)
			if err != nil {
				t.Fatal(err)
			}
			r := train(t, set, p, aoso.TrainOptions{Valid: held})
			scores := rawScores(t, r.Model, d.features(), aoso.PredictOptions{})
			if want := d.crossEntropy(scores, 1); !near(r.TrainLoss, want, 1e-5) {
				t.Errorf("training says that its loss is %g, the model's is %g", r.TrainLoss, want)
			}
			want := valid.crossEntropy(rawScores(t, r.Model, valid.features(), aoso.PredictOptions{}), r.Model.Temperature())
			evaluated, err := r.Model.EvaluateSoft(valid.features(), valid.shares(), names(10), nil)
			if err != nil || !near(evaluated.LogLoss, want, 1e-7) || !near(r.Valid.LogLoss, want, 1e-7) || r.Valid.Errors != evaluated.Errors {
				t.Errorf("training says %+v, EvaluateSoft %+v, %v; want a loss of %g", r.Valid, evaluated, err, want)
			}
			if strings.Contains(v.name, "linear") || v.name == "abc" { // linear scores and the worst class see the label of a row only
				return
			}
			expanded := trained(t, d.expanded(), p)
			if !near(expanded.TrainLoss, r.TrainLoss, 0.01) {
				t.Errorf("the loss is %g, that of a row for each share %g", r.TrainLoss, expanded.TrainLoss)
			}
		})
	}
}

// TestHardShares: shares of 1 are labels.
func TestHardShares(t *testing.T) {
	d := blobs(33, 900, 5, 6, 60).weighted(4)
	for _, v := range everyVariant {
		t.Run(v.name, func(t *testing.T) {
			p := params(func(p *aoso.Params) { v.change(p); p.Trim, p.Subsample = 0.1, 0.7; rounds(p, 6, 6) })
			labels, shares := trained(t, d, p), train(t, hard(d).dataset(t), p, aoso.TrainOptions{})
			if labels.Model.Fingerprint() != shares.Model.Fingerprint() || labels.TrainLoss != shares.TrainLoss {
				t.Errorf("%s with a loss of %g, with shares %s of %g", labels.Model.Fingerprint(), labels.TrainLoss, shares.Model.Fingerprint(), shares.TrainLoss)
			}
		})
	}
}

// TestSoftEverywhere: the model is the same on any number of threads and ranks, in any order of the rows, at every level, and
// from a file.
func TestSoftEverywhere(t *testing.T) {
	d := soften(blobs(34, 700, 6, 6, 60).weighted(5), 6)
	ids := rand.New(rand.NewPCG(2, 2)).Perm(len(d.y))
	pick := func(rows []int) (*softTable, []uint64) {
		some, numbers := &softTable{}, []uint64(nil)
		for _, row := range rows {
			some.x, some.weights, some.q = append(some.x, d.x[row]), append(some.weights, d.weights[row]), append(some.q, d.of(row)...)
			numbers = append(numbers, uint64(ids[row]))
		}
		return some, numbers
	}
	set := func(rows []int, change func(*aoso.DatasetOptions)) (*aoso.Dataset, error) {
		some, numbers := pick(rows)
		o := aoso.DatasetOptions{Shares: aoso.RowMajor(some.q, len(rows), 6), ShareClasses: names(6), Weights: some.weights, RowIDs: numbers}
		if change != nil {
			change(&o)
		}
		x := make([]float64, 0, 6*len(rows))
		for _, row := range some.x {
			x = append(x, row...)
		}
		return aoso.NewDataset(aoso.RowMajor(x, len(rows), 6), nil, o)
	}
	all := make([]int, len(d.y))
	for i := range all {
		all[i] = i
	}
	variants := map[string]func(*aoso.Params){
		"default": func(p *aoso.Params) { p.Preset, p.Ensemble, p.Calibration, p.NEstimators = "auto", 1, "holdout", 8 },
		"pair":    func(p *aoso.Params) { p.Leaf, p.Trim, p.Subsample = "pair", 0.1, 0.6 },
		"sparse":  func(p *aoso.Params) { p.Leaf, p.LeafClasses, p.LabelSmoothing = "sparse", 3, 0.1 },
	}
	for name, change := range variants {
		p := params(func(p *aoso.Params) { p.NEstimators, p.MaxLeaves = 8, 8; change(p) })
		print := func(set *aoso.Dataset, err error, p aoso.Params) string {
			if err != nil {
				return err.Error()
			}
			r, err := aoso.Train(t.Context(), set, p, aoso.TrainOptions{ClassWeights: []float64{1, 2, 0.5, 1, 3, 1}})
			if err != nil {
				return err.Error()
			}
			return fmt.Sprint(r.Model.Fingerprint(), r.TrainLoss, r.HeldOut)
		}
		one, err := set(all, nil)
		want := print(one, err, p)
		same := func(how, got string) {
			if got != want {
				t.Errorf("%s, %s: %s, want %s", name, how, got, want)
			}
		}
		for _, level := range aoso.Levels() {
			q := p
			q.Level, q.NThread = level, 2
			same(level, print(one, nil, q))
		}
		turned := slices.Clone(all)
		slices.Reverse(turned)
		reversed, err := set(turned, nil)
		same("reversed", print(reversed, err, p))
		path := filepath.Join(t.TempDir(), "set")
		if err := one.Save(path); err != nil {
			t.Fatal(err)
		}
		loaded, err := aoso.LoadDataset(path)
		same("saved", print(loaded, err, p))
		kept, err := set(all, func(o *aoso.DatasetOptions) { o.Path = filepath.Join(t.TempDir(), "kept") })
		same("kept in a file", print(kept, err, p))
		for rank, got := range onRanks(3, func(c aoso.Collective, of []int) string {
			part, err := set(of, func(o *aoso.DatasetOptions) { o.Collective = c })
			return print(part, err, p)
		}, len(d.y)) {
			same(fmt.Sprint("rank ", rank), got)
		}
		once, err := aoso.NewDatasetBuilder(6)
		if err != nil {
			t.Fatal(err)
		}
		blocks := func(yield func(aoso.Block, error) bool) {
			for first := 0; first < len(all); first += 300 {
				some, numbers := pick(all[first:min(first+300, len(all))])
				if !yield(aoso.Block{
					Features: some.features(), Weights: some.weights, RowIDs: numbers,
					Shares: aoso.RowMajor(some.q, len(some.x), 6), ShareClasses: names(6),
				}, nil) {
					return
				}
			}
		}
		for block := range blocks {
			if err := once.AppendBlock(block); err != nil {
				t.Fatal(err)
			}
		}
		appended, err := once.Dataset()
		same("in blocks that come once", print(appended, err, p))
		twice, err := aoso.NewDatasetFromBlocks(blocks)
		same("in blocks that come twice", print(twice, err, p))
		twice, err = aoso.NewDatasetFromBlocks(blocks, aoso.DatasetOptions{Path: filepath.Join(t.TempDir(), "blocks")})
		same("in blocks, kept in a file", print(twice, err, p))
	}
}

// TestSoftBlocks: chunks have soft labels of the same classes, or none has.
func TestSoftBlocks(t *testing.T) {
	d := soften(blobs(37, 90, 3, 4, 60), 9)
	block := func(first, end int, classes ...string) aoso.Block {
		return aoso.Block{Features: d.slice(first, end).features(), Shares: aoso.RowMajor(d.q[4*first:4*end], end-first, 4), ShareClasses: classes}
	}
	b, err := aoso.NewDatasetBuilder(3)
	if err != nil {
		t.Fatal(err)
	}
	wantArgumentError(t, b.AppendBlock(block(0, 40, "a", "b")), "shares", "2 columns")
	if err := b.AppendBlock(block(0, 40, "b", "a", "d", "c")); err != nil {
		t.Fatal(err)
	}
	first, err := b.Dataset()
	if err != nil {
		t.Fatal(err)
	}
	entropy := first.LabelEntropy()
	wantArgumentError(t, b.Append(d.features(), d.labels(), nil, nil), "labels", "every chunk")
	wantArgumentError(t, b.AppendBlock(block(40, 90, "a", "b", "c", "e")), "a class in row 0", "their classes")
	both := block(40, 90, "b", "a", "d", "c")
	both.Labels = d.labels()
	wantArgumentError(t, b.AppendBlock(both), "labels", "nil, with shares")
	short := block(40, 90, "b", "a", "d", "c")
	short.Features = d.features()
	wantArgumentError(t, b.AppendBlock(short), "labels", "90, one for each row")
	if err := b.AppendBlock(block(40, 90, "b", "a", "d", "c")); err != nil {
		t.Fatal(err)
	}
	whole, err := aoso.NewDataset(d.features(), nil, aoso.DatasetOptions{Shares: d.shares(), ShareClasses: []string{"b", "a", "d", "c"}})
	if err != nil {
		t.Fatal(err)
	}
	all, err := b.Dataset()
	if err != nil || all.LabelEntropy() != whole.LabelEntropy() || first.LabelEntropy() != entropy {
		t.Errorf("the entropies are %g and %g, want %g and %g: %v", first.LabelEntropy(), all.LabelEntropy(), entropy, whole.LabelEntropy(), err)
	}
	if valid, err := b.Aligned(whole); err != nil || valid.LabelEntropy() != whole.LabelEntropy() {
		t.Errorf("a validation set: %v", err)
	}
	_, err = b.Aligned(d.dataset(t))
	wantArgumentError(t, err, "share_classes", "of the training set")
}

// TestSoftDerived: a refit takes the steps of training, and a temperature has the least cross-entropy; shares of 1 are labels.
func TestSoftDerived(t *testing.T) {
	d := soften(blobs(38, 600, 4, 5, 60).weighted(7), 10)
	other := soften(blobs(38, 900, 4, 5, 60).slice(600, 900).weighted(8), 11)
	for _, v := range everyVariant {
		p := params(func(p *aoso.Params) { v.change(p); rounds(p, 6, 10) })
		m := train(t, d.dataset(t), p, aoso.TrainOptions{}).Model
		again, err := m.RefitSoft(d.features(), d.shares(), names(5), aoso.RefitOptions{Weights: d.weights})
		if err != nil {
			t.Fatal(v.name, err)
		}
		scores, same := rawScores(t, m, d.features(), aoso.PredictOptions{}), rawScores(t, again, d.features(), aoso.PredictOptions{})
		for i := range scores {
			if !near(1+scores[i], 1+same[i], 1e-2) {
				t.Fatalf("%s: refit on the training data changes a score from %g to %g", v.name, scores[i], same[i])
			}
		}
		calibrated, c, err := m.CalibrateSoft(other.features(), other.shares(), names(5), other.weights)
		if err != nil {
			t.Fatal(v.name, err)
		}
		scores = rawScores(t, m, other.features(), aoso.PredictOptions{})
		best := other.crossEntropy(scores, c.Temperature)
		if calibrated.Temperature() != c.Temperature || !near(c.After, best, 1e-6) || !near(c.Before, other.crossEntropy(scores, m.Temperature()), 1e-6) {
			t.Errorf("%s: %+v, the loss is %g", v.name, c, best)
		}
		for _, factor := range []float64{0.97, 1.03} {
			if loss := other.crossEntropy(scores, c.Temperature*factor); loss < best {
				t.Errorf("%s: the loss at %g times the temperature is %g, below %g", v.name, factor, loss, best)
			}
		}
		sharp := hard(&other.table)
		a, err := m.Refit(other.features(), other.labels(), aoso.RefitOptions{Keep: 0.3})
		if err != nil {
			t.Fatal(err)
		}
		if b, err := m.RefitSoft(other.features(), sharp.shares(), names(5), aoso.RefitOptions{Keep: 0.3}); err != nil || a.Fingerprint() != b.Fingerprint() {
			t.Errorf("%s: refit by labels and by shares of 1 differ: %v", v.name, err)
		}
		_, one, err := m.Calibrate(other.features(), other.labels(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, two, err := m.CalibrateSoft(other.features(), sharp.shares(), names(5), nil); err != nil || *one != *two {
			t.Errorf("%s: calibration by labels %+v, by shares of 1 %+v: %v", v.name, one, two, err)
		}
	}
}

// onRanks returns what a function returns on each rank, for some of the rows each.
func onRanks(ranks int, do func(c aoso.Collective, of []int) string, rows int) []string {
	got, done := make([]string, ranks), make(chan bool)
	of := spread(rows, ranks)
	for rank, c := range aoso.NewLocalCollective(ranks) {
		go func() {
			got[rank] = do(c, of[rank])
			done <- true
		}()
	}
	for range ranks {
		<-done
	}
	return got
}

// TestSoftHoldOut: held-out rows are judged by their distributions.
func TestSoftHoldOut(t *testing.T) {
	both := soften(blobs(35, 1600, 5, 4, 60), 7)
	d := &softTable{*both.slice(0, 1000), both.q[:4000]}
	test := &softTable{*both.slice(1000, 1600), both.q[4000:]}
	for _, ensemble := range []int{1, 6} {
		r := train(t, d.dataset(t), aoso.Params{NEstimators: 20, Ensemble: ensemble, NThread: 1}, aoso.TrainOptions{})
		e, err := r.Model.EvaluateSoft(test.features(), test.shares(), names(4), nil)
		if err != nil {
			t.Fatal(err)
		}
		if least := test.dataset(t).LabelEntropy(); e.LogLoss < least || !near(least, test.entropy(), 1e-6) {
			t.Errorf("the loss is %g, the entropy %g, want %g", e.LogLoss, least, test.entropy())
		}
		if !near(r.HeldOut.LogLoss, e.LogLoss, 0.15) {
			t.Errorf("the loss on held-out rows is %g, on test rows %g", r.HeldOut.LogLoss, e.LogLoss)
		}
		rows, err := r.SuspiciousRows(len(d.y))
		if err != nil || len(rows) != r.HeldOutRows {
			t.Fatalf("%d suspicious rows of %d, %v", len(rows), r.HeldOutRows, err)
		}
		for _, row := range rows {
			if q := d.of(row.Row); q[row.Label] != slices.Max(q) || !(row.Probability > 0 && row.Probability+row.OtherProbability < 1+1e-6) {
				t.Fatalf("%+v, the shares are %v", row, q)
			}
		}
	}
}

// TestSoftWeights: class weights multiply the shares.
func TestSoftWeights(t *testing.T) {
	d := soften(blobs(36, 700, 5, 4, 60).weighted(6), 8)
	o := aoso.TrainOptions{ClassWeights: []float64{2, 1, 0.25, 5}}
	p := params(func(p *aoso.Params) { p.NEstimators, p.MaxLeaves = 10, 6 })
	soft, expanded := train(t, d.dataset(t), p, o), train(t, newDataset(t, d.expanded()), p, o)
	if !near(soft.TrainLoss, expanded.TrainLoss, 0.01) {
		t.Errorf("the loss is %g, that of a row for each share %g", soft.TrainLoss, expanded.TrainLoss)
	}
	a, b := d.dataset(t).BalancedWeights(), newDataset(t, d.expanded()).BalancedWeights()
	for k := range a {
		if !near(a[k], b[k], 1e-5) {
			t.Errorf("balanced weights %v, of a row for each share %v", a, b)
		}
	}
}

func TestSoftErrors(t *testing.T) {
	x, err := aoso.FromRows([][]float64{{1}, {2}, {3}})
	if err != nil {
		t.Fatal(err)
	}
	classes := []string{"c", "a", "b"}
	build := func(classes []string, shares ...float64) (*aoso.Dataset, error) {
		return aoso.NewDataset(x, nil, aoso.DatasetOptions{Shares: aoso.RowMajor(shares, 3, len(shares)/3), ShareClasses: classes})
	}
	nan := math.NaN()
	for _, test := range []struct {
		classes  []string
		shares   []float64
		argument string
	}{
		{classes, []float64{1, 0, 0, 1}, "shares"},
		{classes, []float64{1, 0, 1, 0, 1, 0}, "shares"},
		{classes, []float64{1, 0, 0, 0.5, -0.1, 0.6, 1, 0, 0}, `the share of class "a" in row 1`},
		{classes, []float64{nan, 0, 1, 1, 0, 0, 1, 0, 0}, `the share of class "c" in row 0`},
		{classes, []float64{math.Inf(1), 0, 0, 1, 0, 0, 1, 0, 0}, `the share of class "c" in row 0`},
		{classes, []float64{2, 1, 0, 1, 0, 0, 1, 0, 0}, `the share of class "c" in row 0`},
		{classes, []float64{0.5, 0.4, 0, 1, 0, 0, 1, 0, 0}, "the sum of the shares in row 0"},
		{classes, []float64{1, 0, 0, 1, 0, 0, 0, 0, 0}, "the sum of the shares in row 2"},
		{nil, []float64{1, 1, 1}, "share_classes"},
		{[]string{"a", "a"}, []float64{1, 0, 1, 0, 1, 0}, "share_classes[1]"},
		{[]string{"", "a"}, []float64{1, 0, 1, 0, 1, 0}, "share_classes[0]"},
	} {
		_, err := build(test.classes, test.shares...)
		wantArgumentError(t, err, test.argument)
	}
	shares := aoso.RowMajor([]float64{0, 0.5, 0.4996, 1, 0, 0, 0, 0, 1}, 3, 3)
	good := aoso.DatasetOptions{Shares: shares, ShareClasses: classes}
	set, err := aoso.NewDataset(x, nil, good)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(set.Labels(), set.Classes()); got != "[0 2 1] [a b c]" {
		t.Errorf("labels and classes %s", got)
	}
	_, err = aoso.NewDataset(x, aoso.IntLabels([]int{1, 2, 3}), good)
	wantArgumentError(t, err, "labels")
	_, err = aoso.NewDatasetBuilder(1, good)
	wantArgumentError(t, err, "shares")
	texts, err := aoso.NewTable(aoso.Texts([]string{"a", "b", "c"}))
	if err != nil {
		t.Fatal(err)
	}
	_, err = aoso.NewDataset(x, nil, aoso.DatasetOptions{Shares: texts, ShareClasses: []string{"a"}})
	wantArgumentError(t, err, `shares of class "a"`)
	if set, err = aoso.NewDataset(x, aoso.StringLabels([]string{"a", "c", "a"})); err != nil {
		t.Fatal(err)
	}
	_, err = set.AlignedSoft(x, shares, classes, nil)
	wantArgumentError(t, err, "a class in row 0")
	for rank, got := range onRanks(2, func(c aoso.Collective, of []int) string {
		o, labels := aoso.DatasetOptions{Collective: c}, aoso.StringLabels(make([]string, len(of)))
		if c.Rank() == 0 {
			labels, o.ShareClasses, o.Shares = nil, classes, aoso.RowMajor(slices.Repeat([]float64{1, 0, 0}, len(of)), len(of), 3)
		}
		for i := range labels {
			labels[i] = aoso.StringLabels([]string{"a"})[0]
		}
		_, err := aoso.NewDataset(aoso.RowMajor(make([]float64, len(of)), len(of), 1), labels, o)
		return fmt.Sprint(err)
	}, 3) {
		if !strings.Contains(got, "the same on all ranks") {
			t.Errorf("rank %d: %s", rank, got)
		}
	}
}

// TestSoftContinued: a model continued with soft labels is that of a single training.
func TestSoftContinued(t *testing.T) {
	d := soften(blobs(37, 600, 5, 5, 60), 9)
	for _, v := range softVariants {
		t.Run(v.name, func(t *testing.T) {
			p := params(func(p *aoso.Params) { v.change(p); p.MaxLeaves, p.LabelSmoothing = 6, 0.05; rounds(p, 3, 5) })
			first := train(t, d.dataset(t), p, aoso.TrainOptions{}).Model
			again := train(t, d.dataset(t, func(o *aoso.DatasetOptions) { o.Init = first }), p, aoso.TrainOptions{}).Model
			rounds(&p, 6, 5)
			if once := train(t, d.dataset(t), p, aoso.TrainOptions{}).Model; again.Fingerprint() != once.Fingerprint() {
				t.Errorf("continued %s, once %s", again.Fingerprint(), once.Fingerprint())
			}
		})
	}
}
