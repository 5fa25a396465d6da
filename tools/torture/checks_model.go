package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/libaoso/aoso"
)

// reloaded writes a model and reads it again.
func reloaded(m *aoso.Model) (*aoso.Model, error) {
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		return nil, err
	}
	return aoso.Read(&b)
}

// checkModelFile writes and reads the model, in memory and on disk, and compares
// bytes, fingerprints and predictions.
func checkModelFile(t *trial, _ dice) error {
	var first, second bytes.Buffer
	if err := t.model.Write(&first); err != nil {
		return err
	}
	decoded, err := aoso.Read(bytes.NewReader(first.Bytes()))
	if err != nil {
		return err
	}
	if err := decoded.Write(&second); err != nil {
		return err
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		return fmt.Errorf("writing the model, reading it and writing it again gives different bytes")
	}
	path := filepath.Join(t.folder, "model.aoso")
	if err := t.model.Save(path); err != nil {
		return err
	}
	loaded, err := aoso.Load(path)
	if err != nil {
		return err
	}
	for how, m := range map[string]*aoso.Model{"decoded": decoded, "loaded": loaded} {
		if got := m.Fingerprint(); got != t.fingerprint {
			return fmt.Errorf("%s: fingerprint %s, want %s", how, got, t.fingerprint)
		}
		raw, err := m.PredictRaw(t.x)
		if err != nil {
			return err
		}
		if err := differ(how, raw, t.raw); err != nil {
			return err
		}
	}
	return nil
}

// checkPaths compares all ways of predicting the training rows.
func checkPaths(t *trial, d dice) error { return comparePaths(t.model, t.train, t.raw, d) }

// comparePaths compares all ways of predicting rows with their raw scores.
func comparePaths(m *aoso.Model, rows *table, raw []float64, d dice) error {
	x, classes := rows.columns(), len(m.Classes())
	for _, level := range aoso.Levels() {
		again, err := m.PredictRaw(x, aoso.PredictOptions{Level: level, NThread: d.between(1, 4)})
		if err != nil {
			return err
		}
		if err := differ("raw scores with level "+level, again, raw); err != nil {
			return err
		}
	}
	predicted, err := m.Predict(x)
	if err != nil {
		return err
	}
	proba, err := m.PredictProba(x)
	if err != nil {
		return err
	}
	row, err := m.RowPredictor()
	if err != nil {
		return err
	}
	scores := make([]float64, classes)
	for range min(rows.rows(), 40) {
		i := d.IntN(rows.rows())
		want, values := raw[i*classes:][:classes], rows.rowFor(m, i)
		if predicted[i] != argmax(want) {
			return fmt.Errorf("row %d: predicted class %d, but class %d has the highest score", i, predicted[i], argmax(want))
		}
		if class, err := row.Class(values); err != nil || class != predicted[i] {
			return fmt.Errorf("row predictor, row %d: class %d, want %d; error %v", i, class, predicted[i], err)
		}
		if err := row.Raw(values, scores); err != nil {
			return err
		}
		if err := differ(fmt.Sprintf("row predictor, row %d, raw scores", i), scores, want); err != nil {
			return err
		}
		if err := row.Proba(values, scores); err != nil {
			return err
		}
		if err := differ(fmt.Sprintf("row predictor, row %d, probabilities", i), scores, proba[i*classes:][:classes]); err != nil {
			return err
		}
		k := d.IntN(classes)
		if err := row.RawOf(values, []int{k}, scores[:1]); err != nil {
			return err
		}
		if err := differ(fmt.Sprintf("row predictor, row %d, raw score of class %d", i, k), scores[:1], want[k:k+1]); err != nil {
			return err
		}
	}
	few := rows.slice(0, d.between(0, min(rows.rows(), 14)))
	some, err := m.PredictRaw(few.columns())
	if err != nil {
		return err
	}
	return differ(fmt.Sprintf("only the first %d rows", few.rows()), some, raw[:few.rows()*classes])
}

// modelJSON is the part of the export format json that describes
// the linear scores and the trees.
type modelJSON struct {
	Linear struct {
		Bias  []float64
		Terms []struct {
			Feature                int
			Edges, Places, Weights []float64
		}
	}
	Trees []struct {
		Nodes []struct {
			Feature     int
			Threshold   *float64
			Missing     string
			Left, Right int
		}
		Leaves []struct{ Steps [][2]float64 }
	}
}

