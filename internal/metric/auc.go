package metric

import (
	"cmp"
	"math"
	"slices"
)

// average says which classes an area under the ROC curve tells apart.
type average int

const (
	oneAgainstRest average = iota
	oneAgainstOne
)

// auc returns the mean area under the ROC curve: how likely a row of a class is to have a
// greater probability of it than a row of another class. One against rest is the mean
// over classes, one against one that over pairs of classes (D. Hand and R. Till, A simple
// generalisation of the area under the ROC curve for multiple class classification
// problems, 2001). If weighted, classes and pairs count by their rows' weight. Rows of
// unknown classes, and classes without rows, do not count.
func (r *Rows) auc(by average, weighted bool) float64 {
	all := r.everywhere()
	classes := all.classes()
	weight := make([]float64, classes)
	wins := make([][]float64, classes)
	all.Team.Do(classes, func(_, k int) { wins[k] = all.wins(k) })
	rows := all.ranked(0)
	for i := range rows {
		weight[rows[i].class] += rows[i].weight
	}
	sum, total := 0.0, 0.0
	add := func(area, w float64) {
		if !weighted {
			w = 1
		}
		sum += float64(w * area)
		total += w
	}
	for a := range classes {
		if weight[a] == 0 {
			continue
		}
		rest, won := 0.0, 0.0
		for b := range classes {
			if b == a || weight[b] == 0 {
				continue
			}
			rest += weight[b]
			won += wins[a][b]
			if by == oneAgainstOne && b > a {
				product := weight[a] * weight[b]
				add((wins[a][b]/product+wins[b][a]/product)/2, weight[a]+weight[b])
			}
		}
		if by == oneAgainstRest && rest > 0 {
			add(won/float64(weight[a]*rest), weight[a])
		}
	}
	if total == 0 {
		return math.NaN()
	}
	return sum / total
}

// rankedRow is a row of a known class with its probability of some class.
type rankedRow struct {
	p, weight float64
	class     int32
}

// ranked returns the rows of known classes, those with the greatest probability of a class
// first. Rows of one probability have an order of their own, so that sums over them do
// not depend on the order of the rows.
func (r *Rows) ranked(k int) []rankedRow {
	rows := make([]rankedRow, 0, r.Rows())
	for i, y := range r.Labels {
		if w := r.Weight(i); y >= 0 && w > 0 {
			rows = append(rows, rankedRow{r.proba(i)[k], w, y})
		}
	}
	slices.SortFunc(rows, func(a, b rankedRow) int {
		return cmp.Or(cmp.Compare(b.p, a.p), cmp.Compare(a.class, b.class), cmp.Compare(a.weight, b.weight))
	})
	return rows
}

// wins is, for each other class, the weight of all pairs of a row of class k and one of
// that class in which the former has the greater probability of k. Ties count half.
func (r *Rows) wins(k int) []float64 {
	wins := make([]float64, r.classes())
	rows, above := r.ranked(k), 0.0
	for len(rows) > 0 {
		end, tied := 0, 0.0
		for ; end < len(rows) && rows[end].p == rows[0].p; end++ {
			if int(rows[end].class) == k {
				tied += rows[end].weight
			}
		}
		for _, row := range rows[:end] {
			wins[row.class] += float64(row.weight * (above + tied/2))
		}
		above += tied
		rows = rows[end:]
	}
	return wins
}
