package kernel

// AddSteps is the reference of [Funcs.AddSteps].
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

// AddPairs is the reference of [Funcs.AddPairs].
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
