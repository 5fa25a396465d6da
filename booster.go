package aoso

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/libaoso/aoso/internal/loss"
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
	source    *rand.PCG // of draws
	draws     *rand.Rand
	perRound  int // trees an iteration adds
	grown     int // trees added

	last      Progress
	best      bestRound
	stoppedBy string // "": training is not over
	elapsed   time.Duration
	freed     bool

	residuals *loss.Residuals
	sampled   *tree.Partition // the rows that the tree is grown on
	rest      *tree.Partition // the other rows; nil: there never are any
	grower    *tree.Grower
	columns   []int
	forest    *tree.Forest

	bound   float64   // Σ (1 − p_y), which is below the loss
	stuck   bool      // the last iteration changed nothing, and so would the next
	steps   []float32 // rows × Stride: what the trees of an iteration add to the scores
	factors []float32 // leaves × Stride: what the leaves of a tree multiply the odds by
	jobs    []kernel.UpdateJob

	influence []float32 // by row: w·(1 − p_y)
	out       []uint8   // by row: whether it leaves sampled for rest

	base      int // class of abc
	baseAge   int // iterations since it was chosen
	classLoss []float64

	valid *scored
}

// scored is a dataset with the raw scores of the model so far.
type scored struct {
	*Dataset
	scores []float64 // rows × classes
	rows   *tree.Partition
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
		source:    rand.NewPCG(p.Seed, 1),
		perRound:  p.treesPerRound(classes),
		columns:   train.columns(),
		forest:    tree.NewForest(classes, p.Pairs, p.Leaf == "full"),
		sampled:   tree.NewPartition(train.Rows()),
		base:      -1,
	}
	b.draws = rand.New(b.source)
	if m := train.init; m != nil {
		if err := m.checkContinued(&p, b.perRound); err != nil {
			return nil, err
		}
		b.forest = m.forest.Clone()
	}
	b.last.Trees = b.forest.Trees()
	b.best = bestRound{value: math.Inf(1), trees: b.forest.Trees()}
	stride := loss.Stride(classes, p.needsImpossible(classes))
	b.residuals = loss.NewResiduals(train.labels, train.weights, classes, stride)
	if train.initScores != nil {
		b.residuals.SetScores(train.initScores, funcs)
	}
	for i, y := range train.labels {
		b.bound -= float64(b.residuals.Row(i)[y])
	}
	if p.Method != AOSO {
		b.steps = make([]float32, len(b.residuals.Data))
	}
	if p.Subsample < 1 || p.Trim > 0 {
		b.rest = tree.NewPartition(train.Rows())
		b.influence = make([]float32, train.Rows())
		b.out = make([]uint8, train.Rows())
	}
	b.grower = tree.NewGrower(b.kernels, train.matrix, train.mapper, b.residuals, p.growth(len(b.columns)), b.sampled, b.team)
	if valid := o.Valid; valid != nil {
		b.valid = &scored{valid, make([]float64, valid.Rows()*classes), tree.NewPartition(valid.Rows())}
		copy(b.valid.scores, valid.initScores)
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
	b.residuals.Free()
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
	case !b.tryRound(ctx):
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
	forest := *b.forest // whose arrays are only ever appended to
	if best := b.best; b.params.EarlyStopping > 0 && best.iteration > 0 {
		if r.Valid != nil {
			best.see(r.Valid, b.params.Metric, r.Iterations, forest.Trees())
		}
		r.BestIteration, r.Valid = best.iteration, best.valid
		forest.Truncate(best.trees)
	}
	r.Model = b.model(&forest)
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

// tryRound does a round, or leaves no trace of it: false if ctx was cancelled
// in it.
func (b *Booster) tryRound(ctx context.Context) bool {
	draws, base, baseAge, bound := *b.source, b.base, b.baseAge, b.bound
	done := b.round(ctx)
	if !done {
		*b.source, b.base, b.baseAge, b.bound = draws, base, baseAge, bound
	}
	return done
}

// round adds the trees of one iteration; false if ctx was cancelled in it,
// which then added none and left the residuals as they were.
func (b *Booster) round(ctx context.Context) bool {
	switch b.params.Method {
	case ABC:
		return b.roundABC(ctx)
	case LogitBoost:
		pairs := make([]kernel.Pair, b.residuals.Classes)
		for k := range pairs {
			pairs[k] = kernel.Pair{R: int32(k), S: int32(len(pairs))}
		}
		trees, done := b.growAll(ctx, pairs)
		if done {
			b.multiply()
			b.add(trees)
		}
		return done
	}
	t, segments, rest := b.grow(nil)
	b.setFactors(t)
	b.bound = b.step(b.sampled, segments)
	if b.rest != nil {
		b.bound += b.step(b.rest, rest)
	}
	b.add([]*tree.Tree{t})
	return true
}

// grow draws rows and columns and grows a tree on them. The segments are of
// the partitions sampled and rest.
func (b *Booster) grow(fixed []kernel.Pair) (t *tree.Tree, segments, rest []tree.Segment) {
	b.chooseRows()
	columns := b.columns
	if b.params.ColsampleByTree < 1 && len(columns) > 0 {
		columns = slices.Clone(columns)
		b.draws.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
		columns = columns[:sampleSize(b.params.ColsampleByTree, len(columns))]
		slices.Sort(columns)
	}
	t, segments = b.grower.Grow(columns, fixed, b.draws)
	if b.rest != nil {
		rest = t.Route(b.kernels, b.train.matrix, b.rest, b.team)
	}
	return t, segments, rest
}

// chooseRows draws the rows to grow the next tree on, and leaves those out
// that are all but learnt: with a residual 1 − p_y, times the weight, below
// Trim of the mean. They take their steps, but have no say in the tree.
func (b *Booster) chooseRows() {
	rows := b.train.Rows()
	b.sampled.Fill(rows)
	if b.rest == nil {
		return
	}
	if b.params.Trim > 0 {
		b.trim()
	} else {
		for i := range b.out {
			b.out[i] = stays
		}
	}
	if b.params.Subsample < 1 {
		drawn := drawRows[uint32](b.draws, rows, sampleSize(b.params.Subsample, rows))
		for i := range b.out {
			if len(drawn) > 0 && int(drawn[0]) == i {
				drawn = drawn[1:]
			} else {
				b.out[i] = leaves
			}
		}
	}
	in := b.sampled.SplitBy(b.kernels, b.out, stays, false, 0, rows, b.team)
	b.rest.Rows = append(b.rest.Rows[:0], b.sampled.Rows[in:]...)
	b.sampled.Rows = b.sampled.Rows[:in]
}

// Codes of rows for the partition.
const stays, leaves = 1, 2

// trim tells the rows that are all but learnt from the others.
func (b *Booster) trim() {
	rows := b.train.Rows()
	sums := make([]float64, kernel.Blocks(rows))
	b.team.Do(len(sums), func(_, i int) {
		first, end := kernel.Block(i, rows)
		sums[i] = b.residuals.Influence(b.influence[first:end], first)
	})
	sum := 0.0
	for _, s := range sums {
		sum += s
	}
	// The bits of what is not negative are in its order: no branch to mispredict.
	least := math.Float32bits(float32(b.params.Trim * sum / float64(rows)))
	b.team.Do(len(sums), func(_, i int) {
		first, end := kernel.Block(i, rows)
		out := b.out[first:end]
		for i, influence := range b.influence[first:end] {
			out[i] = stays + uint8((math.Float32bits(influence)-least)>>31)
		}
	})
}

// setFactors computes what the leaves of a tree multiply the odds by.
func (b *Booster) setFactors(t *tree.Tree) {
	stride := b.residuals.Stride
	b.factors = slices.Grow(b.factors[:0], len(t.Leaves)*stride)[:len(t.Leaves)*stride]
	for i := range t.Leaves {
		leafFactors(b.factors[i*stride:][:stride], &t.Leaves[i])
	}
}

// step moves the residuals of a partition's rows by their leaves' factors and
// returns Σ (1 − p_y) over them.
func (b *Booster) step(p *tree.Partition, segments []tree.Segment) float64 {
	stride := b.residuals.Stride
	b.jobs = b.jobs[:0]
	for _, s := range segments {
		b.addJobs(p.Rows[s.Start:s.End], b.factors[s.Leaf*stride:], 0)
	}
	return b.update()
}

// leafFactors is what a leaf multiplies the odds of each class by.
func leafFactors(factors []float32, l *tree.Leaf) {
	for k := range factors {
		factors[k] = 1
	}
	for i, step := range l.Steps {
		up := float32(kernel.Exp(float64(step)))
		if l.Pairs == nil {
			factors[i] = up
			continue
		}
		factors[l.Pairs[i].R] = up
		factors[l.Pairs[i].S] = float32(kernel.Exp(-float64(step)))
	}
}

// addJobs has the odds of rows multiplied by the next update.
func (b *Booster) addJobs(rows []uint32, factors []float32, factorStride int) {
	for len(rows) > 0 {
		n := min(len(rows), kernel.RowBlock)
		b.jobs = append(b.jobs, kernel.UpdateJob{
			Residuals:    b.residuals.Data,
			Stride:       b.residuals.Stride,
			Rows:         rows[:n],
			Factors:      factors,
			FactorStride: factorStride,
		})
		rows = rows[n:]
	}
}

// update does the jobs and returns Σ (1 − p_y) over their rows.
func (b *Booster) update() (sum float64) {
	b.team.Do(len(b.jobs), func(_, i int) { b.kernels.Update(&b.jobs[i]) })
	for i := range b.jobs {
		sum += b.jobs[i].SumResidual
	}
	return sum
}

// growAll grows a tree for each pair, all on the same residuals, and gathers
// what they add to each row's scores.
func (b *Booster) growAll(ctx context.Context, pairs []kernel.Pair) (trees []*tree.Tree, done bool) {
	clear(b.steps)
	for i := range pairs {
		if ctx.Err() != nil {
			return nil, false
		}
		t, segments, rest := b.grow(pairs[i : i+1 : i+1])
		b.gather(t, b.sampled, segments)
		if b.rest != nil {
			b.gather(t, b.rest, rest)
		}
		trees = append(trees, t)
	}
	return trees, true
}

func (b *Booster) gather(t *tree.Tree, p *tree.Partition, segments []tree.Segment) {
	stride := b.residuals.Stride
	for _, s := range segments {
		leaf := &t.Leaves[s.Leaf]
		pair, step := leaf.Pairs[0], leaf.Steps[0]
		for _, row := range p.Rows[s.Start:s.End] {
			steps := b.steps[int(row)*stride:][:stride]
			steps[pair.R] += step
			steps[pair.S] -= step
		}
	}
}

// multiply moves the residuals of all rows by the steps that growAll
// gathered. Only their differences count: the largest becomes zero, so that
// sums over hundreds of trees do not overflow.
func (b *Booster) multiply() {
	const least = -60 // far below what a probability can recover from
	rows, stride := b.train.Rows(), b.residuals.Stride
	b.team.Do(kernel.Blocks(rows), func(_, i int) {
		first, end := kernel.Block(i, rows)
		for row := first; row < end; row++ {
			steps := b.steps[row*stride:][:b.residuals.Classes]
			top := slices.Max(steps)
			for k, step := range steps {
				steps[k] = float32(kernel.Exp(max(float64(step)-float64(top), least)))
			}
		}
	})
	b.sampled.Fill(rows)
	b.jobs = b.jobs[:0]
	b.addJobs(b.sampled.Rows, b.steps, stride)
	b.bound = b.update()
}

// roundABC is an iteration of ABC-LogitBoost: a tree for each class but the
// base class, on the pair of the two (paper, section 3.1).
func (b *Booster) roundABC(ctx context.Context) bool {
	classes := b.residuals.Classes
	if b.base < 0 || b.baseAge >= b.params.BaseGap {
		b.baseAge = 0
		if b.params.BaseClass == "exhaustive" {
			return b.searchBase(ctx)
		}
		b.base = b.worstClass()
	}
	trees, done := b.growAll(ctx, basePairs(classes, b.base))
	if done {
		b.multiply()
		b.add(trees)
		b.baseAge++
	}
	return done
}

// basePairs is (k, base) for every other class k.
func basePairs(classes, base int) (pairs []kernel.Pair) {
	for k := range classes {
		if k != base {
			pairs = append(pairs, kernel.Pair{R: int32(k), S: int32(base)})
		}
	}
	return pairs
}

// worstClass is the class whose rows have the greatest loss.
func (b *Booster) worstClass() int {
	if b.classLoss == nil {
		b.classLoss = make([]float64, b.residuals.Classes)
	}
	b.residuals.LogLoss(b.classLoss)
	worst := 0
	for k, l := range b.classLoss {
		if l > b.classLoss[worst] {
			worst = k
		}
	}
	return worst
}

// searchBase tries every class as the base class and keeps the trees that
// leave the least loss.
func (b *Booster) searchBase(ctx context.Context) bool {
	before := slices.Clone(b.residuals.Data)
	after := make([]float32, len(before))
	least, bound := math.Inf(1), 0.0
	var best []*tree.Tree
	for base := range b.residuals.Classes {
		trees, done := b.growAll(ctx, basePairs(b.residuals.Classes, base))
		if !done {
			return false
		}
		b.multiply()
		if l := b.residuals.LogLoss(nil); l < least {
			least, bound, best, b.base = l, b.bound, trees, base
			copy(after, b.residuals.Data)
		}
		copy(b.residuals.Data, before)
	}
	copy(b.residuals.Data, after)
	b.bound = bound
	b.add(best)
	b.baseAge++
	return true
}

// add makes trees part of the model and of the validation scores.
func (b *Booster) add(trees []*tree.Tree) {
	p := &b.params
	b.stuck = p.Subsample == 1 && p.ColsampleByTree == 1 && p.ColsampleByNode == 1
	for _, t := range trees {
		b.stuck = b.stuck && t.Idle()
		b.forest.Append(t)
		b.grown++
		if b.valid != nil {
			b.valid.add(b, t)
		}
	}
}

func (v *scored) add(b *Booster, t *tree.Tree) {
	v.rows.Fill(v.Rows())
	classes, last := b.forest.Classes, b.forest.Trees()-1
	for _, s := range t.Route(b.kernels, v.matrix, v.rows, b.team) {
		for _, row := range v.rows.Rows[s.Start:s.End] {
			b.forest.AddLeaf(last, s.Leaf, v.scores[int(row)*classes:][:classes])
		}
	}
}

// loss is Σ −log p_y over the training rows, weighted.
func (b *Booster) loss() float64 { return b.residuals.LogLoss(nil) }

// lossAtMost tells whether the loss has come down to a bound. Most times
// Σ (1 − p_y), which is less than the loss, settles it.
func (b *Booster) lossAtMost(most float64) bool {
	if b.train.weights == nil && b.bound > most {
		return false
	}
	return b.loss() <= most
}

// evaluate is how the model so far does on the validation set.
func (b *Booster) evaluate() *Evaluation {
	if b.valid == nil {
		return nil
	}
	return evaluate(b.valid.scores, b.valid.Dataset)
}

// evaluate compares raw scores, rows × classes, with a dataset's labels.
func evaluate(scores []float64, d *Dataset) *Evaluation {
	e := &Evaluation{}
	classes := len(d.classes)
	weight, known, wrong := 0.0, 0.0, 0.0
	for i, y := range d.labels {
		w := 1.0
		if d.weights != nil {
			w = float64(d.weights[i])
		}
		weight += w
		f := scores[i*classes:][:classes]
		if y < 0 || argmax(f) != int(y) {
			e.Errors++
			wrong += w
		}
		if y >= 0 {
			known += w
			e.LogLoss += float64(w * loss.NegLogSoftmax(f, int(y)))
		}
	}
	if weight > 0 {
		e.ErrorRate = wrong / weight
	}
	e.LogLoss /= known // NaN if there are none
	return e
}

// argmax is the position of the greatest value, the first where some tie.
func argmax(v []float64) int {
	best := 0
	for k := range v {
		if v[k] > v[best] {
			best = k
		}
	}
	return best
}