// checkLeaves walks the trees of the JSON export. It compares the leaves, and the
// sums of their values with the raw scores.
func checkLeaves(t *trial, d dice) error {
	trees, classes := t.model.Trees(), len(t.model.Classes())
	if trees == 0 || trees*classes > 20_000 {
		return nil
	}
	leaves, err := t.model.PredictLeaf(t.x)
	if err != nil {
		return err
	}
	if t.data.Categorical != nil {
		return nil
	}
	var text bytes.Buffer
	if err := t.model.Export(&text, "json"); err != nil {
		return err
	}
	var m modelJSON
	if err := json.Unmarshal(text.Bytes(), &m); err != nil {
		return err
	}
	for range min(t.train.rows(), 20) {
		i := d.IntN(t.train.rows())
		row := t.train.row(i)
		scores := m.begin(row, classes)
		for n := range m.Trees {
			leaf := m.leaf(n, row)
			if got := int(leaves[i*trees+n]); got != leaf {
				return fmt.Errorf("row %d, tree %d: leaf %d, but %d by the JSON export", i, n, got, leaf)
			}
			for _, step := range m.Trees[n].Leaves[leaf].Steps {
				scores[int(step[0])] += step[1]
			}
		}
		if err := differ(fmt.Sprintf("row %d by the JSON export", i), scores, t.raw[i*classes:][:classes]); err != nil {
			return err
		}
	}
	return nil
}

// begin returns the scores of a row before any tree.
func (m *modelJSON) begin(row []float64, classes int) []float64 {
	scores := make([]float64, classes)
	copy(scores, m.Linear.Bias)
	for _, term := range m.Linear.Terms {
		x := row[term.Feature]
		if math.IsNaN(x) {
			continue
		}
		bin := 0
		for bin < len(term.Edges) && x >= term.Edges[bin] {
			bin++
		}
		for k, w := range term.Weights {
			scores[k] += term.Places[bin] * w
		}
	}
	if m.Linear.Bias == nil {
		return scores
	}
	for k, score := range scores {
		scores[k] = float64(math.RoundToEven(score*0x1p24)*0x1p-24) + 0 // no minus zero
	}
	return scores
}

// leaf returns the number of the leaf that a row reaches in a tree.
func (m *modelJSON) leaf(tree int, row []float64) int {
	nodes := m.Trees[tree].Nodes
	if len(nodes) == 0 {
		return 0
	}
	at := 0
	for at >= 0 {
		n := nodes[at]
		left := n.Threshold == nil || row[n.Feature] < *n.Threshold
		if math.IsNaN(row[n.Feature]) {
			left = n.Missing == "left"
		}
		if at = n.Right; left {
			at = n.Left
		}
	}
	return -1 - at
}

// checkStaged compares staged scores with the scores of the first trees.
func checkStaged(t *trial, d dice) error {
	if t.model.Trees() == 0 {
		return nil
	}
	every := d.between(1, max(1, t.result.Iterations))
	stages, err := t.model.Staged(t.x, every)
	if err != nil {
		return err
	}
	last := 0
	for trees, scores := range stages {
		last = trees
		want := t.raw
		if trees < t.model.Trees() {
			if want, err = t.model.PredictRaw(t.x, aoso.PredictOptions{Trees: trees}); err != nil {
				return err
			}
		}
		if err := differ(fmt.Sprintf("stage with %d trees", trees), scores, want); err != nil {
			return err
		}
	}
	if last != t.model.Trees() {
		return fmt.Errorf("the last stage has %d trees, want %d", last, t.model.Trees())
	}
	return nil
}

// checkEvaluation compares the evaluation of the validation set by training, by
// the model, and by the model's scores.
func checkEvaluation(t *trial, _ dice) error {
	v := t.valid
	if v == nil || v.rows() == 0 {
		return nil
	}
	e, err := t.model.Evaluate(v.columns(), v.labels(), v.weights)
	if err != nil {
		return err
	}
	r := t.result.Valid
	if r == nil && t.result.Phase == aoso.PhaseHoldOut {
		return nil
	}
	if r == nil {
		return fmt.Errorf("training did not evaluate the validation set")
	}
	if r.Errors != e.Errors || !near(r.ErrorRate, e.ErrorRate, 1e-9, 0) || !sameLoss(r.LogLoss, e.LogLoss) {
		return fmt.Errorf("the validation set is evaluated as %+v by training, but as %+v by the model", *r, *e)
	}
	raw, err := t.model.PredictRaw(v.columns())
	if err != nil {
		return err
	}
	names := t.model.Classes()
	errors, loss, weight := 0, 0.0, 0.0
	for i, y := range v.y {
		scores, code := raw[i*len(names):][:len(names)], slices.Index(names, v.naming.label(y))
		if code != argmax(scores) {
			errors++
		}
		if code >= 0 {
			w := 1.0
			if v.weights != nil {
				w = v.weights[i]
			}
			for k := range scores {
				scores[k] /= t.model.Temperature()
			}
			loss += w * negLogSoftmax(scores, code)
			weight += w
		}
	}
	if loss /= weight; errors != e.Errors || !sameLoss(loss, e.LogLoss) {
		return fmt.Errorf("the model reports %d errors and a log loss of %g; its scores give %d and %g", e.Errors, e.LogLoss, errors, loss)
	}
	return nil
}

