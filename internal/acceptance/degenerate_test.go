package acceptance

import (
	"math"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/tools/cases"
)

func TestOneClass(t *testing.T) {
	d := blobs(28, 50, 3, 2, 255)
	clear(d.y)
	for _, v := range everyVariant {
		t.Run(v.name, func(t *testing.T) {
			r := trained(t, d, params(v.change))
			if r.Model.Trees() != 0 || r.Iterations != 0 || r.StoppedBy != aoso.StoppedByStopLoss || r.TrainLoss != 0 {
				t.Errorf("%d trees in %d iterations, stopped by %s at a loss of %g", r.Model.Trees(), r.Iterations, r.StoppedBy, r.TrainLoss)
			}
			proba, err := r.Model.PredictProba(d.features())
			if err != nil || len(proba) != 50 || proba[7] != 1 {
				t.Errorf("probabilities %v, error %v", proba, err)
			}
		})
	}
}

// TestSmall trains on so few rows, classes and values that most of the
// machinery has nothing to do.
func TestSmall(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		name string
		x    [][]float64
		y    []int
		loss float64 // at convergence
	}{
		{"1 row", [][]float64{{1, 2}}, []int{0}, 0},
		{"2 rows", [][]float64{{1}, {2}}, []int{0, 1}, 0},
		{"2 rows, 1 class", [][]float64{{1}, {2}}, []int{0, 0}, 0},
		{"2 equal rows", [][]float64{{1}, {1}}, []int{0, 1}, math.Log(2)},
		{"3 classes", [][]float64{{1}, {2}, {3}}, []int{0, 1, 2}, 0},
		{"constant feature", [][]float64{{1, 4}, {2, 4}, {3, 4}}, []int{0, 1, 1}, 0},
		{"only constant features", [][]float64{{4}, {4}, {4}, {4}}, []int{0, 1, 1, 1}, math.Log(4) - 0.75*math.Log(3)},
		{"all missing", [][]float64{{nan, 1}, {nan, 2}, {nan, 3}}, []int{0, 0, 1}, 0},
		{"only missing", [][]float64{{nan}, {nan}, {nan}, {nan}}, []int{0, 0, 0, 1}, math.Log(4) - 0.75*math.Log(3)},
		{"one value and missing", [][]float64{{5}, {nan}, {5}, {nan}}, []int{0, 1, 0, 1}, 0},
		{"zero and missing", [][]float64{{0}, {nan}, {math.Copysign(0, -1)}, {nan}}, []int{0, 1, 0, 1}, 0},
		{"one value and missing, mixed", [][]float64{{5}, {nan}, {nan}, {nan}, {nan}}, []int{0, 0, 1, 1, 1}, 0.8*math.Log(4) - 0.6*math.Log(3)},
		{"extremes", [][]float64{{-math.MaxFloat64}, {math.MaxFloat64}, {0}, {5e-324}}, []int{0, 1, 2, 0}, 0},
	}
	for _, test := range tests {
		for _, v := range everyVariant {
			t.Run(test.name+"/"+v.name, func(t *testing.T) {
				d := &table{x: test.x, y: test.y}
				r := trained(t, d, params(func(p *aoso.Params) { v.change(p); p.NEstimators, p.StopLoss, p.LearningRate = 400, 1e-12, 0.2 }))
				if (r.StoppedBy == aoso.StoppedByStopLoss) != (test.loss == 0) || math.Abs(r.TrainLoss-test.loss) > 2e-5 {
					t.Errorf("stopped by %s at a loss of %g, want %g", r.StoppedBy, r.TrainLoss, test.loss)
				}
				if loss := lossOf(t, r.Model, d, aoso.PredictOptions{}); !near(loss, r.TrainLoss, 1e-3) {
					t.Errorf("training says that its loss is %g, the model's is %g", r.TrainLoss, loss)
				}
				if test.loss == 0 && errorsOf(t, r.Model, d, aoso.PredictOptions{}) > 0 {
					t.Error("a training row is not predicted")
				}
			})
		}
	}
}

