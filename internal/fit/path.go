package fit

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/conformal"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/exact"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/metric"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// path follows a training run on rows that it is not trained on. At points that grow more and
// more distant it finds the temperature of the least log loss, the refined loss of that point
// (E. Berta et al., Rethinking early stopping: refine, then calibrate, 2025). Of the points
// whose refined loss is not clearly above the least, it picks the last.
type path struct {
	target  *data.Target
	rows    int      // number of rows on all machines
	temper  bool     // points are evaluated at their factors, else at factor 1
	scouts  bool     // it judges scouts of an ensemble, which has a path of its own: nothing is computed before it is asked for
	known   float64  // weight of the rows of known classes
	from    []uint32 // of held-out rows: their numbers in the dataset; nil: a validation set's
	share   float64  // of all rows: those that a model is trained without, to judge it
	sample  *conformal.Sample
	kernels *kernel.Funcs
	team    *par.Team

	linear float64   // refined loss of the linear scores that training starts from; 0: none
	weak   bool      // the linear scores explain little
	next   int       // iteration of the next point
	points []point   // so far; the first stands for no model
	least  int       // index of the least refined loss
	pick   int       // index of the point picked
	losses []float64 // by row: the refined loss at the least point
	spare  []float64 // memory for the raw scores of a point
	excess float64   // of the last point's refined loss over the least, in standard errors
}

// point is an evaluation of the model after an iteration.
type point struct {
	iteration  int
	factor     float64 // of the scores, at which the loss is least: 1/temperature
	loss       float64 // the refined loss
	evaluation metric.Evaluation
	raw        []float64         // raw scores, at the last point and, of scouts, the one picked
	scores     *conformal.Scores // at the point picked; nil: they follow from raw
	views      *views            // of held-out rows, at the last point and the one picked
}

const (
	// unknownRows is the number of additional rows whose class may be any: half a row, as R. Krichevsky and V. Trofimov add
	// (The performance of universal encoding, 1981). They keep the probabilities from 1 where all rows are predicted right,
	// and matter little where many are not.
	unknownRows = 0.5
	// From one point to the next, the number of iterations grows by a factor of 1 + 1/sparseness.
	sparseness = 7
	// More than manyScores raw scores would take too much memory to keep, and about as long to evaluate as a tree to grow, so that the
	// factor is 1 + 1/sparse. More than veryMany take seconds: the factor is 1 + 1/sparsest.
	manyScores, sparse, veryMany, sparsest = 1 << 22, 4, 1 << 24, 2
	// A model whose scores are too small needs more trees rather than a temperature below 1. Its
	// loss may exceed the least by that many standard errors.
	unfinished = 1
	// Labels are noisy if more than this share of the rows is predicted wrong.
	noisyFrom = 0.05
)

// ending says when a path is over: where the loss exceeds the least by rise standard errors, after warmUp iterations and patience times those
// of the least; after fewest iterations and hopeless times those of the point picked; and after four times the fewest, where the loss of half the
// iterations is at most slope times the last. A loss that exceeds the least by at most similar standard errors is as good.
type ending struct{ warmUp, patience, rise, fewest, hopeless, slope, similar float64 }

// Where labels are clear, a loss that rises may fall again.
var clearEnding, noisyEnding = ending{50, 2, 2, 50, 3, 0, 0.25}, ending{20, 1.25, 1, 50, 3, 1.003, 0.25}

// After linear scores, trees help or harm from the first iteration.
const linearWarmUp = 10

// Linear scores should lower the log loss by more than this share. If trees lower it further by
// more than this share, they might do without linear scores.
const improvement = 0.1

// Linear scores explain little if their refined loss exceeds this share of the log loss of the class frequencies.
const weakFrom = 0.5

// newPath returns nil if no row of a known class has weight.
func newPath(t *data.Target, temper bool, k *kernel.Funcs, team *par.Team) *path {
	p := &path{target: t, rows: t.AllRows(), temper: temper, kernels: k, team: team, next: 1}
	var known exact.Sum
	for row, y := range t.Labels {
		if y >= 0 {
			known.Add(t.Weight(row))
		}
	}
	t.Ranks.Add(&known)
	if p.known = known.Float64(); p.known == 0 {
		return nil
	}
	p.sample = conformal.NewSample(conformal.Target{Ranks: t.Ranks, Classes: len(t.Classes), Labels: t.Labels, Weights: t.Weights, IDs: t.IDs})
	p.points = []point{{factor: 1, loss: math.Inf(1)}}
	return p
}

func (p *path) lowest() float64 { return p.best().loss }
func (p *path) best() *point    { return &p.points[p.least] }
func (p *path) picked() *point  { return &p.points[p.pick] }
func (p *path) last() *point    { return &p.points[len(p.points)-1] }

