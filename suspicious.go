package aoso

// SuspiciousRow is a held-out row of the training set, as models that were trained without it see its label.
type SuspiciousRow struct {
	Row              int     // position in the training set, from 0; with a collective, among the rows of this rank
	Label            int     // class of the model: the label of the row
	Other            int     // class of the model: the most likely one beside the label
	Probability      float64 // of the label
	OtherProbability float64 // of the other class
	Suspected        bool    // the label is probably wrong
}

// SuspiciousRows returns the n held-out rows whose labels are least likely, the least likely first, or all of them if there are
// fewer. The probabilities are those of models that were trained without the row, at the temperature that suits the held-out
// rows best. Each row is held out once if the model is an ensemble or has folds; else only [Result.HeldOutRows] rows are.
//
// With n = 0, it returns all Suspected rows. Their labels are probably wrong: another class is likelier than the label, and at least as
// likely as it is on average for the rows that have it as label. That average is a class's threshold in confident learning (C.
// Northcutt, L. Jiang and I. Chuang, Confident learning: estimating uncertainty in dataset labels, 2021).
//
// It is an error if no rows were held out: see [Train].
func (r *Result) SuspiciousRows(n int) ([]SuspiciousRow, error) {
	if n < 0 {
		return nil, badArgument("n", n, "at least 0")
	}
	if r.suspects == nil {
		return nil, badArgument("result", "without held-out rows", "one of a training that holds rows out, as by default without a validation set")
	}
	var rows []SuspiciousRow
	for _, s := range r.suspects {
		if n == 0 && s.Doubted || len(rows) < n {
			rows = append(rows, SuspiciousRow{s.Row, s.Label, s.Rival, s.Own, s.Other, s.Doubted})
		}
	}
	return rows, nil
}
