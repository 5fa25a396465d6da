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

// A feature of many categories has further columns: for each class, how often it
// is that of the rows of a category. Few rows of a category tell little, so some
// more rows count, of which the classes are those of all rows.
//
// In training, the rate of a row is that of the rows before it, in an order that
// looks random (L. Prokhorenkova et al., CatBoost: unbiased boosting with
// categorical features, 2018). Any rate that left the row out in another way
// would tell its class: it would be lower than others of its category if the row
// is of the class.
const (
	MostCodes = 100 // of a feature; bench/README.md tells why
	prior     = 10  // more rows
	mostRates = 12  // classes, the most frequent ones
)

// Target is the classes of the rows, from which rates are taken.
type Target struct {
	Ranks   *collective.Group // that have the other rows; nil: there are none
	Classes int
	Labels  []int32 // by row; −1: unknown
	Weight  func(row int) float64
	ID      func(row int) uint64
}

// Train returns the columns to train on: the rates of a row do not know the row's
// own class. Features that should have rates and have none, as in an encoder that
// does not continue another's training, get those of all rows.
func (e *Encoder) Train(x bin.Source, t *Target, seed uint64) (bin.Source, error) {
	if e != nil {
		x = e.coded(x)
	}
	plain, err := e.Encode(x)
	if err != nil || e == nil || len(e.Classes) == 0 {
		return plain, err
	}
	all, first := t.whole()
	r := newRater(all, e.Classes, all.shuffled(seed))
	s := &ratedSource{Source: plain, features: len(e.Features)}
	for j := range e.Features {
		f := &e.Features[j]
		if !f.Rated {
			continue
		}
		positions := t.gather(f.positions(x, j))
		if err := t.Ranks.Err(); err != nil {
			return nil, err
		}
		rates, before := r.rate(positions, len(f.Categories))
		if f.Rates == nil {
			f.Rates = rates
		}
		for _, rates := range before {
			s.rates = append(s.rates, rates[first:][:x.Rows()])
		}
	}
	return s, nil
}

// positions returns the positions of a column's values among the categories of the
// feature; −1: missing.
func (f *Feature) positions(x bin.Source, j int) []int32 {
	places, _ := f.places(x, j)
	position := places.take(func(category int) float64 { return float64(category) })
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

// shuffled returns the numbers of the rows, ordered by a part of the hash of their ids,
// then by id.
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

// RateColumns returns the number of columns that a feature of many categories has for its
// rates, with this many classes.
func RateColumns(classes int) int {
	if classes <= 2 {
		return classes - 1
	}
	return min(mostRates, classes)
}

// ratedClasses lists the classes that have rates, the more frequent ones. One of
// two classes says all.
func ratedClasses(t *Target) []int32 {
	counts := t.counts()
	var classes []int32
	for k := range t.Classes {
		classes = append(classes, int32(k))
	}
	if t.Classes <= 2 {
		classes = classes[1:]
	}
	slices.SortStableFunc(classes, func(a, b int32) int { return cmp.Compare(counts[b], counts[a]) })
	classes = classes[:RateColumns(t.Classes)]
	slices.Sort(classes)
	return classes
}

// counts returns the weight of the rows of each class.
func (t *Target) counts() []float64 {
	sums, counts := make([]exact.Sum, t.Classes), make([]float64, t.Classes)
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
	for k := range counts {
		counts[k] = sums[k].Float64()
	}
	return counts
}

// rater computes rates.
type rater struct {
	target  *Target
	order   []uint32
	classes []int32   // that have rates
	place   []int     // by class: its position among those; −1: none
	share   []float64 // of these classes among all rows
}

func newRater(t *Target, classes []int32, order []uint32) *rater {
	r := &rater{target: t, order: order, classes: classes}
	for k := range t.Classes {
		r.place = append(r.place, slices.Index(classes, int32(k)))
	}
	counts, total := t.counts(), 0.0
	for _, count := range counts {
		total += count
	}
	for _, k := range classes {
		r.share = append(r.share, counts[k]/total)
	}
	return r
}

// rate returns the rates of a feature's categories, and for each row those of the
// rows before it.
func (r *rater) rate(positions []int32, categories int) (all, before [][]float32) {
	width := len(r.classes) + 1
	sums := make([]float64, (categories+1)*width) // by category: the weight of each class, and of all; last of none
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
		if k := r.place[y]; k >= 0 {
			w[k] += weight
		}
	}
	for category := range categories + 1 {
		write(all, category, category)
	}
	return all, before
}

// ratedSource is a source to train on. Its columns after those of the features are
// the rates of rows.
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
