package aoso

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unique"

	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/exact"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/kernel"
)

// SoftLabels are labels of rows that belong to several classes in part: a distribution over the classes for each row, such as
// the votes of annotators or the probabilities of another model. Training minimises the mean of −Σ q_k·log p_k, the cross-entropy
// of the distributions q and the probabilities p. Where one class is needed, such as for errors, for the split into folds and for
// target encoding, it is the class of the greatest share, of equal shares the first.
type SoftLabels struct {
	classes []string
	indptr  []int64
	indices []int32
	shares  []float64
}

// sumTolerance is how far the shares of a row may sum from 1. They are divided by their sum.
const sumTolerance = 1e-3

// NewSoftLabels returns soft labels from the shares of all classes, rows × classes. Those of a row are at least 0 and sum to 1,
// up to a thousandth for rounding; they are divided by their sum. Shares below 1e-30 count as 0.
func NewSoftLabels(classes []string, shares []float64) (*SoftLabels, error) {
	if len(classes) == 0 || len(shares)%len(classes) != 0 {
		return nil, badArgument("shares", len(shares), "a multiple of %d, the number of classes", len(classes))
	}
	rows := len(shares) / len(classes)
	indptr, indices, some := make([]int64, 1, rows+1), []int32(nil), []float64(nil)
	for row := range rows {
		for k, share := range shares[row*len(classes):][:len(classes)] {
			if share != 0 {
				indices, some = append(indices, int32(k)), append(some, share)
			}
		}
		indptr = append(indptr, int64(len(some)))
	}
	return NewSparseSoftLabels(classes, indptr, indices, some)
}

