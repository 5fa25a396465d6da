// Package aoso trains and applies multi-class gradient-boosted trees by
// AOSO-LogitBoost (P. Sun, M. D. Reid, J. Zhou: AOSO-LogitBoost: Adaptive
// One-Vs-One LogitBoost for Multi-Class Problem, ICML 2012).
//
// Each iteration grows one tree for all classes. Every node splits on the class
// pairs that gain most there, and every leaf moves the scores of several classes.
// ABC-LogitBoost and LogitBoost are other methods of the same library.
//
//	x := aoso.RowMajor(values, rows, cols)
//	train, err := aoso.NewDataset(x, aoso.StringLabels(y))
//	result, err := aoso.Train(ctx, train, aoso.Params{})
//	classes, err := result.Model.Predict(x)
//	err = result.Model.Save("letters.aoso")
//
// A model depends only on the data, the parameters and the seed. It is the same,
// bit for bit, with any number of threads and on every CPU. [Model.Fingerprint]
// identifies it.
package aoso
