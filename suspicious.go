package aoso

// SuspiciousRows returns the n held-out rows of the training set whose labels are least likely, the least likely first, or all of
// them if there are fewer. The probabilities are those of models that were trained without the row, at the temperature that suits
// the held-out rows best. Each row is held out once if the model is an ensemble or has folds; else only [Result.HeldOutRows] rows are.
//
// With n = 0, it returns all Suspected rows. Their labels are probably wrong: another class is likelier than the label, and at least as
// likely as it is on average for the rows that have it as label. That average is a class's threshold in confident learning (C.
// Northcutt, L. Jiang and I. Chuang, Confident learning: estimating uncertainty in dataset labels, 2021).
//
// The label of a row with a soft label is the class of its greatest share. It is an error if no rows were held out: see [Train].
func (r *Result) SuspiciousRows(n int) (rows []struct {
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
	for _, s := range r.held.Suspects {
		if n == 0 && s.Suspected || len(rows) < n {
			rows = append(rows, s)
		}
	}
	return rows, nil
}
