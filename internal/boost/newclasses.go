package boost

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/exact"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// NewClassScores returns constant scores for classes that a model does not know, from rows of a training set and the raw
// scores of the model, rows × classes, which are zero for these classes. With them, the mean probability of all new
// classes together is their share of the rows' weight, and each has its part of that. Where all rows are of new classes, it
// is their share of the classes. The result is 0 for the classes that the model knows.
func NewClassScores(t *data.Target, scores []float64, isNew []bool, team *par.Team) []float32 {
	weights := make([]float64, len(t.Classes))
	for k, sum := range t.ClassWeights() {
		weights[k] = sum.Float64()
	}
	all, fresh, number := 0.0, 0.0, 0
	for k, w := range weights {
		if all += w; isNew[k] {
			fresh += w
			number++
		}
	}
	result := make([]float32, len(weights))
	if fresh == 0 {
		return result
	}
	share := fresh / all
	if fresh == all {
		share = float64(number) / float64(len(weights))
	}
	level := newClassLevel(t, logSums(t.Rows(), scores, isNew, team), share, all)
	const least = 1e-6 // of a class whose rows have weight 0
	for k, w := range weights {
		if isNew[k] {
			result[k] = float32(level + loss.Log(max(w/fresh, least)))
		}
	}
	return result
}

// newClassLevel returns the score of all new classes together at which their mean probability is the given share: known is
// the score of all known classes together, by row. It is a multiple of 2⁻¹⁰ from −mostLevel to mostLevel.
func newClassLevel(t *data.Target, known []float64, share, weight float64) float64 {
	const mostLevel, unit = 128, 1.0 / 1024
	low, high := -mostLevel*1024, mostLevel*1024
	for low < high {
		middle := (low + high) >> 1
		var sum exact.Sum
		for i, score := range known {
			sum.Add(t.Weight(i) / (1 + kernel.Exp(min(score-float64(middle)*unit, 700))))
		}
		if t.Ranks.Add(&sum); sum.Float64() < share*weight {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return float64(low) * unit
}

// logSums returns log Σ exp of the scores of the known classes, by row.
func logSums(rows int, scores []float64, isNew []bool, team *par.Team) []float64 {
	sums, classes := make([]float64, rows), len(isNew)
	team.Do(kernel.Blocks(rows), func(_, b int) {
		first, end := kernel.Block(b, rows)
		for i := first; i < end; i++ {
			most, row := math.Inf(-1), scores[i*classes:][:classes]
			for k, score := range row {
				if !isNew[k] {
					most = max(most, score)
				}
			}
			sum := 0.0
			for k, score := range row {
				if !isNew[k] {
					sum += kernel.Exp(score - most)
				}
			}
			sums[i] = most + loss.Log(sum)
		}
	})
	return sums
}

// absentClasses reports for each class whether no row belongs to it, not even in part, on all machines; nil: all classes have rows.
func absentClasses(t *data.Target) []bool {
	rows := make([]int64, len(t.Classes))
	for row, y := range t.Labels {
		rows[y]++
		classes, _ := t.Soft.Row(row)
		for _, k := range classes {
			rows[k]++
		}
	}
	t.Ranks.Sum(rows)
	if !slices.Contains(rows, 0) {
		return nil
	}
	absent := make([]bool, len(rows))
	for k, n := range rows {
		absent[k] = n == 0
	}
	return absent
}
