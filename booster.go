package aoso

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/tree"
	"github.com/libaoso/aoso/kernel"
)

// Booster is a training under way, which its caller takes from iteration to
// iteration; [Train] does the same in one call. One goroutine at a time may
// use it.
type Booster struct {
	params    Params
	evalEvery int
	silent    bool // nobody reads the training loss on the way
	train     *Dataset
	kernels   *kernel.Funcs
	team      *par.Team
	perRound  int // trees an iteration adds
	grown     int // trees added

	last      Progress
	best      bestRound
	stoppedBy string // "": training is not over
	elapsed   time.Duration
	freed     bool

	coarse  *bin.Matrix // nil: none
	state   *state
	sampler *sampler
	grower  *tree.Grower
	values  tree.LeafValues // with a sample
	forest  *model.Forest

	bound float64 // Σ (1 − p_y), which is below the loss
	stuck bool    // the last iteration changed nothing, and so would the next

	base      int // class of abc; −1: not chosen yet
	classLoss []float64

	valid *scored
}

// NewBooster makes a training ready for its first iteration. It takes what
// [Train] takes and makes its checks, and leaves o.Callback alone: each step
// returns what the callback would be told. The datasets may not be freed
// before the booster is.
func NewBooster(train *Dataset, p Params, o TrainOptions) (*Booster, error) {
	if train == nil {
		return nil, badArgument("train", nil, "a dataset")
	}
	if o.EvalEvery < 0 {
		return nil, badArgument("eval_every", o.EvalEvery, "at least 0")
	}
	if train.Rows() == 0 {
		return nil, badArgument("train", "a dataset without rows", "at least one row")
	}
	if train.unknown > 0 {
		return nil, badArgument("train", fmt.Sprintf("%d rows of unknown classes", train.unknown), "a dataset made by NewDataset")
	}
	if err := train.checkFreed("train"); err != nil {
		return nil, err
	}
	if valid := o.Valid; valid != nil {
		if !valid.binnedAs(train) {
			return nil, badArgument("valid", "a dataset of other bins", "one made by Aligned from the training set")
		}
		if err := valid.checkFreed("valid"); err != nil {
			return nil, err
		}
	}
	if p.EarlyStopping > 0 && o.Valid == nil {
		return nil, badArgument("early_stopping", p.EarlyStopping, "0 without a validation set")
	}
	p, err := p.resolve(len(train.classes))
	if err != nil {
		return nil, err
	}
	funcs, err := kernels(p.Level)
	if err != nil {
		return nil, err
	}
	classes := len(train.classes)
	b := &Booster{
		params:    p,
		evalEvery: max(o.EvalEvery, 1),
		train:     train,
		kernels:   funcs,
		team:      par.NewTeam(p.Threads),
		perRound:  p.treesPerRound(classes),
		forest:    model.NewForest(classes, p.Pairs, p.Leaf == "full"),
		base:      -1,
	}
	if start := train.start; start != nil {
		if err := start.model.checkContinued(&p, b.perRound); err != nil {
			return nil, err
		}
		b.forest = start.model.forest.Clone()
	}
	b.last.Trees = b.forest.Trees()
	b.best = bestRound{value: math.Inf(1), trees: b.forest.Trees()}
	b.state = newState(train.labels, train.weights, classes, p.needsImpossible(classes), funcs, b.team)
	b.bound = train.start.begin(b.state, &p)
	bins := tree.Bins{Matrix: train.matrix, Mapper: train.mapper}
	bins.Coarse, bins.CoarseMapper = train.matrix.Coarsen(train.mapper, p.searchBins(), b.team)
	if bins.Coarse != train.matrix {
		b.coarse = bins.Coarse
	}
	b.sampler = newSampler(&p, train.columns(), bins, b.state.residuals, funcs, b.team)
	growth := p.growth(len(b.sampler.columns))
	residuals := b.state.residuals
	if sample := b.sampler.sample; sample != nil {
		bins, residuals = sample.bins, sample.residuals
		b.values = tree.LeafValues{Kernels: funcs, Residuals: b.state.residuals, Newton: growth.Newton, Team: b.team}
	}
	b.grower = tree.NewGrower(funcs, bins, residuals, growth, b.sampler.chosen, b.team)
	if valid := o.Valid; valid != nil {
		b.valid = newScored(valid)
	}
	if b.lossAtMost(p.StopLoss) {
		b.stoppedBy = StoppedByLoss
	}
	return b, nil
}

