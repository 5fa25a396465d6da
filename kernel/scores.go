package kernel

// AddSteps implements [Funcs.AddSteps] in plain Go.
func AddSteps(j *AddStepsJob) {
	for i := range j.Rows {
		scores := j.Scores[i*j.Stride:][:j.Classes]
		for t, first := range j.FirstLeaf {
			leaf := int(first) + int(j.Leaves[t*j.LeafStride+i])
			for k, step := range j.Steps[leaf*j.Classes:][:len(scores)] {
				scores[k] += float64(step)
			}
		}
	}
}

// AddPairs implements [Funcs.AddPairs] in plain Go.
func AddPairs(j *AddPairsJob) {
	for t, first := range j.FirstLeaf {
		for i, n := range j.Leaves[t*j.LeafStride:][:j.Rows] {
			scores := j.Scores[i*j.Stride:][:j.Stride]
			leaf := int(first) + int(n)
			for _, p := range j.Steps[leaf*j.Pairs:][:j.Pairs] {
				scores[p.R] += float64(p.Step)
				scores[p.S] -= float64(p.Step)
			}
		}
	}
}

// AddShort implements [Funcs.AddShort] in plain Go.
func AddShort(j *AddShortJob) {
	for i := range j.Rows {
		for first := 0; first < j.Classes; first += ShortLanes {
			var sums [ShortLanes]int16
			for t, leaves := range j.FirstLeaf {
				leaf := int(leaves) + int(j.Leaves[t*j.LeafStride+i])
				for k, step := range j.Steps[leaf*j.Classes+first:][:ShortLanes] {
					sums[k] += step
				}
			}
			for k, sum := range sums {
				j.Sums[i*j.Stride+first+k] += int32(sum)
			}
		}
	}
}

// Scores implements [Funcs.Scores] in plain Go.
func Scores(j *ScoresJob) {
	for i := range len(j.Scores) / j.Classes {
		sums := j.Sums[i*j.Stride:][:j.Classes]
		for k := range j.Scores[i*j.Classes:][:len(sums)] {
			score := float64(float64(sums[k])*j.Unit) + j.First[k]
			if j.Temperature != 0 {
				score /= j.Temperature
			}
			j.Scores[i*j.Classes+k] = score
		}
	}
}

// Best implements [Funcs.Best] in plain Go.
func Best(j *BestJob) {
	for i := range j.Best {
		best, sums := 0, j.Sums[i*j.Stride:][:j.Classes]
		for k, sum := range sums {
			if sum > sums[best] {
				best = k
			}
		}
		j.Best[i] = best
	}
}
