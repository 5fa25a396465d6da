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

// AddCuts implements [Funcs.AddCuts] in plain Go.
func AddCuts(j *AddCutsJob) {
	for lane := range TileLanes {
		f, p := lane/j.Pairs, lane&(j.Pairs-1)
		var missing, left sums
		missing.add(&j.ScanJob, f, 0)
		for b := 1; b < j.Bins; b++ {
			left.add(&j.ScanJob, f, b)
			at := b*max(j.Stride, TileLanes) + lane
			j.Right[at] += j.scoreOf(p, left.g[p], left.h[p])
			if j.Left != nil {
				j.Left[at] += j.scoreOf(p, left.g[p]+missing.g[p], left.h[p]+missing.h[p])
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
		lightL[p] = float64(float64(left.h[p]) * j.UnitH[p])
		lightR[p] = float64(float64(j.TotalH[p]-left.h[p]) * j.UnitH[p])
		scores[p] = j.scoreOf(p, left.g[p], left.h[p])
	}
	if sumPairs(&lightL) < j.MinHessian || sumPairs(&lightR) < j.MinHessian {
		return math.Inf(-1)
	}
	return sumPairs(&scores)
}

// scoreOf returns the score of a cut along one pair, whose sums left of it are g and h.
func (j *ScanJob) scoreOf(p int, g, h int64) float64 {
	gl, gr := float64(g), float64(j.TotalG[p]-g)
	hl, hr := max(float64(h)+j.L2[p], 1), max(float64(j.TotalH[p]-h)+j.L2[p], 1)
	num := float64(float64(gl*gl)*hr) + float64(float64(gr*gr)*hl)
	return float64(num / float64(hl*hr) * j.Scale[p])
}

// sumPairs adds neighbours, then neighbouring sums; unused pairs are zero.
func sumPairs(v *[MaxPairs]float64) float64 {
	return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]))
}
