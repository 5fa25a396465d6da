package kernel

import (
	"errors"
	"math"
)

// ErrNoClass is what an update panics with where no residual of a row has the
// sign bit.
var ErrNoClass = errors.New("kernel: UpdateJob: a row of Residuals has no class of its own, must have one")

// Update implements [Funcs.Update] in plain Go.
func Update(j *UpdateJob) {
	j.SumResidual, j.MaxResidual = 0, 0
	factors := j.Factors[:j.Stride]
	for _, row := range j.Rows {
		residuals := j.Residuals[int(row)*j.Stride:][:j.Stride]
		var others [16]float32
		own := -1
		for k, r := range residuals {
			if math.Float32bits(r)>>31 != 0 {
				own = k
				continue
			}
			odds := float32(r * factors[k])
			residuals[k] = odds
			others[k%16] += odds
		}
		if own < 0 {
			panic(ErrNoClass)
		}
		sum := sumOthers(&others)
		ownOdds := float32(j.Own[row] * factors[own])
		inverse := 1 / (sum + ownOdds)
		for k, odds := range residuals {
			p := float32(odds * inverse)
			if p < FlushBelow {
				p = 0
			}
			residuals[k] = p
		}
		q := float32(sum * inverse)
		residuals[own] = -q
		j.Own[row] = max(float32(ownOdds*inverse), OwnFloor)
		j.SumResidual += float64(q)
		j.MaxResidual = max(j.MaxResidual, q)
	}
}

// sumOthers folds 16 lanes in half until one is left.
func sumOthers(v *[16]float32) float32 {
	for half := 8; half > 0; half /= 2 {
		for i := range half {
			v[i] += v[i+half]
		}
	}
	return v[0]
}
