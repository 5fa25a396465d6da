package aoso

// Suggest returns parameters that suit data of a shape better than the
// defaults do, where it knows any.
func Suggest(s Shape) Params {
	p := DefaultParams()
	if s.Rows >= 100_000 {
		p.Leaves, p.Shrinkage, p.MaxStep, p.L2, p.Subsample = 256, 0.3, 3, 10, 0.1
	}
	return p
}
