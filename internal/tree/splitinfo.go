package tree

// SplitInfo is a way to split a node. Gain 0: there is none.
type SplitInfo struct {
	Feature     int
	Bin         uint8 // value bins up to this one go left
	MissingLeft bool  // so does the missing bin
	Gain        float64
}
