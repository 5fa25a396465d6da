// Package aoso trains and applies multi-class gradient-boosted trees by
// AOSO-LogitBoost (P. Sun, M. D. Reid, J. Zhou: AOSO-LogitBoost: Adaptive
// One-Vs-One LogitBoost for Multi-Class Problem, ICML 2012).
//
// One tree an iteration serves all classes: every node splits on the pair of
// classes, or few pairs, that gains most there, and every leaf moves the
// scores of several classes at once. ABC-LogitBoost and LogitBoost are modes
// of the same builder.
//
//	x := aoso.RowMajor(values, rows, cols)
//	train, err := aoso.NewDataset(x, aoso.StringLabels(y), aoso.DatasetOptions{})
//	result, err := aoso.Train(ctx, train, aoso.DefaultParams(), aoso.TrainOptions{})
//	classes, err := result.Model.Predict(x, aoso.PredictOptions{})
//	err = result.Model.Save("letters.aoso")
//
// A model depends on the data, the parameters and the seed, and on nothing
// else: it is the same, bit for bit, for every number of threads and on every
// CPU; [Model.Fingerprint] tells.
package aoso
