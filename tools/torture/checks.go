package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/libaoso/aoso"
)

// check tests a property that every training must have. It runs for a share of
// the trainings.
type check struct {
	name  string
	share float64
	run   func(t *trial, d dice) error
}

var checks = []check{
	{"loss", 1, checkLoss},
	{"interim losses", 0.3, checkLosses},
	{"finite", 1, checkFinite},
	{"threads", 0.3, checkThreads},
	{"levels", 0.5, checkLevels},
	{"plain Train", 0.2, checkPlainTrain},
	{"trainer", 0.2, checkTrainer},
	{"interrupted", 0.2, checkInterrupted},
	{"continued", 0.2, checkContinued},
	{"feature layouts", 0.1, checkLayouts},
	{"scaled", 0.1, checkScaled},
	{"dataset file", 0.1, checkDatasetFile},
	{"builder", 0.1, checkBuilder},
	{"order", 0.2, checkOrder},
	{"concurrent", 0.1, checkConcurrent},
	{"model file", 0.5, checkModelFile},
	{"paths", 0.5, checkPaths},
	{"leaves", 0.2, checkLeaves},
	{"staged", 0.2, checkStaged},
	{"evaluation", 0.5, checkEvaluation},
	{"new rows", 0.2, checkNewRows},
	{"shap", 0.1, checkSHAP},
	{"derived", 0.1, checkDerived},
	{"monotone", 1, checkMonotone},
	{"sets", 0.2, checkSets},
	{"probabilities", 0.1, checkProbabilities},
	{"export", 0.1, checkExport},
	{"estimate", 0.3, checkEstimate},
	{"invalid values", 0.3, checkInvalid},
	{"invalid data", 0.1, checkInvalidData},
}

// asPredicted lists the checks of models that see the training rows in prediction
// as they did in training.
var asPredicted = []string{"loss", "interim losses", "derived"}

// checkLoss compares the training loss reported at the end with the loss of the
// model's scores.
func checkLoss(t *trial, _ dice) error {
	if t.model.Trees() < t.result.Iterations*t.model.TreesPerIteration() || t.result.Phase == aoso.PhaseHoldOut {
		return nil // the model was truncated to the best iteration, or has not seen all rows
	}
	if t.model.Params().Ensemble > 1 { // the mean of the members is reported; the loss is convex, so that of their average is at most as high
		if got := t.loss(t.raw); got > t.result.TrainLoss*1.001+1e-6 {
			return fmt.Errorf("the loss is %g, more than the mean of the members, %g", got, t.result.TrainLoss)
		}
		return nil
	}
	return t.compareLoss("the end", t.result.TrainLoss, t.raw)
}