func sameLoss(a, b float64) bool {
	return near(a, b, 1e-6, 1) || math.IsNaN(a) && math.IsNaN(b)
}

// checkNewRows predicts rows with values that do not occur in training.
func checkNewRows(t *trial, d dice) error {
	rows := &table{y: make([]int, d.between(1, 100)), x: make([][]float64, t.train.cols())}
	for j := range rows.x {
		rows.x[j] = rows.column(d, pick(d, "range", "extremes", "infinite", "missing", "sparse", "gaussian"), j)
	}
	raw, err := t.model.PredictRaw(rows.columns(), aoso.PredictOptions{Level: "generic", NThread: 1})
	if err != nil {
		return err
	}
	return comparePaths(t.model, rows, raw, d)
}

// checkSHAP checks that the contributions of each row sum to its scores.
func checkSHAP(t *trial, d dice) error {
	classes, columns := len(t.model.Classes()), t.train.cols()+1
	if t.model.Trees()*classes*columns > 50_000 {
		return nil
	}
	few := t.train.slice(0, d.between(1, min(t.train.rows(), 8)))
	values, err := t.model.SHAP(few.columns())
	if err != nil {
		return err
	}
	for i := range few.y {
		for k := range classes {
			sum, scale := 0.0, 0.0
			for _, v := range values[(i*classes+k)*columns:][:columns] {
				sum, scale = sum+v, scale+math.Abs(v)
			}
			if want := t.raw[i*classes+k]; !(math.Abs(sum-want) <= 1e-6*(1+scale)) {
				return fmt.Errorf("row %d, class %d: contributions sum to %g, the score is %g", i, k, sum, want)
			}
		}
	}
	return nil
}

// checkDerived checks importance, calibration, refit, truncation and merge.
func checkDerived(t *trial, d dice) error {
	m, labels := t.model, t.train.labels()
	for _, kind := range []string{"gain", "split", "cover"} {
		values, err := m.Importance(kind)
		if err != nil {
			return err
		}
		for j, v := range values {
			if !(v >= 0) || math.IsInf(v, 1) {
				return fmt.Errorf("feature %d has an importance (%s) of %g", j, kind, v)
			}
		}
	}
	m.PairImportances()
	if calibrated, c, err := m.Calibrate(t.x, labels, t.train.weights); err != nil {
		return fmt.Errorf("calibration: %w", err)
	} else if !(calibrated.Temperature() > 0) || !(c.After <= c.Before*(1+1e-9)+1e-12) {
		return fmt.Errorf("calibration gives the temperature %g: log loss %g before, %g after", calibrated.Temperature(), c.Before, c.After)
	}
	if err := t.refit(labels, d); err != nil {
		return fmt.Errorf("refit: %w", err)
	}
	if m.Trees() == 0 {
		return nil
	}
	cut, err := m.Truncated(d.between(1, m.Trees()))
	if err != nil {
		return err
	}
	want, err := m.PredictRaw(t.x, aoso.PredictOptions{Trees: cut.Trees()})
	if err != nil {
		return err
	}
	got, err := cut.PredictRaw(t.x)
	if err != nil {
		return err
	}
	if err := differ("truncated", got, want); err != nil {
		return err
	}
	merged, err := aoso.Merge(cut, m)
	if err != nil {
		return err
	}
	if got := merged.Trees(); got != cut.Trees()+m.Trees() {
		return fmt.Errorf("merge of %d and %d trees has %d trees", cut.Trees(), m.Trees(), got)
	}
	return nil
}

// refit refits the model. Its constraints still hold, and scores are finite.
func (t *trial) refit(labels aoso.Labels, d dice) error {
	refitted, err := t.model.Refit(t.x, labels, aoso.RefitOptions{Weights: t.train.weights, Keep: d.Float64()})
	if err != nil {
		return err
	}
	raw, err := refitted.PredictRaw(t.x)
	if err != nil {
		return err
	}
	for i, f := range raw {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("score %d is %g", i, f)
		}
	}
	other := *t
	other.model = refitted
	return checkMonotone(&other, d)
}

// checkExport writes the model in every format.
func checkExport(t *trial, d dice) error {
	classes := len(t.model.Classes())
	if classes < 2 || t.model.Trees()*classes > 10_000 { // a model of one class cannot be exported
		return nil
	}
	for _, f := range aoso.ExportFormats() {
		tree := 0
		if f.OneTree {
			if t.model.Trees() == 0 {
				continue
			}
			tree = d.IntN(t.model.Trees())
		}
		err := t.model.Export(io.Discard, f.Name, aoso.ExportOptions{Tree: tree, Force: true})
		allowed := func(limit string) bool { return strings.Contains(err.Error(), limit) }
		if err != nil && !allowed("LightGBM takes all values up to 1e-35 for 0") && !allowed("PMML cannot hold") && !allowed("for a model with feature crosses") {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}
