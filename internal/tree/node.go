package tree

import (
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/kernel"
)

// node is a node that is a leaf so far.
type node struct {
	start, end int      // of the partition
	list       []uint32 // the rows: that run, or a copy until the parent is split
	count      int      // of rows, on all machines
	depth      int
	order      int   // of birth
	parent     int32 // number in tree.Nodes; −1: none
	isRight    bool
	seed       uint64 // of the columns that it draws

	left, right *node // its children, if it has been expanded
	apart       bool  // whose lists are copies

	totals *loss.Totals
	own    *loss.Totals // on several machines: of the rows here
	forgot bool         // the totals, which are long
	weight int64        // likewise, with trimming: that of all rows, in units
	layout *layout      // the columns that it may be split on; nil: it is a leaf for good
	pairs  []kernel.Pair
	stats  [kernel.MaxPairs]kernel.PairStats // ΣG and ΣH are a pair leaf's
	split  SplitInfo

	box     *loss.Box // of the leaf values; nil: none are constrained
	bounded bool      // by it
	path    []int     // the features of the splits above, if interactions are constrained

	// What the larger child can take over, less the smaller one's share.
	cross      []int64    // Σ p_r·p_k for the first class r of its only pair, or, of three classes, for two; empty: not needed; nil: not kept
	histogram  *Histogram // nil: not kept
	quanta     quanta
	sumG, sumH [kernel.MaxPairs]int64
}

// rows is the number of rows on this machine, which decides how the work is done;
// what is done, count decides.
func (n *node) rows() int { return n.end - n.start }

// place gives the children of n its rows, of which the first left go left.
func (n *node) place(rows []uint32, left int) {
	n.left.start, n.left.end, n.left.list = n.start, n.start+left, rows[:left]
	n.right.start, n.right.end, n.right.list = n.start+left, n.end, rows[left:]
}

// bySize is the children of n, the smaller first. If no missing values go right,
// those of rows to come go the way of the larger.
func (n *node) bySize(missing bool) (small, large *node) {
	if n.left.count <= n.right.count {
		return n.left, n.right
	}
	if s := &n.split; s.Set == nil && !missing {
		s.MissingLeft = true // as the node has none to learn from
	}
	return n.right, n.left
}

// keep makes listed totals the node's own, or forgets them if they are long: to compute
// them anew gives the same, and takes the longer, the more rows there are.
func (n *node) keep(most int) {
	switch t := n.totals; {
	case t == nil || !t.Listed:
	case len(t.List) > max(most, ListedOfRow*n.count):
		n.totals, n.own, n.forgot = nil, nil, true
	default:
		n.totals = t.Clone()
	}
}

// leave makes the sums of n those that share leaves of its parent's. It tells
// whether the parent's quanta are fine enough for it: on average a row's Hessian
// has some bits.
func (n *node) leave(parent, share *node) bool {
	const leastQuanta = 16 // of a row's Hessian, on average
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

// nodeHeap orders open nodes by gain, the first-born first where they tie.
type nodeHeap []*node

func (h nodeHeap) Len() int { return len(h) }

func (h nodeHeap) Less(i, j int) bool {
	return h[i].before(h[j])
}

// before tells whether a node is split before another.
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
