// Package forc gives the C library and the command what other programs do not need of package aoso, which sets these
// functions.
package forc

// WithLabelType returns a *aoso.Model with a note of what type its labels had in the program that trained it, such as
// "int8": at most 64 bytes of UTF-8. The note is part of the file, and of the models that are made of this one. It
// changes neither predictions nor the fingerprint.
var WithLabelType func(model any, labelType string) (any, error)

// Walked returns the share of the trees that the calls of Class of a *aoso.RowPredictor have needed so far.
var Walked func(predictor any) float64

// DefaultLevel returns the level that runs if none is asked for: the value of the environment variable AOSO_LEVEL, or
// else the fastest.
var DefaultLevel func() (string, error)
