package acceptance

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
)

// lettered is a table with the labels d, a, e, b and c in place of 0 to 4.
type lettered struct{ *table }

func (d lettered) labels() aoso.Labels {
	names := make([]string, len(d.y))
	for i, y := range d.y {
		names[i] = string("daebc"[y])
	}
	return aoso.StringLabels(names)
}

// rowsOf returns the rows of some classes.
func (d lettered) rowsOf(classes ...int) lettered {
	some := &table{}
	for i, y := range d.y {
		if slices.Contains(classes, y) {
			some.x, some.y = append(some.x, d.x[i]), append(some.y, y)
		}
	}
	return lettered{some}
}

// fit trains on the rows, to continue a model if there is one.
func (d lettered) fit(t *testing.T, p aoso.Params, before *aoso.Model) *aoso.Result {
	t.Helper()
	set, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Init: before})
	if err != nil {
		t.Fatal(err)
	}
	return train(t, set, p, aoso.TrainOptions{})
}

// column returns the scores of a class.
func column(scores []float64, classes, k int) (of []float64) {
	for row := range slices.Chunk(scores, classes) {
		of = append(of, row[k])
	}
	return of
}

// TestNewClasses continues models with rows of classes, a and c, that they do not know.
func TestNewClasses(t *testing.T) {
	d := lettered{blobs(38, 700, 4, 5, 255).punch(38, 0.05)}
	for _, v := range everyVariant {
		p := params(func(p *aoso.Params) { v.change(p); rounds(p, 6, 5) })
		if p.Method != aoso.MethodAOSO {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			first := d.rowsOf(0, 2, 3).fit(t, p, nil).Model
			p.Pairs = 0 // as many as five classes have
			r := d.fit(t, p, first)
			m, old, classes := r.Model, []int{1, 3, 4}, []string{"a", "b", "c", "d", "e"}
			if !slices.Equal(m.Classes(), classes) {
				t.Fatalf("classes %q", m.Classes())
			}
			constants := m.Trees() - first.Trees() - 6
			each := 2
			if f := forest(m); !f.Full() {
				each = f.ValuesPerLeaf()
			}
			if want := (2 + each - 1) / each; constants != want {
				t.Fatalf("%d trees for the scores of new classes, want %d", constants, want)
			}
			for k, tree := range forest(m).FirstTrees() {
				if isConstant := tree >= first.Trees() && tree < first.Trees()+constants; isConstant == slices.Contains(old, k) {
					t.Errorf("the first tree of class %s is %d", classes[k], tree)
				}
			}

			before, scores := rawScores(t, first, d.features(), aoso.PredictOptions{}), rawScores(t, m, d.features(), aoso.PredictOptions{Trees: first.Trees() + constants})
			for k, mine := range old { // d, e and b are in the order b, d, e
				if !slices.Equal(column(before, 3, k), column(scores, 5, mine)) {
					t.Errorf("the scores of class %s are others than before", classes[mine])
				}
			}
			counts := [5]float64{}
			for _, y := range d.y {
				counts[y]++
			}
			fresh := 0.0
			for row := range slices.Chunk(scores, 5) {
				if row[0] != scores[0] || row[2] != scores[2] {
					t.Fatal("the scores of a new class differ")
				}
				fresh += (math.Exp(row[0]) + math.Exp(row[2])) / (math.Exp(row[0]) + math.Exp(row[1]) + math.Exp(row[2]) + math.Exp(row[3]) + math.Exp(row[4]))
			}
			if want := counts[1] + counts[4]; math.Abs(fresh-want) > 1 {
				t.Errorf("new classes have %.1f of %d rows, expected %.0f", fresh, len(d.y), want)
			}
			if got, want := scores[0]-scores[2], math.Log(counts[1]/counts[4]); math.Abs(got-want) > 1e-6 {
				t.Errorf("class a is e^%.5f as likely as c, want e^%.5f", got, want)
			}
			loss, err := m.Evaluate(d.features(), d.labels(), nil)
			if err != nil || !near(loss.LogLoss, r.TrainLoss, 1e-5) {
				t.Errorf("the loss is %v (%v), said to be %g", loss, err, r.TrainLoss)
			}
			if again := decoded(contentOf(m)); again.Fingerprint() != m.Fingerprint() {
				t.Error("the file has another model")
			}
			p.NEstimators = 2
			half := d.fit(t, p, first).Model
			p.NEstimators = 4
			if got := d.fit(t, p, half).Model.Fingerprint(); got != m.Fingerprint() {
				t.Errorf("in two steps, fingerprint %s, want %s", got, m.Fingerprint())
			}
		})
	}
}

