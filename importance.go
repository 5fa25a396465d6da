package aoso

import (
	"cmp"
	"slices"
)

// Importance is how much each feature contributes: by "gain", the loss that
// its splits were reckoned to save, by "split", their number, or by "cover",
// the number of rows, summed over its splits, that they parted.
func (m *Model) Importance(kind string) ([]float64, error) {
	f := m.forest
	worth, ok := map[string]func(node int) float64{
		"gain":  func(i int) float64 { return float64(f.Gain[i]) },
		"split": func(int) float64 { return 1 },
		"cover": func(i int) float64 { return float64(f.NodeRows[i]) },
	}[kind]
	if !ok {
		return nil, badArgument("importance", kind, "gain, split or cover")
	}
	importance := make([]float64, len(m.names))
	for i, feature := range f.Feature {
		importance[feature] += worth(i)
	}
	return importance, nil
}

// PairImportance is what a feature contributes to telling two classes apart.
type PairImportance struct {
	Feature int
	Classes [2]int // the lower first; the second is −1 where a class was split from all others
	Gain    float64
	Splits  int
}

// PairImportances is the importance of features by class pair, the greatest
// gain first. A split on several pairs at once counts for each of them with
// an equal share of its gain.
func (m *Model) PairImportances() []PairImportance {
	type key struct {
		feature int32
		r, s    uint16
	}
	sums := map[key]*PairImportance{}
	f := m.forest
	for i, feature := range f.Feature {
		pairs := realPairs(f.NodePairs[i*2*f.Pairs:][:2*f.Pairs], f.Classes)
		for p := 0; p < len(pairs); p += 2 {
			k := key{feature, min(pairs[p], pairs[p+1]), max(pairs[p], pairs[p+1])}
			sum := sums[k]
			if sum == nil {
				sum = &PairImportance{Feature: int(feature), Classes: [2]int{int(k.r), int(k.s)}}
				if int(k.s) >= f.Classes {
					sum.Classes[1] = -1
				}
				sums[k] = sum
			}
			sum.Gain += float64(f.Gain[i]) / float64(len(pairs)/2)
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

// realPairs is a node's pairs without those of the impossible class alone,
// which come last.
func realPairs(pairs []uint16, classes int) []uint16 {
	n := len(pairs)
	for n > 0 && int(pairs[n-2]) >= classes {
		n -= 2
	}
	return pairs[:n]
}
