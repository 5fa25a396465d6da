package acceptance

import (
	"context"
	"testing"

	"github.com/libaoso/aoso"
)

// TestSharedDataset trains on one dataset in many goroutines at once.
func TestSharedDataset(t *testing.T) {
	d := blobs(39, 500, 5, 4, 255)
	set := newDataset(t, d)
	valid := aligned(t, set, d)
	p := params(func(p *aoso.Params) { p.NEstimators, p.Subsample = 10, 0.7 })
	want := train(t, set, p, aoso.TrainOptions{Valid: valid}).Model.Fingerprint()
	prints := make(chan string)
	for range 4 {
		go func() {
			r, err := aoso.Train(context.Background(), set, p, aoso.TrainOptions{Valid: valid})
			if err != nil {
				prints <- err.Error()
				return
			}
			prints <- r.Model.Fingerprint()
		}()
	}
	for range 4 {
		if got := <-prints; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestTrainErrors(t *testing.T) {
	d := blobs(41, 100, 3, 3, 255)
	set := newDataset(t, d)
	first := trained(t, d, params(func(p *aoso.Params) { p.NEstimators, p.Pairs = 2, 1 })).Model
	continued, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Init: first})
	if err != nil {
		t.Fatal(err)
	}
	renamed := &table{x: d.x}
	for _, y := range d.y {
		renamed.y = append(renamed.y, y+1)
	}
	freed := newDataset(t, d)
	freed.Close()
	freed.Close()
	tests := []struct {
		name, argument string
		set            *aoso.Dataset
		options        aoso.TrainOptions
		change         func(*aoso.Params)
	}{
		{"no data", "train", nil, aoso.TrainOptions{}, nil},
		{"foreign validation set", "valid", set, aoso.TrainOptions{Valid: newDataset(t, d.slice(1, 100))}, nil},
		{"foreign classes", "valid", set, aoso.TrainOptions{Valid: newDataset(t, renamed)}, nil},
		{"validation set of another start", "valid", set, aoso.TrainOptions{Valid: continued}, nil},
		{"freed", "train", freed, aoso.TrainOptions{}, nil},
		{"freed validation set", "valid", set, aoso.TrainOptions{Valid: freed}, nil},
		{"evaluation", "eval_every", set, aoso.TrainOptions{EvalEvery: -1}, nil},
		{"continued by another method", "method", continued, aoso.TrainOptions{}, func(p *aoso.Params) { p.Method = aoso.MethodABC }},
		{"continued with other leaves", "leaf", continued, aoso.TrainOptions{}, func(p *aoso.Params) { p.Leaf, p.Pairs = "pair", 1 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := aoso.Train(context.Background(), test.set, params(test.change), test.options)
			wantArgumentError(t, err, test.argument)
		})
	}
	t.Run("continued with other pairs", func(t *testing.T) {
		d := blobs(42, 100, 3, 4, 255)
		first := trained(t, d, params(func(p *aoso.Params) { p.NEstimators, p.Pairs = 2, 1 })).Model
		set, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Init: first})
		if err != nil {
			t.Fatal(err)
		}
		_, err = aoso.Train(context.Background(), set, params(func(p *aoso.Params) { p.Pairs = 2 }))
		wantArgumentError(t, err, "pairs", "1, as in the model to continue")
	})
	t.Run("level of the environment", func(t *testing.T) {
		t.Setenv("AOSO_LEVEL", "mmx")
		_, err := aoso.Train(context.Background(), set, aoso.DefaultParams())
		wantArgumentError(t, err, "AOSO_LEVEL", `"mmx"`, "generic")
	})
	t.Run("good level of the environment", func(t *testing.T) {
		t.Setenv("AOSO_LEVEL", "generic")
		if r := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 1 })); r.Level != "generic" {
			t.Errorf("level %s", r.Level)
		}
	})
}
