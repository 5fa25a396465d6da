package category

import (
	"cmp"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/exact"
	"github.com/libaoso/aoso/internal/hash"
)

// A feature with many categories is target encoded. It gets further columns, one for each class: the share of the class among the rows
// of the category. As the share is uncertain for a category with few rows, it is computed as if the category had another `prior` rows,
// with the shares of the classes among all rows.
//
// In training, only the rows before a row count for its rate, in a pseudo-random order: ordered target statistics (L. Prokhorenkova et
// al., CatBoost: unbiased boosting with categorical features, 2018). If all rows but the row itself counted, the rate would reveal the
// row's class: it would be lower than the other rates of the category if the row has the class.
const (
	MostCodes = 100 // categories of a feature that is not target encoded; bench/README.md says why
	prior     = 10  // rows
	mostRates = 12  // classes that get a column, the most frequent ones
)

// Target has the classes of the rows, from which rates are computed.
type Target struct {
	Ranks   *collective.Group // the ranks that have the other rows; nil: there are none
	Classes int
	Labels  []int32 // by row; −1: an unknown label
	Weight  func(row int) float64
	ID      func(row int) uint64
}

// Train returns the encoded columns to train on, in which the rates of a row do not depend on the row's own class. Rated features that
// have no rates yet get them from all rows; they have some if training continues a model.
func (e *Encoder) Train(x bin.Source, t *Target, seed uint64) (bin.Source, error) {
	if e != nil {
		x = e.withCategories(x)
	}
	plain, err := e.encodeFeatures(x)
	switch {
	case err != nil:
		return nil, err
	case e == nil || len(e.Classes) == 0:
		return e.cross(plain), nil
	}
	all, first := t.gatherAll()
	r := newRater(all, e.Classes, all.shuffled(seed))
	s := &ratedSource{Source: plain, features: len(e.Features)}
	for j := range e.Features {
		f := &e.Features[j]
		if !f.Rated {
			continue
		}
		positions := t.gatherPositions(f.positions(x, j))
		if err := t.Ranks.Err(); err != nil {
			return nil, err
		}
		rates, before := r.rates(positions, len(f.Categories))
		if f.Rates == nil {
			f.Rates = rates
		}
		for _, rates := range before {
			s.rates = append(s.rates, rates[first:][:x.Rows()])
		}
	}
	return e.cross(s), nil
}

// positions returns, by row, the position of column j's value among the feature's categories; −1 if it is missing.
func (f *Feature) positions(x bin.Source, j int) []int32 {
	values, _ := f.match(x, j)
	position := values.lookup(func(category int) float64 { return float64(category) })
	positions := make([]int32, x.Rows())
	for first, values := range blocks(x, j) {
		position.apply(values)
		for i, v := range values {
			positions[first+i] = -1
			if v == v {
				positions[first+i] = int32(v)
			}
		}
	}
	return positions
}

// shuffled returns the rows in pseudo-random order: by 16 bits of the hash of their ids, then by id.
func (t *Target) shuffled(seed uint64) []uint32 {
	const bits = 16
	bucket := func(row int) uint64 { return hash.Row(seed, t.ID(row)) >> (64 - bits) }
	ends := make([]int, 1<<bits+1)
	for row := range t.Labels {
		ends[bucket(row)+1]++
	}
	for i := range 1 << bits {
		ends[i+1] += ends[i]
	}
	order := make([]uint32, len(t.Labels))
	for row := range t.Labels {
		b := bucket(row)
		order[ends[b]] = uint32(row)
		ends[b]++
	}
	first := 0
	for _, end := range ends[:1<<bits] {
		slices.SortFunc(order[first:end], func(a, b uint32) int { return cmp.Compare(t.ID(int(a)), t.ID(int(b))) })
		first = end
	}
	return order
}

// RateColumns returns the number of columns of rates of a rated feature, given the number of classes.
func RateColumns(classes int) int {
	if classes <= 2 {
		return classes - 1
	}
	return min(mostRates, classes)
}

// ratedClasses lists the classes that have rates: the most frequent ones. Of two classes, the second is enough.
func ratedClasses(t *Target) []int32 {
	weights := t.classWeights()
	var classes []int32
	for k := range t.Classes {
		classes = append(classes, int32(k))
	}
	if t.Classes <= 2 {
		classes = classes[1:]
	}
	slices.SortStableFunc(classes, func(a, b int32) int { return cmp.Compare(weights[b], weights[a]) })
	classes = classes[:RateColumns(t.Classes)]
	slices.Sort(classes)
	return classes
}

// classWeights returns the total weight of each class's rows, on all ranks.
func (t *Target) classWeights() []float64 {
	sums, weights := make([]exact.Sum, t.Classes), make([]float64, t.Classes)
	for row, y := range t.Labels {
		if y >= 0 {
			sums[y].Add(t.Weight(row))
		}
	}
	all := make([]*exact.Sum, len(sums))
	for k := range sums {
		all[k] = &sums[k]
	}
	t.Ranks.Add(all...)
	for k := range weights {
		weights[k] = sums[k].Float64()
	}
	return weights
}

// rater computes rates.
type rater struct {
	target   *Target
	order    []uint32  // the rows, in pseudo-random order
	classes  []int32   // that have rates
	position []int     // by class: its position in classes; −1: it is not there
	share    []float64 // of each of classes among all rows
}

func newRater(t *Target, classes []int32, order []uint32) *rater {
	r := &rater{target: t, order: order, classes: classes}
	for k := range t.Classes {
		r.position = append(r.position, slices.Index(classes, int32(k)))
	}
	weights, total := t.classWeights(), 0.0
	for _, weight := range weights {
		total += weight
	}
	for _, k := range classes {
		r.share = append(r.share, weights[k]/total)
	}
	return r
}

// rates returns two tables with a row for each rated class: the rates of a feature's categories from all rows, and by row the rates from
// the rows before it.
func (r *rater) rates(positions []int32, categories int) (all, before [][]float32) {
	width := len(r.classes) + 1
	sums := make([]float64, (categories+1)*width) // by category: the weight of each rated class and of all rows; last, unseen categories: 0
	for range r.classes {
		all, before = append(all, make([]float32, categories+1)), append(before, make([]float32, len(positions)))
	}
	write := func(rates [][]float32, i, category int) {
		w := sums[category*width:][:width]
		for k := range r.classes {
			rates[k][i] = float32((w[k] + float64(prior*r.share[k])) / (w[width-1] + prior))
		}
	}
	for _, row := range r.order {
		category := int(positions[row])
		if category < 0 {
			for k := range before {
				before[k][row] = float32(math.NaN())
			}
			continue
		}
		write(before, int(row), category)
		y := r.target.Labels[row]
		if y < 0 {
			continue
		}
		w, weight := sums[category*width:][:width], r.target.Weight(int(row))
		w[width-1] += weight
		if k := r.position[y]; k >= 0 {
			w[k] += weight
		}
	}
	for category := range categories + 1 {
		write(all, category, category)
	}
	return all, before
}

// ratedSource has the columns to train on: one for each feature, then the rates of the rows.
type ratedSource struct {
	bin.Source
	features int
	rates    [][]float32 // by column and row
}

func (s *ratedSource) Cols() int { return s.features + len(s.rates) }

func (s *ratedSource) Column(j, first int, dst []float64) {
	if j < s.features {
		s.Source.Column(j, first, dst)
		return
	}
	for i, rate := range s.rates[j-s.features][first:][:len(dst)] {
		dst[i] = float64(rate)
	}
}
