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

// A feature with many categories is target encoded. It gets further columns, each of which gives every class a weight, and a category its
// rate: the mean weight of the classes of its rows. With few classes, each has a column in which it alone has weight, so that its rate is
// its share of the rows. With many, weights come from correspondence analysis. As a mean over few rows is uncertain, it is computed as if the
// category had another `prior` rows, with the shares of the classes among all rows.
//
// In training, the rate of a row counts only the rows of other folds (F. Pargent et al., Regularized target encoding outperforms traditional
// methods in supervised machine learning with high cardinality features, 2022). If all rows but the row itself counted, the rate would
// reveal the row's class: it would be lower than the other rates of the category if the row has the class.
//
// Another column has the places of the categories in their list. Trees can single out a category by it, and the order of names often has a
// meaning. Features that are not target encoded have it too, unless sets of so few categories do as well.
const (
	MostCodes    = 100 // categories of a feature that is not target encoded; bench/README.md says why
	MostUnplaced = 4   // categories of a feature that has no column of places
	prior        = 10  // rows
	mostWeights  = 12  // columns of weights
	folds        = 10
)

// Target has the classes of the rows, from which rates are computed.
type Target struct {
	Ranks   *collective.Group // the ranks that have the other rows; nil: there are none
	Classes int
	Labels  []int32 // by row; −1: an unknown label
	Weight  func(row int) float64
	ID      func(row int) uint64
}

// Train returns the encoded columns to train on, in which the rates of a row do not depend on the row's own class. Features that
// have no rates yet get them from all rows; they have some if training continues a model.
func (e *Encoder) Train(x bin.Source, t *Target, seed uint64) (bin.Source, error) {
	if e == nil {
		return e.encodeFeatures(x)
	}
	x = e.withCategories(x)
	rows, first := map[int][]float32{}, 0
	var r *rater
	column := len(e.Features)
	for j := range e.Features {
		f := &e.Features[j]
		if !f.Rated {
			if f.Rates == nil && len(f.Categories) > MostUnplaced {
				f.Rates = [][]float32{f.places()}
			}
			column += len(f.Rates)
			continue
		}
		if r == nil {
			var all *Target
			all, first = t.gatherAll()
			r = newRater(all, seed)
		}
		mine, err := f.positions(x, j)
		if err != nil {
			return nil, err
		}
		positions := t.gatherPositions(mine)
		if err := t.Ranks.Err(); err != nil {
			return nil, err
		}
		if f.Weights == nil {
			f.Weights = r.weights(positions, len(f.Categories))
		}
		rates, ofRows := r.rates(f.Weights, positions, len(f.Categories))
		if f.Rates == nil {
			f.Rates = append(rates, f.places())
		}
		for i := range ofRows {
			rows[column+i] = ofRows[i][first:][:x.Rows()]
		}
		column += len(f.Rates)
	}
	encoded, err := e.encodeFeatures(x)
	if err != nil {
		return nil, err
	}
	return e.cross(&ratedSource{encoded, rows}), nil
}

// positions returns, by row, the position of column j's value among the feature's categories; −1 if it is missing.
func (f *Feature) positions(x bin.Source, j int) ([]int32, error) {
	values, err := f.match(x, j)
	if err != nil {
		return nil, err
	}
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
	return positions, nil
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
	return min(mostWeights, classes)
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
	target *Target
	order  []uint32  // the rows, in pseudo-random order
	share  []float64 // of each class among all rows
}

func newRater(t *Target, seed uint64) *rater {
	weights, total := t.classWeights(), 0.0
	for _, weight := range weights {
		total += weight
	}
	for k := range weights {
		weights[k] /= total
	}
	return &rater{target: t, order: t.shuffled(seed), share: weights}
}

// weights returns the weights of the classes in each column of a feature's rates.
func (r *rater) weights(positions []int32, categories int) [][]float32 {
	classes, columns := r.target.Classes, RateColumns(r.target.Classes)
	if classes > mostWeights {
		return r.analyse(positions, categories, columns)
	}
	weights := make([][]float32, columns)
	for i := range weights {
		weights[i] = make([]float32, classes)
		weights[i][classes-columns+i] = 1 // of two classes, the second is enough
	}
	return weights
}

// rates returns the columns of a feature's rates, given the weights: those of its categories, and those of the rows.
func (r *rater) rates(weights [][]float32, positions []int32, categories int) (all, ofRows [][]float32) {
	columns, width := len(weights), len(weights)+1
	usual := make([]float64, columns)
	for i := range columns {
		for k, weight := range weights[i] {
			usual[i] += float64(r.share[k] * float64(weight))
		}
	}
	for range weights {
		all, ofRows = append(all, make([]float32, categories+1)), append(ofRows, make([]float32, len(positions)))
	}
	sums := make([]float64, (categories+1)*width) // by category: of the weights and of the rows; last, unseen categories: 0
	add := func(rows []uint32, sign float64) {
		for _, row := range rows {
			category, y := int(positions[row]), r.target.Labels[row]
			if category < 0 || y < 0 {
				continue
			}
			s, weight := sums[category*width:][:width], sign*r.target.Weight(int(row))
			s[columns] += weight
			for i := range columns {
				s[i] += float64(weight * float64(weights[i][y]))
			}
		}
	}
	write := func(rates [][]float32, to, category int) {
		s := sums[category*width:][:width]
		for i := range columns {
			rates[i][to] = float32((s[i] + float64(prior*usual[i])) / (s[columns] + prior))
		}
	}
	add(r.order, 1)
	for category := range categories + 1 {
		write(all, category, category)
	}
	for fold := range folds {
		rows := r.order[fold*len(r.order)/folds : (fold+1)*len(r.order)/folds]
		add(rows, -1)
		for _, row := range rows {
			if category := int(positions[row]); category >= 0 {
				write(ofRows, int(row), category)
				continue
			}
			for i := range ofRows {
				ofRows[i][row] = float32(math.NaN())
			}
		}
		add(rows, 1)
	}
	return all, ofRows
}

// ratedSource has the columns to train on: those of an encoded table, some of them with rates of their own for the rows.
type ratedSource struct {
	bin.Source
	rows map[int][]float32 // by column: the rates of the rows
}

func (s *ratedSource) Column(j, first int, dst []float64) {
	rates, ok := s.rows[j]
	if !ok {
		s.Source.Column(j, first, dst)
		return
	}
	for i, rate := range rates[first:][:len(dst)] {
		dst[i] = float64(rate)
	}
}