// TestAbsentClasses: a class without rows keeps its scores.
func TestAbsentClasses(t *testing.T) {
	d := lettered{blobs(39, 700, 4, 5, 255)}
	for _, v := range everyVariant {
		p := params(func(p *aoso.Params) { v.change(p); rounds(p, 6, 5) })
		if p.Leaf == "pair" || p.Method != aoso.MethodAOSO {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			first := d.fit(t, p, nil).Model
			rest := d.rowsOf(1, 2, 4)
			r := rest.fit(t, p, first)
			before, after := rawScores(t, first, d.features(), aoso.PredictOptions{}), rawScores(t, r.Model, d.features(), aoso.PredictOptions{})
			for k, class := range []int{1, 3, 4, 0, 2} {
				if same := slices.Equal(column(before, 5, k), column(after, 5, k)); same != (class == 0 || class == 3) {
					t.Errorf("the scores of class %s stay: %v", r.Model.Classes()[k], same)
				}
			}
			if was, err := first.Evaluate(rest.features(), rest.labels(), nil); err != nil || !(r.TrainLoss < was.LogLoss) {
				t.Errorf("the loss went from %v (%v) to %g", was, err, r.TrainLoss)
			}
		})
	}
}

// TestNewClassesOfNumbers: classes are in the order of all labels, unless the model has them in another.
func TestNewClassesOfNumbers(t *testing.T) {
	d := blobs(40, 100, 3, 5, 255)
	p := params(func(p *aoso.Params) { p.NEstimators = 2 })
	fit := func(names []string, rows int, texts bool, before *aoso.Model) *aoso.Model {
		d := d.slice(0, rows)
		y := make([]string, rows)
		for i := range y {
			y[i] = names[d.y[i]%len(names)]
		}
		set, err := aoso.NewDataset(d.features(), aoso.StringLabels(y), aoso.DatasetOptions{Init: before, TextLabels: texts})
		if err != nil {
			t.Fatal(err)
		}
		return train(t, set, p, aoso.TrainOptions{}).Model
	}
	for _, test := range []struct {
		texts      bool
		more, want []string
	}{
		{false, []string{"2", "10", "9", "x"}, []string{"2", "10", "9", "x"}},
		{false, []string{"2", "10", "9", "1"}, []string{"1", "2", "9", "10"}},
		{true, []string{"10", "1", "2", "x"}, []string{"1", "10", "2", "x"}},
		{true, []string{"2", "10", "9"}, []string{"10", "2", "9"}},
	} {
		first := fit([]string{"2", "10"}, 50, test.texts, nil)
		want := test.want
		if slices.Contains(want, "x") && !test.texts {
			want = []string{"2", "10", "9", "x"}
		}
		if got := fit(test.more, 100, false, first).Classes(); !slices.Equal(got, want) {
			t.Errorf("texts: %v, classes %q and %q make %q, want %q", test.texts, first.Classes(), test.more, got, want)
		}
	}
}

// TestFewClassesGrow: a model of one class, or two, gets more pairs with more classes.
func TestFewClassesGrow(t *testing.T) {
	d := lettered{blobs(41, 400, 4, 5, 255)}
	p := params(func(p *aoso.Params) { p.NEstimators = 5 })
	var m *aoso.Model
	for _, classes := range [][]int{{3}, {3, 0}, {3, 0, 1}, {0, 1, 2, 3, 4}} {
		r := d.rowsOf(classes...).fit(t, p, m)
		if m = r.Model; len(m.Classes()) != len(classes) {
			t.Fatalf("classes %q", m.Classes())
		}
	}
	if e, err := m.Evaluate(d.features(), d.labels(), nil); err != nil || e.Errors > 200 || m.Params().Pairs != 2 {
		t.Errorf("%+v, %v, %d pairs", e, err, m.Params().Pairs)
	}
}

