package predict

import (
	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/kernel"
)

// linear computes initial scores: linear scores, or zeros if the model has none.
type linear struct {
	*model.Linear
	scorer model.Scorer
	places []float32 // rows × terms
	column []float64 // values of a feature
	same   []float64 // scores of every row, if no feature changes them; otherwise zeros
}

// newLinear returns the initial scores of a model with these values, ready for single rows.
func newLinear(v *values, k *kernel.Funcs) linear {
	l := linear{Linear: v.linear, same: make([]float64, v.stride())}
	if l.Linear != nil {
		l.scorer = *v.scorer
		l.places = make([]float32, l.Terms())
		if !varies(l.Linear) {
			l.scorer.Scores(nil, 1, l.same, k)
		}
	}
	return l
}

// varies reports whether different rows have different initial scores. Without l, all are zero.
func varies(l *model.Linear) bool { return l != nil && l.Terms() > 0 }

// load computes the places of rows of x, from first on.
func (l *linear) load(x bin.Source, first, rows int) {
	terms := l.Terms()
	l.places = resized(l.places, rows*terms)
	l.column = resized(l.column, rows)
	last := -1
	for t := range terms {
		if column := l.Column(t); column != last {
			bin.ReadColumn(x, column, first, l.column)
			last = column
		}
		for i, v := range l.column {
			l.places[i*terms+t] = l.Place(t, v)
		}
	}
}

// loadRow computes the places of one row.
func (l *linear) loadRow(row []float64) {
	for t := range l.places {
		l.places[t] = l.Place(t, row[l.Column(t)])
	}
}

// write writes the initial scores of the loaded rows from first on, values.stride numbers for each row.
func (l *linear) write(first int, scores []float64, rows int, k *kernel.Funcs) {
	if varies(l.Linear) {
		l.scorer.Scores(l.places[first*l.Terms():], rows, scores, k)
		return
	}
	if l.Linear == nil {
		clear(scores)
		return
	}
	for i := range rows {
		copy(scores[i*len(l.same):], l.same)
	}
}

// resized returns a slice of length n with arbitrary contents, in the memory of s if it is large enough.
func resized[T any](s []T, n int) []T {
	if n > cap(s) {
		return make([]T, n)
	}
	return s[:n]
}
