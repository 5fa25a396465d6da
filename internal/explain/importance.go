package explain

import (
	"cmp"
	"slices"

	"github.com/libaoso/aoso/internal/model"
)

// Importance returns the importance of a kind by feature; ok is false if there is no such kind. owners has the feature of each column;
// nil: the columns are the features.
func Importance(f *model.Forest, kind string, features int, owners []int) (importance []float64, ok bool) {
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
		importance[owner(owners, n)] += contribution(n)
	}
	return importance, true
}

// owner returns the feature that a node splits on.
func owner(owners []int, n model.Node) int {
	column := int(n.Split().Feature)
	if owners == nil {
		return column
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

// PairImportances returns the importance of features by class pair, by falling gain.
func PairImportances(f *model.Forest, owners []int) []PairImportance {
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
		for r, s := range n.Pairs() {
			k := key{owner(owners, n), [2]int{r, s}}
			if s != model.Others {
				k.classes = [2]int{min(r, s), max(r, s)}
			}
			sum := sums[k]
			if sum == nil {
				sum = &PairImportance{Feature: k.feature, Classes: k.classes}
				sums[k] = sum
			}
			sum.Gain += float64(n.Gain()) / float64(pairs)
			sum.Splits++
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
