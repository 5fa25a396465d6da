package aoso

import "math"

// Suggest returns parameters that suit data of a shape better than the defaults
// do, where it knows any: from 100,000 rows on large trees, whose structure comes
// from a sample of the rows and whose leaf values from all of them. On large
// noisy data they reach a log loss in a fraction of the time of the defaults.
// bench/README.md shows what was measured.
func Suggest(s Shape) Params {
	p := DefaultParams()
	if s.Rows < 100_000 {
		return p
	}
	p.Leaves, p.Shrinkage, p.MaxStep, p.L2 = 256, 0.3, 3, 10
	// A hundred rows a leaf tell where to split, however many rows there are.
	sample := math.Max(30_000, 300*float64(s.Classes))
	p.Subsample = min(1, math.Round(1000*sample/float64(s.Rows))/1000)
	return p
}