// TestOnlyNewClasses: if all rows are of new classes, these are as likely as there are many.
func TestOnlyNewClasses(t *testing.T) {
	d := lettered{blobs(42, 300, 3, 5, 255)}
	p := params(func(p *aoso.Params) { p.NEstimators = 4 })
	first, rest := d.rowsOf(0, 1).fit(t, p, nil).Model, d.rowsOf(2, 3)
	m := rest.fit(t, p, first).Model
	start, err := m.Truncated(first.Trees() + 1)
	if err != nil {
		t.Fatal(err)
	}
	proba, err := start.PredictProba(rest.features())
	if err != nil {
		t.Fatal(err)
	}
	fresh := 0.0
	for row := range slices.Chunk(proba, 4) { // a, b, d, e
		fresh += row[1] + row[3]
	}
	if share := fresh / float64(len(rest.y)); math.Abs(share-0.5) > 0.01 {
		t.Errorf("new classes begin with probability %.3f, want half", share)
	}
	if before, after := evaluated(t, start, rest), evaluated(t, m, rest); after >= before {
		t.Errorf("log loss %g at the start, %g after training", before, after)
	}
}

// TestNewClassesRefused: other methods cannot have new classes.
func TestNewClassesRefused(t *testing.T) {
	d := lettered{blobs(42, 100, 3, 5, 255)}
	for _, method := range []aoso.Method{aoso.MethodABC, aoso.MethodLogitBoost} {
		m := d.rowsOf(0, 1).fit(t, params(func(p *aoso.Params) { p.Method, p.NEstimators = method, 4 }), nil).Model
		_, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Init: m})
		wantArgumentError(t, err, "labels", `"b"`, fmt.Sprintf(`with method %s, the classes of the model to continue: ["a" "d"]`, method))
	}
}

// TestContinueHoldsOut: calibration by rows held out works for a continued model, too, if it is asked for.
func TestContinueHoldsOut(t *testing.T) {
	d := lettered{blobs(43, 1500, 4, 5, 255)}
	p := params(func(p *aoso.Params) { p.NEstimators = 20 })
	first := d.rowsOf(0, 1, 2).fit(t, p, nil).Model
	p.Calibration = "none"
	want := d.fit(t, p, first)
	for calibration, rows := range map[string]int{"holdout": 300, "folds": 1500} {
		p.Calibration = calibration
		r := d.fit(t, p, first)
		plain := withTemperature(r.Model, 0)
		if r.HeldOutRows != rows || r.Model.Temperature() == first.Temperature() || plain.Fingerprint() != withTemperature(want.Model, 0).Fingerprint() {
			t.Errorf("%s: %d rows held out, temperature %g", calibration, r.HeldOutRows, r.Model.Temperature())
		}
		sets, err := r.Model.PredictSet(d.features(), aoso.SetOptions{Alpha: 0.1})
		if err != nil || len(sets) != 5*1500 {
			t.Errorf("%s: prediction sets: %v", calibration, err)
		}
		// Trees on the other rows predict those held out worse than the model, which has seen them, and better than its start.
		start, _ := want.Model.Truncated(first.Trees() + 1)
		if seen, before := evaluated(t, r.Model, d), evaluated(t, start, d); !(seen < r.HeldOut.LogLoss && r.HeldOut.LogLoss < before) {
			t.Errorf("%s: log loss %g of the rows held out", calibration, r.HeldOut.LogLoss)
		}
	}
}

func evaluated(t *testing.T, m *aoso.Model, d lettered) float64 {
	t.Helper()
	e, err := m.Evaluate(d.features(), d.labels(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return e.LogLoss
}
