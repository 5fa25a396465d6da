// Package letters trains on the Letter data and reports how it goes. The page
// in the browser and the native program that it is compared with share it.
package letters

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"fmt"
	"strconv"
	"time"

	"github.com/libaoso/aoso"
)

const (
	testRows = 4000 // the last rows, as in the paper
	every    = 4    // trees between two evaluations
)

// Progress is the state of training after some trees.
type Progress struct {
	Trees     int     `json:"trees"`
	MaxTrees  int     `json:"maxTrees"`
	TrainLoss float64 `json:"trainLoss"`
	TestLoss  float64 `json:"testLoss"`
	Errors    int     `json:"errors"`
	Seconds   float64 `json:"seconds"`
}

// Result is what the trained model is, and what it gets wrong.
type Result struct {
	Fingerprint string   `json:"fingerprint"`
	Trees       int      `json:"trees"`
	TestRows    int      `json:"testRows"`
	Errors      int      `json:"errors"`
	LogLoss     float64  `json:"logLoss"`
	Seconds     float64  `json:"seconds"` // spent in training, evaluations included
	Level       string   `json:"level"`
	Threads     int      `json:"threads"`
	Classes     []string `json:"classes"`
	Confusion   [][]int  `json:"confusion"` // test rows by class and by predicted class
}

// Train trains a number of trees on the gzipped CSV file of the Letter data.
func Train(file []byte, trees int, report func(Progress)) (*Result, error) {
	rows, err := read(file)
	if err != nil {
		return nil, err
	}
	if len(rows) <= testRows+1 {
		return nil, fmt.Errorf("the data have %d rows; allowed: more than %d", len(rows)-1, testRows)
	}
	cut := len(rows) - testRows
	x, y, err := features(rows[1:cut])
	if err != nil {
		return nil, err
	}
	xTest, yTest, err := features(rows[cut:])
	if err != nil {
		return nil, err
	}
	last := len(rows[0]) - 1
	train, err := aoso.NewDataset(x, aoso.StringLabels(y), aoso.DatasetOptions{Names: rows[0][:last]})
	if err != nil {
		return nil, err
	}
	test, err := train.Aligned(xTest, aoso.StringLabels(yTest), nil)
	if err != nil {
		return nil, err
	}
	p := aoso.DefaultParams()
	p.NEstimators, p.Calibration = trees, "none"
	start := time.Now()
	trained, err := aoso.Train(context.Background(), train, p, aoso.TrainOptions{Valid: test, EvalEvery: every, Callback: func(g aoso.Progress) bool {
		if g.Evaluated {
			report(Progress{g.Trees, trees, g.TrainLoss, g.Valid.LogLoss, g.Valid.Errors, time.Since(start).Seconds()})
		}
		return true
	}})
	if err != nil {
		return nil, err
	}
	r := &Result{Seconds: time.Since(start).Seconds(), TestRows: testRows, Level: trained.Level, Threads: trained.Threads}
	return r, r.describe(trained.Model, xTest, yTest)
}

// describe adds what the model predicts for the test rows.
func (r *Result) describe(m *aoso.Model, x aoso.Features, y []string) error {
	evaluation, err := m.Evaluate(x, aoso.StringLabels(y), nil)
	if err != nil {
		return err
	}
	predicted, err := m.Predict(x)
	if err != nil {
		return err
	}
	r.Fingerprint, r.Trees, r.Classes = m.Fingerprint(), m.Trees(), m.Classes()
	r.Errors, r.LogLoss = evaluation.Errors, evaluation.LogLoss
	index := map[string]int{}
	for i, class := range r.Classes {
		index[class] = i
		r.Confusion = append(r.Confusion, make([]int, len(r.Classes)))
	}
	for i, class := range y {
		r.Confusion[index[class]][predicted[i]]++
	}
	return nil
}

func read(file []byte) ([][]string, error) {
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	return csv.NewReader(z).ReadAll()
}

// features splits rows into the numbers and the labels, which come last.
func features(rows [][]string) (aoso.Features, []string, error) {
	last := len(rows[0]) - 1
	values, labels := make([]float64, 0, len(rows)*last), make([]string, len(rows))
	for i, row := range rows {
		for _, cell := range row[:last] {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				return nil, nil, err
			}
			values = append(values, v)
		}
		labels[i] = row[last]
	}
	return aoso.RowMajor(values, len(rows), last), labels, nil
}
