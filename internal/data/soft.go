package data

import (
	"fmt"
	"math"

	"github.com/libaoso/aoso/internal/exact"
)

// Soft has what soft labels add to labels: the shares of the classes that rows belong to in part, beside
// the class of their label. The label is the class of the greatest share; its share is what the others leave
// of 1. So a hard label has no shares here, and no share near 1 loses its digits.
type Soft struct {
	Ends    []int64   // by row: where its shares end; they begin where those of the row before end
	Classes []int32   // of the shares, in order within a row
	Shares  []float32 // above zero
}

// Row returns the shares of a row; of nil: none.
func (s *Soft) Row(row int) (classes []int32, shares []float32) {
	if s == nil {
		return nil, nil
	}
	first, end := int64(0), s.Ends[row]
	if row > 0 {
		first = s.Ends[row-1]
	}
	return s.Classes[first:end], s.Shares[first:end]
}

// Others returns the sum of the shares of a row: 1 less the share of its label.
func (s *Soft) Others(row int) (sum float64) {
	_, shares := s.Row(row)
	for _, share := range shares {
		sum += float64(share)
	}
	return sum
}

// Gap returns Σ q_k·(f_y − f_k), where q are the shares of a row and f_y is the score of its label. The log loss
// of the row is −log p_y plus the gap.
func (s *Soft) Gap(row int, scores []float64, label int) (gap float64) {
	classes, shares := s.Row(row)
	for i, k := range classes {
		gap += float64(float64(shares[i]) * (scores[label] - scores[k]))
	}
	return gap
}

// Append adds a row.
func (s *Soft) Append(classes []int32, shares []float32) {
	s.Classes, s.Shares = append(s.Classes, classes...), append(s.Shares, shares...)
	s.Ends = append(s.Ends, int64(len(s.Classes)))
}

// Subset returns a copy of the given rows; of nil: nil.
func (s *Soft) Subset(rows []uint32) *Soft {
	if s == nil {
		return nil
	}
	subset := &Soft{Ends: make([]int64, 0, len(rows))}
	for _, row := range rows {
		subset.Append(s.Row(int(row)))
	}
	return subset
}

// AppendWeighted appends a row of another, of which y is the label, with its shares multiplied by the weights of the
// classes. It returns the sum of the products, by which it divides them.
func (s *Soft) AppendWeighted(o *Soft, row int, y int32, weights []float64) (sum float64) {
	classes, shares := o.Row(row)
	sum = (1 - o.Others(row)) * weights[y]
	for i, k := range classes {
		sum += float64(float64(shares[i]) * weights[k])
	}
	first := len(s.Shares)
	s.Append(classes, shares)
	for i, k := range classes {
		s.Shares[first+i] = float32(float64(shares[i]) * weights[k] / sum)
	}
	return sum
}

// Join appends the rows of another, and returns the result; both are nil, or s alone if it has no rows yet.
func (s *Soft) Join(o *Soft) *Soft {
	if o == nil {
		return s
	}
	if s == nil {
		s = &Soft{}
	}
	for row := range o.Ends {
		s.Append(o.Row(row))
	}
	return s
}

// check checks the shares of the rows of a target.
func (s *Soft) check(t *Target) error {
	if len(s.Ends) != t.Rows() || len(s.Shares) != len(s.Classes) || t.Unknown > 0 {
		return fmt.Errorf("%d rows with labels have %d ends of shares, %d classes and %d shares", t.Rows()-t.Unknown, len(s.Ends), len(s.Classes), len(s.Shares))
	}
	first := int64(0)
	for row, end := range s.Ends {
		if end < first || end > int64(len(s.Classes)) {
			return fmt.Errorf("the shares of row %d end at %d of %d", row, end, len(s.Classes))
		}
		first = end
		before := int32(-1)
		classes, shares := s.Row(row)
		for i, k := range classes {
			if k <= before || int(k) >= len(t.Classes) || k == t.Labels[row] || !(shares[i] > 0 && shares[i] <= 1) {
				return fmt.Errorf("row %d of class %d has the share %v of class %d", row, t.Labels[row], shares[i], k)
			}
			before = k
		}
		if others := s.Others(row); others > 1 {
			return fmt.Errorf("row %d has shares of other classes that sum to %v", row, others)
		}
	}
	if first != int64(len(s.Classes)) {
		return fmt.Errorf("the rows have %d shares of %d", first, len(s.Classes))
	}
	return nil
}

// Bytes returns the memory of the shares.
func (s *Soft) Bytes() int {
	if s == nil {
		return 0
	}
	return 8*len(s.Ends) + 4*len(s.Classes) + 4*len(s.Shares)
}

// ClassWeights returns the weight of each class on all ranks. A row with a soft label adds its shares. Rows of
// unknown classes do not count.
func (t *Target) ClassWeights() []exact.Sum {
	sums := make([]exact.Sum, len(t.Classes))
	for row, y := range t.Labels {
		if y < 0 {
			continue
		}
		w := t.Weight(row)
		classes, shares := t.Soft.Row(row)
		for i, k := range classes {
			sums[k].Add(w * float64(shares[i]))
		}
		sums[y].Add(w * (1 - t.Soft.Others(row)))
	}
	all := make([]*exact.Sum, len(sums))
	for k := range sums {
		all[k] = &sums[k]
	}
	t.Ranks.Add(all...)
	return sums
}

// Entropy returns the weighted mean entropy of the soft labels of all ranks' rows.
func (t *Target) Entropy() float64 {
	var sum exact.Sum
	for row := range t.Labels {
		classes, shares := t.Soft.Row(row)
		if len(classes) == 0 {
			continue
		}
		own := 1 - t.Soft.Others(row)
		entropy := -own * math.Log(max(own, math.SmallestNonzeroFloat32))
		for _, q := range shares {
			entropy -= float64(q) * math.Log(float64(q))
		}
		sum.Add(t.Weight(row) * entropy)
	}
	t.Ranks.Add(&sum)
	return sum.Float64() / t.TotalWeight()
}
