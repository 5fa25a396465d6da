package aoso

import (
	"github.com/libaoso/aoso/internal/explain"
	"github.com/libaoso/aoso/internal/predict"
)

// SHAP returns the SHAP values of the rows of x, rows × classes × (features +
// 1): what knowing each feature adds to the raw score of each class
// (path-dependent TreeSHAP, Lundberg et al. 2020). The last number of a class
// is the bias, its mean score over the training rows. The values of a class
// sum to its raw score. Linear scores, which have no interactions, add to the
// values of their features. The values depend neither on the number of threads
// nor on the other rows.
func (m *Model) SHAP(x Features, options ...PredictOptions) ([]float64, error) {
	o := last(options)
	j, err := m.job(x, o)
	if err != nil {
		return nil, err
	}
	return explain.SHAP(m.explanation(j)), nil
}

// SHAPOptions say what [Model.SHAPSparse] explains. The zero value is the
// default.
type SHAPOptions struct {
	PredictOptions
	Top int // explain only this many classes of each row, the most likely; 0: all
}

// Contributions are SHAP values as a sparse matrix in compressed rows. A line
// of it is a row and a class: the first PerRow lines are of row 0, the next of
// row 1. Its columns are the features and, last in each line, the bias.
// Contributions of zero are left out.
type Contributions struct {
	PerRow  int       // lines of each row
	Classes []int32   // by line: the number of its class
	First   []int     // by line, and one past the last: where it begins in Columns and Values
	Columns []int32   // the feature of each value, rising within a line; the number of features for the bias
	Values  []float64 // SHAP values that are not 0
}

// SHAPSparse returns the SHAP values that [Model.SHAP] does. If Top is set,
// they are only those of the most likely classes of each row: the most likely
// first, the lower where some tie. Else the classes are in the order of their
// numbers.
func (m *Model) SHAPSparse(x Features, options ...SHAPOptions) (*Contributions, error) {
	o := last(options)
	if o.Top < 0 || o.Top > len(m.content.Classes) {
		return nil, badArgument("top", o.Top, "0 to %d, the classes of the model", len(m.content.Classes))
	}
	rows, err := m.job(x, o.PredictOptions)
	if err != nil {
		return nil, err
	}
	j := m.explanation(rows)
	if o.Top > 0 {
		j.PerRow, j.Classes = o.Top, m.top(rows, o.Top)
	}
	c := Contributions(explain.SparseSHAP(j))
	return &c, nil
}

// explanation returns what explains all classes of rows that are predicted.
func (m *Model) explanation(j *predict.Job) explain.Job {
	return explain.Job{
		Forest: m.content.Forest, Columns: j.Features, Owners: m.content.Encoder.Owners(), Trees: j.Trees, Threads: j.Threads,
		PerRow: len(m.content.Classes),
	}
}

// top returns the most likely classes of each row, rows × n.
func (m *Model) top(j *predict.Job, n int) []int32 {
	classes := make([]int32, j.Features.Rows()*n)
	m.predictor.Top(j, n, m.content.Temperature, func(row int, best []predict.Scored) {
		for i, s := range best {
			classes[row*n+i] = int32(s.Class)
		}
	})
	return classes
}

// Importance returns how much each feature contributes: by "gain", the loss that
// its splits were estimated to save; by "split", their number; or by "cover",
// the number of rows that they parted, summed over them. Linear scores take no
// part in it.
func (m *Model) Importance(kind string) ([]float64, error) {
	importance, ok := explain.Importance(m.content.Forest, kind, len(m.content.Features), m.content.Encoder.Owners())
	if !ok {
		return nil, badArgument("importance", kind, "gain, split or cover")
	}
	return importance, nil
}

// PairImportance is what a feature contributes to telling two classes apart.
type PairImportance struct {
	Feature int     // from 0
	Classes [2]int  // the lower first; the second is −1 where a class was split from all others
	Gain    float64 // of its splits on the pair
	Splits  int     // on the pair
}

// PairImportances returns the importance of features by class pair, the greatest
// gain first. A split on several pairs at once counts for each of them with
// an equal share of its gain. Linear scores take no part in it.
func (m *Model) PairImportances() []PairImportance {
	sums := explain.PairImportances(m.content.Forest, m.content.Encoder.Owners())
	all := make([]PairImportance, len(sums))
	for i, sum := range sums {
		all[i] = PairImportance(sum)
	}
	return all
}