// end returns the point at which a model ends whose number of trees is to be chosen or not.
func (p *path) end(choose bool) *point {
	if choose {
		return p.picked()
	}
	return p.last()
}

// pointAt returns the last point up to an iteration.
func (p *path) pointAt(iteration int) *point {
	i := len(p.points) - 1
	for p.points[i].iteration > iteration {
		i--
	}
	return &p.points[i]
}

// setLinear records the linear scores that training starts from. It reports whether they explain something.
func (p *path) setLinear(scores []float64) bool {
	now, _ := p.measure(0, scores, 1, 1e-3)
	p.linear = now.loss
	left := p.unexplained(p.linear)
	p.weak = left > weakFrom
	return left < 1-improvement
}

// unexplained returns a refined loss as a share of the log loss of the class frequencies.
func (p *path) unexplained(loss float64) float64 { return loss / p.entropy() }

// entropy returns the log loss of the class frequencies, with half a row added to each class.
func (p *path) entropy() float64 {
	sums := p.target.ClassWeights()
	half := 0.5 * p.known / float64(max(p.rows, 1))
	entropy := 0.0
	for k := range sums {
		weight := sums[k].Float64()
		entropy -= float64(weight / p.known * loss.Log((weight+half)/(p.known+float64(half*float64(len(sums))))))
	}
	return entropy
}

// withAllRows returns the temperature of a model that is trained on all rows, given that of a model that the path follows. What exceeds 1 is due
// to noise in the scores, which is in inverse proportion to the number of rows.
func (p *path) withAllRows(temperature float64) float64 {
	return temperature - float64(p.share*max(0, temperature-1))
}

// improved reports whether trees have improved so much on the linear scores that trees without
// them may be better.
func (p *path) improved() bool { return p.lowest() < (1-improvement)*p.linear }

// addPoint adds a point: the raw scores of the model after an iteration.
func (p *path) addPoint(iteration int, scores []float64) {
	all, apart := p.rows*len(p.target.Classes), sparseness
	switch {
	case all > veryMany:
		apart = sparsest
	case all > manyScores:
		apart = sparse
	}
	p.next = iteration + 1 + iteration/apart
	now, losses := p.measure(iteration, scores, p.last().factor, 1e-3)
	p.points = append(p.points, now)
	if now.loss < p.lowest() || p.losses == nil {
		p.least, p.pick, p.losses, p.excess = len(p.points)-1, len(p.points)-1, losses, 0
	} else if p.excess = (now.loss - p.lowest()) / p.standardError(losses); p.excess <= p.ending().similar || p.excess <= unfinished && p.picked().factor > 1 {
		p.pick = len(p.points) - 1
	}
	for i := range len(p.points) - 1 {
		old := &p.points[i]
		if i != p.pick {
			p.takeRaw(old)
			old.scores, old.views = nil, nil
		} else if !p.scouts {
			p.settle(old)
		}
	}
	last := p.last()
	if !p.scouts && all > manyScores {
		p.conclude(last, scores)
		return
	}
	if p.spare == nil {
		p.spare = make([]float64, 0, len(scores)) // not nil on a machine without rows
	}
	last.raw, p.spare = append(p.spare[:0], scores...), nil
}

// takeRaw takes the memory of the raw scores at a point.
func (p *path) takeRaw(at *point) {
	if at.raw != nil {
		p.spare, at.raw = at.raw, nil
	}
}

// keep drops the raw scores at all points but one.
func (p *path) keep(at *point) {
	for i := range p.points {
		if old := &p.points[i]; old != at {
			p.takeRaw(old)
		}
	}
	p.spare = nil
}

// settle computes what follows from the raw scores at a point, if it still has them.
func (p *path) settle(at *point) {
	if at.raw != nil {
		p.conclude(at, at.raw)
		p.takeRaw(at)
	}
}

// conclude computes what follows from the raw scores at a point.
func (p *path) conclude(at *point, raw []float64) {
	at.scores = p.conformity(raw, at.factor)
	if at.views != nil {
		at.views.rivals = p.rivals(raw, at.factor)
	}
}

// measure evaluates raw scores. It returns the point and the loss of each row. The search for
// the factor starts at guess and ends at a relative precision.
func (p *path) measure(iteration int, scores []float64, guess, precision float64) (point, []float64) {
	scaling := p.scaling(scores, guess, precision)
	now := point{iteration: iteration, factor: scaling.Factor()}
	tempered, losses := metric.EvaluateRows(scores, 1/now.factor, p.target, p.kernels, p.team)
	now.loss, now.evaluation = tempered.LogLoss, *tempered
	if !p.temper {
		now.evaluation = *metric.Evaluate(scores, 1, p.target, p.kernels, p.team)
	}
	if p.from != nil {
		now.views = &views{losses: p.ofLabels(losses, scores, now.factor)}
	}
	return now, losses
}

