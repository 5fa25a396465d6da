package boost

import (
	"sync"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// initialScores computes the raw scores of rows before the first tree: the linear scores of a
// model.
type initialScores struct {
	*model.Linear
	places  func(row int, places []float32)
	scorer  *model.Scorer
	byClass func() []float32 // weights, classes × terms; computed when first needed
	kernels *kernel.Funcs
}

func newBeginning(l *model.Linear, places func(row int, places []float32), k *kernel.Funcs) *initialScores {
	byClass := sync.OnceValue(func() []float32 {
		terms := l.Terms()
		weights := make([]float32, len(l.Bias())*terms)
		for t := range terms {
			for k, w := range l.Weights(t) {
				weights[k*terms+t] = w
			}
		}
		return weights
	})
	return &initialScores{l, places, l.Scorer(), byClass, k}
}

// binnedScores returns the initial scores of a dataset with the bins that they were fitted to;
// nil: zeros.
func binnedScores(l *model.Linear, set *data.Set, k *kernel.Funcs) *initialScores {
	if l == nil {
		return nil
	}
	columns, places := make([][]uint8, l.Terms()), make([][256]float32, l.Terms())
	for t := range columns {
		columns[t] = set.Matrix.Columns[l.Column(t)]
		for i, x := range set.Mapper.Features[l.Column(t)].Lower {
			places[t][i+1] = l.Place(t, x)
		}
	}
	return newBeginning(l, func(row int, to []float32) {
		for t, column := range columns {
			to[t] = places[t][column[row]]
		}
	}, k)
}

// LinearScores returns the scores of the rows of a set with the bins that linear scores were fitted to, rows × classes.
func LinearScores(l *model.Linear, set *data.Set, k *kernel.Funcs) []float64 {
	scores := make([]float64, set.Rows()*len(l.Bias()))
	binnedScores(l, set, k).write(0, set.Rows(), scores)
	return scores
}

// rawScores returns the initial scores of rows without bins; nil: zeros.
func rawScores(l *model.Linear, x bin.Source, k *kernel.Funcs, team *par.Team) *initialScores {
	if l == nil {
		return nil
	}
	terms := l.Terms()
	all := make([]float32, x.Rows()*terms)
	team.Do(terms, func(_, t int) {
		var values [kernel.RowBlock]float64
		for first := 0; first < x.Rows(); first += len(values) {
			block := values[:min(len(values), x.Rows()-first)]
			bin.ReadColumn(x, l.Column(t), first, block)
			for i, v := range block {
				all[(first+i)*terms+t] = l.Place(t, v)
			}
		}
	})
	return newBeginning(l, func(row int, to []float32) { copy(to, all[row*terms:]) }, k)
}

// Stride returns the distance of the scores of two rows.
func (b *initialScores) Stride() int { return b.scorer.Stride() }

// Common reports whether all rows have the same scores.
func (b *initialScores) Common() bool { return b.Terms() == 0 }

// Scores writes the scores of rows from first up to end, rows × Stride.
func (b *initialScores) Scores(first, end int, scores []float64) {
	terms := b.Terms()
	places := make([]float32, (end-first)*terms)
	for row := first; row < end; row++ {
		b.places(row, places[(row-first)*terms:][:terms])
	}
	scorer := *b.scorer
	scorer.Scores(places, end-first, scores, b.kernels)
}

// ScoresOf writes the scores of some classes of rows, rows × classes, bit for bit as Scores does.
func (b *initialScores) ScoresOf(rows, classes []uint32, scores []float64) {
	terms, byClass := b.Terms(), b.byClass()
	places, x := make([]float32, terms), make([]float64, terms)
	for _, row := range rows {
		b.places(int(row), places)
		for t, place := range places {
			x[t] = float64(place)
		}
		for i, k := range classes {
			score := float64(b.Bias()[k])
			for t, w := range byClass[int(k)*terms:][:terms] {
				score += x[t] * float64(w)
			}
			scores[i] = model.Round(score)
		}
		scores = scores[len(classes):]
	}
}

// write writes the scores of rows from first up to end, rows × classes.
func (b *initialScores) write(first, end int, scores []float64) {
	const atOnce = 16 // rows whose scores stay in the cache
	classes, stride := len(b.Bias()), b.Stride()
	scratch := make([]float64, atOnce*stride)
	for ; first < end; first += atOnce {
		last := min(first+atOnce, end)
		b.Scores(first, last, scratch)
		for i := range last - first {
			copy(scores[:classes], scratch[i*stride:])
			scores = scores[classes:]
		}
	}
}
