package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/kernel"
)

// Linear is the raw scores of rows before any tree, by a linear model. Its inputs are not values
// of features but their places, a number for each bin. So training, which has only bins,
// computes the same scores, and an extreme value weighs no more than the others of its bin.
//
// The score of a class is its bias and, for each term, the product of the place in the term's
// column and the weight of the class, rounded to a multiple of 2⁻²⁴. A missing value has place
// 0, the mean.
type Linear struct {
	classes int

	// By term.
	columns   []int32
	firstEdge []uint32 // by term, and one past the last
	edges     []float64
	places    []float32 // by term one more than edges: below the first edge, between edges, from the last on
	weights   []float32 // terms × classes

	bias []float32 // by class
}

// NewLinear returns scores that are the same for all rows.
func NewLinear(bias []float32) *Linear {
	return &Linear{classes: len(bias), firstEdge: []uint32{0}, bias: bias}
}

// Add adds a term: a column, the edges of its bins, the place of each bin, and the weight of
// each class.
func (l *Linear) Add(column int, edges []float64, places, weights []float32) {
	l.columns = append(l.columns, int32(column))
	l.edges, l.places = append(l.edges, edges...), append(l.places, places...)
	l.firstEdge = append(l.firstEdge, uint32(len(l.edges)))
	l.weights = append(l.weights, weights...)
}

// Terms returns the number of terms.
func (l *Linear) Terms() int { return len(l.columns) }

// Bias returns the score of each class where all places are 0.
func (l *Linear) Bias() []float32 { return l.bias }

// Column returns the column of a term.
func (l *Linear) Column(term int) int { return int(l.columns[term]) }

// Edges returns the edges between the bins of a term.
func (l *Linear) Edges(term int) []float64 { return l.edges[l.firstEdge[term]:l.firstEdge[term+1]] }

// Places returns the places of the bins of a term.
func (l *Linear) Places(term int) []float32 {
	return l.places[int(l.firstEdge[term])+term : int(l.firstEdge[term+1])+term+1]
}

// Weights returns the weight of each class in a term.
func (l *Linear) Weights(term int) []float32 {
	return l.weights[term*l.classes:][:l.classes]
}

// Place returns the place of a value of a term's column.
func (l *Linear) Place(term int, x float64) float32 {
	if x != x {
		return 0
	}
	x = max(-math.MaxFloat64, min(x, math.MaxFloat64))
	edges := l.Edges(term)
	return l.Places(term)[sort.Search(len(edges), func(i int) bool { return x < edges[i] })]
}

// Round rounds a score to a multiple of 2⁻²⁴, so that scores and short leaf values add up
// exactly, in any order.
func Round(score float64) float64 {
	shift := kernel.Shift(kernel.LinearUnit)
	return (score + shift) - shift
}

// Scorer computes the scores of rows. No two goroutines may use one at once, but copies share
// the weights.
type Scorer struct{ job kernel.LinearJob }

// Scorer returns a Scorer. The distance of the scores of two rows is padded to whole vectors and
// includes a padding class.
func (l *Linear) Scorer() *Scorer {
	stride := (l.classes + 8) &^ 7
	s := &Scorer{kernel.LinearJob{Terms: l.Terms(), Stride: stride, Bias: make([]float32, stride), Weights: make([]float32, l.Terms()*stride)}}
	copy(s.job.Bias, l.bias)
	for t := range l.Terms() {
		copy(s.job.Weights[t*stride:], l.Weights(t))
	}
	return s
}

// Stride returns the distance of the scores of two rows. The padding class has score zero.
func (s *Scorer) Stride() int { return s.job.Stride }

// Scores writes the scores of rows with the given places, rows × terms.
func (s *Scorer) Scores(places []float32, rows int, scores []float64, k *kernel.Funcs) {
	s.job.Places, s.job.Rows, s.job.Scores = places, rows, scores
	k.Linear(&s.job)
}

