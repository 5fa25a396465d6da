package linear

import "math"

// FitBytes bounds the memory in bytes that [Fit] needs beside its result, for columns with at most this many bins.
func FitBytes(rows, columns, bins, classes, threads float64) float64 {
	n := min(columns, MostFeatures)
	numbers := 8 * 2 * n * classes // sums, weights
	if columns > n {
		numbers += 8 * choosing * classes
	}
	products := 8*n*n*(threads+2) + 2*8*n*blockRows*threads
	features := ((8+4)*(bins+1) + featureBytes) * columns
	sampled := min(rows, max(min(sampleScores/classes, mostSample), leastSample))
	sampled += 6 * math.Sqrt(sampled) // exceeded with a probability of 1e-9
	return numbers + products + features + 8*rows + 8*(classes+3)*sampled + 8*(classes+4*n)*threads
}

// featureBytes is the size of a feature without its bins.
const featureBytes = 64