// NewSparseSoftLabels returns soft labels from the shares that are not 0, in compressed sparse rows: row i has the shares of the
// classes indices[indptr[i]:indptr[i+1]]. It keeps the slices.
func NewSparseSoftLabels(classes []string, indptr []int64, indices []int32, shares []float64) (*SoftLabels, error) {
	if len(classes) < 1 || len(classes) > modelio.MaxClasses {
		return nil, badArgument("classes", len(classes), "1 to %d", modelio.MaxClasses)
	}
	names := make(map[string]bool, len(classes))
	for k, class := range classes {
		if class == "" || names[class] {
			return nil, badArgument(fmt.Sprintf("classes[%d]", k), class, "a name of its own for each class")
		}
		names[class] = true
	}
	switch {
	case len(indices) != len(shares):
		return nil, badArgument("indices", len(indices), "%d, one for each share", len(shares))
	case len(indptr) == 0 || indptr[0] != 0 || indptr[len(indptr)-1] != int64(len(shares)) || !slices.IsSorted(indptr):
		return nil, badArgument("indptr", fmt.Sprintf("%d numbers", len(indptr)), "numbers that rise from 0 to %d, one more than there are rows", len(shares))
	}
	s := &SoftLabels{slices.Clone(classes), indptr, indices, shares}
	seen := make([]int, len(classes))
	for row := range s.Rows() {
		if err := s.checkRow(row, seen); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// checkRow checks the shares of a row; seen has by class the last row, from 1, that has a share of it.
func (s *SoftLabels) checkRow(row int, seen []int) error {
	sum := 0.0
	for i := s.indptr[row]; i < s.indptr[row+1]; i++ {
		k, share := s.indices[i], s.shares[i]
		if k < 0 || int(k) >= len(s.classes) {
			return badArgument(fmt.Sprintf("indices[%d]", i), k, "0 to %d, the classes", len(s.classes)-1)
		}
		if seen[k] == row+1 {
			return badArgument(fmt.Sprintf("indices[%d]", i), k, "a class once in a row; row %d has it twice", row)
		}
		seen[k] = row + 1
		if !(share >= 0 && share <= 1+sumTolerance) {
			return badArgument(fmt.Sprintf("the share of class %q in row %d", s.classes[k], row), share, "0 to 1")
		}
		sum += share
	}
	if !(math.Abs(sum-1) <= sumTolerance) {
		return badArgument(fmt.Sprintf("the sum of the shares in row %d", row), sum, "1; divide counts by their sum")
	}
	return nil
}

// Rows returns the number of rows.
func (s *SoftLabels) Rows() int { return len(s.indptr) - 1 }

// Entropy returns the mean entropy of the rows' distributions, the least log loss that probabilities can have. The log loss of
// an [Evaluation] less the entropy is the mean Kullback–Leibler divergence. weights may be nil.
func (s *SoftLabels) Entropy(weights []float64) (float64, error) {
	if _, err := checkWeights(weights, s.Rows()); err != nil {
		return 0, err
	}
	var sum, all exact.Sum
	for row := range s.Rows() {
		total, entropy, w := 0.0, 0.0, 1.0
		if weights != nil {
			w = weights[row]
		}
		of := s.shares[s.indptr[row]:s.indptr[row+1]]
		for _, share := range of {
			total += share
		}
		for _, share := range of {
			if q := share / total; q >= kernel.FlushBelow {
				entropy -= float64(q * loss.Log(q))
			}
		}
		sum.Add(w * entropy)
		all.Add(w)
	}
	return sum.Float64() / all.Float64(), nil
}

// inOrder returns the classes in the order of a model's classes.
func (s *SoftLabels) inOrder(texts bool) ([]string, error) {
	return StringLabels(s.classes).classes(texts)
}

// resolve returns the label of each row and what else it has shares of, for classes in order. of says whose classes they are.
func (s *SoftLabels) resolve(classes []string, of string) (Labels, *data.Soft, error) {
	names := StringLabels(s.classes)
	places, known := make([]int32, len(names)), make(map[unique.Handle[string]]int32, len(classes))
	for k, name := range StringLabels(classes) {
		known[name] = int32(k)
	}
	for k, name := range names {
		place, ok := known[name]
		if places[k] = place; !ok {
			places[k] = -1
		}
	}
	type share struct {
		place, class int32
		value        float64
	}
	var row []share
	labels, soft := make(Labels, s.Rows()), &data.Soft{Ends: make([]int64, 0, s.Rows())}
	for i := range labels {
		row = row[:0]
		sum, best := 0.0, 0
		for j := s.indptr[i]; j < s.indptr[i+1]; j++ {
			if k := s.indices[j]; s.shares[j] >= kernel.FlushBelow {
				if places[k] < 0 {
					return nil, nil, badArgument("soft labels", s.classes[k], "%s: %s", of, listed(classes))
				}
				row = append(row, share{places[k], k, s.shares[j]})
				sum += s.shares[j]
			}
		}
		slices.SortFunc(row, func(a, b share) int { return cmp.Compare(a.place, b.place) })
		for j := range row {
			if row[j].value > row[best].value {
				best = j
			}
		}
		labels[i] = names[row[best].class]
		for j, share := range row {
			if j != best {
				soft.Classes, soft.Shares = append(soft.Classes, share.place), append(soft.Shares, float32(share.value/sum))
			}
		}
		soft.Ends = append(soft.Ends, int64(len(soft.Classes)))
	}
	return labels, soft, nil
}

// resolveSoft takes the soft labels of options apart, and returns the label of each row.
func (o *DatasetOptions) resolveSoft(labels Labels) (Labels, error) {
	if o.Soft == nil {
		return labels, nil
	}
	if labels != nil {
		return nil, badArgument("labels", len(labels), "nil, with soft labels")
	}
	classes, err := o.Soft.inOrder(o.TextLabels)
	of := "their classes"
	if o.Init != nil {
		classes, of = slices.Clone(o.Init.content.Classes), "the classes of the model to continue"
	}
	if err == nil {
		labels, o.soft, err = o.Soft.resolve(classes, of)
	}
	o.Soft, o.classes = nil, classes
	return labels, err
}

// agreeOnClasses returns an error unless all ranks have soft labels of the same classes, or none has any.
func agreeOnClasses(ranks *collective.Group, classes []string) error {
	mine := fmt.Sprintf("%q", classes)
	for rank, theirs := range ranks.Gather([]byte(mine), 1) {
		if string(theirs) != mine {
			return badArgument("soft", "labels of other classes than on rank "+strconv.Itoa(rank), "soft labels of the same classes on all ranks, or on none")
		}
	}
	return ranks.Err()
}

// AlignedSoft is [Dataset.Aligned] with soft labels. Each class with a share must be one of the training set.
func (d *Dataset) AlignedSoft(features Features, labels *SoftLabels, weights []float64) (*Dataset, error) {
	hard, soft, err := labels.resolve(d.set.Classes, "the classes of the training set")
	if err != nil {
		return nil, err
	}
	aligned, err := d.Aligned(features, hard, weights)
	if err == nil {
		aligned.set.Soft = soft
	}
	return aligned, err
}

// EvaluateSoft is [Model.Evaluate] with soft labels, each class of which must be one of the model. The log loss is the mean of
// −Σ q_k·log p_k; [SoftLabels.Entropy] is the least possible. Errors are rows where another class is predicted than that of the greatest share.
func (m *Model) EvaluateSoft(x Features, labels *SoftLabels, weights []float64, options ...PredictOptions) (*Evaluation, error) {
	hard, soft, err := labels.resolve(m.content.Classes, "the classes of the model")
	if err != nil {
		return nil, err
	}
	scores, err := m.PredictRaw(x, last(options))
	if err != nil {
		return nil, err
	}
	t, err := m.target(x.Rows(), hard, weights)
	if err != nil {
		return nil, err
	}
	t.Soft = soft
	return m.evaluate(scores, t), nil
}