// Scaled returns the scores multiplied by a factor.
func (l *Linear) Scaled(factor float64) *Linear {
	times := func(numbers []float32) []float32 {
		scaled := make([]float32, len(numbers))
		for i, x := range numbers {
			scaled[i] = float32(float64(x) * factor)
		}
		return scaled
	}
	scaled := *l
	scaled.weights, scaled.bias = times(l.weights), times(l.bias)
	return &scaled
}

// plus returns the sum of two linear models; either may be nil.
func (l *Linear) plus(o *Linear) *Linear {
	if l == nil || o == nil {
		return cmp.Or(l, o)
	}
	bias := slices.Clone(l.bias)
	for k, b := range o.bias {
		bias[k] += b
	}
	sum := NewLinear(bias)
	for _, part := range [...]*Linear{l, o} {
		for t := range part.Terms() {
			sum.Add(part.Column(t), part.Edges(t), part.Places(t), part.Weights(t))
		}
	}
	return sum
}

func (l *Linear) write(w *modelio.Writer) {
	if l == nil {
		return
	}
	modelio.Add(w, "linear_columns", l.columns)
	modelio.Add(w, "linear_first_edge", l.firstEdge)
	modelio.Add(w, "linear_edges", l.edges)
	modelio.Add(w, "linear_places", l.places)
	modelio.Add(w, "linear_weights", l.weights)
	modelio.Add(w, "linear_bias", l.bias)
}

// readLinear reads linear scores; nil: the file has none. codes is as in [Forest.Check].
func readLinear(file *modelio.File, classes int, codes []int) (*Linear, error) {
	if !file.Has("linear_bias") {
		return nil, nil
	}
	l := &Linear{classes: classes}
	if err := cmp.Or(
		modelio.Read(file, "linear_columns", &l.columns),
		modelio.Read(file, "linear_first_edge", &l.firstEdge),
		modelio.Read(file, "linear_edges", &l.edges),
		modelio.Read(file, "linear_places", &l.places),
		modelio.Read(file, "linear_weights", &l.weights),
		modelio.Read(file, "linear_bias", &l.bias),
	); err != nil {
		return nil, err
	}
	if err := l.check(codes); err != nil {
		return nil, fmt.Errorf("%w: %w", modelio.ErrCorrupt, err)
	}
	return l, nil
}

// check returns an error if the scores are invalid. codes is as in [Forest.Check].
func (l *Linear) check(codes []int) error {
	terms, edges := l.Terms(), len(l.edges)
	if len(l.firstEdge) != terms+1 || l.firstEdge[0] != 0 || int(l.firstEdge[terms]) != edges {
		return fmt.Errorf("linear_first_edge does not fit %d columns and %d edges", terms, edges)
	}
	for _, array := range []size{
		{"linear_places", len(l.places), edges + terms},
		{"linear_weights", len(l.weights), terms * l.classes},
		{"linear_bias", len(l.bias), l.classes},
	} {
		if array.have != array.due {
			return fmt.Errorf("%s has %d numbers in place of %d", array.name, array.have, array.due)
		}
	}
	for t := range terms {
		first, end := l.firstEdge[t], l.firstEdge[t+1]
		if first > end || int(end) > edges {
			return fmt.Errorf("term %d has no range of edges", t)
		}
		column := l.Column(t)
		if column < 0 || column >= len(codes) || codes[column] > 0 {
			return fmt.Errorf("term %d has column %d, which is none of numbers", t, column)
		}
		last := math.Inf(-1)
		for _, edge := range l.Edges(t) {
			if !(edge > last && edge <= math.MaxFloat64) {
				return fmt.Errorf("term %d has edge %v after %v", t, edge, last)
			}
			last = edge
		}
	}
	for _, numbers := range [][]float32{l.places, l.weights, l.bias} {
		for _, x := range numbers {
			if x-x != 0 {
				return fmt.Errorf("a linear score has number %v", x)
			}
		}
	}
	return nil
}
