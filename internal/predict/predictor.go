// Package predict predicts rows with the trees of a model: blocks of rows, or single rows
// without allocating memory.
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

// Predictor predicts rows with the trees of a forest. It prepares what it needs at the first
// call that needs it. Any number of goroutines may use it at once.
type Predictor struct {
	forest     *model.Forest
	cacheBytes int // of leaf values that are worked on at once

	values func() *values
	blocks func() *blocks
	walks  func() *walks
}

// New returns a Predictor of a forest, which must not change from then on.
func New(f *model.Forest, cacheBytes int) *Predictor {
	p := &Predictor{forest: f, cacheBytes: cacheBytes}
	p.values = sync.OnceValue(func() *values { return newValues(f) })
	p.blocks = sync.OnceValue(func() *blocks { return newBlocks(f, 0, p.values(), cacheBytes) })
	p.walks = sync.OnceValue(func() *walks { return newWalks(f, p.values()) })
	return p
}

// Job is a set of rows to predict with the first trees.
type Job struct {
	Features bin.Source
	Trees    int
	Kernels  *kernel.Funcs
	Threads  int // 0: the number of cores, at most as many as the rows occupy
}

// scoreBytes bounds the scores of a block of rows, and sumBytes the sums of short values, unless
// the least number of rows, 64, needs more.
const scoreBytes, sumBytes = 8 << 20, 256 << 10

// planBlocks is plan for blocks of scores or sums.
func (p *blocks) planBlocks(j *Job) (threads, size int) {
	switch {
	case p.values.short != nil && j.Trees <= p.group: // sums are added up in parts
		return j.plan(1, scoreBytes)
	case p.values.short != nil:
		return j.plan(4*p.values.short.classes, sumBytes)
	}
	return j.plan(8*p.values.classes, scoreBytes)
}

// plan returns the number of threads of a job and the number of rows in each of its blocks,
// given the bytes of a row and the most bytes of a block.
func (j *Job) plan(rowBytes, bytes int) (threads, size int) {
	words := max(1, (j.Features.Rows()+63)/64) // of 64 rows; less than one takes as long
	threads = j.Threads
	if threads == 0 && words > 1 {
		threads = par.Available()
	}
	threads = max(1, min(threads, words))
	most := max(1, min(kernel.PredictWords, bytes/(64*rowBytes)))
	rounds := (words + threads*most - 1) / (threads * most)
	return threads, (words + threads*rounds - 1) / (threads * rounds) * 64
}

// run calls f with every block, ready to be predicted by the trees of t, and
// the number of its first row.
func (j *Job) run(t *blocks, team *par.Team, size int, f func(b *block, first int)) {
	ready, rows := make([]*block, team.Workers()), j.Features.Rows()
	team.Do((rows+size-1)/size, func(worker, i int) {
		if ready[worker] == nil {
			ready[worker] = t.newBlock(j.Kernels)
		}
		b, first := ready[worker], i*size
		b.load(j.Features, first, min(size, rows-first))
		f(b, first)
	})
}

// usedBytes bounds the scores that are used while they are in the cache, unless a row has more.
const usedBytes = 64 << 10

// FewRows are predicted faster one by one than as a block.
const FewRows = 12

// Scores calls use with the raw scores of a few rows at a time and the number of the first of
// them. It writes them to all, rows × classes, unless all is nil.
func (p *Predictor) Scores(j *Job, all []float64, use func(first int, scores []float64)) {
	p.scores(j, 0, all, use)
}

// Proba writes the softmax of the raw scores of rows, divided by the temperature unless that
// is 0, to proba, rows × classes.
func (p *Predictor) Proba(j *Job, temperature float64, proba []float64) {
	softmax := kernel.SoftmaxJob{Classes: p.forest.Classes(), Temperature: temperature}
	if p.dividesShort(j) {
		softmax.Temperature = 0
	}
	p.scores(j, temperature, proba, func(_ int, scores []float64) {
		softmax := softmax
		softmax.Scores = scores
		j.Kernels.Softmax(&softmax)
	})
}

// dividesShort reports whether scores divides by the temperature: sums of short values.
func (p *Predictor) dividesShort(j *Job) bool {
	return j.Features.Rows() > FewRows && p.values().short != nil
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
		b.total(j.Trees)
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

// Classes writes the class of the greatest score of each row, the lowest where some tie.
func (p *Predictor) Classes(j *Job, best []int) {
	v := p.values()
	if j.Features.Rows() > FewRows && p.sparse() {
		p.eachSparse(j, 1, func(row int, e *sparseScores) { best[row] = slices.MinFunc(e.list, better).Class })
		return
	}
	if v.short == nil || j.Features.Rows() <= FewRows {
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
		b.total(j.Trees)
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
		b.writeLeaves(leaves[first*j.Trees:], j.Trees)
	})
	return leaves
}

// Staged yields the number of trees and the raw scores after every multiple of every trees and
// at the end. The scores are valid until the next step.
func (p *Predictor) Staged(j *Job, every int) iter.Seq2[int, []float64] {
	classes := p.forest.Classes()
	return func(yield func(int, []float64) bool) {
		scores := make([]float64, j.Features.Rows()*classes)
		threads, size := p.blocks().planBlocks(j)
		team := par.NewTeam(threads)
		defer team.Close()
		for first := 0; first < j.Trees; first += every {
			last := min(first+every, j.Trees)
			stage := newBlocks(p.forest, first, p.values().slice(first, last), p.cacheBytes)
			j.run(stage, team, size, func(b *block, row int) {
				if first == 0 && b.linear.Linear != nil {
					b.initScores(b.rows)
					b.write(scores[row*classes:][:b.rows*classes], 0, 0)
				}
				b.addTo(scores[row*classes:], last-first)
			})
			if !yield(last, scores) {
				return
			}
		}
	}
}

// Row returns a Row that kernels predict with the first trees.
func (p *Predictor) Row(k *kernel.Funcs, trees int) *Row { return p.walks().newRow(k, trees) }
