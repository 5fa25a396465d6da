package aoso

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/fit"
)

// SuspiciousRows returns the n held-out rows of the training set whose labels are least likely, the least likely first, or all of
// them if there are fewer. The probabilities are those of models that were trained without the row, at the temperature that suits
// the held-out rows best. Each row is held out once if the model is an ensemble or has folds; else only [Result.HeldOutRows] rows are.
//
// With n = 0, it returns all Suspected rows. Their labels are probably wrong: another class is likelier than the label, and at least as
// likely as it is on average for the rows that have it as label. That average is a class's threshold in confident learning (C.
// Northcutt, L. Jiang and I. Chuang, Confident learning: estimating uncertainty in dataset labels, 2021).
//
// Others are results for the same rows, trained with other seeds. What several say finds more wrong labels. Probability is then the
// geometric mean over the results that held a row out, Other the class that is most likely to one of them, with its probability there, and
// Suspected says that most of them suspect the row.
//
// The label of a row with a soft label is the class of its greatest share. It is an error if no rows were held out: see [Train].
func (r *Result) SuspiciousRows(n int, others ...*Result) (rows []struct {
	Row              int     // position in the training set, from 0; with a collective, among the rows of this rank
	Label            int     // class of the model: the label of the row
	Other            int     // class of the model: the most likely one beside the label
	Probability      float64 // of the label
	OtherProbability float64 // of the other class
	Suspected        bool    // the label is probably wrong
}, err error) {
	if n < 0 {
		return nil, badArgument("n", n, "at least 0")
	}
	if r.held == nil || r.held.Suspects == nil {
		return nil, badArgument("result", "without held-out rows", "one of a training that holds rows out, as by default without a validation set")
	}
	suspects := r.held.Suspects
	if len(others) > 0 {
		if suspects, err = r.averaged(others); err != nil {
			return nil, err
		}
	}
	for _, s := range suspects {
		if n == 0 && s.Suspected || len(rows) < n {
			rows = append(rows, s)
		}
	}
	return rows, nil
}

// averaged returns what several results say of the same rows.
func (r *Result) averaged(others []*Result) ([]fit.Suspect, error) {
	type sum struct {
		fit.Suspect
		losses         float64
		votes, results int
	}
	rows := map[int]*sum{}
	for i, result := range append([]*Result{r}, others...) {
		if result == nil || result.held == nil || result.held.Suspects == nil || !slices.Equal(result.Model.content.Classes, r.Model.content.Classes) {
			return nil, badArgument(fmt.Sprintf("others[%d]", i-1), "of other data, or without held-out rows", "a result for the same rows, some of which were held out")
		}
		for _, s := range result.held.Suspects {
			row, known := rows[s.Row]
			if !known {
				row = &sum{Suspect: s}
				rows[s.Row] = row
			}
			if s.Label != row.Label {
				return nil, badArgument(fmt.Sprintf("others[%d]", i-1), fmt.Sprintf("of another label for row %d", s.Row), "a result for the same rows")
			}
			if s.OtherProbability > row.OtherProbability {
				row.Other, row.OtherProbability = s.Other, s.OtherProbability
			}
			row.losses -= math.Log(max(s.Probability, math.SmallestNonzeroFloat64))
			if row.results++; s.Suspected {
				row.votes++
			}
		}
	}
	found := make([]fit.Suspect, 0, len(rows))
	for _, s := range rows {
		s.Probability, s.Suspected = math.Exp(-s.losses/float64(s.results)), 2*s.votes > s.results
		found = append(found, s.Suspect)
	}
	slices.SortFunc(found, func(a, b fit.Suspect) int { return cmp.Or(cmp.Compare(a.Probability, b.Probability), a.Row-b.Row) })
	return found, nil
}
