package tree

import (
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/kernel"
)

// node is a leaf of the growing tree.
type node struct {
	start, end int      // in the partition
	list       []uint32 // the rows: partition.Rows[start:end], or a copy until the parent is split
	count      int      // number of rows on all machines
	depth      int
	order      int   // of creation
	parent     int32 // number in tree.Nodes; −1: none
	isRight    bool
	seed       uint64 // of the columns drawn for it

	left, right *node // children, if it has been expanded

	totals  *loss.Totals
	own     *loss.Totals // on several machines: the totals of the rows here
	dropped bool         // the class totals were dropped to save memory; count or setBest restores them
	weight  int64        // with trimming, on several machines or in a symmetric tree: weight of all rows, in units
	layout  *layout      // the columns that it may be split on; nil: it stays a leaf
	pairs   []kernel.Pair
	stats   [kernel.MaxPairs]kernel.PairStats // SumG and SumH are the sums of a pair leaf
	split   SplitInfo

	box     *loss.Box // bounds of the leaf values; nil: unconstrained
	bounded bool      // box is narrower than the root's
	path    []int     // the features of the splits above, if interactions are constrained

	// What the larger child can take over, after subtracting the smaller one's.
	cross      []int64    // Σ p_r·p_k for the first class r of its only pair, or, of three classes, for two; nil: not kept
	histogram  *Histogram // nil: not kept
	quanta     quanta
	sumG, sumH [kernel.MaxPairs]int64
}

// rows returns the number of rows on this machine. It may decide how work is done (threads,
// order), never what the result is: that depends on count.
func (n *node) rows() int { return n.end - n.start }

// assignRows splits n's rows between its children: the first left go left.
func (n *node) assignRows(rows []uint32, left int) {
	n.left.start, n.left.end, n.left.list = n.start, n.start+left, rows[:left]
	n.right.start, n.right.end, n.right.list = n.start+left, n.end, rows[left:]
}

// bySize returns the children of n, the smaller first. If n has no missing values to learn from,
// it sends them to the larger child.
func (n *node) bySize(missing bool) (small, large *node) {
	if n.left.count <= n.right.count {
		return n.left, n.right
	}
	if s := &n.split; s.Set == nil && !missing {
		s.MissingLeft = true
	}
	return n.right, n.left
}

// keepTotals copies listed totals, which the evaluator will overwrite, or drops them if they are
// long: summing them again gives the same, and takes little time for few rows.
func (n *node) keepTotals(most int) {
	switch t := n.totals; {
	case t == nil || !t.Sparse:
	case len(t.List) > max(most, SparsePerRow*n.count):
		n.totals, n.own, n.dropped = nil, nil, true
	default:
		n.totals = t.Clone()
	}
}

// subtract sets the sums of n to parent's less share's. It reports whether the parent's quanta
// are fine enough for n: at least leastQuanta for the average Hessian of a row.
func (n *node) subtract(parent, share *node) bool {
	const leastQuanta = 16
	for p := range n.pairs {
		n.sumG[p], n.sumH[p] = parent.sumG[p]-share.sumG[p], parent.sumH[p]-share.sumH[p]
		n.stats[p].SumG = parent.stats[p].SumG - share.stats[p].SumG
		n.stats[p].SumH = parent.stats[p].SumH - share.stats[p].SumH
		if parent.stats[p].SumH > 0 && n.sumH[p] < leastQuanta*int64(n.count) {
			return false
		}
	}
	return true
}

// nodeHeap orders open nodes by gain, then by age.
type nodeHeap []*node

func (h nodeHeap) Len() int { return len(h) }

func (h nodeHeap) Less(i, j int) bool {
	return h[i].before(h[j])
}

// before reports whether n is split before o.
func (n *node) before(o *node) bool {
	return n.split.Gain > o.split.Gain || n.split.Gain == o.split.Gain && n.order < o.order
}

func (h nodeHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *nodeHeap) Push(n any) { *h = append(*h, n.(*node)) }

func (h *nodeHeap) Pop() any {
	old := *h
	n := old[len(old)-1]
	*h = old[:len(old)-1]
	return n
}
