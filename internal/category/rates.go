package category

import (
	"cmp"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
)

// A feature with more categories than codes has further columns: for each class,
// how often it is that of the rows of a category (target statistics). Few rows
// of a category tell little, so prior more rows count, of which the classes are
// those of all rows.
const (
	prior     = 10
	mostRates = 12 // classes, the most frequent ones
	folds     = 5  // of the rows: the rates of a row are those of the other folds
)

// addRates adds rates to the features of many categories. It returns the source
// to train on.
func (e *Encoder) addRates(x bin.Source, plain *encoded, t *Target, seed uint64) bin.Source {
	classes := ratedClasses(t)
	train := &foldSource{encoded: *plain, seed: seed}
	for j := range e.Features {
		f := &e.Features[j]
		if f.Other == 0 || len(classes) == 0 {
			continue
		}
		sums := f.count(x, j, t, classes, seed)
		f.Rates = sums.rates(sums.all())
		for range classes {
			train.rated = append(train.rated, len(train.columns))
			train.columns = append(train.columns, column{from: j})
		}
		places, _ := f.places(x, j)
		position := places.take(func(category int) float64 { return float64(category) })
		for fold := range folds {
			train.rates[fold] = append(train.rates[fold], sums.rates(sums.without(fold))...)
		}
		for range classes {
			train.position = append(train.position, position)
		}
	}
	if len(train.rated) == 0 {
		return plain
	}
	return train
}

// ratedClasses is the classes that have rates, the more frequent ones. One of two
// classes says all.
func ratedClasses(t *Target) []int {
	counts := make([]float64, t.Classes)
	for row, y := range t.Labels {
		if y >= 0 {
			counts[y] += t.weight(row)
		}
	}
	classes := make([]int, t.Classes)
	for k := range classes {
		classes[k] = k
	}
	switch {
	case t.Classes == 1:
		return nil
	case t.Classes == 2:
		return classes[1:]
	}
	slices.SortStableFunc(classes, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	classes = classes[:min(mostRates, t.Classes)]
	slices.Sort(classes)
	return classes
}

func (t *Target) weight(row int) float64 {
	if t.Weights == nil {
		return 1
	}
	return float64(t.Weights[row])
}

// sums is the weights of the rows of a feature by fold, category and class.
type sums struct {
	categories, classes int
	weight              [folds][]float64 // categories × (classes + 1), the last of all classes
}

// count sums up the weights of the rows.
func (f *Feature) count(x bin.Source, j int, t *Target, classes []int, seed uint64) *sums {
	s := &sums{categories: len(f.Categories), classes: len(classes)}
	width := s.classes + 1
	for fold := range s.weight {
		s.weight[fold] = make([]float64, s.categories*width)
	}
	place := make([]int, t.Classes)
	for k := range place {
		place[k] = slices.Index(classes, k)
	}
	places, _ := f.places(x, j)
	position := places.take(func(category int) float64 { return float64(category) })
	const block = 4096
	values := make([]float64, block)
	for first := 0; first < x.Rows(); first += block {
		n := min(block, x.Rows()-first)
		x.Column(j, first, values[:n])
		for i, v := range values[:n] {
			row := first + i
			c := position.at(v)
			if !(c >= 0) || t.Labels[row] < 0 {
				continue
			}
			w := s.weight[foldOf(seed, row)][int(c)*width:][:width]
			w[s.classes] += t.weight(row)
			if k := place[t.Labels[row]]; k >= 0 {
				w[k] += t.weight(row)
			}
		}
	}
	return s
}

// foldOf is the fold of a row (S. Vigna's splitmix64).
func foldOf(seed uint64, row int) int {
	z := seed + uint64(row+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % folds)
}

// all is the sums over all folds.
func (s *sums) all() []float64 { return s.without(-1) }

// without is the sums over all folds but one.
func (s *sums) without(fold int) []float64 {
	total := make([]float64, len(s.weight[0]))
	for other := range s.weight {
		if other != fold {
			for i, w := range s.weight[other] {
				total[i] += w
			}
		}
	}
	return total
}

// rates is the rates of each class by category, and last of no category.
func (s *sums) rates(weight []float64) [][]float32 {
	width := s.classes + 1
	total := make([]float64, width)
	for c := range s.categories {
		for k, w := range weight[c*width:][:width] {
			total[k] += w
		}
	}
	rates := make([][]float32, s.classes)
	for k := range rates {
		share := 0.0
		if total[s.classes] > 0 {
			share = total[k] / total[s.classes]
		}
		rates[k] = make([]float32, s.categories+1)
		for c := range s.categories {
			w := weight[c*width:][:width]
			rates[k][c] = float32((w[k] + float64(prior*share)) / (w[s.classes] + prior))
		}
		rates[k][s.categories] = float32(share)
	}
	return rates
}

// foldSource is a source whose rates are, by row, those of the other folds.
type foldSource struct {
	encoded
	seed     uint64
	rated    []int // the columns of rates
	position []lookup
	rates    [folds][][]float32 // by fold and rated column
}

func (s *foldSource) Column(j, first int, dst []float64) {
	s.encoded.Column(j, first, dst)
	r := slices.Index(s.rated, j)
	if r < 0 {
		return
	}
	for i, v := range dst {
		if c := s.position[r].at(v); c == c {
			rates := s.rates[foldOf(s.seed, first+i)][r]
			dst[i] = float64(rates[int(c)])
		}
	}
}
