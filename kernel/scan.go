package kernel

import "math"

// Scan implements [Funcs.Scan] in plain Go.
func Scan(j *ScanJob) {
	m := j.Pairs
	for f := range TileLanes / m {
		j.Score[f], j.Bin[f], j.MissingLeft[f] = math.Inf(-1), 0, false
		var missing, left sums
		anyMissing := missing.add(j, f, 0)
		for b := 1; b < j.Bins; b++ {
			left.add(j, f, b)
			if score := j.score(&left); score > j.Score[f] {
				j.Score[f], j.Bin[f], j.MissingLeft[f] = score, int32(b), false
			}
			if !anyMissing {
				continue
			}
			both := left.plus(&missing)
			if score := j.score(&both); score > j.Score[f] {
				j.Score[f], j.Bin[f], j.MissingLeft[f] = score, int32(b), true
			}
		}
	}
}

// sums are the gradients and Hessians of one side of a cut, in quanta.
type sums struct{ g, h [MaxPairs]int64 }

// add adds bin b of feature f and reports whether it held anything.
func (s *sums) add(j *ScanJob, f, b int) bool {
	var any int64
	for p := range j.Pairs {
		var g, h int64
		if i := b*max(j.Stride, TileLanes) + f*j.Pairs + p; j.Tile != nil {
			g, h = unpack(j.Tile[i])
		} else {
			g, h = j.WideG[i], j.WideH[i]
		}
		s.g[p] += g
		s.h[p] += h
		any |= g | h
	}
	return any != 0
}

func (s *sums) plus(o *sums) sums {
	t := *s
	for p := range t.g {
		t.g[p] += o.g[p]
		t.h[p] += o.h[p]
	}
	return t
}

// score returns the job's score of a cut, −Inf where a side is too light.
func (j *ScanJob) score(left *sums) float64 {
	var scores, lightL, lightR [MaxPairs]float64
	for p := range j.Pairs {
		gl, gr := float64(left.g[p]), float64(j.TotalG[p]-left.g[p])
		hl, hr := float64(left.h[p]), float64(j.TotalH[p]-left.h[p])
		lightL[p], lightR[p] = float64(hl*j.UnitH[p]), float64(hr*j.UnitH[p])
		hl, hr = max(hl+j.L2[p], 1), max(hr+j.L2[p], 1)
		num := float64(float64(gl*gl)*hr) + float64(float64(gr*gr)*hl)
		scores[p] = float64(num / float64(hl*hr) * j.Scale[p])
	}
	if sumPairs(&lightL) < j.MinHessian || sumPairs(&lightR) < j.MinHessian {
		return math.Inf(-1)
	}
	return sumPairs(&scores)
}

// sumPairs adds neighbours, then neighbouring sums; unused pairs are zero.
func sumPairs(v *[MaxPairs]float64) float64 {
	return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]))
}
