package metric

import (
	"math"

	"github.com/libaoso/aoso/internal/exact"
	"github.com/libaoso/aoso/kernel"
)

// topError returns the share of the weight of rows whose class is not among this many first
// ones.
func (r *Rows) topError(top int) float64 {
	missed := make([]bool, r.Rows())
	r.eachRow(func(i int) { missed[i] = place(r.scores(i), int(r.Labels[i])) >= top })
	var wrong, all exact.Sum
	for i, missed := range missed {
		all.Add(r.Weight(i))
		if missed {
			wrong.Add(r.Weight(i))
		}
	}
	r.Ranks.Add(&wrong, &all)
	return wrong.Float64() / all.Float64()
}

// place returns the number of classes that come before a class; that of an unknown class is
// beyond all.
func place(scores []float64, y int) int {
	if y < 0 {
		return math.MaxInt
	}
	before := 0
	for k, f := range scores {
		if f > scores[y] || f == scores[y] && k < y {
			before++
		}
	}
	return before
}

// eachRow calls a function for each row, on the team.
func (r *Rows) eachRow(do func(row int)) {
	r.Team.Do(kernel.Blocks(r.Rows()), func(_, b int) {
		first, end := kernel.Block(b, r.Rows())
		for i := first; i < end; i++ {
			do(i)
		}
	})
}

// confusion is what the metrics of predicted classes need of a confusion matrix. The
// last class stands for all unknown ones, which are never predicted.
type confusion struct{ actual, predicted, hit []float64 } // weights by class

func (r *Rows) confusion() confusion {
	predicted := make([]int32, r.Rows())
	r.eachRow(func(i int) { predicted[i] = int32(Argmax(r.scores(i))) })
	n := r.classes() + 1
	sums := make([]exact.Sum, 3*n)
	for i, y := range r.Labels {
		w, p := r.Weight(i), int(predicted[i])
		actual := int(y)
		if actual < 0 {
			actual = n - 1
		}
		sums[actual].Add(w)
		sums[n+p].Add(w)
		if actual == p {
			sums[2*n+p].Add(w)
		}
	}
	pointers, values := make([]*exact.Sum, len(sums)), make([]float64, len(sums))
	for i := range sums {
		pointers[i] = &sums[i]
	}
	r.Ranks.Add(pointers...)
	for i := range sums {
		values[i] = sums[i].Float64()
	}
	return confusion{values[:n], values[n : 2*n], values[2*n:]}
}

// balancedError is 1 less the mean recall of the classes that the rows have.
func (r *Rows) balancedError() float64 {
	c := r.confusion()
	recall, present := 0.0, 0
	for k, weight := range c.actual {
		if weight > 0 {
			recall += c.hit[k] / weight
			present++
		}
	}
	return 1 - recall/float64(present)
}

// f1 returns the mean F1 score of the classes that the rows have or that are predicted.
func (r *Rows) f1() float64 {
	c := r.confusion()
	sum, present := 0.0, 0
	for k := range c.actual {
		if both := c.actual[k] + c.predicted[k]; both > 0 {
			sum += 2 * c.hit[k] / both
			present++
		}
	}
	return sum / float64(present)
}

// kappa returns the agreement of predictions and classes beyond that by chance (J. Cohen, A
// coefficient of agreement for nominal scales, 1960).
func (r *Rows) kappa() float64 {
	c := r.confusion()
	all, hits, chance := 0.0, 0.0, 0.0
	for k := range c.actual {
		all += c.actual[k]
		hits += c.hit[k]
	}
	for k := range c.actual {
		chance += float64(c.actual[k] / all * c.predicted[k] / all)
	}
	return (hits/all - chance) / (1 - chance)
}