// checkLosses does the same for each evaluated iteration, or for some of them if
// all would take too long.
func checkLosses(t *trial, d dice) error {
	if t.model.Trees() == 0 || t.phased() {
		return nil
	}
	stages, err := t.model.Staged(t.x, max(t.every, 1))
	if err != nil {
		return err
	}
	reported := map[int]aoso.Progress{}
	for _, now := range t.progress {
		reported[now.Trees] = now
	}
	share := 1e6 / float64(len(t.raw)*len(reported))
	for trees, raw := range stages {
		if now, ok := reported[trees]; ok && d.chance(share) {
			if err := t.compareLoss(fmt.Sprintf("iteration %d", now.Iteration), now.TrainLoss, raw); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *trial) compareLoss(when string, reported float64, raw []float64) error {
	if want := t.loss(raw); !near(reported, want, 1e-3, 1) {
		return fmt.Errorf("%s: reported %g, recomputed %g", when, reported, want)
	}
	return nil
}

func checkFinite(t *trial, _ dice) error {
	for i, f := range t.raw {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("score %d is %g", i, f)
		}
	}
	if l := t.result.TrainLoss; math.IsNaN(l) || math.IsInf(l, 0) || l < 0 {
		return fmt.Errorf("the training loss is %g", l)
	}
	proba, err := t.model.PredictProba(t.x)
	if err != nil {
		return err
	}
	classes := len(proba) / t.train.rows()
	for i := range t.codes {
		sum := 0.0
		for _, p := range proba[i*classes:][:classes] {
			if !(p >= 0 && p <= 1) {
				return fmt.Errorf("row %d has a probability of %g", i, p)
			}
			sum += p
		}
		if math.Abs(sum-1) > 1e-9 {
			return fmt.Errorf("the probabilities of row %d sum to %g", i, sum)
		}
	}
	return nil
}

func checkThreads(t *trial, d dice) error {
	for _, n := range []int{1, 2, pick(d, 3, 5)} {
		if err := t.same(fmt.Sprintf("%d threads", n), t.trainSet, t.validSet, func(p *aoso.Params) { p.NThread = n }); err != nil {
			return err
		}
	}
	return nil
}

func checkLevels(t *trial, _ dice) error {
	for _, level := range aoso.Levels() {
		if err := t.same(level, t.trainSet, t.validSet, func(p *aoso.Params) { p.Level = level }); err != nil {
			return err
		}
	}
	return nil
}

// finalTrees returns the value of the parameter n_estimators that ends training at the
// latest iteration where the callback would.
func (t *trial) finalTrees() int {
	return min(t.params.NEstimators, saturated(t.limit, t.model.TreesPerIteration()))
}

// checkPlainTrain trains without a callback and compares the results.
func checkPlainTrain(t *trial, _ dice) error {
	if t.phased() {
		return nil
	}
	p := t.params
	p.NEstimators = t.finalTrees()
	r, err := aoso.Train(context.Background(), t.trainSet, p, aoso.TrainOptions{Valid: t.validSet, EvalEvery: t.every})
	if err != nil {
		return err
	}
	t.count(r)
	return t.sameResult("without a callback", r)
}

// checkTrainer trains with one call for each iteration and compares the results.
func checkTrainer(t *trial, d dice) error {
	b, err := aoso.NewTrainer(t.trainSet, t.params, aoso.TrainOptions{Valid: t.validSet, EvalEvery: t.every})
	if err != nil {
		return err
	}
	defer b.Close()
	look := d.IntN(t.result.Iterations + 1)
	for done := 0; done < t.limit; {
		now, more := b.Step(context.Background())
		if done = now.Iteration; !more {
			break
		}
		if done == look+1 && t.params.EarlyStoppingRounds == 0 && !t.phased() {
			if err := t.prefix(b.Result().Model); err != nil {
				return err
			}
		}
	}
	r := stop(b).Result()
	t.count(r)
	return t.sameResult("iteration by iteration", r)
}

// stop cancels training, as Train does after a callback has ended it: steps that need no iteration are still taken.
func stop(b *aoso.Trainer) *aoso.Trainer {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for more := true; more; {
		_, more = b.Step(cancelled)
	}
	return b
}

// prefix returns an error unless m consists of the first trees of t.model.
func (t *trial) prefix(m *aoso.Model) error {
	first, err := t.model.Truncated(m.Trees())
	if err != nil {
		return err
	}
	if got, want := m.Fingerprint(), first.Fingerprint(); got != want {
		return fmt.Errorf("the model after %d trees has the fingerprint %s, want %s", m.Trees(), got, want)
	}
	return nil
}

// countdown is a context that is cancelled once Err has been called `left` times.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// checkInterrupted interrupts training before and within iterations, resumes it
// and compares the results.
func checkInterrupted(t *trial, d dice) error {
	b, err := aoso.NewTrainer(t.trainSet, t.params, aoso.TrainOptions{Valid: t.validSet, EvalEvery: t.every})
	if err != nil {
		return err
	}
	defer b.Close()
	asked := 2 * t.model.TreesPerIteration()
	for done := 0; done < t.limit; {
		if d.chance(0.3) {
			c := &countdown{Context: context.Background()}
			c.left.Store(int64(d.IntN(asked)))
			now, more := b.Step(c)
			if done = now.Iteration; more || c.left.Load() < 0 {
				continue
			}
			break
		}
		now, more := b.Step(context.Background())
		if done = now.Iteration; !more {
			break
		}
	}
	r := stop(b).Result()
	t.count(r)
	return t.sameResult("interrupted", r)
}

// checkContinued trains some iterations, saves and loads the model, and continues
// from it.
func checkContinued(t *trial, d dice) error {
	if t.params.EarlyStoppingRounds > 0 || t.phased() || t.result.Iterations < 2 {
		return nil
	}
	perRound := t.model.TreesPerIteration()
	first := d.between(1, t.result.Iterations-1)
	p := t.params
	p.NEstimators = first * perRound
	half, err := t.run(t.trainSet, t.validSet, p, nil)
	if err != nil {
		return err
	}
	loaded, err := reloaded(half.Model)
	if err != nil {
		return err
	}
	train, valid, err := t.sets(t.x, func(o *aoso.DatasetOptions) { o.Init = loaded })
	if err != nil {
		return err
	}
	p.NEstimators = (t.result.Iterations - first) * perRound
	r, err := t.run(train, valid, p, nil)
	if err != nil {
		return err
	}
	if got := r.Model.Fingerprint(); got != t.fingerprint && !t.rated() { // rates make other scores to start from
		return fmt.Errorf("continued after %d of %d iterations: fingerprint %s, want %s", first, t.result.Iterations, got, t.fingerprint)
	}
	return nil
}

// checkConcurrent trains twice at the same time, on the same datasets.
func checkConcurrent(t *trial, _ dice) error {
	errs := make(chan error)
	for range 2 {
		go func() {
			r, err := run(t.trainSet, t.validSet, t.params, t.every, t.limit, nil)
			if err == nil {
				err = t.sameResult("concurrently", r)
			}
			errs <- err
		}()
	}
	t.trainings += 2
	t.trees += 2 * t.model.Trees()
	return errors.Join(<-errs, <-errs)
}