// TestNoSplit: where no feature tells anything, training ends once the
// probabilities are the classes' shares.
func TestNoSplit(t *testing.T) {
	d := &table{}
	for i := range 100 {
		d.x, d.y = append(d.x, []float64{1, 2}), append(d.y, i%10%3)
	}
	for _, v := range everyVariant {
		if p := params(v.change); p.Method != aoso.MethodAOSO {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			r := trained(t, d, params(func(p *aoso.Params) { v.change(p); p.NEstimators = 5000 }))
			proba, err := r.Model.PredictProba(d.features())
			if err != nil {
				t.Fatal(err)
			}
			for k, want := range []float64{0.4, 0.3, 0.3} {
				if math.Abs(proba[k]-want) > 1e-5 {
					t.Errorf("class %d: probability %g, want %g", k, proba[k], want)
				}
			}
			if r.StoppedBy != aoso.StoppedByNoSplit {
				t.Errorf("stopped by %s after %d trees", r.StoppedBy, r.Model.Trees())
			}
		})
	}
}

// TestContradiction trains on rows that differ in nothing but the label: the
// probabilities become their shares.
func TestContradiction(t *testing.T) {
	t.Parallel()
	d := &table{}
	for i := range 300 {
		group := float64(i % 3)
		d.x = append(d.x, []float64{group, -group})
		label := i % 3 // 80 rows of each group have its label, 20 the next one
		if i/3%5 == 0 {
			label = (label + 1) % 3
		}
		d.y = append(d.y, label)
	}
	for _, v := range cases.Some(t, 2, everyVariant) {
		t.Run(v.name, func(t *testing.T) {
			r := trained(t, d, params(func(p *aoso.Params) { v.change(p); rounds(p, 1500, 3) }))
			if r.StoppedBy != aoso.StoppedByTrees {
				t.Errorf("stopped by %s", r.StoppedBy)
			}
			proba, err := r.Model.PredictProba(d.features())
			if err != nil {
				t.Fatal(err)
			}
			for i := range 3 {
				for k, want := range [][]float64{{0.8, 0.2, 0}, {0, 0.8, 0.2}, {0.2, 0, 0.8}}[i] {
					if p := proba[i*3+k]; math.Abs(p-want) > 5e-3 {
						t.Errorf("group %d, class %d: probability %g, want %g", i, k, p, want)
					}
				}
			}
		})
	}
}

func TestManyClasses(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long")
	}
	const classes = 1000
	d := blobs(29, 3*classes, 5, classes, 255)
	for _, v := range cases.Some(t, 2, everyVariant) {
		if v.name == "abc, exhaustive" { // a million trees
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			r := trained(t, d, params(func(p *aoso.Params) {
				v.change(p)
				p.MaxLeaves, p.NThread = 10, 0
				if rounds(p, 10, classes); p.Method != aoso.MethodAOSO {
					p.MaxLeaves = 3
					rounds(p, 1, classes)
				}
				if p.Method == aoso.MethodABC {
					p.LearningRate = 0.0002 // the base class moves a thousand times
				}
			}))
			chance := math.Log(classes)
			if !(r.TrainLoss < chance) {
				t.Errorf("the loss is %g, that of chance %g", r.TrainLoss, chance)
			}
			if loss := lossOf(t, r.Model, d, aoso.PredictOptions{}); !near(loss, r.TrainLoss, 1e-4) {
				t.Errorf("training says that its loss is %g, the model's is %g", r.TrainLoss, loss)
			}
		})
	}
}

// TestGreatSteps takes the greatest steps allowed, which for the base class of
// abc add up.
func TestGreatSteps(t *testing.T) {
	d := blobs(30, 400, 4, 12, 255)
	for _, v := range everyVariant {
		t.Run(v.name, func(t *testing.T) {
			r := trained(t, d, params(func(p *aoso.Params) { v.change(p); p.MaxDeltaStep, p.LearningRate = 20, 1; rounds(p, 3, 12) }))
			if !(r.TrainLoss >= 0 && r.TrainLoss < math.Inf(1)) {
				t.Errorf("the loss is %g", r.TrainLoss)
			}
		})
	}
}
