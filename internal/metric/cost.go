package metric

// LeastCosts finds the decision of least expected cost for each row, the lowest where
// some tie. proba is rows × classes and costs is classes × decisions.
func LeastCosts(proba []float64, classes int, costs []float64, decisions []int, expected []float64) {
	choices := len(costs) / classes
	mean := make([]float64, choices)
	for i := range decisions {
		clear(mean)
		for k, p := range proba[i*classes:][:classes] {
			for d, c := range costs[k*choices:][:choices] {
				mean[d] += float64(p * c)
			}
		}
		best := 0
		for d := range mean {
			if mean[d] < mean[best] {
				best = d
			}
		}
		decisions[i], expected[i] = best, mean[best]
	}
}
