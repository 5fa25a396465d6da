package acceptance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/libaoso/aoso"
)

// TestWideClasses: numbers of classes may have more than 16 bits, in training, prediction
// and files, and a class may have one row.
func TestWideClasses(t *testing.T) {
	const classes = 70_000
	rng := rand.New(rand.NewPCG(220, 0))
	const rows = classes + 2000
	x, y := make([]float64, 0, 3*rows), make([]int, rows)
	for i := range y {
		y[i] = i
		if i >= classes {
			y[i] = classes - 1 - i%5
		}
		where := 0.0
		if y[i] >= classes-5 {
			where = float64(classes - y[i])
		}
		x = append(x, where, rng.NormFloat64(), rng.NormFloat64())
	}
	train, err := aoso.NewDataset(aoso.RowMajor(x, rows, 3), aoso.IntLabels(y))
	if err != nil {
		t.Fatal(err)
	}
	p := aoso.DefaultParams()
	p.NEstimators, p.MaxLeaves, p.Calibration = 4, 8, "none"
	r, err := aoso.Train(context.Background(), train, p)
	if err != nil {
		t.Fatal(err)
	}
	if leaf := r.Model.Params().Leaf; leaf != "sparse" {
		t.Errorf("leaves are %s by default", leaf)
	}
	m := reread(t, r.Model)
	if have, due := m.Fingerprint(), r.Model.Fingerprint(); have != due {
		t.Errorf("the model read has the fingerprint %s, that written %s", have, due)
	}
	found, err := m.Predict(aoso.RowMajor(x[3*classes:3*(classes+5)], 5, 3))
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range found {
		if have, due := m.Classes()[k], fmt.Sprint(y[classes+i]); have != due {
			t.Errorf("a row of class %s is predicted as %s", due, have)
		}
	}
	p.Leaf = "full"
	_, err = aoso.Train(context.Background(), train, p)
	wantArgumentError(t, err, "leaf", "65534")
}
