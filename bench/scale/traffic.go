package main

// Shape describes a training on several machines.
type Shape struct {
	Ranks    int
	Rows     int // of all ranks
	Features int
	Bins     int     // of each feature where splits are looked for first
	FineBins int     // of each feature
	Looks    float64 // how many features of a node are looked at in all their bins
	Pairs    int     // class pairs that a node splits on
	Classes  int
	Leaves   int
}

// Traffic is what a rank gives to the calls of its collective, by the kind of call.
type Traffic struct {
	Calls                         float64
	Reduced, Scattered, Gathered  float64 // bytes
	Reduces, Scatters, Gatherings float64 // calls
}

// spillRows is the number of rows from which the cells of a histogram are sent as two
// numbers.
const spillRows = 1 << 16

// Nodes returns how many nodes of a tree are searched for a split: the root and the children
// of all splits but the last.
func (s Shape) Nodes() float64 { return float64(2*s.Leaves - 3) }

// above returns the share of the nodes that have more than this many rows, if every split
// halves a node.
func (s Shape) above(limit int) float64 {
	above, nodes := 0, 1
	for rows := s.Rows; rows > limit && nodes < 2*s.Leaves; rows /= 2 {
		above += nodes
		nodes *= 2
	}
	return min(float64(above)/s.Nodes(), 1)
}

// together returns the share of the splits that are made several at a time, which is so where
// a rank has little work in a node.
func (s Shape) together() float64 {
	const mostWork = 1 << 20 // of tree.Grower
	return 1 - s.above(mostWork*s.Ranks/(s.Features+(s.Classes+7)&^7))
}

// numbers returns how many numbers a cell of a histogram is on average.
func (s Shape) numbers() float64 { return 1 + s.above(spillRows) }

// Tree returns the traffic of an iteration that grows one tree.
func (s Shape) Tree() (t Traffic) {
	const number = 8
	splits, nodes := float64(s.Leaves-1), s.Nodes()
	m, k := float64(s.Pairs), float64(s.Classes)
	first := min(m, float64(s.Classes/2)) // pairs that there are classes for

	counts := (splits + 1) * (2*k + 3)
	products := nodes * first * k
	looks := nodes * s.Looks * float64(s.FineBins) * m * s.numbers()
	const interrupted, trimming = 1, 2 // whether a rank stops; the mean of 1 − p_y
	t.Reduced = number * (counts + products + looks + interrupted + trimming)

	t.Scattered = number * nodes * m * (float64(s.Features*s.Bins)*s.numbers() + 2*float64(s.Ranks))

	const bound = 3
	t.Gathered = number * (nodes*(5*m+2*float64(s.Features)/float64(s.Ranks)) + bound)

	const few = 0.4                                // expansions a split, where up to four are made together
	batches := 1 + splits*(1-s.together()*(1-few)) // and the root
	searched := batches - 1                        // the last split is not followed by a search
	t.Scatters = searched
	t.Gatherings = 2*searched + 1
	t.Reduces = batches + searched + 2
	if s.Looks > 0 {
		t.Reduces += searched * max(1, s.Looks)
	}
	t.Calls = t.Reduces + t.Scatters + t.Gatherings
	return t
}

// Bytes returns what a rank gives to all calls.
func (t Traffic) Bytes() float64 { return t.Reduced + t.Scattered + t.Gathered }