// conformity returns the conformity scores of rows whose raw scores are known.
func (p *path) conformity(raw []float64, factor float64) *conformal.Scores {
	temperature := 1 / factor
	if !p.temper {
		temperature = 0
	}
	return p.sample.Scores(raw, func(block []float64) {
		p.kernels.Softmax(&kernel.SoftmaxJob{Scores: block, Classes: len(p.target.Classes), Temperature: temperature})
	}, p.team)
}

// scoresAt returns the conformity scores at a point, or, if they are gone, at the one picked; nil: without look, they would need the other machines.
func (p *path) scoresAt(at *point, look bool) *conformal.Scores {
	if at.raw == nil && at.scores == nil {
		at = p.picked()
	}
	if at.raw == nil || !look && p.target.Ranks != nil {
		return at.scores
	}
	return p.conformity(at.raw, at.factor)
}

// rivals returns the rival of each row.
func (p *path) rivals(raw []float64, factor float64) []metric.Rival {
	return metric.Rivals(raw, 1/factor, p.target.Labels, p.team)
}

// ofLabels returns −log p of the rows' labels, given the losses of soft labels.
func (p *path) ofLabels(losses, scores []float64, factor float64) []float64 {
	if p.target.Soft == nil {
		return losses
	}
	own, classes := slices.Clone(losses), len(p.target.Classes)
	for i, y := range p.target.Labels {
		own[i] = max(0, own[i]-factor*p.target.Soft.Gap(i, scores[i*classes:][:classes], int(y)))
	}
	return own
}

// scaling returns the search for the factor of raw scores that starts at guess and ends at a relative precision.
func (p *path) scaling(scores []float64, guess, precision float64) metric.Scaling {
	return metric.Scaling{
		Scores: scores, Target: p.target, Unknown: unknownRows,
		Start: guess, Precision: precision, Kernels: p.kernels, Team: p.team,
	}
}

// flat reports whether the refined loss after half as many iterations as at a point is at most slope times that of the point.
func (p *path) flat(to *point, slope float64) bool {
	return p.pointAt(to.iteration/2).loss <= slope*to.loss
}

// standardError returns the standard error of the mean difference between the losses and those
// at the least point.
func (p *path) standardError(losses []float64) float64 {
	var sum, squares exact.Sum
	for row, loss := range losses {
		d := p.target.Weight(row) * (loss - p.losses[row])
		sum.Add(d)
		squares.Add(d * d)
	}
	p.target.Ranks.Add(&sum, &squares)
	total, rows := sum.Float64(), float64(p.rows)
	return math.Sqrt(max(0, squares.Float64()-float64(total*total)/rows)) / p.known
}

// over reports whether more iterations would only make the model worse.
func (p *path) over() bool {
	end, now := p.ending(), float64(p.last().iteration)
	return p.excess > end.rise && now >= max(end.warmUp, end.patience*float64(p.best().iteration)) ||
		now >= max(end.fewest, end.hopeless*float64(p.picked().iteration)) ||
		now >= 4*end.fewest && p.flat(p.last(), end.slope)
}

// ending returns when the path is over. Averaging members does what the last trees of a single model do.
func (p *path) ending() ending {
	end := clearEnding
	if p.noisy() {
		end = noisyEnding
	}
	if p.scouts {
		end.patience, end.fewest, end.hopeless, end.similar = noisyEnding.patience, 80, 1.6, 0.1
	}
	if p.linear > 0 {
		end.warmUp = linearWarmUp
	}
	return end
}

// noisy reports whether many rows are predicted wrong.
func (p *path) noisy() bool { return p.best().evaluation.ErrorRate > noisyFrom }

// beaten reports whether the path can hardly reach a refined loss in that many iterations. A fifth of them suffices to decide.
func (p *path) beaten(by float64, iterations int) bool {
	return 5*p.last().iteration >= iterations && min(p.lowest(), p.extrapolate(iterations)) > by
}

// extrapolate returns the refined loss after that many iterations. If the last doubling of the iterations lowered it by less than the
// doubling before, the falls shrink on, by the root of that share with each doubling: the share itself would be too pessimistic. Else
// they stay the same.
func (p *path) extrapolate(iterations int) float64 {
	last := p.last()
	half := p.pointAt((last.iteration + 1) / 2)
	quarter := p.pointAt((half.iteration + 1) / 2)
	loss, fall, share := last.loss, half.loss-last.loss, 1.0
	if before := quarter.loss - half.loss; fall > 0 && before > fall && quarter.iteration > 0 {
		share = math.Sqrt(fall / before)
	}
	for i := last.iteration; i < iterations; i *= 2 {
		fall *= share
		loss -= fall
	}
	return loss
}
