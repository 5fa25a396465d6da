package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/spec"
)

// checkInvalid sets parameters, one at a time, to invalid values. The error must
// name the parameter.
func checkInvalid(t *trial, d dice) error {
	for range 3 {
		known := pick(d, spec.Parameters...)
		name, p := known.Name, t.params
		value := generatorOf(&known).invalid(&setting{dice: d, params: &p, classes: t.train.classes(), valid: t.valid != nil})
		t.kinds[name+" "+invalid] = invalid
		err := p.Set(name, value)
		if err == nil {
			_, err = aoso.Train(context.Background(), t.trainSet, p, aoso.TrainOptions{
				Valid:    t.validSet,
				Callback: func(aoso.Progress) bool { return false },
			})
		}
		if err := wantArgumentError(err, name); err != nil {
			return fmt.Errorf("%s=%q: %w", name, value, err)
		}
	}
	return nil
}

// wantArgumentError returns an error unless err names the argument and says what
// is allowed.
func wantArgumentError(err error, argument string) error {
	e, ok := errors.AsType[*aoso.ArgumentError](err)
	switch {
	case !ok:
		return fmt.Errorf("error %v (%T), want an ArgumentError", err, err)
	case e.Argument != argument:
		return fmt.Errorf("error about %s, want %s: %w", e.Argument, argument, err)
	case e.Allowed == "" || !strings.Contains(err.Error(), argument):
		return fmt.Errorf("the error does not say what is allowed: %w", err)
	}
	return nil
}

// checkInvalidData passes invalid arguments to the functions that take data.
func checkInvalidData(t *trial, d dice) error {
	rows, cols := t.train.rows(), t.train.cols()
	weights := func(bad float64) []float64 {
		w := slices.Repeat([]float64{1}, rows)
		w[d.IntN(rows)] = bad
		return w
	}
	for _, c := range []struct {
		argument string
		options  aoso.DatasetOptions
	}{
		{"max_bin", aoso.DatasetOptions{MaxBin: pick(d, 1, 256, -1, math.MaxInt)}},
		{"nthread", aoso.DatasetOptions{NThread: -1}},
		{"names", aoso.DatasetOptions{Names: make([]string, cols+1)}},
		{"weights", aoso.DatasetOptions{Weights: make([]float64, rows+1)}},
		{"weights", aoso.DatasetOptions{Weights: make([]float64, rows)}},
		{"weights[", aoso.DatasetOptions{Weights: weights(pick(d, -1, math.NaN(), math.Inf(1), 1e16, 1e-16))}},
	} {
		_, err := aoso.NewDataset(t.x, t.train.labels(), c.options)
		e, ok := errors.AsType[*aoso.ArgumentError](err)
		if !ok || !strings.HasPrefix(e.Argument, c.argument) || e.Allowed == "" {
			return fmt.Errorf("options %+v: error %v, want an ArgumentError about %s", c.options, err, c.argument)
		}
	}
	if _, err := aoso.NewDataset(t.x, t.train.labels()[1:]); wantArgumentError(err, "labels") != nil {
		return fmt.Errorf("one label too few: error %v", err)
	}
	wider := aoso.RowMajor(make([]float64, cols+1), 1, cols+1)
	if _, err := t.model.PredictRaw(wider); wantArgumentError(err, "features") != nil {
		return fmt.Errorf("prediction with one feature too many: error %v", err)
	}
	if _, err := t.model.PredictRaw(t.x, aoso.PredictOptions{Trees: t.model.Trees() + 1}); wantArgumentError(err, "trees") != nil {
		return fmt.Errorf("prediction with one tree too many: error %v", err)
	}
	return nil
}