// Free gives the booster's memory and threads back. After it, Step does
// nothing. Freeing twice does nothing.
func (b *Booster) Free() {
	if b.freed {
		return
	}
	b.freed = true
	b.team.Close()
	b.state.free()
	b.sampler.free()
	b.grower.Free()
	if b.coarse != nil {
		b.coarse.Free()
	}
	if b.valid != nil {
		b.valid.free()
	}
	runtime.KeepAlive(b.train)
	runtime.KeepAlive(b.valid)
}

// Step does an iteration and returns the state after it. More is false, and
// nothing was done, if training is over, for a reason that Result names: the
// state is then that after the last iteration. If ctx was cancelled, before
// the iteration or in it, it left no trace, and the next Step goes on as if
// there had been no interruption.
func (b *Booster) Step(ctx context.Context) (p Progress, more bool) {
	start := time.Now()
	if b.stoppedBy == StoppedByInterrupt {
		b.stoppedBy = ""
	}
	switch {
	case b.freed || b.stoppedBy != "":
	case ctx.Err() != nil:
		b.stoppedBy = StoppedByInterrupt
	case !b.round(ctx):
		b.stoppedBy = StoppedByInterrupt
	default:
		more = true
		b.look()
	}
	b.elapsed += time.Since(start)
	if more {
		b.last.Elapsed = b.elapsed
	}
	return b.last, more
}

// look notes the state after an iteration, and whether it was the last.
func (b *Booster) look() {
	p := &b.params
	b.last = Progress{Iteration: b.last.Iteration + 1, Trees: b.forest.Trees()}
	now := &b.last
	now.Evaluated = now.Iteration%b.evalEvery == 0
	if b.stuck {
		b.stoppedBy = StoppedByNoSplit
	}
	if now.Evaluated {
		now.Valid = b.evaluate()
		if !b.silent {
			now.TrainLoss = b.loss()
		}
	}
	if now.Valid != nil && p.EarlyStopping > 0 {
		b.best.see(now.Valid, p.Metric, now.Iteration, now.Trees)
		if now.Iteration-b.best.iteration >= p.EarlyStopping {
			b.stoppedBy = StoppedByEarlyStopping
		}
	}
	switch {
	case b.stoppedBy != "":
	case b.lossAtMost(p.StopLoss):
		b.stoppedBy = StoppedByLoss
	case b.grown+b.perRound > p.Trees:
		b.stoppedBy = StoppedByTrees
	}
	now.Best, now.StoppedBy = b.best.iteration, b.stoppedBy
}

// Result is the model so far and how training went, as [Train] returns it:
// with early stopping the model is that of the best iteration. Later steps do
// not change it. StoppedBy is empty while training goes on. After Free,
// TrainLoss is NaN, and Valid is there with early stopping only.
func (b *Booster) Result() *Result {
	r := &Result{
		Iterations:    b.last.Iteration,
		BestIteration: b.last.Iteration,
		TrainLoss:     math.NaN(),
		StoppedBy:     b.stoppedBy,
		Elapsed:       b.elapsed,
		Threads:       b.team.Workers(),
		Level:         b.kernels.Level,
	}
	if !b.freed {
		r.TrainLoss, r.Valid = b.loss(), b.evaluate()
	}
	forest := b.forest.Truncated(b.forest.Trees())
	if best := b.best; b.params.EarlyStopping > 0 && best.iteration > 0 {
		if r.Valid != nil {
			best.see(r.Valid, b.params.Metric, r.Iterations, forest.Trees())
		}
		r.BestIteration, r.Valid = best.iteration, best.valid
		forest = forest.Truncated(best.trees)
	}
	r.Model = b.model(forest)
	return r
}

// bestRound is the best evaluation so far.
type bestRound struct {
	value     float64
	iteration int
	trees     int
	valid     *Evaluation
}

func (b *bestRound) see(e *Evaluation, metric string, iteration, trees int) {
	value := e.LogLoss
	if metric == "error" {
		value = e.ErrorRate
	}
	if value < b.value {
		*b = bestRound{value, iteration, trees, e}
	}
}
