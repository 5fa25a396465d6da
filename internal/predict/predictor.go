// Package predict predicts rows with the trees of a model: blocks of rows, or single rows without allocating memory.
package predict

import (
	"iter"
	"slices"
	"sync"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/metric"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Predictor predicts rows with the trees of a forest. It prepares its tables at the first call that needs them. Any number of goroutines may
// use it at once.
type Predictor struct {
	forest     *model.Forest
	cacheBytes int // size of the leaf values of a group of trees

	values func() *values
	blocks func() *blocks
	walks  func() *walks
}

// New returns a Predictor of a forest, which must not change afterwards.
func New(f *model.Forest, cacheBytes int) *Predictor {
	p := &Predictor{forest: f, cacheBytes: cacheBytes}
	p.values = sync.OnceValue(func() *values { return newValues(f, cacheBytes) })
	p.blocks = sync.OnceValue(func() *blocks { return newBlocks(f, 0, p.values(), cacheBytes) })
	p.walks = sync.OnceValue(func() *walks { return newWalks(f, p.values()) })
	return p
}

// Job has rows to predict with the first trees.
type Job struct {
	Features bin.Source
	Trees    int
	Kernels  *kernel.Funcs
	Threads  int // 0: the number of cores, but no more than have rows to predict
}

// scoreBytes bounds the scores of a block of rows, and sumBytes its sums of short values, except that a block has at least 64 rows.
const scoreBytes, sumBytes = 8 << 20, 16 << 20

// mostRows is the largest number of rows of a block whose short values do not fit into the cache: the more rows, the more often a value is
// used once it is there.
const mostRows = 4 * kernel.PredictRows

// planBlocks returns the number of threads and the rows of a block, for a job that computes scores.
func (p *blocks) planBlocks(j *Job) (threads, size int) {
	switch short := p.values.short; {
	case short == nil:
		return j.plan(min(kernel.PredictRows, scoreBytes/(8*p.values.classes)))
	case short.cached: // only parts of a block have sums at a time
		return j.plan(kernel.PredictRows)
	default:
		return j.plan(min(mostRows, sumBytes/(4*short.classes+2*j.Trees)))
	}
}

// plan returns the number of threads of a job and the rows of a block, at most `most` or 64.
func (j *Job) plan(most int) (threads, size int) {
	words := max(1, (j.Features.Rows()+63)/64) // of 64 rows; a shorter word takes as long
	threads = j.Threads
	if threads == 0 && words > 1 {
		threads = par.Available()
	}
	threads = max(1, min(threads, words))
	most = max(1, most/64)
	rounds := (words + threads*most - 1) / (threads * most)
	return threads, (words + threads*rounds - 1) / (threads * rounds) * 64
}

// run loads the blocks of the job's rows, and calls f with each block and the number of its first row.
func (j *Job) run(t *blocks, team *par.Team, size int, f func(b *block, first int)) {
	ready, rows := make([]*block, team.Workers()), j.Features.Rows()
	team.Do((rows+size-1)/size, func(worker, i int) {
		if ready[worker] == nil {
			ready[worker] = t.newBlock(j.Kernels, size, j.Trees)
		}
		b, first := ready[worker], i*size
		b.load(j.Features, first, min(size, rows-first))
		f(b, first)
	})
}

// usedBytes bounds the scores that Scores hands out at a time, so that they are in the cache. A single row may have more.
const usedBytes = 64 << 10

// FewRows is the largest number of rows that are predicted faster one by one than as a block.
const FewRows = 12

// Scores calls use with the raw scores of a few rows at a time, and the number of the first of them. If all is not nil, it has the scores of
// all rows in the end, rows × classes.
func (p *Predictor) Scores(j *Job, all []float64, use func(first int, scores []float64)) {
	p.scores(j, 0, all, use)
}

// Proba writes the probabilities of the rows to proba, rows × classes: the softmax of the raw scores, divided by the temperature unless that
// is 0.
func (p *Predictor) Proba(j *Job, temperature float64, proba []float64) {
	ofScores, ofSoftmax := p.divide(j, temperature)
	p.scores(j, ofScores, proba, func(_ int, scores []float64) {
		j.Kernels.Softmax(&kernel.SoftmaxJob{Scores: scores, Classes: p.forest.Classes(), Temperature: ofSoftmax})
	})
}

// divide returns what p.scores and the softmax divide by, of which one is 0: sums of short values alone are divided by p.scores.
func (p *Predictor) divide(j *Job, temperature float64) (ofScores, ofSoftmax float64) {
	if j.Features.Rows() > FewRows && p.values().short != nil && !varies(p.values().linear) {
		return temperature, 0
	}
	return 0, temperature
}

func (p *Predictor) scores(j *Job, temperature float64, all []float64, use func(first int, scores []float64)) {
	rows, classes := j.Features.Rows(), p.forest.Classes()
	if rows <= FewRows {
		if all == nil {
			all = make([]float64, rows*classes)
		}
		row, values := p.Row(j.Kernels, j.Trees), make([]float64, j.Features.Cols())
		for i := range rows {
			for c := range values {
				j.Features.Column(c, i, values[c:c+1])
			}
			row.Load(values)
			copy(all[i*classes:], row.Scores())
		}
		use(0, all)
		return
	}
	threads, size := p.blocks().planBlocks(j)
	team := par.NewTeam(threads)
	defer team.Close()
	j.run(p.blocks(), team, size, func(b *block, first int) {
		b.sumUp()
		for i, rows := range b.parts {
			var scores []float64
			if all != nil {
				scores = all[(first+i)*classes:][:rows*classes]
			} else {
				b.scratch = slices.Grow(b.scratch[:0], rows*classes)
				scores = b.scratch[:rows*classes]
			}
			b.write(scores, i, temperature)
			use(first+i, scores)
		}
	})
}

// Classes writes the class with the greatest score of each row to best. Of equal scores, the lowest class wins.
func (p *Predictor) Classes(j *Job, best []int) {
	v := p.values()
	if j.Features.Rows() > FewRows && p.sparse() {
		p.eachSparse(j, 1, func(row int, e *sparseScores) { best[row] = slices.MinFunc(e.list, compareScored).Class })
		return
	}
	if v.short == nil || v.linear != nil || j.Features.Rows() <= FewRows {
		p.Scores(j, nil, func(first int, scores []float64) {
			for i := range len(scores) / v.classes {
				best[first+i] = metric.Argmax(scores[i*v.classes:][:v.classes])
			}
		})
		return
	}
	threads, size := p.blocks().planBlocks(j)
	team := par.NewTeam(threads)
	defer team.Close()
	j.run(p.blocks(), team, size, func(b *block, first int) {
		b.sumUp()
		for i, rows := range b.parts {
			j.Kernels.Best(&kernel.BestJob{
				Sums: b.shortSums(i, rows), Stride: v.short.classes, Classes: v.classes, Best: best[first+i:][:rows],
			})
		}
	})
}

// Leaves returns the leaf that each row reaches in each tree, rows × trees.
func (p *Predictor) Leaves(j *Job) []int32 {
	leaves := make([]int32, j.Features.Rows()*j.Trees)
	threads, size := p.blocks().planBlocks(j)
	team := par.NewTeam(threads)
	defer team.Close()
	j.run(p.blocks(), team, size, func(b *block, first int) {
		b.writeLeaves(leaves[first*j.Trees:])
	})
	return leaves
}

// Staged yields the raw scores, rows × classes, and the number of trees that they include: after each `every` trees, and after the last. The
// scores are valid until the next step.
func (p *Predictor) Staged(j *Job, every int) iter.Seq2[int, []float64] {
	classes := p.forest.Classes()
	return func(yield func(int, []float64) bool) {
		scores := make([]float64, j.Features.Rows()*classes)
		threads, _ := p.blocks().planBlocks(j)
		team := par.NewTeam(threads)
		defer team.Close()
		for first := 0; first < j.Trees; first += every {
			part := *j
			last := min(first+every, j.Trees)
			part.Trees = last - first
			stage := newBlocks(p.forest, first, p.values().slice(first, last), p.cacheBytes)
			_, size := stage.planBlocks(&part)
			part.run(stage, team, size, func(b *block, row int) {
				scores := scores[row*classes:][:b.rows*classes]
				if first == 0 && b.linear.Linear != nil {
					b.addLinear(scores, 0)
				}
				b.addTo(scores)
			})
			if !yield(last, scores) {
				return
			}
		}
	}
}

// Row returns a Row that the kernels k predict with the first trees.
func (p *Predictor) Row(k *kernel.Funcs, trees int) *Row { return p.walks().newRow(k, trees) }
