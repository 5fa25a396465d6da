package category

import (
	"math"

	"github.com/libaoso/aoso/internal/hash"
)

// With many classes, the weights are those of correspondence analysis (M. Greenacre, Theory and applications of correspondence analysis,
// 1984): categories get the mean weight of their rows' classes, classes get the mean of their rows' categories, and so on in turns. Both
// converge to the directions in which the categories differ most.
const (
	turns      = 8
	mostSample = 1 << 18 // rows that suffice
)

// analysis is a correspondence analysis. Its tables have a row of columns numbers for each class or category.
type analysis struct {
	columns    int
	classes    side
	categories side
	weights    []float64 // by row
	total      float64   // of the weights
}

// side is one of the two groupings of the rows.
type side struct {
	group []int32   // by row
	size  []float64 // by group: the weight of its rows
}

// analyse returns the weights of the classes in that many columns, from 0 to 1.
func (r *rater) analyse(positions []int32, categories, columns int) [][]float32 {
	a := &analysis{columns: columns}
	a.classes.size, a.categories.size = make([]float64, r.target.Classes), make([]float64, categories)
	for _, row := range r.order {
		y, category, weight := r.target.Labels[row], positions[row], r.target.Weight(int(row))
		if y < 0 || category < 0 {
			continue
		}
		if len(a.weights) == mostSample {
			break
		}
		a.classes.add(y, weight)
		a.categories.add(category, weight)
		a.weights, a.total = append(a.weights, weight), a.total+weight
	}
	table := make([]float64, r.target.Classes*columns)
	for i := range table {
		table[i] = float64(hash.Mix(uint64(i)) >> 32)
	}
	for range turns {
		table = a.mean(a.mean(table, &a.classes, &a.categories), &a.categories, &a.classes)
		a.orthogonalize(table)
	}
	return a.scaled(table)
}

func (s *side) add(group int32, weight float64) {
	s.group = append(s.group, group)
	s.size[group] += weight
}

// mean returns the mean numbers of the groups of one side, given those of the other, as if each group had another `prior` rows with the mean
// numbers of all rows, which are then subtracted.
func (a *analysis) mean(table []float64, from, to *side) []float64 {
	all, means := make([]float64, a.columns), make([]float64, len(to.size)*a.columns)
	for i, weight := range a.weights {
		sums := means[int(to.group[i])*a.columns:][:a.columns]
		for c, x := range table[int(from.group[i])*a.columns:][:a.columns] {
			x = float64(x * weight)
			sums[c] += x
			all[c] += x
		}
	}
	for group, size := range to.size {
		for c, x := range all {
			sum := &means[group*a.columns+c]
			*sum = (*sum - float64(size*(x/a.total))) / (size + prior)
		}
	}
	return means
}

// orthogonalize makes the columns orthogonal to one another, and of norm 1 where they are not 0.
func (a *analysis) orthogonalize(table []float64) {
	product := func(c, d int) (sum float64) {
		for k, size := range a.classes.size {
			sum += float64(float64((size+prior)*table[k*a.columns+c]) * table[k*a.columns+d])
		}
		return sum
	}
	for c := range a.columns {
		for d := range c {
			share := product(c, d)
			for i := 0; i < len(table); i += a.columns {
				table[i+c] -= float64(share * table[i+d])
			}
		}
		if norm := math.Sqrt(product(c, c)); norm > 0 {
			for i := c; i < len(table); i += a.columns {
				table[i] /= norm
			}
		}
	}
}

// scaled returns the columns of a table, scaled to the range from 0 to 1.
func (a *analysis) scaled(table []float64) [][]float32 {
	columns := make([][]float32, a.columns)
	for c := range columns {
		least, most := math.Inf(1), math.Inf(-1)
		for i := c; i < len(table); i += a.columns {
			least, most = min(least, table[i]), max(most, table[i])
		}
		for i := c; i < len(table); i += a.columns {
			x := 0.
			if most > least {
				x = (table[i] - least) / (most - least)
			}
			columns[c] = append(columns[c], float32(x))
		}
	}
	return columns
}
