package explain

import (
	"cmp"
	"slices"

	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/model"
)

// Importance returns the importance of a kind by feature; ok is false if there is no such kind. owners has the feature of each column;
// nil: the columns are the features.
// A cross counts by half for each of its features.
func Importance(f *model.Forest, kind string, features int, owners []category.Owners) (importance []float64, ok bool) {
	contribution, ok := map[string]func(n model.Node) float64{
		"gain":  func(n model.Node) float64 { return float64(n.Gain()) },
		"split": func(model.Node) float64 { return 1 },
		"cover": func(n model.Node) float64 { return float64(n.Rows()) },
	}[kind]
	if !ok {
		return nil, false
	}
	importance = make([]float64, features)
	for n := range f.AllNodes() {
		o, c := ownersOf(owners, n), contribution(n)
		if o[0] != o[1] {
			c /= 2
			importance[o[1]] += c
		}
		importance[o[0]] += c
	}
	return importance, true
}

// ownersOf returns the owners of the column that a node splits on.
func ownersOf(owners []category.Owners, n model.Node) category.Owners {
	column := n.Split().Feature
	if owners == nil {
		return category.Owners{column, column}
	}
	return owners[column]
}

// PairImportance is the importance of a feature for separating two classes.
type PairImportance struct {
	Feature int
	Classes [2]int // in rising order, or a class and [model.Others]
	Gain    float64
	Splits  int
}

// PairImportances returns the importance of features by class pair, by falling gain. A split on a cross counts for both of its features,
// with half of its gain.
func PairImportances(f *model.Forest, owners []category.Owners) []PairImportance {
	type key struct {
		feature int
		classes [2]int
	}
	sums := map[key]*PairImportance{}
	for n := range f.AllNodes() {
		pairs := 0
		for range n.Pairs() {
			pairs++
		}
		o := ownersOf(owners, n)
		features := o[:1]
		if o[0] != o[1] {
			features = o[:]
		}
		for r, s := range n.Pairs() {
			for _, feature := range features {
				k := key{int(feature), [2]int{r, s}}
				if s != model.Others {
					k.classes = [2]int{min(r, s), max(r, s)}
				}
				sum := sums[k]
				if sum == nil {
					sum = &PairImportance{Feature: k.feature, Classes: k.classes}
					sums[k] = sum
				}
				sum.Gain += float64(n.Gain()) / float64(pairs*len(features))
				sum.Splits++
			}
		}
	}
	all := make([]PairImportance, 0, len(sums))
	for _, sum := range sums {
		all = append(all, *sum)
	}
	slices.SortFunc(all, func(a, b PairImportance) int {
		return cmp.Or(cmp.Compare(b.Gain, a.Gain), cmp.Compare(a.Feature, b.Feature),
			cmp.Compare(a.Classes[0], b.Classes[0]), cmp.Compare(a.Classes[1], b.Classes[1]))
	})
	return all
}
