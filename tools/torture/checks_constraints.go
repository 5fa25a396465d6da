package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/constraint"
)

// checkMonotone moves constrained features of some rows through values that they
// have. No raw score may go against its sign.
func checkMonotone(t *trial, d dice) error {
	signs, err := constraint.Monotone(t.params.MonotoneConstraints, t.model.FeatureNames(), t.model.Classes())
	if err != nil || t.data.Categorical != nil {
		return err
	}
	classes := len(t.model.Classes())
	for j := range signs {
		if signs[j] == nil {
			continue
		}
		values := slices.DeleteFunc(slices.Clone(t.train.x[j]), math.IsNaN)
		slices.Sort(values)
		if values = slices.Compact(values); len(values) < 2 {
			continue
		}
		at := d.IntN(t.train.rows())
		rows := make([][]float64, len(values))
		for i, v := range values {
			for c := range t.train.x {
				rows[i] = append(rows[i], t.train.x[c][at])
			}
			rows[i][j] = v
		}
		x, err := aoso.FromRows(rows)
		if err != nil {
			return err
		}
		raw, err := t.model.PredictRaw(x)
		if err != nil {
			return err
		}
		for i := classes; i < len(raw); i++ {
			if sign := signs[j][i%classes]; float64(sign)*(raw[i]-raw[i-classes]) < 0 {
				return fmt.Errorf("feature %d, class %d, sign %d: score %g at %g, then %g", j, i%classes, sign, raw[i-classes], values[i/classes-1], raw[i])
			}
		}
	}
	return nil
}
